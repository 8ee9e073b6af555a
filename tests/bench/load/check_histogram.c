/* SPDX-License-Identifier: BSD-2-Clause */
/* Distributions of durations, beside the durations themselves, sorted. */

#include "bench/load/histogram.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_VALUES 20000

static struct bench_histogram h, other, both; /* every test runs in a process of its own */
static uint64_t value[N_VALUES];

/* The same numbers in every run. */
static uint64_t
random_bits(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

START_TEST(empty_histogram_is_all_zero)
{
	bench_histogram_clear(&h);
	ck_assert_uint_eq(h.n, 0);
	ck_assert_uint_eq(h.min_ns, UINT64_MAX);
	ck_assert_uint_eq(h.max_ns, 0);
	ck_assert(bench_histogram_mean(&h) == 0);
	ck_assert(bench_histogram_deviation(&h) == 0);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 50), 0);
}
END_TEST

START_TEST(mean_and_deviation)
{
	static const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	bench_histogram_clear(&h);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		bench_histogram_add(&h, values[i]);
	ck_assert(bench_histogram_mean(&h) == 5);
	ck_assert(bench_histogram_deviation(&h) == 2);
	ck_assert_uint_eq(h.min_ns, 2);
	ck_assert_uint_eq(h.max_ns, 9);
}
END_TEST

/* Long durations that differ little: 100 ms and 1 us more or less. */
START_TEST(small_deviation_of_large_values)
{
	bench_histogram_clear(&h);
	for (unsigned i = 0; i < 1000000; i++)
		bench_histogram_add(&h, i % 2 == 0 ? 99999000 : 100001000);
	ck_assert_double_eq_tol(bench_histogram_mean(&h), 1e8, 1);
	ck_assert_double_eq_tol(bench_histogram_deviation(&h), 1000, 10);
	bench_histogram_clear(&h);
	for (unsigned i = 0; i < 1000; i++)
		bench_histogram_add(&h, 123456789);
	ck_assert_double_eq_tol(bench_histogram_deviation(&h), 0, 10);
}
END_TEST

/* Up to 255 ns each value has a bucket: percentiles are exact. */
START_TEST(short_ones_are_exact)
{
	bench_histogram_clear(&h);
	for (unsigned v = 0; v < 200; v++)
		bench_histogram_add(&h, v);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 0), 0);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 0.5), 0);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 0.51), 1);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 50), 99);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 99), 197);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 99.1), 198);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 100), 199);
}
END_TEST

/* A value beside a larger one: the half of them is that value, up to 1/128 more. */
static void
expect_width(uint64_t v)
{
	bench_histogram_clear(&h);
	bench_histogram_add(&h, v);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 50), v);
	bench_histogram_add(&h, 4 * v + 1);
	uint64_t half = bench_histogram_percentile(&h, 50);
	ck_assert_msg(half >= v && half <= v + v / BENCH_HISTOGRAM_FINE, "%ju: %ju", (uintmax_t)v,
	    (uintmax_t)half);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 0), v);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 100), 4 * v + 1);
}

START_TEST(borders_of_buckets)
{
	for (unsigned bit = 0; bit < 38; bit++) {
		uint64_t v = 1ULL << bit;

		expect_width(v);
		expect_width(v - 1);
		expect_width(v + 1);
		expect_width(v + v / 2);
		expect_width(v + v / 128);
		expect_width(v + v / 128 - 1);
	}
}
END_TEST

/* No percentile is below the true one, none more than the width of a bucket above. */
START_TEST(percentiles_agree_with_sorted_values)
{
	static const double percents[] = { 0, 0.01, 1, 5, 25, 50, 75, 90, 99, 99.9, 99.99, 100 };

	bench_histogram_clear(&h);
	for (size_t i = 0; i < N_VALUES; i++) {
		value[i] = random_bits() >> (24 + random_bits() % 40);
		bench_histogram_add(&h, value[i]);
	}
	qsort(value, N_VALUES, sizeof(value[0]), compare);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		size_t rank = (size_t)ceil(N_VALUES * percents[i] / 100);
		uint64_t want = value[rank > 0 ? rank - 1 : 0];
		uint64_t got = bench_histogram_percentile(&h, percents[i]);

		ck_assert_msg(got >= want && got <= want + want / BENCH_HISTOGRAM_FINE,
		    "%g %%: %ju, not %ju", percents[i], (uintmax_t)got, (uintmax_t)want);
	}
	ck_assert_uint_eq(h.min_ns, value[0]);
	ck_assert_uint_eq(h.max_ns, value[N_VALUES - 1]);
}
END_TEST

START_TEST(durations_over_the_largest_go_to_the_last_bucket)
{
	bench_histogram_clear(&h);
	bench_histogram_add(&h, BENCH_HISTOGRAM_MAX_NS);
	bench_histogram_add(&h, BENCH_HISTOGRAM_MAX_NS + 1);
	bench_histogram_add(&h, UINT64_MAX);
	ck_assert_uint_eq(h.n, 3);
	ck_assert_uint_eq(h.max_ns, UINT64_MAX);
	ck_assert_uint_eq(h.bucket[BENCH_HISTOGRAM_BUCKETS - 1], 3);
	ck_assert_uint_eq(bench_histogram_percentile(&h, 50), BENCH_HISTOGRAM_MAX_NS);
}
END_TEST

START_TEST(added_many_times_is_as_added_singly)
{
	bench_histogram_clear(&h);
	bench_histogram_clear(&both);
	bench_histogram_add_many(&h, 777, 0);
	ck_assert_mem_eq(&h, &both, sizeof(h));
	bench_histogram_add_many(&h, 777, 3);
	bench_histogram_add_many(&h, 12345, 2);
	for (unsigned i = 0; i < 5; i++)
		bench_histogram_add(&both, i < 3 ? 777 : 12345);
	ck_assert_mem_eq(&h, &both, sizeof(h));
}
END_TEST

START_TEST(merged_is_as_if_counted_in_one)
{
	bench_histogram_clear(&h);
	bench_histogram_clear(&other);
	bench_histogram_clear(&both);
	bench_histogram_merge(&h, &other); /* nothing and nothing */
	ck_assert_mem_eq(&h, &other, sizeof(h));
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t v = random_bits() % 100000;

		bench_histogram_add(i % 3 == 0 ? &h : &other, v);
		bench_histogram_add(&both, v);
	}
	bench_histogram_merge(&h, &other);
	ck_assert_mem_eq(&h, &both, sizeof(h)); /* these sums are exact */
	bench_histogram_clear(&other);
	bench_histogram_merge(&h, &other);
	ck_assert_mem_eq(&h, &both, sizeof(h));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_histogram");
	TCase *tc = tcase_create("histogram");

	tcase_add_test(tc, empty_histogram_is_all_zero);
	tcase_add_test(tc, mean_and_deviation);
	tcase_add_test(tc, small_deviation_of_large_values);
	tcase_add_test(tc, short_ones_are_exact);
	tcase_add_test(tc, borders_of_buckets);
	tcase_add_test(tc, percentiles_agree_with_sorted_values);
	tcase_add_test(tc, durations_over_the_largest_go_to_the_last_bucket);
	tcase_add_test(tc, added_many_times_is_as_added_singly);
	tcase_add_test(tc, merged_is_as_if_counted_in_one);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
