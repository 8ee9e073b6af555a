/* SPDX-License-Identifier: BSD-2-Clause */
/* What all loops have measured of the upstreams, told to the operator. */

#include "core/census.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/upstream.h"
#include "scenario/parts.h"
#include "support/heard.h"

static struct upstreams loops[2];
static struct conf_core conf;
static struct wheel wheel;

static void
setup(void)
{
	wheel_init(&wheel, PARTS_START_NS);
	parts_conf(&conf, 2, 100);
	for (int i = 0; i < 2; i++) {
		upstreams_init(&loops[i]);
		(void)upstreams_configure(&loops[i], &conf, &wheel);
	}
	heard_start(LOG_LEVEL_NOTICE);
}

static void
learn(unsigned loop, unsigned u, unsigned ms, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		loops[loop].table[u].tally.sends++;
		upstreams_learn(&loops[loop], u, UPSTREAM_OVER_UDP, ms * NS_PER_MS,
		    PARTS_START_NS + i * NS_PER_SEC);
	}
}

/* The last loop logs, and the one that answered more weighs more. */
START_TEST(the_last_loop_logs_the_sums)
{
	struct census *c = census_new(2);

	learn(0, 0, 10, 299);
	learn(1, 0, 50, 99);
	loops[0].table[0].tally.late = 3;
	loops[1].table[0].tally.lost = 4;
	loops[1].table[0].tally.hedges = 5;
	loops[0].table[1].tally.sends = 2;
	census_add(c, &loops[0]);
	census_give(c);
	ck_assert_uint_eq(heard_all(), 0);
	census_add(c, &loops[1]);
	census_give(c);
	ck_assert_uint_eq(
	    heard(
		"upstream 192.0.2.1#53 good: time by UDP 20.0 ms (deviation 0.0), by TCP unknown; "
		"sends 398 (99.5 % of all), replies 398, of these late 3; lost 4, hedges 5"),
	    1);
	ck_assert_uint_eq(heard("upstream 192.0.2.2#53 good: time by UDP unknown, by TCP unknown; "
				"sends 2 (0.5 % of all), replies 0, of these late 0"),
	    1);
	ck_assert_uint_eq(heard_all(), 2);
	heard_end();
}
END_TEST

START_TEST(states_are_those_of_all_loops)
{
	struct census *c = census_new(1);

	loops[0].table[0].doubted = true;
	loops[0].table[0].down = true;
	loops[0].table[1].doubted = true;
	loops[0].table[1].down = true;
	loops[1].table[0].doubted = true;
	loops[1].table[0].down = true;
	census_add(c, &loops[0]);
	census_add(c, &loops[1]);
	census_give(c);
	ck_assert_uint_eq(heard("192.0.2.1#53 down: "), 1);
	ck_assert_uint_eq(heard("192.0.2.2#53 in doubt: "), 1);
	census_give(NULL);
	heard_end();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("census");
	TCase *tc = tcase_create("census");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, the_last_loop_logs_the_sums);
	tcase_add_test(tc, states_are_those_of_all_loops);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
