/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/measure.h"

#include <inttypes.h>

#include "base/clock.h"
#include "bench/host/process.h"
#include "bench/method/watch.h"

#define RESTART_LIMIT 60.0 /* s, for the command */
/* s, for the first answer: the server may be reading its files, or be busy with the trial before.
 */
#define READY_RESTARTED 30.0
#define READY_BUSY 10.0

/* Without units, so that they are not drawn by time: bench_curve has them by rate. */
static const struct bench_column columns[] = {
	{ "repetition", "repetition", "", 0 },
	{ "rate", "rate", "", 0 },
	{ "verdict", "verdict", "", 0 },
	{ "sent", "sent", "", 0 },
	{ "valid", "valid", "", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "late", "late", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "duplicate", "duplicate", "", 0 },
	{ "stray", "stray", "", 0 },
	{ "unsent", "unsent", "", 0 },
	{ "dropped", "dropped here", "", 0 },
	{ "pace_error", "timing error (%)", "", 2 },
	{ "lag_p999", "lag p99.9 (us)", "", 0 },
	{ "rtt_p50", "RTT median (us)", "", 0 },
	{ "rtt_p99", "RTT p99 (us)", "", 0 },
	{ "seconds", "time (s)", "", 1 },
	/* As bench_watch_row has them: */
	{ "server_cpu", "CPU (%)", "", 1 },
	{ "server_cpu_per_answer", "CPU/answer (us)", "", 2 },
	{ "server_rss", "RSS (MiB)", "", 1 },
	{ "server_descriptors", "descriptors", "", 0 },
};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]) - BENCH_WATCH_COLUMNS)

enum bench_outcome
bench_measure_outcome(const struct bench_tally *t, uint32_t rate, uint64_t timeout_ns)
{
	bool kept = bench_method_kept_pace(t, rate, timeout_ns);

	if (t->sent == 0 || t->faults.dropped > 0 || t->faults.no_port > 0)
		return BENCH_NO_VERDICT;
	/*
	 * If questions had to wait for answers to earlier ones, the server is too slow, not the
	 * tester.
	 */
	if (t->no_room == 0 && (t->faults.unsent > 0 || !kept))
		return BENCH_NO_VERDICT;
	return kept && bench_tally_good(t) ? BENCH_PASSED : BENCH_FAILED;
}

struct bench_table *
bench_measure_table(const struct bench_job *job)
{
	return bench_run_table(job->run, "trials", "Trials (repetition 0: self-test)", columns,
	    N_COLUMNS + (job->dut != NULL ? BENCH_WATCH_COLUMNS : 0));
}

/* The self-test, and trials of a run without --pid and its like, have no usage of the server. */
static void
add_server(json_t *row, json_t *figures)
{
	if (json_array_size(figures) == BENCH_WATCH_COLUMNS) {
		(void)json_array_extend(row, figures);
		return;
	}
	for (unsigned i = 0; i < BENCH_WATCH_COLUMNS; i++)
		(void)json_array_append_new(row, json_null());
}

json_t *
bench_measure_row(const struct bench_job *job, const json_t *record)
{
	json_t *row = json_array();

	for (size_t i = 0; i < N_COLUMNS; i++) {
		json_t *value = json_object_get(record, columns[i].name);

		(void)json_array_append_new(row, value != NULL ? json_incref(value) : json_null());
	}
	if (job->dut != NULL)
		add_server(row, json_object_get(record, "server"));
	return row;
}

/* --- One trial -------------------------------------------------------------------------------- */

static double
us(uint64_t ns)
{
	return (double)ns / 1000;
}

static void
put(json_t *figures, const char *name, uint64_t n)
{
	(void)json_object_set_new(figures, name, json_integer((json_int_t)n));
}

static void
put_real(json_t *figures, const char *name, double v)
{
	(void)json_object_set_new(figures, name, json_real(v));
}

/* The figures of the last trial, for its record. */
static json_t *
figures_of(const struct bench_tally *t, uint32_t rate)
{
	json_t *f = json_object();

	put(f, "sent", t->sent);
	put(f, "valid", t->replies[BENCH_VALID]);
	put(f, "wrong", bench_tally_wrong(t));
	put(f, "late", t->late);
	put(f, "lost", bench_tally_lost(t));
	put(f, "duplicate", t->duplicate);
	put(f, "stray", t->other + t->stray + t->malformed);
	put(f, "unsent", t->faults.unsent);
	put(f, "dropped", t->faults.dropped);
	put_real(f, "pace_error", bench_method_pace_error(t, rate));
	put_real(f, "lag_p999", us(bench_histogram_percentile(&t->lag, 99.9)));
	if (t->rtt.n > 0) {
		put_real(f, "rtt_p50", us(bench_histogram_percentile(&t->rtt, 50)));
		put_real(f, "rtt_p99", us(bench_histogram_percentile(&t->rtt, 99)));
	}
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
put_server(const struct bench_job *job, json_t *figures, const struct bench_usage *begin)
{
	struct bench_usage used;

	bench_watch_since(job, begin, &used);
	if (figures == NULL || job->dut == NULL || used.processes == 0)
		return;
	json_t *row = json_array();
	bench_watch_row(job, row, &used, job->tally->replies[BENCH_VALID]);
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

json_t *
bench_measure_server(
    const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	double wait = job->settings->restart != NULL ? READY_RESTARTED : READY_BUSY;
	uint64_t begin_ns = clock_now_ns();
	struct bench_usage begin;

	if (!names_suffice(job, p) || !restart(job) || !bench_method_ready(job, wait) || *job->stop)
		return NULL;
	bench_watch_begin(job, &begin);
	json_t *figures = ask(job, &job->settings->plan, p);
	put_server(job, figures, &begin);
	*outcome = bench_measure_outcome(job->tally, p->rate, job->settings->plan.timeout_ns);
	p->passed_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC;
	return figures;
}

json_t *
bench_measure_tester(const struct bench_job *job, const struct bench_plan *plan,
    struct bench_probe *p, enum bench_outcome *outcome)
{
	uint64_t begin_ns = clock_now_ns();
	json_t *figures = ask(job, plan, p);

	*outcome = bench_measure_outcome(job->tally, p->rate, plan->timeout_ns);
	if (*outcome == BENCH_NO_VERDICT)
		*outcome = BENCH_FAILED;
	p->passed_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC;
	return figures;
}
