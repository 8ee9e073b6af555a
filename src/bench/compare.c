/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "bench/paired.h"
#include "bench/result/text.h"
#include "bench/sides.h"
#include "bench/stats.h"

#define SENTENCE 400

struct comparison {
	const struct bench_settings *settings;
	struct bench_sides sides;
	struct bench_run *result;
	struct bench_table *table; /* of the figures */
};

/* A figure of all sides. */
struct series {
	enum bench_figure_name figure;
	char unit[16];                   /* the runs' */
	double *memory;                  /* owned: the values */
	double *values[BENCH_SIDES_MAX]; /* a value for each round; 0: there is none */
	size_t n[BENCH_SIDES_MAX];       /* values that there are */
};

/* --- Figures ---------------------------------------------------------------------------------- */

/* The values of file I of side K. False if they have another unit than those before. */
static bool
take_file(struct comparison *c, struct series *s, size_t k, size_t i)
{
	const json_t *run = bench_run_tree(c->sides.side[k].runs[i]);
	struct bench_figure_value v;

	for (size_t r = 0; r < bench_figures_repetitions(run); r++) {
		if (!bench_figures_read(run, s->figure, r, &v))
			continue;
		if (s->unit[0] == '\0')
			(void)snprintf(s->unit, sizeof(s->unit), "%s", v.unit);
		if (strncmp(s->unit, v.unit, sizeof(s->unit) - 1) != 0) {
			(void)snprintf(c->sides.error, sizeof(c->sides.error),
			    "%s: %s is in %.15s, and in others in %s", c->sides.side[k].paths[i],
			    bench_figures_words(s->figure)->title, v.unit, s->unit);
			return false;
		}
		s->values[k][i * c->sides.each + r] = v.value;
		s->n[k]++;
	}
	return true;
}

static bool
take_all(struct comparison *c, struct series *s)
{
	s->memory = calloc(c->sides.n * c->sides.rounds, sizeof(*s->memory));
	if (s->memory == NULL) {
		(void)strcpy(c->sides.error, "out of memory");
		return false;
	}
	for (size_t k = 0; k < c->sides.n; k++) {
		s->values[k] = s->memory + k * c->sides.rounds;
		for (size_t i = 0; i < c->sides.side[k].n; i++) {
			if (c->sides.side[k].runs[i] != NULL && !take_file(c, s, k, i))
				return false;
		}
	}
	return true;
}

/* The values that side K has, without gaps, to LIST. */
static size_t
list_values(const struct comparison *c, const struct series *s, size_t k, double *list)
{
	size_t n = 0;

	for (size_t i = 0; i < c->sides.rounds; i++) {
		if (s->values[k][i] > 0)
			list[n++] = s->values[k][i];
	}
	return n;
}

/* The ratio of side K to the first, of the rounds that both have. */
static struct bench_ratio
ratio_of(const struct comparison *c, const struct series *s, size_t k)
{
	struct bench_pair *pairs = calloc(c->sides.rounds, sizeof(*pairs));
	struct bench_ratio r = { .n = 0 };
	size_t n = 0;

	if (pairs == NULL)
		return r;
	for (size_t i = 0; i < c->sides.rounds; i++) {
		if (s->values[0][i] > 0 && s->values[k][i] > 0)
			pairs[n++] = (struct bench_pair){ s->values[0][i], s->values[k][i] };
	}
	r = bench_paired_ratio(pairs, n);
	free(pairs);
	return r;
}

/* --- Sentences -------------------------------------------------------------------------------- */

/* By how many percent RATIO is above 1, or below it. */
static double
percent_of(double ratio, bool above)
{
	return 100 * (above ? ratio - 1 : 1 - ratio);
}

