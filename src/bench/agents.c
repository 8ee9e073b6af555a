/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/agents.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/remote.h"

#define LOOK_MS 20 /* between two checks whether to stop */
#define TIMEOUTS 4 /* a trial lasts no longer than asking, and those, and */
#define RESERVE_NS (10 * NS_PER_SEC)
#define AHEAD_NS (500 * NS_PER_MS) /* of the start, so that all know it in time */
#define AHEAD_ALONE_NS (50 * NS_PER_MS)

struct agent {
	struct bench_remote g;

	/* Of the last trial */
	bool takes_part;
	uint64_t share; /* questions it was to ask; UINT64_MAX: as many as it can */

	/* Of all trials at a rate */
	struct bench_tally total;
	uint64_t unsure_most_ns;
	unsigned n_trials, n_spoilt;
	double cpu, stolen;             /* the most of a trial */
	char fault[BENCH_REMOTE_FAULT]; /* the last one */
};

struct bench_agents {
	struct bench_secret secret;
	unsigned n;
	unsigned chosen;        /* asks in closed loops */
	struct bench_plan plan; /* of the trial that runs */
	bool lasting;           /* it is a long one */
	struct agent agent[];
};

/* --- Life ------------------------------------------------------------------------------------- */

/* The connection to G has failed. */
static bool
lost(const struct bench_remote *g, char error[static BENCH_AGENTS_ERROR])
{
	(void)snprintf(error, BENCH_AGENTS_ERROR, "agent %s: %s", g->at.name, g->c.error);
	return false;
}

/* Reach all agents that are not connected. */
static bool
reach_all(struct bench_agents *a, const atomic_bool *stop, char error[static BENCH_AGENTS_ERROR])
{
	for (unsigned i = 0; i < a->n; i++) {
		struct bench_remote *g = &a->agent[i].g;

		if (g->c.fd < 0 && !bench_remote_reach(g, &a->secret, stop))
			return lost(g, error);
	}
	return true;
}

/* Those of LIST, which are not connected yet. False: it is no such list. */
static bool
take_list(struct bench_agents *a, const char *list)
{
	struct bench_remote_place place;

	while (*list != '\0' && a->n < BENCH_TESTERS_MAX) {
		struct agent *at = &a->agent[a->n];

		if (!bench_remote_parse(&list, &place))
			return false;
		bench_remote_init(&at->g, &place);
		bench_tally_clear(&at->total);
		a->n++;
	}
	return *list == '\0' && a->n > 0;
}

struct bench_agents *
bench_agents_open(const char *list, const char *secret, const atomic_bool *stop,
    char error[static BENCH_AGENTS_ERROR])
{
	struct bench_agents *a = calloc(1, sizeof(*a) + BENCH_TESTERS_MAX * sizeof(a->agent[0]));

	(void)snprintf(error, BENCH_AGENTS_ERROR, "%s",
	    a == NULL ? "no memory for agents" : "this is no list of agents");
	if (a != NULL && take_list(a, list) && bench_secret_read(secret, &a->secret, error) &&
	    reach_all(a, stop, error))
		return a;
	bench_agents_free(a);
	return NULL;
}

void
bench_agents_free(struct bench_agents *a)
{
	for (unsigned i = 0; a != NULL && i < a->n; i++)
		bench_channel_close(&a->agent[i].g.c);
	free(a);
}

unsigned
bench_agents_count(const struct bench_agents *a)
{
	return a->n;
}

/* --- Before a trial --------------------------------------------------------------------------- */

/* Agent I of N asks from networks of its own. */
static void
deal_networks(struct bench_clients *c, unsigned i, unsigned n)
{
	unsigned dealt = 0;

	for (; i < c->n; i += n)
		c->network[dealt++] = c->network[i];
	c->n = dealt;
}

