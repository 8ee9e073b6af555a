/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SIDES_H
#define DNS64D_BENCH_SIDES_H

/*
 * bench_sides: runs that are compared (bench_compare): their files, what they are called, and by
 * which settings they differ.
 *
 * A side is one file of a run, or several, of which each is a round. A repetition of a file of one
 * side belongs to the same repetition of the same file of the others: both are of one round.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "bench/result/run.h"

#define BENCH_SIDES_MAX 8  /* as many colours as can be told apart */
#define BENCH_SIDE_NAME 80 /* octets, with the zero */

struct bench_side {
	char name[BENCH_SIDE_NAME];
	char *words;             /* owned: the paths, each with its end */
	const char **paths;      /* owned: a file for each round; "": there is none */
	struct bench_run **runs; /* owned: likewise; NULL: there is none */
	size_t n;                /* files */
};

struct bench_sides {
	struct bench_side side[BENCH_SIDES_MAX];
	size_t n;
	size_t each;                 /* repetitions of a file, at most */
	size_t rounds;               /* files of a side, at most, times that */
	char error[BENCH_RUN_ERROR]; /* why they cannot be compared */
};

/*
 * bench_sides_read: read the sides that the N WORDS name: "[NAME=]FILE[,FILE...]", where an empty
 * FILE is a round that this side has not. Without a name a side is called as its first file. False,
 * with the reason in c->error, if a file is no run, if they are of different methods, or if there
 * is neither a second side nor a list of files. To be freed in any case.
 */
MUST_USE bool bench_sides_read(struct bench_sides *c, char *const *words, size_t n);

/* bench_sides_free: free the runs of *C. */
void bench_sides_free(struct bench_sides *c);

/*
 * bench_sides_next: the next run after *SIDE and *FILE, which become its place; NULL after the
 * last. The first follows 0 and SIZE_MAX.
 */
const json_t *bench_sides_next(const struct bench_sides *c, size_t *side, size_t *file);

/*
 * bench_sides_settings: put into RESULT, as settings, what is compared, and each setting of the
 * runs, of their machines and their version that is not the same in all of them.
 */
void bench_sides_settings(const struct bench_sides *c, struct bench_run *result);

/*
 * bench_sides_notes: put into RESULT, as findings, what else is to be known: that runs of several
 * repetitions were measured one after the other, which of the runs are not good, and why, and which
 * rates are only the highest that was tried.
 */
void bench_sides_notes(const struct bench_sides *c, struct bench_run *result);

#endif
