/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/trend.h"

/* Relative to the mean, so that large values that hardly grow lose no precision. */
bool
bench_trend_slope(const struct bench_point *points, size_t n, double *slope)
{
	double mean_x = 0, mean_y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++) {
		mean_x += points[i].x / (double)n;
		mean_y += points[i].y / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		double x = points[i].x - mean_x;

		xx += x * x;
		xy += x * (points[i].y - mean_y);
	}
	if (n < 2 || xx <= 0)
		return false;
	*slope = xy / xx;
	return true;
}
