/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients that ask one question after another: bench_closed, bench_enum and what they share. */

#include <inttypes.h>
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

/* The results with all numbers of clients, and with one. */
struct found {
	struct bench_table *table;
	struct bench_tally all;
	struct bench_tally one;
	double *times; /* owned: of one's experiments, in ms */
	size_t n_times;
	unsigned left_out;        /* experiments, of all: the tester was kept from running */
	struct bench_watch watch; /* the steps are those of one */
	double best;              /* per second */
	unsigned best_clients;
	struct bench_progress progress;
};

/* Begin with the table NAME; its rows are printed as they come. NULL without memory. */
static struct found *
begin(const struct bench_job *job, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns)
{
	struct found *f = calloc(1, sizeof(*f));

	if (f == NULL) {
		bench_run_fail(job->run, "no memory for the figures");
		return NULL;
	}
	f->table = bench_watch_table(job, name, title, columns, n_columns, true);
	bench_table_live(f->table, job->out);
	bench_tally_clear(&f->all);
	bench_progress_init(&f->progress, stderr, 0);
	bench_watch_begin(&f->watch, job);
	return f;
}

/* Add ROW, of so many clients that achieved RATE. */
static void
add_row(struct found *f, json_t *row, unsigned clients, double rate)
{
	bench_watch_row(&f->watch, row, f->one.replies[BENCH_VALID], true);
	bench_table_add(f->table, row);
	if (rate <= f->best)
		return;
	f->best = rate;
	f->best_clients = clients;
}

/* WHOLE is the job with the tally of all. */
static void
conclude(const struct bench_job *whole, const struct found *f)
{
	struct bench_run *r = whole->run;

	bench_run_find(r, "highest rate", json_real(f->best), "1/s");
	bench_run_find(r, "clients at the highest rate", json_integer(f->best_clients), "");
	bench_method_counts(whole);
	bench_method_pauses(whole);
	if (f->left_out > 0)
		bench_run_find(r, "experiments left out", json_integer(f->left_out), "");
	bench_watch_find(&f->watch, f->all.replies[BENCH_VALID], false);
	if (!*whole->stop)
		bench_method_judge(whole, 0);
}

