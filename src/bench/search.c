/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_search: the highest rate without a fault, by the procedure of RFC 8219 section 9. */
#include "bench/method.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
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

/* How many names the search takes at most. */
static uint64_t
names_of(const struct bench_settings *s)
{
	struct bench_bisect b;

	bench_bisect_init(&b, s->low, s->high, s->resolution, BENCH_BEGIN_LOW);
	return bench_load_names(
	    &s->plan.load, bench_series_most(&b, s->repetitions, s->duration, s->restart != NULL));
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

/* --- The search ------------------------------------------------------------------------------- */

struct search {
	const struct bench_job *job;
	struct bench_plan tester; /* of the self-test */
	struct bench_series series;
	struct bench_progress progress;
	struct bench_table *results; /* a row for each repetition */
	struct bench_table *trials;
	json_t *records; /* owned: of all trials */
	uint32_t high;   /* --high, or what the tester can measure */
	bool capped;     /* the latter */
	double *rates;   /* owned: the results so far */
	unsigned n_rates;
	unsigned limited[BENCH_LIMIT_LOW + 1]; /* how many of them by what */
	/* of the search that runs: */
	unsigned repetition;
	const struct bench_bisect *bisect;
	unsigned n_trials;
	double seconds;
	json_int_t valid, sent; /* of its last trial */
};

static const char *const limits[] = {
	[BENCH_LIMIT_SERVER] = "server",
	[BENCH_LIMIT_HIGH] = "high",
	[BENCH_LIMIT_TESTER] = "tester",
	[BENCH_LIMIT_LOW] = "low",
};

/* --- Trials ----------------------------------------------------------------------------------- */

static json_t *
measure_server(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct search *s = ctx;

	bench_progress_begin(&s->progress, p->repetition, s->bisect, p->rate);
	return bench_measure_server(s->job, p, outcome);
}

static json_t *
measure_tester(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct search *s = ctx;

	bench_progress_begin(&s->progress, p->repetition, s->bisect, p->rate);
	return bench_measure_tester(s->job, &s->tester, p, outcome);
}

static void
told(void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now)
{
	struct search *s = ctx;
	double seconds = json_number_value(json_object_get(record, "seconds"));
	uint32_t rate = (uint32_t)json_integer_value(json_object_get(record, "rate"));

	s->n_trials++;
	s->seconds += seconds;
	s->sent = json_integer_value(json_object_get(record, "sent"));
	s->valid = json_integer_value(json_object_get(record, "valid"));
	bench_table_add(s->trials, bench_measure_row(s->job, record));
	(void)json_array_append_new(s->records, json_deep_copy(record));
	bench_progress_count(&s->progress, s->repetition, seconds);
	if (measured_now)
		bench_progress_end(&s->progress, s->repetition, s->bisect, rate, outcome);
}

/* Do a whole search. False: it ended early, and the run says why. */
static bool
search(struct search *s, unsigned repetition, struct bench_bisect *b)
{
	s->repetition = repetition;
	s->bisect = b;
	s->n_trials = 0;
	s->seconds = 0;
	if (bench_series_search(&s->series, repetition, b))
		return true;
	if (s->series.error[0] != '\0')
		bench_run_fail(s->job->run, "%s", s->series.error);
	return false;
}

/* --- The self-test ---------------------------------------------------------------------------- */

static void
take_self_test(struct search *s, uint32_t passed, enum bench_limit limit)
{
	uint32_t cap = bench_selftest_cap(passed, s->job->settings->delta);

	bench_run_find(s->job->run, limit == BENCH_LIMIT_HIGH ? "self-test, at least" : "self-test",
	    json_integer(passed), "1/s");
	bench_run_find(s->job->run, "measurable", json_integer(cap), "1/s");
	(void)fprintf(stderr,
	    "self-test: passes up to %s%" PRIu32 "/s, so rates up to %" PRIu32
	    "/s can be measured\n",
	    limit == BENCH_LIMIT_HIGH ? "at least " : "", passed, cap);
	if (cap >= s->high)
		return;
	(void)fprintf(
	    stderr, "dns64bench: the search ends there instead of at %" PRIu32 "/s\n", s->high);
	s->capped = true;
	s->high = cap;
}

/* The self-test comes first, since a tester that is too slow would only measure itself. */
static bool
self_test(struct search *s)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_bisect b;
	enum bench_limit limit;

	if (o->upstream.family == NETADDR_NONE)
		return true;
	bench_bisect_init(&b, bench_selftest_rate(o->low, o->delta),
	    bench_selftest_rate(o->high, o->delta), o->resolution, BENCH_BEGIN_HIGH);
	s->tester = bench_selftest_plan(o);
	s->series.measure = measure_tester;
	s->series.again = true; /* there is no cache between the tester and the zone */
	if (!search(s, 0, &b))
		return false;
	uint32_t passed = bench_bisect_result(&b, &limit);
	if (passed > 0)
		take_self_test(s, passed, limit);
	else
		bench_run_fail(s->job->run,
		    "self-test: asking --upstream itself at %" PRIu32 "/s, %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid within"
		    " 1/%d of the timeout%s: --low %" PRIu32 " cannot be measured",
		    b.low, s->valid, s->sent, BENCH_SELFTEST_TIMEOUT_PART,
		    s->valid == s->sent ? ", but the pace was not kept" : "", o->low);
	return passed > 0;
}

