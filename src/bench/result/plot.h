/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_PLOT_H
#define DNS64D_BENCH_RESULT_PLOT_H

/*
 * bench_plot: pictures of a run's tables. The form of a table says what is drawn:
 *
 *	- its first column is the x axis: numbers make curves, words make bars; "percentile" is
 *	  stretched towards 100 %; seconds become minutes or hours when there are many
 *	- columns with the same unit whose names begin alike up to "_" ("rtt_p50", "rtt_p99") are
 *	  the curves of one chart; a column without unit is a count and is not drawn
 *	- X_p1 and X_p99 are error bars of X, X_median or X_mean; so is X_deviation, to both sides,
 *	  and without any of them so are X_min and X_max
 *	- times above zero with a large range are drawn on a logarithmic axis
 *
 * The charts of a table stand above each other over one x axis. The colours are those of Okabe and
 * Ito, which colour-blind people can tell apart; points differ in form, too.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/run.h"

#define BENCH_PLOT_ERROR 256 /* bytes of a message, with the zero */

enum bench_plot_format { BENCH_PLOT_PNG, BENCH_PLOT_SVG, BENCH_PLOT_UNKNOWN };

/* bench_plot_format: the format that the end of PATH, as ".png", asks for. */
MUST_USE enum bench_plot_format bench_plot_format(const char *path);

/*
 * bench_plot_ready: can a picture be drawn to PATH: does it end in .png or .svg, and is there
 * gnuplot? To be asked before a run of hours. If not, the reason goes to ERROR.
 */
MUST_USE bool bench_plot_ready(const char *path, char error[static BENCH_PLOT_ERROR]);

/* bench_plot_charts: how many charts TABLE makes; 0: there is nothing to draw. */
MUST_USE size_t bench_plot_charts(const json_t *table);

/*
 * bench_plot_script: write the script for gnuplot that draws TABLES (a list) in FORMAT, to OUT.
 * With TITLES each table's title stands above it. Returns the number of charts; if 0, nothing was
 * written.
 */
size_t bench_plot_script(
    FILE *out, const json_t *tables, enum bench_plot_format format, bool titles);

/*
 * bench_plot_write: draw all tables of the run in one picture, to the file PATH. False if that
 * fails, and the reason to ERROR; the file is then as it was.
 */
MUST_USE bool bench_plot_write(
    const struct bench_run *r, const char *path, char error[static BENCH_PLOT_ERROR]);

/*
 * bench_plot_svg: the picture of TABLE as SVG, in a file without a name, the caller's. NULL if that
 * fails, and the reason to ERROR.
 */
MUST_USE FILE *bench_plot_svg(const json_t *table, char error[static BENCH_PLOT_ERROR]);

/* --- gnuplot ---------------------------------------------------------------------------------- */

/*
 * gnuplot(1): a script in, a picture out. It is started without a shell and without the user's
 * settings; script and picture are in files without a name.
 */

/*
 * bench_plot_can: can PROGRAM ("gnuplot") be started? If not, the reason goes to ERROR, of
 * SIZE bytes.
 */
MUST_USE bool bench_plot_can(const char *program, char *error, size_t size);

/*
 * bench_plot_run: the picture that PROGRAM ("gnuplot") draws for the script in the file SCRIPT,
 * as a file without a name, at its start; the caller's. NULL if there is no program or no picture,
 * and the reason to ERROR, of SIZE bytes.
 */
MUST_USE FILE *bench_plot_run(const char *program, FILE *script, char *error, size_t size);

/* --- Charts ----------------------------------------------------------------------------------- */

/* Which charts a table makes, and which curves they have, by the rules above. */

#define BENCH_CHART_CURVES 8  /* as many colours as can be told apart */
#define BENCH_CHARTS_MAX 6    /* of one table */
#define BENCH_CHART_LABEL 120 /* bytes, with the zero */

enum bench_axis {
	BENCH_AXIS_NUMBERS,
	BENCH_AXIS_PERCENTILES,
	BENCH_AXIS_WORDS,
	BENCH_AXIS_NONE /* nothing to draw */
};

/* Columns of the table by number. 0, which is the x axis, means none. */
struct bench_curve {
	size_t value;
	size_t low, high; /* ends of the error bars */
	size_t deviation; /* half of the length of the error bars */
	bool ends;        /* those are the least and the most */
};

struct bench_chart {
	const char *unit;              /* the table's */
	char label[BENCH_CHART_LABEL]; /* of the y axis, without the unit */
	bool logarithmic;
	size_t n;
	struct bench_curve curves[BENCH_CHART_CURVES];
};

/* The charts of a table, which share the x axis. */
struct bench_figure {
	enum bench_axis axis;
	bool doubling; /* x grows by factors: a logarithmic axis */
	double x_min, x_max;
	double x_divisor; /* 60: minutes where the table has seconds */
	const char *x_unit;
	size_t n;
	struct bench_chart charts[BENCH_CHARTS_MAX];
};

/* bench_plot_choose: the charts of TABLE to *f, which borrows its texts. */
void bench_plot_choose(struct bench_figure *f, const json_t *table);

/* bench_plot_has_bars: does the curve have error bars? */
MUST_USE bool bench_plot_has_bars(const struct bench_curve *c);

#endif
