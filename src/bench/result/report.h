/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_REPORT_H
#define DNS64D_BENCH_RESULT_REPORT_H

/*
 * bench_report: runs as one HTML page that needs no other file: no script, and no picture, font or
 * style from elsewhere, which a policy in its head forbids. Without gnuplot there is a note instead
 * of each picture.
 */

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/run.h"

/* bench_report_page: print the page of N runs to OUT. */
void bench_report_page(FILE *out, struct bench_run *const *runs, size_t n);

/*
 * bench_report: write the page of the runs in the N files PATHS to the file OUTPUT ("-": standard
 * output). Faults are told to ERRORS. Returns the exit code: 0; 1 if the page could not be written;
 * 2 if a file is no run, and then no page is begun.
 */
MUST_USE int bench_report(const char *output, char *const *paths, size_t n, FILE *errors);

#endif
