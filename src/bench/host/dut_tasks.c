/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_dut: the processes and threads of the server, and what they used, reading after reading. */
#include "bench/host/dut.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define PROC_PATH (BENCH_TASKS_ROOT + 64) /* "ROOT/proc/PID/task/TID" */

/* --- What was used ---------------------------------------------------------------------------- */

void
bench_usage_add(struct bench_usage *sum, const struct bench_usage *u)
{
	sum->cpu_ns += u->cpu_ns;
	sum->switches += u->switches;
	sum->preemptions += u->preemptions;
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void
bench_usage_raise(struct bench_usage *u, const struct bench_usage *seen)
{
	u->cpu_ns = larger(u->cpu_ns, seen->cpu_ns);
	u->switches = larger(u->switches, seen->switches);
	u->preemptions = larger(u->preemptions, seen->preemptions);
}

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
	d.preemptions = since(before->preemptions, after->preemptions);
	*difference = d;
}

double
bench_usage_load(const struct bench_usage *difference)
{
	if (difference->time_ns == 0)
		return 0;
	return (double)difference->cpu_ns / (double)difference->time_ns;
}

/* --- The table -------------------------------------------------------------------------------- */

/*
 * Whether R, the result of reading a file of a process, says that there is no such process. With
 * any other fault (our own descriptors are used up) it lives on as it was.
 */
static bool
is_gone(int r)
{
	return r == -ENOENT || r == -ESRCH;
}

/* The counters of K go up to SEEN, if that is higher; what they rose by is added to SUM. */
static void
raise_counters(struct bench_task *k, const struct bench_usage *seen, struct bench_usage *sum)
{
	struct bench_usage more = k->row.used;

	bench_usage_raise(&k->row.used, seen);
	bench_usage_since(&more, &k->row.used, &more);
	bench_usage_add(sum, &more);
}

static void
end_task(struct bench_task *k)
{
	struct bench_usage *u = &k->row.used;

	k->row.ended = true;
	u->rss = 0;
	u->processes = u->threads = u->descriptors = u->uncounted = 0;
}

/* A process has ended, and its threads with it: their numbers may be used again. */
static void
end_process(struct bench_tasks *t, int pid)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->all[i].row.pid == pid && !t->all[i].row.ended)
			end_task(&t->all[i]);
	}
}

/* The task PID, TID that lives as far as we know; NULL if there is none. */
static struct bench_task *
living(struct bench_tasks *t, int pid, int tid)
{
	for (size_t i = 0; i < t->n; i++) {
		struct bench_task *k = &t->all[i];

		if (k->row.pid == pid && k->row.tid == tid && !k->row.ended)
			return k;
	}
	return NULL;
}

/* The same, that began at START and may have ended. */
static struct bench_task *
known(struct bench_tasks *t, int pid, int tid, uint64_t start)
{
	for (size_t i = 0; i < t->n; i++) {
		struct bench_task *k = &t->all[i];

		if (k->row.pid == pid && k->row.tid == tid && k->start == start)
			return k;
	}
	return NULL;
}

/* A new task, if need be in the place of one that has ended; NULL if all are alive. */
static struct bench_task *
add_task(struct bench_tasks *t, int pid, int tid, uint64_t start)
{
	struct bench_task *k = NULL;

	if (t->n < BENCH_TASKS_MAX)
		k = &t->all[t->n++];
	for (size_t i = 0; i < t->n && k == NULL; i++) {
		if (t->all[i].row.ended)
			k = &t->all[i];
	}
	t->left_out += k == NULL;
	if (k != NULL)
		*k = (struct bench_task){ .start = start, .row = { .pid = pid, .tid = tid } };
	return k;
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void
read_thread(struct bench_tasks *t, struct bench_task *process, int tid)
{
	int pid = process->row.pid;
	char dir[PROC_PATH];
	struct bench_stat stat;
	struct bench_status status = { .rss = 0 };

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d/task/%d", t->root, pid, tid);
	int r = bench_proc_stat(dir, &stat);
	struct bench_task *k = r < 0 ? living(t, pid, tid) : known(t, pid, tid, stat.start);
	if (r < 0) {
		if (k != NULL && !is_gone(r))
			k->round = t->round;
		return;
	}
	if (k == NULL)
		k = add_task(t, pid, tid, stat.start);
	if (k == NULL || k->row.ended)
		return;
	k->round = t->round;
	if (bench_proc_status(dir, &status) < 0)
		status.rss = 0;
	/* All threads show the memory of the process, but one that has ended shows none. */
	process->row.used.rss = larger(process->row.used.rss, status.rss);
	memcpy(k->row.name, stat.name, sizeof(k->row.name));
	k->row.used.threads = 1;
	const struct bench_usage seen = { .cpu_ns = larger(bench_proc_cpu_ns(dir),
					      stat.user_ns + stat.system_ns),
		.switches = status.switches,
		.preemptions = status.preemptions };
	raise_counters(k, &seen, &process->inside);
}

/* Read the threads that the directory lists. */
static void
list_threads(struct bench_tasks *t, struct bench_task *process)
{
	char dir[PROC_PATH];

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d/task", t->root, process->row.pid);
	DIR *d = opendir(dir);
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		int tid = bench_proc_id(e->d_name, strlen(e->d_name));

		if (tid > 0)
			read_thread(t, process, tid);
	}
	(void)closedir(d);
}

