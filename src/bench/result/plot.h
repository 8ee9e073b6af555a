/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_PLOT_H
#define DNS64D_BENCH_RESULT_PLOT_H

/*
 * bench_plot: pictures of a run's tables, as a paper wants them: a column wide, one panel above the
 * other, curves that differ in line and point and not in colour alone. The form of a table says
 * what is drawn:
 *
 *	- its first column is the x axis: numbers make curves, words make bars; "percentile" is
 *	  stretched towards 100 %; seconds become minutes or hours when there are many. The table's
 *	  hint (bench_table_axis) may make categories of numbers: points, or bars in groups
 *	- columns with the same unit whose names begin alike up to "_" ("rtt_p50", "rtt_p99") are
 *	  the curves of one chart; a column without unit is a count and is not drawn
 *	- X_p1 and X_p99 are error bars of X, X_median or X_mean; else X_deviation, to both sides (a
 *	  mean's first), or X_min and X_max. X_q1 and X_q3 are a thick part of them, the quartiles.
 *	  None of these is a curve of its own where X is
 *	- X_ideal is what X could be: a line without points
 *	- a mark of the table (bench_table_mark) is a line across its charts, at a number of the x
 *	  axis
 *	- times above zero with a large range are drawn on a logarithmic axis, and so is what grows
 *	  with an x axis that is logarithmic
 *
 * Several tables, of one form, may be drawn over each other: a chart for each column, a curve for
 * each table. Colours are those of Okabe and Ito, which colour-blind people can tell apart.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/result/run.h"

#define BENCH_PLOT_ERROR 256 /* bytes of a message, with the zero */
#define BENCH_CHART_CURVES 8 /* as many as can be told apart */

enum bench_plot_format { BENCH_PLOT_PNG, BENCH_PLOT_SVG, BENCH_PLOT_PDF, BENCH_PLOT_UNKNOWN };

/* A table, and how its curves are called where there are several. */
struct bench_plot_source {
	const json_t *table;
	const char *name; /* "": by the columns */
};

/* A run, and how it is called where there are several. */
struct bench_plot_run {
	const json_t *tree; /* borrowed, as bench_run_tree gives it */
	const char *name;
};

/* How runs are drawn to a file. */
struct bench_plot_wish {
	const char *path; /* ends in .png, .svg or .pdf */
	bool titles;      /* each table's title above it */
	bool panels;      /* each chart to a file of its own, PATH with "-TABLE-COLUMN" in it */
};

/* bench_plot_format: the format that the end of PATH, as ".png", asks for. */
MUST_USE enum bench_plot_format bench_plot_format(const char *path);

/*
 * bench_plot_ready: can a picture be drawn to PATH: does it end in .png, .svg or .pdf, and is there
 * a gnuplot that can draw that? To be asked before a run of hours. If not, the reason goes to
 * ERROR.
 */
MUST_USE bool bench_plot_ready(const char *path, char error[static BENCH_PLOT_ERROR]);

/* bench_plot_charts: how many charts the N tables OF make; 0: there is nothing to draw. */
MUST_USE size_t bench_plot_charts(const struct bench_plot_source *of, size_t n);

/*
 * bench_plot_names: the names of the tables of N runs, each once, in order: a list, the caller's;
 * NULL without memory.
 */
MUST_USE json_t *bench_plot_names(const struct bench_plot_run *runs, size_t n);

/*
 * bench_plot_same: the tables called NAME of N runs, to OF. Returns how many: of more than there is
 * room for, the first.
 */
MUST_USE size_t bench_plot_same(const struct bench_plot_run *runs, size_t n, const char *name,
    struct bench_plot_source of[static BENCH_CHART_CURVES]);

/*
 * bench_plot_write: draw all tables of N runs, those of the same name over each other, to a file or
 * several. False if that fails, and the reason to ERROR; the file is then as it was.
 */
MUST_USE bool bench_plot_write(const struct bench_plot_run *runs, size_t n,
    const struct bench_plot_wish *wish, char error[static BENCH_PLOT_ERROR]);

/*
 * bench_plot_svg: chart I of the N tables OF as SVG without background, in a file without a name,
 * the caller's. NULL if that fails, and the reason to ERROR.
 */
MUST_USE FILE *bench_plot_svg(
    const struct bench_plot_source *of, size_t n, size_t i, char error[static BENCH_PLOT_ERROR]);

/* --- gnuplot ---------------------------------------------------------------------------------- */