/* --- Repetitions ------------------------------------------------------------------------------ */

static void
add_result(struct search *s, const struct bench_bisect *b, uint32_t rate, enum bench_limit limit)
{
	bool by_self_test = limit == BENCH_LIMIT_HIGH && s->capped;

	s->rates[s->n_rates++] = rate;
	s->limited[limit]++;
	s->progress.in_search = s->n_trials;
	bench_table_add(s->results,
	    json_pack("[i,I,o,s,i,f]", (int)s->repetition, (json_int_t)rate,
		b->passed_high ? json_null() : json_integer(b->high),
		by_self_test ? "self-test" : limits[limit], (int)s->n_trials, s->seconds));
}

/* If the first search has no result, more searches are of no use. */
static bool
is_hopeless(const struct search *s, enum bench_limit limit)
{
	uint32_t low = s->job->settings->low;

	if (s->n_rates > 0)
		return false;
	if (limit == BENCH_LIMIT_TESTER)
		bench_run_fail(
		    s->job->run, "the tester is the limit at --low %" PRIu32 " already", low);
	else
		bench_run_fail(s->job->run,
		    "the server fails at --low %" PRIu32 " already: %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid and in time",
		    low, s->valid, s->sent);
	return true;
}

/* Do one repetition, which uses no results of the others. */
static bool
repeat(struct search *s, unsigned repetition)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_bisect b;
	enum bench_limit limit;

	bench_bisect_init(&b, o->low, s->high, o->resolution,
	    repetition == 1 ? BENCH_BEGIN_LOW : BENCH_BEGIN_BETWEEN);
	if (!search(s, repetition, &b))
		return false;
	uint32_t rate = bench_bisect_result(&b, &limit);
	if (rate == 0 && is_hopeless(s, limit))
		return false;
	add_result(s, &b, rate, limit);
	return true;
}

static void
repeat_all(struct search *s)
{
	const struct bench_settings *o = s->job->settings;

	s->series.measure = measure_server;
	s->series.again = o->restart != NULL;
	for (unsigned i = 1; i <= o->repetitions && repeat(s, i); i++)
		;
}

/* --- Results ---------------------------------------------------------------------------------- */

static void
find_rate(const struct search *s, const char *name, double rate)
{
	bench_run_find(s->job->run, name, json_real(rate), "1/s");
}

static void
find_summary(struct search *s)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_summary sum = bench_stats_summary(s->rates, s->n_rates);
	double timeout = (double)o->plan.timeout_ns / (double)NS_PER_SEC;

	bench_run_find(s->job->run, "searches", json_integer(s->n_rates), "");
	find_rate(s, "median", sum.median);
	find_rate(s, "p1", sum.p1);
	find_rate(s, "p99", sum.p99);
	find_rate(s, "min", sum.min);
	find_rate(s, "max", sum.max);
	find_rate(s, "mean", sum.mean);
	/*
	 * Answers may come up to the timeout after the last question: the median takes no more than
	 * that of a server, which short trials flatter (paper, section 4.4, formula 1).
	 */
	find_rate(s, "calculated rate", sum.median * o->duration / (o->duration + timeout));
}

/* Say so if a result is not the server's limit. */
static void
judge(const struct search *s)
{
	struct bench_run *r = s->job->run;

	if (s->limited[BENCH_LIMIT_HIGH] > 0 && !s->capped)
		bench_run_find(r, "at least",
		    json_sprintf("--high passed in %u of %u searches", s->limited[BENCH_LIMIT_HIGH],
			s->n_rates),
		    "");
	else if (s->limited[BENCH_LIMIT_HIGH] > 0)
		bench_run_fail(r,
		    "the tester is the limit: the highest rate that the self-test allows,"
		    " %" PRIu32 ", passed in %u of %u searches",
		    s->high, s->limited[BENCH_LIMIT_HIGH], s->n_rates);
	if (s->limited[BENCH_LIMIT_TESTER] > 0)
		bench_run_fail(r,
		    "the tester is the limit in %u of %u searches: above their rate it"
		    " did not keep its pace, or lost replies",
		    s->limited[BENCH_LIMIT_TESTER], s->n_rates);
	if (s->limited[BENCH_LIMIT_LOW] > 0)
		bench_run_fail(r, "--low failed in %u of %u searches, which count as 0",
		    s->limited[BENCH_LIMIT_LOW], s->n_rates);
}

