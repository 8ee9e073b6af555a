/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the daemon can do its work, and if not why. */

#include "control/facts.h"

#include "support/known.h"
#include "support/tests.h"

START_TEST(ready)
{
	ck_assert_ptr_null(facts_unready(&known.facts));
	known.views.view[0].state = VIEW_DOUBTED;
	ck_assert_ptr_null(facts_unready(&known.facts));
}
END_TEST

START_TEST(without_an_upstream)
{
	known.views.view[0].state = VIEW_DOWN;
	ck_assert_str_eq(facts_unready(&known.facts), "no upstream answers");
	known.views.view[0].state = VIEW_STARVED;
	ck_assert_str_eq(facts_unready(&known.facts), "no upstream answers");
	known.views.view[0].n_so = 1; /* the other loop can ask it */
	ck_assert_ptr_null(facts_unready(&known.facts));
}
END_TEST

START_TEST(without_an_address)
{
	known.facts.n_served = 0;
	ck_assert_str_eq(facts_unready(&known.facts), "no listen address is there");
}
END_TEST

START_TEST(without_a_prefix)
{
	known_open("nameserver 192.0.2.1\ndns64-prefix 2001:db8::/96 drain\n");
	ck_assert_str_eq(facts_unready(&known.facts), "no prefix is active");
	known_open("nameserver 192.0.2.1\ndns64-prefix 2001:db8::/96 down\nsynthesize never\n");
	ck_assert_ptr_null(facts_unready(&known.facts));
}
END_TEST

START_TEST(without_loops)
{
	known.views.n_missing = 1;
	ck_assert(!facts_all_told(&known.facts));
	ck_assert_ptr_null(facts_unready(&known.facts));
	known.views.n_missing = 2;
	ck_assert_str_eq(facts_unready(&known.facts), "no loop answers");
}
END_TEST

/* Whatever else there is to say. */
START_TEST(lameduck)
{
	known.facts.lameduck = 1000;
	ck_assert_str_eq(facts_unready(&known.facts), "lameduck");
	known.views.n_missing = 2;
	ck_assert_str_eq(facts_unready(&known.facts), "lameduck");
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
	tcase_add_test(tc, ready);
	tcase_add_test(tc, without_an_upstream);
	tcase_add_test(tc, without_an_address);
	tcase_add_test(tc, without_a_prefix);
	tcase_add_test(tc, without_loops);
	tcase_add_test(tc, lameduck);
	tcase_add_test(tc, uptime);
}
