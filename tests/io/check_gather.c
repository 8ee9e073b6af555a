/* SPDX-License-Identifier: BSD-2-Clause */
/* gather: when a loop sleeps before its next turn, and for how long. */
#include "io/gather.h"

#include "core/conf.h"
#include "support/tests.h"

#define MANY 340                 /* datagrams of a window that are enough */
#define SLOW_NS (20 * NS_PER_MS) /* an upstream that takes so long permits any delay */

static struct gather gather;
static uint64_t now_ns;

static void
setup(void)
{
	gather = (struct gather){ .n = 0 };
	now_ns = 1234567 * NS_PER_MS;
	gather_look(&gather, now_ns, CONF_BATCH_AUTO, 0);
}

/* A window with N replies, and as many questions from N_PORTS ports in turn. */
static void
window(unsigned n, unsigned n_ports, uint16_t batch_delay, uint64_t fastest_ns)
{
	for (unsigned i = 0; n_ports > 0 && i < n; i++)
		gather_question(&gather, (uint16_t)(40000 + i % n_ports));
	gather_replies(&gather, n);
	ck_assert(!gather_is_due(&gather, now_ns + GATHER_WINDOW_NS - 1));
	now_ns += GATHER_WINDOW_NS;
	ck_assert(gather_is_due(&gather, now_ns));
	gather_look(&gather, now_ns, batch_delay, fastest_ns);
}

/* What is between two turns, with OPEN questions open. */
static uint64_t
delay(uint32_t open)
{
	return gather_until(&gather, now_ns, open) - now_ns;
}

START_TEST(many_datagrams_and_many_open)
{
	window(MANY, 0, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(GATHER_OPEN + 1), GATHER_MOST_NS);
	ck_assert_uint_eq(delay(GATHER_OPEN), 0);
	ck_assert_uint_eq(delay(0), 0);
}
END_TEST

START_TEST(few_datagrams)
{
	window(MANY - 1, 0, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(1000), 0);
	window(MANY / 2 - 1, 100, 1000, SLOW_NS);
	ck_assert_uint_eq(delay(1000), 0);
	window(MANY / 2, 100, 1000, SLOW_NS);
	ck_assert_uint_eq(delay(1000), 1000000);
}
END_TEST

/* The same number in twice the time. */
START_TEST(it_is_the_rate_that_counts)
{
	gather_replies(&gather, MANY);
	now_ns += 2 * GATHER_WINDOW_NS;
	gather_look(&gather, now_ns, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(1000), 0);
	gather_replies(&gather, 2 * MANY);
	now_ns += 2 * GATHER_WINDOW_NS;
	gather_look(&gather, now_ns, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(1000), GATHER_MOST_NS);
}
END_TEST

/* Answers from the cache: nothing is open, so it is the clients that are many. */
START_TEST(many_ports)
{
	window(1000, GATHER_OPEN, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(0), 0);
	window(1000, GATHER_OPEN + 1, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(0), GATHER_MOST_NS);
	/* All of the window before count no more. */
	window(1000, 1, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(0), 0);
	window(1000, 60000, CONF_BATCH_AUTO, SLOW_NS);
	ck_assert_uint_eq(delay(0), GATHER_MOST_NS);
}
END_TEST

START_TEST(auto_is_a_part_of_an_upstreams_time)
{
	window(1000, 0, CONF_BATCH_AUTO, 400000);
	ck_assert_uint_eq(delay(1000), 100000);
	window(1000, 0, CONF_BATCH_AUTO, GATHER_PART * GATHER_LEAST_NS);
	ck_assert_uint_eq(delay(1000), GATHER_LEAST_NS);
	window(1000, 0, CONF_BATCH_AUTO, GATHER_PART * GATHER_LEAST_NS - 1);
	ck_assert_uint_eq(delay(1000), 0);
	window(1000, 0, CONF_BATCH_AUTO, 0);
	ck_assert_uint_eq(delay(1000), 0);
}
END_TEST

START_TEST(a_given_delay_and_off)
{
	window(1000, 0, 200, 400000);
	ck_assert_uint_eq(delay(1000), 200000);
	ck_assert_uint_eq(delay(1), 0);
	window(1000, 0, 10, 0);
	ck_assert_uint_eq(delay(1000), 10000);
	window(1000, 1000, 0, SLOW_NS);
	ck_assert_uint_eq(delay(1000), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, many_datagrams_and_many_open);
	tcase_add_test(tc, few_datagrams);
	tcase_add_test(tc, it_is_the_rate_that_counts);
	tcase_add_test(tc, many_ports);
	tcase_add_test(tc, auto_is_a_part_of_an_upstreams_time);
	tcase_add_test(tc, a_given_delay_and_off);
}