/* Agent I's part of PLAN; *share is how many questions that is. */
static struct bench_plan
part_of(const struct bench_agents *a, unsigned i, const struct bench_plan *plan, uint64_t *share)
{
	struct bench_plan its = *plan;

	if (plan->rate > 0) {
		its.testers = a->n;
		its.tester = i;
	}
	deal_networks(&its.clients, i, a->n);
	unsigned turns = bench_plan_turns(&its);
	*share = plan->n_questions == UINT64_MAX ? UINT64_MAX : 0;
	for (unsigned k = 0; k < its.n_threads && plan->n_questions != UINT64_MAX; k++)
		*share += plan->n_questions / turns +
		    (bench_plan_turn(&its, k) < plan->n_questions % turns);
	return its;
}

/* Tell all who take part their parts; while one opens its sockets the next one is told. */
static bool
hand_out(struct bench_agents *a, char error[static BENCH_AGENTS_ERROR])
{
	const struct bench_plan *plan = &a->plan;

	for (unsigned i = 0; i < a->n; i++) {
		struct agent *at = &a->agent[i];
		struct bench_plan its = part_of(a, i, plan, &at->share);

		bench_remote_forget(&at->g);
		at->takes_part = plan->rate > 0 || i == a->chosen;
		if (at->takes_part && !bench_remote_hand(&at->g, &its))
			return lost(&at->g, error);
	}
	return true;
}

/* They have got ready, and we know their clocks. */
static bool
await_all(struct bench_agents *a, const atomic_bool *stop, char error[static BENCH_AGENTS_ERROR])
{
	for (unsigned i = 0; i < a->n; i++) {
		struct agent *at = &a->agent[i];

		if (at->takes_part && !bench_remote_ready(&at->g, stop))
			return lost(&at->g, error);
	}
	for (unsigned i = 0; i < a->n; i++) {
		struct agent *at = &a->agent[i];

		if (at->takes_part && !bench_remote_clock(&at->g, stop))
			return lost(&at->g, error);
	}
	return true;
}

/* --- The trial -------------------------------------------------------------------------------- */

/* Wait until something has come, or for a moment. True: an agent is still at work. */
static bool
wait_for_any(const struct bench_agents *a)
{
	struct pollfd p[BENCH_TESTERS_MAX];
	nfds_t n = 0;

	for (unsigned i = 0; i < a->n; i++) {
		if (a->agent[i].g.asked)
			p[n++] = (struct pollfd){ .fd = a->agent[i].g.c.fd, .events = POLLIN };
	}
	if (n > 0)
		(void)poll(p, n, LOOK_MS);
	return n > 0;
}

/* Without one of them the others need not go on. */
static void
follow(struct bench_agents *a, const atomic_bool *stop)
{
	bool told = false;

	while (wait_for_any(a)) {
		bool end = *stop;

		for (unsigned i = 0; i < a->n; i++) {
			bench_remote_hear(&a->agent[i].g);
			end |= a->agent[i].g.fault[0] != '\0';
		}
		for (unsigned i = 0; end && !told && i < a->n; i++)
			bench_remote_stop(&a->agent[i].g);
		told |= end;
	}
}

/* --- What became of it ------------------------------------------------------------------------ */

/* What went wrong on the agent itself; nothing of that says anything about the server. */
static void
judge(struct agent *at, const struct bench_agents *a, bool cut)
{
	struct bench_remote *g = &at->g;
	const struct bench_tally *t = &g->tally;
	uint64_t done = t->sent + t->paused + t->faults.unsent;

	if (t->pauses > 0 && !a->lasting)
		bench_remote_blame(g,
		    "it was kept from running %" PRIu64 " times, for %.3g s in all", t->pauses,
		    (double)t->pause_ns / (double)NS_PER_SEC);
	if (t->faults.dropped > 0)
		bench_remote_blame(
		    g, "%" PRIu64 " replies were dropped for want of room", t->faults.dropped);
	if (t->faults.no_port > 0)
		bench_remote_blame(g,
		    "%" PRIu64 " times there was no port or descriptor for a connection",
		    t->faults.no_port);
	if (t->no_room == 0 && t->faults.unsent > 0)
		bench_remote_blame(g, "%" PRIu64 " questions could not be sent", t->faults.unsent);
	if (t->no_room == 0 && t->lag.max_ns > a->plan.timeout_ns / BENCH_PACE_LAG)
		bench_remote_blame(g, "the pace was not kept: a question left %.3g ms late",
		    (double)t->lag.max_ns / (double)NS_PER_MS);
	if (!cut && at->share != UINT64_MAX && done != at->share)
		bench_remote_blame(
		    g, "it asked %" PRIu64 " of %" PRIu64 " questions", done, at->share);
}