/*
 * gnuplot(1): a script in, a picture out. It is started without a shell and without the user's
 * settings; script and picture are in files without a name.
 */

/*
 * bench_plot_can: can PROGRAM ("gnuplot") be started, and has it the TERMINAL? If not, the reason
 * goes to ERROR, of SIZE bytes.
 */
MUST_USE bool bench_plot_can(const char *program, const char *terminal, char *error, size_t size);

/*
 * bench_plot_run: the picture that PROGRAM ("gnuplot") draws for the script in the file SCRIPT,
 * as a file without a name, at its start; the caller's. NULL if there is no program or no picture,
 * and the reason to ERROR, of SIZE bytes.
 */
MUST_USE FILE *bench_plot_run(const char *program, FILE *script, char *error, size_t size);

/* --- Axes ------------------------------------------------------------------------------------- */

#define BENCH_TICKS_MAX 40
#define BENCH_TICK 32 /* bytes of a label, with the zero */

struct bench_tick {
	double at;
	char text[BENCH_TICK]; /* "": a mark without a label */
};

/* An axis with fixed limits. */
struct bench_scale {
	double low, high;
	bool logarithmic;
	size_t n;
	struct bench_tick ticks[BENCH_TICKS_MAX];
};

/* What an axis should be like. */
struct bench_scale_wish {
	size_t room;   /* characters that fit along it */
	bool rounded;  /* from tick to tick; else as far as the values, and a margin: */
	double margin; /* part of the span, of a value if it is logarithmic */
	bool integers; /* linear: no ticks between */
	double least; /* linear: the span is at least this part of the values, which stand inside */
};

/* bench_plot_number: V for an axis with ticks in this STEP: "12,000", "0.25". */
void bench_plot_number(double v, double step, char text[static BENCH_TICK]);

/* bench_plot_linear: a linear axis for values from MIN to MAX, which may be equal. */
void bench_plot_linear(
    struct bench_scale *s, double min, double max, const struct bench_scale_wish *wish);

/*
 * bench_plot_logarithmic: a logarithmic axis for values from MIN, above zero, to MAX, which may be
 * equal: if it is rounded it has two labels at least.
 */
void bench_plot_logarithmic(
    struct bench_scale *s, double min, double max, const struct bench_scale_wish *wish);

/*
 * bench_plot_at: let *s, with its limits, have its ticks at the N whole numbers AT, in order. False
 * if they have no room; *s is then as it was.
 */
MUST_USE bool bench_plot_at(
    struct bench_scale *s, const double *at, size_t n, const struct bench_scale_wish *wish);

/* --- Charts ----------------------------------------------------------------------------------- */

/* Which charts tables make, and which curves they have, by the rules above. */

#define BENCH_CHARTS_MAX 12   /* of one figure */
#define BENCH_CHART_LABEL 120 /* bytes, with the zero */

enum bench_axis {
	BENCH_AXIS_NUMBERS,
	BENCH_AXIS_PERCENTILES,
	BENCH_AXIS_CATEGORIES, /* points, one beside the other */
	BENCH_AXIS_BARS,
	BENCH_AXIS_NONE /* nothing to draw */
};

enum bench_spread {
	BENCH_SPREAD_NONE,
	BENCH_SPREAD_PERCENTILES, /* p1 to p99 */
	BENCH_SPREAD_DEVIATION,
	BENCH_SPREAD_ENDS, /* minimum to maximum */
	BENCH_SPREAD_QUARTILES
};

/* Columns by number; 0, which is the x axis, means none. */
struct bench_curve {
	const json_t *rows; /* borrowed */
	const char *title;  /* in the legend; borrowed */
	size_t value;
	enum bench_spread spread;
	size_t low, high; /* the ends of the error bars; of a deviation both are its column */
	size_t q1, q3;    /* quartiles, inside of them */
	bool ideal;
	double mark;           /* a place of the x axis; NAN: none */
	const char *mark_name; /* borrowed */
};

/* A curve at one place of the x axis; NAN: it has no such value. */
struct bench_dot {
	double value, low, high, q1, q3;
};

struct bench_chart {
	const char *unit;              /* the table's */
	double divisor;                /* 1000: ms where the table has us */
	const char *shown;             /* the unit after division */
	char label[BENCH_CHART_LABEL]; /* of the y axis, without the unit */
	char name[BENCH_CHART_LABEL];  /* of a file: letters, digits, "-" */
	struct bench_scale y;
	size_t n;
	struct bench_curve curves[BENCH_CHART_CURVES];
};

