/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/cells.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/measure.h"

#define CELL_TEXT 64 /* octets of what a cell is, with the zero */

static const char *const words[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "passed",
	[BENCH_FAILED] = "failed",
	[BENCH_NO_VERDICT] = "no verdict: the tester was too slow or lost replies",
	[BENCH_CACHED] = "no verdict: the server knew the names",
};

static const char *const limits[] = {
	[BENCH_LIMIT_SERVER] = "server",
	[BENCH_LIMIT_HIGH] = "high",
	[BENCH_LIMIT_TESTER] = "tester",
	[BENCH_LIMIT_LOW] = "low",
};

/* --- Progress --------------------------------------------------------------------------------- */

/* How long the rest of this search and those after it will take, in s. */
static double
left(const struct bench_cells *c)
{
	unsigned repetitions = c->job.settings->repetitions;
	unsigned all = c->n_cells * repetitions;
	unsigned here = c->done * repetitions + c->repetition; /* this search, from 1 on */
	uint64_t sum;
	unsigned n = bench_bisect_most(c->bisect, &sum);

	return bench_progress_left(&c->progress, n + (all > here ? all - here : 0) * c->in_search);
}

/* "cell 4/36, repetition 3/20" or "self-test" to TEXT. */
static const char *
where(const struct bench_cells *c, char text[static 80])
{
	int n = 0;

	if (c->repetition == 0)
		return "self-test";
	if (c->n_cells > 1)
		n = snprintf(text, 80, "cell %u/%u, ", c->done + 1, c->n_cells);
	(void)snprintf(text + n, 80 - (size_t)n, "repetition %u/%u", c->repetition,
	    c->job.settings->repetitions);
	return text;
}

static void
say_begin(struct bench_cells *c, const struct bench_probe *p)
{
	char text[80];

	bench_progress_begin(&c->progress, left(c),
	    "%s: %" PRIu32 "/s ..., between %" PRIu32 " and %" PRIu32, where(c, text), p->rate,
	    c->bisect->low, c->bisect->high);
}

static void
say_end(struct bench_cells *c, uint32_t rate, enum bench_outcome outcome)
{
	char text[80];

	if (c->bisect->low == c->bisect->high)
		bench_progress_tell(&c->progress, left(c), "%s: %" PRIu32 "/s %s", where(c, text),
		    rate, words[outcome]);
	else
		bench_progress_tell(&c->progress, left(c),
		    "%s: %" PRIu32 "/s %s, between %" PRIu32 " and %" PRIu32, where(c, text), rate,
		    words[outcome], c->bisect->low, c->bisect->high);
}

/* --- Trials ----------------------------------------------------------------------------------- */

static json_t *
measure_server(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct bench_cells *c = ctx;
	bench_measure_trial *measure =
	    c->job.measure != NULL ? c->job.measure : bench_measure_server;

	say_begin(c, p);
	json_t *figures = measure(&c->job, p, outcome);
	bench_progress_end(&c->progress);
	return figures;
}

static json_t *
measure_tester(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct bench_cells *c = ctx;

	say_begin(c, p);
	json_t *figures = bench_measure_tester(&c->job, &c->tester, p, outcome);
	bench_progress_end(&c->progress);
	return figures;
}

static void
told(void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now)
{
	struct bench_cells *c = ctx;
	double seconds = json_number_value(json_object_get(record, "seconds"));
	uint32_t rate = (uint32_t)json_integer_value(json_object_get(record, "rate"));

	c->n_trials++;
	c->seconds += seconds;
	c->sent = json_integer_value(json_object_get(record, "sent"));
	c->valid = json_integer_value(json_object_get(record, "valid"));
	if (outcome == BENCH_PASSED) {
		c->cpu = bench_measure_server_value(record, 0);
		c->cpu_per_answer = bench_measure_server_value(record, 1);
	}
	bench_table_add(c->trials, bench_measure_row(&c->job, c->columns, c->n_columns, record));
	(void)json_array_append_new(c->records, json_deep_copy(record));
	if (c->repetition > 0) /* a self-test says nothing of the rest */
		bench_progress_count(&c->progress, seconds);
	if (measured_now)
		say_end(c, rate, outcome);
}

/* Do a whole search. False: it ended early, and the run says why. */
static bool
search(struct bench_cells *c, unsigned repetition, struct bench_bisect *b)
{
	c->repetition = repetition;
	c->bisect = b;
	c->n_trials = 0;
	c->seconds = 0;
	c->cpu = c->cpu_per_answer = (double)NAN;
	if (bench_series_search(&c->series, repetition > 0 ? c->cell->is : NULL, repetition, b))
		return true;
	if (c->series.error[0] != '\0')
		bench_run_fail(c->job.run, "%s", c->series.error);
	return false;
}

