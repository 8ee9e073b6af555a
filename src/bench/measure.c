/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/measure.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/host/process.h"
#include "bench/result/text.h"
#include "bench/series.h"
#include "bench/server.h"
#include "bench/stats.h"
#include "bench/watch.h"

/* --- Outcomes and rows ------------------------------------------------------------------------ */

#define RESTART_LIMIT 60.0 /* s, for the command */
/* s, for the first answer: the server may be reading its files, or be busy with the trial before.
 */
#define READY_RESTARTED 30.0
#define READY_BUSY 10.0

/* Without units, so that they are not drawn by time: bench_curve has them by rate. */
static const struct bench_column trial_columns[] = {
	{ "repetition", "repetition", "", 0 },
	{ "rate", "rate", "", 0 },
	{ "verdict", "verdict", "", 0 },
	{ "sent", "sent", "", 0 },
	{ "valid", "valid", "", 0 },
	{ "wrong", "wrong", "", 0 },
	{ "late", "late", "", 0 },
	{ "lost", "lost", "", 0 },
	{ "duplicate", "duplicate", "", 0 },
	{ "foreign", "foreign", "", 0 },
	{ "unsent", "unsent", "", 0 },
	{ "dropped", "dropped here", "", 0 },
	{ "pace_error", "timing error (%)", "", 2 },
	{ "lag_p999", "lag p99.9 (us)", "", 0 },
	{ "lag_max", "lag max (us)", "", 0 },
	{ "pauses", "pauses", "", 0 },
	{ "taken_out", "taken out", "", 0 },
	{ "late_at_once", "late at once", "", 0 },
	{ "burst", "largest burst", "", 0 },
	{ "rtt_p50", "RTT median (us)", "", 0 },
	{ "rtt_p99", "RTT p99 (us)", "", 0 },
	{ "rtt_p999", "RTT p99.9 (us)", "", 0 },
	{ "seconds", "time (s)", "", 1 },
	/* As bench_watch_row has them: */
	{ "server_cpu", "CPU (%)", "", 1 },
	{ "server_cpu_per_answer", "CPU/answer (us)", "", 2 },
	{ "server_rss", "RSS (MiB)", "", 1 },
};

#define N_COLUMNS (sizeof(trial_columns) / sizeof(trial_columns[0]) - BENCH_WATCH_COLUMNS)

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

