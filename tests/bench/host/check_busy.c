/* SPDX-License-Identifier: BSD-2-Clause */
/* How a machine can measure, and how busy it was. */

#include "bench/host/busy.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tree.h"

START_TEST(means_are_read)
{
	char root[SCRATCH_PATH];
	struct bench_means m;

	scratch_dir(root);
	bench_means_read(root, &m);
	ck_assert_str_eq(m.governor, "unknown");
	ck_assert_str_eq(m.affinity, "unknown");
	ck_assert_uint_eq(m.rmem_max, 0);
	tree_write(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	tree_write(
	    root, "proc/self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
	tree_write(root, "proc/sys/net/core/rmem_max", "212992\n");
	bench_means_read(root, &m);
	ck_assert_str_eq(m.governor, "performance");
	ck_assert_str_eq(m.affinity, "0-3");
	ck_assert_uint_eq(m.rmem_max, 212992);
	tree_remove(root, "");
}
END_TEST

static struct bench_busy
busy(const char *loadavg, const char *stat)
{
	char root[SCRATCH_PATH];
	struct bench_busy b;

	scratch_dir(root);
	tree_write(root, "proc/loadavg", loadavg);
	tree_write(root, "proc/stat", stat);
	bench_busy_read(root, &b);
	tree_remove(root, "");
	return b;
}

/* The last two times of a line are in the first two already. */
START_TEST(stolen_time_is_a_share_of_all)
{
	struct bench_busy a = busy("0.25 1.00 2.00 1/80 5\n", "cpu  10 0 10 70 0 0 0 10 5 5\n"),
			  b = busy("1.5 1 1 2/80 6\n", "cpu  20 0 10 130 0 0 0 40 9 9\ncpu0 1 2\n");

	ck_assert_double_eq(a.load, 0.25);
	ck_assert_double_eq(b.load, 1.5);
	ck_assert_double_eq(bench_busy_stolen(&a, &b), 30);
	ck_assert_double_eq(bench_busy_stolen(&a, &a), 0);
	ck_assert_double_eq(bench_busy_stolen(&b, &a), 0);
}
END_TEST

START_TEST(what_is_no_such_file_is_unknown)
{
	static const char *const garbage[] = { "", "cpu", "cpu \n", "x 1 2 3", "cpu  1 x" };

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct bench_busy b = busy(garbage[i], garbage[i]);

		ck_assert_double_lt(b.load, 0);
		ck_assert_uint_eq(b.stolen, 0);
	}
}
END_TEST

/* This process works, and the machine's own files are read. */
START_TEST(own_time_is_counted)
{
	struct bench_busy a, b;
	uint64_t until_ns = clock_now_ns() + 200 * NS_PER_MS;

	bench_busy_read("", &a);
	while (clock_now_ns() < until_ns)
		continue;
	bench_busy_read("", &b);
	ck_assert_double_ge(b.load, 0);
	ck_assert_uint_gt(b.ticks, 0);
	ck_assert_double_gt(bench_busy_cpu(&a, &b), 1); /* others may be at work, too */
	ck_assert_double_le(bench_busy_cpu(&a, &b), 110);
	ck_assert_double_eq(bench_busy_cpu(&a, &a), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_busy");
	TCase *tc = tcase_create("busy");

	tcase_add_test(tc, means_are_read);
	tcase_add_test(tc, stolen_time_is_a_share_of_all);
	tcase_add_test(tc, what_is_no_such_file_is_unknown);
	tcase_add_test(tc, own_time_is_counted);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