/* Keep what the table of all trials tells. */
static void
keep(struct agent *at)
{
	const struct bench_remote *g = &at->g;

	at->n_trials++;
	bench_tally_merge(&at->total, &g->tally);
	at->unsure_most_ns = g->unsure_ns > at->unsure_most_ns ? g->unsure_ns : at->unsure_most_ns;
	at->cpu = g->cpu > at->cpu ? g->cpu : at->cpu;
	at->stolen = g->stolen > at->stolen ? g->stolen : at->stolen;
	if (g->fault[0] == '\0')
		return;
	at->n_spoilt++;
	memcpy(at->fault, g->fault, sizeof(at->fault));
}

/* CUT: it was stopped, so that nobody asked all of his questions. */
static void
conclude(struct bench_agents *a, bool cut)
{
	for (unsigned i = 0; i < a->n; i++)
		cut |= a->agent[i].g.fault[0] != '\0';
	for (unsigned i = 0; i < a->n && a->plan.rate > 0; i++) {
		judge(&a->agent[i], a, cut);
		keep(&a->agent[i]);
	}
}

/* The parts that have come. */
static void
collect(struct bench_agents *a, struct bench_tally *sum)
{
	bench_tally_clear(sum);
	for (unsigned i = 0; i < a->n; i++) {
		struct bench_remote *g = &a->agent[i].g;

		if (g->has_part)
			bench_tally_merge(sum, &g->part);
		g->has_part = false;
	}
}

/* --- A trial ---------------------------------------------------------------------------------- */

/* How long it takes at most: a question may wait for room, for its answer, and then for a late one.
 */
static uint64_t
longest_ns(const struct bench_plan *p)
{
	uint64_t asking_ns = p->duration_ns;

	if (p->rate > 0 && p->n_questions / p->rate < asking_ns / NS_PER_SEC)
		asking_ns = (p->n_questions / p->rate + 1) * NS_PER_SEC;
	uint64_t rest_ns = TIMEOUTS * (p->timeout_ns + bench_plan_pause(p)) + RESERVE_NS;
	return asking_ns < UINT64_MAX - rest_ns ? asking_ns + rest_ns : UINT64_MAX;
}

bool
bench_agents_start(struct bench_agents *a, const struct bench_plan *plan, uint64_t first,
    uint64_t n, bool lasting, const atomic_bool *stop, char error[static BENCH_AGENTS_ERROR])
{
	uint64_t start_ns;

	a->plan = *plan;
	a->plan.first = first;
	a->plan.n_questions = n;
	a->lasting = lasting;
	if (!reach_all(a, stop, error) || !hand_out(a, error) || !await_all(a, stop, error)) {
		/* What the others say to that is not for the next trial. */
		for (unsigned i = 0; i < a->n; i++)
			bench_channel_close(&a->agent[i].g.c);
		return *stop; /* nothing was asked, then */
	}
	start_ns = clock_now_ns() + (plan->rate > 0 ? AHEAD_NS : AHEAD_ALONE_NS);
	for (unsigned i = 0; i < a->n; i++) {
		if (a->agent[i].takes_part)
			bench_remote_start(&a->agent[i].g, start_ns, longest_ns(&a->plan));
	}
	return true;
}

bool
bench_agents_all_ask(struct bench_agents *a)
{
	bool all = true;

	for (unsigned i = 0; i < a->n; i++) {
		bench_remote_hear(&a->agent[i].g);
		all &= a->agent[i].g.asked;
	}
	return all;
}

/* Those whose trial has ended have no more to tell than what has come. */
void
bench_agents_take(struct bench_agents *a, struct bench_tally *sum)
{
	bool all = false;

	for (unsigned i = 0; i < a->n; i++) {
		if (!a->agent[i].g.has_part)
			bench_remote_take(&a->agent[i].g);
	}
	while (!all) {
		all = true;
		(void)wait_for_any(a);
		for (unsigned i = 0; i < a->n; i++) {
			struct bench_remote *g = &a->agent[i].g;

			bench_remote_hear(g);
			all &= g->has_part || !g->asked;
		}
	}
	collect(a, sum);
}

