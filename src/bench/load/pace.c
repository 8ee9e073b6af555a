/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/pace.h"

#include "base/clock.h"

/* Whole seconds and the rest separately: no product can overflow, and only the last step rounds. */
uint64_t
bench_pace_time(const struct bench_pace *p, uint64_t n)
{
	uint64_t first = n - n % p->burst;

	if (p->timing != NULL)
		return p->start_ns + bench_replay_time(p->timing, n);
	return p->start_ns + first / p->rate * NS_PER_SEC + first % p->rate * NS_PER_SEC / p->rate;
}

uint64_t
bench_pace_due(const struct bench_pace *p, uint64_t now_ns)
{
	if (now_ns < p->start_ns)
		return 0;
	uint64_t past_ns = now_ns - p->start_ns;
	if (p->timing != NULL)
		return bench_replay_due(p->timing, past_ns);
	/* Question N is due at floor(N * 10^9 / rate), so N <= ((past + 1) * rate - 1) / 10^9. */
	uint64_t n = past_ns / NS_PER_SEC * p->rate +
	    ((past_ns % NS_PER_SEC + 1) * p->rate - 1) / NS_PER_SEC + 1;

	return (n + p->burst - 1) / p->burst * p->burst;
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
bench_turns_due(const struct bench_turns *t, uint64_t now_ns)
{
	uint64_t due = bench_pace_due(&t->pace, now_ns < t->until_ns ? now_ns : t->until_ns - 1);
	uint64_t mine = due > t->index ? (due - t->index - 1) / t->n_threads + 1 : 0;

	return mine < t->share ? mine : t->share;
}

bool
bench_turns_left(const struct bench_turns *t, uint64_t now_ns)
{
	return t->n_asked < t->share && now_ns < t->until_ns;
}
