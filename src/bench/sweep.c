/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/measure.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/series.h"
#include "bench/stats.h"
#include "bench/watch.h"

/* --- Rates ------------------------------------------------------------------------------------ */

#define STREAM 0x9e3779b97f4a7c15 /* odd: repetitions of one seed have sequences of their own */

void
bench_sweep_order(uint32_t seed, unsigned repetition, size_t n, size_t *order)
{
	struct rng rng;

	rng_init_seeded(&rng, seed + repetition * STREAM);
	for (size_t i = 0; i < n; i++) {
		size_t k = rng_below(&rng, (uint32_t)i + 1);

		order[i] = order[k];
		order[k] = i;
	}
}

double
bench_sweep_base(const struct bench_sweep_point *points, size_t n)
{
	double lowest[BENCH_SWEEP_LOWEST];
	size_t k = 0;

	for (size_t i = 0; i < n && k < BENCH_SWEEP_LOWEST; i++) {
		if (!isnan(points[i].rtt_us))
			lowest[k++] = points[i].rtt_us;
	}
	return k > 0 ? bench_stats_summary(lowest, k).median : (double)NAN;
}

size_t
bench_sweep_knee(const struct bench_sweep_point *points, size_t n)
{
	size_t knee = n;

	if (n < BENCH_SWEEP_KNEE_MIN)
		return n;
	double most = BENCH_SWEEP_TIMES * bench_sweep_base(points, n);
	while (knee > 0 && (points[knee - 1].rtt_us > most || points[knee - 1].valid < 100))
		knee--;
	return knee;
}

bool
bench_sweep_fits(const struct bench_settings *s, FILE *errors)
{
	const struct bench_load *l = &s->plan.load;
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_rates; i++) {
		uint64_t one = bench_series_questions(s->rates[i], s->duration);

		/* Each trial may have to be done a second time; that all take more is not likely.
		 */
		n = s->restart != NULL ? (one > n ? one : n) : n + 2 * one * s->repetitions;
	}
	n = bench_load_names(l, n);
	if (n <= l->size)
		return true;
	(void)fprintf(errors,
	    "dns64bench: --namespace: %" PRIu64 " names, and the sweep takes up to %" PRIu64
	    ": a larger namespace%s\n",
	    l->size, n,
	    s->restart == NULL ? ", a shorter --duration, or --restart"
			       : " or a shorter --duration");
	return false;
}

/* --- The sweep -------------------------------------------------------------------------------- */

struct sweep {
	const struct bench_job *job;
	struct bench_series series;
	struct bench_progress progress;
	struct bench_table *table;  /* a row for each rate */
	struct bench_table *spread; /* a row for each figure of each rate */
	struct bench_table *trials;
	json_t *records; /* owned: of all trials */
	unsigned done;
	unsigned spoilt;            /* trials by the tester, which were repeated */
	enum bench_outcome outcome; /* of the last trial */
	/* At one rate, of the trials with a verdict; room for all of them. Owned. */
	double *values;
};

static const char *const words[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "all answers valid",
	[BENCH_FAILED] = "answers missing or wrong",
	[BENCH_NO_VERDICT] = "no verdict: the tester was too slow or lost replies",
	[BENCH_CACHED] = "no verdict: the server knew the names",
};

static unsigned
n_trials(const struct sweep *s)
{
	return (unsigned)s->job->settings->n_rates * s->job->settings->repetitions;
}

static json_t *
measure(void *ctx, struct bench_probe *p, enum bench_outcome *outcome)
{
	struct sweep *s = ctx;
	bench_measure_trial *trial =
	    s->job->measure != NULL ? s->job->measure : bench_measure_server;

	bench_progress_begin(&s->progress, bench_progress_left(&s->progress, n_trials(s) - s->done),
	    "trial %u/%u: %" PRIu32 "/s", s->done + 1, n_trials(s), p->rate);
	json_t *figures = trial(s->job, p, outcome);
	bench_progress_end(&s->progress);
	return figures;
}

static void
told(void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now)
{
	struct sweep *s = ctx;

	s->outcome = outcome;
	bench_table_add(s->trials, bench_measure_row(s->job, NULL, 0, record));
	(void)json_array_append_new(s->records, json_deep_copy(record));
	bench_progress_count(&s->progress, json_number_value(json_object_get(record, "seconds")));
	if (measured_now)
		bench_progress_tell(&s->progress,
		    bench_progress_left(&s->progress, n_trials(s) - s->done - 1),
		    "trial %u/%u: %" JSON_INTEGER_FORMAT "/s, %s", s->done + 1, n_trials(s),
		    json_integer_value(json_object_get(record, "rate")), words[outcome]);
}

