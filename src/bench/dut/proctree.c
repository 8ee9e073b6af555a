/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/dut/proctree.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define PROC_PATH (BENCH_PROCTREE_ROOT + 64) /* "ROOT/proc/PID/task/TID" */

/*
 * Whether R, the result of reading a file of a process, says that there is no such process. With
 * any other fault (our own descriptors are used up) it lives on as it was.
 */
static bool
is_gone(int r)
{
	return r == -ENOENT || r == -ESRCH;
}

/* --- Threads ---------------------------------------------------------------------------------- */

static void
end_thread(struct bench_proctree_process *p, struct bench_proctree_thread *t)
{
	bench_usage_add(&p->past, &t->row.used);
	t->row.ended = true;
	t->row.used.threads = 0;
}

/* A place for a new thread, if need be that of one that has ended; NULL if all are alive. */
static struct bench_proctree_thread *
place_thread(struct bench_proctree *tree)
{
	if (tree->n_threads < BENCH_PROCTREE_THREADS)
		return &tree->threads[tree->n_threads++];
	for (size_t i = 0; i < tree->n_threads; i++) {
		if (tree->threads[i].row.ended)
			return &tree->threads[i];
	}
	tree->left_out++;
	return NULL;
}

/* The thread TID of P that began at START, known or new; NULL if the table is full. */
static struct bench_proctree_thread *
get_thread(
    struct bench_proctree *tree, const struct bench_proctree_process *p, int tid, uint64_t start)
{
	for (size_t i = 0; i < tree->n_threads; i++) {
		struct bench_proctree_thread *t = &tree->threads[i];

		if (t->row.tid == tid && t->row.pid == p->row.pid && t->start == start)
			return t;
	}
	struct bench_proctree_thread *t = place_thread(tree);
	if (t != NULL)
		*t = (struct bench_proctree_thread){ .start = start,
			.row = { .pid = p->row.pid, .tid = tid } };
	return t;
}

/* The files of a thread could not be read. */
static void
keep_thread(struct bench_proctree *tree, const struct bench_proctree_process *p, int tid)
{
	for (size_t i = 0; i < tree->n_threads; i++) {
		struct bench_proctree_thread *t = &tree->threads[i];

		if (t->row.tid == tid && t->row.pid == p->row.pid && !t->row.ended)
			t->round = tree->round;
	}
}

static void
read_thread(struct bench_proctree *tree, struct bench_proctree_process *p, int tid)
{
	char dir[PROC_PATH];
	struct bench_stat stat;
	struct bench_status status = { .rss = 0 };

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d/task/%d", tree->root, p->row.pid, tid);
	int r = bench_proc_stat(dir, &stat);
	if (r < 0) {
		if (!is_gone(r))
			keep_thread(tree, p, tid);
		return;
	}
	struct bench_proctree_thread *t = get_thread(tree, p, tid, stat.start);
	if (t == NULL || t->row.ended)
		return;
	t->round = tree->round;
	if (bench_proc_status(dir, &status) < 0)
		status.rss = 0;
	/* All threads show the memory of the process, but one that has ended shows none. */
	if (status.rss > p->row.used.rss)
		p->row.used.rss = status.rss;
	memcpy(t->row.name, stat.name, sizeof(t->row.name));
	t->row.used.threads = 1;
	const struct bench_usage seen = { .cpu_ns = bench_proc_cpu_ns(dir),
		.user_ns = stat.user_ns,
		.system_ns = stat.system_ns,
		.switches = status.switches,
		.preemptions = status.preemptions };
	bench_usage_raise(&t->row.used, &seen);
}

/* Read the threads that the directory lists. */
static void
list_threads(struct bench_proctree *tree, struct bench_proctree_process *p)
{
	char dir[PROC_PATH];

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d/task", tree->root, p->row.pid);
	DIR *d = opendir(dir);
	if (d == NULL)
		return;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		int tid = bench_proc_id(e->d_name, strlen(e->d_name));

		if (tid > 0)
			read_thread(tree, p, tid);
	}
	(void)closedir(d);
}