/* What can be said of figure F of side K, to a text that the caller frees; NULL without memory. */
static char *
sentence(
    const struct comparison *c, enum bench_figure_name f, size_t k, const struct bench_ratio *r)
{
	const struct bench_figure_words *w = bench_figures_words(f);
	bool above = r->ratio > 1;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	if (bench_paired_differ(r)) {
		(void)fprintf(out, "%s %s %.1f %% %s%s than %s (95 %% interval %.1f to %.1f %%)",
		    c->sides.side[k].name, w->verb, percent_of(r->ratio, above),
		    above ? w->more : w->less, w->noun, c->sides.side[0].name,
		    percent_of(above ? r->low : r->high, above),
		    percent_of(above ? r->high : r->low, above));
	} else if (r->n == 0) {
		(void)fprintf(out, "%s and %s have no round in common", c->sides.side[0].name,
		    c->sides.side[k].name);
	} else if (r->known) {
		(void)fprintf(out,
		    "no difference is shown: ratio %.3f (95 %% interval %.3f to %.3f)", r->ratio,
		    r->low, r->high);
	} else {
		(void)fprintf(out,
		    "ratio %.3f in %zu %s: the interval cannot be told of fewer than %d", r->ratio,
		    r->n, r->n == 1 ? "round" : "rounds", BENCH_PAIRS_LEAST);
	}
	(void)fclose(out);
	return text;
}

/* --- Bounds ----------------------------------------------------------------------------------- */

/*
 * In how many rounds has side K a run without the figure, which the first side has there? What a
 * run did not do so often is no such round, but one that could do nothing at all is.
 */
static size_t
count_lacking(const struct comparison *c, const struct series *s, size_t k)
{
	const struct bench_side *side = &c->sides.side[k];
	size_t each = c->sides.each, n = 0;

	for (size_t i = 0; i < side->n * each; i++) {
		const struct bench_run *r = side->runs[i / each];
		size_t did = r != NULL ? bench_figures_repetitions(bench_run_tree(r)) : 0;

		n += r != NULL && (did == 0 || i % each < did) && s->values[0][i] > 0 &&
		    s->values[k][i] <= 0;
	}
	return n;
}

/* Does R keep bound B? If not, or if nobody can say, the result has failed. */
static void
judge(
    const struct comparison *c, const struct bench_bound *b, size_t k, const struct bench_ratio *r)
{
	const char *name = bench_figures_words(b->figure)->name, *one = c->sides.side[k].name,
		   *first = c->sides.side[0].name;

	if (r == NULL || r->n == 0)
		bench_run_fail(c->result, "%s %c %g: %s and %s have no round with that figure",
		    name, b->below ? '<' : '>', b->limit, one, first);
	else if (b->below ? r->ratio < b->limit : r->ratio > b->limit)
		bench_run_fail(c->result, "%s %c %g: %s has %.4f of what %s has", name,
		    b->below ? '<' : '>', b->limit, one, r->ratio, first);
}

