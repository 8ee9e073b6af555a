/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_SCHEMA_H
#define DNS64D_BENCH_RESULT_SCHEMA_H

/*
 * bench_schema: the form of a run as JSON, and whether some JSON has it:
 *
 *	{ program, version, method, date, command, machine: { cpu, cpus, memory, kernel, os },
 *	  settings: { ... }, findings: [ { name, value, unit } ],
 *	  tables: [ { name, title, columns: [ { name, title, unit, decimals } ], rows: [ [ ] ] } ],
 *	  complete: false when the run was interrupted, failed: [ reasons ] }
 *
 * What it lets pass can be used without another look: strings are strings, and each row has a plain
 * value for each column.
 */

#include <jansson.h>
#include <stdbool.h>

#include "base/attr.h"

#define BENCH_RUN_TABLES 8   /* of one run */
#define BENCH_RUN_COLUMNS 64 /* of one table */
#define BENCH_SCHEMA_WHY 200 /* octets of a reason, with the zero */

/* bench_schema_is_run: is TREE a run? If not, what is wrong with it goes to WHY. */
MUST_USE bool bench_schema_is_run(json_t *tree, char why[static BENCH_SCHEMA_WHY]);

#endif
