/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_search: the highest rate without a fault, by the procedure of RFC 8219 section 9: of one
 * cell, or of each share of hits by each share of names with AAAA (matrix: section 9.2, tables 6
 * and 7 of the paper).
 */
#include "bench/method.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/settings.h"
#include "bench/stats.h"
#include "bench/trials.h"

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
		   bench_bisect_names(&b, searches, s->duration, s->restart != NULL)) +
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

/* --- Cells ------------------------------------------------------------------------------------ */

/* What a run compares: a matrix has several cells, a search one, which is all there is. */
struct cell {
	const struct bench_settings *settings; /* of its trials */
	json_t *shares; /* owned: what it is, as {"hits": 20, "aaaa": 40}; NULL: all there is */
	bool new_names; /* it has other names than the cells before, and begins with the first */
};

static const struct bench_column cell_columns[] = {
	{ "hits", "hits (%)", "", 0 },
	{ "aaaa", "AAAA (%)", "", 0 },
};

#define N_CELL (sizeof(cell_columns) / sizeof(cell_columns[0]))
#define CELL_TEXT 64 /* bytes of what a cell is, with the zero */

/* What the searches of a cell have found. */
struct found {
	const json_t **passed;    /* owned: the trial that each result is of; NULL: it is 0 */
	double *values;           /* owned: room for as many */
	unsigned n;               /* results; 0: none, and the first search may be the last */
	unsigned spoilt;          /* searches whose end was the tester's: they are no results, */
	double spoilt_best;       /* and the highest rate that passed in one */
	bool ended;               /* all searches were done, or that one */
	enum bench_limit nothing; /* without a result: why */
	unsigned limited[BENCH_LIMITS]; /* how many results by what */
	size_t from;                    /* where the cell's records begin */
};

struct searches {
	const struct bench_job *job;
	struct bench_trials trials;
	bool matrix;                    /* of several cells */
	struct bench_table *results;    /* a row for each search */
	uint32_t high;                  /* --high, or what the tester can measure */
	bool capped;                    /* the latter */
	unsigned n_cells, done;         /* how many there are, and were searched */
	unsigned spoilt;                /* searches of all cells, as in struct found */
	unsigned in_search;             /* trials of a whole search, roughly */
	unsigned limited[BENCH_LIMITS]; /* how many cells, in one search at least, by what */
};

/*
 * Names with another share of AAAA are in another zone, "aaaa-40" of the one given: so the upstream
 * has all shares at once, and nothing that the server knows of one share is wrong in another.
 */
static void
set_aaaa(struct fake_zone *z, const struct fake_zone *given, unsigned percent)
{
	char label[16];
	size_t len = (size_t)snprintf(label, sizeof(label), "aaaa-%u", percent);

	*z = *given;
	memcpy(z->name + 1 + len, given->name, given->len);
	z->name[0] = (uint8_t)len;
	memcpy(z->name + 1, label, len);
	z->len += 1 + len;
	z->aaaa_percent = percent;
}

/* Cell I of the run, whose settings are in *own if they differ from those of the run. */
static struct cell
cell_of(const struct searches *s, unsigned i, struct bench_settings *own)
{
	const struct bench_settings *whole = s->job->settings;
	struct cell c = { .settings = whole };

	if (!s->matrix)
		return c;
	unsigned aaaa = whole->aaaa.percent[i / whole->hits.n];
	*own = *whole;
	own->hits_percent = whole->hits.percent[i % whole->hits.n];
	set_aaaa(&own->plan.load.zone, &whole->plan.load.zone, aaaa);
	(void)!bench_load_mix(&own->plan.load, BENCH_HIT, own->hits_percent); /* all are new */
	own->plan.load.hits = true; /* always: the others' hot names are not new */
	c.settings = own;
	c.shares = json_pack("{si,si}", "hits", (int)own->hits_percent, "aaaa", (int)aaaa);
	c.new_names = i % whole->hits.n == 0;
	return c;
}

