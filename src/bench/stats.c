/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Durations -------------------------------------------------------------------------------- */

#define FINE_BITS 7 /* 2^7 = BENCH_HISTOGRAM_FINE */

void
bench_histogram_clear(struct bench_histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = UINT64_MAX;
}

/*
 * The first two powers of two of buckets are 1 ns wide each; from there on each power of two has
 * as many buckets, twice as wide as those before.
 */
static unsigned
bucket_of(uint64_t ns)
{
	if (ns < BENCH_HISTOGRAM_FINE)
		return (unsigned)ns;
	unsigned shift = 63 - (unsigned)__builtin_clzll(ns) - FINE_BITS;

	return shift * BENCH_HISTOGRAM_FINE + (unsigned)(ns >> shift);
}

/* The largest value of a bucket. */
static uint64_t
top_of(unsigned bucket)
{
	if (bucket < 2 * BENCH_HISTOGRAM_FINE)
		return bucket;
	unsigned shift = bucket / BENCH_HISTOGRAM_FINE - 1;
	uint64_t fine = bucket % BENCH_HISTOGRAM_FINE + BENCH_HISTOGRAM_FINE;

	return ((fine + 1) << shift) - 1;
}

void
bench_histogram_add_many(struct bench_histogram *h, uint64_t ns, uint64_t n)
{
	double v = (double)ns, times = (double)n;

	if (n == 0)
		return;
	h->n += n;
	h->sum += v * times;
	h->squares += v * v * times;
	h->min_ns = ns < h->min_ns ? ns : h->min_ns;
	h->max_ns = ns > h->max_ns ? ns : h->max_ns;
	h->bucket[bucket_of(ns < BENCH_HISTOGRAM_MAX_NS ? ns : BENCH_HISTOGRAM_MAX_NS)] += n;
}

void
bench_histogram_add(struct bench_histogram *h, uint64_t ns)
{
	bench_histogram_add_many(h, ns, 1);
}

void
bench_histogram_merge(struct bench_histogram *to, const struct bench_histogram *from)
{
	to->n += from->n;
	to->sum += from->sum;
	to->squares += from->squares;
	to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
	to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	for (unsigned i = 0; i < BENCH_HISTOGRAM_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

double
bench_histogram_mean(const struct bench_histogram *h)
{
	return h->n > 0 ? h->sum / (double)h->n : 0;
}

double
bench_histogram_deviation(const struct bench_histogram *h)
{
	double mean = bench_histogram_mean(h);
	double variance = h->n > 0 ? h->squares / (double)h->n - mean * mean : 0;

	/* Rounding may make it slightly negative. */
	return variance > 0 ? sqrt(variance) : 0;
}

uint64_t
bench_histogram_percentile(const struct bench_histogram *h, double percent)
{
	double wanted = ceil((double)h->n * percent / 100);
	uint64_t seen = 0;

	if (h->n == 0)
		return 0;
	if (wanted < 1)
		return h->min_ns;
	for (unsigned i = 0; i < BENCH_HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if ((double)seen < wanted)
			continue;
		uint64_t top = top_of(i);
		if (top < h->min_ns)
			return h->min_ns;
		return top < h->max_ns ? top : h->max_ns;
	}
	return h->max_ns;
}

bool
bench_histogram_next(const struct bench_histogram *h, unsigned *at, struct bench_bucket *b)
{
	unsigned i = *at;

	while (i < BENCH_HISTOGRAM_BUCKETS && h->bucket[i] == 0)
		i++;
	*at = i + 1;
	if (i >= BENCH_HISTOGRAM_BUCKETS)
		return false;
	*b = (struct bench_bucket){ i > 0 ? top_of(i - 1) + 1 : 0, top_of(i), h->bucket[i] };
	return true;
}

/* --- Few values ------------------------------------------------------------------------------- */

#define MARGIN_INSIDE 0.999
#define FREEDOM_MAX 10000 /* from there on it is the normal distribution, within 0.03 % */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double
bench_stats_percentile(const double *sorted, size_t n, unsigned percent)
{
	return sorted[(n * percent + 99) / 100 - 1];
}

bool
bench_stats_carries(uint64_t n, double percent)
{
	if (percent <= 0 || percent >= 100 || fabs(percent - 50) < 1e-9)
		return n > 0;
	double rarer = percent < 50 ? percent : 100 - percent;

	return (double)n * rarer >= 100 - 1e-6; /* 0.1 % of 1000 is one, however it is rounded */
}

/*
 * The probability that |t| is at most sqrt(FREEDOM) tan(ANGLE): a sum with an end for each number
 * of degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
 */
static double
inside_of(double angle, size_t freedom)
{
	double c = cos(angle), term = freedom % 2 == 1 ? c : 1, sum = 0;

	for (size_t power = freedom % 2; power + 2 <= freedom; power += 2) {
		sum += term;
		term *= c * c * (double)(power + 1) / (double)(power + 2);
	}
	return freedom % 2 == 1 ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double
bench_stats_t(double inside, size_t freedom)
{
	size_t f = freedom < FREEDOM_MAX ? freedom : FREEDOM_MAX;
	double low = 0, high = M_PI / 2;

	for (unsigned i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (inside_of(middle, f) < inside)
			low = middle;
		else
			high = middle;
	}
	return sqrt((double)f) * tan(low);
}

/* Of N values in ascending order. */
static double
median_of(const double *sorted, size_t n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/*
 * The median of the distances of N values to MEDIAN, in ascending order: from the middle outwards
 * the nearer of the next to the left and to the right comes first.
 */
static double
mad_of(const double *sorted, size_t n, double median)
{
	size_t right = n / 2, left = right; /* the next are left - 1 and right */
	double last = 0, before = 0;

	for (size_t i = 0; i <= n / 2; i++) {
		double below = left > 0 ? median - sorted[left - 1] : HUGE_VAL;
		double above = right < n ? sorted[right] - median : HUGE_VAL;

		before = last;
		last = below < above ? below : above;
		if (below < above)
			left--;
		else
			right++;
	}
	return n % 2 == 1 ? last : (before + last) / 2;
}

struct bench_summary
bench_stats_summary(double *values, size_t n)
{
	struct bench_summary s = { .n = n };
	double squares = 0;

	qsort(values, n, sizeof(*values), by_value);
	for (size_t i = 0; i < n; i++)
		s.mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - s.mean) * (values[i] - s.mean);
	s.deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	s.margin = n > 1 ? bench_stats_t(MARGIN_INSIDE, n - 1) * s.deviation / sqrt((double)n) : 0;
	s.median = median_of(values, n);
	s.mad = BENCH_STATS_MAD * mad_of(values, n, s.median);
	s.p1 = bench_stats_percentile(values, n, 1);
	s.p99 = bench_stats_percentile(values, n, 99);
	s.min = values[0];
	s.max = values[n - 1];
	return s;
}

/* --- Points ----------------------------------------------------------------------------------- */

/* Relative to the mean, so that large values that hardly grow lose no precision. */
bool
bench_stats_slope(const struct bench_point *points, size_t n, double *slope)
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
