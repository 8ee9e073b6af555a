/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_CSV_H
#define DNS64D_BENCH_RESULT_CSV_H

/* bench_csv: a run's main table for other programs. */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"

/*
 * bench_csv_write: the first table of RUN to F: what the run was in lines of comment, names of the
 * columns, rows (RFC 4180, but lines end as on this system). Nothing stands for no value. False
 * when F takes no more.
 */
MUST_USE bool bench_csv_write(const json_t *run, FILE *f);

#endif
