/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_search: the highest rate without a fault, by the procedure of RFC 8219 section 9. */
#include "bench/method.h"

#include <inttypes.h>
#include <stdio.h>

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

static void
find_summary(const struct bench_job *job, const struct bench_found *f)
{
	const struct bench_settings *o = job->settings;
	struct bench_summary sum = bench_stats_summary(f->rates, f->n);
	double timeout = (double)o->plan.timeout_ns / (double)NS_PER_SEC;

	bench_run_find(job->run, "searches", json_integer(f->n), "");
	find_rate(job, "median", sum.median);
	find_rate(job, "p1", sum.p1);
	find_rate(job, "p99", sum.p99);
	find_rate(job, "min", sum.min);
	find_rate(job, "max", sum.max);
	find_rate(job, "mean", sum.mean);
	/*
	 * Answers may come up to the timeout after the last question: the median takes no more than
	 * that of a server, which short trials flatter (paper, section 4.4, formula 1).
	 */
	find_rate(job, "calculated rate", sum.median * o->duration / (o->duration + timeout));
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
	if (f->limited[BENCH_LIMIT_TESTER] > 0)
		bench_run_fail(r,
		    "the tester is the limit in %u of %u searches: above their rate it"
		    " did not keep its pace, or lost replies",
		    f->limited[BENCH_LIMIT_TESTER], f->n);
	if (f->limited[BENCH_LIMIT_LOW] > 0)
		bench_run_fail(r, "--low failed in %u of %u searches, which count as 0",
		    f->limited[BENCH_LIMIT_LOW], f->n);
}

/* If the first search has no result, more searches are of no use. */
static void
judge_nothing(const struct bench_cells *c, const struct bench_found *f)
{
	uint32_t low = c->job.settings->low;

	if (f->nothing == BENCH_LIMIT_TESTER)
		bench_run_fail(
		    c->job.run, "the tester is the limit at --low %" PRIu32 " already", low);
	else
		bench_run_fail(c->job.run,
		    "the server fails at --low %" PRIu32 " already: %" JSON_INTEGER_FORMAT
		    " of %" JSON_INTEGER_FORMAT " answers were valid and in time",
		    low, c->valid, c->sent);
}

/* --- The method ------------------------------------------------------------------------------- */

static void
put_self_test(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;

	bench_run_set(job->run, "self_test",
	    o->upstream.family == NETADDR_NONE
		? json_string("none")
		: json_sprintf("%s questions one by one, %g times as many, within %g ms",
		      bench_selftest_asks_aaaa(o) ? "AAAA" : "A", 2 * (1 + o->delta),
		      (double)o->plan.timeout_ns / BENCH_SELFTEST_TIMEOUT_PART /
			  (double)NS_PER_MS));
}

void
bench_search(const struct bench_job *job)
{
	const struct bench_cell whole = { .settings = job->settings };
	struct bench_found found = { 0 };
	struct bench_cells c;

	bench_method_settings(job);
	put_self_test(job);
	if (bench_cells_begin(&c, job, &whole, 1, NULL, 0))
		bench_cells_search(&c, &whole, &found);
	if (found.n > 0) {
		find_summary(job, &found);
		judge(&c, &found);
	} else if (found.ended) {
		judge_nothing(&c, &found);
	}
	bench_measure_curve(job, c.records);
	bench_found_drop(&found);
	bench_cells_end(&c);
}
