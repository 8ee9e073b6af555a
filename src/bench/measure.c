/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/measure.h"

#include <inttypes.h>

#include "base/clock.h"
#include "bench/host/process.h"
#include "bench/server.h"
#include "bench/stats.h"
#include "bench/watch.h"

#define RESTART_LIMIT 60.0 /* s, for the command */
/* s, for the first answer: the server may be reading its files, or be busy with the trial before.
 */
#define READY_RESTARTED 30.0
#define READY_BUSY 10.0

enum bench_outcome
bench_measure_outcome(const struct bench_tally *t, uint32_t rate, const struct bench_plan *plan)
{
	if (bench_tally_wrong(t) > 0)
		return BENCH_FAILED; /* whatever the tester did */
	if (bench_method_flaws(t, rate, plan) != 0)
		return BENCH_NO_VERDICT;
	return bench_method_kept_pace(t, rate, plan->timeout_ns) && bench_method_good(t, plan)
	    ? BENCH_PASSED
	    : BENCH_FAILED;
}

static double
us(uint64_t ns)
{
	return (double)ns / 1000;
}

/* Percentile PERCENT of H, if that is known. */
static void
put_percentile(json_t *figures, const char *name, const struct bench_histogram *h, double percent)
{
	if (bench_stats_carries(h->n, percent))
		(void)json_object_set_new(
		    figures, name, json_real(us(bench_histogram_percentile(h, percent))));
}

/* The figures of the last trial, for its record. */
static json_t *
figures_of(const struct bench_tally *t, uint32_t rate)
{
	json_t *f = json_pack("{sI,sI,sI,sI,sI,sI,sI,sI,sI,sf,sf,sI,sI,sI,sI}", "sent",
	    (json_int_t)t->sent, "valid", (json_int_t)t->replies[BENCH_VALID], "wrong",
	    (json_int_t)bench_tally_wrong(t), "late", (json_int_t)t->late, "lost",
	    (json_int_t)bench_tally_lost(t), "duplicate", (json_int_t)t->duplicate, "foreign",
	    (json_int_t)bench_tally_foreign(t), "unsent", (json_int_t)t->faults.unsent, "dropped",
	    (json_int_t)t->faults.dropped, "pace_error", bench_method_pace_error(t, rate),
	    "lag_max", us(t->lag.max_ns), "pauses", (json_int_t)t->pauses, "taken_out",
	    (json_int_t)t->paused, "late_at_once", (json_int_t)t->overdue_at_once, "burst",
	    (json_int_t)t->crowd);

	put_percentile(f, "lag_p999", &t->lag, 99.9);
	put_percentile(f, "rtt_p50", &t->rtt, 50);
	put_percentile(f, "rtt_p99", &t->rtt, 99);
	put_percentile(f, "rtt_p999", &t->rtt, 99.9);
	return f;
}

static json_t *
ask(const struct bench_job *job, const struct bench_plan *plan, const struct bench_probe *p)
{
	struct bench_plan trial = *plan;

	trial.rate = p->rate;
	if (!bench_method_trial(job, &trial, p->first, p->n) || *job->stop)
		return NULL;
	json_t *figures = figures_of(job->tally, p->rate);
	if (figures == NULL)
		bench_run_fail(job->run, "out of memory");
	return figures;
}

/* Add what the server used for the trial, unless --pid names a process that was restarted since. */
static void
put_server(const struct bench_job *job, json_t *figures, struct bench_watch *w)
{
	bench_watch_step(w, bench_watch_end(job->tally));
	if (figures == NULL || w->step.processes == 0)
		return;
	json_t *row = json_array();
	bench_watch_row(w, row, job->tally->replies[BENCH_VALID], false);
	(void)json_object_set_new(figures, "server", row);
}

/* Restart the server, if that is wanted, which empties its cache. */
static bool
restart(const struct bench_job *job)
{
	const char *command = job->settings->restart;
	char error[BENCH_PROCESS_ERROR];

	if (command == NULL || bench_process_shell(command, RESTART_LIMIT, job->stop, error))
		return true;
	if (!*job->stop)
		bench_run_fail(job->run, "--restart %s: %s", command, error);
	return false;
}

/* No name may be used twice: is there enough left of the namespace? */
static bool
names_suffice(const struct bench_job *job, const struct bench_probe *p)
{
	const struct bench_load *l = &job->settings->plan.load;

	if (bench_load_names(l, p->first + p->n) <= l->size)
		return true;
	bench_run_fail(job->run,
	    "the namespace is used up: %" PRIu64 " of %" PRIu64
	    " names were asked for, and the next trial takes %" PRIu64,
	    p->first, l->size, p->n);
	return false;
}

/* What a server has in its cache is no measure of what it does for new names. */
static bool
is_new(const struct bench_job *job, const struct bench_probe *p)
{
	unsigned asked, known = bench_server_known(job, p->first, p->n, &asked);

	if (known > 0)
		bench_run_fail(job->run,
		    "cached: before the trial at %" PRIu32 "/s the server knew %u of %u of its "
		    "names, so it has no verdict: %s",
		    p->rate, known, asked,
		    job->settings->restart != NULL ? "--restart must empty its cache"
						   : "take another --first, or --restart");
	return known == 0;
}

static json_t *
ask_server(const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	double wait = job->settings->restart != NULL ? READY_RESTARTED : READY_BUSY;
	struct bench_watch watch;

	if (!names_suffice(job, p) || !restart(job) || !bench_server_ready(job, wait) || *job->stop)
		return NULL;
	*outcome = BENCH_CACHED;
	if (!is_new(job, p))
		return json_object();
	bench_watch_begin(&watch, job);
	json_t *figures = ask(job, &job->settings->plan, p);
	put_server(job, figures, &watch);
	*outcome = bench_measure_outcome(job->tally, p->rate, &job->settings->plan);
	return figures;
}

static json_t *
ask_upstream(const struct bench_job *job, const struct bench_plan *plan, struct bench_probe *p,
    enum bench_outcome *outcome)
{
	json_t *figures = ask(job, plan, p);
	struct bench_plan judged = *plan;

	judged.timeout_ns = job->settings->plan.timeout_ns;
	*outcome = bench_measure_outcome(job->tally, p->rate, &judged);
	if (*outcome == BENCH_NO_VERDICT)
		*outcome = BENCH_FAILED;
	return figures;
}

json_t *
bench_measure_trial(const struct bench_job *job, const struct bench_plan *tester,
    struct bench_probe *p, enum bench_outcome *outcome)
{
	uint64_t begin_ns = clock_now_ns();
	json_t *figures =
	    tester != NULL ? ask_upstream(job, tester, p, outcome) : ask_server(job, p, outcome);

	p->passed_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC;
	return figures;
}
