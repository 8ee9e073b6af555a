/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_search: the highest rate without a fault, by the procedure of RFC 8219 section 9. */
#include "bench/method.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/cells.h"
#include "bench/measure.h"
#include "bench/series.h"
#include "bench/settings.h"
#include "bench/stats.h"

/* --- Names ------------------------------------------------------------------------------------ */

/* Questions per second: for want of names a search without --high does not end lower than that. */
#define HIGH_LEAST 100000

/* The smallest network with N addresses, for a message. */
static const char *
network_for(uint64_t n, char text[static 32])
{
	int len = 32;

	while (len >= 0 && (UINT64_C(1) << (32 - len)) < n)
		len--;
	if (len >= 0)
		(void)snprintf(text, 32, "a /%d has them", len);
	return len >= 0 ? text : "no network has them";
}

/* How many names the searches take at most; those of a matrix with other AAAA are others. */
static uint64_t
names_of(const struct bench_settings *s)
{
	bool matrix = s->method == BENCH_MATRIX;
	unsigned searches = s->repetitions * (matrix ? (unsigned)s->hits.n : 1);
	struct bench_bisect b;

	bench_bisect_init(&b, s->low, s->high, s->resolution, BENCH_BEGIN_LOW);
	return bench_load_names(&s->plan.load,
		   bench_series_most(&b, searches, s->duration, s->restart != NULL)) +
	    (matrix ? s->plan.load.hot : 0);
}

/* Lower the end of the search in small steps; if that does not help, it stays where it was. */
static void
lower(struct bench_settings *s)
{
	uint32_t high = s->high;

	while (names_of(s) > s->plan.load.size && s->high > HIGH_LEAST && s->high > s->low) {
		uint32_t step = s->high / 20;

		/* There is no search that ends below its beginning. */
		s->high = s->high - s->low > step ? s->high - step : s->low;
	}
	if (names_of(s) > s->plan.load.size)
		s->high = high;
}

bool
bench_search_fits(struct bench_settings *s, FILE *errors)
{
	const struct bench_load *l = &s->plan.load;
	char text[32];

	if (l->hot >= l->size)
		return true;
	if (!s->high_given)
		lower(s);
	uint64_t n = names_of(s);
	if (n <= l->size)
		return true;
	(void)fprintf(errors,
	    "dns64bench: --namespace: %" PRIu64 " names, and the search takes up to %" PRIu64
	    ": %s; a lower --high than %" PRIu32 "%s takes fewer\n",
	    l->size, n, network_for(n, text), s->high,
	    s->restart == NULL ? ", or --restart before each trial," : "");
	return false;
}

void
bench_search_resume(struct bench_settings *s)
{
	json_t *before =
	    s->state != NULL && !s->first_given ? bench_journal_settings(s->state) : NULL;
	const json_t *first = json_object_get(before, "first");

	if (json_is_integer(first) && json_integer_value(first) >= 0)
		s->plan.load.first = (uint64_t)json_integer_value(first);
	json_decref(before);
}

/* --- Results ---------------------------------------------------------------------------------- */

static void
find_rate(const struct bench_job *job, const char *name, double rate)
{
	bench_run_find(job->run, name, json_real(rate), "1/s");
}

/*
 * The 1st and 99th percentile are what the RFC wants of what it wants to be measured; of anything
 * else they would look as if it were that.
 */
static void
find_percentiles(const struct bench_job *job, const struct bench_summary *sum)
{
	double duration = job->settings->duration;

	if (sum->n >= BENCH_RFC_REPETITIONS && duration >= BENCH_RFC_DURATION) {
		find_rate(job, "p1", sum->p1);
		find_rate(job, "p99", sum->p99);
	} else {
		bench_run_find(job->run, "repetitions",
		    json_sprintf("%zu %s of %g s, not RFC 8219 (%d of %g s)", sum->n,
			sum->n == 1 ? "trial" : "trials", duration, BENCH_RFC_REPETITIONS,
			BENCH_RFC_DURATION),
		    "");
	}
}

/* The statistics of the papers. */
static void
find_summary(const struct bench_job *job, const struct bench_found *f)
{
	const struct bench_settings *o = job->settings;
	struct bench_summary sum = bench_stats_summary(f->rates, f->n);
	double timeout = (double)o->plan.timeout_ns / (double)NS_PER_SEC;

	bench_run_find(job->run, "searches", json_integer(f->n), "");
	find_rate(job, "median", sum.median);
	find_percentiles(job, &sum);
	find_rate(job, "min", sum.min);
	find_rate(job, "max", sum.max);
	find_rate(job, "mean", sum.mean);
	if (sum.n > 1) {
		find_rate(job, "deviation", sum.deviation);
		find_rate(job, "MAD", sum.mad);
		find_rate(job, "margin 99.9 %", sum.margin);
	}
	/*
	 * Answers may come up to the timeout after the last question: the median takes no more than
	 * that of a server, which short trials flatter (paper, section 4.4, formula 1).
	 */
	if (o->calculated)
		find_rate(
		    job, "calculated rate", sum.median * o->duration / (o->duration + timeout));
}

/* --- At the rates found ----------------------------------------------------------------------- */

