/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_WATCH_H
#define DNS64D_BENCH_WATCH_H

/*
 * bench_watch: what the server used (bench_dut), as columns and findings of a run. Without --pid,
 * --pid-file and --unit its processes are not known: there are no columns then, and the calls do
 * nothing.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/host/dut.h"
#include "bench/method.h"

#define BENCH_WATCH_COLUMNS 3 /* of the server, without that of the spread */

struct bench_watch {
	const struct bench_job *job; /* borrowed */
	struct bench_usage begin;    /* the server's counters when the run began */
	struct bench_usage used;     /* what it has used since then, up to the last step */
	struct bench_usage step;     /* in the last step */
	/* Spans of about a second of the step that runs; they need not be kept for their deviation:
	 */
	struct bench_usage last; /* the reading that the next span begins with */
	size_t n;                /* spans */
	double sum, squares;     /* of their CPU, in % */
};

/* bench_watch_begin: the run begins, and its first step. */
void bench_watch_begin(struct bench_watch *w, const struct bench_job *job);

/* bench_watch_restart: a step begins now, not when the last one ended. */
void bench_watch_restart(struct bench_watch *w);

/* bench_watch_sample: a span ends now, and the next begins; nothing if it is shorter than a second.
 */
void bench_watch_sample(struct bench_watch *w);

/* bench_watch_step: a step ends now, but END_NS, which is not later, was the end of its load. */
void bench_watch_step(struct bench_watch *w, uint64_t end_ns);

/*
 * bench_watch_end: when the trial of tally T, which has just ended, was over for the server: if
 * answers are missing they were waited for after that, and it had nothing to do.
 */
MUST_USE uint64_t bench_watch_end(const struct bench_tally *t);

/* bench_watch_deviation: the standard deviation of the spans' CPU, in %; < 0 of less than two. */
MUST_USE double bench_watch_deviation(const struct bench_watch *w);

/*
 * bench_watch_table: bench_run_table with these columns, BENCH_WATCH_COLUMNS of the server, and
 * with SPREAD one for bench_watch_deviation.
 */
struct bench_table *bench_watch_table(const struct bench_job *job, const char *name,
    const char *title, const struct bench_column *columns, size_t n_columns, bool spread);

/* bench_watch_row: append these columns to ROW: of the last step, with so many ANSWERS. */
void bench_watch_row(const struct bench_watch *w, json_t *row, uint64_t answers, bool spread);

/*
 * bench_watch_find: what was used up to the last step as findings, with SPREAD the deviation, too;
 * the run has failed if the server is gone.
 */
void bench_watch_find(const struct bench_watch *w, uint64_t answers, bool spread);

#endif
