/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/plot.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "bench/result/run.h"
#include "bench/result/text.h"

#define MINUTES_FROM 600.0 /* s */
#define HOURS_FROM 14400.0 /* s */
#define WIDE 50.0 /* times with a larger ratio of longest to shortest have a logarithmic axis */

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* The label of a chart by its unit, if its columns do not say it. */
static const struct {
	const char *unit, *quantity;
	bool time;
} units[] = {
	{ "1/s", "rate", false },
	{ "ns", "time", true },
	{ "us", "time", true },
	{ "ms", "time", true },
	{ "s", "time", true },
	{ "%", "share", false },
	{ "B", "memory", false },
	{ "KiB", "memory", false },
	{ "MiB", "memory", false },
	{ "GiB", "memory", false },
};

static const char *
name_of(const json_t *columns, size_t i)
{
	return bench_text_get(json_array_get(columns, i), "name");
}

static const char *
unit_of(const json_t *columns, size_t i)
{
	return bench_text_get(json_array_get(columns, i), "unit");
}

/* The column called STEM (N octets) with END behind it, or 0. */
static size_t
find(const json_t *columns, const char *stem, size_t n, const char *end)
{
	for (size_t i = 1; i < json_array_size(columns); i++) {
		const char *name = name_of(columns, i);

		if (strncmp(name, stem, n) == 0 && strcmp(name + n, end) == 0)
			return i;
	}
	return 0;
}

/* The length of NAME without "_median" or "_mean" behind it. */
static size_t
stem_length(const char *name)
{
	static const char *const middles[] = { "_median", "_mean" };
	size_t n = strlen(name);

	for (size_t i = 0; i < N_OF(middles); i++) {
		size_t m = strlen(middles[i]);

		if (n > m && strcmp(name + n - m, middles[i]) == 0)
			return n - m;
	}
	return n;
}

/* Column I as a curve, with the error bars that the table has for it. */
static struct bench_curve
curve_of(const json_t *columns, size_t i)
{
	const char *name = name_of(columns, i);
	size_t n = stem_length(name);
	struct bench_curve c = { .value = i,
		.low = find(columns, name, n, "_p1"),
		.high = find(columns, name, n, "_p99"),
		.deviation = find(columns, name, n, "_deviation") };

	if (c.low == 0 || c.high == 0)
		c.low = c.high = 0;
	else
		c.deviation = 0;
	if (c.low != 0 || c.deviation != 0)
		return c;
	c.low = find(columns, name, n, "_min");
	c.high = find(columns, name, n, "_max");
	c.ends = c.low != 0 && c.high != 0;
	if (!c.ends)
		c.low = c.high = 0;
	return c;
}

bool
bench_plot_has_bars(const struct bench_curve *c)
{
	return c->low != 0 || c->deviation != 0;
}

/* Is column I an error bar of another one? */
static bool
is_bar(const json_t *columns, size_t i)
{
	for (size_t k = 1; k < json_array_size(columns); k++) {
		struct bench_curve c = curve_of(columns, k);

		if (k != i && (c.low == i || c.high == i || c.deviation == i))
			return true;
	}
	return false;
}

/* The smallest and largest number of column I; false if it has none, or words. */
static bool
range(const json_t *rows, size_t i, double *min, double *max)
{
	bool found = false;

	for (size_t k = 0; k < json_array_size(rows); k++) {
		const json_t *value = json_array_get(json_array_get(rows, k), i);
		double v = json_number_value(value);

		if (json_is_string(value))
			return false;
		if (!json_is_number(value))
			continue;
		*min = !found || v < *min ? v : *min;
		*max = !found || v > *max ? v : *max;
		found = true;
	}
	return found;
}

/* Octets of NAME before its first "_". */
static size_t
first_word(const char *name)
{
	return strcspn(name, "_");
}

static struct bench_chart *
panel_for(struct bench_figure *f, const json_t *columns, size_t i)
{
	const char *name = name_of(columns, i), *unit = unit_of(columns, i);

	for (size_t k = 0; k < f->n; k++) {
		const char *other = name_of(columns, f->charts[k].curves[0].value);
		size_t n = first_word(name);

		if (strcmp(f->charts[k].unit, unit) == 0 && first_word(other) == n &&
		    strncmp(other, name, n) == 0)
			return &f->charts[k];
	}
	if (f->n == BENCH_CHARTS_MAX)
		return NULL;
	f->charts[f->n] = (struct bench_chart){ .unit = unit };
	return &f->charts[f->n++];
}

