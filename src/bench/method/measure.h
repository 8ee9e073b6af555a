/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_MEASURE_H
#define DNS64D_BENCH_METHOD_MEASURE_H

/* bench_measure: one trial of a search: prepare the server, ask it, judge it. */

#include <jansson.h>

#include "base/attr.h"
#include "bench/method/method.h"
#include "bench/method/series.h"

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

#endif
