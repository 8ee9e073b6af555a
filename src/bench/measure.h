/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_MEASURE_H
#define DNS64D_BENCH_MEASURE_H

/* bench_measure: one trial of a search or sweep: prepare the server, ask it, judge it. */

#include <jansson.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/bisect.h"
#include "bench/method.h"

/* A trial that is wanted. */
struct bench_probe {
	json_t *cell; /* borrowed: what it is a trial of, as {"hits": 20}; NULL: all there is */
	unsigned repetition; /* from 1; 0: the self-test */
	uint32_t rate;
	uint64_t n;      /* questions */
	uint64_t first;  /* the first of them */
	double passed_s; /* out: s that it took, with all that belongs to it */
};

/*
 * bench_measure_outcome: the outcome of a trial by PLAN at RATE with tally T. If the tester did
 * something wrong (bench_method_flaws) the trial says nothing of the server.
 */
MUST_USE enum bench_outcome bench_measure_outcome(
    const struct bench_tally *t, uint32_t rate, const struct bench_plan *plan);

/*
 * bench_measure_trial: restart the server if --restart was given, wait until it answers, warm its
 * cache, and do the trial P. With TESTER, the plan of the self-test, only ask by that: whatever
 * went wrong is the tester's fault then, so the outcome is never BENCH_NO_VERDICT. Sets *outcome
 * and returns the figures, an object that the caller takes over. NULL if something of that failed,
 * with the reason in the run, or if it was interrupted. (Tests put their own trials in its place.)
 */
MUST_USE json_t *bench_measure_trial(const struct bench_job *job, const struct bench_plan *tester,
    struct bench_probe *p, enum bench_outcome *outcome);

#endif
