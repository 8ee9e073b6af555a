/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cells.h"
#include "bench/host/machine.h"
#include "bench/method.h"
#include "bench/stats.h"

#define N_CPU 4                /* columns of the server, if it is watched */
#define VARIABLE "BENCH_LOOPS" /* in the environment of --restart */

static const struct bench_column cell_columns[] = { { "loops", "loops", "", 0 } };

struct scale {
	const struct bench_job *job;
	struct bench_cells cells;
	struct bench_table *table;
	unsigned cpus;   /* of this machine */
	unsigned others; /* threads of the tester and the upstream */
	double per_loop; /* median rate, with the first number of loops; 0: not known yet */
	bool whole;      /* that was all that the server can do */
};

const char *
bench_scale_limit(double cpu, unsigned loops, unsigned others, unsigned cpus)
{
	if (isnan(cpu))
		return "server";
	if (cpu >= BENCH_SCALE_FULL * loops)
		return "CPU";
	return loops + others > cpus ? "cores" : "not CPU";
}

static const char *
limit_of(const struct scale *s, const struct bench_found *f, unsigned loops)
{
	const char *word = bench_cells_limit(&s->cells, f);

	if (strcmp(word, "server") != 0)
		return word;
	return bench_scale_limit(
	    f->n_cpu > 0 ? f->cpu / f->n_cpu : (double)NAN, loops, s->others, s->cpus);
}

static void
add_row(struct scale *s, const struct bench_found *f, unsigned loops)
{
	struct bench_summary sum = { 0 };
	double cpu = f->n_cpu > 0 ? f->cpu / f->n_cpu : 0;
	json_t *row = json_pack("[i]", (int)loops);

	if (f->n > 0)
		sum = bench_stats_summary(f->rates, f->n);
	double each = sum.median / loops;
	bool whole = strcmp(bench_cells_limit(&s->cells, f), "server") == 0;
	if (s->per_loop <= 0) {
		s->per_loop = each;
		s->whole = whole;
	}
	/* A rate that could be higher says nothing of what loops are worth. */
	const struct {
		double v;
		bool known;
	} values[] = { { sum.median, true }, { sum.p1, true }, { sum.p99, true },
		{ s->per_loop * loops, s->whole }, { each, true },
		{ 100 * each / s->per_loop, s->whole && whole } };
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		(void)json_array_append_new(
		    row, f->n > 0 && values[i].known ? json_real(values[i].v) : json_null());
	const double spread[] = { sum.mean, sum.deviation, sum.mad, sum.margin };
	for (size_t i = 0; i < sizeof(spread) / sizeof(spread[0]); i++)
		(void)json_array_append_new(
		    row, f->n > (i > 0 ? 1U : 0U) ? json_real(spread[i]) : json_null());
	if (s->job->dut != NULL) {
		bool known = f->n_cpu > 0;

		(void)json_array_append_new(row, known ? json_real(cpu) : json_null());
		(void)json_array_append_new(
		    row, f->n_cpu > 1 ? json_real(bench_found_cpu(f)) : json_null());
		(void)json_array_append_new(row, known ? json_real(cpu / loops) : json_null());
		(void)json_array_append_new(
		    row, known ? json_real(f->cpu_per_answer / f->n_cpu) : json_null());
	}
	(void)json_array_append_new(row, json_string(limit_of(s, f, loops)));
	bench_table_add(s->table, row);
}

/* Search with LOOPS. False: the run ends. */
static bool
search(struct scale *s, unsigned loops)
{
	struct bench_cell cell = { .settings = s->job->settings,
		.is = json_pack("{si}", "loops", (int)loops) };
	struct bench_found found;
	char text[16];

	(void)snprintf(text, sizeof(text), "%u", loops);
	if (setenv(VARIABLE, text, 1) != 0) {
		bench_run_fail(s->job->run, "out of memory");
		json_decref(cell.is);
		return false;
	}
	bench_cells_search(&s->cells, &cell, &found);
	bool ended = found.ended;
	if (ended)
		add_row(s, &found, loops);
	bench_cells_inversion(&s->cells);
	bench_found_drop(&found);
	json_decref(cell.is);
	return ended;
}

static struct bench_table *
begin_table(const struct bench_job *job)
{
	bool rfc = bench_cells_is_rfc(job->settings);
	const struct bench_column columns[] = {
		{ "loops", "loops", "", 0 },
		{ "rate_median", "highest rate", "1/s", 0 },
		{ rfc ? "rate_p1" : "rate_min", rfc ? "p1" : "min", "1/s", 0 },
		{ rfc ? "rate_p99" : "rate_max", rfc ? "p99" : "max", "1/s", 0 },
		{ "rate_ideal", "ideal", "1/s", 0 },
		{ "each", "rate/loop", "1/s", 0 },
		{ "efficiency", "efficiency", "%", 1 },
		/* Of the rates, not drawn: */
		{ "mean", "mean", "", 0 },
		{ "deviation", "deviation", "", 0 },
		{ "mad", "MAD", "", 0 },
		{ "margin", "margin 99.9 %", "", 0 },
		{ "server_cpu", "CPU", "%", 1 },
		{ "server_cpu_deviation", "deviation", "%", 1 },
		{ "server_cpu_per_loop", "CPU/loop", "%", 1 },
		{ "server_cpu_per_answer", "CPU/answer", "us", 2 },
		{ "limit", "limit", "", 0 },
	};
	size_t n = sizeof(columns) / sizeof(columns[0]);
	struct bench_column shown[sizeof(columns) / sizeof(columns[0])];

	memcpy(shown, columns, sizeof(columns));
	if (job->dut == NULL) {
		shown[n - 1 - N_CPU] = columns[n - 1];
		n -= N_CPU;
	}
	struct bench_table *t =
	    bench_run_table(job->run, "scale", "Highest rate without a fault by loops", shown, n);
	bench_table_live(t, job->out);
	return t;
}

/* The server may be on another machine; if it is on this one, it has not all of it. */
static void
warn(const struct scale *s)
{
	const struct bench_settings *o = s->job->settings;
	unsigned most = 0;

	for (size_t i = 0; i < o->n_loops; i++)
		most = o->loops[i] > most ? o->loops[i] : most;
	if (most + s->others <= s->cpus)
		return;
	(void)fprintf(stderr,
	    "dns64bench: %u loops, the tester (%u) and the upstream want %u CPUs, and this machine"
	    " has %u: if the server runs here, they share them\n",
	    most, o->plan.n_threads, most + s->others, s->cpus);
}

void
bench_scale(const struct bench_job *job)
{
	const struct bench_settings *o = job->settings;
	const struct bench_cell first = { .settings = o };
	struct scale s = { .job = job, .others = o->plan.n_threads + 1 };
	struct bench_machine machine;

	bench_machine_read("", &machine);
	s.cpus = machine.cpus;
	warn(&s);
	bench_method_settings(job);
	s.table = begin_table(job);
	if (bench_cells_begin(&s.cells, job, &first, (unsigned)o->n_loops, cell_columns, 1)) {
		for (size_t i = 0; i < o->n_loops && search(&s, o->loops[i]); i++)
			;
		bench_cells_judge(&s.cells);
	}
	bench_cells_end(&s.cells);
}
