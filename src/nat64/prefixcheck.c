/* SPDX-License-Identifier: BSD-2-Clause */
#include "nat64/prefixcheck.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "config/checks.h"
#include "nat64/probe.h"
#include "nat64/targets.h"

/* A target under a prefix, in a round. */
struct asked {
	struct probe probe;
	struct prefixcheck *all; /* borrowed: what it is part of, as the next */
	struct targets_group *group;
	size_t target; /* its index in the group, as the next */
	size_t prefix;
};

enum phase {
	IDLE,  /* there is nothing to ask */
	WAITS, /* for the next round */
	ASKS   /* a round is under way */
};

struct prefixcheck {
	struct prefixes *prefixes; /* borrowed */
	struct event_base *base;   /* borrowed */
	struct event *timer;       /* owned: of the next round, or of the end of this one */
	struct rng rng;
	struct targets targets;
	struct asked *asked; /* owned: targets.n_pairs */
	size_t n_open;       /* of these, probes that run */
	uint64_t next_ns;    /* when the next round begins */
	enum phase phase;
	bool renew; /* before the next round: see prefixcheck_renew */
};

static const struct settings *
settings_of(const struct prefixcheck *c)
{
	return c->prefixes->settings;
}

static void
set_timer(const struct prefixcheck *c, uint64_t ns)
{
	uint64_t us = (ns + 999) / 1000;
	const struct timeval wait = { .tv_sec = (time_t)(us / 1000000),
		.tv_usec = (suseconds_t)(us % 1000000) };

	(void)evtimer_add(c->timer, &wait);
}

/* --- What comes of a round -------------------------------------------------------------------- */

/* A target answers again, or nowhere any more: its own fault. */
static void
on_target(void *arg, const struct targets_group *g, size_t i)
{
	const struct targets_target *t = &g->targets[i];
	char text[CHECKS_TEXT];

	(void)arg;
	checks_format(&t->check, text);
	if (health_passes(&t->health))
		log_notice(LOG_CONFIG, "prefix-check %s answers again", text);
	else
		log_warn(LOG_CONFIG,
		    "prefix-check %s answers under no prefix: no prefix is down because of it",
		    text);
}