static bool
cannot_start(const struct bench_job *job, unsigned clients, int err)
{
	bench_run_fail(job->run, "%u clients could not be started: %s", clients, strerror(-err));
	return false;
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

/* Answers per second of the time in which the tester could ask. */
static double
rate_of(const struct bench_tally *t, unsigned threads)
{
	double rate = bench_tally_rate(t), valid = (double)t->replies[BENCH_VALID];
	double paused = (double)t->pause_ns / threads / (double)NS_PER_SEC;

	return rate * paused < valid ? valid / (valid / rate - paused) : rate;
}

static void
add_step(const struct bench_job *job, struct found *f, unsigned clients)
{
	const struct bench_tally *t = &f->one;
	double rate = rate_of(t, job->settings->plan.n_threads);

	add_row(f,
	    json_pack("[i,f,f,f,o,o,o,o,I,I,I]", (int)clients, rate,
		bench_histogram_mean(&t->rtt) / US, bench_histogram_deviation(&t->rtt) / US,
		bench_method_percentile(t, 50), bench_method_percentile(t, 90),
		bench_method_percentile(t, 99), bench_method_percentile(t, 99.9),
		(json_int_t)bench_tally_wrong(t), (json_int_t)bench_method_lost(job),
		(json_int_t)t->late),
	    clients, rate);
}

/* Each second of a step. */
static void
look(void *ctx, uint64_t now_ns)
{
	struct found *f = ctx;

	(void)now_ns;
	bench_watch_look(&f->watch);
}

/* Do a step with N question numbers from FIRST on. False: it was not possible. */
static bool
step(const struct bench_job *job, struct found *f, unsigned clients, uint64_t first, uint64_t n)
{
	struct bench_plan plan = job->settings->plan;
	struct bench_trial *trial;

	plan.n_lanes = clients / plan.n_threads;
	plan.window = plan.window > 0 ? plan.window : 1;
	plan.duration_ns = (uint64_t)(job->settings->duration * (double)NS_PER_SEC);
	int err = bench_trial_new(&plan, &trial);
	if (err == 0) {
		struct bench_course c = { .first = first,
			.n = n,
			.length_ns = plan.duration_ns,
			.interval_ns = NS_PER_SEC,
			.look = look,
			.ctx = f };

		bench_watch_next(&f->watch);
		err = bench_course_run(job, trial, &c, &f->one);
		bench_watch_step(&f->watch, bench_watch_end(&f->one));
		bench_trial_free(trial);
	}
	if (err != 0)
		return cannot_start(job, clients, err);
	bench_tally_merge(&f->all, &f->one);
	bench_progress_end(&f->progress);
	add_step(job, f, clients);
	return true;
}

void
bench_closed_steps(const struct bench_job *job, uint64_t n_numbers)
{
	const struct bench_settings *s = job->settings;
	struct found *f = begin(job, "steps", "Clients and what they achieved", step_columns,
	    sizeof(step_columns) / sizeof(step_columns[0]));
	struct bench_job one = *job, whole = *job;
	uint64_t next = 0; /* question number that was not used yet */

	if (f == NULL)
		return;
	one.tally = &f->one;
	whole.tally = &f->all;
	for (size_t i = 0; i < s->n_clients && next < n_numbers && !*job->stop; i++) {
		bench_progress_begin(&f->progress, (double)(s->n_clients - i) * s->duration,
		    "step %zu/%zu: %u %s", i + 1, s->n_clients, s->clients[i],
		    s->clients[i] == 1 ? "client" : "clients");
		if (!step(&one, f, s->clients[i], next, n_numbers - next))
			break;
		next += f->one.n_numbers;
	}
	bench_progress_end(&f->progress);
	bench_method_histogram(&whole);
	conclude(&whole, f);
	if (!*job->stop && next >= n_numbers)
		bench_run_fail(job->run, "there were not names enough for so many questions");
	free(f);
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
add_experiments(const struct bench_job *job, struct found *f, unsigned clients)
{
	struct bench_job one = *job;

	if (f->n_times == 0 && f->left_out > 0)
		bench_run_fail(
		    job->run, "%u clients: the tester paused in each experiment", clients);
	if (f->n_times == 0)
		return;
	struct bench_summary t = bench_stats_summary(f->times, f->n_times);
	double rate = BENCH_EXPERIMENT * 1000 / t.mean;
	bool more = t.n > 1, many = bench_stats_carries(t.n, 99);
	one.tally = &f->one;
	add_row(f,
	    json_pack("[i,I,f,o,o,o,f,f,f,o,o,f,I,I,I]", (int)clients, (json_int_t)t.n, t.mean,
		bench_run_real(more, t.deviation), bench_run_real(many, t.p1),
		bench_run_real(many, t.p99), t.min, t.max, t.median, bench_run_real(more, t.mad),
		bench_run_real(more, t.margin), rate, (json_int_t)bench_tally_wrong(&f->one),
		(json_int_t)bench_method_lost(&one), (json_int_t)f->one.late),
	    clients, rate);
}

/*
 * The time from the first question to the last reply, unless the tester paused in between. False:
 * not all could be asked.
 */
static bool
experiment(const struct bench_job *job, struct bench_trial *trial, uint64_t first, struct found *f)
{
	const struct bench_tally *t = job->tally;
	int err = bench_trial_run(trial, first, BENCH_EXPERIMENT, job->stop, job->tally);

	if (*job->stop)
		return false;
	bench_tally_merge(&f->one, t);
	if (err == 0 && (t->pauses > 0 || t->paused > 0)) {
		f->left_out++;
		return true;
	}
	if (err != 0 || t->sent < BENCH_EXPERIMENT) {
		bench_run_fail(job->run, "not all questions of an experiment could be sent");
		return false;
	}
	f->times[f->n_times++] = (double)(t->end_ns - t->first_ns) / MS;
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

/*
 * DONE >= 1 of ALL experiments with CLIENTS are done since BEGIN_NS. How long those with other
 * numbers take nobody knows yet: as long as these, then.
 */
static void
say_experiments(const struct bench_job *job, struct found *f, unsigned clients, uint64_t done,
    uint64_t all, uint64_t begin_ns)
{
	const struct bench_settings *s = job->settings;
	double each_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC / (double)done;
	size_t others = s->n_clients;

	while (others > 0 && s->clients[s->n_clients - others] != clients)
		others--;
	bench_progress_begin(&f->progress,
	    each_s * ((double)(all - done) + (double)all * (double)(others > 0 ? others - 1 : 0)),
	    "%u %s, experiment %" PRIu64 "/%" PRIu64, clients, clients == 1 ? "client" : "clients",
	    done, all);
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
	f->n_times = 0;
	int err = bench_trial_new(&plan, &trial);

	if (err != 0)
		return cannot_start(job, clients, err);
	bench_watch_next(&f->watch);
	uint64_t begin_ns = clock_now_ns();
	for (uint64_t i = 0; i < n && good; i++) {
		good = experiment(job, trial, first + i * BENCH_EXPERIMENT, f);
		bench_watch_look(&f->watch);
		if (i % SAID == 0)
			say_experiments(job, f, clients, i + 1, n, begin_ns);
	}
	bench_progress_end(&f->progress);
	bench_watch_step(&f->watch, clock_now_ns());
	bench_trial_free(trial);
	bench_tally_merge(&f->all, &f->one);
	return good;
}

/* The same as dns64perf2. */
static void
time_experiments(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	struct found *f = begin(job, "experiments", "Time of 256 questions", experiment_columns,
	    sizeof(experiment_columns) / sizeof(experiment_columns[0]));
	struct bench_job whole = *job;
	uint64_t first = 0;
	bool good = true;

	if (f == NULL)
		return;
	f->times = calloc((size_t)s->blocks * BENCH_BLOCK, sizeof(*f->times));
	if (f->times == NULL)
		bench_run_fail(job->run, "no memory for the times of so many experiments");
	for (size_t i = 0; i < s->n_clients && good && f->times != NULL; i++) {
		good = experiments(job, s->clients[i], first, f);
		first += (uint64_t)s->blocks * BENCH_BLOCK * BENCH_EXPERIMENT;
		add_experiments(job, f, s->clients[i]);
	}
	whole.tally = &f->all;
	bench_method_rtt(&whole);
	conclude(&whole, f);
	free(f->times);
	free(f);
}

void
bench_closed(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	const struct bench_load *load = &s->plan.load;
	uint64_t start_ns;

	bench_method_settings(job);
	if (!bench_server_ready(job, BENCH_READY_WAIT) || *job->stop)
		return;
	bench_server_try_names(job, load->size);
	if (!bench_course_await(job, 0, &start_ns))
		return;
	if (s->duration > 0)
		bench_closed_steps(job, load->replay != NULL ? UINT64_MAX : load->size - load->hot);
	else
		time_experiments(job);
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
	bench_method_settings(job);
	if (bench_server_ready(job, BENCH_READY_WAIT) && !*job->stop)
		bench_closed_steps(job, UINT64_MAX);
}
