/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_TREND_H
#define DNS64D_BENCH_METHOD_TREND_H

/* bench_trend: the straight line through points: how something grows (least squares). */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct bench_point {
	double x, y;
};

/*
 * bench_trend_slope: the slope of the line through the N points: how much y grows while x grows by
 * 1; to *slope. False for fewer than two points, and if all have the same x.
 */
MUST_USE bool bench_trend_slope(const struct bench_point *points, size_t n, double *slope);

#endif
