/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many loops and where: masks, quotas of both versions of control groups, the operator's wish.
 */

#include "daemon/cpus.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

static char root[SCRATCH_PATH];

static void
make(void)
{
	scratch_dir(root);
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
unmake(void)
{
	(void)nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file below the root, with its directories. */
static void
put(const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		(void)mkdir(path, 0700);
		*slash = '/';
	}
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

START_TEST(without_a_group_there_is_no_quota)
{
	ck_assert_uint_eq(cpus_quota(root), 0);
	put("proc/self/cgroup", "nonsense\n0::\n1:\n");
	ck_assert_uint_eq(cpus_quota(root), 0);
}
END_TEST

START_TEST(quota_of_version_2_is_read)
{
	put("proc/self/cgroup", "0::/system.slice/dns64d.service\n");
	ck_assert_uint_eq(cpus_quota(root), 0);
	put("sys/fs/cgroup/system.slice/dns64d.service/cpu.max", "max 100000\n");
	ck_assert_uint_eq(cpus_quota(root), 0);
	put("sys/fs/cgroup/system.slice/dns64d.service/cpu.max", "350000 100000\n");
	ck_assert_uint_eq(cpus_quota(root), 4);
	/* The least of those above counts. */
	put("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
	ck_assert_uint_eq(cpus_quota(root), 2);
	put("sys/fs/cgroup/cpu.max", "100000 100000\n");
	ck_assert_uint_eq(cpus_quota(root), 1);
}
END_TEST

START_TEST(version_2_in_a_container)
{
	put("proc/self/cgroup", "0::/\n");
	put("sys/fs/cgroup/cpu.max", "20000 100000\n");
	ck_assert_uint_eq(cpus_quota(root), 1);
}
END_TEST

START_TEST(quota_of_version_1_is_read)
{
	put("proc/self/cgroup",
	    "9:name=systemd:/\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/docker/abc\n");
	put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
	put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
	ck_assert_uint_eq(cpus_quota(root), 0);
	put("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "250000\n");
	ck_assert_uint_eq(cpus_quota(root), 3);
	/* cpuset is another controller. */
	put("proc/self/cgroup", "3:cpuset:/docker/abc\n2:cpuacct:/docker/abc\n");
	put("sys/fs/cgroup/cpuset/docker/abc/cpu.cfs_quota_us", "100000\n");
	put("sys/fs/cgroup/cpuset/docker/abc/cpu.cfs_period_us", "100000\n");
	ck_assert_uint_eq(cpus_quota(root), 0);
}
END_TEST

struct plan_case {
	unsigned n; /* CPUs, from number 0 */
	unsigned quota;
	unsigned num_threads;
	unsigned long affinity; /* bits; 0: auto */
	unsigned n_loops;
	bool pinned;
	bool notice;
	bool forbidden; /* to bind threads */
};

static const struct plan_case plans[] = {
	/* Without cpu-affinity none is bound: what has its CPU would have its questions, too. */
	{ 4, 0, 0, 0, 4, false, false, false },
	{ 1, 0, 0, 0, 1, false, false, false },
	{ 4, 2, 0, 0, 2, false, false, false },
	{ 4, 4, 0, 0, 4, false, false, false }, /* a quota: others run here too */
	{ 2, 8, 0, 0, 2, false, false, false },
	{ 4, 0, 2, 0, 2, false, false, false },
	{ 4, 0, 4, 0, 4, false, false, false },
	{ 2, 0, 16, 0, 16, false, true, false }, /* mtd64-ng's number of workers */
	{ 4, 0, 0, 0x6, 2, true, false, false },
	{ 4, 0, 1, 0x6, 1, true, false, false },
	{ 4, 0, 3, 0x6, 3, false, true, false },
	{ 4, 1, 0, 0x6, 1, true, false, false },
	{ 2, 0, 0, 0x30, 2, false, true, false }, /* CPUs that are not ours */
	{ 64, 0, 0, 0, 64, false, false, false },
	{ 4, 0, 0, 0xf, 4, true, false, false },
	{ 65, 0, 0, 0, 64, false, false, false },
	{ 100, 0, 0, 0, 64, false, false, false },
	{ 4, 0, 0, 0, 4, false, false, true },
	{ 4, 0, 0, 0x6, 2, false, true, true },
};

START_TEST(loops_and_cpus_are_decided)
{
	const struct plan_case *c = &plans[_i];
	struct cpus cpus = { .n = c->n, .quota = c->quota, .may_bind = !c->forbidden };
	static struct settings s;
	struct cpus_plan plan;

	memset(&s, 0, sizeof(s));
	CPU_ZERO(&cpus.mask);
	for (unsigned i = 0; i < c->n; i++)
		CPU_SET(i, &cpus.mask);
	s.num_threads = c->num_threads;
	s.affinity.given = c->affinity != 0;
	for (unsigned i = 0; i < 8; i++) {
		if (c->affinity >> i & 1)
			CPU_SET(i, &s.affinity.set);
	}
	cpus_decide(&cpus, &s, &plan);
	ck_assert_uint_eq(plan.n_loops, c->n_loops);
	ck_assert_int_eq(plan.pinned, c->pinned);
	ck_assert_int_eq(plan.notice != NULL, c->notice);
}
END_TEST

START_TEST(loops_have_their_cpus_in_turn)
{
	struct cpus_plan plan = { .pinned = true };

	CPU_ZERO(&plan.set);
	CPU_SET(1, &plan.set);
	CPU_SET(5, &plan.set);
	ck_assert_uint_eq(cpus_of_loop(&plan, 0), 1);
	ck_assert_uint_eq(cpus_of_loop(&plan, 1), 5);
	ck_assert_uint_eq(cpus_of_loop(&plan, 2), 1);
}
END_TEST

START_TEST(this_machine_has_its_cpus)
{
	struct cpus cpus;

	cpus_get(&cpus, root);
	ck_assert_uint_ge(cpus.n, 1);
	ck_assert_uint_eq(cpus.n, (unsigned)CPU_COUNT(&cpus.mask));
	ck_assert_uint_eq(cpus.quota, 0);
	ck_assert(cpus.may_bind);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, without_a_group_there_is_no_quota);
	tcase_add_test(tc, quota_of_version_2_is_read);
	tcase_add_test(tc, version_2_in_a_container);
	tcase_add_test(tc, quota_of_version_1_is_read);
	tcase_add_loop_test(
	    tc, loops_and_cpus_are_decided, 0, (int)(sizeof(plans) / sizeof(plans[0])));
	tcase_add_test(tc, loops_have_their_cpus_in_turn);
	tcase_add_test(tc, this_machine_has_its_cpus);
}
