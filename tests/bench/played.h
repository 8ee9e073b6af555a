/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_BENCH_PLAYED_H
#define DNS64D_TESTS_BENCH_PLAYED_H

/* played: settings and jobs of methods, and what is in their results. */

#include <jansson.h>
#include <stdatomic.h>
#include <stddef.h>

#include "bench/method.h"
#include "bench/settings.h"

#define PLAYED_WORDS 60 /* of a command line, at most */

/*
 * played_settings: the settings of the command line LINE, without the program's name; with a state
 * file they go on with its names.
 */
void played_settings(const char *line, struct bench_settings *s);

/*
 * played_job: a job of method rate that has begun nothing: with one lane over UDP and a timeout of
 * 1 s in *s, and a run, which the caller frees.
 */
void played_job(
    struct bench_job *job, struct bench_settings *s, struct bench_tally *tally, atomic_bool *stop);

/* played_table: the table NAME of R; NULL: there is none. */
const json_t *played_table(const struct bench_run *r, const char *name);

/* played_rows: how many rows table NAME of R has; 0 if there is none. */
size_t played_rows(const struct bench_run *r, const char *name);

/* played_at: the value in row ROW and the column COLUMN of TABLE; all must be there. */
const json_t *played_at(const json_t *table, size_t row, const char *column);

/* played_cell: the value in row ROW and the column COLUMN of table NAME; likewise. */
const json_t *played_cell(
    const struct bench_run *r, const char *name, size_t row, const char *column);

/* played_number: the same as a number, which it must be. */
double played_number(const struct bench_run *r, const char *name, size_t row, const char *column);

/* played_found: the finding NAME of R; NULL: there is none. */
const json_t *played_found(const struct bench_run *r, const char *name);

/* played_value: the finding NAME of R as a number; NAN: there is none. */
double played_value(const struct bench_run *r, const char *name);

/* played_text: the finding NAME of R, a text; "": there is none. */
const char *played_text(const struct bench_run *r, const char *name);

/* played_failures: all reasons why R has failed, a line each, until the next call; "": it has not.
 */
const char *played_failures(const struct bench_run *r);

/* played_failure: the first reason why R has failed; "": it has not. */
const char *played_failure(const struct bench_run *r);

#endif
