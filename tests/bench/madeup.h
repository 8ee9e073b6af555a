/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_BENCH_MADEUP_H
#define DNS64D_TESTS_BENCH_MADEUP_H

/*
 * madeup: runs of search, matrix and sweep whose trials are made up by the test: these stand in for
 * bench_measure_trial. Programs that use it are linked with $(wrap_trials).
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/measure.h"
#include "support/scratch.h"

#define MADEUP_LINE 500

/* Do the trial *p as bench_measure_trial does. */
typedef json_t *madeup_trial(
    const struct bench_job *job, struct bench_probe *p, enum bench_outcome *outcome);

/* What is run, and how far it came. */
struct madeup {
	char line[MADEUP_LINE];  /* command line, without the program's name */
	char path[SCRATCH_PATH]; /* its state file */
	madeup_trial *trial;
	bool watched; /* there are columns of the server, for "server" in what TRIAL returns */
	atomic_bool stop;
	unsigned n_measured; /* trials */
	unsigned end_at;     /* the trial that is cut off; 0: none */
	uint64_t next_name;  /* none below that may be asked for, unless the server is restarted */
};

/* madeup_begin: the run of LINE, with a state file that is empty, and trials by TRIAL. */
void madeup_begin(struct madeup *m, const char *line, madeup_trial *trial);

/* madeup_end: remove the state file. */
void madeup_end(struct madeup *m);

/* madeup_again: forget what was measured, the state file too. */
void madeup_again(struct madeup *m);

/* madeup_edit: write IS over the first WAS, which is as long, of the command line. */
void madeup_edit(struct madeup *m, const char *was, const char *is);

/* madeup_replace: write IS over the first WAS, which is as long, of the state file. */
void madeup_replace(const struct madeup *m, const char *was, const char *is);

/* madeup_append: add TEXT to the state file. */
void madeup_append(const struct madeup *m, const char *text);

/* madeup_run: run METHOD, a function of method.h; the results are the caller's. */
struct bench_run *madeup_run(struct madeup *m, void (*method)(const struct bench_job *));

#endif
