/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/method.h"
#include "bench/stats.h"
#include "bench/trials.h"

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

size_t
bench_sweep_knee(const struct bench_sweep_point *points, size_t n, double *base)
{
	double lowest[BENCH_SWEEP_LOWEST];
	size_t k = 0, knee = n;

	for (size_t i = 0; i < n && k < BENCH_SWEEP_LOWEST; i++) {
		if (!isnan(points[i].rtt_us))
			lowest[k++] = points[i].rtt_us;
	}
	*base = k > 0 ? bench_stats_summary(lowest, k).median : (double)NAN;
	double most = BENCH_SWEEP_TIMES * *base;
	while (n >= BENCH_SWEEP_KNEE_MIN && knee > 0 &&
	    (points[knee - 1].rtt_us > most || points[knee - 1].valid < 100))
		knee--;
	return knee;
}

bool
bench_sweep_fits(const struct bench_settings *s, FILE *errors)
{
	const struct bench_load *l = &s->plan.load;
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_rates; i++) {
		uint64_t one = bench_bisect_questions(s->rates[i], s->duration);

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
	struct bench_trials trials;
	double *values; /* owned: room for a figure of each trial at one rate */
};

static bool
repeat(struct sweep *s, unsigned repetition)
{
	const struct bench_settings *o = s->job->settings;
	uint32_t rates[BENCH_RATES_MAX];
	size_t order[BENCH_RATES_MAX];
	struct bench_bisect b = { .list = rates, .n = o->n_rates };

	bench_sweep_order(o->seed, repetition, o->n_rates, order);
	for (size_t i = 0; i < o->n_rates; i++)
		rates[i] = o->rates[order[i]];
	s->trials.rest = (o->repetitions - repetition) * (unsigned)o->n_rates;
	return bench_trials_search(&s->trials, NULL, repetition, &b);
}

/* % of the questions of a trial that got a right answer; NAN: unknown. */
static double
valid_of(const json_t *record)
{
	double sent = bench_record_number(record, "sent", 0);

	return sent > 0 ? 100 * bench_record_number(record, "valid", 0) / sent : (double)NAN;
}

static double
rtt_of(const json_t *record)
{
	return bench_record_number(record, "rtt_p50", 0);
}

/* The median of GET's figure of the trials at RATE that count; NAN if there is none. */
static double
median(const struct sweep *s, uint32_t rate, double (*get)(const json_t *record))
{
	size_t n = 0, i;
	json_t *record;

	json_array_foreach(s->trials.records, i, record)
	{
		double v = get(record);

		if (bench_record_integer(record, "rate") == rate && bench_record_counts(record) &&
		    !isnan(v))
			s->values[n++] = v;
	}
	return n > 0 ? bench_stats_summary(s->values, n).median : (double)NAN;
}

static void
find_knee(const struct sweep *s, const struct bench_sweep_point *points, size_t n)
{
	struct bench_run *r = s->job->run;
	double base;
	size_t knee = bench_sweep_knee(points, n, &base);

	if (n < BENCH_SWEEP_KNEE_MIN)
		return;
	if (!isnan(base))
		bench_run_find(r, "RTT at the lowest rates", json_real(base), "us");
	if (knee == n) {
		bench_run_find(r, "knee", json_string("above the highest rate"), "");
		return;
	}
	bench_run_find(r, "knee", json_integer(points[knee].rate), "1/s");
	bench_run_find(r, "knee by",
	    json_string(points[knee].valid < 100
		    ? "answers missing or wrong"
		    : "median RTT over twice that at the lowest rates"),
	    "");
	if (knee > 0)
		bench_run_find(r, "below the knee", json_integer(points[knee - 1].rate), "1/s");
}

/* How many trials were the tester's fault: they were repeated. */
static json_int_t
spoilt(const struct sweep *s)
{
	json_int_t n = 0;
	size_t i;
	json_t *record;

	json_array_foreach(s->trials.records, i, record) n +=
	    bench_record_is(record, BENCH_NO_VERDICT);
	return n;
}

static void
conclude(const struct sweep *s)
{
	const struct bench_settings *o = s->job->settings;
	struct bench_sweep_point points[BENCH_RATES_MAX] = { { 0 } };
	struct bench_run *r = s->job->run;
	size_t n = 0;

	if (json_array_size(s->trials.records) == 0)
		return;
	for (size_t i = 0; i < o->n_rates; i++) {
		uint32_t rate = o->rates[i];

		points[n] = (struct bench_sweep_point){ rate, median(s, rate, valid_of),
			median(s, rate, rtt_of) };
		n += isnan(points[n].valid) ? 0 : 1;
	}
	find_knee(s, points, n);
	bench_trials_late(&s->trials);
	if (spoilt(s) > 0)
		bench_run_find(r, "trials spoilt by the tester", json_integer(spoilt(s)), "");
	if (n < o->n_rates && !*s->job->stop)
		bench_run_fail(r,
		    "the tester is the limit: no trial at %zu of %zu rates has a verdict",
		    o->n_rates - n, o->n_rates);
}

void
bench_sweep(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	struct sweep s = { .job = job, .values = calloc(o->repetitions, sizeof(*s.values)) };

	bench_method_settings(job);
	bool good = bench_trials_begin(&s.trials, job, NULL, 0);
	if (s.values == NULL)
		bench_run_fail(job->run, "out of memory");
	for (unsigned i = 1; good && s.values != NULL && i <= o->repetitions; i++)
		good = repeat(&s, i);
	if (s.values != NULL)
		conclude(&s);
	bench_trials_end(&s.trials);
	free(s.values);
}