/* A run that found nothing is worse than any ratio, and would be left out of it. */
static void
judge_all(const struct comparison *c, const struct series *s, size_t k, const struct bench_ratio *r)
{
	size_t lacking = r != NULL && r->n > 0 ? count_lacking(c, s, k) : 0;

	for (size_t i = 0; i < c->settings->n_bounds; i++) {
		const struct bench_bound *b = &c->settings->bounds[i];

		if (b->figure != s->figure)
			continue;
		judge(c, b, k, r);
		if (lacking > 0)
			bench_run_fail(c->result, "%s %c %g: in %zu rounds %s has none, and %s has",
			    bench_figures_words(b->figure)->name, b->below ? '<' : '>', b->limit,
			    lacking, c->sides.side[k].name, c->sides.side[0].name);
	}
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const struct bench_column columns[] = {
	{ "figure", "figure", "", 0 },
	{ "run", "run", "", 0 },
	{ "unit", "unit", "", 0 },
	{ "n", "n", "", 0 },
	{ "median", "median", "", 2 },
	{ "mean", "mean", "", 2 },
	{ "deviation", "deviation", "", 2 },
	{ "min", "min", "", 2 },
	{ "max", "max", "", 2 },
	{ "ratio", "ratio", "", 4 },
	{ "ratio_low", "from", "", 4 },
	{ "ratio_high", "to", "", 4 },
	{ "u", "U", "", 1 },
	{ "p", "p", "", 6 },
};

/* V, or nothing where it is not known. */
static json_t *
real_if(bool known, double v)
{
	return known ? json_real(v) : json_null();
}

/* The row of side K, which is LIST, with its ratio R to the first. */
static void
add_row(struct comparison *c, const struct series *s, size_t k, double *list,
    const struct bench_ratio *r, const struct bench_ranks *ranks)
{
	struct bench_summary sum = bench_stats_summary(list, s->n[k]);

	bench_table_add(c->table,
	    json_pack("[s,s,s,I,f,f,o,f,f,o,o,o,o,o]", bench_figures_words(s->figure)->name,
		c->sides.side[k].name, s->unit, (json_int_t)sum.n, sum.median, sum.mean,
		real_if(sum.n > 1, sum.deviation), sum.min, sum.max,
		real_if(r != NULL && r->n > 0, r != NULL ? r->ratio : 0),
		real_if(r != NULL && r->known, r != NULL ? r->low : 0),
		real_if(r != NULL && r->known, r != NULL ? r->high : 0),
		real_if(ranks != NULL, ranks != NULL ? ranks->u : 0),
		real_if(ranks != NULL, ranks != NULL ? ranks->p : 0)));
}

/* Side K beside the first: row, sentence, bounds. LIST has room for two sides. */
static void
compare_side(struct comparison *c, const struct series *s, size_t k, double *list)
{
	struct bench_ratio r = ratio_of(c, s, k);
	double *others = list + c->sides.rounds;
	size_t n = list_values(c, s, 0, list), n_others = list_values(c, s, k, others);
	struct bench_ranks ranks;
	bool ranked =
	    n > 0 && n_others > 0 && bench_paired_ranks(list, n, others, n_others, &ranks);

	add_row(c, s, k, others, &r, ranked ? &ranks : NULL);
	judge_all(c, s, k, &r);
	char *text = sentence(c, s->figure, k, &r);
	bench_run_find(c->result, bench_figures_words(s->figure)->title,
	    text != NULL ? json_string(text) : NULL, "");
	free(text);
}

/* The values by round, a curve for each side. */
static void
add_rounds(const struct comparison *c, const struct series *s)
{
	const struct bench_figure_words *w = bench_figures_words(s->figure);
	struct bench_column by_round[1 + BENCH_SIDES_MAX] = { { "round", "round", "", 0 } };
	char names[BENCH_SIDES_MAX][48], title[64];

	for (size_t k = 0; k < c->sides.n; k++) {
		/* "RTT-p99_1": all curves of a chart begin alike, and it is called so. */
		(void)snprintf(names[k], sizeof(names[k]), "%.20s_%zu", w->title, k + 1);
		for (char *at = names[k]; (at = strchr(at, ' ')) != NULL;)
			*at = '-';
		by_round[k + 1] =
		    (struct bench_column){ names[k], c->sides.side[k].name, s->unit, 1 };
	}
	(void)snprintf(title, sizeof(title), "%s by round", w->title);
	struct bench_table *t =
	    bench_run_table(c->result, w->name, title, by_round, c->sides.n + 1);
	bench_table_axis(t, "categories");
	for (size_t i = 0; i < c->sides.rounds; i++) {
		json_t *row = json_pack("[I]", (json_int_t)i + 1);
		bool any = false;

		for (size_t k = 0; k < c->sides.n; k++) {
			any = any || s->values[k][i] > 0;
			(void)json_array_append_new(
			    row, real_if(s->values[k][i] > 0, s->values[k][i]));
		}
		if (any)
			bench_table_add(t, row);
		else
			json_decref(row);
	}
}

/* A figure that the first side has and another one too. False: it is in two units. */
static bool
compare_figure(struct comparison *c, struct series *s, bool *common)
{
	double *list = calloc(2 * c->sides.rounds, sizeof(*list));
	bool good = list != NULL && take_all(c, s), any = good && c->sides.n == 1 && s->n[0] > 0;

	for (size_t k = 1; good && k < c->sides.n; k++)
		any = any || (s->n[0] > 0 && s->n[k] > 0);
	if (any) {
		(void)list_values(c, s, 0, list);
		add_row(c, s, 0, list, NULL, NULL);
	}
	for (size_t k = 1; good && k < c->sides.n; k++) {
		if (s->n[0] > 0 && s->n[k] > 0)
			compare_side(c, s, k, list);
		else
			judge_all(c, s, k, NULL);
	}
	if (any && c->sides.rounds > 1)
		add_rounds(c, s);
	*common = *common || any;
	free(list);
	return good;
}

static bool
compare_all(struct comparison *c)
{
	bool common = false;

	for (unsigned f = 0; f < BENCH_FIGURES; f++) {
		struct series s = { .figure = (enum bench_figure_name)f };
		bool good = compare_figure(c, &s, &common);

		free(s.memory);
		if (!good)
			return false;
	}
	if (!common)
		(void)snprintf(c->sides.error, sizeof(c->sides.error),
		    "%s and the others have no figure in common", c->sides.side[0].name);
	return common;
}

/* --- Curves ----------------------------------------------------------------------------------- */

/* What runs have as curves, one above the other. */
static const struct {
	struct bench_figure_curve curve;
	const char *title;
} curves[] = {
	{ { "rtt", "percentile", "rtt" }, "RTT of valid answers" },
	{ { "steps", "clients", "rate" }, "Answers by clients" },
	{ { "experiments", "clients", "rate" }, "Questions by clients" },
	{ { "scale", "loops", "rate_median" }, "Highest rate by loops" },
	{ { "sweep", "rate", "rtt_p50_median" }, "RTT median by rate" },
	{ { "sweep", "rate", "rtt_p99_median" }, "RTT p99 by rate" },
};

/* The point at X of side K, the median over its files; 0: there is none. */
static double
point_of(const struct comparison *c, const struct bench_figure_curve *curve, size_t k, double x,
    double *list)
{
	const struct bench_side *side = &c->sides.side[k];
	size_t n = 0;

	for (size_t f = 0; f < side->n; f++) {
		struct bench_figure_value v;

		if (side->runs[f] != NULL &&
		    bench_figures_at(bench_run_tree(side->runs[f]), curve, x, &v))
			list[n++] = v.value;
	}
	return n > 0 ? bench_stats_summary(list, n).median : 0;
}

/* A table in which each side has a column like the y of TABLE, and the x is as there. */
static struct bench_table *
begin_curve(const struct comparison *c, const struct bench_figure_curve *curve, const json_t *table,
    const char *title)
{
	struct bench_column by_side[1 + BENCH_SIDES_MAX], y = bench_figures_column(table, curve->y);
	char names[BENCH_SIDES_MAX][48];

	by_side[0] = bench_figures_column(table, curve->x);
	for (size_t k = 0; k < c->sides.n; k++) {
		(void)snprintf(names[k], sizeof(names[k]), "%.20s_%zu", curve->y, k + 1);
		by_side[k + 1] = y;
		by_side[k + 1].name = names[k];
		by_side[k + 1].title = c->sides.side[k].name;
	}
	return bench_run_table(c->result, curve->table, title, by_side, c->sides.n + 1);
}

/* A curve for each side, at the points that the first run has. */
static void
overlay(const struct comparison *c, const struct bench_figure_curve *curve, const char *title)
{
	double *list = calloc(c->sides.rounds, sizeof(*list));
	size_t side = 0, file = SIZE_MAX;
	const json_t *first =
	    bench_run_table_of(bench_sides_next(&c->sides, &side, &file), curve->table);
	size_t n = json_array_size(json_object_get(first, "rows"));

	if (list == NULL || n == 0) {
		free(list);
		return;
	}
	struct bench_table *t = begin_curve(c, curve, first, title);
	for (size_t i = 0; i < n; i++) {
		double x = json_number_value(bench_figures_cell(first, i, curve->x));
		json_t *row = json_pack("[O]", bench_figures_cell(first, i, curve->x));

		for (size_t k = 0; k < c->sides.n; k++) {
			double v = point_of(c, curve, k, x, list);

			(void)json_array_append_new(row, real_if(v > 0, v));
		}
		bench_table_add(t, row);
	}
	free(list);
}

bool
bench_compare(const struct bench_settings *s, struct bench_run *r, FILE *errors)
{
	struct comparison *c = calloc(1, sizeof(*c));
	bool good = c != NULL &&
	    bench_sides_read(&c->sides, s->files, s->n_files > 0 ? (size_t)s->n_files : 0);

	if (good) {
		c->settings = s;
		c->result = r;
		bench_sides_settings(&c->sides, r);
		bench_sides_notes(&c->sides, r);
		c->table = bench_run_table(r, "figures", "Figures, and their ratio to the first",
		    columns, sizeof(columns) / sizeof(columns[0]));
		good = compare_all(c);
	}
	for (size_t i = 0; good && i < sizeof(curves) / sizeof(curves[0]); i++)
		overlay(c, &curves[i].curve, curves[i].title);
	if (!good)
		(void)fprintf(
		    errors, "dns64bench: %s\n", c != NULL ? c->sides.error : "out of memory");
	if (c != NULL)
		bench_sides_free(&c->sides);
	free(c);
	return good;
}
