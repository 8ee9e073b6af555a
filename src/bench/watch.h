/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_WATCH_H
#define DNS64D_BENCH_WATCH_H

/*
 * bench_watch: what the server used (bench_dut), as columns and findings of a run. Without --pid,
 * --pid-file and --unit its processes are not known: there are no columns then, and the calls do
 * nothing.
 */

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/host/dut.h"
#include "bench/method.h"

#define BENCH_WATCH_COLUMNS 3 /* of the server */

/* bench_watch_begin: the run begins; the server's counters go to *begin. */
void bench_watch_begin(const struct bench_job *job, struct bench_usage *begin);

/* bench_watch_since: what the server has used since *begin to *used. */
void bench_watch_since(
    const struct bench_job *job, const struct bench_usage *begin, struct bench_usage *used);

/*
 * bench_watch_end: when the trial of tally T, which has just ended, was over for the server: if
 * answers are missing they were waited for after that, and it had nothing to do.
 */
MUST_USE uint64_t bench_watch_end(const struct bench_tally *t);

/* bench_watch_cut: what was USED until now, in a time that ends at END_NS already. */
void bench_watch_cut(struct bench_usage *used, uint64_t end_ns);

/*
 * bench_watch_step: what the server has used since *total was set last, to *step; *total becomes
 * what it has used since *begin.
 */
void bench_watch_step(const struct bench_job *job, const struct bench_usage *begin,
    struct bench_usage *total, struct bench_usage *step);

/* bench_watch_table: bench_run_table with these columns and BENCH_WATCH_COLUMNS of the server. */
struct bench_table *bench_watch_table(const struct bench_job *job, const char *name,
    const char *title, const struct bench_column *columns, size_t n_columns);

/* bench_watch_table_spread: the same, and at the end how the CPU was spread. */
struct bench_table *bench_watch_table_spread(const struct bench_job *job, const char *name,
    const char *title, const struct bench_column *columns, size_t n_columns);

/* The CPU of the server in spans of about a second, which need not be kept: their deviation. */
struct bench_cpu {
	struct bench_usage last; /* the reading that the next span begins with */
	size_t n;                /* spans */
	double sum, squares;     /* of their CPU, in % */
};

/* bench_watch_cpu_begin: the first span begins now. */
void bench_watch_cpu_begin(const struct bench_job *job, struct bench_cpu *c);

/* bench_watch_cpu: a span ends now, and the next begins; nothing if it is shorter than a second. */
void bench_watch_cpu(const struct bench_job *job, struct bench_cpu *c);

/* bench_watch_deviation: the standard deviation of the spans' CPU, in %; < 0 of less than two. */
MUST_USE double bench_watch_deviation(const struct bench_cpu *c);

/* bench_watch_find_deviation: the same as a finding, if it is known. */
void bench_watch_find_deviation(const struct bench_job *job, const struct bench_cpu *c);

/* bench_watch_spread: append that DEVIATION to ROW, which bench_watch_row has completed. */
void bench_watch_spread(const struct bench_job *job, json_t *row, double deviation);

/* bench_watch_row: append the server's columns to ROW: what it USED for so many ANSWERS. */
void bench_watch_row(
    const struct bench_job *job, json_t *row, const struct bench_usage *used, uint64_t answers);

/* bench_watch_find: the same as findings; the run has failed if the server is gone. */
void bench_watch_find(
    const struct bench_job *job, const struct bench_usage *used, uint64_t answers);

#endif
