/* SPDX-License-Identifier: BSD-2-Clause */
/* Percentiles, means and slopes, by hand and as RFC 2330 section 11.3 and the paper define them. */

#include "bench/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/tests.h"

/* --- histogram -------------------------------------------------------------------------------- */

/* Distributions of durations, beside the durations themselves, sorted. */

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

/* Every value is in one bucket, and no two buckets have a value in common. */
START_TEST(buckets_are_walked_in_order)
{
	static const uint64_t values[] = { 0, 0, 127, 128, 255, 256, 257, 1000000,
		BENCH_HISTOGRAM_MAX_NS };
	struct bench_bucket b;
	uint64_t n = 0, next = 0;
	unsigned at = 0;
	size_t i = 0;

	bench_histogram_clear(&h);
	ck_assert(!bench_histogram_next(&h, &at, &b));
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
		bench_histogram_add(&h, values[k]);
	for (at = 0; bench_histogram_next(&h, &at, &b); next = b.high_ns + 1) {
		ck_assert_uint_ge(b.low_ns, next);
		ck_assert_uint_ge(b.high_ns, b.low_ns);
		for (uint64_t k = 0; k < b.n; k++, i++)
			ck_assert(values[i] >= b.low_ns && values[i] <= b.high_ns);
		n += b.n;
	}
	ck_assert_uint_eq(n, h.n);
	ck_assert_uint_eq(next, BENCH_HISTOGRAM_MAX_NS + 1);
	ck_assert(!bench_histogram_next(&h, &at, &b));
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

static void
add_histogram(TCase *tc)
{
	tcase_add_test(tc, empty_histogram_is_all_zero);
	tcase_add_test(tc, buckets_are_walked_in_order);
	tcase_add_test(tc, mean_and_deviation);
	tcase_add_test(tc, small_deviation_of_large_values);
	tcase_add_test(tc, short_ones_are_exact);
	tcase_add_test(tc, borders_of_buckets);
	tcase_add_test(tc, percentiles_agree_with_sorted_values);
	tcase_add_test(tc, durations_over_the_largest_go_to_the_last_bucket);
	tcase_add_test(tc, added_many_times_is_as_added_singly);
	tcase_add_test(tc, merged_is_as_if_counted_in_one);
}

/* --- summary ---------------------------------------------------------------------------------- */

/* Median and percentiles as RFC 2330 section 11.3 and the paper define them. */

/* The example of RFC 2330 section 11.3. */
START_TEST(rfc2330_example_has_its_percentiles)
{
	static const double v[] = { -5, -2, 4, 7, 7, 18 };

	ck_assert_double_eq(bench_stats_percentile(v, 6, 50), 4);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 25), -2);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 100), 18);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 15), -5);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 17), -2);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 83), 7);
	ck_assert_double_eq(bench_stats_percentile(v, 6, 84), 18);
}
END_TEST

/* The median of an even number is the mean of the two in the middle, unlike the 50th percentile. */
START_TEST(median_of_even_count_is_a_mean)
{
	double v[] = { 28, 17, 5, 14, 17, 8 };
	struct bench_summary s = bench_stats_summary(v, 6);

	ck_assert_uint_eq(s.n, 6);
	ck_assert_double_eq_tol(s.median, 15.5, 1e-9);
	ck_assert_double_eq_tol(s.mean, 89.0 / 6, 1e-9);
	ck_assert_double_eq(s.min, 5);
	ck_assert_double_eq(s.max, 28);
}
END_TEST

START_TEST(median_of_odd_count_is_the_middle)
{
	double v[] = { 4000000000, 1, 3900000000 }, one[] = { 7 };
	struct bench_summary s = bench_stats_summary(v, 3);

	ck_assert_double_eq_tol(s.median, 3900000000, 1e-3);
	ck_assert_double_eq_tol(s.mean, 7900000001.0 / 3, 1e-3);
	s = bench_stats_summary(one, 1);
	ck_assert_double_eq_tol(s.median, 7, 1e-9);
	ck_assert_double_eq(s.p1, 7);
	ck_assert_double_eq(s.p99, 7);
	ck_assert_double_eq(s.deviation, 0);
	ck_assert_double_eq(s.margin, 0);
	ck_assert_double_eq(s.mad, 0);
}
END_TEST

/* Of 20 searches the percentiles are minimum and maximum (the paper, section 6.6); of 200 not. */
START_TEST(percentiles_of_few_are_the_ends)
{
	double v[200];

	for (unsigned i = 0; i < 200; i++)
		v[i] = 200 - i;
	struct bench_summary s = bench_stats_summary(v, 200);
	ck_assert_double_eq(s.p1, 2);
	ck_assert_double_eq(s.p99, 198);
	s = bench_stats_summary(v, 20);
	ck_assert_double_eq(s.p1, 1);
	ck_assert_double_eq(s.p99, 20);
	s = bench_stats_summary(v, 100);
	ck_assert_double_eq(s.p1, 1);
	ck_assert_double_eq(s.p99, 99);
	ck_assert_double_eq_tol(s.median, 50.5, 1e-9);
}
END_TEST

/* By hand: 2 4 4 4 5 5 7 9 has squares of distances to 5 of 32; 32 / 7 = 4.571. */
START_TEST(deviation_is_of_a_sample)
{
	double v[] = { 9, 4, 5, 4, 2, 7, 5, 4 };
	struct bench_summary s = bench_stats_summary(v, 8);

	ck_assert_double_eq_tol(s.deviation, sqrt(32.0 / 7), 1e-12);
	/* t of 99.9 % and 7 degrees of freedom is 5.408. */
	ck_assert_double_eq_tol(s.margin, 5.408 * sqrt(32.0 / 7) / sqrt(8), 1e-3);
}
END_TEST