/* --- Searches --------------------------------------------------------------------------------- */

static const char *
limit_word(const struct searches *s, enum bench_limit limit)
{
	static const char *const limits[BENCH_LIMITS] = {
		[BENCH_LIMIT_SERVER] = "server",
		[BENCH_LIMIT_HIGH] = "high",
		[BENCH_LIMIT_TESTER] = "tester",
		[BENCH_LIMIT_LOW] = "low",
	};

	return limit == BENCH_LIMIT_HIGH && s->capped ? "self-test" : limits[limit];
}

static json_int_t
rate_of(const json_t *record)
{
	return bench_record_integer(record, "rate");
}

/* Do a whole search of C. False: it ended early, and the run says why. */
static bool
search(struct searches *s, const struct cell *c, unsigned repetition, struct bench_bisect *b)
{
	unsigned all = s->n_cells * c->settings->repetitions;
	unsigned here = s->done * c->settings->repetitions + repetition; /* from 1 on */
	struct bench_trials *t = &s->trials;
	int n = 0;

	t->rest = (all > here ? all - here : 0) * s->in_search;
	if (s->n_cells > 1)
		n = snprintf(t->where, sizeof(t->where), "cell %u/%u, ", s->done + 1, s->n_cells);
	(void)snprintf(t->where + n, sizeof(t->where) - (size_t)n, "repetition %u/%u", repetition,
	    c->settings->repetitions);
	if (repetition == 0)
		(void)snprintf(t->where, sizeof(t->where), "self-test");
	return bench_trials_search(t, c->shares, repetition, b);
}

static void
add_row(const struct searches *s, const struct cell *c, unsigned repetition,
    const struct bench_bisect *b)
{
	enum bench_limit limit;
	uint32_t rate = bench_bisect_result(b, &limit);
	json_t *row = json_array();

	for (size_t i = 0; s->matrix && i < N_CELL; i++)
		(void)json_array_append(row, json_object_get(c->shares, cell_columns[i].name));
	json_t *result = json_pack("[i,I,o,s,i,f]", (int)repetition, (json_int_t)rate,
	    b->passed_high ? json_null() : json_integer(b->high), limit_word(s, limit),
	    (int)s->trials.n, s->trials.seconds);
	(void)json_array_extend(row, result);
	json_decref(result);
	bench_table_add(s->results, row);
}

/* Do one repetition, which uses no results of the others. False: there are no more. */
static bool
repeat(struct searches *s, const struct cell *c, struct found *f, unsigned repetition)
{
	struct bench_bisect b;
	enum bench_limit limit;

	bench_bisect_init(&b, c->settings->low, s->high, c->settings->resolution,
	    repetition == 1 ? BENCH_BEGIN_LOW : BENCH_BEGIN_BETWEEN);
	if (!search(s, c, repetition, &b))
		return false;
	uint32_t rate = bench_bisect_result(&b, &limit);
	f->nothing = limit;
	f->ended = repetition == c->settings->repetitions;
	if (rate == 0 && f->n == 0 && f->spoilt == 0) {
		f->ended = true;
		return false;
	}
	add_row(s, c, repetition, &b);
	s->in_search = s->trials.n;
	if (limit == BENCH_LIMIT_TESTER) {
		f->spoilt++;
		f->spoilt_best = fmax(f->spoilt_best, rate);
		return true;
	}
	f->passed[f->n++] = s->trials.passed;
	f->limited[limit]++;
	return true;
}

