/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_PROCTREE_H
#define DNS64D_BENCH_DUT_PROCTREE_H

/*
 * bench_proctree: which processes and threads there are and what each has used, reading after
 * reading. One that has ended counts with its last figures, so that the sum of the counters never
 * decreases. What a thread used between its last reading and its end is in the CPU time of its
 * process, unless that has ended too. Two readings are of the same process or thread if the number
 * and the start time are the same.
 *
 * A reading costs some system calls a thread, allocates nothing that stays and takes no lock that
 * the server waits for. The memory is the caller's, half a megabyte. One thread uses it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/dut/usage.h"
#include "bench/host/proc.h"

#define BENCH_PROCTREE_PROCESSES 256
#define BENCH_PROCTREE_THREADS 2048
#define BENCH_PROCTREE_ROOT 448 /* bytes of a path, with the zero */

/* One process or thread in a table. */
struct bench_row {
	int pid;
	int tid;                    /* 0 for a process as a whole */
	char name[BENCH_PROC_NAME]; /* printable ASCII; threads may have names of their own */
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
	unsigned left_out;         /* in this round: too many for the tables */
	uint64_t read_ns, mark_ns; /* the last reading, and the one that the tables begin with */
	struct bench_usage gone;   /* of processes that have ended */
	size_t n_processes, n_threads;
	struct bench_proctree_process processes[BENCH_PROCTREE_PROCESSES];
	struct bench_proctree_thread threads[BENCH_PROCTREE_THREADS];
};

/* bench_proctree_init: an empty *tree, which reads ROOT/proc (copied). False: ROOT is too long. */
MUST_USE bool bench_proctree_init(struct bench_proctree *tree, const char *root);

/* bench_proctree_begin: begin a reading, which bench_proctree_finish ends. */
void bench_proctree_begin(struct bench_proctree *tree);

/*
 * bench_proctree_visit: read the process PID and its threads. A process that was not known before
 * counts from now on if ADOPT is set, else it is ignored.
 */
void bench_proctree_visit(struct bench_proctree *tree, int pid, bool adopt);

/*
 * bench_proctree_finish: end the reading: processes and threads that were not visited have ended.
 * The sum of all goes to *usage.
 */
void bench_proctree_finish(struct bench_proctree *tree, struct bench_usage *usage);

/* bench_proctree_mark: the tables below count from the last reading on. */
void bench_proctree_mark(struct bench_proctree *tree);

/*
 * bench_proctree_processes: what each process has used from the mark to the last reading, to CAP
 * rows at ROWS. Returns how many rows; BENCH_PROCTREE_PROCESSES is always enough. Processes that
 * ended since the mark are missing if the tables were full.
 */
size_t bench_proctree_processes(
    const struct bench_proctree *tree, struct bench_row *rows, size_t cap);

/* bench_proctree_threads: the same of each thread; BENCH_PROCTREE_THREADS is always enough. */
size_t bench_proctree_threads(
    const struct bench_proctree *tree, struct bench_row *rows, size_t cap);

#endif
