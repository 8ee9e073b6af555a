/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc and /sys: numbers and lines in them, processes and threads, units. */

#include "bench/host/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/guard.h"
#include "support/scratch.h"
#include "support/tests.h"
#include "support/tree.h"

/* --- file ------------------------------------------------------------------------------------- */

/* Small text files: what is cut off or too large is not taken for a number. */

START_TEST(numbers_are_read_one_by_one)
{
	const char *at = "7 \t42\n18446744073709551615 -1";
	uint64_t v = 0;

	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, 7);
	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, 42);
	ck_assert_str_eq(at, "\n18446744073709551615 -1");
	ck_assert(!bench_proc_number(&at, &v)); /* a line does not go on in the next one */
	at++;
	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert(!bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert_str_eq(at, " -1");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = { "", " ", "x", "-1 ", "12", "12x ", "0x10 ",
		"18446744073709551616 ", "99999999999999999999 ",
		"340282366920938463463374607431768211457 " };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = texts[i];
		uint64_t v = 5;

		ck_assert_msg(!bench_proc_number(&at, &v), "\"%s\"", texts[i]);
		ck_assert_uint_eq(v, 5);
		ck_assert_ptr_eq(at, texts[i]);
	}
}
END_TEST

START_TEST(value_is_that_of_its_whole_key)
{
	static const char text[] = "Name:\tVmRSS: 1\nVmRSSX: 2\n VmRSS: 3\nVmRSS:\t  4 kB\n"
				   "VmRSS: 5\n";

	ck_assert_str_eq(bench_proc_value(text, "VmRSS"), "4 kB\nVmRSS: 5\n");
	ck_assert_str_eq(bench_proc_value("A:", "A"), "");
	ck_assert_ptr_null(bench_proc_value(text, "Vm"));
	ck_assert_ptr_null(bench_proc_value("", "A"));
	ck_assert_ptr_null(bench_proc_value("A", "A"));
	ck_assert_ptr_null(bench_proc_value("B:\n", "A"));
}
END_TEST

START_TEST(long_file_is_cut_at_the_limit)
{
	static char text[BENCH_PROC_FILE_MAX + 10], path[BENCH_PROC_PATH];
	static struct bench_proc_file file;
	char root[SCRATCH_PATH];

	scratch_dir(root);
	tree_write(root, "short", "one\n");
	ck_assert_int_eq(bench_proc_read(&file, "%s/%s", root, "short"), 0);
	ck_assert_str_eq(file.text, "one\n");
	ck_assert_uint_eq(file.len, 4);

	memset(text, '1', sizeof(text) - 1);
	tree_write(root, "long", text);
	ck_assert_int_eq(bench_proc_read(&file, "%s/long", root), 0);
	ck_assert_uint_eq(file.len, BENCH_PROC_FILE_MAX);
	ck_assert_uint_eq(strlen(file.text), BENCH_PROC_FILE_MAX);

	ck_assert_int_eq(bench_proc_read(&file, "%s/none", root), -ENOENT);
	ck_assert_int_eq(bench_proc_read(&file, "%s", root), -EISDIR);
	memset(path, '/', sizeof(path) - 1);
	ck_assert_int_eq(bench_proc_read(&file, "/%s", path), -ENAMETOOLONG);
	tree_remove(root, "");
}
END_TEST

START_TEST(product_stops_at_the_largest)
{
	ck_assert_uint_eq(bench_proc_times(3, 10000000), 30000000);
	ck_assert_uint_eq(bench_proc_times(UINT64_MAX / 1024, 1024), UINT64_MAX - 1023);
	ck_assert_uint_eq(bench_proc_times(UINT64_MAX / 1024 + 1, 1024), UINT64_MAX);
}
END_TEST

START_TEST(unprintable_octets_become_question_marks)
{
	char to[8];

	bench_proc_clean(to, sizeof(to), "a\tb\x7f\xc3-~", 7);
	ck_assert_str_eq(to, "a?b?\?-~");
	bench_proc_clean(to, sizeof(to), "longer than that", 16);
	ck_assert_str_eq(to, "longer ");
	bench_proc_clean(to, sizeof(to), "short", 2);
	ck_assert_str_eq(to, "sh");
	bench_proc_clean(to, 1, "none", 4);
	ck_assert_str_eq(to, "");
}
END_TEST

