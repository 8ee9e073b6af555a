/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/watch.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/host/dut.h"
#include "bench/stats.h"

#define MIB 1048576.0

static const struct bench_column server[] = {
	{ "server_cpu", "CPU", "%", 1 },
	{ "server_cpu_per_answer", "CPU/answer", "us", 2 },
	{ "server_rss", "RSS", "MiB", 1 },
	{ "server_descriptors", "descriptors", "", 0 },
	{ "server_cpu_deviation", "CPU deviation", "%", 1 },
};

#define N_SERVER BENCH_WATCH_COLUMNS
_Static_assert(sizeof(server) / sizeof(server[0]) == N_SERVER + 1, "BENCH_WATCH_COLUMNS");

void
bench_watch_begin(const struct bench_job *job, struct bench_usage *begin)
{
	memset(begin, 0, sizeof(*begin));
	if (job->dut == NULL)
		return;
	bench_dut_read(job->dut, begin);
	bench_dut_mark(job->dut);
}

void
bench_watch_since(
    const struct bench_job *job, const struct bench_usage *begin, struct bench_usage *used)
{
	memset(used, 0, sizeof(*used));
	if (job->dut == NULL)
		return;
	bench_dut_read(job->dut, used);
	bench_usage_since(begin, used, used);
}

uint64_t
bench_watch_end(const struct bench_tally *t)
{
	uint64_t last_ns = t->heard_ns > t->last_ns ? t->heard_ns : t->last_ns;

	return t->overdue > 0 && t->sent > 0 ? last_ns : clock_now_ns();
}

void
bench_watch_cut(struct bench_usage *used, uint64_t end_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (end_ns < now_ns && now_ns - end_ns < used->time_ns)
		used->time_ns -= now_ns - end_ns;
}

void
bench_watch_step(const struct bench_job *job, const struct bench_usage *begin,
    struct bench_usage *total, struct bench_usage *step)
{
	struct bench_usage before = *total;

	bench_watch_since(job, begin, total);
	bench_usage_since(&before, total, step);
}

/* So MANY of the server's columns behind the others, if it is watched. */
static struct bench_table *
table_of(const struct bench_job *job, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns, size_t many)
{
	struct bench_column all[BENCH_RUN_COLUMNS];

	assert(n_columns + many <= BENCH_RUN_COLUMNS);
	memcpy(all, columns, n_columns * sizeof(*columns));
	memcpy(all + n_columns, server, many * sizeof(*server));
	return bench_run_table(
	    job->run, name, title, all, n_columns + (job->dut != NULL ? many : 0));
}

struct bench_table *
bench_watch_table(const struct bench_job *job, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns)
{
	return table_of(job, name, title, columns, n_columns, N_SERVER);
}

struct bench_table *
bench_watch_table_spread(const struct bench_job *job, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns)
{
	return table_of(job, name, title, columns, n_columns, N_SERVER + 1);
}

static double
us_per_answer(uint64_t cpu_ns, uint64_t answers)
{
	return answers > 0 ? (double)cpu_ns / 1000 / (double)answers : 0;
}

/* The number of descriptors; null if we may not count those of every process. */
static json_t *
descriptors(const struct bench_usage *u)
{
	return u->uncounted > 0 ? json_null() : json_integer(u->descriptors);
}

void
bench_watch_row(
    const struct bench_job *job, json_t *row, const struct bench_usage *used, uint64_t answers)
{
	if (job->dut == NULL)
		return;
	(void)json_array_append_new(row, json_real(100 * bench_usage_load(used)));
	(void)json_array_append_new(row, json_real(us_per_answer(used->cpu_ns, answers)));
	(void)json_array_append_new(row, json_real((double)used->rss / MIB));
	(void)json_array_append_new(row, descriptors(used));
}

void
bench_watch_find(const struct bench_job *job, const struct bench_usage *used, uint64_t answers)
{
	struct bench_run *r = job->run;

	if (job->dut == NULL)
		return;
	bench_run_find(r, "server CPU", json_real(100 * bench_usage_load(used)), "%");
	bench_run_find(
	    r, "server CPU per answer", json_real(us_per_answer(used->cpu_ns, answers)), "us");
	bench_run_find(r, "server RSS", json_real((double)used->rss / MIB), "MiB");
	bench_run_find(r, "server descriptors", descriptors(used), "");
	bench_run_find(r, "server context switches",
	    json_integer((json_int_t)(used->switches + used->preemptions)), "");
	if (used->processes == 0)
		bench_run_fail(r, "the server's processes have ended");
	if (used->left_out > 0)
		bench_run_fail(r, "the server has more processes or threads than can be watched");
}

/* How much of one CPU a process or thread took. */
static double
cpu_percent(const struct bench_row *row, const struct bench_usage *whole)
{
	return whole->time_ns > 0 ? 100 * (double)row->used.cpu_ns / (double)whole->time_ns : 0;
}

/*
 * Not for a single process: that is the server itself, which the findings have. ROWS has room for
 * all.
 */