void
bench_agents_join(struct bench_agents *a, const atomic_bool *stop, struct bench_tally *sum)
{
	follow(a, stop);
	conclude(a, *stop);
	collect(a, sum);
	for (unsigned i = 0; i < a->n; i++)
		sum->spoilt += a->agent[i].g.fault[0] != '\0';
}

bool
bench_agents_trial(struct bench_agents *a, const struct bench_plan *plan, uint64_t first,
    uint64_t n, const atomic_bool *stop, struct bench_tally *sum,
    char error[static BENCH_AGENTS_ERROR])
{
	bench_tally_clear(sum);
	if (!bench_agents_start(a, plan, first, n, false, stop, error))
		return false;
	bench_agents_join(a, stop, sum);
	return true;
}

/* --- Telling ---------------------------------------------------------------------------------- */

const char *
bench_agents_name(const struct bench_agents *a, unsigned i)
{
	return a->agent[i].g.at.name;
}

const char *
bench_agents_fault(const struct bench_agents *a, unsigned i)
{
	return a->agent[i].g.fault[0] != '\0' ? a->agent[i].g.fault : NULL;
}

void
bench_agents_choose(struct bench_agents *a, unsigned i)
{
	a->chosen = i;
}

static json_t *
row_of(const struct agent *at)
{
	const struct bench_tally *t = &at->total;

	return json_pack("[s,I,I,I,I,I,I,I,f,f,f,f,f,I]", at->g.at.name, (json_int_t)t->sent,
	    (json_int_t)t->replies[BENCH_VALID], (json_int_t)bench_tally_wrong(t),
	    (json_int_t)t->late, (json_int_t)(t->overdue - t->late), (json_int_t)t->faults.dropped,
	    (json_int_t)t->pauses, (double)t->lag.max_ns / 1000, (double)at->g.offset_ns / 1000,
	    (double)at->unsure_most_ns / 1000, at->cpu, at->stolen, (json_int_t)at->n_spoilt);
}

/* What was wrong with an agent, and what became of that. */
static void
find_faults(const struct agent *at, struct bench_run *r)
{
	const struct bench_tally *t = &at->total;
	char name[BENCH_REMOTE_TEXT + 8];

	(void)snprintf(name, sizeof(name), "agent %s", at->g.at.name);
	if (at->n_spoilt > 0)
		bench_run_find(r, name,
		    json_sprintf("spoilt %u of %u trials, the last since: %s", at->n_spoilt,
			at->n_trials, at->fault),
		    "");
	else if (t->pauses > 0)
		bench_run_find(r, name,
		    json_sprintf("kept from running %" PRIu64 " times, for %.3g s in all: %" PRIu64
				 " questions taken out",
			t->pauses, (double)t->pause_ns / (double)NS_PER_SEC, t->paused),
		    "");
}

void
bench_agents_put(const struct bench_agents *a, struct bench_run *r)
{
	static const struct bench_column columns[] = {
		{ "agent", "agent", "", 0 },
		{ "sent", "sent", "", 0 },
		{ "valid", "valid", "", 0 },
		{ "wrong", "wrong", "", 0 },
		{ "late", "late", "", 0 },
		{ "lost", "lost", "", 0 },
		{ "dropped", "dropped there", "", 0 },
		{ "pauses", "pauses", "", 0 },
		{ "lag_max", "lag max (us)", "", 0 },
		{ "clock_offset", "clock (us)", "", 1 },
		{ "clock_unsure", "+- (us)", "", 1 },
		{ "cpu", "CPU (%)", "", 1 },
		{ "stolen", "stolen (%)", "", 1 },
		{ "spoilt", "spoilt trials", "", 0 },
	};
	struct bench_table *t =
	    bench_run_table(r, "agents", "Agents", columns, sizeof(columns) / sizeof(columns[0]));

	for (unsigned i = 0; i < a->n; i++) {
		bench_table_add(t, row_of(&a->agent[i]));
		find_faults(&a->agent[i], r);
	}
}
