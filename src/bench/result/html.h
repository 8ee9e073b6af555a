/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_HTML_H
#define DNS64D_BENCH_RESULT_HTML_H

/* bench_html: pieces of an HTML page. */

#include <stdio.h>

/* bench_html_text: TEXT such that a browser shows it and does not obey it. */
void bench_html_text(FILE *out, const char *text);

/*
 * bench_html_svg: the picture in the file SVG, which gnuplot drew, as the N-th of a page: its names
 * (id="...", "#...") are made its own, and what stands before it or floats over it is left out.
 */
void bench_html_svg(FILE *out, FILE *svg, unsigned n);

#endif
