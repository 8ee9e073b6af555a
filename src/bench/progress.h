/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_PROGRESS_H
#define DNS64D_BENCH_PROGRESS_H

/*
 * bench_progress: what a run says of itself while it lasts: a line for each trial, with the time
 * that is left. On a terminal there is also a line for what runs now, until something else is
 * printed over it.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"

#define BENCH_PROGRESS_TEXT 200 /* bytes of a line, with the zero */

struct bench_progress {
	FILE *out;       /* borrowed */
	bool terminal;   /* OUT is one */
	double usual_s;  /* of a trial, before there was one */
	double seconds;  /* of all trials that were counted */
	unsigned trials; /* how many that were */
	bool shown;      /* the line of what runs now stands there */
};

/*
 * bench_progress_init: nothing runs. OUT is borrowed; a trial is thought to take USUAL_S seconds
 * until one was counted.
 */
void bench_progress_init(struct bench_progress *p, FILE *out, double usual_s);

/* bench_progress_count: a trial took SECONDS, which estimates those to come. */
void bench_progress_count(struct bench_progress *p, double seconds);

/* bench_progress_left: how long N trials will take, in s. */
MUST_USE double bench_progress_left(const struct bench_progress *p, unsigned n);

/*
 * bench_progress_begin: FORMAT says what runs now, and LEFT_S how long it is to the end of the run.
 * Prints nothing unless OUT is a terminal.
 */
void bench_progress_begin(struct bench_progress *p, double left_s, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* bench_progress_end: nothing runs now: its line is wiped. */
void bench_progress_end(struct bench_progress *p);

/* bench_progress_tell: the same, and print a line that stays, with the time left. */
void bench_progress_tell(struct bench_progress *p, double left_s, const char *format, ...)
    PRINTF_LIKE(3, 4);

#endif