/* Read the threads of P, and sum them up. */
static void
read_threads(struct bench_proctree *tree, struct bench_proctree_process *p)
{
	struct bench_usage sum = { .rss = 0 };

	list_threads(tree, p);
	for (size_t i = 0; i < tree->n_threads; i++) {
		struct bench_proctree_thread *t = &tree->threads[i];

		if (t->row.pid != p->row.pid || t->row.ended)
			continue;
		/* The list may lack a thread while others end: only its own file is certain. */
		if (t->round != tree->round)
			read_thread(tree, p, t->row.tid);
		if (t->round == tree->round)
			bench_usage_add(&sum, &t->row.used);
		else
			end_thread(p, t);
	}
	bench_usage_add(&sum, &p->past);
	/*
	 * The kernel splits the time of a process into user and system differently than that of a
	 * thread.
	 */
	sum.user_ns = sum.system_ns = 0;
	bench_usage_raise(&p->row.used, &sum);
}

/* --- Processes -------------------------------------------------------------------------------- */

/* A process has ended, and its threads with it: their numbers may be used again. */
static void
end_process(struct bench_proctree *tree, struct bench_proctree_process *p)
{
	struct bench_usage *u = &p->row.used;

	for (size_t i = 0; i < tree->n_threads; i++) {
		struct bench_proctree_thread *t = &tree->threads[i];

		if (t->row.pid == p->row.pid && !t->row.ended)
			end_thread(p, t);
	}
	bench_usage_add(&tree->gone, u);
	p->row.ended = true;
	u->rss = 0;
	u->processes = u->threads = u->descriptors = u->uncounted = 0;
}

static struct bench_proctree_process *
place_process(struct bench_proctree *tree)
{
	if (tree->n_processes < BENCH_PROCTREE_PROCESSES)
		return &tree->processes[tree->n_processes++];
	for (size_t i = 0; i < tree->n_processes; i++) {
		if (tree->processes[i].row.ended)
			return &tree->processes[i];
	}
	tree->left_out++;
	return NULL;
}

/* The process PID as STAT has it: known, or new if ADOPT; else NULL. */
static struct bench_proctree_process *
get_process(struct bench_proctree *tree, int pid, const struct bench_stat *stat, bool adopt)
{
	for (size_t i = 0; i < tree->n_processes; i++) {
		struct bench_proctree_process *p = &tree->processes[i];

		if (p->row.pid == pid && p->start == stat->start)
			return p;
		if (p->row.pid == pid && !p->row.ended)
			end_process(tree, p); /* another process has its number now */
	}
	struct bench_proctree_process *p = adopt && !stat->ended ? place_process(tree) : NULL;
	if (p != NULL)
		*p = (struct bench_proctree_process){ .start = stat->start, .row = { .pid = pid } };
	return p;
}

static void
keep_process(struct bench_proctree *tree, int pid)
{
	for (size_t i = 0; i < tree->n_processes; i++) {
		struct bench_proctree_process *p = &tree->processes[i];

		if (p->row.pid == pid && !p->row.ended)
			p->round = tree->round;
	}
}