static void
add_file(TCase *tc)
{
	tcase_add_test(tc, numbers_are_read_one_by_one);
	tcase_add_test(tc, what_is_no_number_is_refused);
	tcase_add_test(tc, value_is_that_of_its_whole_key);
	tcase_add_test(tc, long_file_is_cut_at_the_limit);
	tcase_add_test(tc, product_stops_at_the_largest);
	tcase_add_test(tc, unprintable_octets_become_question_marks);
}

/* --- procfs ----------------------------------------------------------------------------------- */

/* The files of /proc/PID: odd names, files that end anywhere, numbers that are too large. */

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

	ck_assert(bench_proc_parse_stat("17 (dns64d)" FIELDS REST, &s));
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
		ck_assert(bench_proc_parse_stat(text, &s));
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
		ck_assert_int_eq(bench_proc_parse_stat(cut, &s), len >= enough);
		ck_assert_uint_eq(s.start, len >= enough ? 98765 : 5);
	}
	guard_fini(&g);
}
END_TEST

START_TEST(stat_too_large)
{
	struct bench_stat s = { .user_ns = 5 };

	ck_assert(!bench_proc_parse_stat(
	    "1 (a) S 1 1 1 0 -1 0 0 0 0 0 18446744073709551616 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert(
	    !bench_proc_parse_stat("1 (a) S 1 1 1 0 -1 0 0 0 0 0 -3 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert_uint_eq(s.user_ns, 5);
	ck_assert(bench_proc_parse_stat(
	    "1 (a) S 1 1 1 0 -1 0 0 0 0 0 18446744073709551615 0 0 0 20 0 1 0 7 0\n", &s));
	ck_assert_uint_eq(s.user_ns, UINT64_MAX);
	ck_assert(!bench_proc_parse_stat("17 )dns64d(" FIELDS REST, &s));
}
END_TEST

/* A process whose first thread has ended is no zombie while there are others. */
START_TEST(zombie_only_without_other_threads)
{
	struct bench_stat s;

	ck_assert(bench_proc_parse_stat("1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 7 0\n", &s));
	ck_assert(s.ended);
	ck_assert(bench_proc_parse_stat("1 (a) X 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 0 0 7 0\n", &s));
	ck_assert(s.ended);
	ck_assert(bench_proc_parse_stat("1 (a) Z 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 2 0 7 0\n", &s));
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

	bench_proc_parse_status(status_text, &s);
	ck_assert_uint_eq(s.process, 17);
	ck_assert_uint_eq(s.rss, 2048 * 1024);
	ck_assert_uint_eq(s.switches, 685);
	ck_assert_uint_eq(s.preemptions, 181);
	bench_proc_parse_status("VmRSS: 99999999999999999999 kB\nTgid: -1\n", &s);
	ck_assert_uint_eq(s.rss, 2048 * 1024);
	ck_assert_uint_eq(s.process, 17);
	bench_proc_parse_status("VmRSS: 18446744073709551615 kB\n", &s);
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
		bench_proc_parse_status((const char *)guard_put(&g, copy, len + 1), &s);
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
	ck_assert_int_eq(bench_proc_stat(root, &s), -ENOENT);
	ck_assert_int_eq(bench_proc_status(root, &status), -ENOENT);
	ck_assert_uint_eq(bench_proc_cpu_ns(root), 0);
	ck_assert_uint_eq(bench_proc_rss(root), 0);

	tree_write(root, "stat", "17 (a");
	tree_write(root, "status", status_text);
	tree_write(root, "schedstat", "123456789 12 3\n");
	tree_write(root, "statm", "900 30 20 1 0 8 0\n");
	ck_assert_int_eq(bench_proc_stat(root, &s), -EBADMSG);
	tree_write(root, "stat", "17 (a)" FIELDS REST);
	ck_assert_int_eq(bench_proc_stat(root, &s), 0);
	ck_assert_str_eq(s.name, "a");
	ck_assert_int_eq(bench_proc_status(root, &status), 0);
	ck_assert_uint_eq(status.switches, 685);
	ck_assert_uint_eq(bench_proc_cpu_ns(root), 123456789);
	ck_assert_uint_eq(bench_proc_rss(root), 30 * (uint64_t)sysconf(_SC_PAGESIZE));

	tree_write(root, "schedstat", "1234567");
	tree_write(root, "statm", "900 30");
	ck_assert_uint_eq(bench_proc_cpu_ns(root), 0);
	ck_assert_uint_eq(bench_proc_rss(root), 0);
	tree_remove(root, "");
}
END_TEST

START_TEST(descriptors_are_counted)
{
	char root[SCRATCH_PATH];
	unsigned n = 77;

	scratch_dir(root);
	ck_assert(!bench_proc_descriptors(root, false, &n));
	ck_assert_uint_eq(n, 77);
	tree_write(root, "fd/0", "");
	tree_write(root, "fd/1", "");
	tree_write(root, "fd/17", "");
	ck_assert(bench_proc_descriptors(root, false, &n));
	ck_assert_uint_eq(n, 3);
	tree_remove(root, "");
}
END_TEST

/* Both ways to count our own; the walk needs one itself. */
START_TEST(own_descriptors_are_counted_both_ways)
{
	unsigned before = 0, walked = 0, sized = 0;

	ck_assert(bench_proc_descriptors("/proc/self", false, &before));
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert(bench_proc_descriptors("/proc/self", false, &walked));
	ck_assert(bench_proc_descriptors("/proc/self", true, &sized));
	ck_assert_uint_eq(walked, before + 1);
	ck_assert_uint_le(walked - sized, 1);
	(void)close(fd);
}
END_TEST

START_TEST(process_numbers_have_bounds)
{
	ck_assert_int_eq(bench_proc_id("120,121", 3), 120);
	ck_assert_int_eq(bench_proc_id("4194304", 7), 4194304);
	ck_assert_int_eq(bench_proc_id("4194305", 7), 0);
	ck_assert_int_eq(bench_proc_id("10000000", 8), 0);
	ck_assert_int_eq(bench_proc_id("0", 1), 0);
	ck_assert_int_eq(bench_proc_id("", 0), 0);
	ck_assert_int_eq(bench_proc_id("-1", 2), 0);
	ck_assert_int_eq(bench_proc_id("12x", 3), 0);
	ck_assert_int_eq(bench_proc_id("self", 4), 0);
}
END_TEST

static void
add_procfs(TCase *tc)
{
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
}

/* --- unit ------------------------------------------------------------------------------------- */

/* A unit's processes, with a systemctl and control groups of our own. */

static char root[SCRATCH_PATH], path[BENCH_PROC_GROUP_PATH], error[BENCH_PROC_ERROR];

static void
setup(void)
{
	scratch_dir(root);
	memset(path, 'p', sizeof(path));
	memset(error, 'e', sizeof(error));
}

static void
teardown(void)
{
	tree_remove(root, "");
}

/* What our systemctl does; it is the first along PATH. */
static void
systemctl(const char *does)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", does);
	tree_write(root, "systemctl", text);
	(void)snprintf(text, sizeof(text), "%s/systemctl", root);
	ck_assert_int_eq(chmod(text, 0700), 0);
	(void)snprintf(text, sizeof(text), "%s:/usr/bin:/bin", root);
	ck_assert_int_eq(setenv("PATH", text, 1), 0);
}

START_TEST(unit_name_gives_its_control_group)
{
	systemctl("[ \"$*\" = 'show --property=ControlGroup --value --no-pager -- "
		  "-odd@a\\x2db' ] &&"
		  " echo /system.slice/unbound.service");
	ck_assert(bench_proc_unit("-odd@a\\x2db", path, error));
	ck_assert_str_eq(path, "/system.slice/unbound.service");
}
END_TEST

START_TEST(unit_that_does_not_run_is_told)
{
	systemctl("echo");
	ck_assert(!bench_proc_unit("unbound", path, error));
	ck_assert_str_eq(error, "unit unbound has no control group: it does not run");
	ck_assert_int_eq(path[0], 'p');
	systemctl(":");
	ck_assert(!bench_proc_unit("unbound", path, error));
	systemctl("echo /../../etc");
	ck_assert(!bench_proc_unit("unbound", path, error));
	systemctl("echo /a/..");
	ck_assert(!bench_proc_unit("unbound", path, error));
	systemctl("printf /%02000d 0");
	ck_assert(!bench_proc_unit("unbound", path, error));
	ck_assert_int_eq(path[0], 'p');
}
END_TEST

START_TEST(failing_systemctl_is_told_in_its_words)
{
	systemctl("printf 'System has not been booted with systemd\\033.\\nMore.\\n' >&2; exit 1");
	ck_assert(!bench_proc_unit("unbound", path, error));
	ck_assert_str_eq(
	    error, "unit unbound: systemctl: System has not been booted with systemd?.");
	systemctl("exit 1");
	ck_assert(!bench_proc_unit("unbound", path, error));
	ck_assert_str_eq(error, "unit unbound: systemctl: it failed");
	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	ck_assert(!bench_proc_unit("unbound", path, error));
	/* See bench_process_start. */
	ck_assert(strcmp(error, "unit unbound: systemctl: No such file or directory") == 0 ||
	    strcmp(error, "unit unbound: systemctl: it failed") == 0);
}
END_TEST

START_TEST(what_is_no_unit_name_is_refused)
{
	static const char *const names[] = { "", "a b", "unb*", "a/b", "a;b", "a\nb", "d\xc3\xa9" };
	char longer[300];

	systemctl("echo /system.slice/unbound.service");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ck_assert(!bench_proc_unit(names[i], path, error));
		ck_assert_ptr_nonnull(strstr(error, "is not the name of a unit"));
	}
	memset(longer, 'a', sizeof(longer));
	longer[256] = '\0';
	ck_assert(!bench_proc_unit(longer, path, error));
	longer[255] = '\0';
	ck_assert(bench_proc_unit(longer, path, error));
}
END_TEST

START_TEST(groups_below_count_in_version_2)
{
	int pids[8];

	tree_write(root, "sys/fs/cgroup/s/u/cgroup.procs", "120\n121\n");
	tree_write(root, "sys/fs/cgroup/s/u/memory.max", "7\n");
	tree_write(root, "sys/fs/cgroup/s/u/inner/deep/cgroup.procs", "122\n");
	tree_write(root, "sys/fs/cgroup/s/cgroup.procs", "1\n");
	tree_write(root, "sys/fs/cgroup/s/v/cgroup.procs", "2\n");
	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 8), 3);
	ck_assert_int_eq(pids[0], 120);
	ck_assert_int_eq(pids[1], 121);
	ck_assert_int_eq(pids[2], 122);
}
END_TEST

