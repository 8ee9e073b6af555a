/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_EXCHANGE_H
#define DNS64D_BENCH_EXCHANGE_H

/*
 * bench_exchange: what testers tell each other, as JSON: a plan, and what became of its questions.
 * Pure. What is read comes from the network: nothing of it is used before it was checked, and it
 * takes no more memory than the struct that it is read to.
 *
 * A time is told from the start of the trial on, since each tester has a clock of its own. Numbers
 * are exact, those with a fraction to their last bit.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/plan.h"
#include "bench/load/tally.h"
#include "bench/stats.h"

#define BENCH_EXCHANGE_FORMAT 2 /* goes up when a tester could not read what another one tells */
#define BENCH_EXCHANGE_WHY 120  /* bytes of a reason, with the zero */

/* A plan that was read, and what is to be made for it. */
struct bench_exchange_plan {
	struct bench_plan plan; /* its load.zipf is NULL */
	double zipf;            /* of the popularity of the load's hot names; 0: all alike */
};

/*
 * bench_exchange_plan: the plan P, an object, the caller's; NULL without memory. Not of loads with
 * telephone numbers. Where the questions are noted (raw), and when it starts, is not told.
 */
MUST_USE json_t *bench_exchange_plan(const struct bench_plan *p);

/* bench_exchange_read_plan: the plan FROM to *p. False: it is none, and WHY says what is wrong. */
MUST_USE bool bench_exchange_read_plan(
    const json_t *from, struct bench_exchange_plan *p, char why[static BENCH_EXCHANGE_WHY]);

/* bench_exchange_histogram: H as an object, the caller's; NULL without memory. */
MUST_USE json_t *bench_exchange_histogram(const struct bench_histogram *h);

/* bench_exchange_read_histogram: that FROM to *h; likewise. */
MUST_USE bool bench_exchange_read_histogram(
    const json_t *from, struct bench_histogram *h, char why[static BENCH_EXCHANGE_WHY]);

/*
 * bench_exchange_tally: the tally T of a trial that began at START_NS, or of a part of it,
 * likewise.
 */
MUST_USE json_t *bench_exchange_tally(const struct bench_tally *t, uint64_t start_ns);

/*
 * bench_exchange_read_tally: that FROM to *t, as if its trial had begun at START_NS of our clock;
 * likewise. Whether it is sound (bench_tally_sound) is not looked at: a part need not be.
 */
MUST_USE bool bench_exchange_read_tally(const json_t *from, uint64_t start_ns,
    struct bench_tally *t, char why[static BENCH_EXCHANGE_WHY]);

#endif
