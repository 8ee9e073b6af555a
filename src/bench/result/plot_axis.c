/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_plot_axis: limits of an axis and its ticks, which a reader can name and which fit. */

#include "bench/result/plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MAX 6   /* of a linear axis, about */
#define FREE 1.1      /* of what is shown without zero: no value stands at an end of the axis */
#define LABEL_GAP 2   /* characters between two labels */
#define DECADES 3.05  /* an axis of more has labels at powers of ten only, else at 2 and 5 too */
#define LARGEST 1e300 /* sums of more could not be told from infinity */
#define NEAR 1e-9     /* how far off numbers are that were computed in two ways */

void
bench_plot_number(double v, double step, char text[static BENCH_TICK])
{
	char digits[BENCH_TICK];
	int decimals = step < 1 && step > 0 ? (int)ceil(-log10(step) - NEAR) : 0;
	char *out = text;

	/* 2.5 needs a decimal more than 2. */
	if (step > 0 && fabs(step * pow(10, decimals) - round(step * pow(10, decimals))) > 1e-6)
		decimals++;
	(void)snprintf(digits, sizeof(digits), "%.*f", decimals < 9 ? decimals : 9, v);
	const char *in = digits;
	size_t whole = strspn(digits, "-0123456789"), sign = *in == '-';

	if (fabs(v) >= 1e12) { /* no figure of a run is that large */
		(void)snprintf(text, BENCH_TICK, "%.3g", v);
		return;
	}
	for (size_t i = 0; *in != '\0'; i++) {
		if (i > sign && i < whole && (whole - i) % 3 == 0)
			*out++ = ',';
		*out++ = *in++;
	}
	*out = '\0';
}

/* The next of 1, 2, 5, 10 ... times a power of ten that is not below V, above zero. */
static double
above(double v)
{
	double power = pow(10, floor(log10(v) + NEAR)), rest = v / power;

	return power * (rest <= 1 + NEAR ? 1 : rest <= 2 + NEAR ? 2 : rest <= 5 + NEAR ? 5 : 10);
}

/* The next of them that is not above V. */
static double
below(double v)
{
	double power = pow(10, floor(log10(v) + NEAR)), rest = v / power;

	return power * (rest >= 5 - NEAR ? 5 : rest >= 2 - NEAR ? 2 : 1);
}

static void
add_tick(struct bench_scale *s, double at, double step, bool labelled)
{
	if (s->n == BENCH_TICKS_MAX)
		return;
	struct bench_tick *t = &s->ticks[s->n++];
	t->at = at;
	t->text[0] = '\0';
	if (labelled)
		bench_plot_number(at, step, t->text);
}

/* Does an axis with room for so many characters have room for its labels? */
static bool
fits(const struct bench_scale *s, size_t room)
{
	size_t n = 0, most = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t len = strlen(s->ticks[i].text);

		n += len > 0;
		most = len > most ? len : most;
	}
	return n * (most + LABEL_GAP) <= room + LABEL_GAP;
}

static void
linear_ticks(struct bench_scale *s, double step)
{
	double first = ceil(s->low / step - NEAR);

	s->n = 0;
	for (int i = 0; i < BENCH_TICKS_MAX; i++) {
		double at = (first + i) * step;

		if (at <= s->high + step * NEAR)
			add_tick(s, at, step, true);
	}
}

void
bench_plot_linear(
    struct bench_scale *s, double min, double max, const struct bench_scale_wish *wish)
{
	min = fmin(fmax(min, -LARGEST), LARGEST);
	max = fmin(fmax(max, -LARGEST), LARGEST);
	double span = max - min, middle = (max + min) / 2;

	*s = (struct bench_scale){ .logarithmic = false };
	/* Numbers that differ less could not be told from each other. */
	span = fmax(span, fabs(middle) * NEAR);
	if (wish->least > 0)
		span = fmax(span * FREE, fabs(middle) * wish->least);
	if (span <= 0) {
		span = middle != 0 ? fabs(middle) : 1;
		middle = middle != 0 ? middle : span / 2;
	}
	double low = middle - span / 2, high = middle + span / 2,
	       step = above(span / STEPS_MAX * (1 - NEAR));
	if (wish->integers && step < 1)
		step = 1;
	if (!wish->rounded) {
		s->low = low - span * wish->margin;
		s->high = high + span * wish->margin;
	} else {
		s->low = floor(low / step + NEAR) * step;
		s->high = ceil(high / step - NEAR) * step;
	}
	linear_ticks(s, step);
	for (int i = 0; i < BENCH_TICKS_MAX && !fits(s, wish->room) && s->n > 2; i++) {
		step = above(step * 1.5);
		linear_ticks(s, step);
	}
}

/*
 * Ticks at the powers of ten, labels at each EVERY-th of them; 1: ticks at 2 and 5 times them too,
 * 0: labels there as well. Of more decades than there are ticks those without a label have none.
 */
static void
decades(struct bench_scale *s, int every)
{
	static const double steps[] = { 1, 2, 5 };
	bool many = log10(s->high / s->low) > BENCH_TICKS_MAX - 1;
	int power = (int)floor(log10(s->low) + NEAR);

	s->n = 0;
	for (; power <= DBL_MAX_10_EXP && pow(10, power) <= s->high * (1 + NEAR); power++) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			double at = steps[i] * pow(10, power);
			bool labelled = every == 0 || (i == 0 && power % every == 0);

			if (at >= s->low * (1 - NEAR) && at <= s->high * (1 + NEAR) &&
			    (labelled || (every < 2 || (i == 0 && !many))))
				add_tick(s, at, at, labelled);
		}
	}
}

void
bench_plot_logarithmic(
    struct bench_scale *s, double min, double max, const struct bench_scale_wish *wish)
{
	min = fmin(fmax(min, 1 / LARGEST), LARGEST);
	max = fmin(fmax(max, 1 / LARGEST), LARGEST);
	double low = below(min), high = above(max);

	*s = (struct bench_scale){ .logarithmic = true };
	if (high / low < 2 - NEAR) { /* one value: what is next to it */
		low = below(low * 0.9);
		high = above(high * 1.1);
	}
	s->low = wish->rounded ? low : min * (1 - wish->margin);
	s->high = wish->rounded ? high : max * (1 + wish->margin);
	/* As many labels as have room: 1, 2 and 5, or the powers of ten, or each second one, ... */
	double span = log10(s->high / s->low);
	int every = span < DECADES           ? 0
	    : span * 3 < BENCH_TICKS_MAX - 3 ? 1
	    : span < BENCH_TICKS_MAX - 1     ? 2
					     : 20;
	decades(s, every);
	while (!fits(s, wish->room) && every < 100)
		decades(s, ++every);
}

bool
bench_plot_at(
    struct bench_scale *s, const double *at, size_t n, const struct bench_scale_wish *wish)
{
	size_t longest = 0;
	double least = 1; /* gap, part of the axis */

	if (n == 0 || n > BENCH_TICKS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		char text[BENCH_TICK];
		double gap = i == 0  ? 1
		    : s->logarithmic ? log(at[i] / at[i - 1]) / log(s->high / s->low)
				     : (at[i] - at[i - 1]) / (s->high - s->low);

		bench_plot_number(at[i], 1, text);
		longest = strlen(text) > longest ? strlen(text) : longest;
		least = gap < least ? gap : least;
	}
	if (least * (double)wish->room < (double)(longest + LABEL_GAP))
		return false;
	s->n = 0;
	for (size_t i = 0; i < n; i++)
		add_tick(s, at[i], 1, true);
	return true;
}
