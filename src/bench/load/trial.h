/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_TRIAL_H
#define DNS64D_BENCH_LOAD_TRIAL_H

/* bench_trial: all threads of the tester doing the same at once. */

#include <stdatomic.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"
#include "bench/load/worker.h"

struct bench_trial;

/*
 * bench_trial_new: lanes for all threads of *plan, which is copied. 0 or -errno; nothing is sent
 * yet.
 */
MUST_USE int bench_trial_new(const struct bench_plan *plan, struct bench_trial **out);
void bench_trial_free(struct bench_trial *t);

/*
 * bench_trial_run: N questions from number FIRST of the load on (UINT64_MAX: as many as go into the
 * plan's time); *stop ends it early. What became of them to *sum. 0 or -errno if the threads could
 * not be started. May be called again; connections and source ports stay.
 */
MUST_USE int bench_trial_run(struct bench_trial *t, uint64_t first, uint64_t n,
    const atomic_bool *stop, struct bench_tally *sum);

/*
 * bench_trial_start: the same, but return at once, while it goes on. bench_trial_take: what became
 * of questions since then, or since it was called last, to *sum; nothing waits for that, and what
 * is under way is counted when its fate is known. bench_trial_join: wait for the end, and the rest.
 */
MUST_USE int bench_trial_start(
    struct bench_trial *t, uint64_t first, uint64_t n, const atomic_bool *stop);
void bench_trial_take(struct bench_trial *t, struct bench_tally *sum);
void bench_trial_join(struct bench_trial *t, struct bench_tally *sum);

#endif