/* A prefix is up or down by its probes: report it. */
static void
on_prefix(void *arg, const struct targets_group *g, size_t k)
{
	struct prefixcheck *c = arg;
	const struct targets_prefix *p = &g->prefixes[k];
	bool up = health_passes(&p->health);
	struct prefix_report r = { .group = g->key,
		.prefix = p->prefix,
		.cause = POLICY_PROBE,
		.state = up ? POLICY_ACTIVE : POLICY_DOWN,
		.since = (uint64_t)time(NULL) };
	char text[PREF64_TEXT];

	pref64_format(&p->prefix, text);
	memcpy(r.why, p->why, sizeof(r.why));
	if (up)
		log_notice(LOG_CONFIG, "prefix %s is up by prefix-check", text);
	else
		log_warn(LOG_CONFIG, "prefix %s is down by prefix-check: %s", text, p->why);
	if (!prefixes_report(c->prefixes, &r, clock_now_ns()))
		log_error(LOG_CONFIG, "no memory to note that of prefix %s", text);
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* Until the next round, from the beginning of this one: a tenth less at most, by chance, so that
 * machines with the same configuration do not ask together. */
static uint64_t
interval_ns(struct prefixcheck *c)
{
	uint32_t ms = settings_of(c)->check_interval_ms;

	return (ms - rng_below(&c->rng, ms / 10 + 1)) * NS_PER_MS;
}

/* Let what is reported of the prefixes of G have their last errors, which change nothing. */
static void
note_errors(const struct prefixcheck *c, const struct targets_group *g)
{
	for (size_t k = 0; k < g->n_prefixes; k++) {
		const struct targets_prefix *p = &g->prefixes[k];
		struct prefix_report *r = p->health.state == HEALTH_UP
		    ? NULL
		    : prefix_states_find(
			  settings_of(c)->prefix_states, POLICY_PROBE, g->key, &p->prefix);

		if (r != NULL)
			memcpy(r->why, p->why, sizeof(r->why));
	}
}

static void
end_round(struct prefixcheck *c)
{
	const struct health_rules rules = { .fall = settings_of(c)->check_fall,
		.rise = settings_of(c)->check_rise };
	const struct targets_tell tell = { .target = on_target, .prefix = on_prefix, .arg = c };
	uint64_t now = clock_now_ns();

	for (size_t i = 0; i < c->targets.n; i++) {
		targets_end_round(&c->targets.groups[i], &rules, now, &tell);
		note_errors(c, &c->targets.groups[i]);
	}
	c->phase = WAITS;
	set_timer(c, c->next_ns > now ? c->next_ns - now : 0);
}

/* The probe P has ended: for the reason WHY, or answered (NULL). */
static void
on_end(struct probe *p, const char *why)
{
	struct asked *a = (struct asked *)p; /* its first member */

	if (why == NULL)
		targets_answer(a->group, a->target, a->prefix);
	else
		targets_fail(a->group, a->target, a->prefix, why);
	if (p->starved)
		targets_skip(a->group, a->prefix);
	if (--a->all->n_open == 0)
		end_round(a->all);
}

/* Does report R belong to a group and prefix that are still asked? */
static bool
is_asked(const void *arg, const struct prefix_report *r)
{
	const struct targets_group *g = targets_find(arg, r->group);

	return g != NULL && targets_find_prefix(g, &r->prefix) >= 0;
}

/* Let each target under each prefix have its place. */
static void
place_all(struct prefixcheck *c)
{
	struct asked *a = c->asked;

	for (size_t i = 0; i < c->targets.n; i++) {
		struct targets_group *g = &c->targets.groups[i];

		for (size_t k = 0; k < g->n_prefixes * g->n_targets; k++, a++)
			*a = (struct asked){ .all = c,
				.group = g,
				.target = k % g->n_targets,
				.prefix = k / g->n_targets };
	}
}

/*
 * Report the prefixes of G that nothing was reported of: they are up, or as other targets found
 * them. So all that are checked have a report, though the states in force do not change.
 */
static void
report_new(const struct prefixcheck *c, const struct targets_group *g)
{
	struct prefix_states *states = settings_of(c)->prefix_states;

	for (size_t k = 0; k < g->n_prefixes && states != NULL; k++) {
		const struct prefix_report r = { .group = g->key,
			.prefix = g->prefixes[k].prefix,
			.cause = POLICY_PROBE,
			.state = POLICY_ACTIVE,
			.since = (uint64_t)time(NULL) };

		if (prefix_states_find(states, r.cause, r.group, &r.prefix) != NULL)
			continue;
		if (!(health_passes(&g->prefixes[k].health)
			    ? prefix_states_put(states, &r)
			    : prefix_states_adopt(states, r.cause, r.group, &r.prefix)))
			return; /* no memory: it is shown once something changes */
	}
}

/* Ask by what the settings are now. Without memory it is as before, and tried again later. */
static void
renew(struct prefixcheck *c)
{
	struct asked *asked;

	if (!targets_make(&c->targets, settings_of(c)))
		return;
	c->renew = false;
	if (c->targets.cut)
		log_warn(LOG_CONFIG,
		    "prefix-check has more than %d targets under prefixes: the others are not "
		    "asked",
		    TARGETS_MOST);
	asked = calloc(c->targets.n_pairs + 1, sizeof(*asked));
	free(c->asked);
	c->asked = asked;
	if (asked == NULL) {
		targets_fini(&c->targets);
		log_error(LOG_CONFIG, "no memory for prefix-check: nothing is asked");
	}
	place_all(c);
	for (size_t i = 0; i < c->targets.n; i++)
		report_new(c, &c->targets.groups[i]);
	/* Policies may work by what is dropped. */
	if (c->prefixes->settings->prefix_states != NULL &&
	    prefix_states_drop(
		c->prefixes->settings->prefix_states, POLICY_PROBE, is_asked, &c->targets) > 0 &&
	    c->prefixes->since_ns == 0)
		c->prefixes->since_ns = clock_now_ns();
}

static void
begin_round(struct prefixcheck *c)
{
	uint64_t now = clock_now_ns();

	if (c->renew)
		renew(c);
	if (c->targets.n_pairs == 0) {
		c->phase = IDLE;
		if (c->renew)
			set_timer(c, NS_PER_SEC); /* there was no memory */
		return;
	}
	c->phase = ASKS;
	c->next_ns = now + interval_ns(c);
	c->n_open = c->targets.n_pairs;
	set_timer(c, settings_of(c)->check_timeout_ms * NS_PER_MS);
	for (size_t i = 0; i < c->targets.n_pairs; i++) {
		struct asked *a = &c->asked[i];

		probe_start(&a->probe, c->base, &a->group->targets[a->target].check,
		    &a->group->prefixes[a->prefix].prefix, &c->rng, on_end);
	}
}

/* The time of the round is over: what has not answered has failed. */
static void
stop_probes(struct prefixcheck *c)
{
	for (size_t i = 0; i < c->targets.n_pairs && c->n_open > 0; i++) {
		struct asked *a = &c->asked[i];
		const char *why = probe_stop(&a->probe);

		if (why == NULL)
			continue;
		targets_fail(a->group, a->target, a->prefix, why);
		c->n_open--;
	}
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct prefixcheck *c = arg;

	(void)fd;
	(void)what;
	if (c->phase == ASKS) {
		stop_probes(c);
		end_round(c);
	} else {
		begin_round(c);
	}
}

/* --- All of it -------------------------------------------------------------------------------- */

struct prefixcheck *
prefixcheck_new(struct event_base *base, struct prefixes *p)
{
	struct prefixcheck *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->prefixes = p;
	c->base = base;
	c->renew = true;
	rng_init(&c->rng);
	c->timer = evtimer_new(base, on_timer, c);
	if (c->timer == NULL) {
		free(c);
		return NULL;
	}
	set_timer(c, 0);
	return c;
}

void
prefixcheck_free(struct prefixcheck *c)
{
	if (c == NULL)
		return;
	if (c->phase == ASKS)
		stop_probes(c);
	event_free(c->timer);
	targets_fini(&c->targets);
	free(c->asked);
	free(c);
}

void
prefixcheck_renew(struct prefixcheck *c)
{
	if (c == NULL)
		return;
	c->renew = true;
	if (c->phase == IDLE) {
		set_timer(c, 0);
	} else if (c->phase == WAITS) {
		uint64_t now = clock_now_ns(), next = now + interval_ns(c);

		/* The interval may be shorter than the one that is waited for. */
		c->next_ns = next < c->next_ns ? next : c->next_ns;
		set_timer(c, c->next_ns > now ? c->next_ns - now : 0);
	}
}