/* --- The self-test ---------------------------------------------------------------------------- */

/* What the self-test will be, as a setting. O are those of the first cell. */
static void
put_self_test(const struct bench_job *job, const struct bench_settings *o)
{
	bench_run_set(job->run, "self_test",
	    o->upstream.family == NETADDR_NONE
		? json_string("none")
		: json_sprintf("%s questions over UDP, one by one, %g times as many, within %g ms",
		      bench_selftest_asks_aaaa(o) ? "AAAA" : "A", 2 * (1 + o->delta),
		      (double)o->plan.timeout_ns / BENCH_SELFTEST_TIMEOUT_PART /
			  (double)NS_PER_MS));
}

static void
take_self_test(struct bench_cells *c, uint32_t passed, enum bench_limit limit)
{
	uint32_t cap = bench_selftest_cap(passed, c->job.settings->delta);

	bench_run_find(c->job.run, limit == BENCH_LIMIT_HIGH ? "self-test, at least" : "self-test",
	    json_integer(passed), "1/s");
	bench_run_find(c->job.run, "measurable", json_integer(cap), "1/s");
	(void)fprintf(stderr,
	    "self-test: passes up to %s%" PRIu32 "/s, so rates up to %" PRIu32
	    "/s can be measured\n",
	    limit == BENCH_LIMIT_HIGH ? "at least " : "", passed, cap);
	if (cap >= c->high)
		return;
	(void)fprintf(
	    stderr, "dns64bench: the search ends there instead of at %" PRIu32 "/s\n", c->high);
	c->capped = true;
	c->high = cap;
}

/* The self-test comes first, since a tester that is too slow would only measure itself. */
static bool
self_test(struct bench_cells *c)
{
	const struct bench_settings *o = c->job.settings;
	struct bench_bisect b;
	enum bench_limit limit;

	if (o->upstream.family == NETADDR_NONE)
		return true;
	bench_bisect_init(&b, bench_selftest_rate(o->low, o->delta),
	    bench_selftest_rate(o->high, o->delta), o->resolution, BENCH_BEGIN_HIGH);
	c->tester = bench_selftest_plan(o);
	c->series.measure = measure_tester;
	c->series.again = true; /* there is no cache between the tester and the zone */
	if (!search(c, 0, &b))
		return false;
	uint32_t passed = bench_bisect_result(&b, &limit);
	if (passed > 0)
		take_self_test(c, passed, limit);
	else
		bench_run_fail(c->job.run,
		    "self-test: asking --upstream itself at %" PRIu32 "/s, %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid within"
		    " 1/%d of the timeout%s: --low %" PRIu32 " cannot be measured",
		    b.low, c->valid, c->sent, BENCH_SELFTEST_TIMEOUT_PART,
		    c->valid == c->sent ? ", but the pace was not kept" : "", o->low);
	return passed > 0;
}

/* --- Repetitions ------------------------------------------------------------------------------ */

static bool
by_self_test(const struct bench_cells *c, enum bench_limit limit)
{
	return limit == BENCH_LIMIT_HIGH && c->capped;
}

static void
add_row(const struct bench_cells *c, const struct bench_bisect *b, uint32_t rate,
    enum bench_limit limit)
{
	json_t *row = json_array();

	for (size_t i = 0; i < c->n_columns; i++)
		(void)json_array_append(row, json_object_get(c->cell->is, c->columns[i].name));
	json_t *result = json_pack("[i,I,o,s,i,f]", (int)c->repetition, (json_int_t)rate,
	    b->passed_high ? json_null() : json_integer(b->high),
	    by_self_test(c, limit) ? "self-test" : limits[limit], (int)c->n_trials, c->seconds);
	(void)json_array_extend(row, result);
	json_decref(result);
	bench_table_add(c->results, row);
}

static void
add_result(struct bench_cells *c, struct bench_found *f, const struct bench_bisect *b)
{
	enum bench_limit limit;
	uint32_t rate = bench_bisect_result(b, &limit);

	add_row(c, b, rate, limit);
	c->in_search = c->n_trials;
	if (limit == BENCH_LIMIT_TESTER) {
		f->spoilt++;
		f->spoilt_best = rate > f->spoilt_best ? rate : f->spoilt_best;
		return;
	}
	f->searches[f->n] = c->repetition;
	f->rates[f->n++] = rate;
	f->limited[limit]++;
	if (!isnan(c->cpu)) {
		f->cpu += c->cpu;
		f->cpu_squares += c->cpu * c->cpu;
		f->cpu_per_answer += c->cpu_per_answer;
		f->n_cpu++;
	}
}

