/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/watch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"

#define MIB 1048576.0
#define SPAN_NS (NS_PER_SEC * 9 / 10) /* who looks each second does not do so exactly */

static const struct bench_column server[] = {
	{ "server_cpu", "CPU", "%", 1 },
	{ "server_cpu_per_answer", "CPU/answer", "us", 2 },
	{ "server_rss", "RSS", "MiB", 1 },
	{ "server_cpu_deviation", "CPU deviation", "%", 1 },
};

_Static_assert(sizeof(server) / sizeof(server[0]) == BENCH_WATCH_COLUMNS + 1, "and the spread");

/* --- Steps ------------------------------------------------------------------------------------ */

void
bench_watch_begin(struct bench_watch *w, const struct bench_job *job)
{
	*w = (struct bench_watch){ .job = job };
	if (job->dut == NULL)
		return;
	bench_dut_read(job->dut, &w->begin);
	w->last = w->begin;
	bench_usage_since(&w->begin, &w->begin, &w->used);
}

void
bench_watch_restart(struct bench_watch *w)
{
	if (w->job->dut == NULL)
		return;
	bench_dut_read(w->job->dut, &w->last);
	bench_usage_since(&w->begin, &w->last, &w->used);
	w->n = 0;
	w->sum = w->squares = 0;
}

void
bench_watch_sample(struct bench_watch *w)
{
	struct bench_usage now, used;

	if (w->job->dut == NULL || clock_now_ns() - w->last.time_ns < SPAN_NS)
		return;
	bench_dut_read(w->job->dut, &now);
	bench_usage_since(&w->last, &now, &used);
	double cpu = 100 * bench_usage_load(&used);
	w->n++;
	w->sum += cpu;
	w->squares += cpu * cpu;
	w->last = now;
}

/* What was USED until now, in a time that ended at END_NS already. */
static void
cut(struct bench_usage *used, uint64_t end_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (end_ns < now_ns && now_ns - end_ns < used->time_ns)
		used->time_ns -= now_ns - end_ns;
}

void
bench_watch_step(struct bench_watch *w, uint64_t end_ns)
{
	struct bench_usage before = w->used;

	if (w->job->dut == NULL)
		return;
	bench_dut_read(w->job->dut, &w->used);
	bench_usage_since(&w->begin, &w->used, &w->used);
	bench_usage_since(&before, &w->used, &w->step);
	cut(&w->used, end_ns);
	cut(&w->step, end_ns);
}

uint64_t
bench_watch_end(const struct bench_tally *t)
{
	uint64_t last_ns = t->heard_ns > t->last_ns ? t->heard_ns : t->last_ns;

	return t->overdue > 0 && t->sent > 0 ? last_ns : clock_now_ns();
}

double
bench_watch_deviation(const struct bench_watch *w)
{
	double n = (double)w->n;

	return w->n > 1 ? sqrt(fmax(w->squares - w->sum * w->sum / n, 0) / (n - 1)) : -1;
}

/* --- Results ---------------------------------------------------------------------------------- */

struct bench_table *
bench_watch_table(const struct bench_job *job, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns, bool spread)
{
	struct bench_table *t = bench_run_table(job->run, name, title, columns, n_columns);

	if (job->dut != NULL)
		bench_table_columns(t, server, BENCH_WATCH_COLUMNS + (spread ? 1 : 0));
	return t;
}

static double
us_per_answer(const struct bench_usage *used, uint64_t answers)
{
	return answers > 0 ? (double)used->cpu_ns / 1000 / (double)answers : 0;
}

void
bench_watch_row(const struct bench_watch *w, json_t *row, uint64_t answers, bool spread)
{
	const struct bench_usage *used = &w->step;
	double deviation = bench_watch_deviation(w);

	if (w->job->dut == NULL)
		return;
	(void)json_array_append_new(row, json_real(100 * bench_usage_load(used)));
	(void)json_array_append_new(row, json_real(us_per_answer(used, answers)));
	(void)json_array_append_new(row, json_real((double)used->rss / MIB));
	if (spread)
		(void)json_array_append_new(row, bench_run_real(deviation >= 0, deviation));
}

void
bench_watch_find(const struct bench_watch *w, uint64_t answers, bool spread)
{
	const struct bench_usage *used = &w->used;
	double deviation = bench_watch_deviation(w);
	struct bench_run *r = w->job->run;

	if (w->job->dut == NULL)
		return;
	bench_run_find(r, "server CPU", json_real(100 * bench_usage_load(used)), "%");
	bench_run_find(r, "server CPU per answer", json_real(us_per_answer(used, answers)), "us");
	bench_run_find(r, "server RSS", json_real((double)used->rss / MIB), "MiB");
	bench_run_find(r, "server context switches", json_integer((json_int_t)used->switches), "");
	if (used->processes == 0)
		bench_run_fail(r, "the server's processes have ended");
	if (used->left_out > 0)
		bench_run_fail(r, "the server has more processes than can be watched");
	if (spread && deviation >= 0)
		bench_run_find(r, "server CPU deviation", json_real(deviation), "%");
}
