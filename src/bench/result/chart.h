/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_RESULT_CHART_H
#define DNS64D_BENCH_RESULT_CHART_H

/* bench_chart: which charts a table makes, and which curves they have (bench_plot has the rules).
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

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

/* bench_chart_choose: the charts of TABLE to *f, which borrows its texts. */
void bench_chart_choose(struct bench_figure *f, const json_t *table);

/* bench_chart_has_bars: does the curve have error bars? */
MUST_USE bool bench_chart_has_bars(const struct bench_curve *c);

#endif