/* Do one repetition, which uses no results of the others. False: there are no more. */
static bool
repeat(struct bench_cells *c, struct bench_found *f, unsigned repetition)
{
	struct bench_bisect b;

	bench_bisect_init(&b, c->cell->settings->low, c->high, c->cell->settings->resolution,
	    repetition == 1 ? BENCH_BEGIN_LOW : BENCH_BEGIN_BETWEEN);
	if (!search(c, repetition, &b))
		return false;
	f->ended = repetition == c->cell->settings->repetitions;
	if (bench_bisect_result(&b, &f->nothing) == 0 && f->n == 0 && f->spoilt == 0) {
		f->ended = true;
		return false;
	}
	add_result(c, f, &b);
	return true;
}

/* What limits most of the results, or why there is none. */
static enum bench_limit
limit_of(const struct bench_found *f)
{
	enum bench_limit most = BENCH_LIMIT_SERVER;

	if (f->n == 0)
		return f->nothing;
	for (unsigned i = 0; i <= BENCH_LIMIT_LOW; i++) {
		if (f->limited[i] > f->limited[most])
			most = (enum bench_limit)i;
	}
	return most;
}

void
bench_cells_search(struct bench_cells *c, const struct bench_cell *cell, struct bench_found *f)
{
	const struct bench_settings *whole = c->job.settings;

	memset(f, 0, sizeof(*f));
	f->rates = calloc(cell->settings->repetitions, sizeof(*f->rates));
	f->searches = calloc(cell->settings->repetitions, sizeof(*f->searches));
	if (f->rates == NULL || f->searches == NULL) {
		bench_run_fail(c->job.run, "out of memory");
		return;
	}
	c->cell = cell;
	c->from = json_array_size(c->records);
	c->job.settings = cell->settings;
	c->series.measure = measure_server;
	c->series.again = cell->settings->restart != NULL;
	if (cell->new_names)
		c->series.next = 0;
	for (unsigned i = 1; i <= cell->settings->repetitions && repeat(c, f, i); i++)
		;
	c->job.settings = whole; /* those of the cell may be gone after this */
	c->spoilt += f->spoilt;
	if (!f->ended)
		return;
	/* One result that is not the server's makes the figures of the cell wrong. */
	for (unsigned i = 0; i <= BENCH_LIMIT_LOW; i++)
		c->limited[i] += f->n > 0 ? f->limited[i] > 0 : f->nothing == i;
	c->done++;
}

/* --- What contradicts itself ------------------------------------------------------------------ */

/* "hits 20, aaaa 40: ", or nothing if there is one cell only. */
static const char *
cell_text(const struct bench_cells *c, char text[static CELL_TEXT])
{
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->n_columns && n < CELL_TEXT; i++)
		n += (size_t)snprintf(text + n, CELL_TEXT - n, "%s %" JSON_INTEGER_FORMAT "%s",
		    c->columns[i].name,
		    json_integer_value(json_object_get(c->cell->is, c->columns[i].name)),
		    i + 1 < c->n_columns ? ", " : ": ");
	return text;
}

void
bench_cells_inversion(const struct bench_cells *c)
{
	char text[CELL_TEXT];

	bench_measure_inversion(&c->job, c->records, c->from, cell_text(c, text));
}

/* --- All cells -------------------------------------------------------------------------------- */

const char *
bench_cells_limit(const struct bench_cells *c, const struct bench_found *f)
{
	enum bench_limit limit = limit_of(f);

	return by_self_test(c, limit) ? "self-test" : limits[limit];
}

bool
bench_cells_is_rfc(const struct bench_settings *s)
{
	return s->repetitions >= BENCH_RFC_REPETITIONS && s->duration >= BENCH_RFC_DURATION;
}

