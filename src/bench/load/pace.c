/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/pace.h"

#include "base/clock.h"

/* Whole seconds and the rest separately: no product can overflow, and only the last step rounds. */
uint64_t
bench_pace_time(const struct bench_pace *p, uint64_t n)
{
	uint64_t first = n - n % p->burst;

	return p->start_ns + first / p->rate * NS_PER_SEC + first % p->rate * NS_PER_SEC / p->rate;
}

uint64_t
bench_pace_due(const struct bench_pace *p, uint64_t now_ns)
{
	if (now_ns < p->start_ns)
		return 0;
	uint64_t past_ns = now_ns - p->start_ns;
	/* Question N is due at floor(N * 10^9 / rate), so N <= ((past + 1) * rate - 1) / 10^9. */
	uint64_t n = past_ns / NS_PER_SEC * p->rate +
	    ((past_ns % NS_PER_SEC + 1) * p->rate - 1) / NS_PER_SEC + 1;

	return (n + p->burst - 1) / p->burst * p->burst;
}