/* Do all searches of C, and set *f; if they end early it has those before. drop() in any case. */
static void
search_cell(struct searches *s, const struct cell *c, struct found *f)
{
	unsigned repetitions = c->settings->repetitions;

	*f = (struct found){ .passed = calloc(repetitions, sizeof(*f->passed)),
		.values = calloc(repetitions, sizeof(*f->values)),
		.from = json_array_size(s->trials.records) };
	if (f->passed == NULL || f->values == NULL) {
		bench_run_fail(s->job->run, "out of memory");
		return;
	}
	if (c->new_names)
		s->trials.next = 0;
	s->trials.job.settings = c->settings;
	for (unsigned i = 1; i <= repetitions && repeat(s, c, f, i); i++)
		;
	s->trials.job.settings = s->job->settings; /* those of the cell may be gone after this */
	s->spoilt += f->spoilt;
	if (!f->ended)
		return;
	/* One result that is not the server's makes the figures of the cell wrong. */
	for (unsigned i = 0; i < BENCH_LIMITS; i++)
		s->limited[i] += f->n > 0 ? f->limited[i] > 0 : f->nothing == i;
	s->done++;
}

static void
drop(struct found *f)
{
	free((void *)f->passed);
	free(f->values);
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
take_self_test(struct searches *s, uint32_t passed, enum bench_limit limit)
{
	uint32_t cap = bench_selftest_cap(passed, s->job->settings->delta);
	bool high = limit == BENCH_LIMIT_HIGH;

	bench_run_find(
	    s->job->run, high ? "self-test, at least" : "self-test", json_integer(passed), "1/s");
	bench_run_find(s->job->run, "measurable", json_integer(cap), "1/s");
	(void)fprintf(stderr,
	    "self-test: passes up to %s%" PRIu32 "/s, so rates up to %" PRIu32
	    "/s can be measured\n",
	    high ? "at least " : "", passed, cap);
	if (cap >= s->high)
		return;
	(void)fprintf(
	    stderr, "dns64bench: the search ends there instead of at %" PRIu32 "/s\n", s->high);
	s->capped = true;
	s->high = cap;
}

static void
fail_self_test(const struct searches *s, uint32_t low)
{
	const json_t *last = s->trials.last;
	json_int_t valid = bench_record_integer(last, "valid");
	json_int_t sent = bench_record_integer(last, "sent");

	bench_run_fail(s->job->run,
	    "self-test: asking --upstream itself at %" PRIu32 "/s, %" JSON_INTEGER_FORMAT
	    " of %" JSON_INTEGER_FORMAT " answers were valid within"
	    " 1/%d of the timeout%s: --low %" PRIu32 " cannot be measured",
	    low, valid, sent, BENCH_SELFTEST_TIMEOUT_PART,
	    valid == sent ? ", but the pace was not kept" : "", s->job->settings->low);
}

/* The self-test, with the first cell C: a tester that is too slow would only measure itself. */
static bool
self_test(struct searches *s, const struct cell *c)
{
	const struct bench_settings *o = c->settings;
	const struct cell all = { .settings = o }; /* its trials are of no cell */
	struct bench_plan tester = bench_selftest_plan(o);
	struct bench_bisect b;
	enum bench_limit limit;

	if (o->upstream.family == NETADDR_NONE)
		return true;
	bench_bisect_init(&b, bench_selftest_rate(o->low, o->delta),
	    bench_selftest_rate(o->high, o->delta), o->resolution, BENCH_BEGIN_HIGH);
	s->trials.job.settings = o;
	s->trials.tester = &tester;
	s->trials.reuse_names = true; /* there is no cache between the tester and the zone */
	bool good = search(s, &all, 0, &b);
	s->trials.job.settings = s->job->settings;
	s->trials.tester = NULL;
	s->trials.reuse_names = o->restart != NULL;
	if (!good)
		return false;
	uint32_t passed = bench_bisect_result(&b, &limit);
	if (passed > 0)
		take_self_test(s, passed, limit);
	else
		fail_self_test(s, b.low);
	return passed > 0;
}

/* --- What was found --------------------------------------------------------------------------- */

/* What RFC 8219 section 9.2 wants at least; of less its percentiles would look as if it were that.
 */
#define RFC_REPETITIONS 20
#define RFC_DURATION 60.0 /* s, of a trial */

static bool
is_rfc(const struct bench_settings *s, size_t repetitions)
{
	return repetitions >= RFC_REPETITIONS && s->duration >= RFC_DURATION;
}

/* The summary of the rates that F found; n 0: none. */
static struct bench_summary
rates_of(const struct found *f)
{
	for (unsigned i = 0; i < f->n; i++)
		f->values[i] = (double)rate_of(f->passed[i]);
	return f->n > 0 ? bench_stats_summary(f->values, f->n) : (struct bench_summary){ 0 };
}

/* The same of KEY, or of column K of the server, in the trials that found them. */
static struct bench_summary
beside(const struct found *f, const char *key, size_t k)
{
	size_t n = 0;

	for (unsigned i = 0; i < f->n; i++) {
		double v = bench_record_number(f->passed[i], key, k);

		if (!isnan(v))
			f->values[n++] = v;
	}
	return n > 0 ? bench_stats_summary(f->values, n) : (struct bench_summary){ 0 };
}

/* "hits 20, aaaa 40: ", or nothing if there is one cell only. */
static const char *
cell_text(const struct cell *c, char text[static CELL_TEXT])
{
	text[0] = '\0';
	if (c->shares != NULL)
		(void)snprintf(text, CELL_TEXT,
		    "hits %" JSON_INTEGER_FORMAT ", aaaa %" JSON_INTEGER_FORMAT ": ",
		    bench_record_integer(c->shares, "hits"),
		    bench_record_integer(c->shares, "aaaa"));
	return text;
}

/*
 * Tell if a trial of C failed at a lower rate than another one passed: then its rate is no limit,
 * or something disturbed the trial.
 */
static void
find_inversion(const struct searches *s, const struct cell *c, const struct found *f)
{
	const json_t *all = s->trials.records, *passed = NULL, *failed = NULL;
	json_int_t most = 0, least = INT64_MAX; /* rates of these */
	char text[CELL_TEXT];
	unsigned n = 0;

	for (size_t i = f->from; i < json_array_size(all); i++) {
		const json_t *record = json_array_get(all, i);

		if (!bench_record_is(record, BENCH_PASSED) || rate_of(record) <= most)
			continue;
		passed = record;
		most = rate_of(record);
	}
	for (size_t i = f->from; i < json_array_size(all); i++) {
		const json_t *record = json_array_get(all, i);

		if (!bench_record_is(record, BENCH_FAILED) || rate_of(record) >= most)
			continue;
		n++;
		failed = rate_of(record) < least ? record : failed;
		least = rate_of(failed);
	}
	if (failed == NULL)
		return;
	bench_run_find(s->job->run, "failed below a rate that passed",
	    json_sprintf("%s%" JSON_INTEGER_FORMAT "/s in repetition %" JSON_INTEGER_FORMAT
			 ", while %" JSON_INTEGER_FORMAT
			 "/s passed in repetition %" JSON_INTEGER_FORMAT " (%u %s in all)",
		cell_text(c, text), least, bench_record_integer(failed, "repetition"), most,
		bench_record_integer(passed, "repetition"), n, n == 1 ? "trial" : "trials"),
	    "");
}

/* Say so if results, as LIMITED has them of N THINGS, are not the server's limit. */
static void
judge(const struct searches *s, const unsigned limited[static BENCH_LIMITS], unsigned n,
    const char *things)
{
	struct bench_run *r = s->job->run;

	if (limited[BENCH_LIMIT_HIGH] > 0 && !s->capped)
		bench_run_find(r, "at least",
		    json_sprintf(
			"--high passed in %u of %u %s", limited[BENCH_LIMIT_HIGH], n, things),
		    "");
	else if (limited[BENCH_LIMIT_HIGH] > 0)
		bench_run_fail(r,
		    "the tester is the limit: the highest rate that the self-test allows,"
		    " %" PRIu32 ", passed in %u of %u %s",
		    s->high, limited[BENCH_LIMIT_HIGH], n, things);
	if (limited[BENCH_LIMIT_TESTER] > 0)
		bench_run_fail(r,
		    "the tester is the limit in %u of %u %s: it did not keep its pace, or"
		    " lost replies",
		    limited[BENCH_LIMIT_TESTER], n, things);
	if (limited[BENCH_LIMIT_LOW] > 0)
		bench_run_fail(r, "--low failed in %u of %u %s%s", limited[BENCH_LIMIT_LOW], n,
		    things, s->matrix ? "" : ", which count as 0");
}

static void
find_spoilt(const struct searches *s, unsigned searches)
{
	if (s->spoilt > 0)
		bench_run_find(s->job->run, "searches spoilt by the tester",
		    json_sprintf("%u of %u, which do not count", s->spoilt, searches), "");
}

/* --- One cell --------------------------------------------------------------------------------- */

/* The statistics of the papers. */
static void
find_summary(const struct searches *s, const struct found *f)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_summary sum = rates_of(f);
	double timeout = (double)o->plan.timeout_ns / (double)NS_PER_SEC;
	bool rfc = is_rfc(o, sum.n);
	const struct {
		const char *name;
		double rate;
		bool is;
	} rates[] = {
		{ "median", sum.median, true },
		{ "p1", sum.p1, rfc },
		{ "p99", sum.p99, rfc },
		{ "min", sum.min, true },
		{ "max", sum.max, true },
		{ "mean", sum.mean, true },
		{ "deviation", sum.deviation, sum.n > 1 },
		{ "MAD", sum.mad, sum.n > 1 },
		{ "margin 99.9 %", sum.margin, sum.n > 1 },
		/*
		 * Answers may come up to the timeout after the last question: the median takes no
		 * more than that of a server, which short trials flatter (paper, section 4.4,
		 * formula 1).
		 */
		{ "calculated rate", sum.median * o->duration / (o->duration + timeout),
		    o->calculated },
	};

	bench_run_find(s->job->run, "searches", json_integer(f->n), "");
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		if (rates[i].is)
			bench_run_find(s->job->run, rates[i].name, json_real(rates[i].rate), "1/s");
	}
	if (!rfc)
		bench_run_find(s->job->run, "repetitions",
		    json_sprintf("%zu %s of %g s, not RFC 8219 (%d of %g s)", sum.n,
			sum.n == 1 ? "trial" : "trials", o->duration, RFC_REPETITIONS,
			RFC_DURATION),
		    "");
}

