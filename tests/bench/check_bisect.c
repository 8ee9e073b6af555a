/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rate a search tries next, and the self-test. */

#include "bench/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/tests.h"

/* --- bisect ----------------------------------------------------------------------------------- */

/* The binary search against made-up servers. */

#define RANGE 1000, 1000000

/* A server that can do so many a second; the tester itself can do CAN. */
static unsigned
search(struct bench_bisect *b, uint32_t server, uint32_t can)
{
	unsigned n = 0;
	uint32_t rate;

	while ((rate = bench_bisect_next(b)) != 0) {
		ck_assert_uint_lt(n++, 100);
		ck_assert(b->list != NULL || (rate >= b->low && rate <= b->high));
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

/* Without a verdict a trial is repeated five times, at the same rate; one that has one counts. */
START_TEST(repeats_without_a_verdict)
{
	struct bench_bisect b;

	bench_bisect_init(&b, RANGE, 0.5, BENCH_BEGIN_BETWEEN);
	uint32_t rate = bench_bisect_next(&b);
	for (unsigned i = 0; i < 5; i++) {
		bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
		ck_assert_uint_eq(bench_bisect_next(&b), rate);
	}
	bench_bisect_put(&b, rate, BENCH_PASSED);
	ck_assert_uint_gt(bench_bisect_next(&b), rate);

	rate = bench_bisect_next(&b);
	for (unsigned i = 0; i < 5; i++) {
		bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
		ck_assert_uint_eq(bench_bisect_next(&b), rate);
	}
	bench_bisect_put(&b, rate, BENCH_NO_VERDICT);
	ck_assert_uint_lt(bench_bisect_next(&b), rate);
	ck_assert_uint_eq(b.spoilt, 0); /* the next rate has all its repetitions, too */
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
	ck_assert_uint_eq(search(&b, 40000, 500), 1 + BENCH_REPEATS);
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
		enum bench_outcome o = (enum bench_outcome)(rand() % BENCH_CACHED);

		ck_assert_uint_lt(n++, 100);
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

/* A list is tried to its end, whatever happens; without a verdict a rate is repeated, too. */
START_TEST(list_is_tried_to_its_end)
{
	static const uint32_t rates[] = { 30, 10, 20 };
	struct bench_bisect b = { .list = rates, .n = 3 };
	uint64_t sum;

	ck_assert_uint_eq(bench_bisect_most(&b, &sum), 3);
	ck_assert_uint_eq(sum, 60);
	ck_assert_uint_eq(search(&b, 25, UINT32_MAX), 3);
	b.at = 0;
	ck_assert_uint_eq(search(&b, 25, 25), 3 + BENCH_REPEATS);
}
END_TEST

START_TEST(estimate_of_names_is_never_too_low)
{
	struct bench_bisect b, other;
	uint64_t names = 0;
	uint32_t rate;

	bench_bisect_init(&b, 1000, 200000, 3, BENCH_BEGIN_LOW);
	other = b;
	while ((rate = bench_bisect_next(&other)) != 0) {
		names += 3 * bench_bisect_questions(rate, 0.01);
		bench_bisect_put(&other, rate, BENCH_PASSED);
	}
	ck_assert_uint_le(names, bench_bisect_names(&b, 3, 0.01, false));
	ck_assert_uint_gt(names, bench_bisect_names(&b, 3, 0.01, false) / 2);
	ck_assert_uint_eq(bench_bisect_names(&b, 3, 0.01, true), 2000);
	ck_assert_uint_eq(bench_bisect_questions(1, 0.01), 1);
	ck_assert_uint_eq(bench_bisect_questions(1000, 60), 60000);
}
END_TEST

static void
add_bisect(TCase *tc)
{
	tcase_add_loop_test(tc, finds_the_limit, 0, 30);
	tcase_add_test(tc, finds_every_rate);
	tcase_add_test(tc, says_that_high_passes);
	tcase_add_test(tc, says_that_low_fails);
	tcase_add_loop_test(tc, takes_one_rate, 0, 3);
	tcase_add_test(tc, repeats_without_a_verdict);
	tcase_add_test(tc, says_that_the_tester_is_the_limit);
	tcase_add_loop_test(tc, search_ends_whatever_the_server_does, 0, 200);
	tcase_add_loop_test(tc, most_questions_are_those_if_all_passes, 0, 200);
	tcase_add_test(tc, list_is_tried_to_its_end);
	tcase_add_test(tc, estimate_of_names_is_never_too_low);
}

/* --- selftest --------------------------------------------------------------------------------- */

/* The self-test's plan and rates (RFC 8219 section 9). */

static struct bench_settings wanted;

static void
set_selftest(void)
{
	memset(&wanted, 0, sizeof(wanted));
	bench_load_init(&wanted.plan.load);
	wanted.plan.timeout_ns = NS_PER_SEC;
	ck_assert(netaddr_parse("192.0.2.1", 53, &wanted.plan.server));
	ck_assert(netaddr_parse("192.0.2.2", 5300, &wanted.upstream));
}

/* The upstream is asked what it can answer: A, unless all names have AAAA; never for hits. */
START_TEST(asks_what_there_is)
{
	ck_assert(bench_load_mix(&wanted.plan.load, BENCH_HIT, 40));
	wanted.plan.load.zone.aaaa_percent = _i == 0 ? 100 : _i == 1 ? 99 : 0;
	struct bench_plan p = bench_selftest_plan(&wanted);
	ck_assert_int_eq(bench_selftest_asks_aaaa(&wanted), _i == 0);
	for (uint64_t n = 0; n < 100; n++)
		ck_assert_int_eq(
		    bench_load_question(&p.load, n).kind, _i == 0 ? BENCH_NEW : BENCH_ADDRESS);
}
END_TEST

START_TEST(asks_the_upstream)
{
	wanted.plan.clients.n = 1;
	wanted.plan.transport = &bench_tcp;
	wanted.plan.window = wanted.plan.per_connection = 3;
	struct bench_plan p = bench_selftest_plan(&wanted);

	ck_assert_uint_eq(p.clients.n, 0); /* the upstream has one client, and may be of IPv4 */
	ck_assert_ptr_eq(p.transport, &bench_udp); /* by which the server asks it */
	ck_assert(p.singles);
	ck_assert_uint_eq(p.window + p.per_connection, 0);
	ck_assert_uint_eq(p.server.port, 5300);
	ck_assert_uint_eq(p.timeout_ns, NS_PER_SEC / 4);
}
END_TEST

START_TEST(selftest_rate_is_over_twice_the_rate)
{
	ck_assert_uint_eq(bench_selftest_rate(1000, 0.1), 2200);
	ck_assert_uint_eq(bench_selftest_rate(1001, 0.1), 2203); /* 2202.2 */
	ck_assert_uint_eq(bench_selftest_rate(1000, 0), 2000);
	ck_assert_uint_eq(bench_selftest_cap(2200, 0.1), 1000);
	ck_assert_uint_eq(bench_selftest_cap(2199, 0.1), 999);
	ck_assert_uint_eq(bench_selftest_rate(BENCH_RATE_MAX, 100), BENCH_RATE_MAX);
}
END_TEST

/* Who passes where it must for a rate may be used for that rate. */
START_TEST(rates_up_to_the_cap_may_be_used)
{
	static const double deltas[] = { 0, 0.1, 0.15, 0.333, 1, 2.7 };

	for (uint32_t rate = 1; rate < 1000000; rate = rate * 21 / 20 + 1)
		ck_assert_uint_ge(
		    bench_selftest_cap(bench_selftest_rate(rate, deltas[_i]), deltas[_i]), rate);
}
END_TEST

static void
add_selftest(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_selftest, NULL);
	tcase_add_loop_test(tc, asks_what_there_is, 0, 3);
	tcase_add_test(tc, asks_the_upstream);
	tcase_add_test(tc, selftest_rate_is_over_twice_the_rate);
	tcase_add_loop_test(tc, rates_up_to_the_cap_may_be_used, 0, 6);
}

void
tests_add(TCase *tc)
{
	add_bisect(tc);
	add_selftest(tests_case("selftest"));
}
