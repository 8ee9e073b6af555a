/* SPDX-License-Identifier: BSD-2-Clause */
/* Machines in words, ours and others; how they can measure, and how busy they were. */

#include "bench/host/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/scratch.h"
#include "support/tests.h"
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
	    "PRETTY_NAME='Alpine'\n", NULL, &m);
	ck_assert_str_eq(m.cpu, "Raspberry Pi 4 Model B");
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

START_TEST(long_model_is_cut)
{
	static char text[1024];
	struct bench_machine m;

	(void)snprintf(text, sizeof(text), "processor\t: 0\nmodel name\t: %0300d\n", 0);
	read_tree(text, NULL, NULL, &m);
	ck_assert_uint_eq(strlen(m.cpu), BENCH_MACHINE_TEXT - 1);
	ck_assert_uint_eq(strspn(m.cpu, "0"), BENCH_MACHINE_TEXT - 1);
}
END_TEST

START_TEST(name_of_the_system_is_without_quotes)
{
	static const char *const rows[][2] = {
		{ "PRETTY_NAME=\"A (b)\"\n", "A (b)" },
		{ "X=1\n\nPRETTY_NAME=plain", "plain" },
		{ "PRETTY_NAME=\"open", "open" },
		{ "PRETTY_NAME=\"tab\there \xc3\xa9\x7f\"\n", "tab?here ???" },
		{ "XPRETTY_NAME=no\n#NAME=no\n", "unknown" },
		{ "PRETTY_NAME=\n", "unknown" },
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

/* --- How it can measure, and how busy it was -------------------------------------------------- */

START_TEST(means_are_read)
{
	char root[SCRATCH_PATH];
	struct bench_machine m;

	scratch_dir(root);
	bench_machine_read(root, &m);
	ck_assert_str_eq(m.governor, "unknown");
	ck_assert_str_eq(m.affinity, "unknown");
	ck_assert_uint_eq(m.rmem_max, 0);
	tree_write(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	tree_write(
	    root, "proc/self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n");
	tree_write(root, "proc/sys/net/core/rmem_max", "212992\n");
	bench_machine_read(root, &m);
	ck_assert_str_eq(m.governor, "performance");
	ck_assert_str_eq(m.affinity, "0-3");
	ck_assert_uint_eq(m.rmem_max, 212992);
	tree_remove(root, "");
}
END_TEST

static struct bench_busy
busy(const char *stat)
{
	char root[SCRATCH_PATH];
	struct bench_busy b;

	scratch_dir(root);
	tree_write(root, "proc/stat", stat);
	bench_busy_read(root, &b);
	tree_remove(root, "");
	return b;
}

/* The last two times of a line are in the first two already. */
START_TEST(stolen_time_is_a_share_of_all)
{
	struct bench_busy a = busy("cpu  10 0 10 70 0 0 0 10 5 5\n"),
			  b = busy("cpu  20 0 10 130 0 0 0 40 9 9\ncpu0 1 2\n");

	ck_assert_double_eq(bench_busy_since(&a, &b).stolen, 30);
	ck_assert_double_eq(bench_busy_since(&a, &a).stolen, 0);
	ck_assert_double_eq(bench_busy_since(&b, &a).stolen, 0);
}
END_TEST

/* Who waits for a disk does not work; what a hypervisor took did not stand idle. */
START_TEST(work_of_all_is_a_share_of_all)
{
	struct bench_busy a = busy("cpu  10 0 10 70 5 0 0 10 5 5\n"),
			  b = busy("cpu  40 0 20 110 15 0 0 20 9 9\n");

	ck_assert_double_eq(bench_busy_since(&a, &b).all, 50);
	ck_assert_double_eq(bench_busy_since(&a, &a).all, 0);
	ck_assert_double_eq(bench_busy_since(&b, &a).all, 0);
}
END_TEST

/* Behind a line of any length, and as a rate. */
START_TEST(context_switches_are_counted)
{
	static char text[40000];
	int n = snprintf(text, sizeof(text), "cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 9");

	for (unsigned i = 0; i < 10000; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " 7");
	(void)snprintf(text + n, sizeof(text) - (size_t)n, "\nctxt 5000\nbtime 1\n");
	struct bench_busy a = busy("cpu  1 2 3 4\nctxt 2000\n"), b = busy(text);

	b.when_ns = a.when_ns + 2 * NS_PER_SEC;
	ck_assert_uint_eq(b.switches, 5000);
	ck_assert_double_eq(bench_busy_since(&a, &b).switches, 1500);
	ck_assert_double_eq(bench_busy_since(&b, &a).switches, 0);
	ck_assert_double_eq(bench_busy_since(&a, &a).switches, 0);
}
END_TEST

START_TEST(what_is_no_such_file_is_unknown)
{
	static const char *const garbage[] = { "", "cpu", "cpu \n", "x 1 2 3", "cpu  1 x" };

	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		struct bench_busy b = busy(garbage[i]);

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
	ck_assert_uint_gt(b.ticks, 0);
	ck_assert_double_gt(bench_busy_since(&a, &b).cpu, 1); /* others may be at work, too */
	ck_assert_double_le(bench_busy_since(&a, &b).cpu, 110);
	ck_assert_double_eq(bench_busy_since(&a, &a).cpu, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, x86_has_its_model_name);
	tcase_add_test(tc, without_model_name_the_board_is_told);
	tcase_add_test(tc, long_model_is_cut);
	tcase_add_test(tc, name_of_the_system_is_without_quotes);
	tcase_add_test(tc, memory_is_a_number_or_unknown);
	tcase_add_test(tc, this_machine_is_as_uname_says);
	tcase_add_test(tc, means_are_read);
	tcase_add_test(tc, stolen_time_is_a_share_of_all);
	tcase_add_test(tc, work_of_all_is_a_share_of_all);
	tcase_add_test(tc, context_switches_are_counted);
	tcase_add_test(tc, what_is_no_such_file_is_unknown);
	tcase_add_test(tc, own_time_is_counted);
}
