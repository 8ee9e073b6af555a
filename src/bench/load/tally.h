/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_TALLY_H
#define DNS64D_BENCH_LOAD_TALLY_H

/* bench_tally: what became of the questions of a run. */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/check.h"
#include "bench/load/histogram.h"
#include "bench/load/lane.h"

struct bench_tally {
	uint64_t sent;
	uint32_t burst;                   /* that were due at once; 0 as 1 */
	uint64_t replies[BENCH_VERDICTS]; /* first replies, in time, by what they were */
	uint64_t overdue;                 /* questions without a reply when their time was over */
	uint64_t late;      /* of them those that got one afterwards, whatever it was */
	uint64_t duplicate; /* further replies to a question */
	uint64_t other;     /* a question's ID, but another question: it stays open */
	uint64_t stray;     /* replies to nothing that was asked by that socket */
	uint64_t malformed; /* not a reply at all */
	uint64_t no_room;   /* times that questions were due and no lane had room */
	struct bench_faults faults;
	uint64_t first_ns;          /* when the first question was sent; UINT64_MAX: none */
	uint64_t last_ns;           /* when the last one was */
	uint64_t end_ns;            /* when the last of them was answered or given up */
	uint64_t n_numbers;         /* from the first on, that questions have taken */
	struct bench_histogram rtt; /* of valid replies */
	struct bench_histogram lag; /* of questions behind their time, by batches */
};

/* bench_tally_clear: nothing happened yet. bench_tally_merge: what FROM has as well. */
void bench_tally_clear(struct bench_tally *t);
void bench_tally_merge(struct bench_tally *to, const struct bench_tally *from);

/* bench_tally_faults: those of a lane as well. */
void bench_tally_faults(struct bench_tally *t, const struct bench_faults *f);

/* bench_tally_wrong: replies in time that were not right. */
MUST_USE uint64_t bench_tally_wrong(const struct bench_tally *t);

/* bench_tally_received: replies of all kinds. */
MUST_USE uint64_t bench_tally_received(const struct bench_tally *t);

/* bench_tally_lost: questions without any reply. */
MUST_USE uint64_t bench_tally_lost(const struct bench_tally *t);

/* bench_tally_good: was every question answered right and in time, and once? */
MUST_USE bool bench_tally_good(const struct bench_tally *t);

/* bench_tally_send_ns: from the first to the last question; 0 for less than two. */
MUST_USE uint64_t bench_tally_send_ns(const struct bench_tally *t);

/*
 * bench_tally_rate: valid answers per second, from the first question to the last answer; with
 * losses to the last question, as the last moment is when one was given up, long after anything
 * happened. 0 without a duration.
 */
MUST_USE double bench_tally_rate(const struct bench_tally *t);

/* bench_tally_rtt_us: a percentile (0 to 100) of the RTTs of valid answers, in us. */
MUST_USE double bench_tally_rtt_us(const struct bench_tally *t, double percent);

#endif
