/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_SUMMARY_H
#define DNS64D_BENCH_METHOD_SUMMARY_H

/*
 * bench_summary: statistics of repeated results (RFC 8219 section 9: median, 1st and 99th
 * percentile).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct bench_summary {
	double median; /* of an even number of values: the mean of the two in the middle */
	uint32_t p1, p99;
	uint32_t min, max;
	double mean;
};

/*
 * bench_summary_percentile: of the N >= 1 values at SORTED, in ascending order, the smallest that
 * PERCENT (1 to 100) of them do not exceed (RFC 2330 section 11.3). It is always one of the values;
 * of less than 100 values the 1st percentile is the smallest and the 99th the largest.
 */
MUST_USE uint32_t bench_summary_percentile(const uint32_t *sorted, size_t n, unsigned percent);

/* bench_summary: the statistics of N >= 1 VALUES; sorts them. */
MUST_USE struct bench_summary bench_summary(uint32_t *values, size_t n);

#endif