/* What was measured besides in the trials that found the rates: their mean and deviation. */
static void
find_beside(const struct searches *s, const struct found *f)
{
	static const struct {
		const char *key; /* of the record; NULL: the server's */
		size_t k;
		const char *name, *unit;
	} figures[] = {
		{ "rtt_p50", 0, "rtt median", "us" },
		{ "rtt_p99", 0, "rtt p99", "us" },
		{ NULL, 0, "server CPU", "%" },
		{ NULL, 1, "server CPU per answer", "us" },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		struct bench_summary sum = beside(f, figures[i].key, figures[i].k);

		if (sum.n > 0)
			bench_run_find(
			    s->job->run, figures[i].name, json_real(sum.mean), figures[i].unit);
		(void)snprintf(name, sizeof(name), "%s deviation", figures[i].name);
		if (sum.n > 1)
			bench_run_find(
			    s->job->run, name, json_real(sum.deviation), figures[i].unit);
	}
}

/* If the first search has no result, more searches are of no use; or the tester ended them all. */
static void
judge_nothing(const struct searches *s, const struct found *f)
{
	const json_t *last = s->trials.last;
	uint32_t low = s->job->settings->low;
	struct bench_run *r = s->job->run;

	if (f->spoilt_best > 0) {
		bench_run_find(r, "at least",
		    json_sprintf("%.0f/s passed, and the tester can do no more", f->spoilt_best),
		    "");
		bench_run_fail(r,
		    "the tester is the limit in all %u searches: above %.0f it did not keep its "
		    "pace, or lost replies",
		    f->spoilt, f->spoilt_best);
		return;
	}
	if (f->nothing == BENCH_LIMIT_TESTER)
		bench_run_fail(r, "the tester is the limit at --low %" PRIu32 " already", low);
	else
		bench_run_fail(r,
		    "the server fails at --low %" PRIu32 " already: %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid and in time",
		    low, bench_record_integer(last, "valid"), bench_record_integer(last, "sent"));
	bench_method_hint(s->job);
}

