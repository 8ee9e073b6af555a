/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums and differences of what was used. */

#include "bench/dut/usage.h"

#include <check.h>
#include <stdlib.h>

static const struct bench_usage first = { .time_ns = 1000,
	.cpu_ns = 100,
	.user_ns = 60,
	.system_ns = 30,
	.switches = 7,
	.preemptions = 3,
	.rss = 4096,
	.processes = 1,
	.threads = 2,
	.descriptors = 9 };
static const struct bench_usage second = { .time_ns = 3000,
	.cpu_ns = 1100,
	.user_ns = 660,
	.system_ns = 330,
	.switches = 17,
	.preemptions = 4,
	.rss = 1024,
	.processes = 3,
	.threads = 4,
	.descriptors = 5,
	.uncounted = 6,
	.left_out = 8 };

START_TEST(difference_of_two_readings)
{
	struct bench_usage d;

	bench_usage_since(&first, &second, &d);
	ck_assert_uint_eq(d.time_ns, 2000);
	ck_assert_uint_eq(d.cpu_ns, 1000);
	ck_assert_uint_eq(d.user_ns, 600);
	ck_assert_uint_eq(d.system_ns, 300);
	ck_assert_uint_eq(d.switches, 10);
	ck_assert_uint_eq(d.preemptions, 1);
	ck_assert_uint_eq(d.rss, 1024);
	ck_assert_uint_eq(d.processes, 3);
	ck_assert_uint_eq(d.threads, 4);
	ck_assert_uint_eq(d.descriptors, 5);
	ck_assert_uint_eq(d.uncounted, 6);
	ck_assert_uint_eq(d.left_out, 8);
	ck_assert_double_eq(bench_usage_load(&d), 0.5);
}
END_TEST

START_TEST(never_below_zero)
{
	struct bench_usage d = first;

	bench_usage_since(&second, &d, &d);
	ck_assert_uint_eq(d.time_ns, 0);
	ck_assert_uint_eq(d.cpu_ns, 0);
	ck_assert_uint_eq(d.user_ns, 0);
	ck_assert_uint_eq(d.system_ns, 0);
	ck_assert_uint_eq(d.switches, 0);
	ck_assert_uint_eq(d.preemptions, 0);
	ck_assert_uint_eq(d.rss, 4096);
	ck_assert_double_eq(bench_usage_load(&d), 0);
}
END_TEST

START_TEST(sum_of_two_readings)
{
	struct bench_usage sum = first;

	bench_usage_add(&sum, &second);
	ck_assert_uint_eq(sum.cpu_ns, 1200);
	ck_assert_uint_eq(sum.user_ns, 720);
	ck_assert_uint_eq(sum.system_ns, 360);
	ck_assert_uint_eq(sum.switches, 24);
	ck_assert_uint_eq(sum.preemptions, 7);
	ck_assert_uint_eq(sum.rss, 4096);
	ck_assert_uint_eq(sum.threads, 2);
}
END_TEST

START_TEST(counters_rise_to_what_was_seen)
{
	struct bench_usage u = first;
	const struct bench_usage seen = { .cpu_ns = 99, .user_ns = 80, .switches = 8 };

	bench_usage_raise(&u, &seen);
	ck_assert_uint_eq(u.user_ns, 80);
	ck_assert_uint_eq(u.system_ns, 30);
	ck_assert_uint_eq(u.cpu_ns, 110); /* at least what user and system are together */
	ck_assert_uint_eq(u.switches, 8);
	ck_assert_uint_eq(u.preemptions, 3);
	ck_assert_uint_eq(u.rss, 4096);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_usage");
	TCase *tc = tcase_create("usage");

	tcase_add_test(tc, difference_of_two_readings);
	tcase_add_test(tc, never_below_zero);
	tcase_add_test(tc, sum_of_two_readings);
	tcase_add_test(tc, counters_rise_to_what_was_seen);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
