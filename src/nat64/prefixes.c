/* SPDX-License-Identifier: BSD-2-Clause */
#include "nat64/prefixes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/policies.h"
#include "config/prefix_file.h"
#include "config/values.h"

/* --- A change --------------------------------------------------------------------------------- */

#define NONE_TOLD 8 /* policies without an active prefix that are named */

/* A change by dns64ctl that is being made. */
struct work {
	const struct prefixes *p;
	const struct prefix_change *c;
	char *error; /* HOST_ERROR bytes */
};

/* Keep the first error. Where it names a line of the file, that stays. */
static void
keep(void *ctx, enum diag_kind kind, const char *text)
{
	const struct work *w = ctx;
	size_t len = strlen(w->p->path);

	if (kind != DIAG_ERROR || w->error[0] != '\0')
		return;
	if (strncmp(text, w->p->path, len) == 0 && strncmp(text + len, ": ", 2) == 0)
		text += len + 2;
	snprintf(w->error, HOST_ERROR, "%s", text);
}

/* Write prefix-file, if that is wanted. */
static bool
write_file(const struct work *w)
{
	const struct settings *s = w->p->settings;
	size_t len;
	char *text;
	int rc;

	if (!w->c->save)
		return true;
	text = prefix_file_text(s->policy_lines, &len);
	rc = text == NULL ? -ENOMEM : w->p->loops.write(s->prefix_file, text, len);
	free(text);
	if (rc != 0)
		snprintf(w->error, HOST_ERROR, "prefix-file %s cannot be written: %s",
		    s->prefix_file, strerror(-rc));
	return rc == 0;
}

/* How many policies of PS have only prefixes that fail, of which the last stays. */
static size_t
n_held(const struct policies *ps)
{
	size_t n = 0;

	for (size_t i = 0; i < ps->n; i++)
		n += ps->table[i].held != POLICY_NONE_HELD;
	return n;
}

/* Log what follows for clients whose last prefix fails, too. */
static void
tell_held(size_t before, size_t now, size_t of)
{
	if (now > before)
		log_warn(LOG_CONFIG,
		    "no prefix passes prefix-check for %zu of %zu policies: the one that failed "
		    "last stays active",
		    now, of);
	else if (now == 0 && before > 0)
		log_notice(LOG_CONFIG, "no policy uses a prefix any more that fails prefix-check");
}

/*
 * Have the loops work by NEXT, the one way of all changes. W: by dns64ctl, and perhaps to be saved;
 * NULL: by reports. False: nothing is changed, and NEXT is still the caller's.
 */
static bool
use(struct prefixes *p, struct policies *next, const struct work *w)
{
	struct settings *s = p->settings;
	struct policies *before = s->conf.core.policies;
	bool ok;

	s->conf.core.policies = next;
	ok = p->loops.pack(p->loops.arg, s);
	/* The last that can fail. */
	if (ok && w != NULL && !write_file(w)) {
		p->loops.drop(p->loops.arg);
		ok = false;
	}
	if (!ok) {
		s->conf.core.policies = before;
		return false;
	}
	p->loops.post(p->loops.arg);
	/* Whatever was reported is in them. */
	p->since_ns = p->retry_ns = 0;
	tell_held(n_held(before), n_held(next), next->n);
	policies_unref(before);
	return true;
}

/* How many policies of S have PREFIX in another state than in BEFORE, or no more, or only now. */
static size_t
n_changed(const struct settings *s, const struct policies *before, const char *prefix)
{
	const struct policies *now = s->conf.core.policies;
	struct pref64 p;
	size_t n = 0;

	if (pref64_parse(prefix, &p) != PREF64_OK)
		return 0;
	for (size_t i = 0; i < now->n; i++)
		n += policy_state_of(&now->table[i], &p) != policy_state_of(&before->table[i], &p);
	return n;
}

static void
tell(const struct settings *s, const struct policies *before, const struct prefix_change *c)
{
	log_notice(LOG_CONFIG, "prefix %s %s%s%s: done, %s%s; changed for %zu of %zu policies",
	    prefix_change_word(c->what), c->prefix, c->client != NULL ? " client " : "",
	    c->client != NULL ? c->client : "", c->save ? "saved in " : "until the next reload",
	    c->save ? s->prefix_file : "", n_changed(s, before, c->prefix),
	    s->conf.core.policies->n);
}

/* Warn of policies that had an active prefix BEFORE, and have none any more. */
static void
warn_none(const struct settings *s, const struct policies *before)
{
	const struct policies *now = s->conf.core.policies;
	unsigned n = 0;

	for (size_t i = 0; i < now->n; i++) {
		const struct policy_lines_net *net =
		    policy_lines_at(s->policy_lines, i)->nets.items;
		char text[VALUE_NET_TEXT];

		if (now->table[i].synth.active_bits != 0 ||
		    before->table[i].synth.active_bits == 0 || ++n > NONE_TOLD)
			continue;
		log_warn(LOG_CONFIG, "no prefix is active: there is no DNS64 %s%s",
		    i == 0 ? "outside of client blocks" : "for client ",
		    i == 0 ? "" : value_net_format(&net[0].net, text));
	}
	if (n > NONE_TOLD)
		log_warn(LOG_CONFIG, "no prefix is active: there is no DNS64 in %u more blocks",
		    n - NONE_TOLD);
}

