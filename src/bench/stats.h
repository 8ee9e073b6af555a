/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_STATS_H
#define DNS64D_BENCH_STATS_H

/*
 * bench_stats: the statistics of measurements: how durations are distributed, what a few results
 * have in common, the line through points. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/* --- Durations -------------------------------------------------------------------------------- */

/*
 * How durations are distributed, in memory that does not grow with their number.
 *
 * Buckets are 1/128 of their power of two wide: a percentile is off by less than 0.8 %. Mean,
 * deviation, smallest and largest are exact.
 */

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

/* A bucket that has values: from low_ns to high_ns, both of them its own. */
struct bench_bucket {
	uint64_t low_ns, high_ns;
	uint64_t n;
};

/*
 * bench_histogram_next: the next bucket that is not empty, in ascending order, to *b. *at is 0
 * before the first. False: there are no more.
 */
MUST_USE bool bench_histogram_next(
    const struct bench_histogram *h, unsigned *at, struct bench_bucket *b);

/* --- Few values ------------------------------------------------------------------------------- */

/* How some values of one kind, as the rates that a search found again and again, are spread. */
struct bench_summary {
	size_t n;
	double mean;
	double deviation; /* standard deviation of a sample (n - 1); 0 for one value */
	double margin;    /* the true mean is within it of this one with 99.9 %, by Student's t */
	double median;    /* of an even number of values: the mean of the two in the middle */
	double mad;       /* median of the distances to the median, times BENCH_STATS_MAD */
	double p1, p99;   /* bench_stats_percentile */
	double min, max;
};

/* Makes of the MAD of values that are normally distributed their standard deviation. */
#define BENCH_STATS_MAD 1.4826

/*
 * bench_stats_percentile: of the N >= 1 values at SORTED, in ascending order, the smallest that
 * PERCENT (1 to 100) of them do not exceed (RFC 2330 section 11.3). It is always one of the values;
 * of less than 100 values the 1st percentile is the smallest and the 99th the largest.
 */
MUST_USE double bench_stats_percentile(const double *sorted, size_t n, unsigned percent);

/* bench_stats_summary: the statistics of N >= 1 VALUES; sorts them. */
MUST_USE struct bench_summary bench_stats_summary(double *values, size_t n);

/*
 * bench_stats_t: the value that |t| of Student's distribution with FREEDOM >= 1 degrees of freedom
 * exceeds with probability 1 - INSIDE (0 < INSIDE < 1): for 0.95 and 10 it is 2.228.
 */
MUST_USE double bench_stats_t(double inside, size_t freedom);

/*
 * bench_stats_carries: are N values enough for this percentile? None is finer than one of them: not
 * above 100 (1 - 1 / N), nor below 100 / N. Ends (0 and 100) and median need one value.
 */
MUST_USE bool bench_stats_carries(uint64_t n, double percent);

/* --- Points ----------------------------------------------------------------------------------- */

struct bench_point {
	double x, y;
};

/*
 * bench_stats_slope: the slope of the line through the N points: how much y grows while x grows by
 * 1; to *slope. False for fewer than two points, and if all have the same x.
 */
MUST_USE bool bench_stats_slope(const struct bench_point *points, size_t n, double *slope);

#endif
