/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/plan.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

#define PAUSE_PART 10         /* of the timeout */
#define CLOSED_MEMORY 262144  /* questions that the clients of a thread remember, in all */
#define CLOSED_CAPACITY 65536 /* and one client at most, unless its window is larger */
#define CLIENT_CAPACITY 4096  /* questions that a client of a recording may have open at least */

const struct bench_transport *
bench_plan_transport(const char *name)
{
	static const struct bench_transport *const all[] = { &bench_udp, &bench_tcp };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return NULL;
}

unsigned
bench_plan_window(const struct bench_plan *p)
{
	return p->window > 0 ? p->window : p->transport->window;
}

uint64_t
bench_plan_pause(const struct bench_plan *p)
{
	return p->pause_ns > 0 ? p->pause_ns : p->timeout_ns / PAUSE_PART;
}

struct netaddr
bench_plan_source(const struct bench_plan *p, unsigned thread, unsigned lane)
{
	return bench_clients_address(&p->clients, (uint64_t)thread * p->n_lanes + lane);
}

unsigned
bench_plan_lane(const struct bench_plan *p, uint64_t n)
{
	uint64_t recorded = bench_load_question(&p->load, p->first + n).number;

	return bench_replay_at(p->load.replay, recorded)->client % p->n_lanes;
}

unsigned
bench_plan_batch(const struct bench_plan *p)
{
	return p->clients.n > 0 && p->rate > 0 ? 1 : BENCH_BATCH;
}

uint64_t
bench_plan_crowd(const struct bench_plan *p, uint32_t rate)
{
	return rate / 1000 + (p->burst > BENCH_CROWD ? p->burst : BENCH_CROWD);
}

uint64_t
bench_plan_questions(const struct bench_plan *p, double seconds)
{
	if (p->timing == NULL)
		return (uint64_t)(seconds * p->rate / (p->ramp_ns > 0 ? 2 : 1));
	return bench_replay_due(p->timing, (uint64_t)(seconds * (double)NS_PER_SEC) - 1);
}

/*
 * Nobody knows how many questions such a client will ask in a timeout. With few clients many are
 * remembered, so that late replies are known and a lost question does not hold up those behind it.
 */
static uint64_t
closed_capacity(const struct bench_plan *p)
{
	uint64_t share = CLOSED_MEMORY / p->n_lanes, least = 4 * (uint64_t)bench_plan_window(p);

	share = share < CLOSED_CAPACITY ? share : CLOSED_CAPACITY;
	return share > least ? share : least;
}

uint64_t
bench_plan_capacity(const struct bench_plan *p)
{
	if (p->rate == 0)
		return closed_capacity(p);
	uint64_t ms = p->timeout_ns / NS_PER_MS + 100; /* and a reserve for pauses of this thread */

	uint64_t n = p->timing != NULL ? bench_replay_peak(p->timing, 2 * ms * NS_PER_MS)
				       : 2 * ms * p->rate / 1000 + p->burst;

	/* One client may ask more than others: as much memory as all have that ask alike, and more.
	 */
	if (p->by_client && n / p->n_lanes < CLIENT_CAPACITY)
		return (n < CLIENT_CAPACITY ? n : CLIENT_CAPACITY) + 2 * BENCH_BATCH;
	return n / p->n_threads / p->n_lanes + 2 * BENCH_BATCH;
}

/* --- Times ------------------------------------------------------------------------------------ */

struct bench_pace
bench_pace_of(const struct bench_plan *p, uint32_t rate, uint64_t start_ns)
{
	return (struct bench_pace){ .start_ns = start_ns,
		.rate = rate,
		.burst = p->burst,
		.timing = p->timing,
		.arrivals = p->arrivals,
		.ramp_ns = p->ramp_ns };
}

/* Whole seconds and the rest separately: no product can overflow, and only the last step rounds. */
static uint64_t
even_time(const struct bench_pace *p, uint64_t n)
{
	return p->start_ns + n / p->rate * NS_PER_SEC + n % p->rate * NS_PER_SEC / p->rate;
}

/* Half of what RATE would be in RAMP_NS: after a part of it, the square of that part of these. */
static double
ramp_total(const struct bench_pace *p)
{
	return (double)p->rate * (double)p->ramp_ns / (double)NS_PER_SEC / 2;
}

uint64_t
bench_pace_time(const struct bench_pace *p, uint64_t n)
{
	if (p->timing != NULL)
		return p->start_ns + bench_replay_time(p->timing, n);
	if (p->arrivals != NULL)
		return even_time(p, n - n % BENCH_ARRIVALS) +
		    (uint64_t)(p->arrivals->at[n % BENCH_ARRIVALS] * (double)NS_PER_SEC / p->rate);
	if (p->ramp_ns > 0)
		return p->start_ns +
		    (uint64_t)((double)p->ramp_ns * sqrt((double)n / ramp_total(p)));
	return even_time(p, n - n % p->burst);
}

/* How many questions are due, if they are due in turn, from LOW on, which is, to HIGH, which is
 * not.
 */
