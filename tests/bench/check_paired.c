/* SPDX-License-Identifier: BSD-2-Clause */
/* Ratios of pairs with their interval, and ranks: by hand, by counting all orders, by simulation.
 */

#include "bench/paired.h"

#include <math.h>

#include "base/rng.h"
#include "support/tests.h"

/* --- ratio ------------------------------------------------------------------------------------ */

#define ROUNDS 12
#define PAIRS_OF_RUNS 200U

/* A value of the normal distribution (Box and Muller). */
static double
normal(struct rng *rng)
{
	double u = (rng_below(rng, 1U << 30) + 1.0) / (1U << 30);
	double v = (double)rng_below(rng, 1U << 30) / (1U << 30);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The mean is the geometric one: of a half and of twice as much it is 1. */
START_TEST(ratio_is_the_geometric_mean)
{
	static const struct bench_pair p[] = { { 100, 50 }, { 30, 60 } },
				       q[] = { { 1, 2 }, { 10, 80 } };
	struct bench_ratio r = bench_paired_ratio(p, 2);

	ck_assert_double_eq_tol(r.ratio, 1, 1e-12);
	ck_assert_double_eq_tol(bench_paired_ratio(q, 2).ratio, 4, 1e-12);
	ck_assert_uint_eq(r.n, 2);
	ck_assert(!r.known && !bench_paired_differ(&r));
	r = bench_paired_ratio(p, 0);
	ck_assert(r.n == 0 && r.ratio == 0 && !r.known);
}
END_TEST

/* Fewer than five pairs have no interval, however they differ. */
START_TEST(few_pairs_have_no_interval)
{
	struct bench_pair p[5] = { { 10, 20 }, { 10, 21 }, { 10, 19 }, { 10, 20 }, { 10, 20.5 } };
	struct bench_ratio r = bench_paired_ratio(p, 4);

	ck_assert(!r.known && !bench_paired_differ(&r));
	r = bench_paired_ratio(p, 5);
	ck_assert(r.known && bench_paired_differ(&r));
	ck_assert(r.low < r.ratio && r.ratio < r.high);
}
END_TEST

/* What a round does to both is no difference; equal pairs have an interval without length. */
START_TEST(rounds_are_taken_out)
{
	struct bench_pair p[8];
	struct bench_ratio r;

	for (unsigned i = 0; i < 8; i++)
		p[i] = (struct bench_pair){ 1000 * (i + 1), 900 * (i + 1) };
	r = bench_paired_ratio(p, 8);
	ck_assert(r.known && bench_paired_differ(&r));
	ck_assert_double_eq_tol(r.low, 0.9, 1e-9);
	ck_assert_double_eq_tol(r.high, 0.9, 1e-9);
	for (unsigned i = 0; i < 8; i++)
		p[i].b = p[i].a;
	r = bench_paired_ratio(p, 8);
	ck_assert(r.known && !bench_paired_differ(&r));
}
END_TEST

/* The other way around it is the inverse, and once more it is the same. */
START_TEST(interval_can_be_repeated_and_turned)
{
	struct bench_pair p[ROUNDS], turned[ROUNDS];
	struct rng rng;

	rng_init_seeded(&rng, 4);
	for (unsigned i = 0; i < ROUNDS; i++) {
		p[i] = (struct bench_pair){ 100 + 3 * normal(&rng), 105 + 3 * normal(&rng) };
		turned[i] = (struct bench_pair){ p[i].b, p[i].a };
	}
	struct bench_ratio r = bench_paired_ratio(p, ROUNDS), same = bench_paired_ratio(p, ROUNDS),
			   t = bench_paired_ratio(turned, ROUNDS);
	ck_assert(r.low == same.low && r.high == same.high);
	ck_assert_double_eq_tol(t.ratio, 1 / r.ratio, 1e-12);
	ck_assert_double_eq_tol(t.low, 1 / r.high, 1e-3);
	ck_assert_double_eq_tol(t.high, 1 / r.low, 1e-3);
}
END_TEST

/* How many of N simulated pairs of runs differ, if one has RATIO of the other's rate. */
static unsigned
count_differences(double ratio, unsigned rounds, unsigned n, uint64_t seed)
{
	struct bench_pair p[ROUNDS];
	unsigned found = 0;
	struct rng rng;

	rng_init_seeded(&rng, seed);
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < rounds; k++) {
			double round = 35000 * (1 + 0.05 * normal(&rng));

			p[k].a = round * (1 + 0.03 * normal(&rng));
			p[k].b = round * ratio * (1 + 0.03 * normal(&rng));
		}
		struct bench_ratio r = bench_paired_ratio(p, rounds);
		found += bench_paired_differ(&r);
	}
	return found;
}

