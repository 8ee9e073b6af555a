/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines in words, ours and others. */

#include "bench/host/machine.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tree.h"

static void
read_tree(const char *cpuinfo, const char *release, const char *meminfo, struct bench_machine *m)
{
	char root[SCRATCH_PATH];

	scratch_dir(root);
	if (cpuinfo != NULL)
		tree_write(root, "proc/cpuinfo", cpuinfo);
	if (release != NULL)
		tree_write(root, "etc/os-release", release);
	if (meminfo != NULL)
		tree_write(root, "proc/meminfo", meminfo);
	bench_machine_read(root, m);
	tree_remove(root, "");
}

START_TEST(x86_has_its_model_name)
{
	struct bench_machine m;

	read_tree("processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n\n"
		  "processor\t: 1\nmodel name\t: Another\n\n",
	    "NAME=\"Debian GNU/Linux\"\n"
	    "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n",
	    "MemTotal:        8162552 kB\nMemFree: 1 kB\n", &m);
	ck_assert_str_eq(m.cpu, "AMD EPYC");
	ck_assert_uint_eq(m.cpus, 2);
	ck_assert_str_eq(m.os, "Debian GNU/Linux 12 (bookworm)");
	ck_assert_str_eq(m.memory, "7.8 GiB");
}
END_TEST

START_TEST(without_model_name_the_board_is_told)
{
	struct bench_machine m;
	struct utsname u;

	read_tree("processor\t: 0\nBogoMIPS : 108\nprocessor\t: 1\nprocessor\t: 2\n\n"
		  "Hardware\t: BCM2835\nModel\t\t: Raspberry Pi 4 Model B\n",
	    "NAME=Alpine\n", NULL, &m);
	ck_assert_str_eq(m.cpu, "Raspberry Pi 4 Model B");
	ck_assert_uint_eq(m.cpus, 3);
	ck_assert_str_eq(m.os, "Alpine");
	ck_assert_str_eq(m.memory, "unknown");

	read_tree("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", NULL, NULL, &m);
	ck_assert_str_eq(m.cpu, "POWER9, altivec supported");
	ck_assert_str_eq(m.os, "unknown");

	ck_assert_int_eq(uname(&u), 0);
	read_tree("processor\t: 0\nCPU part\t: 0xd08\n", NULL, NULL, &m);
	ck_assert_str_eq(m.cpu, u.machine);
}
END_TEST

/* A line that does not fit the buffer is none, and its pieces are none either. */
START_TEST(line_over_the_buffer_is_none)
{
	static char text[4096];
	struct bench_machine m;

	(void)snprintf(text, sizeof(text),
	    "processor\t: 0\nflags\t: %0511dprocessor\t: 7\n"
	    "model name\t: %0300d\n",
	    0, 0);
	memcpy(strstr(text, "flags") + 511, "model name: no\t", 15);
	read_tree(text, NULL, NULL, &m);
	ck_assert_uint_eq(m.cpus, 1);
	ck_assert_uint_eq(strlen(m.cpu), BENCH_MACHINE_TEXT - 1);
	ck_assert_uint_eq(strspn(m.cpu, "0"), BENCH_MACHINE_TEXT - 1);
}
END_TEST

/* Quoting as os-release(5) has it. */
START_TEST(os_release_quoting_is_undone)
{
	static const char *const rows[][2] = {
		{ "PRETTY_NAME=\"A \\\"B\\\" \\$C 'd'\"\n", "A \"B\" $C 'd'" },
		{ "PRETTY_NAME='A \\B \"c\"'\n", "A \\B \"c\"" },
		{ "X=1\n\nPRETTY_NAME=plain", "plain" },
		{ "PRETTY_NAME=\"open", "open" },
		{ "PRETTY_NAME=\"tab\there \xc3\xa9\"\n", "tab?here ??" },
		{ "PRETTY_NAME=\nNAME=\"Other\"\n", "Other" },
		{ "XPRETTY_NAME=no\n#NAME=no\n", "unknown" },
		{ "PRETTY_NAME=a\\\nNAME=b\n", "a\\" },
		{ "", "unknown" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_machine m;

		read_tree(NULL, rows[i][0], NULL, &m);
		ck_assert_str_eq(m.os, rows[i][1]);
	}
}
END_TEST

START_TEST(memory_is_a_number_or_unknown)
{
	struct bench_machine m;

	read_tree(NULL, NULL, "MemTotal: 99999999999999999999999 kB\n", &m);
	ck_assert_str_eq(m.memory, "unknown");
	read_tree(NULL, NULL, "MemTotal: 81625", &m);
	ck_assert_str_eq(m.memory, "unknown");
	read_tree(NULL, NULL, "MemTotal: 524288 kB\n", &m);
	ck_assert_str_eq(m.memory, "0.5 GiB");
}
END_TEST

START_TEST(this_machine_is_as_uname_says)
{
	struct bench_machine m;
	struct utsname u;

	bench_machine_read("", &m);
	ck_assert_int_eq(uname(&u), 0);
	ck_assert_int_eq(strncmp(m.kernel, u.sysname, strlen(u.sysname)), 0);
	ck_assert_ptr_nonnull(strstr(m.kernel, u.release));
	ck_assert_ptr_nonnull(strstr(m.kernel, u.machine));
	ck_assert_uint_eq(m.cpus, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
	ck_assert_str_ne(m.memory, "unknown");
	ck_assert_uint_gt(strlen(m.cpu), 0);
	ck_assert_uint_gt(strlen(m.os), 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_machine");
	TCase *tc = tcase_create("machine");

	tcase_add_test(tc, x86_has_its_model_name);
	tcase_add_test(tc, without_model_name_the_board_is_told);
	tcase_add_test(tc, line_over_the_buffer_is_none);
	tcase_add_test(tc, os_release_quoting_is_undone);
	tcase_add_test(tc, memory_is_a_number_or_unknown);
	tcase_add_test(tc, this_machine_is_as_uname_says);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
