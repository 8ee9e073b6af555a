/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_SERIES_H
#define DNS64D_BENCH_METHOD_SERIES_H

/*
 * bench_series: searches one after another, of trials that are measured now or were measured
 * before. A search that is told the same outcomes asks for the same rates: so it repeats the trials
 * of the state file and goes on where they end. Knows neither network nor server.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/method/bisect.h"
#include "bench/method/journal.h"

#define BENCH_SERIES_ERROR 512 /* bytes of a message, with the zero */

/* A trial that is wanted. */
struct bench_probe {
	unsigned repetition; /* from 1; 0: the self-test */
	uint32_t rate;
	uint64_t n;      /* questions */
	uint64_t first;  /* the first of them */
	double passed_s; /* out: s that it took, with all that belongs to it */
};

/*
 * Do the trial PROBE: set *outcome and return its figures, an object that the caller takes over.
 * NULL if it could not be done or was interrupted: the search ends.
 */
typedef json_t *bench_series_measure(
    void *ctx, struct bench_probe *probe, enum bench_outcome *outcome);

/*
 * A trial is done, and the bisection knows its outcome. RECORD has "repetition", "rate", "verdict",
 * "seconds" and the figures. MEASURED_NOW: it was not in the state file.
 */
typedef void bench_series_told(
    void *ctx, const json_t *record, enum bench_outcome outcome, bool measured_now);

struct bench_series {
	struct bench_journal *journal; /* borrowed; NULL: nothing is kept */
	double duration;               /* s, of a trial */
	bool again;                    /* each trial may use the names of the one before */
	bench_series_measure *measure;
	bench_series_told *told;
	void *ctx;
	size_t at;                      /* records used */
	uint64_t next;                  /* name that was not asked for yet */
	char error[BENCH_SERIES_ERROR]; /* "" when measure ended the search: it knows why */
};

/* bench_series_questions: how many questions a trial at RATE for DURATION seconds asks; at least 1.
 */
MUST_USE uint64_t bench_series_questions(uint32_t rate, double duration);

/*
 * bench_series_most: how many names REPETITIONS of the search *b, which has not begun, take at
 * most, with trials of DURATION seconds. AGAIN as in struct bench_series.
 */
MUST_USE uint64_t bench_series_most(
    const struct bench_bisect *b, unsigned repetitions, double duration, bool again);

/* bench_series_search: do all trials of *b. False if it ended early; s->error may say why. */
MUST_USE bool bench_series_search(
    struct bench_series *s, unsigned repetition, struct bench_bisect *b);

/* bench_series_verdict: the word for an outcome in records: "passed", "failed" or "tester". */
MUST_USE const char *bench_series_verdict(enum bench_outcome o);

#endif
