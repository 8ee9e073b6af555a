/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/figures.h"

#include <math.h>
#include <string.h>

#include "bench/result/text.h"

static const struct bench_figure_words words[BENCH_FIGURES] = {
	[BENCH_FIGURE_RATE] = { "rate", "rate", "is", "faster", "slower", "" },
	[BENCH_FIGURE_RTT_MEDIAN] = { "rtt-median", "RTT median", "has a", "higher", "lower",
	    " RTT median" },
	[BENCH_FIGURE_RTT_P99] = { "rtt-p99", "RTT p99", "has a", "higher", "lower", " RTT p99" },
	[BENCH_FIGURE_CPU] = { "cpu", "CPU per answer", "takes", "more", "less",
	    " CPU per answer" },
	[BENCH_FIGURE_MEMORY] = { "memory", "memory", "takes", "more", "less", " memory" },
};

/* Where figures are but in searches: findings, and columns of the table of steps. */
static const struct {
	const char *findings[2];
	const char *column;
	double percentile; /* of the table of RTTs; 0: not there */
} places[BENCH_FIGURES] = {
	[BENCH_FIGURE_RATE] = { { "valid per second", "highest rate" }, NULL, 0 },
	[BENCH_FIGURE_RTT_MEDIAN] = { { "rtt median" }, "rtt_p50", 50 },
	[BENCH_FIGURE_RTT_P99] = { { "rtt p99" }, "rtt_p99", 99 },
	[BENCH_FIGURE_CPU] = { { "server CPU per answer" }, NULL, 0 },
	[BENCH_FIGURE_MEMORY] = { { "server RSS" }, NULL, 0 },
};

/* Where they are in searches: a column of the trial that found the rate. */
static const struct {
	const char *column, *unit;
} trials[BENCH_FIGURES] = {
	[BENCH_FIGURE_RATE] = { "rate", "1/s" },
	[BENCH_FIGURE_RTT_MEDIAN] = { "rtt_p50", "us" },
	[BENCH_FIGURE_RTT_P99] = { "rtt_p99", "us" },
	[BENCH_FIGURE_CPU] = { "server_cpu_per_answer", "us" },
	[BENCH_FIGURE_MEMORY] = { "server_rss", "MiB" },
};

const struct bench_figure_words *
bench_figures_words(enum bench_figure_name f)
{
	return &words[f];
}

