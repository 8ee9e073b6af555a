/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/cpus.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

#define PATH_ROOM 1024 /* for a path below a cgroup mount; longer ones are ignored */

/* Read the first line of the file DIR/NAME to LINE, which has room for CAP bytes. */
static bool
first_line(const char *dir, const char *name, char *line, int cap)
{
	char path[PATH_ROOM + 64];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	bool ok = fgets(line, cap, f) != NULL;
	fclose(f);
	return ok;
}

/* How many CPUs QUOTA of PERIOD are, rounded up; 0 if that is no limit. */
static unsigned
in_cpus(uint64_t quota, uint64_t period)
{
	if (quota == 0 || period == 0 || quota / period >= UINT_MAX)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

/* The number that LINE begins with; 0 for "max" and -1, which stand for no limit. */
static uint64_t
number_at(const char *line)
{
	uint64_t v;

	return number_prefix(line, strlen(line), INT64_MAX, &v) > 0 ? v : 0;
}

/* The quota that the cgroup at DIR itself sets, in CPUs; reads the files of v2 or v1. */
static unsigned
quota_at(const char *dir)
{
	char line[64];
	uint64_t quota;

	if (first_line(dir, "cpu.max", line, sizeof(line))) {
		const char *period = strchr(line, ' ');

		return period != NULL ? in_cpus(number_at(line), number_at(period + 1)) : 0;
	}
	if (!first_line(dir, "cpu.cfs_quota_us", line, sizeof(line)))
		return 0;
	quota = number_at(line);
	if (!first_line(dir, "cpu.cfs_period_us", line, sizeof(line)))
		return 0;
	return in_cpus(quota, number_at(line));
}

/* The smaller of two quotas; 0 is no limit. */
static unsigned
least(unsigned a, unsigned b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

/* The smallest quota from the cgroup PATH below MOUNT up to MOUNT itself. PATH is changed. */
static unsigned
quota_along(const char *mount, char *path)
{
	char dir[PATH_ROOM];
	unsigned quota = 0;

	for (;;) {
		char *slash = strrchr(path, '/');

		if (snprintf(dir, sizeof(dir), "%s%s", mount, path) < (int)sizeof(dir))
			quota = least(quota, quota_at(dir));
		if (slash == NULL)
			return quota;
		*slash = '\0';
	}
}

/* Is "cpu" among the controllers "cpu,cpuacct"? */
static bool
has_cpu(const char *controllers)
{
	while (*controllers != '\0') {
		size_t n = strcspn(controllers, ",");

		if (n == 3 && memcmp(controllers, "cpu", 3) == 0)
			return true;
		controllers += n + (controllers[n] == ',' ? 1 : 0);
	}
	return false;
}

/* One line of /proc/self/cgroup: "0::/path" (v2) or "4:cpu,cpuacct:/path" (v1). */
static unsigned
quota_of_line(const char *root, char *line)
{
	char mount[PATH_ROOM];
	char *controllers = strchr(line, ':');
	char *path = controllers == NULL ? NULL : strchr(controllers + 1, ':');

	if (path == NULL)
		return 0;
	*path++ = '\0';
	controllers++;
	path[strcspn(path, "\n")] = '\0';
	if (*controllers == '\0')
		snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
	else if (has_cpu(controllers))
		snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/%s", root, controllers);
	else
		return 0;
	return quota_along(mount, path);
}

unsigned
cpus_quota(const char *root)
{
	char path[PATH_ROOM], line[PATH_ROOM];
	unsigned quota = 0;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	FILE *f = fopen(path, "re");
	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		quota = least(quota, quota_of_line(root, line));
	fclose(f);
	return quota;
}

void
cpus_get(struct cpus *c, const char *root)
{
	CPU_ZERO(&c->mask);
	if (sched_getaffinity(0, sizeof(c->mask), &c->mask) != 0)
		CPU_SET(0, &c->mask);
	/* As it is: nothing changes, but who may not (by a filter of system calls) learns it. */
	c->may_bind = sched_setaffinity(0, sizeof(c->mask), &c->mask) == 0;
	c->n = (unsigned)CPU_COUNT(&c->mask);
	c->quota = cpus_quota(root);
}

/* Have PLAN bind loops to those CPUs of WANTED that C permits, or a notice why not. */
static void
bind_loops(struct cpus_plan *plan, const struct cpus *c, const cpu_set_t *wanted)
{
	cpu_set_t usable;

	CPU_AND(&usable, wanted, &c->mask);
	if (CPU_COUNT(&usable) == 0) {
		plan->notice = "cpu-affinity names no CPU that this process may use; not pinned";
	} else {
		plan->pinned = true;
		plan->set = usable;
	}
}

void
cpus_decide(const struct cpus *c, const struct settings *s, struct cpus_plan *plan)
{
	unsigned n_usable;

	*plan = (struct cpus_plan){ .set = c->mask };
	if (s->affinity.given)
		bind_loops(plan, c, &s->affinity.set);
	n_usable = (unsigned)CPU_COUNT(&plan->set);
	plan->n_loops = s->num_threads > 0 ? s->num_threads : least(n_usable, c->quota);
	if (plan->n_loops > SETTINGS_LOOPS)
		plan->n_loops = SETTINGS_LOOPS;
	if (plan->n_loops > n_usable) {
		plan->notice = "there are more loops than CPUs, which serves no purpose";
		plan->pinned = false;
	}
	if (plan->pinned && !c->may_bind) {
		plan->notice = "cpu-affinity: this process may not bind its threads to CPUs "
			       "(a unit permits it by SystemCallFilter=sched_setaffinity)";
		plan->pinned = false;
	}
}

size_t
cpus_of_loop(const struct cpus_plan *plan, unsigned i)
{
	unsigned left = i % (unsigned)CPU_COUNT(&plan->set);

	for (size_t cpu = 0;; cpu++) {
		if (CPU_ISSET(cpu, &plan->set) && left-- == 0)
			return cpu;
	}
}
