/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_script: the script for gnuplot. */

#include "bench/result/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/text.h"

#define WIDTH BENCH_PLOT_WIDTH
#define LINE BENCH_PLOT_LINE
#define LETTER BENCH_PLOT_LETTER
#define SAMPLE BENCH_PLOT_SAMPLE
#define SAMPLE_END 6.0 /* of the line of a sample */
#define EDGE 1.0       /* free, around the picture */
#define POINT 8.0      /* size of letters */
#define PX_PER_MM (96 / 25.4)
#define DOTS_PER_MM (300 / 25.4)
#define PNG_SCALE (300.0 / 96) /* gnuplot's points are of 96 dots to the inch */
#define PDF_SCALE 0.725        /* makes its letters as large as they should be */

/* Its labels are as near to the axis as those of the others, and do not stand in what is below. */
#define SVG_TICS "set xtics offset 0,0.3\n"

#define BARS_WIDTH 0.8 /* of a group, part of the room that a category has */
#define BEYOND 0.6     /* of the x axis, beside the first and last category */
#define FEW_BEYOND 1.0 /* the same if there are one or two, or their bars would be walls */
#define POINTS_MAX 60  /* a curve with more is a line without points, and its bars are a band */
#define REFERENCE "lc '#555555' lw 1 dt (5,4)" /* a line to compare others with */

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

/* Print what an axis shows, WHAT in UNIT, with its middle at X mm, Y of the height. */
static void
axis_label(FILE *out, const char *what, const char *unit, double x, double y, bool upright)
{
	char text[BENCH_TEXT_CELL];

	(void)snprintf(text, sizeof(text), "%s%s%s%s", what, *unit != '\0' ? " (" : "", unit,
	    *unit != '\0' ? ")" : "");
	(void)fputs("set label ", out);
	quoted(out, text);
	(void)fprintf(
	    out, " at screen %.4f,%.4f center%s\n", x / WIDTH, y, upright ? " rotate by 90" : "");
}

/* --- Data ------------------------------------------------------------------------------------- */

static void
number(FILE *out, double v, char end)
{
	if (isfinite(v))
		(void)fprintf(out, "%.10g%c", v, end);
	else
		(void)fprintf(out, "NaN%c", end);
}

/* Cut V, the end of a bar, to the axis: what is below a logarithmic one could not be drawn. */
static double
cut(const struct bench_scale *s, double v)
{
	return v < s->low ? s->low : v;
}

/* How far beside its place curve I of P stands. */
static double
beside(const struct bench_figure *f, const struct bench_chart *p, size_t i)
{
	double room = f->axis == BENCH_AXIS_BARS ? BARS_WIDTH : BARS_WIDTH / 2;

	if (f->axis != BENCH_AXIS_BARS && f->axis != BENCH_AXIS_CATEGORIES)
		return 0;
	return room / (double)p->n * ((double)i - (double)(p->n - 1) / 2);
}

/* Curve I of P as the data block $dI: place, value, ends of the bar, quartiles. */
static void
data(FILE *out, const struct bench_figure *f, const struct bench_chart *p, size_t i)
{
	const struct bench_curve *c = &p->curves[i];

	(void)fprintf(out, "$d%zu << END\n", i + 1);
	for (size_t k = 0; k < json_array_size(c->rows); k++) {
		const json_t *row = json_array_get(c->rows, k);
		struct bench_dot d = bench_plot_dot(p, c, row);

		number(out, bench_plot_place(f, row) + beside(f, p, i), ' ');
		number(out, d.value, ' ');
		number(out, cut(&p->y, isnan(d.low) ? d.value : d.low), ' ');
		number(out, isnan(d.high) ? d.value : d.high, ' ');
		number(out, cut(&p->y, d.q1), ' ');
		number(out, d.q3, '\n');
	}
	(void)fputs("END\n", out);
}

/* --- Charts ----------------------------------------------------------------------------------- */

/* Lines differ in their dashes, points in their form, boxes in their brightness. */
static const struct {
	const char *colour, *dashes;
	int point;
	double fill;
} looks[BENCH_CHART_CURVES] = {
	{ "0072b2", "1", 7, 0.9 },
	{ "d55e00", "(8,3)", 5, 0.4 },
	{ "000000", "(2,2)", 9, 0.8 },
	{ "009e73", "(8,3,2,3)", 13, 0.05 },
	{ "cc79a7", "(12,3)", 6, 0.6 },
	{ "e69f00", "(8,2,2,2,2,2)", 4, 0.7 },
	{ "56b4e9", "(4,4)", 8, 0.25 },
	{ "777777", "(1,3)", 12, 0.5 },
};

