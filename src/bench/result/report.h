/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_REPORT_H
#define DNS64D_BENCH_RESULT_REPORT_H

/*
 * bench_report: runs as one HTML page, which needs nothing but itself: no script, no picture, font
 * or style from elsewhere, and a policy in its head that forbids them. Without gnuplot there is a
 * note where a picture would be.
 */

#include <stddef.h>
#include <stdio.h>

#include "bench/result/run.h"

/* bench_report_page: the page of N runs, to OUT. */
void bench_report_page(FILE *out, struct bench_run *const *runs, size_t n);

/*
 * bench_report: the page of the runs in the N files PATHS, to the file OUTPUT ("-": standard
 * output). Faults are told to ERRORS. Gives the exit code: 0, 1 if the page could not be written, 2
 * for a file that is no run; then no page is begun.
 */
int bench_report(const char *output, char *const *paths, size_t n, FILE *errors);

#endif
