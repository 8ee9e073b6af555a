/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_PLOT_H
#define DNS64D_BENCH_RESULT_PLOT_H

/*
 * bench_plot: pictures of a run's tables. The form of a table says what is drawn:
 *
 *	- its first column is the x axis: numbers make curves, words make bars; "percentile" is
 *	  stretched towards 100 %; seconds become minutes or hours when there are many
 *	- columns with the same unit whose names begin alike up to "_" ("rtt_p50", "rtt_p99") are
 *the curves of one panel; a column without unit is a count and is not drawn
 *	- X_p1 and X_p99 are bars at X, X_median or X_mean; so is X_deviation, to both sides
 *	- times that span much, all above zero, are drawn on a logarithmic axis
 *
 * The panels of a table stand above each other over one x axis. Colours can be told apart by all
 * eyes (Okabe and Ito), points without colours too.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/run.h"

#define BENCH_PLOT_ERROR 256 /* octets of a message */

enum bench_plot_format { BENCH_PLOT_PNG, BENCH_PLOT_SVG, BENCH_PLOT_UNKNOWN };

/* bench_plot_format: what the end of PATH asks for. */
enum bench_plot_format bench_plot_format(const char *path);

/*
 * bench_plot_ready: whether a picture can be drawn to PATH: its name ends in .png or .svg, and
 * there is gnuplot. To ask before a run of hours; if not, why, to ERROR.
 */
MUST_USE bool bench_plot_ready(const char *path, char error[static BENCH_PLOT_ERROR]);

/* bench_plot_panels: how many panels TABLE makes; 0: there is nothing to draw. */
size_t bench_plot_panels(const json_t *table);

/*
 * bench_plot_script: what gnuplot has to be told to draw TABLES (a list), to OUT. With TITLES each
 * table's title stands above it. Gives the number of panels; with 0, nothing was written.
 */
size_t bench_plot_script(
    FILE *out, const json_t *tables, enum bench_plot_format format, bool titles);

/*
 * bench_plot_write: all tables of the run in one picture, to the file at PATH, which is not touched
 * if that fails; then why, to ERROR.
 */
MUST_USE bool bench_plot_write(
    const struct bench_run *r, const char *path, char error[static BENCH_PLOT_ERROR]);

/*
 * bench_plot_svg: the picture of TABLE as SVG in a file without a name, the caller's. NULL if that
 * fails; then why, to ERROR.
 */
MUST_USE FILE *bench_plot_svg(const json_t *table, char error[static BENCH_PLOT_ERROR]);

#endif
