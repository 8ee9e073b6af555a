/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_OUTCOME_H
#define DNS64D_BENCH_LOAD_OUTCOME_H

/* bench_outcome: what becomes of a question: answered, right or wrong, late, or lost. */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/lane.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"

/*
 * bench_outcome_reply: REPLY has come by LANE in a run of PLAN that began at START_NS: count it in
 * *t, and in the raw file if there is one. True if it ended an open question.
 */
MUST_USE bool bench_outcome_reply(const struct bench_plan *plan, uint64_t start_ns,
    struct bench_lane *lane, const struct bench_view *reply, struct bench_tally *t);

/*
 * bench_outcome_expire: give up, at NOW_NS, the open questions that were sent by LANE at SENT_NS or
 * before. Returns how many.
 */
MUST_USE uint64_t bench_outcome_expire(const struct bench_plan *plan, struct bench_lane *lane,
    uint64_t sent_ns, uint64_t now_ns, struct bench_tally *t);

#endif