static void
conclude_one(const struct searches *s, const struct cell *c, const struct found *f)
{
	if (f->n > 0) {
		find_summary(s, f);
		find_inversion(s, c, f);
		find_beside(s, f);
		judge(s, f->limited, f->n, "searches");
		find_spoilt(s, f->n + f->spoilt);
	} else if (f->ended) {
		judge_nothing(s, f);
	}
	bench_trials_late(&s->trials);
}

/* --- A matrix --------------------------------------------------------------------------------- */

static void
conclude_cells(const struct searches *s)
{
	const struct bench_settings *o = s->job->settings;

	bench_trials_late(&s->trials);
	if (!is_rfc(o, o->repetitions))
		bench_run_find(s->job->run, "repetitions",
		    json_sprintf("%u, of trials of %g s, not RFC 8219 (%d, of %g s): min and max"
				 " instead of percentiles",
			o->repetitions, o->duration, RFC_REPETITIONS, RFC_DURATION),
		    "");
	judge(s, s->limited, s->done, "cells");
	find_spoilt(s, s->done * o->repetitions);
}

/* --- The methods ------------------------------------------------------------------------------ */

/* With several cells it is these that are compared, not searches: columns without units. */
static void
begin_results(struct searches *s)
{
	bool one = !s->matrix;
	const struct bench_column columns[] = {
		{ "repetition", "repetition", "", 0 },
		{ "rate_passed", "highest rate", one ? "1/s" : "", 0 },
		{ "rate_failed", "failed at", "", 0 }, /* without unit: it is not drawn */
		{ "limit", "limit", "", 0 }, { "trials", "trials", "", 0 },
		{ "seconds", "time (s)", "", 1 }, /* nor this */
	};

	s->results = bench_run_table(s->job->run, "searches", "Highest rate without a fault (1/s)",
	    cell_columns, one ? 0 : N_CELL);
	bench_table_columns(s->results, columns, sizeof(columns) / sizeof(columns[0]));
	bench_table_live(s->results, s->job->out);
}

