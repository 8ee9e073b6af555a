/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_PROGRESS_H
#define DNS64D_BENCH_METHOD_PROGRESS_H

/*
 * bench_progress: what a search says while it runs, a line for each trial: what it was, how it
 * ended, what is left. On a terminal a line that is written over tells what is being done.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/method/bisect.h"

struct bench_progress {
	FILE *out;
	bool terminal;        /* OUT is one */
	unsigned repetitions; /* there will be */
	double usual_s;       /* of a trial, before there was one */
	double seconds;       /* of all trials so far */
	unsigned trials;      /* so far, without the self-test's */
	unsigned in_search;   /* trials of a whole search, roughly */
};

/*
 * bench_progress_left: how long the rest of repetition REPETITION (0: the self-test) with bracket B
 * and those after it will take, in s.
 */
double bench_progress_left(
    const struct bench_progress *p, unsigned repetition, const struct bench_bisect *b);

/* bench_progress_begin: a trial at RATE begins. */
void bench_progress_begin(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate);

/* bench_progress_count: a trial took SECONDS. */
void bench_progress_count(struct bench_progress *p, unsigned repetition, double seconds);

/* bench_progress_end: a trial at RATE had that outcome, which B knows. */
void bench_progress_end(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome);

#endif
