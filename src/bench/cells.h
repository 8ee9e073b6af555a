/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_CELLS_H
#define DNS64D_BENCH_CELLS_H

/*
 * bench_cells: searches for the highest rate without a fault, repeated, of one thing or of several
 * that one run compares, as the shares of a matrix: the self-test, the trials, the state file, the
 * tables of searches and of trials.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/method.h"
#include "bench/progress.h"
#include "bench/series.h"
#include "bench/settings.h"

/* One of them. All borrowed. */
struct bench_cell {
	const struct bench_settings *settings; /* of its trials */
	json_t *is;     /* what it is, for its records, as {"hits": 20}; NULL: there is only one */
	bool new_names; /* it has other names than the cells before, and begins with the first */
};

/* What RFC 8219 section 9.2 wants at least; of less its percentiles would look as if it were that.
 */
#define BENCH_RFC_REPETITIONS 20
#define BENCH_RFC_DURATION 60.0 /* s, of a trial */

/* bench_cells_is_rfc: are searches by S what the RFC wants? */
MUST_USE bool bench_cells_is_rfc(const struct bench_settings *s);

/* What the searches of a cell have found. */
struct bench_found {
	double *rates;      /* owned; the results */
	unsigned *searches; /* owned; the number, from 1, of the search that has found each */
	unsigned n;         /* how many; 0: none has a result, and the first may be the last */
	unsigned spoilt;    /* searches whose end was the tester's: they are no results, */
	double spoilt_best; /* and the highest rate that passed in one */
	bool ended;         /* all searches were done, or that one */
	enum bench_limit nothing;              /* without a result: why */
	unsigned limited[BENCH_LIMIT_LOW + 1]; /* how many results by what */
	/*
	 * The server's CPU in the trials that passed at those rates: the sums of % and of their
	 * squares, and of us for each answer, of how many.
	 */
	double cpu, cpu_squares, cpu_per_answer;
	unsigned n_cpu;
};

struct bench_cells {
	struct bench_job job;     /* with the settings of the cell that runs */
	struct bench_plan tester; /* of the self-test */
	struct bench_series series;
	struct bench_progress progress;
	const struct bench_column *columns; /* borrowed: what cells are */
	size_t n_columns;
	struct bench_table *results; /* a row for each search */
	struct bench_table *trials;
	json_t *records;                       /* owned: of all trials */
	size_t from;                           /* where those of this cell begin */
	uint32_t high;                         /* --high, or what the tester can measure */
	bool capped;                           /* the latter */
	unsigned n_cells, done;                /* how many there are, and were searched */
	unsigned spoilt;                       /* searches of all cells, as in bench_found */
	unsigned in_search;                    /* trials of a whole search, roughly */
	unsigned limited[BENCH_LIMIT_LOW + 1]; /* how many cells, in one search at least, by what */
	/* of the search that runs: */
	const struct bench_cell *cell;
	unsigned repetition;
	const struct bench_bisect *bisect;
	unsigned n_trials;
	double seconds;
	json_int_t valid, sent;     /* of its last trial */
	double cpu, cpu_per_answer; /* of the last one that passed; NAN: unknown */
};

/*
 * bench_cells_begin: begin the tables, open the state file and do the self-test, with the settings
 * of FIRST, for so many CELLS. The N_COLUMNS at COLUMNS (borrowed) are those of a cell: its "is"
 * has their names. False, with the reason in the run, if nothing can be measured. bench_cells_end
 * in any case.
 */
MUST_USE bool bench_cells_begin(struct bench_cells *c, const struct bench_job *job,
    const struct bench_cell *first, unsigned n_cells, const struct bench_column *columns,
    size_t n_columns);

/*
 * bench_cells_search: do all searches of CELL, and set *f. If they end early, f->ended is false,
 * *f has those before, and the run has the reason unless it was interrupted. bench_found_drop in
 * any case.
 */
void bench_cells_search(
    struct bench_cells *c, const struct bench_cell *cell, struct bench_found *f);

/*
 * bench_cells_inversion: tell if a trial of the cell that was searched last failed at a lower rate
 * than another one passed: then its rate is no limit, or something disturbed the trial.
 */
void bench_cells_inversion(const struct bench_cells *c);

/* bench_cells_limit: the word for what limits most of the results of F, or for why it has none. */
MUST_USE const char *bench_cells_limit(const struct bench_cells *c, const struct bench_found *f);

/*
 * bench_cells_judge: say so if the results of cells are not the server's limit, or were not got as
 * the RFC wants: for methods with several.
 */
void bench_cells_judge(const struct bench_cells *c);

/* bench_cells_spoilt: tell how many of the SEARCHES that were done do not count, if any. */
void bench_cells_spoilt(const struct bench_cells *c, unsigned searches);

/* bench_found_cpu: the standard deviation of the server's CPU in F, in %; NAN of less than two. */
MUST_USE double bench_found_cpu(const struct bench_found *f);

/* bench_found_drop: free what *f has; all zero is fine. */
void bench_found_drop(struct bench_found *f);

/* bench_cells_end: close the state file and free the records. */
void bench_cells_end(struct bench_cells *c);

#endif
