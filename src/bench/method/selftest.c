/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/selftest.h"

#include <math.h>
#include <string.h>

#define BIT 1e-6 /* rounding error of a product of two rates */

bool
bench_selftest_asks_aaaa(const struct bench_settings *s)
{
	return s->plan.load.zone.aaaa_percent == 100;
}

struct bench_plan
bench_selftest_plan(const struct bench_settings *s)
{
	struct bench_plan p = s->plan;

	p.server = s->upstream;
	p.timeout_ns = s->plan.timeout_ns / BENCH_SELFTEST_TIMEOUT_PART;
	memset(p.load.mix, bench_selftest_asks_aaaa(s) ? BENCH_NEW : BENCH_ADDRESS,
	    sizeof(p.load.mix));
	return p;
}

uint32_t
bench_selftest_rate(uint32_t rate, double delta)
{
	double r = ceil(2 * (1 + delta) * rate - BIT);

	return r < BENCH_RATE_MAX ? (uint32_t)r : BENCH_RATE_MAX;
}

uint32_t
bench_selftest_cap(uint32_t rate, double delta)
{
	return (uint32_t)floor(rate / (2 * (1 + delta)) + BIT);
}
