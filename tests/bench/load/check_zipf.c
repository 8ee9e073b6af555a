/* SPDX-License-Identifier: BSD-2-Clause */
/* Zipf's law: what the table says of each rank, and what is drawn by it. */

#include "bench/load/zipf.h"

#include <math.h>
#include <stdlib.h>

#include "bench/load/load.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define DRAWS 2000000

static const double exponents[] = { BENCH_ZIPF_LEAST, 0.5, 0.99, 1, 1.37, 2, BENCH_ZIPF_MOST };

/* The law, without the table: 1 / R^S by its share of all. */
static double
law(double s, uint32_t n, uint32_t i)
{
	double total = 0;

	for (uint32_t k = n; k > 0; k--)
		total += pow(k, -s);
	return pow(i + 1.0, -s) / total;
}

/* How likely Z makes each rank, in columns: the table read backwards. */
static double *
likely(const struct bench_zipf *z)
{
	double *p = calloc(z->n, sizeof(*p));

	ck_assert_ptr_nonnull(p);
	for (uint32_t i = 0; i < z->n; i++) {
		double own = ldexp((double)z->keep[i], -64);

		if (z->other[i] >= z->n)
			ck_abort_msg("column %u: rank %u", i, z->other[i]);
		p[i] += own;
		p[z->other[i]] += 1 - own;
	}
	return p;
}

static struct bench_zipf *
make(double s, uint32_t n)
{
	struct bench_zipf *z = bench_zipf_new(s, n);

	ck_assert_ptr_nonnull(z);
	return z;
}

/* Every rank, to nine digits. */
START_TEST(table_is_the_law)
{
	static const uint32_t sizes[] = { 1, 2, 3, 10, 1000, 100000 };
	double s = exponents[_i];

	for (size_t k = 0; k < N_OF(sizes); k++) {
		struct bench_zipf *z = make(s, sizes[k]);
		double *p = likely(z), first = law(s, sizes[k], 0) * sizes[k];

		for (uint32_t i = 0; i < sizes[k]; i++) {
			double want = first * pow(i + 1.0, -s);

			if (fabs(p[i] / want - 1) > 1e-9)
				ck_abort_msg("S %g, rank %u of %u: %.17g, not %.17g", s, i + 1,
				    sizes[k], p[i], want);
		}
		free(p);
		bench_zipf_free(z);
	}
}
END_TEST

/* The last of as many as there may be, by the steepest law, is drawn once in 2^72 times. */
START_TEST(no_rank_is_impossible)
{
	struct bench_zipf *z = make(BENCH_ZIPF_MOST, BENCH_ZIPF_MAX);
	double first = z->n / z->total;
	double *p = likely(z);

	for (uint32_t i = 0; i < z->n; i++) {
		double want = first * pow(i + 1.0, -BENCH_ZIPF_MOST);

		if (fabs(p[i] / want - 1) > 1e-4)
			ck_abort_msg("rank %u: %.17g, not %.17g", i + 1, p[i], want);
	}
	/* By the two numbers that it takes. */
	ck_assert_uint_gt(z->keep[z->n - 1], 0);
	ck_assert_uint_eq(bench_zipf_rank(z, z->n - 1, 0), z->n - 1);
	ck_assert_uint_lt(bench_zipf_rank(z, z->n - 1, UINT64_MAX), 1000);
	free(p);
	bench_zipf_free(z);
}
END_TEST

START_TEST(column_is_shared_at_its_height)
{
	struct bench_zipf *z = make(1, 3); /* 6/11, 3/11, 2/11 */

	ck_assert_uint_eq(z->other[2], 0);
	ck_assert_double_eq_tol(ldexp((double)z->keep[2], -64), 6.0 / 11, 1e-12);
	ck_assert_uint_eq(bench_zipf_rank(z, 2, z->keep[2] - 1), 2);
	ck_assert_uint_eq(bench_zipf_rank(z, 2, z->keep[2]), 0);
	ck_assert_uint_eq(bench_zipf_rank(z, 5, 0), 2); /* columns go round */
	bench_zipf_free(z);
}
END_TEST