START_TEST(processes_are_found_in_version_1)
{
	int pids[8];

	tree_write(root, "sys/fs/cgroup/cpu/s/u/cgroup.procs", "7\n");
	tree_write(root, "sys/fs/cgroup/systemd/s/u/cgroup.procs", "120\n");
	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 8), 1);
	ck_assert_int_eq(pids[0], 120);
	/* Both versions: the one that has it counts. */
	tree_write(root, "sys/fs/cgroup/unified/s/u/cgroup.procs", "121\n");
	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 8), 1);
	ck_assert_int_eq(pids[0], 121);
}
END_TEST

START_TEST(odd_process_lists_are_read)
{
	int pids[2] = { 0 };

	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 2), 0);
	tree_write(root, "sys/fs/cgroup/s/u/cgroup.procs",
	    "0\n-5\nx\n99999999999999999999\n4194305\n\n11\n12");
	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 2), 1);
	ck_assert_int_eq(pids[0], 11);
	tree_write(root, "sys/fs/cgroup/s/u/cgroup.procs", "11\n12\n13\n14\n");
	ck_assert_uint_eq(bench_proc_group(root, "/s/u", pids, 2), 4);
	ck_assert_int_eq(pids[1], 12);
}
END_TEST

/* Deeper than any real one: the walk ends. */
START_TEST(walk_of_deep_groups_ends)
{
	int pids[32];

	tree_write(root, "sys/fs/cgroup/u/1/2/3/4/5/6/7/8/cgroup.procs", "8\n");
	tree_write(root, "sys/fs/cgroup/u/1/2/3/4/5/6/7/8/9/cgroup.procs", "9\n");
	ck_assert_uint_eq(bench_proc_group(root, "/u", pids, 32), 1);
	ck_assert_int_eq(pids[0], 8);
}
END_TEST

static void
add_unit(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, unit_name_gives_its_control_group);
	tcase_add_test(tc, unit_that_does_not_run_is_told);
	tcase_add_test(tc, failing_systemctl_is_told_in_its_words);
	tcase_add_test(tc, what_is_no_unit_name_is_refused);
	tcase_add_test(tc, groups_below_count_in_version_2);
	tcase_add_test(tc, processes_are_found_in_version_1);
	tcase_add_test(tc, odd_process_lists_are_read);
	tcase_add_test(tc, walk_of_deep_groups_ends);
}

void
tests_add(TCase *tc)
{
	add_file(tc);
	add_procfs(tc);
	add_unit(tests_case("unit"));
}
