/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_x, bench_plot_y: the axes of charts, by their values. */

#include "bench/result/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/text.h"

#define MINUTES_FROM 600.0 /* s */
#define HOURS_FROM 14400.0 /* s */
#define WIDE 50.0          /* times with a larger ratio of longest to shortest: logarithmic */
#define WIDE_BOTH 10.0     /* the same of what is over a logarithmic axis */
#define ROOM 38            /* characters that fit along the x axis */
#define ROOM_UP 200        /* along the y axis, where labels stand above each other */
#define MARGIN 0.03        /* of the x axis, beside the first and last points */
#define LOG_MARGIN 0.12    /* the same of a logarithmic one */
#define LEAST_SPAN 0.1     /* of what is shown without zero */
#define WORDS_MAX 1000     /* categories; more could not be told apart */
#define FACTOR 1.5         /* that each number has to the one before, if they grow by factors */
#define AT_VALUES 12       /* an x axis has ticks at its values if these are so few */

/* --- x ---------------------------------------------------------------------------------------- */

/* The first cells of all tables. */
struct firsts {
	const struct bench_plot_source *of;
	size_t n;
};

/* Call TAKE with each first cell that has a value, and its column. */
static void
each_first(const struct firsts *x,
    void (*take)(void *ctx, const json_t *column, const json_t *cell), void *ctx)
{
	for (size_t i = 0; i < x->n; i++) {
		const json_t *rows = json_object_get(x->of[i].table, "rows"),
			     *column =
				 json_array_get(json_object_get(x->of[i].table, "columns"), 0);

		for (size_t k = 0; k < json_array_size(rows); k++) {
			const json_t *cell = json_array_get(json_array_get(rows, k), 0);

			if (cell != NULL && !json_is_null(cell))
				take(ctx, column, cell);
		}
	}
}

/* The place of WORD in WORDS; their number if it is not there. */
static size_t
word_at(const json_t *words, const char *word)
{
	size_t n = json_array_size(words);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(json_string_value(json_array_get(words, i)), word) == 0)
			return i;
	}
	return n;
}

static void
take_word(void *ctx, const json_t *column, const json_t *cell)
{
	char text[BENCH_TEXT_CELL];
	const char *word = bench_text_cell(cell, BENCH_TEXT_ROUND, text);

	(void)column;
	if (word_at(ctx, word) == json_array_size(ctx) && json_array_size(ctx) < WORDS_MAX)
		(void)json_array_append_new(ctx, json_string(word));
}

/* The numbers of the x axis. */
struct numbers {
	double min, max;
	double last;     /* the largest below 100 */
	size_t n, n_low; /* n_low: below a quarter of the largest */
	bool words;      /* there are words too */
	bool whole;      /* all are whole */
	double *list;    /* owned, in order, each once; NULL: not kept */
	size_t n_list;
};

static void
take_number(void *ctx, const json_t *column, const json_t *cell)
{
	struct numbers *x = ctx;
	double v = json_number_value(cell);

	(void)column;
	x->words = x->words || !json_is_number(cell);
	if (!json_is_number(cell))
		return;
	x->min = x->n == 0 || v < x->min ? v : x->min;
	x->max = x->n == 0 || v > x->max ? v : x->max;
	x->last = v < 100 && (x->n == 0 || v > x->last) ? v : x->last;
	x->whole = (x->n == 0 || x->whole) && v == floor(v);
	x->n++;
	if (x->n_list > AT_VALUES || x->list == NULL)
		return;
	size_t at = 0;
	while (at < x->n_list && x->list[at] < v)
		at++;
	if (at < x->n_list && x->list[at] == v)
		return;
	memmove(x->list + at + 1, x->list + at, (x->n_list - at) * sizeof(*x->list));
	x->list[at] = v;
	x->n_list++;
}

static void
count_low(void *ctx, const json_t *column, const json_t *cell)
{
	struct numbers *x = ctx;

	(void)column;
	x->n_low += json_number_value(cell) < x->max / 4;
}

