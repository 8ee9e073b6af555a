/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of a Poisson process: their gaps are exponential and know nothing of each other. */

#include "bench/load/arrivals.h"

#include <math.h>

#include "support/tests.h"

#define N BENCH_ARRIVALS

static struct bench_arrivals *
make(uint64_t seed)
{
	struct bench_arrivals *a = bench_arrivals_new(seed);

	ck_assert_ptr_nonnull(a);
	return a;
}

static double
gap(const struct bench_arrivals *a, uint32_t i)
{
	return (i + 1 < N ? a->at[i + 1] : N) - a->at[i];
}

/* Shares of gaps that are longer than 1/10, 1, 3 and 8 means; their mean and deviation are 1. */
START_TEST(gaps_are_exponential)
{
	static const double longer[] = { 0.1, 1, 3, 8 };
	struct bench_arrivals *a = make((uint64_t)_i);
	uint32_t n[4] = { 0 };
	double sum = 0, squares = 0, beside = 0;

	ck_assert(a->at[0] == 0);
	for (uint32_t i = 0; i < N; i++) {
		double g = gap(a, i);

		if (!(g > 0))
			ck_abort_msg("gap %u is %g", i, g);
		sum += g;
		squares += g * g;
		beside += (g - 1) * (gap(a, (i + 1) % N) - 1);
		for (unsigned k = 0; k < 4; k++)
			n[k] += g > longer[k];
	}
	ck_assert_double_eq_tol(sum / N, 1, 1e-9);
	ck_assert_double_eq_tol(squares / N, 2, 0.02);
	ck_assert_double_eq_tol(beside / N, 0, 0.005); /* five deviations */
	for (unsigned k = 0; k < 4; k++) {
		double want = exp(-longer[k]), deviation = sqrt(want * (1 - want) / N);

		ck_assert_double_eq_tol((double)n[k] / N, want, 5 * deviation);
	}
	bench_arrivals_free(a);
}
END_TEST

/* As many in ten mean gaps as in others, with the variance of their mean. */
START_TEST(counts_are_poisson)
{
	struct bench_arrivals *a = make(7);
	double squares = 0, windows = N / 10.0;
	uint32_t i = 0;

	for (double end = 10; end <= N; end += 10) {
		uint32_t from = i;

		while (i < N && a->at[i] < end)
			i++;
		squares += pow((double)(i - from) - 10, 2);
	}
	ck_assert_double_eq_tol(squares / windows, 10, 0.3);
	bench_arrivals_free(a);
}
END_TEST

START_TEST(seed_decides)
{
	struct bench_arrivals *a = make(1), *b = make(1), *c = make(2);

	ck_assert_mem_eq(a, b, sizeof(*a));
	ck_assert(a->at[1000] != c->at[1000]);
	bench_arrivals_free(a);
	bench_arrivals_free(b);
	bench_arrivals_free(c);
	bench_arrivals_free(NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, gaps_are_exponential, 0, 3);
	tcase_add_test(tc, counts_are_poisson);
	tcase_add_test(tc, seed_decides);
}
