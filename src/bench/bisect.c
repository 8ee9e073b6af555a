/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/bisect.h"

#include <math.h>
#include <string.h>

/* --- Rates ------------------------------------------------------------------------------------ */

void
bench_bisect_init(
    struct bench_bisect *b, uint32_t low, uint32_t high, double resolution, enum bench_begin begin)
{
	*b = (struct bench_bisect){
		.low = low, .high = high, .resolution = resolution, .begin = begin
	};
}

static bool
narrow(const struct bench_bisect *b)
{
	uint32_t width = b->high - b->low;

	return width <= 1 || (double)width <= b->low * b->resolution / 100;
}

/* The geometric mean of the ends of the interval; never one of them. */
static uint32_t
between(const struct bench_bisect *b)
{
	uint32_t middle = (uint32_t)lround(sqrt((double)b->low * b->high));

	if (middle <= b->low)
		return b->low + 1;
	return middle < b->high ? middle : b->high - 1;
}

uint32_t
bench_bisect_next(const struct bench_bisect *b)
{
	if (b->failed_low || b->passed_high)
		return 0;
	if (b->spoilt > 0)
		return b->rate;
	if (b->list != NULL)
		return b->at < b->n ? b->list[b->at] : 0;
	if (b->begin == BENCH_BEGIN_HIGH && !b->high_known)
		return b->high;
	if (b->begin != BENCH_BEGIN_BETWEEN && !b->low_known)
		return b->low;
	if (!narrow(b))
		return between(b);
	if (!b->low_known)
		return b->low;
	return b->high_known ? 0 : b->high;
}

static void
pass(struct bench_bisect *b, uint32_t rate)
{
	if (rate == b->high)
		b->passed_high = true;
	b->low = rate;
	b->low_known = true;
}

static void
fail(struct bench_bisect *b, uint32_t rate, bool by_tester)
{
	if (rate == b->low && !b->low_known)
		b->failed_low = true;
	b->high = rate;
	b->high_known = true;
	b->by_tester = by_tester;
}

void
bench_bisect_put(struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome)
{
	b->rate = rate;
	if (outcome == BENCH_NO_VERDICT && ++b->spoilt <= BENCH_REPEATS)
		return;
	b->spoilt = 0;
	if (b->list != NULL)
		b->at++;
	else if (outcome == BENCH_PASSED)
		pass(b, rate);
	else
		fail(b, rate, outcome == BENCH_NO_VERDICT);
}

uint32_t
bench_bisect_result(const struct bench_bisect *b, enum bench_limit *limit)
{
	*limit = BENCH_LIMIT_SERVER;
	if (b->passed_high)
		*limit = BENCH_LIMIT_HIGH;
	else if (b->by_tester)
		*limit = BENCH_LIMIT_TESTER;
	else if (b->failed_low)
		*limit = BENCH_LIMIT_LOW;
	return b->low_known ? b->low : 0;
}

unsigned
bench_bisect_most(const struct bench_bisect *b, uint64_t *sum)
{
	struct bench_bisect copy = *b;
	unsigned n = 0;
	uint32_t rate;

	*sum = 0;
	for (; (rate = bench_bisect_next(&copy)) != 0; n++) {
		*sum += rate;
		bench_bisect_put(&copy, rate, BENCH_PASSED);
	}
	return n;
}

uint64_t
bench_bisect_questions(uint32_t rate, double duration)
{
	uint64_t n = (uint64_t)(rate * duration);

	return n > 0 ? n : 1;
}

uint64_t
bench_bisect_names(const struct bench_bisect *b, unsigned repetitions, double duration, bool again)
{
	uint64_t sum;
	unsigned n = bench_bisect_most(b, &sum);

	/*
	 * Each trial at least one; what a fraction of a second leaves over is in the rounding up.
	 */
	return again ? bench_bisect_questions(b->high, duration)
		     : (uint64_t)((double)sum * duration * repetitions) + (uint64_t)n * repetitions;
}

/* --- The self-test ---------------------------------------------------------------------------- */

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
	p.clients.n = 0; /* the upstream has one client */
	/* As a DNS64 server asks: questions do not come by the dozen in what one call reads. */
	p.transport = &bench_udp;
	p.window = p.per_connection = 0;
	p.singles = true;
	p.pause_ns = bench_plan_pause(&s->plan);
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