/*
 * Chi-square of what a load asks for, against the law. Ranks of fewer than 20 questions are one
 * class together. With that many classes chi-square is almost normal; 5 deviations are met once in
 * three million tables, and the questions are the same each time.
 */
START_TEST(questions_follow_the_law)
{
	static uint32_t seen[5000];
	double s = exponents[_i], sum = 0, rare = 0, rare_seen = 0, total = 0;
	struct bench_load l;
	unsigned classes = 0;

	bench_load_init(&l);
	l.hot = N_OF(seen);
	l.seed = (uint64_t)_i;
	l.zipf = make(s, N_OF(seen));
	ck_assert(bench_load_mix(&l, BENCH_HIT, 100));
	for (uint32_t i = 0; i < N_OF(seen); i++) {
		total += pow(i + 1.0, -s);
		seen[i] = 0;
	}
	for (uint64_t n = 0; n < DRAWS; n++) {
		struct bench_question q = bench_load_question(&l, n);

		if (q.number < l.size - l.hot || q.number >= l.size)
			ck_abort_msg("%ju: %ju", (uintmax_t)n, (uintmax_t)q.number);
		seen[l.size - 1 - q.number]++;
	}
	for (uint32_t i = 0; i < N_OF(seen); i++) {
		double want = DRAWS * pow(i + 1.0, -s) / total;

		if (want < 20) {
			rare += want;
			rare_seen += seen[i];
			continue;
		}
		sum += (seen[i] - want) * (seen[i] - want) / want;
		classes++;
	}
	if (rare > 0) {
		sum += (rare_seen - rare) * (rare_seen - rare) / rare;
		classes++;
	}
	ck_assert_msg(fabs(sum - (classes - 1)) < 5 * sqrt(2.0 * (classes - 1)) + 5,
	    "S %g: %.1f with %u classes", s, sum, classes);
	bench_zipf_free((struct bench_zipf *)(uintptr_t)l.zipf);
}
END_TEST

/* The same question by the same number; another seed has others. */
START_TEST(questions_are_the_same_each_time)
{
	struct bench_load l, other;
	unsigned same = 0;

	bench_load_init(&l);
	l.hot = 100000;
	l.zipf = make(0.5, 100000);
	ck_assert(bench_load_mix(&l, BENCH_HIT, 100));
	other = l;
	other.seed = 1;
	for (uint64_t n = 0; n < 1000; n++) {
		ck_assert_uint_eq(
		    bench_load_question(&l, n).number, bench_load_question(&l, n).number);
		same += bench_load_question(&l, n).number == bench_load_question(&other, n).number;
	}
	ck_assert_uint_lt(same, 10);
	bench_zipf_free((struct bench_zipf *)(uintptr_t)l.zipf);
}
END_TEST

START_TEST(shares_are_those_of_the_top)
{
	struct bench_zipf *z = make(1, 3);

	ck_assert_double_eq_tol(bench_zipf_share(z, 1), 6.0 / 11, 1e-12);
	ck_assert_double_eq_tol(bench_zipf_share(z, 2), 9.0 / 11, 1e-12);
	ck_assert_double_eq(bench_zipf_share(z, 3), 1);
	ck_assert_double_eq(bench_zipf_share(z, 10), 1);
	bench_zipf_free(z);
	bench_zipf_free(NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, table_is_the_law, 0, N_OF(exponents));
	tcase_add_test(tc, no_rank_is_impossible);
	tcase_add_test(tc, column_is_shared_at_its_height);
	tcase_add_loop_test(tc, questions_follow_the_law, 0, N_OF(exponents));
	tcase_add_test(tc, questions_are_the_same_each_time);
	tcase_add_test(tc, shares_are_those_of_the_top);
}
