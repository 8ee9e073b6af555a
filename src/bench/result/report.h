/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_REPORT_H
#define DNS64D_BENCH_RESULT_REPORT_H

/*
 * bench_report: runs as one HTML page that needs no other file: no script, and no picture, font or
 * style from elsewhere, which a policy in its head forbids. Several runs stand beside each other:
 * first what is not the same in them, then findings, then tables of the same name with one picture
 * of all. Without gnuplot there is a note instead of pictures.
 */

#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/plot.h"
#include "bench/result/run.h"

#define BENCH_REPORT_NAME 80 /* bytes of a run's name, with the zero */

/* --- Pieces of a page ------------------------------------------------------------------------- */

/* bench_report_head: print all before the first run. */
void bench_report_head(FILE *out);

/* bench_report_text: print TEXT with all that has a meaning in HTML escaped. */
void bench_report_text(FILE *out, const char *text);

/* bench_report_element: print TEXT, escaped, as the element TAG, which is without attributes. */
void bench_report_element(FILE *out, const char *tag, const char *text);

/*
 * bench_report_svg: print the picture in the file SVG, which gnuplot drew, as the N-th of a page.
 * Its identifiers (id="...", "#...") get N, so that each page has them once. The XML head and
 * tooltips are left out.
 */
void bench_report_svg(FILE *out, FILE *svg, unsigned n);

/* --- The page --------------------------------------------------------------------------------- */

/* bench_report_page: print the page of N runs, one or more, to OUT. */
void bench_report_page(FILE *out, const struct bench_plot_run *runs, size_t n);

/*
 * bench_report: make of the runs in N files a page, or if to->path ends as a picture does, that.
 * Each of WORDS is a file, or NAME=FILE. A page may go to "-", standard output. Faults are told to
 * ERRORS. Returns the exit code: 0; 1 if that could not be written; 2 if a file is no run, and then
 * nothing is begun.
 */
MUST_USE int bench_report(
    const struct bench_plot_wish *to, char *const *words, size_t n, FILE *errors);

#endif