enum bench_figure_name
bench_figures_find(const char *name, size_t len)
{
	unsigned f = 0;

	while (f < BENCH_FIGURES &&
	    (strlen(words[f].name) != len || strncmp(words[f].name, name, len) != 0))
		f++;
	return (enum bench_figure_name)f;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* The number of the column NAME; as many as there are if there is none. */
static size_t
column_of(const json_t *table, const char *name)
{
	const json_t *columns = json_object_get(table, "columns");
	size_t i = 0;

	while (i < json_array_size(columns) &&
	    strcmp(bench_text_get(json_array_get(columns, i), "name"), name) != 0)
		i++;
	return i;
}

struct bench_column
bench_figures_column(const json_t *table, const char *name)
{
	const json_t *c = json_array_get(json_object_get(table, "columns"), column_of(table, name));

	return (struct bench_column){ name, bench_text_get(c, "title"), bench_text_get(c, "unit"),
		bench_text_decimals(c) };
}

const json_t *
bench_figures_cell(const json_t *table, size_t i, const char *name)
{
	const json_t *row = json_array_get(json_object_get(table, "rows"), i);

	return json_array_get(row, column_of(table, name));
}

static size_t
n_rows(const json_t *table)
{
	return json_array_size(json_object_get(table, "rows"));
}

/* The cell of TABLE as a value above zero, with the unit of its column. */
static bool
take_cell(const json_t *table, size_t i, const char *name, struct bench_figure_value *v)
{
	const json_t *columns = json_object_get(table, "columns");

	v->value = json_number_value(bench_figures_cell(table, i, name));
	v->unit = bench_text_get(json_array_get(columns, column_of(table, name)), "unit");
	return v->value > 0;
}

/* --- Searches --------------------------------------------------------------------------------- */

/* How many columns of SEARCHES say which one it is: the cell of a matrix, and the repetition. */
static size_t
n_keys(const json_t *searches)
{
	return column_of(searches, "repetition") + 1;
}

/* Does trial K belong to search I? */
static bool
belongs(const json_t *searches, size_t i, const json_t *list, size_t k)
{
	const json_t *columns = json_object_get(searches, "columns");
	bool does = true;

	for (size_t c = 0; c < n_keys(searches) && does; c++) {
		const char *name = bench_text_get(json_array_get(columns, c), "name");

		does = json_equal(bench_figures_cell(list, k, name),
			   bench_figures_cell(searches, i, name)) != 0;
	}
	return does;
}

/* The rate of search I, or another figure of the trial that found it: the last that passed. */
static bool
of_search(const json_t *run, const json_t *searches, enum bench_figure_name f, size_t i,
    struct bench_figure_value *v)
{
	const json_t *list = bench_run_table_of(run, "trials"), *value = NULL;

	v->unit = trials[f].unit;
	if (f == BENCH_FIGURE_RATE)
		value = bench_figures_cell(searches, i, "rate_passed");
	for (size_t k = n_rows(list); k-- > 0 && value == NULL;) {
		const char *verdict = json_string_value(bench_figures_cell(list, k, "verdict"));

		if (verdict != NULL && strcmp(verdict, "passed") == 0 &&
		    belongs(searches, i, list, k))
			value = bench_figures_cell(list, k, trials[f].column);
	}
	v->value = json_number_value(value);
	return v->value > 0;
}

/* --- Sweeps ----------------------------------------------------------------------------------- */

/* How often each rate of a sweep was asked. */
static size_t
n_sweeps(const json_t *run)
{
	const json_t *list = bench_run_table_of(run, "trials");
	json_int_t most = 0;

	for (size_t k = 0; k < n_rows(list); k++) {
		json_int_t r = json_integer_value(bench_figures_cell(list, k, "repetition"));

		most = r > most && r <= (json_int_t)n_rows(list) ? r : most;
	}
	return (size_t)most;
}

/* Repetition I is one of a rate: first all of the first rate, whenever they were. */
static bool
of_sweep(const json_t *run, const json_t *sweep, enum bench_figure_name f, size_t i,
    struct bench_figure_value *v)
{
	const json_t *list = bench_run_table_of(run, "trials"), *value = NULL;
	size_t n = n_sweeps(run);
	const json_t *rate = n > 0 ? bench_figures_cell(sweep, i / n, "rate") : NULL;

	for (size_t k = n_rows(list); k-- > 0 && value == NULL;) {
		const char *verdict = json_string_value(bench_figures_cell(list, k, "verdict"));

		if (verdict != NULL && strcmp(verdict, "tester") != 0 &&
		    json_equal(bench_figures_cell(list, k, "rate"), rate) &&
		    json_integer_value(bench_figures_cell(list, k, "repetition")) ==
			(json_int_t)(i % n) + 1)
			value = bench_figures_cell(list, k, trials[f].column);
	}
	v->unit = trials[f].unit;
	v->value = f == BENCH_FIGURE_RATE ? 0 : json_number_value(value); /* it was given */
	return v->value > 0;
}

/* --- Repetitions ------------------------------------------------------------------------------ */

size_t
bench_figures_repetitions(const json_t *run)
{
	const json_t *searches = bench_run_table_of(run, "searches"),
		     *sweep = bench_run_table_of(run, "sweep");

	if (searches != NULL)
		return n_rows(searches);
	return sweep != NULL ? n_rows(sweep) * n_sweeps(run) : 1;
}

/* Are the first N columns of table NAME the same in both, as far as both have rows? */
static bool
same_rows(const json_t *run, const json_t *other, const char *name, size_t n)
{
	const json_t *a = bench_run_table_of(run, name), *b = bench_run_table_of(other, name);
	const json_t *columns = json_object_get(a, "columns");
	bool same = true;

	for (size_t i = 0; i < n_rows(a) && i < n_rows(b) && same; i++) {
		for (size_t c = 0; c < n && same; c++) {
			const char *key = bench_text_get(json_array_get(columns, c), "name");

			same = json_equal(bench_figures_cell(a, i, key),
				   bench_figures_cell(b, i, key)) != 0;
		}
	}
	return same;
}

bool
bench_figures_fit(const json_t *run, const json_t *other)
{
	return same_rows(run, other, "searches", n_keys(bench_run_table_of(run, "searches"))) &&
	    same_rows(run, other, "sweep", 1) &&
	    (bench_run_table_of(run, "sweep") == NULL || n_sweeps(run) == n_sweeps(other));
}

/* --- Other methods ---------------------------------------------------------------------------- */

static bool
of_finding(const json_t *run, const char *name, struct bench_figure_value *v)
{
	const json_t *f = name != NULL ? bench_run_finding_of(run, name, 0) : NULL;

	if (f == NULL)
		return false;
	v->value = json_number_value(json_object_get(f, "value"));
	v->unit = bench_text_get(f, "unit");
	return v->value > 0;
}

/* The step with the highest rate. */
static bool
of_steps(const json_t *run, const char *column, struct bench_figure_value *v)
{
	const json_t *steps = bench_run_table_of(run, "steps");
	double best = 0;
	size_t at = 0;

	for (size_t i = 0; i < n_rows(steps); i++) {
		double rate = json_number_value(bench_figures_cell(steps, i, "rate"));

		at = rate > best ? i : at;
		best = rate > best ? rate : best;
	}
	return column != NULL && take_cell(steps, at, column, v);
}

bool
bench_figures_at(
    const json_t *run, const struct bench_figure_curve *c, double x, struct bench_figure_value *v)
{
	const json_t *table = bench_run_table_of(run, c->table);

	for (size_t i = 0; i < n_rows(table); i++) {
		const json_t *at = bench_figures_cell(table, i, c->x);

		if (json_is_number(at) && fabs(json_number_value(at) - x) < 1e-6)
			return take_cell(table, i, c->y, v);
	}
	return false;
}

static bool
of_percentiles(const json_t *run, double percentile, struct bench_figure_value *v)
{
	static const struct bench_figure_curve rtt = { "rtt", "percentile", "rtt" };

	return percentile > 0 && bench_figures_at(run, &rtt, percentile, v);
}

bool
bench_figures_read(
    const json_t *run, enum bench_figure_name f, size_t i, struct bench_figure_value *v)
{
	const json_t *searches = bench_run_table_of(run, "searches"),
		     *sweep = bench_run_table_of(run, "sweep");

	if (searches != NULL)
		return of_search(run, searches, f, i, v);
	if (sweep != NULL)
		return of_sweep(run, sweep, f, i, v);
	return i == 0 &&
	    (of_finding(run, places[f].findings[0], v) ||
		of_finding(run, places[f].findings[1], v) || of_steps(run, places[f].column, v) ||
		of_percentiles(run, places[f].percentile, v));
}