void
bench_cells_judge(const struct bench_cells *c)
{
	const struct bench_settings *s = c->job.settings;
	struct bench_run *r = c->job.run;

	bench_method_late(&c->job, c->records);
	if (!bench_cells_is_rfc(s))
		bench_run_find(r, "repetitions",
		    json_sprintf("%u, of trials of %g s, not RFC 8219 (%d, of %g s): min and max"
				 " instead of percentiles",
			s->repetitions, s->duration, BENCH_RFC_REPETITIONS, BENCH_RFC_DURATION),
		    "");

	if (c->limited[BENCH_LIMIT_HIGH] > 0 && !c->capped)
		bench_run_find(r, "at least",
		    json_sprintf(
			"--high passed in %u of %u cells", c->limited[BENCH_LIMIT_HIGH], c->done),
		    "");
	else if (c->limited[BENCH_LIMIT_HIGH] > 0)
		bench_run_fail(r,
		    "the tester is the limit in %u of %u cells: the highest rate that the"
		    " self-test allows, %" PRIu32 ", passed",
		    c->limited[BENCH_LIMIT_HIGH], c->done, c->high);
	if (c->limited[BENCH_LIMIT_TESTER] > 0)
		bench_run_fail(r,
		    "the tester is the limit in %u of %u cells: it did not keep its pace, or"
		    " lost replies",
		    c->limited[BENCH_LIMIT_TESTER], c->done);
	bench_cells_spoilt(c, c->done * s->repetitions);
	if (c->limited[BENCH_LIMIT_LOW] > 0)
		bench_run_fail(
		    r, "--low failed in %u of %u cells", c->limited[BENCH_LIMIT_LOW], c->done);
}

void
bench_cells_spoilt(const struct bench_cells *c, unsigned searches)
{
	if (c->spoilt > 0)
		bench_run_find(c->job.run, "searches spoilt by the tester",
		    json_sprintf("%u of %u, which do not count", c->spoilt, searches), "");
}

double
bench_found_cpu(const struct bench_found *f)
{
	if (f->n_cpu < 2)
		return (double)NAN;
	return sqrt(fmax(f->cpu_squares - f->cpu * f->cpu / f->n_cpu, 0) / (f->n_cpu - 1));
}

void
bench_found_drop(struct bench_found *f)
{
	free(f->rates);
	free(f->searches);
	f->rates = NULL;
	f->searches = NULL;
}

/* --- Life ------------------------------------------------------------------------------------- */

static void
begin_tables(struct bench_cells *c)
{
	static const struct bench_column results[] = {
		{ "repetition", "repetition", "", 0 }, { "rate_passed", "highest rate", "1/s", 0 },
		{ "rate_failed", "failed at", "", 0 }, /* without unit: it is not drawn */
		{ "limit", "limit", "", 0 }, { "trials", "trials", "", 0 },
		{ "seconds", "time (s)", "", 1 }, /* nor this */
	};
	struct bench_column all[BENCH_MEASURE_FIRST + sizeof(results) / sizeof(results[0])];

	size_t n = c->n_columns + sizeof(results) / sizeof(results[0]);

	assert(c->n_columns <= BENCH_MEASURE_FIRST);
	if (c->n_columns > 0)
		memcpy(all, c->columns, c->n_columns * sizeof(*all));
	memcpy(all + c->n_columns, results, sizeof(results));
	/* With several cells it is their table that is drawn, not this one: columns without units.
	 */
	for (size_t i = c->n_columns; c->n_columns > 0 && i < n; i++)
		all[i].unit = "";
	c->results =
	    bench_run_table(c->job.run, "searches", "Highest rate without a fault (1/s)", all, n);
	bench_table_axis(c->results, "categories");
	if (c->n_columns == 0)
		bench_table_live(c->results, c->job.out);
	c->trials = bench_measure_table(&c->job, c->columns, c->n_columns);
}

bool
bench_cells_begin(struct bench_cells *c, const struct bench_job *job,
    const struct bench_cell *first, unsigned n_cells, const struct bench_column *columns,
    size_t n_columns)
{
	const struct bench_settings *o = first->settings;
	struct bench_bisect whole;
	uint64_t sum;

	*c = (struct bench_cells){ .job = *job,
		.series = { .duration = o->duration, .told = told, .ctx = c },
		.columns = columns,
		.n_columns = n_columns,
		.records = json_array(),
		.high = o->high,
		.n_cells = n_cells,
		.cell = first };
	bench_bisect_init(&whole, o->low, o->high, o->resolution, BENCH_BEGIN_BETWEEN);
	c->in_search = bench_bisect_most(&whole, &sum);
	bench_progress_init(&c->progress, stderr, o->duration);
	put_self_test(job, o);
	begin_tables(c);
	if (!bench_measure_state(job, &c->series.journal))
		return false;
	c->job.settings = o;
	bool good = self_test(c);
	c->job.settings = job->settings; /* the first cell may be gone after this */
	c->cell = NULL;
	return good;
}

void
bench_cells_end(struct bench_cells *c)
{
	bench_journal_close(c->series.journal);
	json_decref(c->records);
}
