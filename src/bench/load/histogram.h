/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_HISTOGRAM_H
#define DNS64D_BENCH_LOAD_HISTOGRAM_H

/*
 * bench_histogram: how durations are distributed, in memory that does not grow with their number.
 *
 * Buckets are 1/128 of their power of two wide: a percentile is off by less than 0.8 %. Mean,
 * deviation, smallest and largest are exact.
 */

#include <stdint.h>

#include "base/attr.h"

#define BENCH_HISTOGRAM_MAX_NS \
	((1ULL << 40) - 1)       /* some 18 minutes; what is longer counts as that */
#define BENCH_HISTOGRAM_FINE 128 /* buckets in a power of two */
#define BENCH_HISTOGRAM_BUCKETS ((40 - 7 + 1) * BENCH_HISTOGRAM_FINE)

struct bench_histogram {
	uint64_t n;
	uint64_t min_ns; /* UINT64_MAX when empty */
	uint64_t max_ns;
	double sum;     /* ns */
	double squares; /* ns * ns */
	uint64_t bucket[BENCH_HISTOGRAM_BUCKETS];
};

/* bench_histogram_clear: make *h empty. */
void bench_histogram_clear(struct bench_histogram *h);

/* bench_histogram_add: add one value, in ns. */
void bench_histogram_add(struct bench_histogram *h, uint64_t ns);

/* bench_histogram_add_many: add the same value N times. */
void bench_histogram_add_many(struct bench_histogram *h, uint64_t ns, uint64_t n);

/* bench_histogram_merge: add all values of FROM to TO. */
void bench_histogram_merge(struct bench_histogram *to, const struct bench_histogram *from);

/* bench_histogram_mean: the mean of the values, in ns, not rounded to buckets; 0 when empty. */
MUST_USE double bench_histogram_mean(const struct bench_histogram *h);

/* bench_histogram_deviation: their standard deviation, likewise. */
MUST_USE double bench_histogram_deviation(const struct bench_histogram *h);

/*
 * bench_histogram_percentile: the smallest value, in ns, that PERCENT (0 to 100) of all values do
 * not exceed; up to the width of its bucket too large. 0 when empty.
 */
MUST_USE uint64_t bench_histogram_percentile(const struct bench_histogram *h, double percent);

#endif
