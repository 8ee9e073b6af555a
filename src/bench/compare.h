/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_COMPARE_H
#define DNS64D_BENCH_COMPARE_H

/*
 * bench_compare: runs of two servers or more side by side: which settings differ, and for each main
 * figure (bench_figures) by how much the others differ from the first, round by round
 * (bench_paired).
 */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/run.h"
#include "bench/settings.h"

/*
 * bench_compare: compare the sides that the words of *s name (bench_sides_read), and put what is
 * found into *r, which has failed if a bound of *s does not hold. False, with the reason to ERRORS
 * in a line, if a file is no run, or if the runs cannot be compared.
 */
MUST_USE bool bench_compare(const struct bench_settings *s, struct bench_run *r, FILE *errors);

#endif