static void
tell_processes(const struct bench_job *job, struct bench_row *rows, const struct bench_usage *used,
    uint64_t answers)
{
	static const struct bench_column columns[] = {
		{ "process", "process", "", 0 },
		{ "pid", "number", "", 0 },
		{ "cpu", "CPU", "%", 1 },
		{ "cpu_per_answer", "CPU/answer", "us", 2 },
		{ "rss", "RSS", "MiB", 1 },
		{ "threads", "threads", "", 0 },
	};
	size_t n = bench_dut_processes(job->dut, rows, BENCH_TASKS_MAX);
	struct bench_table *t;

	if (n < 2)
		return;
	t = bench_run_table(job->run, "processes", "Processes of the server", columns,
	    sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < n; i++)
		bench_table_add(t,
		    json_pack("[s,i,f,f,f,i]", rows[i].name, rows[i].pid,
			cpu_percent(&rows[i], used), us_per_answer(rows[i].used.cpu_ns, answers),
			(double)rows[i].used.rss / MIB, (int)rows[i].used.threads));
}

void
bench_watch_threads(const struct bench_job *job, const struct bench_usage *used, uint64_t answers)
{
	static const struct bench_column columns[] = {
		{ "thread", "thread", "", 0 },
		{ "pid", "process", "", 0 },
		{ "tid", "number", "", 0 },
		{ "cpu", "CPU", "%", 1 },
		{ "cpu_per_answer", "CPU/answer", "us", 2 },
		{ "switches", "waited", "", 0 },
		{ "preemptions", "preempted", "", 0 },
	};
	struct bench_row *rows;

	if (job->dut == NULL)
		return;
	rows = calloc(BENCH_TASKS_MAX, sizeof(*rows));
	if (rows == NULL) {
		bench_run_fail(job->run, "no memory for the server's threads");
		return;
	}
	tell_processes(job, rows, used, answers);
	struct bench_table *t = bench_run_table(job->run, "threads", "Threads of the server",
	    columns, sizeof(columns) / sizeof(columns[0]));
	size_t n = bench_dut_threads(job->dut, rows, BENCH_TASKS_MAX);
	for (size_t i = 0; i < n; i++)
		bench_table_add(t,
		    json_pack("[s,i,i,f,f,I,I]", rows[i].name, rows[i].pid, rows[i].tid,
			cpu_percent(&rows[i], used), us_per_answer(rows[i].used.cpu_ns, answers),
			(json_int_t)rows[i].used.switches, (json_int_t)rows[i].used.preemptions));
	free(rows);
}

/* --- Second after second ---------------------------------------------------------------------- */

#define SAMPLES_MAX 3600 /* of longer runs the first hour */

struct bench_sampler {
	const struct bench_job *job;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool ended; /* under the lock */
	uint64_t begin_ns;
	size_t n;
	double cpu[SAMPLES_MAX]; /* % */
};

/* Wait until THEN_NS. False: it is over. The condition's clock is not ours: it stops in a suspend.
 */
static bool
wait_until(struct bench_sampler *s, uint64_t then_ns)
{
	(void)pthread_mutex_lock(&s->lock);
	for (uint64_t now_ns; !s->ended && (now_ns = clock_now_ns()) < then_ns;) {
		struct timespec then;

		(void)clock_gettime(CLOCK_MONOTONIC, &then);
		uint64_t ns = (uint64_t)then.tv_nsec + then_ns - now_ns;
		then.tv_sec += (time_t)(ns / NS_PER_SEC);
		then.tv_nsec = (long)(ns % NS_PER_SEC);
		(void)pthread_cond_timedwait(&s->wake, &s->lock, &then);
	}
	bool goes_on = !s->ended;
	(void)pthread_mutex_unlock(&s->lock);
	return goes_on;
}

static void *
sample(void *arg)
{
	struct bench_sampler *s = arg;
	struct bench_usage before, now, used;
	uint64_t next_ns = s->begin_ns;

	bench_dut_read(s->job->dut, &before);
	while (s->n < SAMPLES_MAX && wait_until(s, next_ns += NS_PER_SEC)) {
		bench_dut_read(s->job->dut, &now);
		bench_usage_since(&before, &now, &used);
		s->cpu[s->n++] = 100 * bench_usage_load(&used);
		before = now;
	}
	return NULL;
}

struct bench_sampler *
bench_watch_sample(const struct bench_job *job)
{
	struct bench_sampler *s = job->dut != NULL ? calloc(1, sizeof(*s)) : NULL;
	pthread_condattr_t by_clock;

	if (s == NULL)
		return NULL;
	s->job = job;
	s->begin_ns = clock_now_ns();
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&by_clock);
	(void)pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->wake, &by_clock);
	(void)pthread_condattr_destroy(&by_clock);
	if (pthread_create(&s->thread, NULL, sample, s) == 0)
		return s;
	free(s);
	return NULL;
}

double
bench_watch_sampled(struct bench_sampler *s, uint64_t end_ns)
{
	double deviation = -1;

	if (s == NULL)
		return deviation;
	(void)pthread_mutex_lock(&s->lock);
	s->ended = true;
	(void)pthread_cond_signal(&s->wake);
	(void)pthread_mutex_unlock(&s->lock);
	(void)pthread_join(s->thread, NULL);
	while (s->n > 0 && s->begin_ns + s->n * NS_PER_SEC > end_ns)
		s->n--;
	if (s->n > 1)
		deviation = bench_stats_summary(s->cpu, s->n).deviation;
	(void)pthread_cond_destroy(&s->wake);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
	return deviation;
}

void
bench_watch_spread(const struct bench_job *job, json_t *row, double deviation)
{
	if (job->dut != NULL)
		(void)json_array_append_new(
		    row, deviation >= 0 ? json_real(deviation) : json_null());
}
