/* SPDX-License-Identifier: BSD-2-Clause */
/* What there is to tell; its verdict is in check_verdict. */

#include "figures/facts.h"

#include "support/known.h"
#include "support/tests.h"

START_TEST(loops_that_are_late)
{
	ck_assert(facts_are_whole(&known.facts));
	known.upstreams.n_missing = 1;
	ck_assert(!facts_are_whole(&known.facts));
}
END_TEST

START_TEST(uptime)
{
	ck_assert_uint_gt(facts_uptime(&known.facts), 1000000);
	known.facts.started = time(NULL) + 100; /* the clock was set back */
	ck_assert_uint_eq(facts_uptime(&known.facts), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, known_setup, known_close);
	tcase_add_test(tc, loops_that_are_late);
	tcase_add_test(tc, uptime);
}
