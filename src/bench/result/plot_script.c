/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_script: the script for gnuplot. */

#include "bench/result/plot.h"

#include <math.h>
#include <string.h>

#include "bench/result/text.h"

#define WIDTH 720 /* of a picture, in pixels */
#define CHART_HEIGHT 250
#define PNG_SCALE 2     /* for print */
#define MARGIN 0.02     /* of the x axis, beside the first and last points */
#define LOG_MARGIN 1.15 /* the same of a logarithmic one */
#define WORDS_OCTETS 60 /* bytes of words that fit beside each other below a picture */
#define POINTS_MAX 60   /* a curve with more is a line without points */

/* Print TEXT in single quotes for gnuplot, where two quotes stand for one. */
static void
quoted(FILE *out, const char *text)
{
	(void)fputc('\'', out);
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			(void)fputc('\'', out);
		(void)fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
	}
	(void)fputc('\'', out);
}

/* The unit for people: "us" is written with a Greek mu. */
static const char *
printed_unit(const char *unit)
{
	return strcmp(unit, "us") == 0 ? "µs" : unit;
}

static void
label(FILE *out, const char *axis, const char *what, const char *unit)
{
	char text[BENCH_TEXT_CELL];

	(void)snprintf(text, sizeof(text), "%s%s%s%s", what, *unit != '\0' ? " (" : "",
	    printed_unit(unit), *unit != '\0' ? ")" : "");
	(void)fprintf(out, "set %slabel ", axis);
	quoted(out, text);
	(void)fputc('\n', out);
}

static const char *
title_of(const json_t *table, size_t column)
{
	return bench_text_get(json_array_get(json_object_get(table, "columns"), column), "title");
}

/* The position of VALUE, of the first column, on the x axis. */
static double
place(const struct bench_figure *f, const json_t *value, size_t row)
{
	double v = json_number_value(value);

	switch (f->axis) {
	case BENCH_AXIS_WORDS:
		return (double)row;
	case BENCH_AXIS_PERCENTILES:
		/* 90, 99 and 99.9 % in equal steps; 100 % would be infinite. */
		return v < 100 ? 1 / (1 - v / 100) : (double)NAN;
	case BENCH_AXIS_NUMBERS:
	case BENCH_AXIS_NONE:
		break;
	}
	return json_is_number(value) ? v / f->x_divisor : (double)NAN;
}

static void
number(FILE *out, double v)
{
	if (isnan(v))
		(void)fputs("NaN", out);
	else
		(void)fprintf(out, "%.10g", v);
}

/* Print TABLE as the data block $tN: its own numbers, except the x axis. */
static void
data(FILE *out, const struct bench_figure *f, const json_t *table, size_t n)
{
	const json_t *rows = json_object_get(table, "rows");

	(void)fprintf(out, "$t%zu << END\n", n);
	for (size_t k = 0; k < json_array_size(rows); k++) {
		const json_t *row = json_array_get(rows, k);

		number(out, place(f, json_array_get(row, 0), k));
		for (size_t i = 1; i < json_array_size(row); i++) {
			const json_t *value = json_array_get(row, i);

			(void)fputc(' ', out);
			number(out, json_is_number(value) ? json_number_value(value) : (double)NAN);
		}
		(void)fputc('\n', out);
	}
	(void)fputs("END\n", out);
}

/* Print terminal and style, the same for all pictures. */
static void
style(FILE *out, enum bench_plot_format format, size_t n_charts)
{
	static const char *const colours[] = { "0072b2", "d55e00", "009e73", "cc79a7", "e69f00",
		"56b4e9", "000000", "999999" };
	unsigned height = (unsigned)n_charts * CHART_HEIGHT;

	(void)fputs("set encoding utf8\n", out);
	if (format == BENCH_PLOT_SVG)
		(void)fprintf(out,
		    "set terminal svg size %d,%u noenhanced font 'sans-serif,12' "
		    "background '#ffffff'\n",
		    WIDTH, height);
	else
		(void)fprintf(out,
		    "set terminal pngcairo size %d,%u noenhanced "
		    "font 'sans-serif,10' fontscale %d linewidth %d pointscale %d\n",
		    WIDTH * PNG_SCALE, height * PNG_SCALE, PNG_SCALE, PNG_SCALE, PNG_SCALE);
	(void)fputs("set border 3 lc '#333333'\nset tics nomirror out\n"
		    "set grid y lt 1 lw 0.5 lc '#dddddd'\nset lmargin 12\nset rmargin 4\n"
		    "set key above left horizontal Left reverse nobox samplen 2\n",
	    out);
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		(void)fprintf(out, "set linetype %zu lc '#%s' lw 1.5 pt %zu ps 0.6\n", i + 1,
		    colours[i], i % 2 == 0 ? 5 + i : 3 + i);
}

