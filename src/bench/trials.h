/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_TRIALS_H
#define DNS64D_BENCH_TRIALS_H

/*
 * bench_trials: the trials of a run, which are measured now or were kept in its state file: each
 * becomes a record and a row of the table "trials". A search that is told the same outcomes asks
 * for the same rates: so it repeats the trials of the file and goes on where they end.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/bisect.h"
#include "bench/journal.h"
#include "bench/method.h"
#include "bench/progress.h"

#define BENCH_TRIALS_WHERE 80 /* bytes of a text, with the zero */

struct bench_trials {
	struct bench_job job;               /* with the settings of the trials that are done */
	const struct bench_plan *tester;    /* borrowed: of a self-test; NULL: it is the server's */
	bool reuse_names;                   /* each may use the names of the one before */
	uint64_t next;                      /* name that was not asked for yet */
	json_t *records;                    /* owned: of all trials */
	size_t at;                          /* how many lines of the journal were used */
	struct bench_journal *journal;      /* owned; NULL: nothing is kept */
	const struct bench_column *columns; /* borrowed: what cells are */
	size_t n_columns;
	struct bench_table *table;
	struct bench_progress progress;
	char where[BENCH_TRIALS_WHERE]; /* what a search is, as "repetition 3/20" */
	unsigned rest; /* trials that come after those of this search, for an estimate */
	/* of the last search: */
	unsigned n; /* trials */
	double seconds;
	const json_t *last, *passed; /* borrowed: its last record, and the last that passed; NULL */
};

/*
 * bench_trials_begin: begin the trials of JOB and their table, whose first columns are the N at
 * COLUMNS (borrowed), and open the state file. False, with the reason in the run, if that fails.
 * bench_trials_end in any case.
 */
MUST_USE bool bench_trials_begin(struct bench_trials *t, const struct bench_job *job,
    const struct bench_column *columns, size_t n);

/*
 * bench_trials_search: try all rates of *b, as REPETITION (0: self-test) of CELL, an object that
 * the records get (borrowed; NULL: there is only one). False if it ended early: the run says why,
 * unless it was interrupted.
 */
MUST_USE bool bench_trials_search(
    struct bench_trials *t, json_t *cell, unsigned repetition, struct bench_bisect *b);

/* bench_trials_late: tell if a question was late by much in a trial that counts. */
void bench_trials_late(const struct bench_trials *t);

/* bench_trials_end: close the state file and free the records. */
void bench_trials_end(struct bench_trials *t);

/* --- Records ---------------------------------------------------------------------------------- */

/*
 * A record has what its cell has, "repetition", "rate", "verdict" ("passed", "failed", "tester" or
 * "cached"), "seconds", the figures of bench_measure_trial, and in "server" those of
 * bench_watch_row.
 */

/* bench_record_is: has the trial of RECORD that outcome, and was no self-test? */
MUST_USE bool bench_record_is(const json_t *record, enum bench_outcome o);

/* bench_record_counts: does RECORD say something of the server: passed or failed? */
MUST_USE bool bench_record_counts(const json_t *record);

/* bench_record_integer: the whole number KEY of RECORD; 0: it has none. */
MUST_USE json_int_t bench_record_integer(const json_t *record, const char *key);

/*
 * bench_record_number: the number KEY of RECORD, or column K of the server's usage, if KEY is NULL;
 * NAN: it has none.
 */
MUST_USE double bench_record_number(const json_t *record, const char *key, size_t k);

#endif