/* 90, 99 and 99.9 % in equal steps; 100 % would be infinite. */
static double
stretched(double percent)
{
	return percent < 100 ? 1 / (1 - percent / 100) : (double)NAN;
}

static void
percentiles(struct bench_figure *f, const struct numbers *x)
{
	static const struct {
		double percent;
		const char *text;
	} ticks[] = { { 0, "0" }, { 50, "50" }, { 90, "90" }, { 99, "99" }, { 99.9, "99.9" },
		{ 99.99, "99.99" }, { 99.999, "99.999" }, { 99.9999, "99.9999" } };

	f->axis = BENCH_AXIS_PERCENTILES;
	f->x = (struct bench_scale){ .logarithmic = true,
		.low = stretched(x->min) * (1 - LOG_MARGIN),
		.high = stretched(x->last) * (1 + LOG_MARGIN) };
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		struct bench_tick *t = &f->x.ticks[f->x.n];

		t->at = stretched(ticks[i].percent);
		if (t->at < f->x.low || t->at > f->x.high)
			continue;
		(void)strcpy(t->text, ticks[i].text);
		f->x.n++;
	}
}

/* Do the numbers grow by factors, as 1, 2, 4 ... 512? */
static bool
by_factors(const struct numbers *x)
{
	bool each = x->n_list <= AT_VALUES;

	for (size_t i = 1; i < x->n_list; i++)
		each = each && x->list[i] >= FACTOR * x->list[i - 1];
	return x->min > 0 && x->n_list > 3 && (each || x->n_low * 2 >= x->n);
}

static void
numbers(struct bench_figure *f, const struct firsts *all, struct numbers *x)
{
	bool time = strcmp(f->x_unit, "s") == 0;
	struct bench_scale_wish wish = { .room = ROOM, .integers = x->whole };

	f->axis = BENCH_AXIS_NUMBERS;
	if (time && x->max >= MINUTES_FROM) {
		f->x_divisor = x->max >= HOURS_FROM ? 3600 : 60;
		f->x_unit = x->max >= HOURS_FROM ? "h" : "min";
	}
	if (!time)
		each_first(all, count_low, x);
	if (!time && by_factors(x)) {
		wish.margin = LOG_MARGIN;
		bench_plot_logarithmic(&f->x, x->min, x->max, &wish);
	} else {
		wish.margin = MARGIN;
		bench_plot_linear(&f->x, x->min / f->x_divisor, x->max / f->x_divisor, &wish);
	}
	if (!time && x->whole && x->n_list <= AT_VALUES)
		(void)!bench_plot_at(&f->x, x->list, x->n_list, &wish);
}

void
bench_plot_x(struct bench_figure *f, const struct bench_plot_source *of, size_t n)
{
	const struct firsts all = { of, n };
	const json_t *column = json_array_get(json_object_get(of[0].table, "columns"), 0);
	const char *hint = bench_text_get(of[0].table, "axis");
	double list[AT_VALUES + 2];
	struct numbers x = { .list = list };

	f->x_divisor = 1;
	f->x_unit = bench_text_get(column, "unit");
	(void)snprintf(f->label, sizeof(f->label), "%.100s", bench_text_get(column, "title"));
	each_first(&all, take_number, &x);
	if (x.n == 0 && !x.words)
		return;
	bool one = !x.words && x.min >= x.max;
	if (x.words || one || strcmp(hint, "bars") == 0)
		f->axis = BENCH_AXIS_BARS;
	else if (strcmp(hint, "categories") == 0)
		f->axis = BENCH_AXIS_CATEGORIES;
	else if (strcmp(bench_text_get(column, "name"), "percentile") == 0)
		percentiles(f, &x);
	else
		numbers(f, &all, &x);
	if (f->axis == BENCH_AXIS_BARS || f->axis == BENCH_AXIS_CATEGORIES) {
		f->words = json_array();
		each_first(&all, take_word, f->words);
	}
	if (x.words) /* they say what they are */
		f->label[0] = '\0';
	if (x.words && n == 1 && json_array_size(f->words) == 1) /* nothing to compare */
		f->axis = BENCH_AXIS_NONE;
}