/* CPU time of a process in ns, with its ended threads; 0 if there is no such clock. */
static uint64_t
clock_of(const struct bench_proctree *tree, int pid)
{
	struct timespec t;
	clockid_t id;

	if (tree->root[0] != '\0' || clock_getcpuclockid(pid, &id) != 0 ||
	    clock_gettime(id, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/*
 * rss is of status rather than of smaps_rollup: for that one the kernel walks all pages, and holds
 * a lock meanwhile that the server needs to map memory.
 */
static void
read_living(struct bench_proctree *tree, struct bench_proctree_process *p, const char *dir)
{
	struct bench_usage *u = &p->row.used;

	u->rss = 0;
	read_threads(tree, p);
	if (u->rss == 0)
		u->rss = bench_proc_rss(dir);
	u->descriptors = 0;
	u->uncounted = !bench_proc_descriptors(dir, tree->root[0] == '\0', &u->descriptors);
}

void
bench_proctree_visit(struct bench_proctree *tree, int pid, bool adopt)
{
	char dir[PROC_PATH];
	struct bench_stat stat;

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d", tree->root, pid);
	int r = bench_proc_stat(dir, &stat);
	if (r < 0) {
		if (!is_gone(r))
			keep_process(tree, pid);
		return;
	}
	struct bench_proctree_process *p = get_process(tree, pid, &stat, adopt);
	if (p == NULL || p->row.ended || p->round == tree->round)
		return;
	const struct bench_usage seen = {
		.cpu_ns = clock_of(tree, pid), .user_ns = stat.user_ns, .system_ns = stat.system_ns
	};
	bench_usage_raise(&p->row.used, &seen);
	memcpy(p->row.name, stat.name, sizeof(p->row.name));
	if (stat.ended)
		return;
	p->round = tree->round;
	p->row.used.processes = 1;
	p->row.used.threads = stat.threads < UINT_MAX ? (unsigned)stat.threads : UINT_MAX;
	read_living(tree, p, dir);
}

/* --- The whole -------------------------------------------------------------------------------- */

bool
bench_proctree_init(struct bench_proctree *tree, const char *root)
{
	if (strlen(root) >= sizeof(tree->root))
		return false;
	memset(tree, 0, sizeof(*tree));
	(void)snprintf(tree->root, sizeof(tree->root), "%s", root);
	return true;
}

void
bench_proctree_begin(struct bench_proctree *tree)
{
	tree->round++;
	tree->left_out = 0;
	tree->read_ns = clock_now_ns();
}

static void
sum_processes(const struct bench_proctree *tree, struct bench_usage *usage)
{
	*usage = tree->gone;
	for (size_t i = 0; i < tree->n_processes; i++) {
		const struct bench_usage *u = &tree->processes[i].row.used;

		if (tree->processes[i].row.ended)
			continue; /* its counters are in gone */
		bench_usage_add(usage, u);
		usage->rss += u->rss;
		usage->processes++;
		usage->threads += u->threads;
		usage->descriptors += u->descriptors;
		usage->uncounted += u->uncounted;
	}
	usage->left_out = tree->left_out;
	usage->time_ns = tree->read_ns;
}

void
bench_proctree_finish(struct bench_proctree *tree, struct bench_usage *usage)
{
	for (size_t i = 0; i < tree->n_processes; i++) {
		struct bench_proctree_process *p = &tree->processes[i];

		/* As with threads: a process may be missing in a list and be alive. */
		if (!p->row.ended && p->round != tree->round)
			bench_proctree_visit(tree, p->row.pid, false);
		if (!p->row.ended && p->round != tree->round)
			end_process(tree, p);
	}
	sum_processes(tree, usage);
}

void
bench_proctree_mark(struct bench_proctree *tree)
{
	size_t n = 0;

	for (size_t i = 0; i < tree->n_processes; i++) {
		tree->processes[i].mark = tree->processes[i].row.used;
		if (!tree->processes[i].row.ended)
			tree->processes[n++] = tree->processes[i];
	}
	tree->n_processes = n;
	n = 0;
	for (size_t i = 0; i < tree->n_threads; i++) {
		tree->threads[i].mark = tree->threads[i].row.used;
		if (!tree->threads[i].row.ended)
			tree->threads[n++] = tree->threads[i];
	}
	tree->n_threads = n;
	tree->mark_ns = tree->read_ns;
}

static struct bench_row
row_since(const struct bench_proctree *tree, struct bench_row row, const struct bench_usage *mark)
{
	bench_usage_since(mark, &row.used, &row.used);
	row.used.time_ns = tree->read_ns - tree->mark_ns;
	return row;
}

size_t
bench_proctree_processes(const struct bench_proctree *tree, struct bench_row *rows, size_t cap)
{
	size_t n = tree->n_processes < cap ? tree->n_processes : cap;

	for (size_t i = 0; i < n; i++)
		rows[i] = row_since(tree, tree->processes[i].row, &tree->processes[i].mark);
	return n;
}

size_t
bench_proctree_threads(const struct bench_proctree *tree, struct bench_row *rows, size_t cap)
{
	size_t n = tree->n_threads < cap ? tree->n_threads : cap;

	for (size_t i = 0; i < n; i++)
		rows[i] = row_since(tree, tree->threads[i].row, &tree->threads[i].mark);
	return n;
}
