/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_CSV_H
#define DNS64D_BENCH_RESULT_CSV_H

/* bench_csv: the main table of a run as CSV. */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"

/*
 * bench_csv_write: write the first table of RUN to F: method, date, version and command in lines of
 * comment, the names of the columns, the rows (RFC 4180, but lines end in LF). A field without a
 * value is empty. False if writing failed.
 */
MUST_USE bool bench_csv_write(const json_t *run, FILE *f);

#endif
