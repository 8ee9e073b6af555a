/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_PROGRESS_H
#define DNS64D_BENCH_METHOD_PROGRESS_H

/*
 * bench_progress: what a search prints while it runs: a line for each trial with its outcome and
 * the time left. On a terminal there is also a line, overwritten by the next, for the trial that
 * runs.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
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
 * bench_progress_left: how long, in s, the rest of repetition REPETITION (0: the self-test), of
 * which the bisection is at B, and the repetitions after it will take.
 */
MUST_USE double bench_progress_left(
    const struct bench_progress *p, unsigned repetition, const struct bench_bisect *b);

/* bench_progress_begin: print that a trial at RATE begins. */
void bench_progress_begin(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate);

/* bench_progress_count: a trial took SECONDS, which estimates those to come. */
void bench_progress_count(struct bench_progress *p, unsigned repetition, double seconds);

/* bench_progress_end: print the OUTCOME of a trial at RATE, which B knows already. */
void bench_progress_end(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome);

#endif
