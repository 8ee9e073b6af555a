/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_MEASURE_H
#define DNS64D_BENCH_METHOD_MEASURE_H

/* bench_measure: one trial of a search: the server is prepared, asked and judged. */

#include <jansson.h>

#include "base/attr.h"
#include "bench/method/method.h"
#include "bench/method/series.h"

/*
 * bench_measure_outcome: the verdict of a trial at RATE. A tester that did not keep its pace, could
 * not send or lost replies itself says nothing about the server.
 */
MUST_USE enum bench_outcome bench_measure_outcome(
    const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns);

/* bench_measure_table: a table of trials, with the server's figures if it is watched. */
struct bench_table *bench_measure_table(const struct bench_job *job);

/* bench_measure_row: the record of a trial as a row of that table, the caller's. */
json_t *bench_measure_row(const struct bench_job *job, const json_t *record);

/*
 * bench_measure_server: restart the server if a command for that was given, wait for it and warm
 * its cache, and do the trial. NULL, with the reason in the run, if something of that cannot be;
 * without one if it was interrupted.
 */
MUST_USE json_t *bench_measure_server(
    const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome);

/*
 * bench_measure_tester: the same with PLAN, of the tester alone: whatever went wrong is its fault,
 * so that the trial is never without a verdict.
 */
MUST_USE json_t *bench_measure_tester(const struct bench_job *job, const struct bench_plan *plan,
    struct bench_probe *p, enum bench_outcome *outcome);

#endif
