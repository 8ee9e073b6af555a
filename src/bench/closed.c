/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that ask one question after another: bench_closed, bench_enum and what they share. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/course.h"
#include "bench/load/trial.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/server.h"
#include "bench/stats.h"
#include "bench/watch.h"

#define MS ((double)NS_PER_MS)
#define US 1000.0 /* ns */
#define SAID 64   /* experiments between two estimates of the time left */
#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

struct closed;

/* What differs between steps and experiments. */
struct kind {
	const char *name, *title; /* of the table */
	const struct bench_column *columns;
	size_t n_columns;
	/* Ask with the numbers of clients number I, and add a row. False: the run ends. */
	bool (*measure)(struct closed *c, size_t i);
	void (*distribution)(const struct bench_job *whole);
};

/* The results with all numbers of clients, and with one. */
struct closed {
	struct bench_job job; /* its tally is that of one */
	struct bench_table *table;
	struct bench_tally all;
	struct bench_tally one;
	struct bench_tally *each; /* borrowed: room for that of an experiment */
	uint64_t next, end;       /* question number that was not used yet, and behind the last */
	double *times;            /* owned: of one's experiments, in ms */
	size_t n_times;
	unsigned left_out;        /* experiments, of all: the tester was kept from running */
	struct bench_watch watch; /* the steps are those of one */
	double best;              /* per second */
	unsigned best_clients;
	struct bench_progress progress;
};

/* Add ROW, of so many clients that achieved RATE. */
static void
add_row(struct closed *c, json_t *row, unsigned clients, double rate)
{
	bench_watch_row(&c->watch, row, c->one.replies[BENCH_VALID], true);
	bench_table_add(c->table, row);
	if (rate <= c->best)
		return;
	c->best = rate;
	c->best_clients = clients;
}

static bool
cannot_start(const struct closed *c, unsigned clients, int err)
{
	bench_run_fail(c->job.run, "%u clients could not be started: %s", clients, strerror(-err));
	return false;
}

static const char *
word(unsigned clients)
{
	return clients == 1 ? "client" : "clients";
}

/* WHOLE is the job with the tally of all. */
static void
conclude(const struct bench_job *whole, const struct closed *c)
{
	struct bench_run *r = whole->run;

	bench_run_find(r, "highest rate", json_real(c->best), "1/s");
	bench_run_find(r, "clients at the highest rate", json_integer(c->best_clients), "");
	bench_method_counts(whole);
	bench_method_pauses(whole);
	if (c->left_out > 0)
		bench_run_find(r, "experiments left out", json_integer(c->left_out), "");
	bench_watch_find(&c->watch, c->all.replies[BENCH_VALID], false);
	if (*whole->stop)
		return;
	bench_method_judge(whole, 0);
	if (c->next >= c->end)
		bench_run_fail(r, "there were not names enough for so many questions");
}

