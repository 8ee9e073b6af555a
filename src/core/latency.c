/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/latency.h"

#include "base/clock.h"

#define US 1000ULL

const uint64_t latency_bounds_ns[LATENCY_BUCKETS] = { 10 * US, 20 * US, 50 * US, 100 * US, 200 * US,
	500 * US, 1 * NS_PER_MS, 2 * NS_PER_MS, 5 * NS_PER_MS, 10 * NS_PER_MS, 20 * NS_PER_MS,
	50 * NS_PER_MS, 100 * NS_PER_MS, 200 * NS_PER_MS, 500 * NS_PER_MS, 1 * NS_PER_SEC,
	2 * NS_PER_SEC, 5 * NS_PER_SEC, UINT64_MAX };

const uint8_t latency_below[64] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7,
	8, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18,
	18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18 };

void
latency_merge(struct latency *l, const struct latency *more)
{
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		l->n[i] += more->n[i];
	l->sum_ns += more->sum_ns;
}

uint64_t
latency_count(const struct latency *l)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		n += l->n[i];
	return n;
}