/* Begin the tables, the trials and the self-test. False: nothing can be measured. */
static bool
begin(struct searches *s)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_settings own;
	struct bench_bisect whole;
	uint64_t sum;

	bench_bisect_init(&whole, o->low, o->high, o->resolution, BENCH_BEGIN_BETWEEN);
	s->in_search = bench_bisect_most(&whole, &sum);
	struct cell first = cell_of(s, 0, &own);
	put_self_test(s->job, first.settings);
	begin_results(s);
	bool good = bench_trials_begin(&s->trials, s->job, cell_columns, s->matrix ? N_CELL : 0) &&
	    self_test(s, &first);
	json_decref(first.shares);
	return good;
}

/* Search in cell I. False: the run ends. */
static bool
search_one(struct searches *s, unsigned i)
{
	struct bench_settings own;
	struct cell c = cell_of(s, i, &own);
	struct found f;

	search_cell(s, &c, &f);
	if (s->matrix)
		find_inversion(s, &c, &f);
	else
		conclude_one(s, &c, &f);
	bool ended = f.ended;
	drop(&f);
	json_decref(c.shares);
	return ended;
}

void
bench_search(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	bool matrix = o->method == BENCH_MATRIX;
	struct searches s = { .job = job,
		.matrix = matrix,
		.high = o->high,
		.n_cells = matrix ? (unsigned)(o->hits.n * o->aaaa.n) : 1 };

	bench_method_settings(job);
	if (begin(&s)) {
		for (unsigned i = 0; i < s.n_cells && search_one(&s, i); i++)
			;
		if (matrix)
			conclude_cells(&s);
	}
	bench_trials_end(&s.trials);
}
