/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_MEASURE_H
#define DNS64D_BENCH_MEASURE_H

/*
 * bench_measure: the trials of a search: prepare the server, ask it, judge it; and what all trials
 * together say.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/method.h"
#include "bench/series.h"

/* --- One trial -------------------------------------------------------------------------------- */

/*
 * bench_measure_outcome: the outcome of a trial by PLAN at RATE with tally T. If the tester did
 * something wrong (bench_method_flaws) the trial says nothing of the server.
 */
MUST_USE enum bench_outcome bench_measure_outcome(
    const struct bench_tally *t, uint32_t rate, const struct bench_plan *plan);

#define BENCH_MEASURE_FIRST 4 /* columns before those of every trial, at most */

/*
 * bench_measure_table: begin a table of trials, with the server's usage if it is watched; the
 * run's. The N_FIRST columns at FIRST come before all others.
 */
struct bench_table *bench_measure_table(
    const struct bench_job *job, const struct bench_column *first, size_t n_first);

/* bench_measure_row: the RECORD of a trial as a row of that table, the caller's. */
json_t *bench_measure_row(const struct bench_job *job, const struct bench_column *first,
    size_t n_first, const json_t *record);

/* bench_measure_server_value: column K of what the server used in RECORD, NAN if it has none. */
MUST_USE double bench_measure_server_value(const json_t *record, size_t k);

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

/*
 * bench_measure_state: open the file of --state, for the job's settings, as *journal; NULL without
 * --state. False, with the reason in the run, if that fails.
 */
MUST_USE bool bench_measure_state(const struct bench_job *job, struct bench_journal **journal);

/* --- All trials ------------------------------------------------------------------------------- */

/*
 * bench_measure_inversion: tell if one of the RECORDS of trials from number FROM on failed at a
 * lower rate than another one passed: then what was found is no limit, or something disturbed the
 * trial. WHAT they are trials of comes before it, as "hits 20: " or "".
 */
void bench_measure_inversion(
    const struct bench_job *job, const json_t *records, size_t from, const char *what);

/*
 * bench_measure_curve: add a table to the run, made of RECORDS of trials (an array). Trials at the
 * same rate are one row, with the mean of each value. The self-test's trials are left out, as is a
 * table without rows.
 */
void bench_measure_curve(const struct bench_job *job, const json_t *records);

#endif