/* Print terminal and style, the same for all pictures. */
static void
style(FILE *out, const struct bench_picture *p, double height)
{
	(void)fputs("set encoding utf8\n", out);
	if (p->format == BENCH_PLOT_SVG)
		(void)fprintf(out,
		    "set terminal svg size %.0f,%.0f noenhanced font 'sans-serif,%.1f'%s\n",
		    WIDTH * PX_PER_MM, height * PX_PER_MM, POINT * 96 / 72,
		    p->bare ? "" : " background '#ffffff'");
	else if (p->format == BENCH_PLOT_PDF)
		(void)fprintf(out,
		    "set terminal pdfcairo size %.2fcm,%.2fcm noenhanced font 'sans-serif,%.0f' "
		    "fontscale %.3f linewidth 1.6\n",
		    WIDTH / 10, height / 10, POINT, PDF_SCALE);
	else
		(void)fprintf(out,
		    "set terminal pngcairo size %.0f,%.0f noenhanced font 'sans-serif,%.0f' "
		    "fontscale %.3f linewidth %.3f pointscale %.3f\n",
		    WIDTH * DOTS_PER_MM, height * DOTS_PER_MM, POINT, PNG_SCALE, PNG_SCALE,
		    PNG_SCALE);
	(void)fputs("set border 3 lw 0.7 lc '#000000'\nset tics nomirror out scale 0.6,0.35\n"
		    "set grid ytics lt 1 lw 0.5 lc '#cccccc'\nunset key\n",
	    out);
	if (p->format == BENCH_PLOT_SVG)
		(void)fputs(SVG_TICS, out);
	for (size_t i = 0; i < BENCH_CHART_CURVES; i++)
		(void)fprintf(out, "set linetype %zu lc '#%s' lw 1.3 dt %s pt %d ps 0.45\n", i + 1,
		    looks[i].colour, looks[i].dashes, looks[i].point);
}

/* Print the error bars of curve I, and the quartiles in them. */
static void
bars(FILE *out, const struct bench_chart *p, size_t i, const char *colour)
{
	if (p->curves[i].spread == BENCH_SPREAD_NONE)
		return;
	(void)fprintf(out,
	    ", \\\n    $d%zu using 1:3:(0):($4-$3) with vectors heads size screen 0.008,90 "
	    "fixed lc '#%s' lw 1 dt 1 notitle",
	    i + 1, colour);
	if (p->curves[i].q1 != 0)
		(void)fprintf(out,
		    ", \\\n    $d%zu using 1:5:(0):($6-$5) with vectors nohead lc '#%s' lw 3.5 "
		    "dt 1 notitle",
		    i + 1, colour);
}

/* Print curve I of chart P. */
static void
curve(FILE *out, const struct bench_figure *f, const struct bench_chart *p, size_t i)
{
	const struct bench_curve *c = &p->curves[i];
	bool few = json_array_size(c->rows) <= POINTS_MAX;

	if (!few && c->spread != BENCH_SPREAD_NONE && f->axis == BENCH_AXIS_NUMBERS)
		(void)fprintf(out,
		    "$d%zu using 1:3:4 with filledcurves lt %zu fill transparent solid 0.25 "
		    "notitle, \\\n    ",
		    i + 1, i + 1);
	(void)fprintf(out, "$d%zu using 1:2", i + 1);
	if (c->ideal)
		(void)fputs(" with lines " REFERENCE, out);
	else if (f->axis == BENCH_AXIS_BARS)
		(void)fprintf(out,
		    ":(%.4f) with boxes lc '#%s' lw 0.7 dt 1 fill solid %.2f border lc '#000000'",
		    BARS_WIDTH * 0.92 / (double)p->n, looks[i].colour, looks[i].fill);
	else
		(void)fprintf(out, " with %s lt %zu",
		    f->axis == BENCH_AXIS_CATEGORIES ? "points"
			: few                        ? "linespoints"
						     : "lines",
		    i + 1);
	(void)fputs(" notitle", out);
	if (few || f->axis == BENCH_AXIS_BARS)
		bars(out, p, i, f->axis == BENCH_AXIS_BARS ? "000000" : looks[i].colour);
}

