/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/ramp.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/load/trial.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/server.h"
#include "bench/watch.h"

/*
 * One trial, whose workers never pause: each second they turn to a fresh tally and leave the other
 * one to us, as in a soak.
 */

#define LOOK_NS (20 * NS_PER_MS) /* between two checks whether to stop */

static const struct bench_column columns[] = {
	{ "elapsed", "elapsed", "s", 0 },
	{ "asked", "asked", "1/s", 0 },
	{ "valid", "valid", "1/s", 0 },
	{ "rtt_p50", "p50", "us", 1 },
	{ "rtt_p99", "p99", "us", 1 },
	{ "wrong", "wrong", "", 0 },
	{ "overdue", "overdue", "", 0 }, /* no answer within the timeout */
	{ "taken_out", "taken out", "", 0 },
};

struct ramp {
	const struct bench_job *job;
	struct bench_trial *trial; /* owned */
	struct bench_table *table;
	struct bench_tally *total;         /* owned: of the whole run */
	struct bench_ramp_second *seconds; /* owned */
	size_t n, cap;
	uint64_t start_ns; /* when the first question was due */
	uint64_t due;      /* questions due up to the last second, */
	uint64_t row_ns;   /* which ended then */
	struct bench_usage begin, used;
	struct bench_progress progress;
};

size_t
bench_ramp_behind(const struct bench_ramp_second *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool behind = s[i].valid < s[i].due * BENCH_RAMP_BEHIND / 100;
		bool again = i + 1 == n || s[i + 1].valid < s[i + 1].due * BENCH_RAMP_BEHIND / 100;

		if (behind && again)
			return i;
	}
	return n;
}

/* A row of what has happened from the last one to NOW_NS, which is in job->tally. */
static void
add_row(struct ramp *r, uint64_t now_ns)
{
	const struct bench_settings *s = r->job->settings;
	const struct bench_tally *t = r->job->tally;
	struct bench_pace pace = bench_pace_of(&s->plan, s->plan.rate, r->start_ns);
	uint64_t due = bench_pace_due(&pace, now_ns), valid = t->replies[BENCH_VALID];
	/* The last row before may have been late on a busy machine. */
	uint64_t ns = now_ns > r->row_ns ? now_ns - r->row_ns : NS_PER_MS;
	double seconds = (double)ns / (double)NS_PER_SEC;
	struct bench_usage in_row;

	due = due < s->plan.n_questions ? due : s->plan.n_questions;
	bench_watch_step(r->job, &r->begin, &r->used, &in_row);
	json_t *row = json_pack("[I,f,f,o,o,I,I,I]", (json_int_t)r->n + 1,
	    (double)t->sent / seconds, (double)valid / seconds, bench_method_percentile(t, 50),
	    bench_method_percentile(t, 99), (json_int_t)bench_tally_wrong(t),
	    (json_int_t)t->overdue, (json_int_t)t->paused);
	bench_watch_row(r->job, row, &in_row, valid);
	bench_table_add(r->table, row);
	bench_tally_merge(r->total, t);
	r->seconds[r->n++] =
	    (struct bench_ramp_second){ (double)(due - r->due) - (double)t->paused, (double)valid };
	r->due = due;
	r->row_ns = now_ns;
}

/* Wait for that time. False: the run is to end. */
static bool
wait_until(const struct ramp *r, uint64_t then_ns)
{
	uint64_t now_ns;

	while (!*r->job->stop && (now_ns = clock_now_ns()) < then_ns) {
		uint64_t ns = then_ns - now_ns < LOOK_NS ? then_ns - now_ns : LOOK_NS;
		struct timespec pause = { .tv_nsec = (long)ns };

		(void)nanosleep(&pause, NULL);
	}
	return !*r->job->stop;
}