static void
read_threads(struct bench_tasks *t, struct bench_task *process)
{
	list_threads(t, process);
	for (size_t i = 0; i < t->n; i++) {
		struct bench_task *k = &t->all[i];

		if (k->row.pid != process->row.pid || k->row.tid == 0 || k->row.ended)
			continue;
		/* The list may lack a thread while others end: only its own file is certain. */
		if (k->round != t->round)
			read_thread(t, process, k->row.tid);
		if (k->round != t->round)
			end_task(k);
	}
}

/* --- Processes -------------------------------------------------------------------------------- */

/* CPU time of a process in ns, with its ended threads; 0 if there is no such clock. */
static uint64_t
clock_of(const struct bench_tasks *t, int pid)
{
	struct timespec now;
	clockid_t id;

	if (t->root[0] != '\0' || clock_getcpuclockid(pid, &id) != 0 ||
	    clock_gettime(id, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/*
 * What only a living process has. rss is of status rather than of smaps_rollup: for that one the
 * kernel walks all pages, and holds a lock meanwhile that the server needs to map memory.
 */
static void
read_living(struct bench_tasks *t, struct bench_task *p, const char *dir)
{
	struct bench_usage *u = &p->row.used;

	u->rss = 0;
	read_threads(t, p);
	raise_counters(p, &p->inside, &t->sum);
	if (u->rss == 0)
		u->rss = bench_proc_rss(dir);
	u->descriptors = 0;
	u->uncounted = !bench_proc_descriptors(dir, t->root[0] == '\0', &u->descriptors);
}

/* The process PID as STAT has it: known, or new if ADOPT; else NULL. */
static struct bench_task *
get_process(struct bench_tasks *t, int pid, const struct bench_stat *stat, bool adopt)
{
	struct bench_task *p = known(t, pid, 0, stat->start), *before = living(t, pid, 0);

	if (before != NULL && before != p)
		end_process(t, pid); /* another process has its number now */
	return p == NULL && adopt && !stat->ended ? add_task(t, pid, 0, stat->start) : p;
}

void
bench_tasks_visit(struct bench_tasks *t, int pid, bool adopt)
{
	char dir[PROC_PATH];
	struct bench_stat stat;

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d", t->root, pid);
	int r = bench_proc_stat(dir, &stat);
	struct bench_task *p = r < 0 ? living(t, pid, 0) : get_process(t, pid, &stat, adopt);
	if (r < 0) {
		if (p != NULL && !is_gone(r))
			p->round = t->round;
		return;
	}
	if (p == NULL || p->row.ended || p->round == t->round)
		return;
	const struct bench_usage seen = { .cpu_ns = larger(
					      clock_of(t, pid), stat.user_ns + stat.system_ns) };
	raise_counters(p, &seen, &t->sum);
	memcpy(p->row.name, stat.name, sizeof(p->row.name));
	if (stat.ended)
		return;
	p->round = t->round;
	p->row.used.processes = 1;
	p->row.used.threads = stat.threads < UINT_MAX ? (unsigned)stat.threads : UINT_MAX;
	read_living(t, p, dir);
}

/* --- The whole -------------------------------------------------------------------------------- */

bool
bench_tasks_init(struct bench_tasks *t, const char *root)
{
	if (strlen(root) >= sizeof(t->root))
		return false;
	memset(t, 0, sizeof(*t));
	(void)snprintf(t->root, sizeof(t->root), "%s", root);
	return true;
}

void
bench_tasks_begin(struct bench_tasks *t)
{
	t->round++;
	t->left_out = 0;
	t->read_ns = clock_now_ns();
}

void
bench_tasks_finish(struct bench_tasks *t, struct bench_usage *usage)
{
	for (size_t i = 0; i < t->n; i++) {
		struct bench_task *p = &t->all[i];

		if (p->row.tid != 0)
			continue;
		/* As with threads: a process may be missing in a list and be alive. */
		if (!p->row.ended && p->round != t->round)
			bench_tasks_visit(t, p->row.pid, false);
		if (!p->row.ended && p->round != t->round)
			end_process(t, p->row.pid);
	}
	*usage = t->sum;
	for (size_t i = 0; i < t->n; i++) {
		const struct bench_usage *u = &t->all[i].row.used;

		if (t->all[i].row.tid != 0 || t->all[i].row.ended)
			continue;
		usage->rss += u->rss;
		usage->processes++;
		usage->threads += u->threads;
		usage->descriptors += u->descriptors;
		usage->uncounted += u->uncounted;
	}
	usage->left_out = t->left_out;
	usage->time_ns = t->read_ns;
}

void
bench_tasks_mark(struct bench_tasks *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		t->all[i].mark = t->all[i].row.used;
		if (!t->all[i].row.ended)
			t->all[n++] = t->all[i];
	}
	t->n = n;
	t->mark_ns = t->read_ns;
}

/* The rows of all processes, or of all threads. */
static size_t
list(const struct bench_tasks *t, bool threads, struct bench_row *rows, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < cap; i++) {
		const struct bench_task *k = &t->all[i];

		if ((k->row.tid != 0) != threads)
			continue;
		rows[n] = k->row;
		bench_usage_since(&k->mark, &k->row.used, &rows[n].used);
		rows[n++].used.time_ns = t->read_ns - t->mark_ns;
	}
	return n;
}

size_t
bench_tasks_processes(const struct bench_tasks *t, struct bench_row *rows, size_t cap)
{
	return list(t, false, rows, cap);
}

size_t
bench_tasks_threads(const struct bench_tasks *t, struct bench_row *rows, size_t cap)
{
	return list(t, true, rows, cap);
}
