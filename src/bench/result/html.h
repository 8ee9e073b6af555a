/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_HTML_H
#define DNS64D_BENCH_RESULT_HTML_H

/* bench_html: pieces of an HTML page. */

#include <stdio.h>

/* bench_html_text: print TEXT with all that has a meaning in HTML escaped. */
void bench_html_text(FILE *out, const char *text);

/*
 * bench_html_svg: print the picture in the file SVG, which gnuplot drew, as the N-th of a page. Its
 * identifiers (id="...", "#...") get N, so that each page has them once. The XML head and tooltips
 * are left out.
 */
void bench_html_svg(FILE *out, FILE *svg, unsigned n);

#endif
