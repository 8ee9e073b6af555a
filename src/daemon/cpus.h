/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CPUS_H
#define DNS64D_DAEMON_CPUS_H

/*
 * cpus: how many loops, and on which CPUs.
 */

#include <sched.h>
#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"

/* What the machine lets us use. */
struct cpus {
	cpu_set_t mask; /* CPUs this process may run on */
	unsigned n;     /* how many those are */
	unsigned quota; /* CPUs' worth of time that the cgroup grants, rounded up; 0: no limit */
};

struct cpus_plan {
	unsigned n_loops;
	bool pinned; /* each loop to one CPU of SET, in turn */
	cpu_set_t set;
	const char *notice; /* what the operator should know of it; NULL: nothing */
};

/* cpus_get: ask the kernel. ROOT is put before the paths of /proc and /sys: "" but in tests. */
void cpus_get(struct cpus *c, const char *root);

/*
 * cpus_quota: the least CPU quota of the process's cgroup (v2 or v1) and those above it, in CPUs,
 * rounded up; 0: none.
 */
MUST_USE unsigned cpus_quota(const char *root);

/*
 * cpus_decide: loops are pinned only where that cannot hurt: as many loops as CPUs and no quota,
 * or if the operator says so.
 */
void cpus_decide(const struct cpus *c, const struct settings *s, struct cpus_plan *plan);

/* cpus_of_loop: the CPU that loop number I is pinned to (PLAN is pinned). */
MUST_USE size_t cpus_of_loop(const struct cpus_plan *plan, unsigned i);

#endif
