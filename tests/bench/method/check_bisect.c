/* SPDX-License-Identifier: BSD-2-Clause */
/* The binary search against made-up servers. */

#include "bench/method/bisect.h"

#include <check.h>
#include <stdlib.h>

#define RANGE 1000, 1000000

/* A server that can do so many a second; the tester itself can do CAN. */
static unsigned
search(struct bench_bisect *b, uint32_t server, uint32_t can)
{
	unsigned n = 0;
	uint32_t rate;

	while ((rate = bench_bisect_next(b)) != 0) {
		ck_assert_uint_lt(n++, 100);
		ck_assert_uint_ge(rate, b->low);
		ck_assert_uint_le(rate, b->high);
		bench_bisect_put(b, rate,
		    rate > can           ? BENCH_NO_VERDICT
			: rate <= server ? BENCH_PASSED
					 : BENCH_FAILED);
	}
	return n;
}

/* The result, which is due to LIMIT. */
static uint32_t
result(const struct bench_bisect *b, enum bench_limit limit)
{
	enum bench_limit got;
	uint32_t rate = bench_bisect_result(b, &got);

	ck_assert_int_eq(got, limit);
	return rate;
}

/* The rate found passed, and one that is not more than the resolution above it failed. */
START_TEST(finds_the_limit)
{
	static const uint32_t servers[] = { 1000, 1001, 1004, 1500, 31622, 31623, 99999, 500000,
		994000, 999999 };
	static const enum bench_begin begins[] = { BENCH_BEGIN_BETWEEN, BENCH_BEGIN_LOW,
		BENCH_BEGIN_HIGH };
	uint32_t server = servers[_i % 10];
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, begins[_i / 10]);
	ck_assert_uint_le(search(&b, server, UINT32_MAX), 14);
	uint32_t rate = result(&b, BENCH_LIMIT_SERVER);
	ck_assert_uint_le(rate, server);
	ck_assert_uint_gt(b.high, server);
	ck_assert_double_le(b.high - rate, 0.005 * rate + 1);
}
END_TEST

/* A resolution finer than one question a second finds the very rate. */
START_TEST(finds_every_rate)
{
	for (uint32_t server = 10; server < 40; server++) {
		struct bench_bisect b;

		bench_bisect_init(&b, 10, 40, 0.001, BENCH_BEGIN_BETWEEN);
		(void)search(&b, server, UINT32_MAX);
		ck_assert_uint_eq(result(&b, BENCH_LIMIT_SERVER), server);
	}
}
END_TEST

START_TEST(says_that_high_passes)
{
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_BETWEEN);
	(void)search(&b, UINT32_MAX, UINT32_MAX);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_HIGH), 1000000);
	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_HIGH);
	ck_assert_uint_eq(search(&b, UINT32_MAX, UINT32_MAX), 1);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_HIGH), 1000000);
}
END_TEST

START_TEST(says_that_low_fails)
{
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_BETWEEN);
	(void)search(&b, 0, UINT32_MAX);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_LOW), 0);
	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_LOW);
	ck_assert_uint_eq(search(&b, 0, UINT32_MAX), 1);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_LOW), 0);
	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_HIGH);
	ck_assert_uint_eq(search(&b, 0, UINT32_MAX), 2);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_LOW), 0);
}
END_TEST

/* One rate only: it passes or it does not. */
START_TEST(takes_one_rate)
{
	static const enum bench_begin begins[] = { BENCH_BEGIN_BETWEEN, BENCH_BEGIN_LOW,
		BENCH_BEGIN_HIGH };
	struct bench_bisect b;

	bench_bisect_init(&b, 7, 7, 0.5, begins[_i]);
	ck_assert_uint_eq(search(&b, 7, UINT32_MAX), 1);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_HIGH), 7);
	bench_bisect_init(&b, 7, 7, 0.5, begins[_i]);
	ck_assert_uint_eq(search(&b, 6, UINT32_MAX), 1);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_LOW), 0);
}
END_TEST

