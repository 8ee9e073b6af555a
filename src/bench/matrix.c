/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_matrix: the highest rate without a fault by the share of questions that a cache can answer
 * and the share of names that have AAAA (RFC 8219 section 9.2, tables 6 and 7 of the paper).
 */
#include "bench/method.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cells.h"
#include "bench/stats.h"
#include "bench/watch.h"

#define COLUMNS 3 /* of a cell, in the table that is drawn: the median and its ends */
#define N_CPU 3   /* columns of the server */
#define TITLE 24  /* bytes of a column's name or title */

static const struct bench_column cell_columns[] = {
	{ "hits", "hits (%)", "", 0 },
	{ "aaaa", "AAAA (%)", "", 0 },
};

#define N_CELL (sizeof(cell_columns) / sizeof(cell_columns[0]))

struct matrix {
	const struct bench_job *job;
	struct bench_cells cells;
	struct bench_table *table;
	struct bench_summary *rates; /* owned: of each cell, by AAAA, then by hits; n 0: none */
};

/* --- Cells ------------------------------------------------------------------------------------ */

/*
 * Names with another share of AAAA are in another zone, "aaaa-40" of the one given: so the upstream
 * has all shares at once, and nothing that the server knows of one share is wrong in another.
 */
static void
set_aaaa(struct fake_zone *z, const struct fake_zone *given, unsigned percent)
{
	char label[16];
	size_t len = (size_t)snprintf(label, sizeof(label), "aaaa-%u", percent);

	*z = *given;
	memcpy(z->name + 1 + len, given->name, given->len);
	z->name[0] = (uint8_t)len;
	memcpy(z->name + 1, label, len);
	z->len += 1 + len;
	z->aaaa_percent = percent;
}

static struct bench_settings
settings_of(const struct bench_settings *base, size_t aaaa, size_t hits)
{
	struct bench_settings s = *base;

	set_aaaa(&s.plan.load.zone, &base->plan.load.zone, base->aaaa.percent[aaaa]);
	s.hits_percent = base->hits.percent[hits];
	(void)!bench_load_mix(&s.plan.load, BENCH_HIT, s.hits_percent); /* all are new: it fits */
	s.plan.load.hits = true; /* where there are none, too: the others' hot names are not new */
	return s;
}

static void
add_row(struct matrix *m, const struct bench_cell *cell, const struct bench_found *f,
    const struct bench_summary *sum)
{
	bool any = f->n > 0, watched = f->n_cpu > 0;
	json_t *row = json_pack("[O,O,i,o,o,o,o,o,o,o,s]", json_object_get(cell->is, "hits"),
	    json_object_get(cell->is, "aaaa"), (int)f->n, bench_run_real(any, sum->median),
	    bench_run_real(any, sum->p1), bench_run_real(any, sum->p99),
	    bench_run_real(any, sum->mean), bench_run_real(f->n > 1, sum->deviation),
	    bench_run_real(f->n > 1, sum->mad), bench_run_real(f->n > 1, sum->margin),
	    bench_cells_limit(&m->cells, f));

	if (m->job->dut != NULL) {
		(void)json_array_append_new(row, bench_run_real(watched, f->cpu / f->n_cpu));
		(void)json_array_append_new(row, bench_run_real(f->n_cpu > 1, bench_found_cpu(f)));
		(void)json_array_append_new(
		    row, bench_run_real(watched, f->cpu_per_answer / f->n_cpu));
	}
	bench_table_add(m->table, row);
}

/* Search in one cell. False: the run ends. */
static bool
search(struct matrix *m, size_t aaaa, size_t hits)
{
	const struct bench_settings *base = m->job->settings;
	struct bench_settings s = settings_of(base, aaaa, hits);
	struct bench_cell cell = { .settings = &s,
		.is = json_pack("{si,si}", "hits", (int)base->hits.percent[hits], "aaaa",
		    (int)base->aaaa.percent[aaaa]),
		.new_names = hits == 0 };
	struct bench_summary *sum = &m->rates[aaaa * base->hits.n + hits];
	struct bench_found found;

	bench_cells_search(&m->cells, &cell, &found);
	bool ended = found.ended;
	if (ended && found.n > 0)
		*sum = bench_stats_summary(found.rates, found.n);
	if (ended)
		add_row(m, &cell, &found, sum);
	bench_cells_inversion(&m->cells);
	bench_found_drop(&found);
	json_decref(cell.is);
	return ended;
}

/* The self-test asks for names of the first cell, whose zone the upstream has. */
static bool
begin(struct matrix *m)
{
	const struct bench_settings *base = m->job->settings;
	struct bench_settings s = settings_of(base, 0, 0);
	const struct bench_cell first = { .settings = &s };

	return bench_cells_begin(&m->cells, m->job, &first, (unsigned)(base->hits.n * base->aaaa.n),
	    cell_columns, N_CELL);
}

