/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/load/trial.h"
#include "bench/method/watch.h"

#define US 1000.0 /* ns */

static const struct bench_column columns[] = {
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

/* The state of a run of steps. */
struct steps {
	const struct bench_job *job;
	struct bench_table *table;
	struct bench_tally *total; /* owned: of all steps */
	struct bench_usage begin;  /* what the server had used before the first step */
	struct bench_usage used;   /* what it has used since then */
	uint64_t next, end;        /* question numbers that were not used yet */
	double best;               /* answers per second */
	unsigned best_clients;
};

static void
add_row(struct steps *s, unsigned clients, const struct bench_usage *used)
{
	const struct bench_tally *t = s->job->tally;
	double rate = bench_tally_rate(t);
	json_t *row = json_pack("[i,f,f,f,f,f,f,f,I,I,I]", (int)clients, rate,
	    bench_histogram_mean(&t->rtt) / US, bench_histogram_deviation(&t->rtt) / US,
	    bench_tally_rtt_us(t, 50), bench_tally_rtt_us(t, 90), bench_tally_rtt_us(t, 99),
	    bench_tally_rtt_us(t, 99.9), (json_int_t)bench_tally_wrong(t),
	    (json_int_t)bench_method_lost(s->job), (json_int_t)t->late);

	bench_watch_row(s->job, row, used, t->replies[BENCH_VALID]);
	bench_table_add(s->table, row);
	if (rate <= s->best)
		return;
	s->best = rate;
	s->best_clients = clients;
}

/* Do a step. False: it was not possible. */
static bool
step(struct steps *s, unsigned clients)
{
	const struct bench_job *job = s->job;
	struct bench_plan plan = job->settings->plan;
	struct bench_usage used = { .time_ns = 0 };
	struct bench_trial *trial;

	plan.n_lanes = clients / plan.n_threads;
	plan.window = plan.window > 0 ? plan.window : 1;
	plan.duration_ns = (uint64_t)(job->settings->duration * (double)NS_PER_SEC);
	int err = bench_trial_new(&plan, &trial);
	if (err == 0) {
		bench_watch_since(job, &s->begin, &s->used);
		err = bench_trial_run(trial, s->next, s->end - s->next, job->stop, job->tally);
		bench_watch_step(job, &s->begin, &s->used, &used);
		bench_trial_free(trial);
	}
	if (err != 0) {
		bench_run_fail(
		    job->run, "%u clients could not be started: %s", clients, strerror(-err));
		return false;
	}
	s->next += job->tally->n_numbers;
	bench_tally_merge(s->total, job->tally);
	add_row(s, clients, &used);
	return true;
}

static void
conclude(const struct steps *s)
{
	struct bench_job whole = *s->job;

	whole.tally = s->total;
	bench_run_find(s->job->run, "highest rate", json_real(s->best), "1/s");
	bench_run_find(
	    s->job->run, "clients at the highest rate", json_integer(s->best_clients), "");
	bench_method_counts(&whole);
	bench_watch_find(s->job, &s->used, s->total->replies[BENCH_VALID]);
	bench_watch_threads(s->job, &s->used, s->total->replies[BENCH_VALID]);
	if (*s->job->stop)
		return;
	bench_method_judge(&whole, 0);
	if (s->next >= s->end)
		bench_run_fail(s->job->run, "there were not names enough for so many questions");
}

void
bench_steps(const struct bench_job *job, uint64_t n_numbers)
{
	const struct bench_settings *settings = job->settings;
	struct steps s = { .job = job, .end = n_numbers, .total = malloc(sizeof(*s.total)) };

	if (s.total == NULL) {
		bench_run_fail(job->run, "no memory for the figures");
		return;
	}
	bench_tally_clear(s.total);
	s.table = bench_watch_table(job, "steps", "Clients and what they achieved", columns,
	    sizeof(columns) / sizeof(columns[0]));
	bench_table_live(s.table, job->out);
	bench_watch_begin(job, &s.begin);
	bench_watch_since(job, &s.begin, &s.used); /* in case there is no step at all */
	for (size_t i = 0; i < settings->n_clients && s.next < s.end && !*job->stop; i++) {
		if (!step(&s, settings->clients[i]))
			break;
	}
	conclude(&s);
	free(s.total);
}