/* Without a verdict a trial is done once more, at the same rate; then the other one counts. */
START_TEST(repeats_without_a_verdict)
{
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_BETWEEN);
	uint32_t rate = bench_bisect_next(&b);
	bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
	ck_assert_uint_eq(bench_bisect_next(&b), rate);
	bench_bisect_put(&b, rate, BENCH_PASSED);
	ck_assert_uint_gt(bench_bisect_next(&b), rate);

	rate = bench_bisect_next(&b);
	bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
	ck_assert_uint_eq(bench_bisect_next(&b), rate);
	bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
	ck_assert_uint_lt(bench_bisect_next(&b), rate);
}
END_TEST

/* A tester that is slower than the server is the limit; one that is faster is none. */
START_TEST(says_that_the_tester_is_the_limit)
{
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_LOW);
	(void)search(&b, 200000, 50000);
	uint32_t rate = result(&b, BENCH_LIMIT_TESTER);
	ck_assert_uint_le(rate, 50000);
	ck_assert_uint_gt(rate, 49700);

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_LOW);
	(void)search(&b, 40000, 50000);
	ck_assert_uint_gt(result(&b, BENCH_LIMIT_SERVER), 39700);

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_LOW);
	ck_assert_uint_eq(search(&b, 40000, 500), 2);
	ck_assert_uint_eq(result(&b, BENCH_LIMIT_TESTER), 0);
}
END_TEST

/* A server with moods: the search ends, and its result is a rate that did pass. */
START_TEST(search_ends_whatever_the_server_does)
{
	struct bench_bisect b;
	enum bench_limit limit;
	uint32_t rate, highest = 0;
	unsigned n = 0;

	srand((unsigned)_i);
	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_BETWEEN);
	while ((rate = bench_bisect_next(&b)) != 0) {
		enum bench_outcome o = (enum bench_outcome)(rand() % BENCH_OUTCOMES);

		ck_assert_uint_lt(n++, 40);
		if (o == BENCH_PASSED && rate > highest)
			highest = rate;
		bench_bisect_put(&b, rate, o);
	}
	ck_assert_uint_eq(bench_bisect_result(&b, &limit), highest);
}
END_TEST

/* No course of the search takes more questions than that in which all passes. */
START_TEST(most_questions_are_those_if_all_passes)
{
	struct bench_bisect b, other;
	uint64_t most, sum = 0;
	uint32_t rate;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_LOW);
	other = b;
	unsigned n = bench_bisect_most(&b, &most);
	ck_assert_uint_ge(n, 11);
	ck_assert_uint_le(n, 14);
	ck_assert_uint_eq(bench_bisect_next(&b), 1000);
	srand((unsigned)_i);
	while ((rate = bench_bisect_next(&other)) != 0) {
		sum += rate;
		bench_bisect_put(&other, rate, rand() % 2 == 0 ? BENCH_PASSED : BENCH_FAILED);
	}
	ck_assert_uint_le(sum, most);
	ck_assert_uint_eq(bench_bisect_most(&other, &most), 0);
	ck_assert_uint_eq(most, 0);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_bisect");
	TCase *tc = tcase_create("all");

	tcase_add_loop_test(tc, finds_the_limit, 0, 30);
	tcase_add_test(tc, finds_every_rate);
	tcase_add_test(tc, says_that_high_passes);
	tcase_add_test(tc, says_that_low_fails);
	tcase_add_loop_test(tc, takes_one_rate, 0, 3);
	tcase_add_test(tc, repeats_without_a_verdict);
	tcase_add_test(tc, says_that_the_tester_is_the_limit);
	tcase_add_loop_test(tc, search_ends_whatever_the_server_does, 0, 200);
	tcase_add_loop_test(tc, most_questions_are_those_if_all_passes, 0, 200);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