static void
search_all(struct matrix *m)
{
	const struct bench_settings *base = m->job->settings;

	for (size_t a = 0; a < base->aaaa.n; a++) {
		for (size_t h = 0; h < base->hits.n; h++) {
			if (!search(m, a, h))
				return;
		}
	}
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Without units: that of begin_drawn is drawn. */
static struct bench_table *
begin_table(const struct bench_job *job)
{
	bool rfc = bench_cells_is_rfc(job->settings);
	const struct bench_column columns[] = {
		cell_columns[0],
		cell_columns[1],
		{ "searches", "searches", "", 0 },
		{ "rate_median", "median", "", 0 },
		{ rfc ? "rate_p1" : "rate_min", rfc ? "p1" : "min", "", 0 },
		{ rfc ? "rate_p99" : "rate_max", rfc ? "p99" : "max", "", 0 },
		{ "rate_mean", "mean", "", 0 },
		{ "rate_deviation", "deviation", "", 0 },
		{ "rate_mad", "MAD", "", 0 },
		{ "rate_margin", "margin 99.9 %", "", 0 },
		{ "limit", "limit", "", 0 },
		{ "server_cpu", "CPU (%)", "", 1 },
		{ "server_cpu_deviation", "deviation (%)", "", 1 },
		{ "server_cpu_per_answer", "CPU/answer (us)", "", 2 },
	};
	size_t n = sizeof(columns) / sizeof(columns[0]);
	struct bench_table *t = bench_run_table(job->run, "cells",
	    "Highest rate without a fault (1/s) by hits and names with AAAA", columns,
	    job->dut != NULL ? n : n - N_CPU);

	bench_table_live(t, job->out);
	return t;
}

/* The shares of the rows, and of the columns, of the table that is drawn. */
struct sides {
	const struct bench_shares *rows, *columns;
	bool by_hits; /* rows are shares of hits */
};

static struct sides
sides_of(const struct bench_settings *s)
{
	bool by_hits = s->hits.n >= s->aaaa.n;

	return (
	    struct sides){ by_hits ? &s->hits : &s->aaaa, by_hits ? &s->aaaa : &s->hits, by_hits };
}

static void
add_drawn_row(const struct matrix *m, struct bench_table *t, const struct sides *by, size_t i)
{
	json_t *row = json_pack("[i]", (int)by->rows->percent[i]);
	size_t n_hits = m->job->settings->hits.n;

	for (size_t k = 0; k < by->columns->n; k++) {
		const struct bench_summary *s =
		    &m->rates[by->by_hits ? k * n_hits + i : i * n_hits + k];

		(void)json_array_append_new(row, bench_run_real(s->n > 0, s->median));
		(void)json_array_append_new(row, bench_run_real(s->n > 0, s->p1));
		(void)json_array_append_new(row, bench_run_real(s->n > 0, s->p99));
	}
	bench_table_add(t, row);
}

static void
fill_drawn(const struct matrix *m, struct bench_table *t)
{
	struct sides by = sides_of(m->job->settings);

	for (size_t i = 0; i < by.rows->n; i++)
		add_drawn_row(m, t, &by, i);
}

/* The table that is drawn: bars for each share of one kind, over those of the other, with their
 * spread.
 */
static struct bench_table *
begin_drawn(const struct bench_job *job)
{
	struct sides by = sides_of(job->settings);
	struct bench_column columns[1 + COLUMNS * BENCH_SHARES_MAX];
	char texts[BENCH_SHARES_MAX][COLUMNS + 1][TITLE];
	bool rfc = bench_cells_is_rfc(job->settings);
	const char *const ends[COLUMNS] = { "median", rfc ? "p1" : "min", rfc ? "p99" : "max" };

	columns[0] = by.by_hits ? (struct bench_column){ "hits", "hits", "%", 0 }
				: (struct bench_column){ "aaaa", "AAAA", "%", 0 };
	for (size_t i = 0; i < by.columns->n; i++) {
		unsigned percent = by.columns->percent[i];

		(void)snprintf(
		    texts[i][COLUMNS], TITLE, "%s %u %%", by.by_hits ? "AAAA" : "hits", percent);
		for (size_t k = 0; k < COLUMNS; k++) {
			(void)snprintf(texts[i][k], TITLE, "rate_%s%u_%s",
			    by.by_hits ? "aaaa" : "hits", percent, ends[k]);
			columns[1 + i * COLUMNS + k] = (struct bench_column){ texts[i][k],
				k == 0 ? texts[i][COLUMNS] : ends[k], "1/s", 0 };
		}
	}
	struct bench_table *t = bench_run_table(job->run, "matrix",
	    by.by_hits ? "Highest rate by hits" : "Highest rate by names with AAAA", columns,
	    1 + COLUMNS * by.columns->n);
	bench_table_axis(t, "bars");
	return t;
}

void
bench_matrix(const struct bench_job *job)
{
	const struct bench_settings *s = job->settings;
	struct matrix m = { .job = job };

	bench_method_settings(job);
	m.rates = calloc(s->hits.n * s->aaaa.n, sizeof(*m.rates));
	if (m.rates == NULL) {
		bench_run_fail(job->run, "out of memory");
		return;
	}
	m.table = begin_table(job);
	struct bench_table *drawn = begin_drawn(job);
	if (begin(&m)) {
		search_all(&m);
		fill_drawn(&m, drawn);
		bench_cells_judge(&m.cells);
	}
	bench_cells_end(&m.cells);
	free(m.rates);
}
