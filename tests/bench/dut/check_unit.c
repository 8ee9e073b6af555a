/* SPDX-License-Identifier: BSD-2-Clause */
/* A unit's processes, with a systemctl and control groups of our own. */

#include "bench/dut/unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/scratch.h"
#include "support/tree.h"

static char root[SCRATCH_PATH], path[BENCH_UNIT_PATH], error[BENCH_UNIT_ERROR];

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
	ck_assert(bench_unit_find("-odd@a\\x2db", path, error));
	ck_assert_str_eq(path, "/system.slice/unbound.service");
}
END_TEST

START_TEST(unit_that_does_not_run_is_told)
{
	systemctl("echo");
	ck_assert(!bench_unit_find("unbound", path, error));
	ck_assert_str_eq(error, "unit unbound has no control group: it does not run");
	ck_assert_int_eq(path[0], 'p');
	systemctl(":");
	ck_assert(!bench_unit_find("unbound", path, error));
	systemctl("echo /../../etc");
	ck_assert(!bench_unit_find("unbound", path, error));
	systemctl("echo /a/..");
	ck_assert(!bench_unit_find("unbound", path, error));
	systemctl("printf /%02000d 0");
	ck_assert(!bench_unit_find("unbound", path, error));
	ck_assert_int_eq(path[0], 'p');
}
END_TEST

START_TEST(failing_systemctl_is_told_in_its_words)
{
	systemctl("printf 'System has not been booted with systemd\\033.\\nMore.\\n' >&2; exit 1");
	ck_assert(!bench_unit_find("unbound", path, error));
	ck_assert_str_eq(
	    error, "unit unbound: systemctl: System has not been booted with systemd?.");
	systemctl("exit 1");
	ck_assert(!bench_unit_find("unbound", path, error));
	ck_assert_str_eq(error, "unit unbound: systemctl: it failed");
	ck_assert_int_eq(setenv("PATH", "/nowhere", 1), 0);
	ck_assert(!bench_unit_find("unbound", path, error));
	/* See bench_spawn. */
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
		ck_assert(!bench_unit_find(names[i], path, error));
		ck_assert_ptr_nonnull(strstr(error, "is not the name of a unit"));
	}
	memset(longer, 'a', sizeof(longer));
	longer[256] = '\0';
	ck_assert(!bench_unit_find(longer, path, error));
	longer[255] = '\0';
	ck_assert(bench_unit_find(longer, path, error));
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
	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 8), 3);
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
	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 8), 1);
	ck_assert_int_eq(pids[0], 120);
	/* Both versions: the one that has it counts. */
	tree_write(root, "sys/fs/cgroup/unified/s/u/cgroup.procs", "121\n");
	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 8), 1);
	ck_assert_int_eq(pids[0], 121);
}
END_TEST

START_TEST(odd_process_lists_are_read)
{
	int pids[2] = { 0 };

	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 2), 0);
	tree_write(root, "sys/fs/cgroup/s/u/cgroup.procs",
	    "0\n-5\nx\n99999999999999999999\n4194305\n\n11\n12");
	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 2), 1);
	ck_assert_int_eq(pids[0], 11);
	tree_write(root, "sys/fs/cgroup/s/u/cgroup.procs", "11\n12\n13\n14\n");
	ck_assert_uint_eq(bench_unit_processes(root, "/s/u", pids, 2), 4);
	ck_assert_int_eq(pids[1], 12);
}
END_TEST

/* Deeper than any real one: the walk ends. */
START_TEST(walk_of_deep_groups_ends)
{
	int pids[32];

	tree_write(root, "sys/fs/cgroup/u/1/2/3/4/5/6/7/8/cgroup.procs", "8\n");
	tree_write(root, "sys/fs/cgroup/u/1/2/3/4/5/6/7/8/9/cgroup.procs", "9\n");
	ck_assert_uint_eq(bench_unit_processes(root, "/u", pids, 32), 1);
	ck_assert_int_eq(pids[0], 8);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_unit");
	TCase *tc = tcase_create("unit");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, unit_name_gives_its_control_group);
	tcase_add_test(tc, unit_that_does_not_run_is_told);
	tcase_add_test(tc, failing_systemctl_is_told_in_its_words);
	tcase_add_test(tc, what_is_no_unit_name_is_refused);
	tcase_add_test(tc, groups_below_count_in_version_2);
	tcase_add_test(tc, processes_are_found_in_version_1);
	tcase_add_test(tc, odd_process_lists_are_read);
	tcase_add_test(tc, walk_of_deep_groups_ends);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
