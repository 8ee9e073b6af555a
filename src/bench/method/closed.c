/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_closed: clients that ask one question after another, as dns64perf2 does (G. Lencse,
 * "Performance Estimation of the Mtd64-ng DNS64 Implementation"): the time that 256 questions take.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/load/trial.h"
#include "bench/method/method.h"
#include "bench/method/steps.h"
#include "bench/method/watch.h"

static const struct bench_column columns[] = {
	{ "clients", "clients", "", 0 },
	{ "experiments", "experiments", "", 0 },
	{ "time", "time", "ms", 3 },
	{ "time_deviation", "deviation", "ms", 3 },
	{ "time_min", "min", "ms", 3 },
	{ "time_max", "max", "ms", 3 },
	{ "rate", "questions", "1/s", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "late", "late", "", 0 },
};

/* The results of all experiments, and of those with one number of clients. */
struct found {
	struct bench_tally all;
	struct bench_tally one;
	struct bench_histogram times; /* of experiments */
	struct bench_usage begin;     /* what the server had used before all of them */
	struct bench_usage used;      /* since then */
	struct bench_usage one_used;  /* in those of one */
	double best;                  /* questions per second */
	unsigned best_clients;
};

static double
ms(double ns)
{
	return ns / (double)NS_PER_MS;
}

/* N = 256 * 1000 / T: questions per second, from the average time in ms. */
static double
rate_of(const struct bench_histogram *times)
{
	return times->n > 0 ? BENCH_EXPERIMENT * 1000 / ms(bench_histogram_mean(times)) : 0;
}

static void
add_row(const struct bench_job *job, struct bench_table *table, struct found *f, unsigned clients)
{
	const struct bench_histogram *h = &f->times;
	struct bench_job one = *job;
	json_t *row;

	if (h->n == 0)
		return;
	one.tally = &f->one;
	row = json_pack("[i,I,f,f,f,f,f,I,I,I]", (int)clients, (json_int_t)h->n,
	    ms(bench_histogram_mean(h)), ms(bench_histogram_deviation(h)), ms((double)h->min_ns),
	    ms((double)h->max_ns), rate_of(h), (json_int_t)bench_tally_wrong(&f->one),
	    (json_int_t)bench_method_lost(&one), (json_int_t)f->one.late);
	bench_watch_row(job, row, &f->one_used, f->one.replies[BENCH_VALID]);
	bench_table_add(table, row);
	if (rate_of(h) <= f->best)
		return;
	f->best = rate_of(h);
	f->best_clients = clients;
}

/* The time from the first question to the last reply. False: not all could be asked. */
static bool
experiment(const struct bench_job *job, struct bench_trial *trial, uint64_t first, struct found *f)
{
	const struct bench_tally *t = job->tally;
	int err = bench_trial_run(trial, first, BENCH_EXPERIMENT, job->stop, job->tally);

	if (*job->stop)
		return false;
	bench_tally_merge(&f->one, t);
	if (err != 0 || t->sent < BENCH_EXPERIMENT) {
		bench_run_fail(job->run, "not all questions of an experiment could be sent");
		return false;
	}
	bench_histogram_add(&f->times, t->end_ns - t->first_ns);
	return true;
}

/* Each client asks the same number of questions: the time is that of the slowest one. */
static struct bench_plan
plan_of(const struct bench_job *job, unsigned clients)
{
	struct bench_plan plan = job->settings->plan;

	plan.n_lanes = clients;
	plan.window = 1;
	plan.even = true;
	/* If no reply comes at all; and a second for sending. */
	plan.duration_ns = (BENCH_EXPERIMENT / clients + 1) * plan.timeout_ns + NS_PER_SEC;
	return plan;
}

/* Run all experiments with that number of clients, with the names from number FIRST on. */
static bool
experiments(const struct bench_job *job, unsigned clients, uint64_t first, struct found *f)
{
	uint64_t n = (uint64_t)job->settings->blocks * BENCH_BLOCK;
	struct bench_plan plan = plan_of(job, clients);
	struct bench_trial *trial;
	bool good = true;

	bench_tally_clear(&f->one);
	bench_histogram_clear(&f->times);
	int err = bench_trial_new(&plan, &trial);

	if (err != 0) {
		bench_run_fail(
		    job->run, "%u clients could not be started: %s", clients, strerror(-err));
		return false;
	}
	bench_watch_since(job, &f->begin, &f->used);
	for (uint64_t i = 0; i < n && good; i++)
		good = experiment(job, trial, first + i * BENCH_EXPERIMENT, f);
	bench_watch_step(job, &f->begin, &f->used, &f->one_used);
	bench_trial_free(trial);
	bench_tally_merge(&f->all, &f->one);
	return good;
}

static void
conclude(const struct bench_job *job, struct found *f)
{
	struct bench_job whole = *job;

	whole.tally = &f->all;
	bench_run_find(job->run, "highest rate", json_real(f->best), "1/s");
	bench_run_find(job->run, "clients at the highest rate", json_integer(f->best_clients), "");
	bench_method_counts(&whole);
	bench_method_rtt(&whole);
	bench_watch_find(job, &f->used, f->all.replies[BENCH_VALID]);
	bench_watch_threads(job, &f->used, f->all.replies[BENCH_VALID]);
	if (!*job->stop)
		bench_method_judge(&whole, 0);
}

/* The same as dns64perf2. */
static void
time_experiments(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	struct found *f = calloc(1, sizeof(*f));
	uint64_t first = 0;
	bool good = true;

	if (f == NULL) {
		bench_run_fail(job->run, "no memory for the figures");
		return;
	}
	struct bench_table *table = bench_watch_table(job, "experiments", "Time of 256 questions",
	    columns, sizeof(columns) / sizeof(columns[0]));
	bench_table_live(table, job->out);
	bench_tally_clear(&f->all);
	bench_watch_begin(job, &f->begin);
	bench_watch_since(job, &f->begin, &f->used);
	for (size_t i = 0; i < s->n_clients && good; i++) {
		good = experiments(job, s->clients[i], first, f);
		first += (uint64_t)s->blocks * BENCH_BLOCK * BENCH_EXPERIMENT;
		add_row(job, table, f, s->clients[i]);
	}
	conclude(job, f);
	free(f);
}

void
bench_closed(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	const struct bench_load *load = &s->plan.load;

	bench_method_settings(job);
	if (s->duration > 0) {
		bench_run_set(job->run, "duration_s", json_real(s->duration));
		bench_run_set(
		    job->run, "window", json_integer(s->plan.window > 0 ? s->plan.window : 1));
	} else {
		bench_run_set(job->run, "blocks", json_integer(s->blocks));
	}
	if (!bench_method_ready(job, BENCH_READY_WAIT) || *job->stop)
		return;
	if (s->duration > 0)
		bench_steps(job, load->size - load->hot);
	else
		time_experiments(job);
}
