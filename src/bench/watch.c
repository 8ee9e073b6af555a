/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/watch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "bench/host/dut.h"

#define MIB 1048576.0

static const struct bench_column server[] = {
	{ "server_cpu", "CPU", "%", 1 },
	{ "server_cpu_per_answer", "CPU/answer", "us", 2 },
	{ "server_rss", "RSS", "MiB", 1 },
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

void
bench_watch_row(
    const struct bench_job *job, json_t *row, const struct bench_usage *used, uint64_t answers)
{
	if (job->dut == NULL)
		return;
	(void)json_array_append_new(row, json_real(100 * bench_usage_load(used)));
	(void)json_array_append_new(row, json_real(us_per_answer(used->cpu_ns, answers)));
	(void)json_array_append_new(row, json_real((double)used->rss / MIB));
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
	bench_run_find(r, "server context switches", json_integer((json_int_t)used->switches), "");
	if (used->processes == 0)
		bench_run_fail(r, "the server's processes have ended");
	if (used->left_out > 0)
		bench_run_fail(r, "the server has more processes than can be watched");
}

/* --- Second after second ---------------------------------------------------------------------- */

#define SPAN_NS (NS_PER_SEC * 9 / 10) /* who looks each second does not do so exactly */

void
bench_watch_cpu_begin(const struct bench_job *job, struct bench_cpu *c)
{
	*c = (struct bench_cpu){ .n = 0 };
	if (job->dut != NULL)
		bench_dut_read(job->dut, &c->last);
}

void
bench_watch_cpu(const struct bench_job *job, struct bench_cpu *c)
{
	struct bench_usage now, used;

	if (job->dut == NULL || clock_now_ns() - c->last.time_ns < SPAN_NS)
		return;
	bench_dut_read(job->dut, &now);
	bench_usage_since(&c->last, &now, &used);
	double cpu = 100 * bench_usage_load(&used);
	c->n++;
	c->sum += cpu;
	c->squares += cpu * cpu;
	c->last = now;
}

double
bench_watch_deviation(const struct bench_cpu *c)
{
	double n = (double)c->n;

	return c->n > 1 ? sqrt(fmax(c->squares - c->sum * c->sum / n, 0) / (n - 1)) : -1;
}

void
bench_watch_find_deviation(const struct bench_job *job, const struct bench_cpu *c)
{
	if (bench_watch_deviation(c) >= 0)
		bench_run_find(
		    job->run, "server CPU deviation", json_real(bench_watch_deviation(c)), "%");
}

void
bench_watch_spread(const struct bench_job *job, json_t *row, double deviation)
{
	if (job->dut != NULL)
		(void)json_array_append_new(row, bench_run_real(deviation >= 0, deviation));
}