/*
 * 19 of 20 intervals have the truth in them: of 1000 pairs of equal runs 37 to 63 look different,
 * unless one is unlucky once in twenty times. Of five rounds that is no worse.
 */
START_TEST(interval_covers_what_it_says)
{
	unsigned n = count_differences(1, _i == 0 ? ROUNDS : 5, 1000, 1);

	ck_assert_msg(n >= 30 && n <= 63, "%u of 1000", n);
}
END_TEST

/* 5 % less, in a dozen rounds that vary by 3 %, is found 9 times of 10. */
START_TEST(five_percent_are_found)
{
	unsigned n = count_differences(0.95, ROUNDS, PAIRS_OF_RUNS, 1);

	ck_assert_msg(n >= PAIRS_OF_RUNS * 9 / 10, "%u of %u", n, PAIRS_OF_RUNS);
}
END_TEST

/* --- ranks ------------------------------------------------------------------------------------ */

/* Counted by hand over all orders of the values. */
START_TEST(ranks_without_ties_are_exact)
{
	static const struct {
		double a[5], b[6];
		size_t na, nb;
		double u, p;
	} known[] = {
		{ { 1, 2, 3 }, { 4, 5, 6 }, 3, 3, 9, 0.1 },
		{ { 4, 5, 6 }, { 1, 2, 3 }, 3, 3, 0, 0.1 },
		{ { 1, 4, 3, 9 }, { 2, 5, 6, 7, 8 }, 4, 5, 13, 0.5555555556 },
		{ { 1.1, 2.2, 3.3, 4.4, 5.5 }, { 2, 3, 6, 7, 8, 9 }, 5, 6, 23, 0.1774891775 },
		{ { 1 }, { 2 }, 1, 1, 1, 1 },
	};
	struct bench_ranks r;

	ck_assert(bench_paired_ranks(known[_i].a, known[_i].na, known[_i].b, known[_i].nb, &r));
	ck_assert(r.exact);
	ck_assert_double_eq_tol(r.u, known[_i].u, 1e-12);
	ck_assert_double_eq_tol(r.p, known[_i].p, 1e-9);
}
END_TEST

/* Ties, and many values: by the normal distribution with corrections, computed apart from this. */
START_TEST(ranks_with_ties_are_normal)
{
	static const double a[] = { 1, 2, 2, 3, 5 }, b[] = { 2, 4, 5, 6, 6, 7 };
	double many[25], more[25];
	struct bench_ranks r;

	ck_assert(bench_paired_ranks(a, 5, b, 6, &r));
	ck_assert(!r.exact);
	ck_assert_double_eq_tol(r.u, 25.5, 1e-12);
	ck_assert_double_eq_tol(r.p, 0.06414661873, 1e-9);
	for (unsigned i = 0; i < 25; i++) {
		many[i] = i;
		more[i] = i + 10;
	}
	ck_assert(bench_paired_ranks(many, 25, more, 25, &r));
	ck_assert(!r.exact);
	ck_assert_double_eq_tol(r.u, 512.5, 1e-12);
	ck_assert_double_eq_tol(r.p, 0.00010782933, 1e-9);
}
END_TEST

START_TEST(equal_values_have_no_ranks)
{
	static const double same[] = { 7, 7, 7 };
	struct bench_ranks r;

	ck_assert(bench_paired_ranks(same, 3, same, 3, &r));
	ck_assert_double_eq(r.u, 4.5);
	ck_assert_double_eq(r.p, 1);
}
END_TEST

/* Exact and normal must meet: 20 of each, without ties. */
START_TEST(twenty_are_exact)
{
	double a[21], b[21];
	struct bench_ranks r;

	for (unsigned i = 0; i < 21; i++) {
		a[i] = 2 * i;
		b[i] = 2 * i + 7;
	}
	ck_assert(bench_paired_ranks(a, 20, b, 20, &r) && r.exact);
	double exact = r.p;
	ck_assert(bench_paired_ranks(a, 21, b, 21, &r) && !r.exact);
	ck_assert_double_eq_tol(exact, r.p, 0.02);
}
END_TEST

void
tests_add(TCase *tc)
{
	TCase *ranks = tests_case("ranks");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, ratio_is_the_geometric_mean);
	tcase_add_test(tc, few_pairs_have_no_interval);
	tcase_add_test(tc, rounds_are_taken_out);
	tcase_add_test(tc, interval_can_be_repeated_and_turned);
	tcase_add_loop_test(tc, interval_covers_what_it_says, 0, 2);
	tcase_add_test(tc, five_percent_are_found);
	tcase_add_loop_test(ranks, ranks_without_ties_are_exact, 0, 5);
	tcase_add_test(ranks, ranks_with_ties_are_normal);
	tcase_add_test(ranks, equal_values_have_no_ranks);
	tcase_add_test(ranks, twenty_are_exact);
}
