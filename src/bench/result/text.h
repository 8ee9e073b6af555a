/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_TEXT_H
#define DNS64D_BENCH_RESULT_TEXT_H

/* bench_text: a run's JSON (bench_run) as text in columns, and its values as text. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "bench/result/schema.h"

#define BENCH_TEXT_CELL 400   /* octets of a value */
#define BENCH_TEXT_ROUND 1000 /* decimals: as many as make about six digits */

/* The widths of a table's columns. */
struct bench_layout {
	size_t n;
	struct {
		unsigned width;
		unsigned decimals;
		bool words; /* stands left */
	} columns[BENCH_RUN_COLUMNS];
};

/* bench_text_cell: VALUE with so many decimals; "-" for none. In CELL, or VALUE's own text. */
const char *bench_text_cell(
    const json_t *value, unsigned decimals, char cell[static BENCH_TEXT_CELL]);

/* bench_text_get: the string KEY of OBJECT, or "". */
const char *bench_text_get(const json_t *object, const char *key);

/* bench_text_decimals: those of COLUMN. */
unsigned bench_text_decimals(const json_t *column);

/* bench_text_machine: the machine of a run in one line; TEXT has BENCH_TEXT_CELL octets. */
const char *bench_text_machine(const json_t *run, char text[static BENCH_TEXT_CELL]);

/* bench_text_layout: columns as wide as what stands in ROWS, and as MIN at least. */
void bench_text_layout(
    struct bench_layout *l, const json_t *columns, const json_t *rows, unsigned min);

/* Program, date, command, machine and settings; a table's title, heads and units; a row; what
 * follows the tables. */
void bench_text_head(FILE *out, const json_t *run);
void bench_text_columns(FILE *out, const struct bench_layout *l, const json_t *table);
void bench_text_row(FILE *out, const struct bench_layout *l, const json_t *row);
void bench_text_findings(FILE *out, const json_t *run);

#endif
