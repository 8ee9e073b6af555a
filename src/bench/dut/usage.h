/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_USAGE_H
#define DNS64D_BENCH_DUT_USAGE_H

/*
 * bench_usage: what a server, process or thread has used of the machine, and differences of that.
 */

#include <stdint.h>

/* The counters go up since the process began; the others are as they were at time_ns. */
struct bench_usage {
	uint64_t time_ns; /* CLOCK_MONOTONIC */

	/* Counters */
	uint64_t cpu_ns;      /* as exact as the kernel tells it; at least user_ns + system_ns */
	uint64_t user_ns;     /* in ticks, 10 ms mostly: a difference may be that much too large */
	uint64_t system_ns;   /* as user_ns */
	uint64_t switches;    /* voluntary context switches: a thread waited */
	uint64_t preemptions; /* involuntary ones: a thread could have gone on */

	uint64_t rss;       /* bytes in memory; what processes share counts in each */
	unsigned processes; /* 0: the server has ended */
	unsigned threads;
	unsigned descriptors; /* of the processes whose descriptors we may count */
	unsigned uncounted;   /* processes where we may not: another user's, before Linux 6.2 */
	unsigned left_out;    /* processes and threads beyond the limits of bench_proctree */
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

#endif