enum host_verdict
prefixes_change(struct prefixes *p, const struct prefix_change *c, char error[static HOST_ERROR])
{
	struct settings *s = p->settings;
	struct work w = { .p = p, .c = c, .error = error };
	struct diag d = { .file = p->path, .places = &s->places, .sink = keep, .ctx = &w };
	struct prefix_change_made made;
	struct policies *next, *before;

	error[0] = '\0';
	if (c->save && s->prefix_file[0] != '/') {
		snprintf(error, HOST_ERROR,
		    "there is no file to save it in; the keyword prefix-file names one, and takes "
		    "a restart");
		return HOST_UNABLE;
	}
	if (!prefix_change_make(s, c, time(NULL), &made, &d))
		return HOST_WRONG;
	next = prefix_change_policies(s, c, &d);
	before = policies_ref(s->conf.core.policies);
	if (next != NULL && use(p, next, &w)) {
		prefix_change_keep(s, &made);
		tell(s, before, c);
		warn_none(s, before);
		policies_unref(before);
		return HOST_DONE;
	}
	policies_unref(before);
	prefix_change_undo(&made);
	policies_unref(next);
	if (error[0] == '\0')
		snprintf(error, HOST_ERROR, "there is no memory for it");
	return next == NULL ? HOST_WRONG : HOST_UNABLE;
}

/* --- What is reported ------------------------------------------------------------------------- */

bool
prefixes_report(struct prefixes *p, const struct prefix_report *r, uint64_t now_ns)
{
	struct prefix_states *t = p->settings->prefix_states;

	if (t == NULL || !prefix_states_put(t, r))
		return false;
	if (p->since_ns == 0)
		p->since_ns = now_ns;
	return true;
}

bool
prefixes_due(const struct prefixes *p, uint64_t now_ns)
{
	return p->since_ns != 0 && now_ns >= p->retry_ns;
}

void
prefixes_settle(struct prefixes *p, uint64_t now_ns)
{
	const struct settings *s = p->settings;
	struct policies *next;

	if (!prefixes_due(p, now_ns) ||
	    (p->loops.pending(p->loops.arg) && now_ns - p->since_ns < PREFIXES_TAKE_MS * NS_PER_MS))
		return;
	next = policies_change_states(s, s->conf.core.policies);
	if (next != NULL && use(p, next, NULL))
		return;
	policies_unref(next);
	if (p->retry_ns == 0)
		log_error(LOG_CONFIG,
		    "no memory to have the loops work by what prefix-check reports: tried again "
		    "each second");
	p->retry_ns = now_ns + NS_PER_SEC;
}

/* --- A reload --------------------------------------------------------------------------------- */

/* The block of NEXT for block L of the settings before; NULL: there is none any more. */
static const struct policy_lines *
same_block(const struct settings *next, const struct policy_lines *l)
{
	const struct policy_lines_net *n = l->nets.items;

	return l->line == 0 ? policy_lines_at(next->policy_lines, 0)
			    : policy_lines_of(next->policy_lines, &n[0].net);
}

/* Log the prefixes of BEFORE that AFTER does not have, or has in another state. */
static void
tell_gone(const struct array *before, const struct array *after, const char *where)
{
	const struct policy_lines_prefix *p = before->items;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < before->n; i++) {
		const struct policy_lines_prefix *q = policy_lines_find(after, &p[i].prefix);

		if (q == NULL)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is not there any more",
			    pref64_format(&p[i].prefix, text), where);
		else if (q->state != p[i].state)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is %s again",
			    pref64_format(&p[i].prefix, text), where, policy_state_word(q->state));
	}
}

/* Log the prefixes of AFTER that BEFORE does not have. */
static void
tell_back(const struct array *before, const struct array *after, const char *where)
{
	const struct policy_lines_prefix *p = after->items;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < after->n; i++) {
		if (policy_lines_find(before, &p[i].prefix) == NULL)
			log_notice(LOG_CONFIG, "undoes dns64ctl prefix: %s%s is there again",
			    pref64_format(&p[i].prefix, text), where);
	}
}

/* Log the states of prefixes in map lines of block L of NOW that NEXT, of which TO is that block,
 * has not. */
static void
tell_vias(const struct settings *next, const struct policy_lines *l, const struct policy_lines *to,
    const char *where)
{
	const struct policy_lines_prefix *p = l->vias.items, *q;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < l->vias.n; i++) {
		enum policy_state state;

		q = policy_lines_via(next->policy_lines, to, &p[i].prefix);
		state = q != NULL ? q->state : POLICY_ACTIVE;
		if (state != p[i].state)
			log_notice(LOG_CONFIG,
			    "undoes dns64ctl prefix: %s of map lines%s is %s again",
			    pref64_format(&p[i].prefix, text), where, policy_state_word(state));
	}
}

void
prefixes_tell_undone(const struct settings *now, const struct settings *next)
{
	for (size_t i = 0; i < now->policy_lines->all.n; i++) {
		const struct policy_lines *l = policy_lines_at(now->policy_lines, i), *to;
		const struct policy_lines_net *n = l->nets.items;
		const struct array *before, *after;
		char where[VALUE_NET_TEXT + 16] = "", net[VALUE_NET_TEXT];

		if (l->told == 0)
			continue;
		to = same_block(next, l);
		if (to == NULL)
			continue; /* its clients are others' */
		if (i > 0)
			snprintf(
			    where, sizeof(where), " (client %s)", value_net_format(&n[0].net, net));
		before = policy_lines_in_force(now->policy_lines, l);
		after = policy_lines_in_force(next->policy_lines, to);
		tell_gone(before, after, where);
		tell_back(before, after, where);
		tell_vias(next, l, to, where);
	}
}