/* Print limits and ticks of an axis. A tick at the end of a logarithmic one would be left out. */
static void
tics(FILE *out, const char *axis, const struct bench_scale *s)
{
	double wider = s->logarithmic ? 1e-6 : 0;

	(void)fprintf(out, "%sset logscale %s\nset %srange [%.10g:%.10g]\nset %stics norotate (",
	    s->logarithmic ? "" : "un", axis, axis, s->low * (1 - wider), s->high * (1 + wider),
	    axis);
	for (size_t i = 0; i < s->n; i++) {
		const struct bench_tick *t = &s->ticks[i];

		(void)fputs(i > 0 ? ", " : "", out);
		quoted(out, t->text);
		(void)fprintf(out, " %.10g%s", t->at, t->text[0] == '\0' ? " 1" : "");
	}
	(void)fputs(")\n", out);
}

/* Print the categories below the axis: each, or if they are numbers as many as have room. */
static void
word_tics(FILE *out, const struct bench_figure *f, const struct bench_place *a)
{
	size_t n = json_array_size(f->words), longest = 1, step = 1;
	double beyond = n < 3 ? FEW_BEYOND : BEYOND;

	for (size_t i = 0; i < n; i++) {
		size_t len = bench_text_letters(json_string_value(json_array_get(f->words, i)));

		longest = len > longest ? len : longest;
	}
	double room = (WIDTH - a->left - a->right) / (double)n,
	       need = (double)(longest + 1) * LETTER;
	while (bench_plot_numeric(f) && room * (double)step < need)
		step = step == 1 ? 2 : step == 2 ? 5 : step * 2;
	(void)fprintf(out, "unset logscale x\nset xrange [%g:%g]\nset xtics %s (", -beyond,
	    (double)(n - 1) + beyond, a->words > 0 ? "rotate by 30 right" : "norotate");
	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(f->words, i));
		char text[4 * BENCH_PLOT_WORD + 1];
		/* 1, 3, 5; 1, 5, 10: the first, and then those that can be divided. */
		bool told = step <= 2 ? i % step == 0 : i == 0 || (i + 1) % step == 0;

		(void)fputs(i > 0 ? ", " : "", out);
		(void)snprintf(text, sizeof(text), "%.*s",
		    told ? (int)bench_text_cut(word, BENCH_PLOT_WORD) : 0, word);
		quoted(out, text);
		(void)fprintf(out, " %zu%s", i, told ? "" : " 1");
	}
	(void)fputs(")\n", out);
}

/* Print the sample of a line that begins at X, at the height Y, part of the picture's. */
static void
sample_line(FILE *out, double x, double y, const char *look)
{
	(void)fprintf(out, "set arrow from screen %.4f,%.4f to screen %.4f,%.4f %s\n", x / WIDTH, y,
	    (x + SAMPLE_END) / WIDTH, y, look);
}

/* Print entry E of the legend of chart P: a sample and words, at the height Y. */
static void
sample(FILE *out, const struct bench_figure *f, const struct bench_chart *p,
    const struct bench_entry *e, double y, double height)
{
	const struct bench_curve *c = e->curve < p->n ? &p->curves[e->curve] : NULL;
	double at = y / height;
	char look[80];

	(void)fputs("set label ", out);
	quoted(out, e->text);
	(void)fprintf(out, " at screen %.4f,%.4f left\n", (e->x + SAMPLE) / WIDTH, at);
	if (e->curve == p->n + 1) {
		sample_line(out, e->x, at, "heads size screen 0.008,90 lc '#000000' lw 1");
	} else if (c == NULL || c->ideal) {
		sample_line(out, e->x, at, "nohead " REFERENCE);
	} else if (f->axis == BENCH_AXIS_BARS) {
		(void)fprintf(out,
		    "set object rectangle from screen %.4f,%.4f to screen %.4f,%.4f fc rgb '#%s' "
		    "fillstyle solid %.2f border lc '#000000' lw 0.7\n",
		    (e->x + 1) / WIDTH, (y - LINE / 4) / height, (e->x + SAMPLE_END) / WIDTH,
		    (y + LINE / 4) / height, looks[e->curve].colour, looks[e->curve].fill);
	} else {
		(void)snprintf(look, sizeof(look), "nohead lt %zu", e->curve + 1);
		if (f->axis != BENCH_AXIS_CATEGORIES)
			sample_line(out, e->x, at, look);
		if (json_array_size(c->rows) <= POINTS_MAX || f->axis == BENCH_AXIS_CATEGORIES)
			(void)fprintf(out, "set label '' at screen %.4f,%.4f point lt %zu\n",
			    (e->x + SAMPLE_END / 2) / WIDTH, at, e->curve + 1);
	}
}