/* A trial without a verdict is repeated. */
static bool
try_rate(struct sweep *s, unsigned repetition, uint32_t rate)
{
	struct bench_probe p = { .repetition = repetition, .rate = rate };

	for (unsigned i = 0; i <= BENCH_REPEATS; i++) {
		if (!bench_series_trial(&s->series, NULL, &p))
			return false;
		if (s->outcome != BENCH_NO_VERDICT)
			break;
		s->spoilt++;
	}
	s->done++;
	return true;
}

static bool
repeat(struct sweep *s, unsigned repetition)
{
	const struct bench_settings *o = s->job->settings;
	size_t order[BENCH_RATES_MAX];

	bench_sweep_order(o->seed, repetition, o->n_rates, order);
	for (size_t i = 0; i < o->n_rates; i++) {
		if (!try_rate(s, repetition, o->rates[order[i]]))
			return false;
	}
	return true;
}

static void
try_all(struct sweep *s)
{
	for (unsigned i = 1; i <= s->job->settings->repetitions; i++) {
		if (repeat(s, i))
			continue;
		if (s->series.error[0] != '\0')
			bench_run_fail(s->job->run, "%s", s->series.error);
		return;
	}
}

/* --- Results ---------------------------------------------------------------------------------- */

/* How a figure of a trial is got of its record; NAN: it has none. */
typedef double figure(const json_t *record, const char *key);