static void
run(struct ramp *r)
{
	const struct bench_settings *s = r->job->settings;

	bench_progress_init(&r->progress, stderr, 0);
	bench_progress_begin(&r->progress, s->duration, "up to %u/s", s->high);
	while (r->n + 1 < r->cap && wait_until(r, r->start_ns + (r->n + 1) * NS_PER_SEC)) {
		bench_trial_take(r->trial, r->job->tally);
		add_row(r, clock_now_ns());
	}
	/* The last second, and the wait for answers that do not come. */
	bench_trial_join(r->trial, r->job->tally);
	bench_progress_end(&r->progress);
	if (*r->job->stop)
		bench_tally_merge(r->total, r->job->tally);
	else
		add_row(r, r->start_ns + r->cap * NS_PER_SEC);
}

/* Where answers fall behind, and how many there were at best. */
static void
find_behind(const struct ramp *r)
{
	size_t at = bench_ramp_behind(r->seconds, r->n);
	double best = 0;

	for (size_t i = 0; i < r->n; i++)
		best = r->seconds[i].valid > best ? r->seconds[i].valid : best;
	bench_run_find(r->job->run, "most answers", json_real(best), "1/s");
	if (at == r->n && *r->job->stop) {
		if (r->n > 0)
			bench_run_find(r->job->run, "answers fall behind",
			    json_sprintf("not up to %.0f/s", r->seconds[r->n - 1].due), "");
		return;
	}
	if (at == r->n) {
		bench_run_find(
		    r->job->run, "answers fall behind", json_string("above the highest rate"), "");
		return;
	}
	bench_run_find(r->job->run, "answers fall behind", json_real(r->seconds[at].due), "1/s");
	bench_table_mark(r->table, (double)at + 1, "behind");
}

/* It is a look, not a measurement: that answers are missing is no failure, that all are is one. */
static void
conclude(const struct ramp *r)
{
	struct bench_job whole = *r->job;

	whole.tally = r->total;
	find_behind(r);
	bench_method_counts(&whole); /* one rate, or one RTT, of all would say nothing */
	bench_method_pauses(&whole);
	bench_watch_find(r->job, &r->used, r->total->replies[BENCH_VALID]);
	if (*r->job->stop)
		return;
	bench_method_judge_sending(&whole, 0); /* its pace is not that of one rate */
	if (r->total->sent > 0 && r->total->replies[BENCH_VALID] == 0)
		bench_run_fail(r->job->run, "no question got a valid answer in time");
	bench_method_hint(&whole);
	bench_method_judge_extras(&whole);
}

static void
measure(struct ramp *r)
{
	const struct bench_job *job = r->job;
	const struct bench_plan *plan = &job->settings->plan;
	int err = bench_trial_new(plan, &r->trial);

	bench_tally_clear(r->total);
	if (err == 0) {
		/* Soon, but known: rows end at whole seconds of it. */
		r->start_ns = r->row_ns = clock_now_ns() + 10 * NS_PER_MS;
		bench_trial_set_start(r->trial, r->start_ns);
		err = bench_trial_start(r->trial, 0, plan->n_questions, job->stop);
		if (err != 0)
			bench_trial_join(r->trial, job->tally);
	}
	if (err == 0) {
		bench_watch_begin(job, &r->begin);
		run(r);
		conclude(r);
	} else {
		bench_run_fail(job->run, "the ramp could not be started: %s", strerror(-err));
	}
	bench_trial_free(r->trial);
}

void
bench_ramp(const struct bench_job *job)
{
	struct ramp r = { .job = job };

	bench_method_settings(job);
	if (!bench_server_ready(job, BENCH_READY_WAIT) || *job->stop)
		return;
	bench_server_try_names(job, job->settings->plan.n_questions);
	r.cap = (size_t)job->settings->duration;
	r.total = malloc(sizeof(*r.total));
	r.seconds = calloc(r.cap, sizeof(*r.seconds));
	if (r.total != NULL && r.seconds != NULL) {
		r.table = bench_watch_table(job, "ramp", "The load by second", columns,
		    sizeof(columns) / sizeof(columns[0]));
		bench_table_live(r.table, job->out);
		measure(&r);
	} else {
		bench_run_fail(job->run, "out of memory");
	}
	free(r.total);
	free(r.seconds);
}
