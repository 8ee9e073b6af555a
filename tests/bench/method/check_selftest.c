/* SPDX-License-Identifier: BSD-2-Clause */
/* The self-test's plan and rates (RFC 8219 section 9). */

#include "bench/method/selftest.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static struct bench_settings settings;

static void
set_up(void)
{
	memset(&settings, 0, sizeof(settings));
	bench_load_init(&settings.plan.load);
	settings.plan.timeout_ns = NS_PER_SEC;
	ck_assert(netaddr_parse("192.0.2.1", 53, &settings.plan.server));
	ck_assert(netaddr_parse("192.0.2.2", 5300, &settings.upstream));
}

/* The upstream is asked what it can answer: A, unless all names have AAAA; never for hits. */
START_TEST(asks_what_there_is)
{
	ck_assert(bench_load_mix(&settings.plan.load, BENCH_HIT, 40));
	settings.plan.load.zone.aaaa_percent = _i == 0 ? 100 : _i == 1 ? 99 : 0;
	struct bench_plan p = bench_selftest_plan(&settings);
	ck_assert_int_eq(bench_selftest_asks_aaaa(&settings), _i == 0);
	for (uint64_t n = 0; n < 100; n++)
		ck_assert_int_eq(
		    bench_load_question(&p.load, n).kind, _i == 0 ? BENCH_NEW : BENCH_ADDRESS);
}
END_TEST

START_TEST(asks_the_upstream)
{
	struct bench_plan p = bench_selftest_plan(&settings);

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

int
main(void)
{
	Suite *s = suite_create("bench_selftest");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_loop_test(tc, asks_what_there_is, 0, 3);
	tcase_add_test(tc, asks_the_upstream);
	tcase_add_test(tc, selftest_rate_is_over_twice_the_rate);
	tcase_add_loop_test(tc, rates_up_to_the_cap_may_be_used, 0, 6);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
