/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_TRIAL_H
#define DNS64D_BENCH_LOAD_TRIAL_H

/* bench_trial: the threads of the tester, each a bench_worker, run a plan together. */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"
#include "bench/load/worker.h"

struct bench_trial;

/*
 * bench_trial_new: open the lanes of all threads of *plan, which is copied; nothing is sent yet.
 * The trial to *out. Returns 0 or -errno.
 */
MUST_USE int bench_trial_new(const struct bench_plan *plan, struct bench_trial **out);

/* bench_trial_free: close all lanes; NULL is fine. Not while it runs. */
void bench_trial_free(struct bench_trial *t);

/*
 * bench_trial_run: ask N questions from number FIRST of the load on (UINT64_MAX: as many as there
 * is time for); *stop ends it early. What became of them goes to *sum. Returns 0, or -errno if the
 * threads could not be started. May be called again; connections and source ports stay.
 */
MUST_USE int bench_trial_run(struct bench_trial *t, uint64_t first, uint64_t n,
    const atomic_bool *stop, struct bench_tally *sum);

/* bench_trial_start: the same, but return at once while the trial runs. bench_trial_join ends it.
 */
MUST_USE int bench_trial_start(
    struct bench_trial *t, uint64_t first, uint64_t n, const atomic_bool *stop);

/*
 * bench_trial_set_start: the first question of the next bench_trial_start is due at START_NS (0, as
 * at first: as soon as all threads have started).
 */
void bench_trial_set_start(struct bench_trial *t, uint64_t start_ns);

/* bench_trial_ended: have all its threads ended? Then bench_trial_join does not wait. */
MUST_USE bool bench_trial_ended(struct bench_trial *t);

/*
 * bench_trial_take: what became of questions since the start, or since the last call, to *sum. The
 * trial does not pause for it; open questions are counted when their outcome is known.
 */
void bench_trial_take(struct bench_trial *t, struct bench_tally *sum);

/* bench_trial_join: wait for the end of the trial; what was not taken yet goes to *sum. */
void bench_trial_join(struct bench_trial *t, struct bench_tally *sum);

#endif
