/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_layout: where the parts of a chart are, so that nothing overlaps or is cut. */

#include "bench/result/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/text.h"

#define PLOT 40.0   /* height of a plot between its axes */
#define ABOVE 2.5   /* free, above the plot */
#define EDGE 1.2    /* above the legend */
#define BESIDE 3.2  /* between axis and labels, and left of the label of the axis */
#define BELOW 2.4   /* the same below */
#define RIGHT 5.0   /* right of the axis, at least */
#define GAP 3.0     /* between entries of the legend */
#define SLANT 30.0  /* degrees, of words that have no room */
#define MEDIAN_OF 3 /* points, at least, for a median to be drawn */
#define WIDTH BENCH_PLOT_WIDTH
#define LINE BENCH_PLOT_LINE
#define LETTER BENCH_PLOT_LETTER

/* --- The legend ------------------------------------------------------------------------------- */

static const char *
spread_words(const struct bench_curve *c)
{
	switch (c->spread) {
	case BENCH_SPREAD_PERCENTILES:
		return c->q1 != 0 ? "p1 to p99, thick: quartiles" : "p1 to p99";
	case BENCH_SPREAD_DEVIATION:
		return "standard deviation";
	case BENCH_SPREAD_ENDS:
		return c->q1 != 0 ? "min to max, thick: quartiles" : "min to max";
	case BENCH_SPREAD_QUARTILES:
		return "quartiles";
	case BENCH_SPREAD_NONE:
		break;
	}
	return "";
}

/* Have all curves the same error bars? Then the legend tells it once. */
static bool
same_spread(const struct bench_chart *p)
{
	const struct bench_curve *first = &p->curves[0];

	for (size_t i = 1; i < p->n; i++) {
		if (!p->curves[i].ideal &&
		    strcmp(spread_words(first), spread_words(&p->curves[i])) != 0)
			return false;
	}
	return true;
}

/* --- The median of categories ----------------------------------------------------------------- */

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of the one curve over categories; NAN: none is drawn. */
double
bench_plot_median(const struct bench_figure *f, const struct bench_chart *p)
{
	const json_t *rows = p->curves[0].rows;
	size_t n_rows = json_array_size(rows), n = 0;
	double median = (double)NAN, *list = calloc(n_rows, sizeof(*list));

	for (size_t i = 0; list != NULL && i < n_rows; i++) {
		struct bench_dot d = bench_plot_dot(p, &p->curves[0], json_array_get(rows, i));

		if (!isnan(d.value))
			list[n++] = d.value;
	}
	if (f->axis == BENCH_AXIS_CATEGORIES && p->n == 1 && n >= MEDIAN_OF) {
		qsort(list, n, sizeof(*list), by_size);
		median = (list[(n - 1) / 2] + list[n / 2]) / 2;
	}
	free(list);
	return median;
}

/* --- The legend's entries --------------------------------------------------------------------- */

static double
entry_width(const struct bench_entry *e)
{
	return BENCH_PLOT_SAMPLE + GAP + (double)bench_text_letters(e->text) * LETTER;
}

static void
add_entry(struct bench_legend *l, size_t curve, const char *what, const char *bars)
{
	struct bench_entry *e = &l->entries[l->n++];

	e->curve = curve;
	(void)snprintf(e->text, sizeof(e->text), "%.60s%s%s%s", what,
	    *bars != '\0' ? " (bars: " : "", bars, *bars != '\0' ? ")" : "");
}

/* Give the entries their places: from LEFT on if they fit there, else over the whole width. */
static void
lay_out(struct bench_legend *l, double left)
{
	double sum = 0, x;

	for (size_t i = 0; i < l->n; i++)
		sum += entry_width(&l->entries[i]);
	if (left + sum > WIDTH)
		left = BESIDE;
	x = left;
	l->rows = l->n > 0;
	for (size_t i = 0; i < l->n; i++) {
		double width = entry_width(&l->entries[i]);

		if (x > left && x + width - GAP > WIDTH) {
			x = left;
			l->rows++;
		}
		l->entries[i].x = x;
		l->entries[i].row = l->rows - 1;
		x += width;
	}
}