/* Measure with each number of clients; rows are printed as they come. */
static void
run(const struct bench_job *job, const struct kind *kind, uint64_t n_numbers)
{
	const struct bench_settings *s = job->settings;
	struct closed *c = calloc(1, sizeof(*c));
	double *times = calloc((size_t)s->blocks * BENCH_BLOCK + 1, sizeof(*times));
	struct bench_job whole = *job;
	bool good = true;

	if (c == NULL || times == NULL) {
		bench_run_fail(job->run, "no memory for the figures");
		free(c);
		free(times);
		return;
	}
	c->job = *job;
	c->job.tally = &c->one;
	c->each = job->tally;
	c->times = times;
	c->end = n_numbers;
	c->table =
	    bench_watch_table(job, kind->name, kind->title, kind->columns, kind->n_columns, true);
	bench_table_live(c->table, job->out);
	bench_tally_clear(&c->all);
	bench_progress_init(&c->progress, stderr, 0);
	bench_watch_begin(&c->watch, job);
	for (size_t i = 0; i < s->n_clients && c->next < c->end && good && !*job->stop; i++)
		good = kind->measure(c, i);
	bench_progress_end(&c->progress);
	whole.tally = &c->all;
	kind->distribution(&whole);
	conclude(&whole, c);
	free(times);
	free(c);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static const struct bench_column step_columns[] = {
	{ "clients", "clients", "", 0 },
	{ "rate", "answers", "1/s", 0 },
	{ "rtt", "mean", "us", 1 },
	{ "rtt_deviation", "deviation", "us", 1 },
	{ "rtt_p50", "p50", "us", 1 },
	{ "rtt_p90", "p90", "us", 1 },
	{ "rtt_p99", "p99", "us", 1 },
	{ "rtt_p999", "p99.9", "us", 1 },
	{ "wrong", "wrong", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "late", "late", "", 0 },
};

/* For how long a thread of the tester could not ask, in s. */
static double
paused_s(const struct bench_tally *t, unsigned threads)
{
	return (double)t->pause_ns / threads / (double)NS_PER_SEC;
}

/* Answers per second of the time in which the tester could ask. */
static double
rate_of(const struct bench_tally *t, unsigned threads)
{
	double rate = bench_tally_rate(t), valid = (double)t->replies[BENCH_VALID];
	double paused = paused_s(t, threads);

	return rate * paused < valid ? valid / (valid / rate - paused) : rate;
}

/* Pauses are taken out of the rate; but what was measured in less than half of the time is little.
 */
static void
judge_pauses(const struct closed *c, unsigned clients)
{
	double paused = paused_s(&c->one, c->job.settings->plan.n_threads);

	if (paused > c->job.settings->duration / 2)
		bench_run_fail(c->job.run,
		    "the tester was kept from running for %.3g of %g s with %u %s, which says "
		    "little of the server",
		    paused, c->job.settings->duration, clients, word(clients));
}

/* Each second of a step. */
static void
look(void *ctx, uint64_t now_ns)
{
	struct closed *c = ctx;

	(void)now_ns;
	bench_watch_sample(&c->watch);
}

/* Ask for the settings' duration; what came of it is in c->one. */
static int
ask(struct closed *c, unsigned clients)
{
	struct bench_plan plan = c->job.settings->plan;
	struct bench_course course = { .first = c->next,
		.n = c->end - c->next,
		.length_ns = (uint64_t)(c->job.settings->duration * (double)NS_PER_SEC),
		.interval_ns = NS_PER_SEC,
		.look = look,
		.ctx = c };
	struct bench_trial *trial;

	plan.n_lanes = clients / plan.n_threads;
	plan.window = plan.window > 0 ? plan.window : 1;
	plan.duration_ns = course.length_ns;
	int err = bench_trial_new(&plan, &trial);
	if (err != 0)
		return err;
	bench_watch_restart(&c->watch);
	err = bench_course_run(&c->job, trial, &course, &c->one);
	bench_watch_step(&c->watch, bench_watch_end(&c->one));
	bench_trial_free(trial);
	return err;
}

static bool
step(struct closed *c, size_t i)
{
	const struct bench_settings *s = c->job.settings;
	const struct bench_tally *t = &c->one;
	unsigned clients = s->clients[i];

	bench_progress_begin(&c->progress, (double)(s->n_clients - i) * s->duration,
	    "step %zu/%zu: %u %s", i + 1, s->n_clients, clients, word(clients));
	int err = ask(c, clients);
	bench_progress_end(&c->progress);
	if (err != 0)
		return cannot_start(c, clients, err);
	bench_tally_merge(&c->all, t);
	c->next += t->n_numbers;
	double rate = rate_of(t, s->plan.n_threads);
	add_row(c,
	    json_pack("[i,f,f,f,o,o,o,o,I,I,I]", (int)clients, rate,
		bench_histogram_mean(&t->rtt) / US, bench_histogram_deviation(&t->rtt) / US,
		bench_method_percentile(t, 50), bench_method_percentile(t, 90),
		bench_method_percentile(t, 99), bench_method_percentile(t, 99.9),
		(json_int_t)bench_tally_wrong(t), (json_int_t)bench_method_lost(&c->job),
		(json_int_t)t->late),
	    clients, rate);
	judge_pauses(c, clients);
	return true;
}

void
bench_closed_steps(const struct bench_job *job, uint64_t n_numbers)
{
	static const struct kind steps = { "steps", "Clients and what they achieved", step_columns,
		N_OF(step_columns), step, bench_method_histogram };

	run(job, &steps, n_numbers);
}

/* --- Experiments ------------------------------------------------------------------------------ */

/*
 * As dns64perf2 does (G. Lencse, "Performance Estimation of the Mtd64-ng DNS64 Implementation"):
 * the time that 256 questions take.
 */

static const struct bench_column experiment_columns[] = {
	{ "clients", "clients", "", 0 },
	{ "experiments", "experiments", "", 0 },
	{ "time", "time", "ms", 3 },
	{ "time_deviation", "deviation", "ms", 3 },
	{ "time_p1", "p1", "ms", 3 },
	{ "time_p99", "p99", "ms", 3 },
	{ "time_min", "min", "ms", 3 },
	{ "time_max", "max", "ms", 3 },
	/* Without unit, so that they are not drawn: */
	{ "time_median", "median (ms)", "", 3 },
	{ "time_mad", "MAD (ms)", "", 3 },
	{ "time_margin", "margin (ms)", "", 3 },
	{ "rate", "questions", "1/s", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "late", "late", "", 0 },
};

/* N = 256 * 1000 / T: questions per second, from the average time in ms. */
static void
add_experiments(struct closed *c, unsigned clients)
{
	if (c->n_times == 0 && c->left_out > 0)
		bench_run_fail(
		    c->job.run, "%u clients: the tester paused in each experiment", clients);
	if (c->n_times == 0)
		return;
	struct bench_summary t = bench_stats_summary(c->times, c->n_times);
	double rate = BENCH_EXPERIMENT * 1000 / t.mean;
	bool more = t.n > 1, many = bench_stats_carries(t.n, 99);
	add_row(c,
	    json_pack("[i,I,f,o,o,o,f,f,f,o,o,f,I,I,I]", (int)clients, (json_int_t)t.n, t.mean,
		bench_run_real(more, t.deviation), bench_run_real(many, t.p1),
		bench_run_real(many, t.p99), t.min, t.max, t.median, bench_run_real(more, t.mad),
		bench_run_real(more, t.margin), rate, (json_int_t)bench_tally_wrong(&c->one),
		(json_int_t)bench_method_lost(&c->job), (json_int_t)c->one.late),
	    clients, rate);
}

/*
 * The time from the first question to the last reply, unless the tester paused in between. False:
 * not all could be asked.
 */
static bool
experiment(struct closed *c, struct bench_trial *trial)
{
	struct bench_tally *t = c->each;
	int err = bench_trial_run(trial, c->next, BENCH_EXPERIMENT, c->job.stop, t);

	if (*c->job.stop)
		return false;
	c->next += BENCH_EXPERIMENT;
	bench_tally_merge(&c->one, t);
	if (err == 0 && (t->pauses > 0 || t->paused > 0)) {
		c->left_out++;
		return true;
	}
	if (err != 0 || t->sent < BENCH_EXPERIMENT) {
		bench_run_fail(c->job.run, "not all questions of an experiment could be sent");
		return false;
	}
	c->times[c->n_times++] = (double)(t->end_ns - t->first_ns) / MS;
	return true;
}

/* Each client asks the same number of questions: the time is that of the slowest one. */
static struct bench_plan
plan_of(const struct closed *c, unsigned clients)
{
	struct bench_plan plan = c->job.settings->plan;

	plan.n_lanes = clients;
	plan.window = 1;
	plan.even = true;
	/* If no reply comes at all; and a second for sending. */
	plan.duration_ns = (BENCH_EXPERIMENT / clients + 1) * plan.timeout_ns + NS_PER_SEC;
	return plan;
}

/* All experiments with the numbers of clients number I. */
static bool
experiments(struct closed *c, size_t i)
{
	const struct bench_settings *s = c->job.settings;
	unsigned clients = s->clients[i], n = s->blocks * BENCH_BLOCK;
	unsigned others = (unsigned)(s->n_clients - 1 - i);
	struct bench_plan plan = plan_of(c, clients);
	struct bench_trial *trial;
	bool good = true;

	bench_tally_clear(&c->one);
	c->n_times = 0;
	int err = bench_trial_new(&plan, &trial);
	if (err != 0)
		return cannot_start(c, clients, err);
	bench_watch_restart(&c->watch);
	for (unsigned k = 0; k < n && good; k++) {
		uint64_t begin_ns = clock_now_ns();

		good = experiment(c, trial);
		bench_watch_sample(&c->watch);
		bench_progress_count(
		    &c->progress, (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC);
		if (k % SAID == 0)
			bench_progress_begin(&c->progress,
			    bench_progress_left(&c->progress, n - 1 - k + others * n),
			    "%u %s, experiment %u/%u", clients, word(clients), k + 1, n);
	}
	bench_progress_end(&c->progress);
	bench_watch_step(&c->watch, clock_now_ns());
	bench_trial_free(trial);
	bench_tally_merge(&c->all, &c->one);
	add_experiments(c, clients);
	return good;
}

void
bench_closed(const struct bench_job *job)
{
	static const struct kind timed = { "experiments", "Time of 256 questions",
		experiment_columns, N_OF(experiment_columns), experiments, bench_method_rtt };
	const struct bench_settings *s = job->settings;
	const struct bench_load *load = &s->plan.load;
	uint64_t start_ns;

	if (!bench_server_begin(job, load->size) || !bench_course_await(job, 0, &start_ns))
		return;
	if (s->duration > 0)
		bench_closed_steps(job, load->replay != NULL ? UINT64_MAX : load->size - load->hot);
	else
		run(job, &timed, UINT64_MAX);
}

/* --- Telephone numbers ------------------------------------------------------------------------ */

/*
 * RFC 6116: by more and more clients, as enumperf asks for them (C. Shen and H. Schulzrinne,
 * "Evaluation and Comparison of BIND, PDNS and Navitas as ENUM Server", section 3.3): drawn from a
 * range, a share of them from one where none exists, each client with one question open.
 */

void
bench_enum(const struct bench_job *job)
{
	if (bench_server_begin(job, 1))
		bench_closed_steps(job, UINT64_MAX);
}
