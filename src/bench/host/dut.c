/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/dut.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/host/proc.h"

#define PID_MAX 4194304 /* Linux gives none above */
#define ROOT_MAX 448    /* bytes of a path, with the zero */

/* A process that was seen, by its number and when it began, in ticks since boot. */
struct process {
	int pid;
	uint64_t start;
	uint64_t cpu_ns, switches; /* so far */
	unsigned seen;             /* the reading that it lived in last */
};

struct bench_dut {
	char root[ROOT_MAX];
	enum bench_dut_by by;
	const char *what; /* borrowed */
	unsigned reading; /* from 2 on; a number means the process that had it in the first */
	struct process all[BENCH_DUT_PIDS];
	struct bench_usage sum; /* the counters of all, of the ended ones too */
};

/* --- Usage ------------------------------------------------------------------------------------ */

static uint64_t
since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void
bench_usage_since(const struct bench_usage *before, const struct bench_usage *after,
    struct bench_usage *difference)
{
	struct bench_usage d = *after;

	d.time_ns = since(before->time_ns, after->time_ns);
	d.cpu_ns = since(before->cpu_ns, after->cpu_ns);
	d.switches = since(before->switches, after->switches);
	*difference = d;
}

double
bench_usage_load(const struct bench_usage *d)
{
	return d->time_ns > 0 ? (double)d->cpu_ns / (double)d->time_ns : 0;
}

/* --- One process ------------------------------------------------------------------------------ */

/* What its file stat has. */
struct stat_line {
	uint64_t cpu_ns, start;
	bool ended; /* it only waits for its parent */
};

/* The fields of proc_pid_stat(5) behind the name, which may have any character. 0 or -errno. */
static int
read_stat(const struct bench_dut *d, int pid, struct stat_line *s)
{
	uint64_t user, system, threads, per_second = (uint64_t)sysconf(_SC_CLK_TCK);
	struct bench_proc_file file;
	char state;
	int r = bench_proc_read(&file, "%s/proc/%d/stat", d->root, pid);

	if (r < 0)
		return r;
	const char *end = strrchr(file.text, ')');
	if (end == NULL ||
	    sscanf(end + 1,
		" %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
		" %*d %*d %*d %*d %" SCNu64 " %*d %" SCNu64,
		&state, &user, &system, &threads, &s->start) != 5)
		return -EBADMSG;
	s->cpu_ns = (user + system) * (NS_PER_SEC / per_second);
	/* With other threads it is shown so when only its first one has ended. */
	s->ended = (state == 'Z' || state == 'X') && threads <= 1;
	return 0;
}