struct bench_table *
bench_measure_table(const struct bench_job *job, const struct bench_column *first, size_t n_first)
{
	struct bench_column all[BENCH_MEASURE_FIRST + N_COLUMNS + BENCH_WATCH_COLUMNS];

	assert(n_first <= BENCH_MEASURE_FIRST);
	if (n_first > 0)
		memcpy(all, first, n_first * sizeof(*first));
	memcpy(all + n_first, trial_columns, sizeof(trial_columns));
	return bench_run_table(job->run, "trials", "Trials (repetition 0: self-test)", all,
	    n_first + N_COLUMNS + (job->dut != NULL ? BENCH_WATCH_COLUMNS : 0));
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

static void
add_values(json_t *row, const struct bench_column *columns, size_t n, const json_t *record)
{
	for (size_t i = 0; i < n; i++) {
		json_t *value = json_object_get(record, columns[i].name);

		(void)json_array_append_new(row, value != NULL ? json_incref(value) : json_null());
	}
}

json_t *
bench_measure_row(const struct bench_job *job, const struct bench_column *first, size_t n_first,
    const json_t *record)
{
	json_t *row = json_array();

	add_values(row, first, n_first, record);
	add_values(row, trial_columns, N_COLUMNS, record);
	if (job->dut != NULL)
		add_server(row, json_object_get(record, "server"));
	return row;
}

double
bench_measure_server_value(const json_t *record, size_t k)
{
	const json_t *v = json_array_get(json_object_get(record, "server"), k);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
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
	put(f, "foreign", bench_tally_foreign(t));
	put(f, "unsent", t->faults.unsent);
	put(f, "dropped", t->faults.dropped);
	put_real(f, "pace_error", bench_method_pace_error(t, rate));
	if (bench_stats_carries(t->lag.n, 99.9))
		put_real(f, "lag_p999", us(bench_histogram_percentile(&t->lag, 99.9)));
	put_real(f, "lag_max", us(t->lag.max_ns));
	put(f, "pauses", t->pauses);
	put(f, "taken_out", t->paused);
	put(f, "late_at_once", t->overdue_at_once);
	put(f, "burst", t->crowd);
	if (t->rtt.n > 0) {
		put_real(f, "rtt_p50", us(bench_histogram_percentile(&t->rtt, 50)));
		if (bench_stats_carries(t->rtt.n, 99))
			put_real(f, "rtt_p99", us(bench_histogram_percentile(&t->rtt, 99)));
	}
	if (bench_stats_carries(t->rtt.n, 99.9))
		put_real(f, "rtt_p999", us(bench_histogram_percentile(&t->rtt, 99.9)));
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
	bench_watch_cut(&used, bench_watch_end(job->tally));
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

json_t *
bench_measure_server(
    const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome)
{
	double wait = job->settings->restart != NULL ? READY_RESTARTED : READY_BUSY;
	uint64_t begin_ns = clock_now_ns();
	struct bench_usage begin;

	if (!names_suffice(job, p) || !restart(job) || !bench_server_ready(job, wait) || *job->stop)
		return NULL;
	*outcome = BENCH_CACHED;
	if (!is_new(job, p))
		return json_object();
	bench_watch_begin(job, &begin);
	json_t *figures = ask(job, &job->settings->plan, p);
	put_server(job, figures, &begin);
	*outcome = bench_measure_outcome(job->tally, p->rate, &job->settings->plan);
	p->passed_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC;
	return figures;
}

json_t *
bench_measure_tester(const struct bench_job *job, const struct bench_plan *plan,
    struct bench_probe *p, enum bench_outcome *outcome)
{
	uint64_t begin_ns = clock_now_ns();
	json_t *figures = ask(job, plan, p);

	struct bench_plan judged = *plan;
	judged.timeout_ns = job->settings->plan.timeout_ns;
	*outcome = bench_measure_outcome(job->tally, p->rate, &judged);
	if (*outcome == BENCH_NO_VERDICT)
		*outcome = BENCH_FAILED;
	p->passed_s = (double)(clock_now_ns() - begin_ns) / (double)NS_PER_SEC;
	return figures;
}

bool
bench_measure_state(const struct bench_job *job, struct bench_journal **journal)
{
	const char *path = job->settings->state;
	char error[BENCH_JOURNAL_ERROR];

	*journal = NULL;
	if (path == NULL)
		return true;
	json_t *identity = bench_settings_identity(job->settings);
	*journal = bench_journal_open(path, identity, error);
	json_decref(identity);
	if (*journal == NULL)
		bench_run_fail(job->run, "%s", error);
	else if (bench_journal_count(*journal) > 0)
		(void)fprintf(stderr, "dns64bench: going on with what %s has\n", path);
	return *journal != NULL;
}

/* --- All trials ------------------------------------------------------------------------------- */

/* The trials at one rate. */
struct same {
	const json_t **trial;
	size_t n;
};

static json_int_t
rate_of(const json_t *record)
{
	return json_integer_value(json_object_get(record, "rate"));
}

static int
by_rate(const void *a, const void *b)
{
	json_int_t x = rate_of(*(const json_t *const *)a), y = rate_of(*(const json_t *const *)b);

	return (x > y) - (x < y);
}

/*
 * The trial with OUTCOME at the highest rate, or at the lowest if that failed, of those below BELOW
 * from number FROM on; *N are these.
 */
static const json_t *
outermost(
    const json_t *records, size_t from, enum bench_outcome outcome, json_int_t below, unsigned *n)
{
	const json_t *found = NULL;

	*n = 0;
	for (size_t i = from; i < json_array_size(records); i++) {
		const json_t *record = json_array_get(records, i);
		json_int_t rate = rate_of(record);

		if (rate >= below ||
		    json_integer_value(json_object_get(record, "repetition")) == 0 ||
		    strcmp(bench_text_get(record, "verdict"), bench_series_verdict(outcome)) != 0)
			continue;
		(*n)++;
		if (found == NULL ||
		    (outcome == BENCH_PASSED ? rate > rate_of(found) : rate < rate_of(found)))
			found = record;
	}
	return found;
}

void
bench_measure_inversion(
    const struct bench_job *job, const json_t *records, size_t from, const char *what)
{
	unsigned n;
	const json_t *passed = outermost(records, from, BENCH_PASSED, INT64_MAX, &n);
	const json_t *failed = outermost(records, from, BENCH_FAILED, rate_of(passed), &n);

	if (failed == NULL)
		return;
	bench_run_find(job->run, "failed below a rate that passed",
	    json_sprintf("%s%" JSON_INTEGER_FORMAT "/s in repetition %" JSON_INTEGER_FORMAT
			 ", while %" JSON_INTEGER_FORMAT
			 "/s passed in repetition %" JSON_INTEGER_FORMAT " (%u %s in all)",
		what, rate_of(failed), json_integer_value(json_object_get(failed, "repetition")),
		rate_of(passed), json_integer_value(json_object_get(passed, "repetition")), n,
		n == 1 ? "trial" : "trials"),
	    "");
}

static json_t *
mean_of(const struct same *s, const char *key)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const json_t *v = json_object_get(s->trial[i], key);

		sum += json_number_value(v);
		n += json_is_number(v);
	}
	return bench_run_real(n > 0, sum / n);
}