/* --- Settings --------------------------------------------------------------------------------- */

static void
put_self_test(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	char upstream[NETADDR_TEXT];

	if (o->upstream.family == NETADDR_NONE) {
		bench_run_set(job->run, "self_test", json_string("none"));
		return;
	}
	bench_run_set(job->run, "self_test",
	    json_sprintf("%s questions to %s, %g times as many, within %g ms",
		bench_selftest_asks_aaaa(o) ? "AAAA" : "A", netaddr_format(&o->upstream, upstream),
		2 * (1 + o->delta),
		(double)o->plan.timeout_ns / BENCH_SELFTEST_TIMEOUT_PART / (double)NS_PER_MS));
}

static void
put_settings(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	struct bench_run *r = job->run;

	bench_method_settings(job);
	bench_run_set(r, "low", json_integer(o->low));
	bench_run_set(r, "high", json_integer(o->high));
	bench_run_set(r, "resolution_percent", json_real(o->resolution));
	bench_run_set(r, "duration_s", json_real(o->duration));
	bench_run_set(r, "repetitions", json_integer(o->repetitions));
	bench_run_set(r, "burst", json_integer(o->plan.burst));
	bench_run_set(r, "sources", json_integer((json_int_t)o->plan.n_lanes * o->plan.n_threads));
	bench_run_set(r, "restart", json_string(o->restart != NULL ? o->restart : "none"));
	put_self_test(job);
}

static void
begin_tables(struct search *s)
{
	static const struct bench_column results[] = {
		{ "repetition", "repetition", "", 0 }, { "rate_passed", "highest rate", "1/s", 0 },
		{ "rate_failed", "failed at", "1/s", 0 }, { "limit", "limit", "", 0 },
		{ "trials", "trials", "", 0 },
		{ "seconds", "time (s)", "", 1 }, /* without unit: it is not drawn */
	};

	s->results = bench_run_table(s->job->run, "searches", "Highest rate without a fault",
	    results, sizeof(results) / sizeof(results[0]));
	bench_table_live(s->results, s->job->out);
	s->trials = bench_measure_table(s->job);
}

/* Open the state file with the trials that were measured before. */
static bool
open_state(struct search *s)
{
	const char *path = s->job->settings->state;
	char error[BENCH_JOURNAL_ERROR];

	if (path == NULL)
		return true;
	json_t *identity = bench_settings_identity(s->job->settings);
	s->series.journal = bench_journal_open(path, identity, error);
	json_decref(identity);
	if (s->series.journal == NULL)
		bench_run_fail(s->job->run, "%s", error);
	else if (bench_journal_count(s->series.journal) > 0)
		(void)fprintf(stderr, "dns64bench: going on with what %s has\n", path);
	return s->series.journal != NULL;
}

void
bench_search(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	struct search s = { .job = job,
		.high = o->high,
		.series = { .duration = o->duration, .told = told },
		.progress = { .out = stderr,
		    .terminal = isatty(STDERR_FILENO) != 0,
		    .repetitions = o->repetitions,
		    .usual_s = o->duration } };
	struct bench_bisect whole;
	uint64_t sum;

	bench_bisect_init(&whole, o->low, o->high, o->resolution, BENCH_BEGIN_BETWEEN);
	s.progress.in_search = bench_bisect_most(&whole, &sum);
	s.series.ctx = &s;
	s.rates = calloc(o->repetitions, sizeof(*s.rates));
	s.records = json_array();
	if (s.rates == NULL || s.records == NULL) {
		bench_run_fail(job->run, "out of memory");
		json_decref(s.records);
		free(s.rates);
		return;
	}
	put_settings(job);
	begin_tables(&s);
	if (open_state(&s) && self_test(&s))
		repeat_all(&s);
	if (s.n_rates > 0) {
		find_summary(&s);
		judge(&s);
	}
	bench_measure_curve(job, s.records);
	bench_journal_close(s.series.journal);
	json_decref(s.records);
	free(s.rates);
}
