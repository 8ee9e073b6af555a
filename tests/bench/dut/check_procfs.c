/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc/PID: odd names, files that end anywhere, numbers that are too large. */

#include "bench/dut/procfs.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/guard.h"
#include "support/scratch.h"
#include "support/tree.h"

/* Fields 3 to 22; user 14, system 15, threads 20, start 22. */
#define FIELDS " S 1 1 1 0 -1 4194560 9 8 7 6 250 50 4 3 20 0 2 0 98765"
#define REST " 43577344 3308 18446744073709551615 1 1 0 0\n"

static uint64_t
ticks(uint64_t n)
{
	return n * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

START_TEST(stat_has_all_fields)
{
	struct bench_stat s;

	ck_assert(bench_procfs_parse_stat("17 (dns64d)" FIELDS REST, &s));
	ck_assert_str_eq(s.name, "dns64d");
	ck_assert_uint_eq(s.user_ns, ticks(250));
	ck_assert_uint_eq(s.system_ns, ticks(50));
	ck_assert_uint_eq(s.threads, 2);
	ck_assert_uint_eq(s.start, 98765);
	ck_assert(!s.ended);
}
END_TEST

/* The kernel writes a name as it is. */
START_TEST(names_with_parentheses_are_read)
{
	static const char *const names[][2] = { { "(a b) c)", "(a b) c)" }, { "", "" },
		{ ")", ")" }, { ") S 1 1", ") S 1 1" }, { "a\nb\t\x1b\xff", "a?b???" },
		{ "kworker/u256:7-events_unbound+and more", "kworker/u256:7-events_unbound+a" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct bench_stat s;
		char text[512];

		(void)snprintf(text, sizeof(text), "17 (%s)%s%s", names[i][0], FIELDS, REST);
		ck_assert(bench_procfs_parse_stat(text, &s));
		ck_assert_str_eq(s.name, names[i][1]);
		ck_assert_uint_eq(s.user_ns, ticks(250));
		ck_assert_uint_eq(s.start, 98765);
	}
}
END_TEST

START_TEST(stat_cut_anywhere)
{
	static const char text[] = "17 ((a b) c))" FIELDS REST;
	const size_t enough = strlen("17 ((a b) c))" FIELDS) + 1;
	struct guard g;

	guard_init(&g, sizeof(text));
	for (size_t len = 0; len < sizeof(text); len++) {
		struct bench_stat s = { .start = 5 };
		char copy[sizeof(text)];

		memcpy(copy, text, len);
		copy[len] = '\0';
		const char *cut = (const char *)guard_put(&g, copy, len + 1);
		ck_assert_int_eq(bench_procfs_parse_stat(cut, &s), len >= enough);
		ck_assert_uint_eq(s.start, len >= enough ? 98765 : 5);
	}
	guard_fini(&g);
}
END_TEST

START_TEST(stat_too_large)
{
	struct bench_stat s = { .user_ns = 5 };

	ck_assert(!bench_procfs_parse_stat(
	    "1 (a) S 1 1 1 0 -1 0 0 0 0 0 18446744073709551616 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert(
	    !bench_procfs_parse_stat("1 (a) S 1 1 1 0 -1 0 0 0 0 0 -3 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert_uint_eq(s.user_ns, 5);
	ck_assert(bench_procfs_parse_stat(
	    "1 (a) S 1 1 1 0 -1 0 0 0 0 0 18446744073709551615 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert_uint_eq(s.user_ns, UINT64_MAX);
	ck_assert(!bench_procfs_parse_stat("17 )dns64d(" FIELDS REST, &s));
}
END_TEST

/* A process whose first thread has ended is no zombie while there are others. */
START_TEST(zombie_only_without_other_threads)
{
	struct bench_stat s;

	ck_assert(
	    bench_procfs_parse_stat("1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 7 0\n", &s));
	ck_assert(s.ended);
	ck_assert(
	    bench_procfs_parse_stat("1 (a) X 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 0 0 7 0\n", &s));
	ck_assert(s.ended);
	ck_assert(
	    bench_procfs_parse_stat("1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 2 0 7 0\n", &s));
	ck_assert(!s.ended);
}
END_TEST

static const char status_text[] = "Name:\tVmRSS:\nTgid:\t17\nVmHWM:\t    9999 kB\n"
				  "VmRSS:\t    2048 kB\n"
				  "Threads:\t3\nvoluntary_ctxt_switches:\t685\n"
				  "nonvoluntary_ctxt_switches:\t181\n";

START_TEST(status_has_all_fields)
{
	struct bench_status s = { .rss = 0 };

	bench_procfs_parse_status(status_text, &s);
	ck_assert_uint_eq(s.process, 17);
	ck_assert_uint_eq(s.rss, 2048 * 1024);
	ck_assert_uint_eq(s.switches, 685);
	ck_assert_uint_eq(s.preemptions, 181);
	bench_procfs_parse_status("VmRSS: 99999999999999999999 kB\nTgid: -1\n", &s);
	ck_assert_uint_eq(s.rss, 2048 * 1024);
	ck_assert_uint_eq(s.process, 17);
	bench_procfs_parse_status("VmRSS: 18446744073709551615 kB\n", &s);
	ck_assert_uint_eq(s.rss, UINT64_MAX);
}
END_TEST

START_TEST(status_cut_anywhere)
{
	struct guard g;

	guard_init(&g, sizeof(status_text));
	for (size_t len = 0; len < sizeof(status_text); len++) {
		struct bench_status s = { .process = 1, .rss = 2, .switches = 3, .preemptions = 4 };
		char copy[sizeof(status_text)];

		memcpy(copy, status_text, len);
		copy[len] = '\0';
		bench_procfs_parse_status((const char *)guard_put(&g, copy, len + 1), &s);
		ck_assert(s.process == 1 || s.process == 17);
		ck_assert(s.rss == 2 || s.rss == 2048 * 1024);
		ck_assert(s.switches == 3 || s.switches == 685);
		ck_assert_uint_eq(s.preemptions, len == sizeof(status_text) - 1 ? 181 : 4);
	}
	guard_fini(&g);
}
END_TEST

START_TEST(missing_files_are_errors_or_zero)
{
	char root[SCRATCH_PATH];
	struct bench_stat s;
	struct bench_status status = { .rss = 0 };

	scratch_dir(root);
	ck_assert_int_eq(bench_procfs_stat(root, &s), -ENOENT);
	ck_assert_int_eq(bench_procfs_status(root, &status), -ENOENT);
	ck_assert_uint_eq(bench_procfs_cpu_ns(root), 0);
	ck_assert_uint_eq(bench_procfs_rss(root), 0);

	tree_write(root, "stat", "17 (a");
	tree_write(root, "status", status_text);
	tree_write(root, "schedstat", "123456789 12 3\n");
	tree_write(root, "statm", "900 30 20 1 0 8 0\n");
	ck_assert_int_eq(bench_procfs_stat(root, &s), -EBADMSG);
	tree_write(root, "stat", "17 (a)" FIELDS REST);
	ck_assert_int_eq(bench_procfs_stat(root, &s), 0);
	ck_assert_str_eq(s.name, "a");
	ck_assert_int_eq(bench_procfs_status(root, &status), 0);
	ck_assert_uint_eq(status.switches, 685);
	ck_assert_uint_eq(bench_procfs_cpu_ns(root), 123456789);
	ck_assert_uint_eq(bench_procfs_rss(root), 30 * (uint64_t)sysconf(_SC_PAGESIZE));

	tree_write(root, "schedstat", "1234567");
	tree_write(root, "statm", "900 30");
	ck_assert_uint_eq(bench_procfs_cpu_ns(root), 0);
	ck_assert_uint_eq(bench_procfs_rss(root), 0);
	tree_remove(root, "");
}
END_TEST

START_TEST(descriptors_are_counted)
{
	char root[SCRATCH_PATH];
	unsigned n = 77;

	scratch_dir(root);
	ck_assert(!bench_procfs_descriptors(root, false, &n));
	ck_assert_uint_eq(n, 77);
	tree_write(root, "fd/0", "");
	tree_write(root, "fd/1", "");
	tree_write(root, "fd/17", "");
	ck_assert(bench_procfs_descriptors(root, false, &n));
	ck_assert_uint_eq(n, 3);
	tree_remove(root, "");
}
END_TEST

/* Both ways to count our own; the walk needs one itself. */
START_TEST(own_descriptors_are_counted_both_ways)
{
	unsigned before = 0, walked = 0, sized = 0;

	ck_assert(bench_procfs_descriptors("/proc/self", false, &before));
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert(bench_procfs_descriptors("/proc/self", false, &walked));
	ck_assert(bench_procfs_descriptors("/proc/self", true, &sized));
	ck_assert_uint_eq(walked, before + 1);
	ck_assert_uint_le(walked - sized, 1);
	(void)close(fd);
}
END_TEST

START_TEST(process_numbers_have_bounds)
{
	ck_assert_int_eq(bench_procfs_number("120,121", 3), 120);
	ck_assert_int_eq(bench_procfs_number("4194304", 7), 4194304);
	ck_assert_int_eq(bench_procfs_number("4194305", 7), 0);
	ck_assert_int_eq(bench_procfs_number("10000000", 8), 0);
	ck_assert_int_eq(bench_procfs_number("0", 1), 0);
	ck_assert_int_eq(bench_procfs_number("", 0), 0);
	ck_assert_int_eq(bench_procfs_number("-1", 2), 0);
	ck_assert_int_eq(bench_procfs_number("12x", 3), 0);
	ck_assert_int_eq(bench_procfs_number("self", 4), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_procfs");
	TCase *tc = tcase_create("procfs");

	tcase_add_test(tc, stat_has_all_fields);
	tcase_add_test(tc, names_with_parentheses_are_read);
	tcase_add_test(tc, stat_cut_anywhere);
	tcase_add_test(tc, stat_too_large);
	tcase_add_test(tc, zombie_only_without_other_threads);
	tcase_add_test(tc, status_has_all_fields);
	tcase_add_test(tc, status_cut_anywhere);
	tcase_add_test(tc, missing_files_are_errors_or_zero);
	tcase_add_test(tc, descriptors_are_counted);
	tcase_add_test(tc, own_descriptors_are_counted_both_ways);
	tcase_add_test(tc, process_numbers_have_bounds);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
