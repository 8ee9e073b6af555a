/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/zipf.h"

#include <math.h>
#include <stdlib.h>

/* 1 / R^S of the rank that is I when counted from 0. */
static double
weight(double s, uint32_t i)
{
	return pow((double)i + 1, -s);
}

/* The smallest first, so that they are not lost beside the sum. */
static double
sum(double s, uint32_t n)
{
	double total = 0;

	for (uint32_t i = n; i-- > 0;)
		total += weight(s, i);
	return total;
}

/* How much of a column PART of it, at least 0, is, in 2^-64. */
static uint64_t
height(double part)
{
	return part < 1 ? (uint64_t)ldexp(part, 64) : UINT64_MAX;
}

static void
share(struct bench_zipf *z, uint32_t column, double own, uint32_t other)
{
	z->keep[column] = height(own);
	z->other[column] = other;
}

/*
 * Ranks come from the most to the least popular, so those that need more than a column are before
 * those that do not fill one. The first of those fill up the columns of these in turn; what is left
 * of it when that is no whole column any more is filled up by the next.
 */
static void
fill(struct bench_zipf *z)
{
	double each = z->total / z->n, left;
	uint32_t rich = 0, n_rich = 0;

	while (n_rich < z->n && weight(z->s, n_rich) >= each)
		n_rich++;
	left = weight(z->s, 0) / each;
	for (uint32_t i = n_rich; i < z->n; i++) {
		double own = weight(z->s, i) / each;

		share(z, i, own, rich);
		left -= 1 - own;
		while (left < 1 && rich + 1 < n_rich) {
			share(z, rich, left, rich + 1);
			rich++;
			left += weight(z->s, rich) / each - 1;
		}
	}
	/* What is left now is whole columns, but for rounding. */
	for (; rich < n_rich; rich++)
		share(z, rich, 1, rich);
}

struct bench_zipf *
bench_zipf_new(double s, uint32_t n)
{
	struct bench_zipf *z = calloc(1, sizeof(*z));

	if (z == NULL)
		return NULL;
	z->s = s;
	z->n = n;
	z->total = sum(s, n);
	z->keep = calloc(n, sizeof(*z->keep));
	z->other = calloc(n, sizeof(*z->other));
	if (z->keep == NULL || z->other == NULL) {
		bench_zipf_free(z);
		return NULL;
	}
	fill(z);
	return z;
}

void
bench_zipf_free(struct bench_zipf *z)
{
	if (z == NULL)
		return;
	free(z->keep);
	free(z->other);
	free(z);
}

uint32_t
bench_zipf_rank(const struct bench_zipf *z, uint64_t column, uint64_t height)
{
	uint32_t i = (uint32_t)(column % z->n);

	return height < z->keep[i] ? i : z->other[i];
}

double
bench_zipf_share(const struct bench_zipf *z, uint32_t top)
{
	return top < z->n ? sum(z->s, top) / z->total : 1;
}