/* The charts of one table, or of several over each other, which share the x axis. */
struct bench_figure {
	const char *title; /* borrowed */
	enum bench_axis axis;
	json_t *words; /* owned: the categories, in order */
	char label[BENCH_CHART_LABEL];
	double x_divisor; /* 60: minutes where the table has seconds */
	const char *x_unit;
	struct bench_scale x; /* of numbers and percentiles */
	size_t n;
	struct bench_chart charts[BENCH_CHARTS_MAX];
};

/*
 * bench_plot_choose: the charts of the N tables OF, the caller's to drop; they borrow texts and
 * rows. NULL without memory.
 */
MUST_USE struct bench_figure *bench_plot_choose(const struct bench_plot_source *of, size_t n);

/* bench_plot_x: the x axis of *f, for the N tables OF, one or more. */
void bench_plot_x(struct bench_figure *f, const struct bench_plot_source *of, size_t n);

/* bench_plot_y: the y axis of chart *p, one of *f, by its curves. */
void bench_plot_y(const struct bench_figure *f, struct bench_chart *p);

/* bench_plot_drop: free the charts; NULL is fine. */
void bench_plot_drop(struct bench_figure *f);

/* bench_plot_dot: what curve C of chart P has in row ROW, in the chart's unit. */
MUST_USE struct bench_dot bench_plot_dot(
    const struct bench_chart *p, const struct bench_curve *c, const json_t *row);

/* bench_plot_place: where ROW stands on the x axis; NAN: nowhere. */
MUST_USE double bench_plot_place(const struct bench_figure *f, const json_t *row);

/* --- Places ----------------------------------------------------------------------------------- */

/*
 * Lengths are in mm, as a picture is printed: as wide as a column of a paper, with letters of 8
 * points.
 */
#define BENCH_PLOT_WIDTH 88.0
#define BENCH_PLOT_LINE 3.5    /* height of a line of text */
#define BENCH_PLOT_LETTER 1.65 /* width of a letter, about */
#define BENCH_PLOT_SAMPLE 7.5  /* of a curve, in the legend, and what is beside it */
#define BENCH_PLOT_WORD 24     /* letters of a category; the rest is cut */
#define BENCH_PLOT_ENTRIES (BENCH_CHART_CURVES + 2)

/* A sample and words. */
struct bench_entry {
	/* its number; or that of curves: the median or a mark, one more: the bars of all */
	size_t curve;
	char text[BENCH_CHART_LABEL];
	double x; /* from the left edge of the picture */
	size_t row;
};

struct bench_legend {
	size_t n, rows;
	struct bench_entry entries[BENCH_PLOT_ENTRIES];
};

/* Where the parts of a chart are: left and right from these edges, others from its lower edge. */
struct bench_place {
	double left, right;
	double bottom, top;   /* of the plot */
	double legend, title; /* lower edges */
	double words;         /* height of slanted categories; 0: they stand level */
	double height;        /* of all */
};

/* bench_plot_numeric: are the categories of *f numbers, of which some may go without a label? */
MUST_USE bool bench_plot_numeric(const struct bench_figure *f);

/* bench_plot_median: the median to be drawn through the points of chart P of F; NAN: none. */
MUST_USE double bench_plot_median(const struct bench_figure *f, const struct bench_chart *p);

/*
 * bench_plot_legend: the legend of chart P of F, if it tells anything that does not stand beside
 * the axes. It begins at LEFT, if it is short.
 */
MUST_USE struct bench_legend bench_plot_legend(
    const struct bench_figure *f, const struct bench_chart *p, double left);

/*
 * bench_plot_layout: where the parts of chart I of F are, with its TITLE above it; if it is the
 * LAST one the label of the x axis is below it.
 */
MUST_USE struct bench_place bench_plot_layout(
    const struct bench_figure *f, size_t i, bool title, bool last);

/* --- The script ------------------------------------------------------------------------------- */

#define BENCH_PLOT_ALL SIZE_MAX

/* What is drawn in one picture. */
struct bench_picture {
	struct bench_figure *const *figures; /* not NULL */
	size_t n;
	size_t only; /* chart of the first figure, or BENCH_PLOT_ALL */
	enum bench_plot_format format;
	bool titles;
	bool bare; /* without background */
};

/* bench_plot_script: write the script for gnuplot that draws the picture P, to OUT. */
void bench_plot_script(FILE *out, const struct bench_picture *p);

#endif
