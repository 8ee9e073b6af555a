/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured times (RULES D27): the wait for a reply, its percentile, and what a question costs. */

#include "outbound/times.h"

#include "base/rng.h"
#include "support/tests.h"

#define MOST_NS (2000 * NS_PER_MS)

static struct times t;
static struct times_cost cost;
static struct rng rng;
static uint64_t now_ns;

static void
setup(void)
{
	t = (struct times){ .srtt_ns = 0 };
	cost = (struct times_cost){ .ns = 0 };
	now_ns = 77 * NS_PER_SEC;
	rng_init_seeded(&rng, 12);
}

static void
measure(uint64_t ns)
{
	times_learn(&t, ns);
	times_rank(&t, ns);
}

static void
learn(unsigned n, uint64_t ms)
{
	for (unsigned i = 0; i < n; i++)
		measure(ms * NS_PER_MS);
}

static uint64_t
wait_ms(unsigned doublings)
{
	return times_wait_ns(&t, doublings, MOST_NS) / NS_PER_MS;
}

START_TEST(unknown_waits_400_ms)
{
	ck_assert(!times_known(&t));
	ck_assert_uint_eq(wait_ms(0), 400);
	ck_assert_uint_eq(wait_ms(1), 800);
	ck_assert_uint_eq(times_wait_ns(&t, 0, 100 * NS_PER_MS), 100 * NS_PER_MS);
	times_learn(&t, 0);
	ck_assert(times_known(&t));
}
END_TEST

/* What a reply usually takes: one slow one does not count, nor slow ones of the past. */
START_TEST(usual_time)
{
	ck_assert_uint_eq(times_usual_ns(&t), TIMES_UNKNOWN_NS);
	measure(2000 * NS_PER_MS);
	learn(30, 20);
	ck_assert_uint_le(times_usual_ns(&t), 150 * NS_PER_MS);
	setup();
	learn(30, 60);
	measure(2000 * NS_PER_MS);
	ck_assert_uint_le(times_usual_ns(&t), 150 * NS_PER_MS);
	ck_assert_uint_ge(times_usual_ns(&t), 60 * NS_PER_MS);
	setup();
	learn(30, 1);
	ck_assert_uint_eq(times_usual_ns(&t), TIMES_LEAST_NS);
}
END_TEST

/* RFC 6298 (2.2): the round trip and four times half of it. */
START_TEST(the_first_reply_sets_all)
{
	times_learn(&t, 40 * NS_PER_MS);
	ck_assert_uint_eq(wait_ms(0), 120);
	ck_assert_uint_eq(t.p95_ns, 80 * NS_PER_MS);
}
END_TEST

/* RFC 6298 (2.3): weights 1/8 and 1/4, the variation by the round trip before. */
START_TEST(the_next_reply_changes_both)
{
	learn(1, 40);
	learn(1, 120);
	ck_assert_uint_eq(t.srtt_ns, 50 * NS_PER_MS + 1); /* never 0 */
	ck_assert_uint_eq(t.var_ns / NS_PER_MS, 34);      /* rounded down */
}
END_TEST

/* D27: bounded below, above and by the margin for the wheel's ticks; doubling. */
START_TEST(d27_the_wait_is_bounded)
{
	learn(100, 1);
	ck_assert_uint_eq(wait_ms(0), 50);
	ck_assert_uint_eq(wait_ms(1), 100);
	ck_assert_uint_eq(wait_ms(5), 1600);
	ck_assert_uint_eq(wait_ms(6), 2000);
	ck_assert_uint_eq(wait_ms(255), 2000);
	ck_assert_uint_eq(
	    times_wait_ns(&t, 255, 60000 * NS_PER_MS), (TIMES_LEAST_NS << TIMES_DOUBLINGS));
	learn(100, 300);
	ck_assert_uint_eq(wait_ms(0), 315); /* rounded down */
	learn(200, 2500);
	ck_assert_uint_eq(wait_ms(0), 2000);
}
END_TEST

/* An upstream slower than the first wait is known after its first late reply. */
START_TEST(a_late_reply_teaches)
{
	learn(50, 1);
	learn(1, 1100);
	ck_assert_uint_gt(wait_ms(0), 1100);
	learn(50, 1100);
	ck_assert_uint_ge(wait_ms(0), 1100);
	ck_assert_uint_le(wait_ms(0), 1150);
}
END_TEST

