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

/* --- Pieces of a page ------------------------------------------------------------------------- */

/* bench_report_text: print TEXT with all that has a meaning in HTML escaped. */
void bench_report_text(FILE *out, const char *text);

/*
 * bench_report_svg: print the picture in the file SVG, which gnuplot drew, as the N-th of a page.
 * Its identifiers (id="...", "#...") get N, so that each page has them once. The XML head and
 * tooltips are left out.
 */
void bench_report_svg(FILE *out, FILE *svg, unsigned n);

/* --- The page --------------------------------------------------------------------------------- */

/* bench_report_page: print the page of N runs to OUT. */
void bench_report_page(FILE *out, struct bench_run *const *runs, size_t n);

/*
 * bench_report: write the page of the runs in the N files PATHS to the file OUTPUT ("-": standard
 * output). Faults are told to ERRORS. Returns the exit code: 0; 1 if the page could not be written;
 * 2 if a file is no run, and then no page is begun.
 */
MUST_USE int bench_report(const char *output, char *const *paths, size_t n, FILE *errors);

#endif
