/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_DUT_H
#define DNS64D_BENCH_HOST_DUT_H

/*
 * bench_dut: the server under test as the kernel sees it: CPU time, memory, descriptors and
 * context switches of its processes and threads. It may be read every second of a run.
 *
 * ROOT is "" for this machine, or a directory with a proc and a sys/fs/cgroup. One thread uses it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/host/proc.h"

/* --- What was used ---------------------------------------------------------------------------- */

/* The counters go up since the process began; the others are as they were at time_ns. */
struct bench_usage {
	uint64_t time_ns; /* CLOCK_MONOTONIC */

	/* Counters */
	uint64_t cpu_ns;      /* as exact as the kernel tells it: at worst in ticks, 10 ms mostly */
	uint64_t switches;    /* voluntary context switches: a thread waited */
	uint64_t preemptions; /* involuntary ones: a thread could have gone on */

	uint64_t rss;       /* bytes in memory; what processes share counts in each */
	unsigned processes; /* 0: the server has ended */
	unsigned threads;
	unsigned descriptors; /* of the processes whose descriptors we may count */
	unsigned uncounted;   /* processes where we may not: another user's, before Linux 6.2 */
	unsigned left_out;    /* processes and threads beyond BENCH_TASKS_MAX */
};

/* bench_usage_add: add the counters of U to those of SUM; the other fields stay. */
void bench_usage_add(struct bench_usage *sum, const struct bench_usage *u);

/* bench_usage_raise: each counter of *u becomes that of SEEN if that is higher. */
void bench_usage_raise(struct bench_usage *u, const struct bench_usage *seen);

/*
 * bench_usage_since: what was used between BEFORE and AFTER, to *difference, which may be one of
 * them: counters are differences, never below 0; time_ns is the time between; other fields are
 * AFTER's.
 */
void bench_usage_since(const struct bench_usage *before, const struct bench_usage *after,
    struct bench_usage *difference);

/* bench_usage_load: how many CPUs were busy on average in a difference; 0 if no time passed. */
double bench_usage_load(const struct bench_usage *difference);

/* --- Its processes and threads ---------------------------------------------------------------- */

/*
 * Reading after reading: one that has ended counts with its last figures, so that the sum of the
 * counters never decreases. What a thread used between its last reading and its end is in the CPU
 * time of its process, unless that has ended too. Two readings are of the same process or thread if
 * the number and the start time are the same.
 *
 * A reading costs some system calls a thread, allocates nothing that stays and takes no lock that
 * the server waits for. The memory is the caller's, some 200 kB. One thread uses it.
 */

#define BENCH_TASKS_MAX 512  /* processes and threads together */
#define BENCH_TASKS_ROOT 448 /* bytes of a path, with the zero */

/* One process or thread in a table. */
struct bench_row {
	int pid;
	int tid;                    /* 0 for a process as a whole */
	char name[BENCH_PROC_NAME]; /* printable ASCII; threads may have names of their own */
	bool ended;
	struct bench_usage used; /* of a thread without rss and descriptors */
};

struct bench_task {
	uint64_t start;
	unsigned round;            /* the reading that saw it last */
	struct bench_row row;      /* used: since it began */
	struct bench_usage mark;   /* that, when the tables began */
	struct bench_usage inside; /* of a process: the counters of all its threads */
};

struct bench_tasks {
	char root[BENCH_TASKS_ROOT]; /* "": this machine, whose kernel can be asked more */
	unsigned round;
	unsigned left_out;         /* in this round: too many for the table */
	uint64_t read_ns, mark_ns; /* the last reading, and the one that the tables begin with */
	struct bench_usage sum;    /* the counters of all processes, of the ended ones too */
	size_t n;
	struct bench_task all[BENCH_TASKS_MAX];
};

/* bench_tasks_init: an empty *t, which reads ROOT/proc (copied). False: ROOT is too long. */
MUST_USE bool bench_tasks_init(struct bench_tasks *t, const char *root);

/* bench_tasks_begin: begin a reading, which bench_tasks_finish ends. */
void bench_tasks_begin(struct bench_tasks *t);

/*
 * bench_tasks_visit: read the process PID and its threads. A process that was not known before
 * counts from now on if ADOPT is set, else it is ignored.
 */
void bench_tasks_visit(struct bench_tasks *t, int pid, bool adopt);

/*
 * bench_tasks_finish: end the reading: processes and threads that were not visited have ended.
 * The sum of all goes to *usage.
 */
void bench_tasks_finish(struct bench_tasks *t, struct bench_usage *usage);

/* bench_tasks_mark: the tables below count from the last reading on. */
void bench_tasks_mark(struct bench_tasks *t);

/*
 * bench_tasks_processes: what each process has used from the mark to the last reading, to CAP rows
 * at ROWS. Returns how many rows; BENCH_TASKS_MAX is always enough. Processes that ended since the
 * mark are missing if the table was full.
 */
size_t bench_tasks_processes(const struct bench_tasks *t, struct bench_row *rows, size_t cap);

/* bench_tasks_threads: the same of each thread. */
size_t bench_tasks_threads(const struct bench_tasks *t, struct bench_row *rows, size_t cap);

/* --- The server ------------------------------------------------------------------------------- */

#define BENCH_DUT_PIDS 64                /* processes of a server, at most */
#define BENCH_DUT_ERROR BENCH_PROC_ERROR /* bytes of a message, with the zero */

struct bench_dut;

/*
 * bench_dut_new_pids: watch the processes of PIDS ("120,121"), but not those that they start. NULL,
 * and the reason to ERROR, if PIDS is no such list, or a process does not exist or may not be read.
 */
MUST_USE struct bench_dut *bench_dut_new_pids(
    const char *root, const char *pids, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_pid_file: watch the process whose number the file PATH (borrowed) begins with. Each
 * reading looks there again. NULL, and the reason to ERROR, if the file names no process.
 */
MUST_USE struct bench_dut *bench_dut_new_pid_file(
    const char *root, const char *path, char error[static BENCH_DUT_ERROR]);

/*
 * bench_dut_new_unit: watch the processes of the systemd unit UNIT. Each reading takes those that
 * the unit has then. NULL, and the reason to ERROR, if systemctl does not know its control group or
 * it has no process.
 */
MUST_USE struct bench_dut *bench_dut_new_unit(
    const char *root, const char *unit, char error[static BENCH_DUT_ERROR]);

/* bench_dut_free: NULL is fine. */
void bench_dut_free(struct bench_dut *d);

/* bench_dut_read: read all processes and threads; the sum of their usage goes to *usage. */
void bench_dut_read(struct bench_dut *d, struct bench_usage *usage);

/* bench_dut_mark: the tables below count from the last reading on. */
void bench_dut_mark(struct bench_dut *d);

/*
 * bench_dut_processes: what each process has used from the mark to the last reading, to CAP rows at
 * ROWS, in no order. Returns how many rows; BENCH_TASKS_MAX is always enough.
 */
size_t bench_dut_processes(const struct bench_dut *d, struct bench_row *rows, size_t cap);

/* bench_dut_threads: the same of each thread. */
size_t bench_dut_threads(const struct bench_dut *d, struct bench_row *rows, size_t cap);

#endif