/* CPU time of a process in ns, which S has in ticks. */
static uint64_t
cpu_of(const struct bench_dut *d, int pid, const struct stat_line *s)
{
	struct timespec now;
	clockid_t id;

	if (d->root[0] != '\0' || clock_getcpuclockid(pid, &id) != 0 ||
	    clock_gettime(id, &now) != 0)
		return s->cpu_ns;
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static uint64_t
number_of(const char *text, const char *key)
{
	const char *at = bench_proc_value(text, key, ':');
	uint64_t v = 0;

	return at != NULL && bench_proc_number(&at, &v) ? v : 0;
}

/*
 * The context switches of all threads, and the memory, which each of them shows but one that has
 * ended. Not of smaps_rollup: for that the kernel holds a lock that the server needs to map memory.
 */
static void
read_threads(const struct bench_dut *d, int pid, uint64_t *switches, uint64_t *rss)
{
	struct bench_proc_file file;
	char dir[ROOT_MAX + 32];

	*switches = *rss = 0;
	(void)snprintf(dir, sizeof(dir), "%s/proc/%d/task", d->root, pid);
	DIR *tasks = opendir(dir);
	for (struct dirent *e; tasks != NULL && (e = readdir(tasks)) != NULL;) {
		if (bench_proc_read(&file, "%s/%s/status", dir, e->d_name) < 0)
			continue;
		uint64_t bytes = 1024 * number_of(file.text, "VmRSS");
		*rss = bytes > *rss ? bytes : *rss;
		*switches += number_of(file.text, "voluntary_ctxt_switches") +
		    number_of(file.text, "nonvoluntary_ctxt_switches");
	}
	if (tasks != NULL)
		(void)closedir(tasks);
}

/* The process as it was seen, or a place for a new one; NULL: there is none, or it is not ours. */
static struct process *
find(struct bench_dut *d, int pid, uint64_t start, struct bench_usage *usage)
{
	struct process *place = NULL;

	for (size_t i = 0; i < BENCH_DUT_PIDS; i++) {
		struct process *p = &d->all[i];

		if (p->pid == pid && p->start == start)
			return p;
		if (p->seen + 1 < d->reading)
			place = p;
	}
	if (d->by == BENCH_DUT_BY_PIDS && d->reading > 2)
		return NULL;
	usage->left_out += place == NULL;
	if (place != NULL)
		*place = (struct process){ .pid = pid, .start = start };
	return place;
}

/* Read the process PID: its counters go up, the rest is added to *usage. */
static void
visit(struct bench_dut *d, int pid, struct bench_usage *usage)
{
	uint64_t switches, rss;
	struct stat_line s;
	struct process *p = read_stat(d, pid, &s) == 0 ? find(d, pid, s.start, usage) : NULL;

	if (p == NULL || p->seen == d->reading)
		return;
	uint64_t cpu_ns = cpu_of(d, pid, &s);
	read_threads(d, pid, &switches, &rss);
	d->sum.cpu_ns += since(p->cpu_ns, cpu_ns);
	d->sum.switches += since(p->switches, switches);
	p->cpu_ns += since(p->cpu_ns, cpu_ns);
	p->switches += since(p->switches, switches);
	if (s.ended)
		return;
	p->seen = d->reading;
	usage->rss += rss;
	usage->processes++;
}

/* --- All processes ---------------------------------------------------------------------------- */

/* The number of a process that the LEN bytes at TEXT are; 0 if they are none. */
static int
pid_of(const char *text, size_t len)
{
	uint64_t v;

	return number_parse(text, len, PID_MAX, &v) ? (int)v : 0;
}

/* Is the process in the control group of the unit, in any hierarchy? */
static bool
is_of_unit(const struct bench_dut *d, int pid)
{
	const char *end = strchr(d->what, '.') != NULL ? "" : ".service";
	struct bench_proc_file file;
	char name[NAME_MAX + 1];

	int len = snprintf(name, sizeof(name), "/%.200s%s", d->what, end);
	if (bench_proc_read(&file, "%s/proc/%d/cgroup", d->root, pid) < 0)
		return false;
	for (const char *at = file.text; (at = strstr(at, name)) != NULL; at++) {
		if (strchr("/\n", at[len]) != NULL)
			return true;
	}
	return false;
}

static void
visit_unit(struct bench_dut *d, struct bench_usage *usage)
{
	char dir[ROOT_MAX + 32];

	(void)snprintf(dir, sizeof(dir), "%s/proc", d->root);
	DIR *proc = opendir(dir);
	for (struct dirent *e; proc != NULL && (e = readdir(proc)) != NULL;) {
		int pid = pid_of(e->d_name, strlen(e->d_name));

		if (pid > 0 && is_of_unit(d, pid))
			visit(d, pid, usage);
	}
	if (proc != NULL)
		(void)closedir(proc);
}

void
bench_dut_read(struct bench_dut *d, struct bench_usage *usage)
{
	struct bench_proc_file file;
	const char *p = d->what;
	size_t len;

	*usage = (struct bench_usage){ .time_ns = clock_now_ns() };
	d->reading++;
	switch (d->by) {
	case BENCH_DUT_BY_UNIT:
		visit_unit(d, usage);
		break;
	case BENCH_DUT_BY_FILE:
		if (bench_proc_read(&file, "%s", p) == 0)
			visit(d, pid_of(file.text, strspn(file.text, "0123456789")), usage);
		break;
	case BENCH_DUT_BY_PIDS:
		for (; *p != '\0'; p += len + (p[len] == ',')) {
			len = strcspn(p, ",");
			visit(d, pid_of(p, len), usage);
		}
		break;
	}
	usage->cpu_ns = d->sum.cpu_ns;
	usage->switches = d->sum.switches;
}

/* --- Life ------------------------------------------------------------------------------------- */

static bool PRINTF_LIKE(2, 3) complain(char *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(error, BENCH_DUT_ERROR, format, ap);
	va_end(ap);
	return false;
}

/* Are the LEN bytes at TEXT the number of a process that can be watched? */
static bool
check(const struct bench_dut *d, const char *text, size_t len, char *error)
{
	struct bench_proc_file file;
	struct stat_line s;
	int pid = pid_of(text, len);

	if (pid == 0)
		return complain(error, "\"%.*s\" is not the number of a process",
		    len < 60 ? (int)len : 60, text);
	int r = read_stat(d, pid, &s);
	if (r == 0)
		r = bench_proc_read(&file, "%s/proc/%d/status", d->root, pid);
	if (r == -ENOENT || r == -ESRCH)
		return complain(error, "process %d: there is none, or /proc hides it", pid);
	if (r < 0)
		return complain(error, "process %d: %s", pid, strerror(-r));
	if (s.ended)
		return complain(error, "process %d has ended and waits for its parent", pid);
	uint64_t process = number_of(file.text, "Tgid");
	return process == 0 || process == (uint64_t)pid ||
	    complain(error, "%d is not a process but a thread of process %" PRIu64, pid, process);
}

/* Is there something to watch? A first reading tells. */
static bool
check_all(struct bench_dut *d, char *error)
{
	struct bench_usage usage;
	size_t len = 0;

	for (const char *p = d->what; d->by == BENCH_DUT_BY_PIDS; p += len + 1) {
		len = strcspn(p, ",");
		if (!check(d, p, len, error))
			return false;
		if (p[len] == '\0')
			break;
	}
	bench_dut_read(d, &usage);
	if (usage.left_out > 0)
		return complain(error, "more than %d processes", BENCH_DUT_PIDS);
	return usage.processes > 0 ||
	    complain(error,
		d->by == BENCH_DUT_BY_UNIT
		    ? "unit %.100s has no process: it does not run"
		    : "file %.100s: no process has the number that it begins with",
		d->what);
}

struct bench_dut *
bench_dut_new(
    const char *root, enum bench_dut_by by, const char *what, char error[static BENCH_DUT_ERROR])
{
	struct bench_dut *d = calloc(1, sizeof(*d));

	if (d == NULL || strlen(root) >= sizeof(d->root)) {
		(void)complain(error, "no memory for the figures of the server");
		free(d);
		return NULL;
	}
	*d = (struct bench_dut){ .by = by, .what = what, .reading = 1 };
	memcpy(d->root, root, strlen(root));
	if (check_all(d, error))
		return d;
	free(d);
	return NULL;
}

void
bench_dut_free(struct bench_dut *d)
{
	free(d);
}
