/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_PACE_H
#define DNS64D_BENCH_LOAD_PACE_H

/*
 * bench_pace: when each question of a run at a fixed rate is due. Times come from the rate and the
 * question's number alone, so that errors do not add up however long the run is. Pure.
 */

#include <stdint.h>

#include "base/attr.h"

#define BENCH_RATE_MAX 100000000 /* questions per second */

struct bench_pace {
	uint64_t start_ns; /* when the first is due */
	uint32_t rate;     /* questions per second, 1 to BENCH_RATE_MAX */
	uint32_t burst;    /* so many at once, >= 1: all of a burst are due with its first */
};

/* bench_pace_time: when question N (from 0) is due, in ns. */
MUST_USE uint64_t bench_pace_time(const struct bench_pace *p, uint64_t n);

/* bench_pace_due: how many questions are due at NOW_NS. */
MUST_USE uint64_t bench_pace_due(const struct bench_pace *p, uint64_t now_ns);

#endif