/* The legend of P, if there is anything to tell besides what stands beside the axis. */
struct bench_legend
bench_plot_legend(const struct bench_figure *f, const struct bench_chart *p, double left)
{
	bool same = same_spread(p);
	const char *bars = same ? spread_words(&p->curves[0]) : "";
	struct bench_legend l = { .n = 0 };
	char text[BENCH_CHART_LABEL];

	for (size_t i = 0; i < p->n; i++)
		add_entry(&l, i, p->curves[i].title, same ? "" : spread_words(&p->curves[i]));
	if (!isnan(bench_plot_median(f, p)))
		add_entry(&l, p->n, "median", "");
	for (size_t i = 0; i < p->n && l.n == p->n; i++) {
		if (!isnan(p->curves[i].mark))
			add_entry(&l, p->n, p->curves[i].mark_name, "");
	}
	(void)snprintf(text, sizeof(text), "bars: %s", bars);
	if (*bars != '\0')
		add_entry(&l, p->n + 1, text, "");
	l.n = l.n > 1 ? l.n : 0;
	lay_out(&l, left);
	return l;
}

/* --- Places ----------------------------------------------------------------------------------- */

/* Do the words have room beside each other in a plot of that width? */
static bool
words_fit(const struct bench_figure *f, double width)
{
	size_t n = json_array_size(f->words), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += bench_text_letters(json_string_value(json_array_get(f->words, i))) + 2;
	for (size_t i = 0; i < n; i++) {
		if ((double)bench_text_letters(json_string_value(json_array_get(f->words, i))) *
			LETTER >
		    width / (double)n)
			return false;
	}
	return (double)sum * LETTER <= width;
}

/* Are the categories numbers, of which some may be left out? */
bool
bench_plot_numeric(const struct bench_figure *f)
{
	return *f->label != '\0';
}

/* Height of the words below the axis. */
static double
words_height(const struct bench_figure *f, double width)
{
	size_t longest = 0;

	if (json_array_size(f->words) == 0 || bench_plot_numeric(f) || words_fit(f, width))
		return 0;
	for (size_t i = 0; i < json_array_size(f->words); i++) {
		size_t n = bench_text_letters(json_string_value(json_array_get(f->words, i)));

		longest = n > longest ? n : longest;
	}
	longest = longest < BENCH_PLOT_WORD ? longest : BENCH_PLOT_WORD;
	return (double)longest * LETTER * sin(SLANT * M_PI / 180) + LINE / 2;
}

/* Room left of the plots: for the widest label of the figure's axes, which stand one above another.
 */
static double
left_of(const struct bench_figure *f)
{
	size_t longest = 0;

	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->charts[i].y.n; k++) {
			size_t n = bench_text_letters(f->charts[i].y.ticks[k].text);

			longest = n > longest ? n : longest;
		}
	}
	return 2 * BESIDE + LINE + (double)longest * LETTER;
}

/* Room right of the plots: half of the last label may stand there. */
static double
right_of(const struct bench_figure *f)
{
	size_t n = f->x.n > 0 ? bench_text_letters(f->x.ticks[f->x.n - 1].text) : 0;

	return fmax(RIGHT, (double)n * LETTER / 2 + 1);
}

struct bench_place
bench_plot_layout(const struct bench_figure *f, size_t i, bool title, bool last)
{
	struct bench_place a = { .left = left_of(f), .right = right_of(f) };
	size_t rows = bench_plot_legend(f, &f->charts[i], a.left).rows;

	a.words = words_height(f, WIDTH - a.left - a.right);
	a.bottom = BELOW + LINE + a.words + (last && *f->label != '\0' ? LINE + BELOW : 0);
	a.top = a.bottom + PLOT;
	a.legend = a.top + ABOVE;
	a.title = a.legend + (double)rows * LINE + (title ? BELOW : 0);
	a.height = a.title + (title ? LINE : 0) + EDGE;
	return a;
}
