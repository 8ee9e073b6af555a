/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_TEXT_H
#define DNS64D_BENCH_RESULT_TEXT_H

/*
 * bench_text: a run's JSON (bench_run has its form) as plain text, and its main table as CSV.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"

#define BENCH_TEXT_CELL 400   /* bytes of a value, with the zero */
#define BENCH_TEXT_ROUND 1000 /* decimals: as many as make about six digits */

/* bench_text_cell: VALUE with so many DECIMALS; "-" for none. Is CELL, or VALUE's own text. */
const char *bench_text_cell(
    const json_t *value, unsigned decimals, char cell[static BENCH_TEXT_CELL]);

/* bench_text_get: the string KEY of OBJECT, or "". */
const char *bench_text_get(const json_t *object, const char *key);

/* --- For people ------------------------------------------------------------------------------- */

/* bench_text_head: print what precedes the rest: program, date, command, machine and settings. */
void bench_text_head(FILE *out, const json_t *run);

/* bench_text_findings: print the findings, a line each. */
void bench_text_findings(FILE *out, const json_t *run);

/* bench_text_columns: print the title of TABLE and the heads of its columns. */
void bench_text_columns(FILE *out, const json_t *table);

/* bench_text_row: print row I of TABLE. */
void bench_text_row(FILE *out, const json_t *table, size_t i);

/* bench_text_verdict: print why the run is not good; nothing if it is. */
void bench_text_verdict(FILE *out, const json_t *run);

/* --- CSV -------------------------------------------------------------------------------------- */

/*
 * bench_text_csv: write the first table of RUN to F: the names of the columns, the rows (RFC 4180,
 * but lines end in LF). A field without a value is empty. False if writing failed.
 */
MUST_USE bool bench_text_csv(const json_t *run, FILE *f);

/* --- Files ------------------------------------------------------------------------------------ */

/* bench_text_writable: could the file PATH be written, as far as that can be told? 0 or -errno. */
MUST_USE int bench_text_writable(const char *path);

#endif