static double
by_key(const json_t *record, const char *key)
{
	const json_t *v = json_object_get(record, key);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static double
valid_share(const json_t *record, const char *key)
{
	double sent = by_key(record, "sent");

	return sent > 0 ? 100 * by_key(record, key) / sent : (double)NAN;
}

static double
server_cpu(const json_t *record, const char *key)
{
	(void)key;
	return bench_measure_server_value(record, 0);
}

static double
cpu_per_answer(const json_t *record, const char *key)
{
	(void)key;
	return bench_measure_server_value(record, 1);
}

/* GET's figure of each trial at RATE that has one, to s->values; returns how many. */
static size_t
gather(const struct sweep *s, uint32_t rate, figure *get, const char *key)
{
	size_t n = 0, i;
	json_t *record;

	json_array_foreach(s->records, i, record)
	{
		double v = get(record, key);

		if (json_integer_value(json_object_get(record, "rate")) == rate &&
		    bench_series_counts(record) && !isnan(v))
			s->values[n++] = v;
	}
	return n;
}

/* The figures of a trial that are of interest. */
static const struct {
	const char *name, *title, *unit;
	unsigned decimals;
	figure *get;
	const char *key;
	bool bars; /* its ends are in the table that is drawn */
} figures[] = {
	{ "valid", "valid answers", "%", 3, valid_share, "valid", false },
	{ "rtt_p50", "RTT p50", "us", 1, by_key, "rtt_p50", true },
	{ "rtt_p99", "RTT p99", "us", 1, by_key, "rtt_p99", true },
	{ "rtt_p999", "RTT p99.9", "us", 1, by_key, "rtt_p999", true },
	{ "server_cpu", "CPU", "%", 1, server_cpu, NULL, false },
	{ "server_cpu_per_answer", "CPU/answer", "us", 2, cpu_per_answer, NULL, false },
};

/* Two of them by number. */
#define FIGURE_VALID 0
#define FIGURE_P50 1

#define N_FIGURES (sizeof(figures) / sizeof(figures[0]))
#define N_SERVER 2 /* the last ones, if the server is watched */

static size_t
n_figures(const struct bench_job *job)
{
	return job->dut != NULL ? N_FIGURES : N_FIGURES - N_SERVER;
}

/* Medians, with the ends as bars, are drawn. */
static struct bench_table *
begin_table(const struct bench_job *job)
{
	struct bench_column columns[2 + 3 * N_FIGURES] = { { "rate", "rate", "1/s", 0 },
		{ "trials", "trials", "", 0 } };
	char names[N_FIGURES][3][32];
	size_t n = 2;

	for (size_t i = 0; i < n_figures(job); i++) {
		unsigned decimals = figures[i].decimals;

		(void)snprintf(names[i][0], 32, "%s_median", figures[i].name);
		(void)snprintf(names[i][1], 32, "%s_min", figures[i].name);
		(void)snprintf(names[i][2], 32, "%s_max", figures[i].name);
		columns[n++] = (struct bench_column){ names[i][0], figures[i].title,
			figures[i].unit, decimals };
		if (!figures[i].bars)
			continue;
		columns[n++] = (struct bench_column){ names[i][1], "min", "", decimals };
		columns[n++] = (struct bench_column){ names[i][2], "max", "", decimals };
	}
	return bench_run_table(
	    job->run, "sweep", "Latency by rate: medians of the trials", columns, n);
}

/* All of their spread, which is not drawn. */
static struct bench_table *
begin_spread(const struct bench_job *job)
{
	static const struct bench_column columns[] = {
		{ "rate", "rate (1/s)", "", 0 },
		{ "figure", "figure", "", 0 },
		{ "n", "trials", "", 0 },
		{ "min", "min", "", 2 },
		{ "q1", "q1", "", 2 },
		{ "median", "median", "", 2 },
		{ "q3", "q3", "", 2 },
		{ "max", "max", "", 2 },
	};

	return bench_run_table(job->run, "spread", "Spread of the trials at each rate", columns,
	    sizeof(columns) / sizeof(columns[0]));
}

/* Add figure I of the trials at RATE to ROW, and a row of its own; returns the median, or NAN. */
static double
add_figure(const struct sweep *s, json_t *row, uint32_t rate, size_t i)
{
	size_t n = gather(s, rate, figures[i].get, figures[i].key);
	struct bench_summary sum = { 0 };

	if (n > 0)
		sum = bench_stats_summary(s->values, n);
	(void)json_array_append_new(row, bench_run_real(n > 0, sum.median));
	if (figures[i].bars) {
		(void)json_array_append_new(row, bench_run_real(n > 0, sum.min));
		(void)json_array_append_new(row, bench_run_real(n > 0, sum.max));
	}
	if (n == 0)
		return (double)NAN;
	bench_table_add(s->spread,
	    json_pack("[I,s+++,i,f,f,f,f,f]", (json_int_t)rate, figures[i].title, " (",
		figures[i].unit, ")", (int)n, sum.min, bench_stats_percentile(s->values, n, 25),
		sum.median, bench_stats_percentile(s->values, n, 75), sum.max));
	return sum.median;
}

/* Add the row of RATE. False: no trial there had a verdict. */
static bool
add_rate(const struct sweep *s, uint32_t rate, struct bench_sweep_point *point)
{
	size_t n = gather(s, rate, by_key, "sent");
	json_t *row = json_pack("[I,I]", (json_int_t)rate, (json_int_t)n);
	double medians[N_FIGURES];

	for (size_t i = 0; i < n_figures(s->job); i++)
		medians[i] = add_figure(s, row, rate, i);
	bench_table_add(s->table, row);
	*point = (struct bench_sweep_point){ rate, medians[FIGURE_VALID], medians[FIGURE_P50] };
	return n > 0;
}

static void
find_knee(const struct sweep *s, const struct bench_sweep_point *points, size_t n)
{
	struct bench_run *r = s->job->run;

	if (n < BENCH_SWEEP_KNEE_MIN)
		return;
	double base = bench_sweep_base(points, n);
	size_t knee = bench_sweep_knee(points, n);
	if (!isnan(base))
		bench_run_find(r, "RTT at the lowest rates", json_real(base), "us");
	if (knee == n) {
		bench_run_find(r, "knee", json_string("above the highest rate"), "");
		return;
	}
	bench_run_find(r, "knee", json_integer(points[knee].rate), "1/s");
	bench_table_mark(s->table, points[knee].rate, "knee");
	bench_run_find(r, "knee by",
	    json_string(points[knee].valid < 100
		    ? "answers missing or wrong"
		    : "median RTT over twice that at the lowest rates"),
	    "");
	if (knee > 0)
		bench_run_find(r, "below the knee", json_integer(points[knee - 1].rate), "1/s");
}

static void
conclude(const struct sweep *s)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_sweep_point points[BENCH_RATES_MAX];
	size_t n = 0;

	if (json_array_size(s->records) == 0)
		return;
	for (size_t i = 0; i < o->n_rates; i++)
		n += add_rate(s, o->rates[i], &points[n]);
	find_knee(s, points, n);
	bench_method_late(s->job, s->records);
	if (s->spoilt > 0)
		bench_run_find(
		    s->job->run, "trials spoilt by the tester", json_integer(s->spoilt), "");
	if (n < o->n_rates && !*s->job->stop)
		bench_run_fail(s->job->run,
		    "the tester is the limit: no trial at %zu of %zu rates has a verdict",
		    o->n_rates - n, o->n_rates);
}

void
bench_sweep(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	struct sweep s = { .job = job,
		.series = { .duration = o->duration,
		    .again = o->restart != NULL,
		    .measure = measure,
		    .told = told,
		    .ctx = &s },
		.records = json_array(),
		.values = calloc(2 * o->repetitions, sizeof(*s.values)) };

	bench_method_settings(job);
	bench_progress_init(&s.progress, stderr, o->duration);
	if (s.values == NULL || s.records == NULL) {
		bench_run_fail(job->run, "out of memory");
	} else {
		s.table = begin_table(job);
		s.spread = begin_spread(job);
		s.trials = bench_measure_table(job, NULL, 0);
		if (bench_measure_state(job, &s.series.journal))
			try_all(&s);
		conclude(&s);
	}
	bench_journal_close(s.series.journal);
	json_decref(s.records);
	free(s.values);
}