static uint64_t
search_due(const struct bench_pace *p, uint64_t now_ns, uint64_t low, uint64_t high)
{
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (bench_pace_time(p, middle) <= now_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Up to rounding, which is less than a question. */
static uint64_t
ramp_due(const struct bench_pace *p, uint64_t now_ns)
{
	double part = (double)(now_ns - p->start_ns) / (double)p->ramp_ns;
	uint64_t n = (uint64_t)(part * part * ramp_total(p));

	return search_due(p, now_ns, n > 0 ? n - 1 : 0, n + 2);
}

uint64_t
bench_pace_due(const struct bench_pace *p, uint64_t now_ns)
{
	if (now_ns < p->start_ns)
		return 0;
	uint64_t past_ns = now_ns - p->start_ns;
	if (p->timing != NULL)
		return bench_replay_due(p->timing, past_ns);
	if (p->ramp_ns > 0)
		return ramp_due(p, now_ns);
	/* Question N is due at floor(N * 10^9 / rate), so N <= ((past + 1) * rate - 1) / 10^9. */
	uint64_t n = past_ns / NS_PER_SEC * p->rate +
	    ((past_ns % NS_PER_SEC + 1) * p->rate - 1) / NS_PER_SEC + 1;

	if (p->arrivals != NULL) { /* as many rounds of them are over as if they were due evenly */
		n = (n - 1) / BENCH_ARRIVALS * BENCH_ARRIVALS;
		return search_due(p, now_ns, n, n + BENCH_ARRIVALS);
	}
	return (n + p->burst - 1) / p->burst * p->burst;
}

struct bench_turns
bench_turns_of(const struct bench_plan *p, unsigned index, uint64_t start_ns)
{
	struct bench_turns t = { .pace = bench_pace_of(p, p->rate, start_ns),
		.index = index,
		.n_threads = p->n_threads,
		.share = p->n_questions / p->n_threads + (index < p->n_questions % p->n_threads),
		.until_ns = p->duration_ns < UINT64_MAX - start_ns ? start_ns + p->duration_ns
								   : UINT64_MAX };

	if (p->rate == 0)
		return t;
	uint64_t batch_ns = (uint64_t)BENCH_BATCH * p->n_threads * NS_PER_SEC / p->rate,
		 crowd_ns = BENCH_CROWD * NS_PER_SEC / p->rate;
	t.slack_ns = batch_ns < BENCH_SLACK_NS ? batch_ns : BENCH_SLACK_NS;
	t.credit_ns = crowd_ns > t.slack_ns ? crowd_ns : t.slack_ns;
	return t;
}

uint64_t
bench_turns_question(const struct bench_turns *t, uint64_t k)
{
	return t->index + k * t->n_threads;
}

uint64_t
bench_turns_time(const struct bench_turns *t, uint64_t k)
{
	return bench_pace_time(&t->pace, bench_turns_question(t, k));
}

uint64_t
bench_turns_since(
    const struct bench_turns *t, const struct bench_plan *p, uint64_t k, uint64_t now_ns)
{
	return p->rate == 0 || bench_plan_window(p) == 0 ? now_ns : bench_turns_time(t, k);
}

uint64_t
bench_turns_due(const struct bench_turns *t, uint64_t now_ns)
{
	uint64_t due = bench_pace_due(&t->pace, now_ns < t->until_ns ? now_ns : t->until_ns - 1);
	uint64_t mine = due > t->index ? (due - t->index - 1) / t->n_threads + 1 : 0;

	return mine < t->share ? mine : t->share;
}

/* At NOW_NS the questions that were due by this time may have left. */
static uint64_t
budget(const struct bench_turns *t, uint64_t now_ns)
{
	return t->behind_due_ns + 2 * (now_ns > t->behind_ns ? now_ns - t->behind_ns : 0);
}

uint64_t
bench_turns_begun(const struct bench_turns *t)
{
	if (t->pace.burst <= 1 || t->n_asked == 0)
		return t->n_asked;
	uint64_t last = bench_turns_question(t, t->n_asked - 1);
	uint64_t next = last - last % t->pace.burst + t->pace.burst;

	return (next - t->index - 1) / t->n_threads + 1;
}

/* The budget grows twice as fast as time goes, but never beyond the credit of the next question. */
uint64_t
bench_turns_catch_up(struct bench_turns *t, uint64_t now_ns)
{
	uint64_t due, most_ns, begun = bench_turns_begun(t);

	if (t->n_asked >= t->share || now_ns < t->slack_ns)
		return 0;
	due = bench_turns_due(t, now_ns - t->slack_ns);
	if (due <= begun)
		return 0;
	most_ns = bench_turns_time(t, t->n_asked) + t->credit_ns;
	if (budget(t, now_ns) > most_ns) {
		t->behind_ns = now_ns;
		t->behind_due_ns = most_ns;
	}
	return due - begun;
}

uint64_t
bench_turns_leaves(const struct bench_turns *t, uint64_t k)
{
	uint64_t due_ns = bench_turns_time(t, k);
	uint64_t after_ns = due_ns > t->behind_due_ns ? due_ns - t->behind_due_ns : 0;
	uint64_t leaves_ns = t->behind_ns + (after_ns + 1) / 2;

	return leaves_ns > due_ns ? leaves_ns : due_ns;
}

uint64_t
bench_turns_may(const struct bench_turns *t, uint64_t now_ns)
{
	uint64_t by_ns = budget(t, now_ns);

	return bench_turns_due(t, by_ns < now_ns ? by_ns : now_ns);
}

bool
bench_turns_left(const struct bench_turns *t, uint64_t now_ns)
{
	return t->n_asked < t->share && now_ns < t->until_ns;
}
