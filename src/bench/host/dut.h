/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_DUT_H
#define DNS64D_BENCH_HOST_DUT_H

/*
 * bench_dut: the server under test as the kernel sees it: CPU time, memory and context switches of
 * its processes. A reading costs some system calls a thread, and takes no lock that the server
 * waits for. One thread uses it.
 *
 * ROOT is "" for this machine, or a directory with a proc and a sys/fs/cgroup.
 */

#include <stdint.h>

#include "base/attr.h"

/* The counters go up since the processes began; the others are as they were at time_ns. */
struct bench_usage {
	uint64_t time_ns;   /* by our clock */
	uint64_t cpu_ns;    /* a counter; of those that have ended, too */
	uint64_t switches;  /* a counter: context switches of the threads there are */
	uint64_t rss;       /* bytes in memory; what processes share counts in each */
	unsigned processes; /* 0: the server has ended */
	unsigned left_out;  /* processes beyond BENCH_DUT_PIDS */
};

/*
 * bench_usage_since: what was used between BEFORE and AFTER, to *difference, which may be one of
 * them: counters are differences, never below 0; time_ns is the time between; other fields are
 * AFTER's.
 */
void bench_usage_since(const struct bench_usage *before, const struct bench_usage *after,
    struct bench_usage *difference);

/* bench_usage_load: how many CPUs were busy on average in a difference; 0 if no time passed. */
double bench_usage_load(const struct bench_usage *difference);

#define BENCH_DUT_PIDS 64   /* processes of a server, at most */
#define BENCH_DUT_ERROR 256 /* bytes of a message, with the zero */

/* How the processes are told. */
enum bench_dut_by {
	BENCH_DUT_BY_PIDS, /* "120,121": those that have the numbers now, and no later ones */
	BENCH_DUT_BY_FILE, /* a path: the process whose number the file begins with, each time */
	BENCH_DUT_BY_UNIT  /* of systemd: all in its control group, each time; "u" is "u.service" */
};

struct bench_dut;

/*
 * bench_dut_new: watch the processes that WHAT (borrowed) tells, but not those that they start,
 * unless a unit has them. NULL, and the reason to ERROR, if there is none now, or one of a list of
 * numbers may not be read.
 */
MUST_USE struct bench_dut *bench_dut_new(
    const char *root, enum bench_dut_by by, const char *what, char error[static BENCH_DUT_ERROR]);

/* bench_dut_free: NULL is fine. */
void bench_dut_free(struct bench_dut *d);

/* bench_dut_read: read all processes; what they have used goes to *usage. */
void bench_dut_read(struct bench_dut *d, struct bench_usage *usage);

#endif