/* Print the axes of chart I of F, whose lower edge is BOTTOM, in a picture of HEIGHT. */
static void
axes(FILE *out, const struct bench_figure *f, size_t i, const struct bench_place *a, double bottom,
    double height)
{
	const struct bench_chart *p = &f->charts[i];

	(void)fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
	    a->left / WIDTH, 1 - a->right / WIDTH);
	(void)fprintf(out, "set bmargin at screen %.4f\nset tmargin at screen %.4f\n",
	    (bottom + a->bottom) / height, (bottom + a->top) / height);
	if (f->axis == BENCH_AXIS_BARS || f->axis == BENCH_AXIS_CATEGORIES)
		word_tics(out, f, a);
	else
		tics(out, "x", &f->x);
	tics(out, "y", &p->y);
	axis_label(out, p->label, p->shown, LINE / 2 + EDGE,
	    (bottom + (a->bottom + a->top) / 2) / height, true);
}

/* Print the marks of chart P: one in grey, of several each in the colour of its curve. */
static void
marks(FILE *out, const struct bench_chart *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += isnan(p->curves[i].mark) ? 0 : 1;
	for (size_t i = 0; i < p->n; i++) {
		double at = p->curves[i].mark;

		if (isnan(at))
			continue;
		(void)fprintf(out,
		    "set arrow from first %.10g, graph 0 to first %.10g, graph 1 nohead back ", at,
		    at);
		if (n == 1)
			(void)fputs(REFERENCE "\n", out);
		else
			(void)fprintf(out, "lc '#%s' lw 1 dt (5,4)\n", looks[i].colour);
	}
}

/* Print chart I of F, likewise. */
static void
chart(FILE *out, const struct bench_figure *f, size_t i, const struct bench_place *a, double bottom,
    double height)
{
	const struct bench_chart *p = &f->charts[i];
	struct bench_legend l = bench_plot_legend(f, p, a->left);
	double median = bench_plot_median(f, p);

	axes(out, f, i, a, bottom, height);
	for (size_t k = 0; k < l.n; k++)
		sample(out, f, p, &l.entries[k],
		    bottom + a->legend + (double)(l.rows - l.entries[k].row) * LINE - LINE / 2,
		    height);
	marks(out, p);
	for (size_t k = 0; k < p->n; k++)
		data(out, f, p, k);
	for (size_t k = 0; k < p->n; k++) {
		(void)fputs(k == 0 ? "plot " : ", \\\n    ", out);
		curve(out, f, p, k);
	}
	if (!isnan(median))
		(void)fprintf(out, ", \\\n    %.10g with lines " REFERENCE " notitle", median);
	(void)fputc('\n', out);
}

/* --- Pictures --------------------------------------------------------------------------------- */

/* The place of chart I of figure K of picture P. */
static struct bench_place
place_in(const struct bench_picture *p, size_t k, size_t i)
{
	const struct bench_figure *f = p->figures[k];
	bool alone = p->only != BENCH_PLOT_ALL;

	return bench_plot_layout(f, i, p->titles && (alone || i == 0), alone || i + 1 == f->n);
}

static bool
is_drawn(const struct bench_picture *p, size_t k, size_t i)
{
	return p->only == BENCH_PLOT_ALL || (k == 0 && i == p->only);
}

void
bench_plot_script(FILE *out, const struct bench_picture *p)
{
	double height = 0, bottom;

	for (size_t k = 0; k < p->n; k++) {
		for (size_t i = 0; i < p->figures[k]->n; i++)
			height += is_drawn(p, k, i) ? place_in(p, k, i).height : 0;
	}
	style(out, p, height);
	(void)fputs("set multiplot\n", out);
	bottom = height;
	for (size_t k = 0; k < p->n; k++) {
		const struct bench_figure *f = p->figures[k];

		for (size_t i = 0; i < f->n; i++) {
			struct bench_place a = place_in(p, k, i);
			bool alone = p->only != BENCH_PLOT_ALL;

			if (!is_drawn(p, k, i))
				continue;
			bottom -= a.height;
			(void)fputs("unset label\nunset arrow\nunset object\n", out);
			if (*f->label != '\0' && (alone || i + 1 == f->n))
				axis_label(out, f->label, f->x_unit, (a.left + WIDTH - a.right) / 2,
				    (bottom + LINE / 2 + EDGE) / height, false);
			if (p->titles && (alone || i == 0)) {
				(void)fputs("set label ", out);
				quoted(out, f->title);
				(void)fprintf(out, " at screen %.4f,%.4f left\n", a.left / WIDTH,
				    (bottom + a.title + LINE / 2) / height);
			}
			chart(out, f, i, &a, bottom, height);
		}
	}
	(void)fputs("unset multiplot\n", out);
}
