/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_RUN_H
#define DNS64D_BENCH_RESULT_RUN_H

/*
 * bench_run: what one run of a method found: settings, tables, findings. One tree (jansson), from
 * which the text on standard output, CSV and JSON are made:
 *
 *	{ schema: 1, program, version, method, date, command,
 *	  machine: { cpu, cpus, memory, kernel, os },
 *	  settings: { ... }, findings: [ { name, value, unit } ],
 *	  tables: [ { name, title,
 *	  columns: [ { name, title, unit, decimals } ], rows: [ [ ] ] } ],
 *	  histograms: [ { name, unit, buckets: [ [ low, high, count ] ] } ],
 *	  complete: false when the run was interrupted, failed: [ reasons ] }
 *
 * The calls return no errors: a value that could not be kept, since memory ran out or JSON cannot
 * hold it (json_pack takes no number that is not finite), is missing, and the run has failed.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/text.h"

#define BENCH_RUN_SCHEMA 1  /* of the form below; another one if keys change their meaning */
#define BENCH_RUN_ERROR 512 /* octets of a message */
#define BENCH_RUN_TABLES 8  /* of one run */

struct bench_run;
struct bench_table;

struct bench_column {
	const char *name;  /* of the CSV's head and the JSON: "rtt_p99" */
	const char *title; /* of the text: "p99" */
	const char *unit;  /* "1/s", "ms", "us", "s", "%", "MiB"; "": a count, which is not drawn */
	unsigned decimals; /* of the text */
};

/*
 * bench_run_new: a run of METHOD with its date, machine, version and command line (the ARGC words
 * of ARGV), and no results. NULL without memory.
 */
MUST_USE struct bench_run *bench_run_new(const char *method, int argc, char *const *argv);

/* bench_run_free: free the run and its tables; NULL is fine. */
void bench_run_free(struct bench_run *r);

/* bench_run_set: add the setting KEY. Takes VALUE over. */
void bench_run_set(struct bench_run *r, const char *key, json_t *value);

/*
 * bench_run_table: add an empty table, which is the run's: at most BENCH_RUN_TABLES. The first
 * table is the main one, which goes to the CSV. What is drawn, and how, dns64bench-report finds by
 * the names of tables and columns and by units.
 */
struct bench_table *bench_run_table(struct bench_run *r, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns);

/* bench_table_columns: add more columns behind those that the table has. Before the first row. */
void bench_table_columns(struct bench_table *t, const struct bench_column *columns, size_t n);

/* bench_table_detail: leave the table out of the text: it has many rows. */
void bench_table_detail(struct bench_table *t);

/* bench_run_real: V for a row or finding, the caller's; null if it is not KNOWN. */
json_t *bench_run_real(bool known, double v);

/* bench_table_add: add ROW, an array with a value (null: none) for each column. Takes it over. */
void bench_table_add(struct bench_table *t, json_t *row);

/*
 * bench_table_live: print each row to OUT when it is added, for runs that take hours; before the
 * first one the head of the run with the settings so far. bench_run_print to OUT repeats none of
 * it.
 */
void bench_table_live(struct bench_table *t, FILE *out);

/* bench_run_find: add a finding, as "highest rate", 35341, "1/s". Takes VALUE over. */
void bench_run_find(struct bench_run *r, const char *name, json_t *value, const char *unit);

/*
 * bench_run_histogram: add how values are distributed, in UNIT: BUCKETS, which it takes over, has
 * an array [low, high, count] for each that is not empty, in ascending order.
 */
void bench_run_histogram(struct bench_run *r, const char *name, const char *unit, json_t *buckets);

/* bench_run_fail: the run has failed; FORMAT says why. */
void bench_run_fail(struct bench_run *r, const char *format, ...) PRINTF_LIKE(2, 3);

/* bench_run_interrupted: the run was ended early; its results so far are kept. */
void bench_run_interrupted(struct bench_run *r);

/* bench_run_status: the exit code: 0 for a good run, 1 for a failed one, 3 for an interrupted one.
 */
int bench_run_status(const struct bench_run *r);

/* bench_run_tree: the run as JSON (its form is above); it is the run's. */
const json_t *bench_run_tree(const struct bench_run *r);

/* bench_run_print: print the run as text (bench_text) to OUT: findings, tables, reasons. */
void bench_run_print(const struct bench_run *r, FILE *out);

/* bench_run_write_json: write the tree to the file PATH ("-": standard output). 0 or -errno. */
MUST_USE int bench_run_write_json(const struct bench_run *r, const char *path);

/*
 * bench_run_write_csv: write the first table (RFC 4180) to the file PATH ("-": standard output). 0
 * or -errno.
 */
MUST_USE int bench_run_write_csv(const struct bench_run *r, const char *path);

#endif
