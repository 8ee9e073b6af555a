/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CPUS_H
#define DNS64D_DAEMON_CPUS_H

/*
 * cpus: decide how many loops there are, and which CPUs they are bound to.
 */

#include <sched.h>
#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"

/* What the machine permits this process to use. */
struct cpus {
	cpu_set_t mask; /* CPUs this process may run on */
	unsigned n;     /* number of CPUs in mask */
	bool may_bind;  /* may it bind its threads to them? */
	unsigned quota; /* CPU time that the cgroup grants, in CPUs, rounded up; 0: no limit */
};

/* What was decided. */
struct cpus_plan {
	unsigned n_loops;
	bool pinned;        /* loop i is bound to the i-th CPU of set, see cpus_of_loop */
	cpu_set_t set;      /* CPUs for the loops */
	const char *notice; /* for the log, a constant; NULL: nothing */
};

/*
 * cpus_get: ask the kernel which CPUs and how much CPU time this process may use. ROOT is put
 * before the paths of /proc and /sys; it is "" except in tests.
 */
void cpus_get(struct cpus *c, const char *root);

/*
 * cpus_quota: the smallest CPU quota of the process's cgroup (v2 or v1) and its ancestors, in CPUs,
 * rounded up; 0: no limit. ROOT as with cpus_get.
 */
MUST_USE unsigned cpus_quota(const char *root);

/*
 * cpus_decide: fill *PLAN from what C permits and S configures (num-threads, cpu-affinity). Loops
 * are pinned only by cpu-affinity: a pinned loop cannot leave a CPU that a process of higher
 * priority occupies, and all questions in its sockets wait.
 */
void cpus_decide(const struct cpus *c, const struct settings *s, struct cpus_plan *plan);

/* cpus_of_loop: the number of the CPU that loop I is bound to. PLAN must be pinned. */
MUST_USE size_t cpus_of_loop(const struct cpus_plan *plan, unsigned i);

#endif
