/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_WATCH_H
#define DNS64D_BENCH_METHOD_WATCH_H

/*
 * bench_watch: what the server used (bench_dut), as columns and findings of a run. Where nobody
 * said which processes it has (--pid, --unit) there are none of them, and the calls do nothing.
 */

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/dut/usage.h"
#include "bench/method/method.h"

#define BENCH_WATCH_COLUMNS 4 /* of the server */

/* bench_watch_begin: the run begins; the server's counters as they are to *begin. */
void bench_watch_begin(const struct bench_job *job, struct bench_usage *begin);

/* bench_watch_since: what the server has used since *begin to *used. */
void bench_watch_since(
    const struct bench_job *job, const struct bench_usage *begin, struct bench_usage *used);

/*
 * bench_watch_step: what it has used since *total was set, to *step. *total, what it has used since
 * *begin, is set anew.
 */
void bench_watch_step(const struct bench_job *job, const struct bench_usage *begin,
    struct bench_usage *total, struct bench_usage *step);

/* bench_watch_table: bench_run_table with these columns and those of the server. */
struct bench_table *bench_watch_table(const struct bench_job *job, const char *name,
    const char *title, const struct bench_column *columns, size_t n_columns);

/* bench_watch_row: the server's columns onto ROW: USED for so many ANSWERS. */
void bench_watch_row(
    const struct bench_job *job, json_t *row, const struct bench_usage *used, uint64_t answers);

/* bench_watch_find: the same as findings; the run has failed if the server is gone. */
void bench_watch_find(
    const struct bench_job *job, const struct bench_usage *used, uint64_t answers);

/*
 * bench_watch_threads: a table of the server's threads, and one of its processes if there are
 * several: what each used since bench_watch_begin.
 */
void bench_watch_threads(
    const struct bench_job *job, const struct bench_usage *used, uint64_t answers);

#endif
