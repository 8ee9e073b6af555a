/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* V is STATE at best, for this reason; it may have several. */
static __attribute__((format(printf, 3, 4))) void
say(struct verdict *v, enum verdict_state state, const char *format, ...)
{
	size_t len = strlen(v->reason);
	va_list args;

	if (len > 0)
		len += (size_t)snprintf(v->reason + len, sizeof(v->reason) - len, "; ");
	if (len < sizeof(v->reason)) {
		va_start(args, format);
		(void)vsnprintf(v->reason + len, sizeof(v->reason) - len, format, args);
		va_end(args);
	}
	if (state > v->state)
		v->state = state;
}

/* V is VERDICT_UNREADY, for this reason. */
static void
unready(struct verdict *v, const char *why)
{
	if (v->unready == NULL)
		v->unready = why;
	say(v, VERDICT_UNREADY, "%s", why);
}

static void
judge_loops(struct verdict *v, const struct verdict_grounds *g)
{
	v->n_stuck = g->n_stuck;
	if (g->n_stuck == 0)
		return;
	say(v, VERDICT_UNREADY, "%u of %u loops do not go round", g->n_stuck, g->n_loops);
	v->unready = "a loop does not go round";
}

static void
judge_addresses(struct verdict *v, const struct verdict_grounds *g)
{
	if (g->n_served == 0)
		unready(v, "no listen address is there");
	else if (g->n_awaited > 0)
		say(v, VERDICT_DEGRADED, "%zu of %zu listen addresses are not there", g->n_awaited,
		    g->n_served + g->n_awaited);
}

static void
judge_upstreams(struct verdict *v, const struct verdict_grounds *g)
{
	bool errors = false;

	for (size_t i = 0; i < g->n_upstreams; i++) {
		if (g->upstreams[i].ordered != CONF_UP) {
			v->n_by_operator++; /* nobody misses it */
			continue;
		}
		v->n_upstreams++;
		v->n_answering += upstream_status_answers(&g->upstreams[i], g->now_ns);
		errors |= g->upstreams[i].state == UPSTREAM_STATUS_ERRING;
	}
	if (v->n_upstreams == 0 && g->n_upstreams > 0)
		unready(v, "all upstreams are drained or down by operator");
	if (v->n_answering == v->n_upstreams)
		return; /* or no loop has told */
	if (v->n_answering > 0)
		say(v, VERDICT_DEGRADED, "%zu of %zu upstreams do not answer",
		    v->n_upstreams - v->n_answering, v->n_upstreams);
	else
		unready(
		    v, errors ? "no upstream answers, or only with errors" : "no upstream answers");
}

static bool
has_active_prefix(const struct policies *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		if (ps->table[i].synth.active_bits != 0)
			return true;
	}
	return false;
}

bool
verdict_lacks_prefix(const struct policies *ps, size_t i)
{
	const struct policy *p = &ps->table[i];

	if (p->synthesize == POLICY_NEVER || p->synth.active_bits != 0)
		return false;
	return p->synth.n_prefixes > 0 || (i == 0 && !has_active_prefix(ps));
}

static void
judge_prefixes(struct verdict *v, const struct policies *ps)
{
	size_t n_lacking = 0;

	for (size_t i = 1; i < ps->n; i++)
		n_lacking += verdict_lacks_prefix(ps, i);
	if (verdict_lacks_prefix(ps, 0))
		unready(v, "no prefix is active");
	else if (n_lacking > 0)
		say(v, VERDICT_DEGRADED, "no prefix is active in %zu client block%s", n_lacking,
		    n_lacking == 1 ? "" : "s");
}

static void
judge_reload(struct verdict *v, enum verdict_reload reload)
{
	switch (reload) {
	case VERDICT_RELOADED:
		break;
	case VERDICT_REFUSED:
		say(v, VERDICT_DEGRADED, "the last reload was refused");
		break;
	case VERDICT_OVERDUE:
		say(v, VERDICT_DEGRADED, "not all loops have taken the last reload");
		break;
	}
}

struct verdict
verdict_make(const struct verdict_grounds *g)
{
	struct verdict v = { .state = VERDICT_READY };

	judge_loops(&v, g);
	judge_upstreams(&v, g);
	judge_addresses(&v, g);
	judge_prefixes(&v, g->settings->conf.core.policies);
	judge_reload(&v, g->reload);
	if (g->stopping || g->lameduck) {
		/* As it was told to, whatever else there is to say. */
		v.reason[0] = '\0';
		v.unready = NULL;
		unready(&v,
		    g->stopping      ? "stopping"
			: g->to_stop ? "lameduck, to stop"
				     : "lameduck");
	}
	return v;
}

bool
verdict_same(const struct verdict *a, const struct verdict *b)
{
	return a->state == b->state && strcmp(a->reason, b->reason) == 0;
}

const char *
verdict_word(enum verdict_state state)
{
	static const char *const words[] = { [VERDICT_READY] = "ready",
		[VERDICT_DEGRADED] = "degraded",
		[VERDICT_UNREADY] = "not ready" };

	return words[state];
}

const char *
verdict_text(const struct verdict *v, char text[static VERDICT_TEXT])
{
	(void)snprintf(text, VERDICT_TEXT, "%s%s%s", verdict_word(v->state),
	    v->reason[0] != '\0' ? ": " : "", v->reason);
	return text;
}
