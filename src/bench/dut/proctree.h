/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_PROCTREE_H
#define DNS64D_BENCH_DUT_PROCTREE_H

/*
 * bench_proctree: which processes and threads there are and what each has used, reading after
 * reading. What has ended keeps counting with what it had last, so the sum of the counters never
 * goes back. What a thread used between its last reading and its end is in the CPU time of its
 * process, unless that ended too. One is the same as before when its number and its start are.
 *
 * A reading costs some system calls a thread, allocates nothing that stays and takes no lock that
 * the server waits for. The memory is the caller's, half a megabyte. One thread uses it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/dut/procfs.h"
#include "bench/dut/usage.h"

#define BENCH_PROCTREE_PROCESSES 256
#define BENCH_PROCTREE_THREADS 2048
#define BENCH_PROCTREE_ROOT 448 /* bytes of a path, with the zero */

/* One process or thread in a table. */
struct bench_row {
	int pid;
	int tid;                      /* 0 for a process as a whole */
	char name[BENCH_PROCFS_NAME]; /* printable ASCII; threads may have names of their own */
	bool ended;
	struct bench_usage used; /* of a thread without rss and descriptors */
};

struct bench_proctree_thread {
	uint64_t start;
	unsigned round;       /* the reading that saw it last */
	struct bench_row row; /* used: since it began */
	struct bench_usage mark;
};

struct bench_proctree_process {
	uint64_t start;
	unsigned round;
	struct bench_usage past; /* of its threads that have ended */
	struct bench_row row;
	struct bench_usage mark;
};

struct bench_proctree {
	char root[BENCH_PROCTREE_ROOT]; /* "": this machine, whose kernel can be asked more */
	unsigned round;
	unsigned left_out;         /* in this round */
	uint64_t read_ns, mark_ns; /* the last reading, and the one that the tables begin with */
	struct bench_usage gone;   /* of processes that have ended */
	size_t n_processes, n_threads;
	struct bench_proctree_process processes[BENCH_PROCTREE_PROCESSES];
	struct bench_proctree_thread threads[BENCH_PROCTREE_THREADS];
};

/* bench_proctree_init: nothing seen yet; ROOT/proc will be read. False if ROOT is too long. */
MUST_USE bool bench_proctree_init(struct bench_proctree *c, const char *root);

/* bench_proctree_begin: begin a reading: bench_proctree_visit and bench_proctree_finish complete
 * it. */
void bench_proctree_begin(struct bench_proctree *c);

/* bench_proctree_visit: look at process PID and its threads. One that is new counts from now on if
 * ADOPT, else it is left alone. */
void bench_proctree_visit(struct bench_proctree *c, int pid, bool adopt);

/* bench_proctree_finish: end the reading: those that are not there any more have ended. The sum of
 * all to *usage. */
void bench_proctree_finish(struct bench_proctree *c, struct bench_usage *usage);

/* bench_proctree_mark: begin the tables anew with the last reading. */
void bench_proctree_mark(struct bench_proctree *c);

/*
 * bench_proctree_processes, bench_proctree_threads: what each has used from the mark to the last
 * reading, to rows[cap]; BENCH_PROCTREE_PROCESSES and BENCH_PROCTREE_THREADS have place for all. Of
 * those that ended since the mark, the tables forget some when they are full. Returns the number of
 * rows.
 */
size_t bench_proctree_processes(const struct bench_proctree *c, struct bench_row *rows, size_t cap);
size_t bench_proctree_threads(const struct bench_proctree *c, struct bench_row *rows, size_t cap);

#endif