/* Print the words below the bars; the last word of a list has no comma behind it. */
static void
word_tics(FILE *out, const json_t *rows)
{
	size_t n = json_array_size(rows), octets = 0;
	char cell[BENCH_TEXT_CELL];

	(void)fputs("set xtics (", out);
	for (size_t k = 0; k < n; k++) {
		const char *word = bench_text_cell(
		    json_array_get(json_array_get(rows, k), 0), BENCH_TEXT_ROUND, cell);

		octets += strlen(word);
		quoted(out, word);
		(void)fprintf(out, " %zu%s", k, k + 1 < n ? ", " : ")");
	}
	(void)fprintf(out, "%s\nset xrange [-0.6:%zu.6]\n",
	    octets > WORDS_OCTETS ? " rotate by -20" : "", n - 1);
	(void)fputs("set style fill solid 0.8 noborder\n", out);
}

/* The range of the x axis: from the first to the last point, and a margin for their error bars. */
static void
x_range(FILE *out, const struct bench_figure *f)
{
	double min = f->x_min / f->x_divisor, max = f->x_max / f->x_divisor,
	       beside = (max - min) * MARGIN;

	if (f->doubling)
		(void)fprintf(out, "set logscale x 2\nset xrange [%.10g:%.10g]\n", min / LOG_MARGIN,
		    max * LOG_MARGIN);
	else if (beside > 0)
		(void)fprintf(out, "set xrange [%.10g:%.10g]\n", min - beside, max + beside);
}

static void
x_axis(FILE *out, const struct bench_figure *f, const json_t *table)
{
	(void)fputs("unset logscale\nset xtics auto norotate\nset xrange [*:*]\n", out);
	switch (f->axis) {
	case BENCH_AXIS_WORDS:
		word_tics(out, json_object_get(table, "rows"));
		break;
	case BENCH_AXIS_PERCENTILES:
		(void)fputs("set logscale x\nset xtics ('0' 1, '50' 2, '90' 10, '99' 100, "
			    "'99.9' 1000, '99.99' 1e4, '99.999' 1e5, '99.9999' 1e6)\n",
		    out);
		break;
	case BENCH_AXIS_NUMBERS:
	case BENCH_AXIS_NONE:
		x_range(out, f);
	}
}

/* Print the columns that the error bars of a curve are drawn from. */
static void
spread(FILE *out, const struct bench_curve *c)
{
	if (c->low != 0)
		(void)fprintf(out, ":%zu:%zu", c->low + 1, c->high + 1);
	else if (c->deviation != 0)
		(void)fprintf(out, ":%zu", c->deviation + 1);
}

static void
legend(FILE *out, const json_t *table, const struct bench_curve *c)
{
	char text[BENCH_TEXT_CELL];

	(void)snprintf(text, sizeof(text), "%s%s", title_of(table, c->value),
	    c->ends                 ? " (bars: min to max)"
		: c->low != 0       ? " (bars: p1 to p99)"
		: c->deviation != 0 ? " (bars: standard deviation)"
				    : "");
	(void)fputs(" title ", out);
	quoted(out, text);
}

