/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/paired.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* --- The ratio -------------------------------------------------------------------------------- */

#define RESAMPLES 9999
#define SEED 8219 /* always the same: a comparison of the same runs says the same */

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The mean of N values, and how much it varies from one series of N to another. */
struct mean {
	double mean;
	double error;
};

/* SUM and SQUARES are those of N values. */
static struct mean
mean_of(double sum, double squares, size_t n)
{
	double count = (double)n, mean = sum / count;
	double variance = (squares - sum * mean) / (count - 1);

	/* Rounding may make it slightly more than nothing. */
	return (struct mean){ mean, variance > 1e-24 ? sqrt(variance / count) : 0 };
}

/* Draw N of the N values at LOGS, less CENTRE, as often. */
static struct mean
draw(struct rng *rng, const double *logs, size_t n, double centre)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		double v = logs[rng_below(rng, (uint32_t)n)] - centre;

		sum += v;
		squares += v * v;
	}
	return mean_of(sum, squares, n);
}

/*
 * How far the means of drawn series are from that of all, in their own errors, sorted. A series of
 * one value only, which has no error, is drawn again.
 */
static void
resample(const double *logs, size_t n, double centre, double *distances)
{
	struct rng rng;

	rng_init_seeded(&rng, SEED);
	for (size_t i = 0; i < RESAMPLES;) {
		struct mean m = draw(&rng, logs, n, centre);

		if (m.error > 0)
			distances[i++] = m.mean / m.error;
	}
	qsort(distances, RESAMPLES, sizeof(*distances), by_value);
}

/* The interval around the mean ALL of N logarithms of ratios. */
static void
find_interval(struct bench_ratio *r, const double *logs, size_t n, const struct mean *all)
{
	const double outside = (1 - BENCH_PAIRED_INSIDE) / 2;
	double *distances;

	r->low = r->high = r->ratio;
	r->known = true;
	if (all->error <= 0)
		return;
	distances = malloc(RESAMPLES * sizeof(*distances));
	r->known = distances != NULL;
	if (distances == NULL)
		return;
	resample(logs, n, all->mean, distances);
	r->low = exp(all->mean - distances[(size_t)(RESAMPLES * (1 - outside))] * all->error);
	r->high = exp(all->mean - distances[(size_t)(RESAMPLES * outside)] * all->error);
	free(distances);
}

struct bench_ratio
bench_paired_ratio(const struct bench_pair *pairs, size_t n)
{
	struct bench_ratio r = { .n = n };
	double *logs = n > 0 ? malloc(n * sizeof(*logs)) : NULL;
	double sum = 0, squares = 0;

	if (logs == NULL)
		return r;
	for (size_t i = 0; i < n; i++) {
		logs[i] = log(pairs[i].b / pairs[i].a);
		sum += logs[i];
	}
	for (size_t i = 0; i < n; i++)
		squares += (logs[i] - sum / (double)n) * (logs[i] - sum / (double)n);
	r.ratio = exp(sum / (double)n);
	if (n >= BENCH_PAIRS_LEAST) {
		struct mean all = mean_of(0, squares, n);

		all.mean = sum / (double)n;
		find_interval(&r, logs, n, &all);
	}
	free(logs);
	return r;
}

bool
bench_paired_differ(const struct bench_ratio *r)
{
	return r->known && (r->low > 1 || r->high < 1);
}

/* --- Ranks ------------------------------------------------------------------------------------ */

#define EXACT_MAX \
	20 /* values of each: there are 1.4e11 orders of twice as many, which is exact \
	    */

struct ranked {
	double value;
	bool of_b;
};

static int
by_ranked(const void *a, const void *b)
{
	return by_value(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

/*
 * U of N values in order, NA of which are A's. *TIES becomes the sum of t^3 - t over all groups of
 * t equal ones.
 */
static double
count_above(const struct ranked *list, size_t n, double *ties)
{
	double u = 0, below = 0; /* values of A so far */

	*ties = 0;
	for (size_t i = 0, end; i < n; i = end) {
		double a = 0, b = 0;

		for (end = i; end < n && list[end].value <= list[i].value; end++) {
			a += !list[end].of_b;
			b += list[end].of_b;
		}
		u += b * (below + a / 2);
		below += a;
		*ties += (a + b) * (a + b) * (a + b) - (a + b);
	}
	return u;
}

/*
 * How likely U is at most BOUND, or that much above the middle, if all orders of the values are
 * equally likely. The number of orders with each U are the coefficients of a product of polynomials
 * (1 - x^(na + i)) / (1 - x^i).
 */
static double
exact_p(size_t na, size_t nb, size_t bound)
{
	double orders[EXACT_MAX * EXACT_MAX + 1] = { 1 }, sum = 0, all = 0;
	size_t most = na * nb;

	for (size_t i = 1; i <= nb; i++) {
		for (size_t k = most; k >= na + i; k--)
			orders[k] -= orders[k - na - i];
		for (size_t k = i; k <= most; k++)
			orders[k] += orders[k - i];
	}
	for (size_t k = 0; k <= most; k++) {
		all += orders[k];
		sum += k <= bound ? orders[k] : 0;
	}
	return 2 * sum < all ? 2 * sum / all : 1;
}

static double
normal_p(double na, double nb, double u, double ties)
{
	double n = na + nb, far = fabs(u - na * nb / 2) - 0.5; /* U has steps of 1 */
	double variance = n > 1 ? na * nb / 12 * (n + 1 - ties / (n * (n - 1))) : 0;

	return variance > 0 && far > 0 ? erfc(far / sqrt(2 * variance)) : 1;
}

bool
bench_paired_ranks(const double *a, size_t na, const double *b, size_t nb, struct bench_ranks *r)
{
	struct ranked *list = malloc((na + nb) * sizeof(*list));
	double ties;

	if (list == NULL)
		return false;
	for (size_t i = 0; i < na; i++)
		list[i] = (struct ranked){ a[i], false };
	for (size_t i = 0; i < nb; i++)
		list[na + i] = (struct ranked){ b[i], true };
	qsort(list, na + nb, sizeof(*list), by_ranked);
	r->u = count_above(list, na + nb, &ties);
	r->exact = ties <= 0 && na <= EXACT_MAX && nb <= EXACT_MAX;
	if (r->exact)
		r->p = exact_p(na, nb, (size_t)fmin(r->u, (double)(na * nb) - r->u));
	else
		r->p = normal_p((double)na, (double)nb, r->u, ties);
	free(list);
	return true;
}
