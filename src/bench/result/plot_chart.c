/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_choose: which charts tables make, of which curves. */

#include "bench/result/plot.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/run.h"
#include "bench/result/text.h"

#define LARGE 10000.0 /* values from here on are shown in the next unit */

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Units: the label of a chart, if its columns do not say it; the unit that is so much larger. */
static const struct {
	const char *unit, *shown, *quantity, *next;
	double factor;
} units[] = {
	{ "1/s", "1/s", "rate", NULL, 0 },
	{ "ns", "ns", "time", "µs", 1000 },
	{ "us", "µs", "time", "ms", 1000 },
	{ "ms", "ms", "time", "s", 1000 },
	{ "s", "s", "time", NULL, 0 },
	{ "%", "%", "share", NULL, 0 },
	{ "B", "B", "memory", "KiB", 1024 },
	{ "KiB", "KiB", "memory", "MiB", 1024 },
	{ "MiB", "MiB", "memory", "GiB", 1024 },
	{ "GiB", "GiB", "memory", NULL, 0 },
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

static const char *
title_of(const json_t *columns, size_t i)
{
	return bench_text_get(json_array_get(columns, i), "title");
}

/* Does NAME, of N octets, end in END? */
static bool
ends_in(const char *name, size_t n, const char *end)
{
	size_t m = strlen(end);

	return n > m && strncmp(name + n - m, end, m) == 0;
}

/* The length of NAME without what is said behind it of which figure this is. */
static size_t
stem_length(const char *name)
{
	static const char *const middles[] = { "_median", "_mean", "_ideal" };
	size_t n = strlen(name);

	for (size_t i = 0; i < N_OF(middles); i++) {
		if (ends_in(name, n, middles[i]))
			return n - strlen(middles[i]);
	}
	return n;
}

/* Has column I numbers, and nothing else? */
static bool
has_numbers(const json_t *rows, size_t i)
{
	bool found = false;

	for (size_t k = 0; k < json_array_size(rows); k++) {
		const json_t *value = json_array_get(json_array_get(rows, k), i);

		if (json_is_string(value))
			return false;
		found = found || json_is_number(value);
	}
	return found;
}

/* --- Error bars ------------------------------------------------------------------------------- */

/* The ends of the names of what belongs to a figure; all of a kind must be there. */
static const struct {
	enum bench_spread spread;
	const char *low, *high;
} spreads[] = {
	{ BENCH_SPREAD_PERCENTILES, "_p1", "_p99" },
	{ BENCH_SPREAD_DEVIATION, "_deviation", "_deviation" },
	{ BENCH_SPREAD_ENDS, "_min", "_max" },
	{ BENCH_SPREAD_QUARTILES, "_q1", "_q3" },
	{ BENCH_SPREAD_NONE, "_mad", "_mad" },
	{ BENCH_SPREAD_NONE, "_margin", "_margin" },
};

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

/* The columns of that kind for the figure called STEM. */
static bool
find_both(const json_t *columns, const char *stem, size_t n, size_t kind, size_t *low, size_t *high)
{
	*low = find(columns, stem, n, spreads[kind].low);
	*high = find(columns, stem, n, spreads[kind].high);
	return *low != 0 && *high != 0;
}

/* Is column I what belongs to another one: its error bar, or an end of it? */
static bool
is_bar(const json_t *columns, size_t i)
{
	const char *name = name_of(columns, i);
	size_t n = strlen(name), low, high;

	for (size_t k = 0; k < N_OF(spreads); k++) {
		const char *end = ends_in(name, n, spreads[k].low) ? spreads[k].low
		    : ends_in(name, n, spreads[k].high)            ? spreads[k].high
								   : NULL;
		size_t stem = end != NULL ? n - strlen(end) : 0;

		if (end != NULL && find_both(columns, name, stem, k, &low, &high) &&
		    (find(columns, name, stem, "") != 0 ||
			find(columns, name, stem, "_median") != 0 ||
			find(columns, name, stem, "_mean") != 0))
			return true;
	}
	return false;
}

/* Give *c the error bars of the first kind, of those from FIRST on, that has values. */
static void
take_bars(struct bench_curve *c, const json_t *columns, const char *name, size_t first)
{
	size_t n = stem_length(name), low, high;

	for (size_t k = first; k < N_OF(spreads); k++) {
		if (spreads[k].spread == BENCH_SPREAD_NONE ||
		    !find_both(columns, name, n, k, &low, &high) || !has_numbers(c->rows, low) ||
		    !has_numbers(c->rows, high))
			continue;
		if (spreads[k].spread == BENCH_SPREAD_QUARTILES) {
			c->q1 = low;
			c->q3 = high;
		}
		if (c->spread != BENCH_SPREAD_NONE)
			continue;
		c->spread = spreads[k].spread;
		c->low = low;
		c->high = high;
	}
}

/* Column I of TABLE as a curve. */
static struct bench_curve
curve_of(const json_t *columns, const json_t *rows, size_t i)
{
	const char *name = name_of(columns, i);
	struct bench_curve c = { .rows = rows, .value = i, .mark = (double)NAN };

	c.ideal = ends_in(name, strlen(name), "_ideal");
	if (c.ideal)
		return c;
	if (ends_in(name, strlen(name), "_mean"))
		take_bars(&c, columns, name, 1);
	if (c.spread == BENCH_SPREAD_NONE)
		take_bars(&c, columns, name, 0);
	return c;
}

struct bench_dot
bench_plot_dot(const struct bench_chart *p, const struct bench_curve *c, const json_t *row)
{
	const size_t columns[] = { c->value, c->low, c->high, c->q1, c->q3 };
	double v[N_OF(columns)];

	for (size_t i = 0; i < N_OF(columns); i++) {
		const json_t *cell = json_array_get(row, columns[i]);

		v[i] = columns[i] != 0 && json_is_number(cell)
		    ? json_number_value(cell) / p->divisor
		    : (double)NAN;
	}
	if (c->spread == BENCH_SPREAD_DEVIATION) {
		v[2] = v[0] + v[1];
		v[1] = v[0] - v[1];
		if (v[1] < 0 && v[0] >= 0) /* what cannot be */
			v[1] = 0;
	}
	return (struct bench_dot){ v[0], v[1], v[2], v[3], v[4] };
}

/* --- Charts ----------------------------------------------------------------------------------- */

/* Octets of NAME before its first "_". */
static size_t
first_word(const char *name)
{
	return strcspn(name, "_");
}

/* A chart while it is chosen. */
struct choice {
	struct bench_figure *f;
	const json_t *columns; /* of the first table */
	bool several;          /* tables */
	bool groups;           /* columns are bars of a group: they say no quantity */
	size_t first[BENCH_CHARTS_MAX], n_columns[BENCH_CHARTS_MAX]; /* of each chart */
};

/* The chart for column I of COLUMNS, which is that of the first table; NULL: there is no room. */
static struct bench_chart *
chart_for(struct choice *c, const json_t *columns, size_t i)
{
	const char *name = name_of(columns, i), *unit = unit_of(columns, i);

	for (size_t k = 0; k < c->f->n; k++) {
		const char *other = name_of(c->columns, c->first[k]);
		size_t n = c->several ? stem_length(name) : first_word(name),
		       m = c->several ? stem_length(other) : first_word(other);

		if (strcmp(c->f->charts[k].unit, unit) == 0 && n == m &&
		    strncmp(other, name, n) == 0)
			return &c->f->charts[k];
	}
	if (columns != c->columns || c->f->n == BENCH_CHARTS_MAX)
		return NULL;
	c->first[c->f->n] = i;
	c->n_columns[c->f->n] = 0;
	c->f->charts[c->f->n] = (struct bench_chart){ .unit = unit, .divisor = 1 };
	return &c->f->charts[c->f->n++];
}

/* Words of the title that say which quantity it is: "p99" is "RTT p99". */
static void
full_title(const json_t *columns, size_t i, char text[static BENCH_CHART_LABEL])
{
	const char *name = name_of(columns, i), *title = title_of(columns, i);
	size_t n = first_word(name);
	char word[4] = "";

	for (size_t k = 0; n <= 3 && name[n] == '_' && k < n; k++)
		word[k] = (char)toupper((unsigned char)name[k]);
	if (n <= 3 && name[n] == '\0' && strcmp(title, "mean") == 0)
		for (size_t k = 0; k < n; k++)
			word[k] = (char)toupper((unsigned char)name[k]);
	(void)snprintf(text, BENCH_CHART_LABEL, "%s%s%.100s",
	    strcasestr(title, word) == NULL ? word : "", strcasestr(title, word) == NULL ? " " : "",
	    title);
}

/* Give *c the mark of TABLE, if there is one and it has a place. */
static void
take_mark(struct bench_curve *c, const struct bench_figure *f, const json_t *table)
{
	const json_t *mark = json_object_get(table, "mark");
	double at = json_number_value(json_object_get(mark, "at")) / f->x_divisor;

	if (mark == NULL || f->axis != BENCH_AXIS_NUMBERS || at < f->x.low || at > f->x.high)
		return;
	c->mark = at;
	c->mark_name = bench_text_get(mark, "name");
}

static void
add_table(struct choice *c, const struct bench_plot_source *of)
{
	const json_t *columns = json_object_get(of->table, "columns"),
		     *rows = json_object_get(of->table, "rows");

	for (size_t i = 1; i < json_array_size(columns); i++) {
		if (*unit_of(columns, i) == '\0' || is_bar(columns, i) || !has_numbers(rows, i))
			continue;
		struct bench_curve curve = curve_of(columns, rows, i);
		if (curve.ideal && columns != c->columns)
			continue;
		struct bench_chart *p = chart_for(c, columns, i);
		if (p == NULL || p->n == BENCH_CHART_CURVES)
			continue;
		curve.title = c->several && !curve.ideal ? of->name : title_of(columns, i);
		if (c->several || p->n == 0)
			take_mark(&curve, c->f, of->table);
		c->n_columns[p - c->f->charts] += columns == c->columns && !curve.ideal;
		p->curves[p->n++] = curve;
	}
}

/* Do the names of all curves of chart I begin with that of the first, as "cpu" and "cpu_per_loop"?
 */
static bool
first_is_of_all(const struct choice *c, size_t i)
{
	const struct bench_chart *p = &c->f->charts[i];
	const char *first = name_of(c->columns, c->first[i]);
	size_t n = strlen(first);

	for (size_t k = 1; k < p->n; k++) {
		const char *name = name_of(c->columns, p->curves[k].value);

		if (strncmp(name, first, n) != 0 || name[n] != '_')
			return false;
	}
	return true;
}

/*
 * What the curves have in common: one title, the first word of all names, or the unit's quantity.
 */
static void
choose_label(const struct choice *c, size_t i)
{
	struct bench_chart *p = &c->f->charts[i];
	const char *name = name_of(c->columns, c->first[i]);
	size_t n = first_word(name);
	char text[BENCH_CHART_LABEL];

	if (c->n_columns[i] <= 1 && !c->groups) {
		full_title(c->columns, c->first[i], p->label);
		(void)snprintf(p->name, sizeof(p->name), "%.*s", (int)stem_length(name), name);
		return;
	}
	(void)snprintf(text, sizeof(text), "%.*s", (int)n, name);
	(void)snprintf(p->name, sizeof(p->name), "%s", text);
	/* "rtt" is "RTT", "CPU-per-answer" is "CPU per answer". */
	size_t m = strcspn(text, "-");
	for (size_t k = 0; m <= 3 && k < m; k++)
		text[k] = (char)toupper((unsigned char)text[k]);
	for (char *at = text; (at = strchr(at, '-')) != NULL;)
		*at = ' ';
	for (size_t k = 0; k < N_OF(units); k++) {
		if (m > 3 && strcmp(units[k].unit, p->unit) == 0)
			(void)snprintf(text, sizeof(text), "%s", units[k].quantity);
	}
	if (m > 3 && !c->groups && first_is_of_all(c, i))
		(void)snprintf(text, sizeof(text), "%.100s", title_of(c->columns, c->first[i]));
	(void)strcpy(p->label, text);
}

/* Names of files: each once, of harmless characters. */
static void
clean_name(struct bench_figure *f, size_t i)
{
	char *name = f->charts[i].name;

	for (char *at = name; *at != '\0'; at++) {
		if (!isalnum((unsigned char)*at))
			*at = '-';
	}
	for (size_t k = 0; k < i; k++) {
		size_t n = strlen(name);

		if (strcmp(f->charts[k].name, name) == 0)
			(void)snprintf(name + n, sizeof(f->charts[i].name) - n, "-%zu", i + 1);
	}
}

/* Show large values in a larger unit. */
static void
choose_unit(struct bench_chart *p)
{
	double most = 0;

	p->divisor = 1;
	p->shown = p->unit;
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < json_array_size(p->curves[i].rows); k++) {
			struct bench_dot d =
			    bench_plot_dot(p, &p->curves[i], json_array_get(p->curves[i].rows, k));

			most = fmax(most, fmax(d.value, d.high));
		}
	}
	for (size_t i = 0; i < N_OF(units); i++) {
		if (strcmp(units[i].unit, p->unit) != 0)
			continue;
		bool large = most >= LARGE && units[i].next != NULL;
		p->shown = large ? units[i].next : units[i].shown;
		p->divisor = large ? units[i].factor : 1;
	}
}

struct bench_figure *
bench_plot_choose(const struct bench_plot_source *of, size_t n)
{
	struct bench_figure *f = calloc(1, sizeof(*f));
	struct choice c = { .f = f,
		.columns = n > 0 ? json_object_get(of[0].table, "columns") : NULL,
		.several = n > 1,
		.groups = n == 1 && strcmp(bench_text_get(of[0].table, "axis"), "bars") == 0 };

	if (f == NULL)
		return NULL;
	f->axis = BENCH_AXIS_NONE;
	f->title = "";
	if (n == 0)
		return f;
	f->title = bench_text_get(of[0].table, "title");
	bench_plot_x(f, of, n);
	for (size_t i = 0; f->axis != BENCH_AXIS_NONE && i < n; i++)
		add_table(&c, &of[i]);
	for (size_t i = 0; i < f->n; i++) {
		choose_label(&c, i);
		clean_name(f, i);
		choose_unit(&f->charts[i]);
		bench_plot_y(f, &f->charts[i]);
	}
	if (f->n == 0)
		f->axis = BENCH_AXIS_NONE;
	return f;
}

void
bench_plot_drop(struct bench_figure *f)
{
	if (f != NULL)
		json_decref(f->words);
	free(f);
}
