/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_WORKER_H
#define DNS64D_BENCH_LOAD_WORKER_H

/*
 * bench_worker: one thread of the tester: it asks its share of the questions by lanes of its own,
 * and judges the replies.
 *
 * Open loop (the plan has a rate): questions are sent when they are due, whatever was answered. If
 * the lanes have no room, since their windows are full or the server does not read, questions wait;
 * one that has waited for the timeout counts as unsent. Without a window it does so at once, if all
 * IDs are open. Closed loop: each lane is a client that
 * keeps WINDOW questions open and asks the next when one of them was answered or given up.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"

struct bench_worker;

/*
 * bench_worker_new: a worker with the lanes of thread INDEX (from 0) of PLAN, which is borrowed, to
 * *out. Returns 0 or -errno.
 */
MUST_USE int bench_worker_new(
    const struct bench_plan *plan, unsigned index, struct bench_worker **out);

/* bench_worker_free: close its lanes; NULL is fine. Not while it runs. */
void bench_worker_free(struct bench_worker *w);

/*
 * bench_worker_run: run the thread's share of a trial that begins at START_NS, until all questions
 * are answered or given up, or *stop becomes true. Fills *t. May be called again.
 */
void bench_worker_run(
    struct bench_worker *w, uint64_t start_ns, const atomic_bool *stop, struct bench_tally *t);

/*
 * bench_worker_turn: called by another thread while the worker runs: count in *t, which is clear,
 * from now on. When bench_worker_turned says so, some milliseconds later, the tally before is the
 * caller's. A run that ends first keeps its tally, and bench_worker_turned stays false: the caller
 * then withdraws the request with NULL.
 */
void bench_worker_turn(struct bench_worker *w, struct bench_tally *t);

/* bench_worker_turned: has the worker changed to the tally of bench_worker_turn? */
MUST_USE bool bench_worker_turned(const struct bench_worker *w);

#endif
