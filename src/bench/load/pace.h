/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_PACE_H
#define DNS64D_BENCH_LOAD_PACE_H

/*
 * bench_pace: when each question of a run at a fixed rate is due. Times come from the rate and the
 * question's number alone, so that errors do not add up however long the run is. Pure.
 *
 * bench_turns: the threads of a run take turns: which questions are one thread's, and which of them
 * were asked. Questions are counted from 0, those of the run and those of the thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/replay.h"

#define BENCH_RATE_MAX 100000000 /* questions per second */

struct bench_pace {
	uint64_t start_ns; /* when the first is due */
	uint32_t rate;     /* questions per second, 1 to BENCH_RATE_MAX */
	uint32_t burst;    /* so many at once, >= 1: all of a burst are due with its first */
	const struct bench_replay
	    *timing; /* borrowed: all are due as recorded; NULL: by the rate */
};

/* bench_pace_time: when question N (from 0) is due, in ns. */
MUST_USE uint64_t bench_pace_time(const struct bench_pace *p, uint64_t n);

/* bench_pace_due: how many questions are due at NOW_NS. */
MUST_USE uint64_t bench_pace_due(const struct bench_pace *p, uint64_t now_ns);

struct bench_turns {
	struct bench_pace pace; /* of the run; rate 0: closed loop, nothing is due */
	unsigned index;         /* of the thread, from 0 */
	unsigned n_threads;
	uint64_t share;    /* questions that the thread is to ask */
	uint64_t n_asked;  /* those it has done with */
	uint64_t until_ns; /* when asking ends */
};

/* bench_turns_question: which question of the run is the thread's K-th. */
MUST_USE uint64_t bench_turns_question(const struct bench_turns *t, uint64_t k);

/* bench_turns_time: when the thread's K-th question is due. Not in a closed loop. */
MUST_USE uint64_t bench_turns_time(const struct bench_turns *t, uint64_t k);

/* bench_turns_due: how many of the thread's questions are due at NOW_NS. Not in a closed loop. */
MUST_USE uint64_t bench_turns_due(const struct bench_turns *t, uint64_t now_ns);

/* bench_turns_left: may the thread ask another one at NOW_NS? */
MUST_USE bool bench_turns_left(const struct bench_turns *t, uint64_t now_ns);

#endif
