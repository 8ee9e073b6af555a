/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_MEASURE_H
#define DNS64D_BENCH_MEASURE_H

/*
 * bench_measure: the trials of a search: prepare the server, ask it, judge it; what is printed
 * meanwhile, and what all trials together say.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/method.h"
#include "bench/series.h"

/* --- Progress --------------------------------------------------------------------------------- */

/*
 * What a search prints while it runs: a line for each trial with its outcome and the time left. On
 * a terminal there is also a line, overwritten by the next, for the trial that runs.
 */

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

/* --- One trial -------------------------------------------------------------------------------- */

/*
 * bench_measure_outcome: the outcome of a trial at RATE with tally T and TIMEOUT_NS. If the tester
 * did not keep its pace, could not send, or lost replies itself, the trial says nothing of the
 * server.
 */
MUST_USE enum bench_outcome bench_measure_outcome(
    const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns);

/*
 * bench_measure_table: begin a table of trials, with the server's usage if it is watched; the
 * run's.
 */
struct bench_table *bench_measure_table(const struct bench_job *job);

/* bench_measure_row: the RECORD of a trial as a row of that table, the caller's. */
json_t *bench_measure_row(const struct bench_job *job, const json_t *record);

/*
 * bench_measure_server: restart the server if --restart was given, wait until it answers, warm its
 * cache, and do the trial P (a bench_series_measure). NULL if something of that failed, with the
 * reason in the run, or if it was interrupted.
 */
MUST_USE json_t *bench_measure_server(
    const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome);

/*
 * bench_measure_tester: the same for the self-test, with PLAN: whatever went wrong is the tester's
 * fault, so the outcome is never BENCH_NO_VERDICT.
 */
MUST_USE json_t *bench_measure_tester(const struct bench_job *job, const struct bench_plan *plan,
    struct bench_probe *p, enum bench_outcome *outcome);

/* --- All trials ------------------------------------------------------------------------------- */

/*
 * bench_measure_curve: add a table to the run, made of RECORDS of trials (an array). Trials at the
 * same rate are one row, with the mean of each value. The self-test's trials are left out, as is a
 * table without rows.
 */
void bench_measure_curve(const struct bench_job *job, const json_t *records);

#endif