static void
add_column(struct bench_figure *f, const json_t *columns, const json_t *rows, size_t i)
{
	double min, max;

	if (*unit_of(columns, i) == '\0' || is_bar(columns, i) || !range(rows, i, &min, &max))
		return;
	struct bench_chart *p = panel_for(f, columns, i);
	if (p != NULL && p->n < BENCH_CHART_CURVES)
		p->curves[p->n++] = curve_of(columns, i);
}

static bool
is_time(const char *unit)
{
	for (size_t i = 0; i < N_OF(units); i++) {
		if (units[i].time && strcmp(units[i].unit, unit) == 0)
			return true;
	}
	return false;
}

/* Are there times above zero with a large ratio of longest to shortest? */
static bool
spans_much(const struct bench_chart *p, const json_t *rows)
{
	double least = 0, most = 0;

	for (size_t i = 0; i < p->n; i++) {
		double min, max;

		if (!range(rows, p->curves[i].value, &min, &max))
			continue;
		least = i == 0 || min < least ? min : least;
		most = i == 0 || max > most ? max : most;
	}
	return is_time(p->unit) && least > 0 && most / least >= WIDE;
}

/*
 * What the curves have in common: one title, the first word of all names, or the unit's quantity.
 */
static void
choose_label(struct bench_chart *p, const json_t *columns)
{
	const char *name = name_of(columns, p->curves[0].value);
	size_t n = first_word(name);

	if (p->n == 1) {
		(void)snprintf(p->label, sizeof(p->label), "%s",
		    bench_text_get(json_array_get(columns, p->curves[0].value), "title"));
		return;
	}
	(void)snprintf(p->label, sizeof(p->label), "%.*s", (int)n, name);
	for (char *c = p->label; n <= 3 && *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	for (size_t i = 0; i < N_OF(units); i++) {
		if (n > 3 && strcmp(units[i].unit, p->unit) == 0)
			(void)snprintf(p->label, sizeof(p->label), "%s", units[i].quantity);
	}
}

/* Do the numbers of the first column grow by factors, as 1, 2, 4 ... 512? */
static bool
doubles(const json_t *rows, double min, double max)
{
	size_t n = json_array_size(rows), low = 0;

	for (size_t k = 0; k < n; k++)
		low += json_number_value(json_array_get(json_array_get(rows, k), 0)) < max / 4;
	return min > 0 && n > 3 && low * 2 >= n;
}

/* The x axis: kind, range and unit, from the first column. */
static void
choose_axis(struct bench_figure *f, const json_t *columns, const json_t *rows)
{
	f->doubling = false;
	f->x_min = f->x_max = 0;
	f->x_divisor = 1;
	f->x_unit = unit_of(columns, 0);
	f->axis = BENCH_AXIS_NONE;
	if (json_array_size(rows) < 2)
		return;
	if (json_is_string(json_array_get(json_array_get(rows, 0), 0)))
		f->axis = BENCH_AXIS_WORDS;
	else if (range(rows, 0, &f->x_min, &f->x_max))
		f->axis = strcmp(name_of(columns, 0), "percentile") == 0 ? BENCH_AXIS_PERCENTILES
									 : BENCH_AXIS_NUMBERS;
	if (f->axis != BENCH_AXIS_NUMBERS)
		return;
	if (strcmp(f->x_unit, "s") != 0) {
		f->doubling = doubles(rows, f->x_min, f->x_max);
	} else if (f->x_max >= MINUTES_FROM) {
		f->x_divisor = f->x_max >= HOURS_FROM ? 3600 : 60;
		f->x_unit = f->x_max >= HOURS_FROM ? "h" : "min";
	}
}

void
bench_plot_choose(struct bench_figure *f, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns"),
		     *rows = json_object_get(table, "rows");

	f->n = 0;
	choose_axis(f, columns, rows);
	if (f->axis == BENCH_AXIS_NONE)
		return;
	for (size_t i = 1; i < json_array_size(columns); i++)
		add_column(f, columns, rows, i);
	for (size_t i = 0; i < f->n; i++) {
		f->charts[i].logarithmic = spans_much(&f->charts[i], rows);
		choose_label(&f->charts[i], columns);
	}
	if (f->n == 0)
		f->axis = BENCH_AXIS_NONE;
}
