/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_SCHEMA_H
#define DNS64D_BENCH_RESULT_SCHEMA_H

/*
 * bench_schema: whether some JSON is a run (bench_run.h has the form). What it lets pass can be
 * used without another look: strings are strings, and each row has a plain value for each column.
 */

#include <jansson.h>
#include <stdbool.h>

#include "base/attr.h"

#define BENCH_SCHEMA_WHY 200

/* bench_schema_is_run: whether TREE is a run; if not, what is wrong, to WHY. */
MUST_USE bool bench_schema_is_run(json_t *tree, char why[static BENCH_SCHEMA_WHY]);

#endif