/* Curve I of a chart over words: boxes beside those of the other curves. */
static void
boxes(FILE *out, const struct bench_chart *p, size_t i, size_t n, const json_t *table)
{
	const struct bench_curve *c = &p->curves[i];
	double width = 0.8 / (double)p->n, shift = width * ((double)i - (double)(p->n - 1) / 2);

	(void)fprintf(out, "$t%zu using ($1+%.4f):%zu:(%.4f) with boxes lt %zu", n, shift,
	    c->value + 1, width * 0.9, i + 1);
	legend(out, table, c);
	if (!bench_plot_has_bars(c))
		return;
	(void)fprintf(out, ", \\\n    $t%zu using ($1+%.4f)", n, shift);
	if (c->low != 0)
		(void)fprintf(out, ":%zu:(0):($%zu-$%zu)", c->low + 1, c->high + 1, c->low + 1);
	else
		(void)fprintf(out, ":($%zu-$%zu):(0):(2*$%zu)", c->value + 1, c->deviation + 1,
		    c->deviation + 1);
	/* Not yerrorbars, which would leave a white spot in the box. */
	(void)fputs(" with vectors heads size screen 0.004,90 lc '#333333' notitle", out);
}

/* The same over numbers: a line, with points if they are few. */
static void
line(FILE *out, const struct bench_chart *p, size_t i, size_t n, const json_t *table)
{
	const struct bench_curve *c = &p->curves[i];
	bool few = json_array_size(json_object_get(table, "rows")) <= POINTS_MAX;

	(void)fprintf(out, "$t%zu using 1:%zu", n, c->value + 1);
	spread(out, c);
	(void)fprintf(out, " with %s lt %zu",
	    bench_plot_has_bars(c) ? "yerrorlines"
		: few              ? "linespoints"
				   : "lines",
	    i + 1);
	legend(out, table, c);
}

static void
chart(FILE *out, const struct bench_figure *f, const struct bench_chart *p, size_t n,
    const json_t *table)
{
	label(out, "y", p->label, p->unit);
	(void)fputs(p->logarithmic ? "set logscale y\nset yrange [*:*]\n"
				   : "unset logscale y\nset yrange [*<0:*]\n",
	    out);
	(void)fputs(
	    p->n > 1 || bench_plot_has_bars(&p->curves[0]) ? "set key on\n" : "set key off\n", out);
	for (size_t i = 0; i < p->n; i++) {
		(void)fputs(i == 0 ? "plot " : ", \\\n    ", out);
		if (f->axis == BENCH_AXIS_WORDS)
			boxes(out, p, i, n, table);
		else
			line(out, p, i, n, table);
	}
	(void)fputc('\n', out);
}

/* The charts of TABLE, the N-th of the script: what is along the x axis stands below the last. */
static void
figure(FILE *out, const struct bench_figure *f, size_t n, const json_t *table, bool titles)
{
	data(out, f, table, n);
	x_axis(out, f, table);
	(void)fputs("unset xlabel\n", out);
	for (size_t i = 0; i < f->n; i++) {
		(void)fputs("set title ", out);
		quoted(out, titles && i == 0 ? bench_text_get(table, "title") : "");
		(void)fputc('\n', out);
		if (i + 1 == f->n && f->axis != BENCH_AXIS_WORDS)
			label(out, "x", title_of(table, 0), f->x_unit);
		chart(out, f, &f->charts[i], n, table);
	}
}

size_t
bench_plot_charts(const json_t *table)
{
	struct bench_figure f;

	bench_plot_choose(&f, table);
	return f.n;
}

size_t
bench_plot_script(FILE *out, const json_t *tables, enum bench_plot_format format, bool titles)
{
	struct bench_figure f;
	size_t n_charts = 0;

	for (size_t i = 0; i < json_array_size(tables); i++)
		n_charts += bench_plot_charts(json_array_get(tables, i));
	if (n_charts == 0)
		return 0;
	style(out, format, n_charts);
	(void)fprintf(out, "set multiplot layout %zu,1\n", n_charts);
	for (size_t i = 0; i < json_array_size(tables); i++) {
		const json_t *table = json_array_get(tables, i);

		bench_plot_choose(&f, table);
		if (f.n > 0)
			figure(out, &f, i + 1, table, titles);
	}
	(void)fputs("unset multiplot\n", out);
	return n_charts;
}