double
bench_plot_place(const struct bench_figure *f, const json_t *row)
{
	const json_t *cell = json_array_get(row, 0);
	char text[BENCH_TEXT_CELL];
	size_t at;

	if (cell == NULL || json_is_null(cell))
		return (double)NAN;
	switch (f->axis) {
	case BENCH_AXIS_CATEGORIES:
	case BENCH_AXIS_BARS:
		at = word_at(f->words, bench_text_cell(cell, BENCH_TEXT_ROUND, text));
		return at < json_array_size(f->words) ? (double)at : (double)NAN;
	case BENCH_AXIS_PERCENTILES:
		return stretched(json_number_value(cell));
	case BENCH_AXIS_NUMBERS:
	case BENCH_AXIS_NONE:
		break;
	}
	return json_is_number(cell) ? json_number_value(cell) / f->x_divisor : (double)NAN;
}

/* --- y ---------------------------------------------------------------------------------------- */

/* The smallest and largest: of the values alone, and with their error bars. */
struct extent {
	double least, most, low, high;
};

static struct extent
extent_of(const struct bench_chart *p)
{
	const double inf = (double)INFINITY;
	struct extent e = { inf, -inf, inf, -inf };

	for (size_t i = 0; i < p->n; i++) {
		const struct bench_curve *c = &p->curves[i];

		for (size_t k = 0; k < json_array_size(c->rows); k++) {
			struct bench_dot d = bench_plot_dot(p, c, json_array_get(c->rows, k));

			/* fmin and fmax pass over what is no number. */
			e.least = fmin(e.least, d.value);
			e.most = fmax(e.most, d.value);
			e.low = fmin(e.low, fmin(d.value, fmin(d.low, d.q1)));
			e.high = fmax(e.high, fmax(d.value, fmax(d.high, d.q3)));
		}
	}
	return e;
}

static bool
is_time(const char *unit)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (strcmp(times[i], unit) == 0)
			return true;
	}
	return false;
}

/* Times that span much; and what grows with a logarithmic x axis, so that its law is seen. */
static bool
spans_much(const struct bench_figure *f, const struct bench_chart *p, const struct extent *e)
{
	if (f->axis == BENCH_AXIS_BARS || f->axis == BENCH_AXIS_CATEGORIES || e->least <= 0)
		return false;
	if (is_time(p->unit) && e->most / e->least >= WIDE)
		return true;
	return f->axis == BENCH_AXIS_NUMBERS && f->x.logarithmic && strcmp(p->unit, "%") != 0 &&
	    e->most / e->least >= WIDE_BOTH;
}

/* A deviation as large as the mean reaches zero, and no logarithmic axis can show that. */
static void
cut_deviations(struct bench_chart *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct bench_curve *c = &p->curves[i];

		for (size_t k = 0; k < json_array_size(c->rows); k++) {
			struct bench_dot d = bench_plot_dot(p, c, json_array_get(c->rows, k));

			if (c->spread == BENCH_SPREAD_DEVIATION && d.low <= 0) {
				c->spread = BENCH_SPREAD_NONE;
				c->low = c->high = 0;
			}
		}
	}
}

void
bench_plot_y(const struct bench_figure *f, struct bench_chart *p)
{
	struct extent e = extent_of(p);
	struct bench_scale_wish wish = { .room = ROOM_UP, .rounded = true };

	if (spans_much(f, p, &e)) {
		cut_deviations(p);
		e = extent_of(p);
		/* A bar that goes down far is cut: half of the chart would be for it. */
		bench_plot_logarithmic(&p->y, fmax(e.low, e.least / 2), e.high, &wish);
		return;
	}
	if (f->axis == BENCH_AXIS_CATEGORIES)
		wish.least = LEAST_SPAN;
	else
		e.low = fmin(e.low, 0);
	bench_plot_linear(&p->y, e.low, fmax(e.high, e.low), &wish);
	if (e.low < 0 || p->y.low >= 0)
		return;
	/* There is no room for what cannot be. */
	wish.least = 0;
	bench_plot_linear(&p->y, 0, fmax(e.high, e.low), &wish);
}