/* The share of right answers in time, in percent. */
static json_t *
valid_share(const struct same *s)
{
	double valid = 0, sent = 0;

	for (size_t i = 0; i < s->n; i++) {
		valid += json_number_value(json_object_get(s->trial[i], "valid"));
		sent += json_number_value(json_object_get(s->trial[i], "sent"));
	}
	return bench_run_real(sent > 0, 100 * valid / sent);
}

/* Column K of the server's usage. */
static json_t *
server_mean(const struct same *s, size_t k)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++) {
		double v = bench_measure_server_value(s->trial[i], k);

		if (isnan(v))
			continue;
		sum += v;
		n++;
	}
	return bench_run_real(n > 0, sum / n);
}

/* How the server's CPU is spread over these trials; below 0 if fewer than two have it. */
static double
server_deviation(const struct same *s)
{
	double *values = calloc(s->n, sizeof(*values)), deviation = -1;
	size_t n = 0;

	for (size_t i = 0; values != NULL && i < s->n; i++) {
		double v = bench_measure_server_value(s->trial[i], 0);

		if (!isnan(v))
			values[n++] = v;
	}
	if (n > 1)
		deviation = bench_stats_summary(values, n).deviation;
	free(values);
	return deviation;
}

static void
add_row(const struct bench_job *job, struct bench_table *t, const struct same *s)
{
	json_t *row = json_pack("[I,o,o,o]", rate_of(s->trial[0]), valid_share(s),
	    mean_of(s, "rtt_p50"), mean_of(s, "rtt_p99"));

	for (size_t k = 0; job->dut != NULL && k < BENCH_WATCH_COLUMNS; k++)
		(void)json_array_append_new(row, server_mean(s, k));
	bench_watch_spread(job, row, server_deviation(s));
	bench_table_add(t, row);
}

/* List the trials of the server, in the order of their rates, in LIST; returns how many. */
static size_t
sort(const json_t *records, const json_t **list)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(records); i++) {
		const json_t *record = json_array_get(records, i);

		if (json_integer_value(json_object_get(record, "repetition")) > 0 &&
		    bench_series_counts(record))
			list[n++] = record;
	}
	qsort(list, n, sizeof(const json_t *), by_rate);
	return n;
}

void
bench_measure_curve(const struct bench_job *job, const json_t *records)
{
	static const struct bench_column columns[] = {
		{ "rate", "rate", "1/s", 0 },
		{ "valid", "valid answers", "%", 2 },
		{ "rtt_p50", "RTT median", "us", 0 },
		{ "rtt_p99", "RTT p99", "us", 0 },
	};
	const json_t **list = calloc(json_array_size(records) + 1, sizeof(*list));

	if (list == NULL) {
		bench_run_fail(job->run, "out of memory");
		return;
	}
	size_t n = sort(records, list);
	struct bench_table *t = n == 0
	    ? NULL
	    : bench_watch_table_spread(job, "rates", "The server at each rate", columns, 4);
	for (size_t i = 0; i < n;) {
		struct same s = { .trial = list + i };

		while (i < n && rate_of(list[i]) == rate_of(s.trial[0]))
			i++;
		s.n = (size_t)(list + i - s.trial);
		add_row(job, t, &s);
	}
	free((void *)list);
}
