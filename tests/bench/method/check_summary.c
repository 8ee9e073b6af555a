/* SPDX-License-Identifier: BSD-2-Clause */
/* Median and percentiles as RFC 2330 section 11.3 and the paper define them. */

#include "bench/method/summary.h"

#include <check.h>
#include <stdlib.h>

/* The example of RFC 2330 section 11.3 (-2, 7, 7, 4, 18, -5), 10 added to each. */
START_TEST(rfc2330_example_has_its_percentiles)
{
	static const uint32_t v[] = { 5, 8, 14, 17, 17, 28 };

	ck_assert_uint_eq(bench_summary_percentile(v, 6, 50), 14);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 25), 8);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 100), 28);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 15), 5);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 17), 8);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 83), 17);
	ck_assert_uint_eq(bench_summary_percentile(v, 6, 84), 28);
}
END_TEST

/* The median of an even number is the mean of the two in the middle, unlike the 50th percentile. */
START_TEST(median_of_even_count_is_a_mean)
{
	uint32_t v[] = { 28, 17, 5, 14, 17, 8 };
	struct bench_summary s = bench_summary(v, 6);

	ck_assert_double_eq_tol(s.median, 15.5, 1e-9);
	ck_assert_double_eq_tol(s.mean, 89.0 / 6, 1e-9);
	ck_assert_uint_eq(s.min, 5);
	ck_assert_uint_eq(s.max, 28);
}
END_TEST

START_TEST(median_of_odd_count_is_the_middle)
{
	uint32_t v[] = { 4000000000, 1, 3900000000 }, one[] = { 7 };
	struct bench_summary s = bench_summary(v, 3);

	ck_assert_double_eq_tol(s.median, 3900000000, 1e-3);
	ck_assert_double_eq_tol(s.mean, 7900000001.0 / 3, 1e-3);
	s = bench_summary(one, 1);
	ck_assert_double_eq_tol(s.median, 7, 1e-9);
	ck_assert_uint_eq(s.p1, 7);
	ck_assert_uint_eq(s.p99, 7);
}
END_TEST

/* Of 20 searches the percentiles are minimum and maximum (the paper, section 6.6); of 200 not. */
START_TEST(percentiles_of_few_are_the_ends)
{
	uint32_t v[200];

	for (uint32_t i = 0; i < 200; i++)
		v[i] = 200 - i;
	struct bench_summary s = bench_summary(v, 200);
	ck_assert_uint_eq(s.p1, 2);
	ck_assert_uint_eq(s.p99, 198);
	s = bench_summary(v, 20);
	ck_assert_uint_eq(s.p1, 1);
	ck_assert_uint_eq(s.p99, 20);
	s = bench_summary(v, 100);
	ck_assert_uint_eq(s.p1, 1);
	ck_assert_uint_eq(s.p99, 99);
	ck_assert_double_eq_tol(s.median, 50.5, 1e-9);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_summary");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, rfc2330_example_has_its_percentiles);
	tcase_add_test(tc, median_of_even_count_is_a_mean);
	tcase_add_test(tc, median_of_odd_count_is_the_middle);
	tcase_add_test(tc, percentiles_of_few_are_the_ends);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
