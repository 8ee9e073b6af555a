/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/bisect.h"

#include <math.h>

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
	if (b->again)
		return b->rate;
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
	bool first_time = !b->again;

	b->rate = rate;
	b->again = outcome == BENCH_NO_VERDICT && first_time;
	if (outcome == BENCH_PASSED)
		pass(b, rate);
	else if (!b->again)
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