static json_int_t
integer_of(const json_t *record, const char *key)
{
	return json_integer_value(json_object_get(record, key));
}

static bool
has_verdict(const json_t *record, enum bench_outcome o)
{
	const char *verdict = json_string_value(json_object_get(record, "verdict"));

	return verdict != NULL && strcmp(verdict, bench_series_verdict(o)) == 0;
}

/* The last trial of REPETITION that passed, which has found its rate; NULL if none did. */
static const json_t *
found_by(const json_t *records, unsigned repetition)
{
	for (size_t i = json_array_size(records); i-- > 0;) {
		const json_t *record = json_array_get(records, i);

		if (integer_of(record, "repetition") == repetition &&
		    has_verdict(record, BENCH_PASSED))
			return record;
	}
	return NULL;
}

/* A figure of a trial: its own, or column K of the server's usage. NAN: it has none. */
static double
figure_of(const json_t *record, const char *key, unsigned k)
{
	const json_t *value = json_object_get(record, key);

	if (record == NULL || key == NULL)
		return record == NULL ? (double)NAN : bench_measure_server_value(record, k);
	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* What was measured besides in the trials that found the rates: their mean and deviation. */
static void
find_beside(const struct bench_job *job, const json_t *records, const struct bench_found *f)
{
	static const struct {
		const char *key; /* of the record; NULL: the server's */
		unsigned k;
		const char *name, *unit;
	} figures[] = {
		{ "rtt_p50", 0, "rtt median", "us" },
		{ "rtt_p99", 0, "rtt p99", "us" },
		{ NULL, 0, "server CPU", "%" },
		{ NULL, 1, "server CPU per answer", "us" },
	};
	double *values = f->rates; /* not needed any more */
	char name[64];

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		size_t has = 0;

		for (unsigned r = 0; r < f->n; r++) {
			const json_t *by = found_by(records, f->searches[r]);
			double v = figure_of(by, figures[i].key, figures[i].k);

			if (!isnan(v))
				values[has++] = v;
		}
		if (has == 0)
			continue;
		struct bench_summary sum = bench_stats_summary(values, has);
		bench_run_find(job->run, figures[i].name, json_real(sum.mean), figures[i].unit);
		(void)snprintf(name, sizeof(name), "%s deviation", figures[i].name);
		if (has > 1)
			bench_run_find(job->run, name, json_real(sum.deviation), figures[i].unit);
	}
}

/* Say so if a result is not the server's limit. */
static void
judge(const struct bench_cells *c, const struct bench_found *f)
{
	struct bench_run *r = c->job.run;

	if (f->limited[BENCH_LIMIT_HIGH] > 0 && !c->capped)
		bench_run_find(r, "at least",
		    json_sprintf(
			"--high passed in %u of %u searches", f->limited[BENCH_LIMIT_HIGH], f->n),
		    "");
	else if (f->limited[BENCH_LIMIT_HIGH] > 0)
		bench_run_fail(r,
		    "the tester is the limit: the highest rate that the self-test allows,"
		    " %" PRIu32 ", passed in %u of %u searches",
		    c->high, f->limited[BENCH_LIMIT_HIGH], f->n);
	if (f->limited[BENCH_LIMIT_LOW] > 0)
		bench_run_fail(r, "--low failed in %u of %u searches, which count as 0",
		    f->limited[BENCH_LIMIT_LOW], f->n);
}

/* If the first search has no result, more searches are of no use; or the tester ended them all. */
static void
judge_nothing(const struct bench_cells *c, const struct bench_found *f)
{
	uint32_t low = c->job.settings->low;

	if (f->spoilt_best > 0) {
		bench_run_find(c->job.run, "at least",
		    json_sprintf("%.0f/s passed, and the tester can do no more", f->spoilt_best),
		    "");
		bench_run_fail(c->job.run,
		    "the tester is the limit in all %u searches: above %.0f it did not keep its "
		    "pace, or lost replies",
		    f->spoilt, f->spoilt_best);
		return;
	}
	if (f->nothing == BENCH_LIMIT_TESTER)
		bench_run_fail(
		    c->job.run, "the tester is the limit at --low %" PRIu32 " already", low);
	else
		bench_run_fail(c->job.run,
		    "the server fails at --low %" PRIu32 " already: %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid and in time",
		    low, c->valid, c->sent);
	bench_method_hint(&c->job);
}

/* --- The method ------------------------------------------------------------------------------- */

void
bench_search(const struct bench_job *job)
{
	const struct bench_cell whole = { .settings = job->settings };
	struct bench_found found = { 0 };
	struct bench_cells c;

	bench_method_settings(job);
	if (bench_cells_begin(&c, job, &whole, 1, NULL, 0))
		bench_cells_search(&c, &whole, &found);
	if (found.n > 0) {
		find_summary(job, &found);
		bench_cells_inversion(&c);
		find_beside(job, c.records, &found);
		judge(&c, &found);
		bench_cells_spoilt(&c, found.n + found.spoilt);
	} else if (found.ended) {
		judge_nothing(&c, &found);
	}
	bench_method_late(job, c.records);
	bench_measure_curve(job, c.records);
	bench_found_drop(&found);
	bench_cells_end(&c);
}