/* Distances to the median, the middle one of them: of both sides, of one only, of an even number.
 */
START_TEST(mad_is_the_middle_distance)
{
	double odd[] = { 1, 1, 2, 2, 4, 6, 9 }; /* from 2: 1 1 0 0 2 4 7 */
	double skew[] = { 0, 0, 0, 5, 6 };      /* from 0: 0 0 0 5 6 */
	double even[] = { 1, 2, 4, 10 };        /* from 3: 2 1 1 7, so 1.5 */
	double three[] = { 10, 11, 20 };        /* from 11: 1 0 9 */

	ck_assert_double_eq_tol(bench_stats_summary(odd, 7).mad, 1.4826, 1e-12);
	ck_assert_double_eq_tol(bench_stats_summary(skew, 5).mad, 0, 1e-12);
	ck_assert_double_eq_tol(bench_stats_summary(even, 4).mad, 1.5 * 1.4826, 1e-12);
	ck_assert_double_eq_tol(bench_stats_summary(three, 3).mad, 1.4826, 1e-12);
}
END_TEST

/* Values of tables of Student's distribution. */
START_TEST(t_is_that_of_tables)
{
	static const struct {
		double inside;
		size_t freedom;
		double t;
	} known[] = { { 0.95, 1, 12.7062 }, { 0.95, 2, 4.3027 }, { 0.95, 3, 3.1824 },
		{ 0.95, 4, 2.7764 }, { 0.95, 10, 2.2281 }, { 0.99, 30, 2.7500 },
		{ 0.999, 4, 8.6103 }, { 0.999, 5, 6.8688 }, { 0.999, 19, 3.8834 },
		{ 0.999, 120, 3.3735 }, { 0.999, 1000000, 3.2915 } };

	ck_assert_double_eq_tol(
	    bench_stats_t(known[_i].inside, known[_i].freedom), known[_i].t, 6e-4);
}
END_TEST

/* No percentile is finer than a value: 99 % of a hundred at least, 99.9 % of a thousand. */
START_TEST(percentiles_need_values_enough)
{
	ck_assert(!bench_stats_carries(99, 99) && bench_stats_carries(100, 99));
	ck_assert(!bench_stats_carries(99, 1) && bench_stats_carries(100, 1));
	ck_assert(!bench_stats_carries(999, 99.9) && bench_stats_carries(1000, 99.9));
	ck_assert(!bench_stats_carries(99999, 99.999) && bench_stats_carries(100000, 99.999));
	ck_assert(!bench_stats_carries(9, 90) && bench_stats_carries(10, 90));
	ck_assert(!bench_stats_carries(19, 5) && bench_stats_carries(20, 5));
	ck_assert(!bench_stats_carries(4, 80) && bench_stats_carries(5, 20));
	for (unsigned end = 0; end <= 100; end += 50)
		ck_assert(!bench_stats_carries(0, end) && bench_stats_carries(1, end));
}
END_TEST

static void
add_summary(TCase *tc)
{
	tcase_add_test(tc, rfc2330_example_has_its_percentiles);
	tcase_add_test(tc, median_of_even_count_is_a_mean);
	tcase_add_test(tc, median_of_odd_count_is_the_middle);
	tcase_add_test(tc, percentiles_of_few_are_the_ends);
	tcase_add_test(tc, deviation_is_of_a_sample);
	tcase_add_test(tc, mad_is_the_middle_distance);
	tcase_add_loop_test(tc, t_is_that_of_tables, 0, 11);
	tcase_add_test(tc, percentiles_need_values_enough);
}

/* --- trend ------------------------------------------------------------------------------------ */

/* The straight line through points. */

START_TEST(slope_of_an_exact_line)
{
	struct bench_point p[10];
	double slope = 0;

	for (int i = 0; i < 10; i++)
		p[i] = (struct bench_point){ i / 60.0, 1e9 - 3.0 * i / 60.0 };
	ck_assert(bench_stats_slope(p, 10, &slope));
	ck_assert_double_eq_tol(slope, -3, 1e-4);
}
END_TEST

/* Points above and below weigh alike: by hand, y of 1 3 2 4 at x of 0 1 2 3 has 0.8. */
START_TEST(slope_of_scattered_points)
{
	static const struct bench_point p[] = { { 0, 1 }, { 1, 3 }, { 2, 2 }, { 3, 4 } };
	double slope = 0;

	ck_assert(bench_stats_slope(p, 4, &slope));
	ck_assert_double_eq_tol(slope, 0.8, 1e-12);
}
END_TEST

START_TEST(points_without_a_line_have_no_slope)
{
	static const struct bench_point p[] = { { 2, 1 }, { 2, 3 } };
	double slope = 7;

	ck_assert(!bench_stats_slope(p, 0, &slope));
	ck_assert(!bench_stats_slope(p, 1, &slope));
	ck_assert(!bench_stats_slope(p, 2, &slope));
	ck_assert_double_eq(slope, 7);
}
END_TEST

static void
add_trend(TCase *tc)
{
	tcase_add_test(tc, slope_of_an_exact_line);
	tcase_add_test(tc, slope_of_scattered_points);
	tcase_add_test(tc, points_without_a_line_have_no_slope);
}

void
tests_add(TCase *tc)
{
	add_histogram(tc);
	add_summary(tc);
	add_trend(tc);
}