/* Of replies spread evenly over 10 to 110 ms one in twenty is above 105; later over 1 to 2. */
START_TEST(p95_is_found)
{
	unsigned above = 0;

	for (unsigned i = 0; i < 20000; i++) {
		measure(10 * NS_PER_MS + rng_below(&rng, 100 * NS_PER_MS));
		if (i >= 1000)
			ck_assert_uint_gt(t.p95_ns, 70 * NS_PER_MS);
		if (i >= 1000)
			ck_assert_uint_lt(t.p95_ns, 130 * NS_PER_MS);
	}
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t ns = NS_PER_MS + rng_below(&rng, NS_PER_MS);

		if (i >= 2000 && ns > t.p95_ns)
			above++;
		measure(ns);
	}
	ck_assert_uint_gt(above, 700);
	ck_assert_uint_lt(above, 1100);
}
END_TEST

/*
 * N samples, APART_US apart, one in EACH a failure that costs 100 ms, the others 1 ms; 0: none. The
 * mean of the cost.
 */
static uint64_t
charge(unsigned n, uint64_t apart_us, unsigned each)
{
	uint64_t sum = 0;

	for (unsigned i = 1; i <= n; i++) {
		now_ns += apart_us * 1000;
		if (each > 0 && i % each == 0)
			times_charge_failure(&cost, 100 * NS_PER_MS, now_ns);
		else
			times_charge(&cost, NS_PER_MS, now_ns);
		sum += cost.ns;
	}
	return sum / n;
}

START_TEST(the_first_sample_is_the_cost)
{
	times_charge(&cost, 0, now_ns);
	ck_assert_uint_eq(cost.ns, 1);
	setup();
	times_charge_failure(&cost, 100 * NS_PER_MS, now_ns);
	ck_assert_uint_eq(cost.ns, 100 * NS_PER_MS);
	times_charge_failure(&cost, 50 * NS_PER_MS, now_ns);
	ck_assert_uint_eq(cost.ns, 100 * NS_PER_MS); /* a failure never makes it cheaper */
}
END_TEST

/* At 10 and at 10,000 in a second the cost tells one failure in twenty from one in three. */
START_TEST(the_cost_does_not_depend_on_the_rate)
{
	static const uint64_t apart_us[] = { 100, 10000, 100000 };

	for (size_t i = 0; i < sizeof(apart_us) / sizeof(apart_us[0]); i++) {
		uint64_t few, many;

		setup();
		few = charge(20000, apart_us[i], 20);
		many = charge(20000, apart_us[i], 3);
		ck_assert_uint_gt(few, NS_PER_MS);
		ck_assert_uint_gt(many, 2 * few);
		ck_assert_uint_gt(many, 50 * NS_PER_MS);
	}
}
END_TEST

/* At 100 a second one failure is seen at once; at 4 a second it is forgotten after some seconds. */
START_TEST(left_quickly_and_back_after_seconds)
{
	charge(100, 10000, 0);
	ck_assert_uint_le(cost.ns, NS_PER_MS + 100);
	charge(1, 10000, 1);
	ck_assert_uint_gt(cost.ns, 7 * NS_PER_MS);
	charge(300, 10000, 3);
	ck_assert_uint_gt(cost.ns, 50 * NS_PER_MS);
	charge(4, 250000, 0);
	ck_assert_uint_gt(cost.ns, 20 * NS_PER_MS);
	charge(20, 250000, 0);
	ck_assert_uint_lt(cost.ns, 2 * NS_PER_MS);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, unknown_waits_400_ms);
	tcase_add_test(tc, usual_time);
	tcase_add_test(tc, the_first_reply_sets_all);
	tcase_add_test(tc, the_next_reply_changes_both);
	tcase_add_test(tc, d27_the_wait_is_bounded);
	tcase_add_test(tc, a_late_reply_teaches);
	tcase_add_test(tc, p95_is_found);
	tcase_add_test(tc, the_first_sample_is_the_cost);
	tcase_add_test(tc, the_cost_does_not_depend_on_the_rate);
	tcase_add_test(tc, left_quickly_and_back_after_seconds);
}
