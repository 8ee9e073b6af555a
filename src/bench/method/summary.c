/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/summary.h"

#include <stdlib.h>

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

uint32_t
bench_summary_percentile(const uint32_t *sorted, size_t n, unsigned percent)
{
	return sorted[(n * percent + 99) / 100 - 1];
}

struct bench_summary
bench_summary(uint32_t *values, size_t n)
{
	struct bench_summary s = { .mean = 0 };

	qsort(values, n, sizeof(*values), by_value);
	for (size_t i = 0; i < n; i++)
		s.mean += (double)values[i] / (double)n;
	s.median = ((double)values[(n - 1) / 2] + values[n / 2]) / 2;
	s.p1 = bench_summary_percentile(values, n, 1);
	s.p99 = bench_summary_percentile(values, n, 99);
	s.min = values[0];
	s.max = values[n - 1];
	return s;
}
