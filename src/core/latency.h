/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_LATENCY_H
#define DNS64D_CORE_LATENCY_H

/*
 * latency: how long things took, as a histogram with fixed bounds, 10 us to 5 s in steps of 1, 2
 * and 5. One thread uses it; it has no pointers, so a copy of it may go to another one.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define LATENCY_BUCKETS 19 /* the last one is for what took longer than the last bound */

/* Bucket i has what took more than bound i - 1 and no more than bound i. */
struct latency {
	uint64_t n[LATENCY_BUCKETS];
	uint64_t sum_ns;
};

/* The bounds, in ns; the last one is infinite. */
extern const uint64_t latency_bounds_ns[LATENCY_BUCKETS];

/* By the binary logarithm of a duration in ns: how many bounds are below that power of two. */
extern const uint8_t latency_below[64];

/* latency_add: something took NS. */
static inline void
latency_add(struct latency *l, uint64_t ns)
{
	/*
	 * Each bound is at least twice the one before, so between two powers of two is one at most.
	 */
	unsigned i = latency_below[63 - __builtin_clzll(ns | 1)];

	l->n[i + (ns > latency_bounds_ns[i])]++;
	l->sum_ns += ns;
}

/* latency_merge: add what MORE has to L. */
void latency_merge(struct latency *l, const struct latency *more);

/* latency_count: of how many things L tells. */
MUST_USE uint64_t latency_count(const struct latency *l);

#endif
