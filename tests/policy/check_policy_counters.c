/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters stay with the networks that they are for. */

#include "policy/policy_counters.h"

#include "support/tests.h"

static struct policy_counters policy_counters;

static void
setup(void)
{
	policy_counters = (struct policy_counters){ .n = 0 };
}

/* A set with N blocks, for the networks from FIRST on. */
static struct policies *
given(size_t n, uint64_t first)
{
	struct policies *ps = policies_new(n + 1);

	ck_assert_ptr_nonnull(ps);
	for (size_t i = 1; i <= n; i++)
		ps->table[i].networks = first + i - 1;
	policy_counters_give(&policy_counters, ps);
	ck_assert_uint_eq(ps->table[0].counter, 0);
	return ps;
}

START_TEST(same_networks_same_counter)
{
	struct policies *ps = given(2, 1000), *other;

	ck_assert_uint_eq(ps->table[1].counter, 1);
	ck_assert_uint_eq(ps->table[2].counter, 2);
	policies_unref(ps);
	/* The first is away, one is new; then it is back. */
	ps = given(2, 1001);
	ck_assert_uint_eq(ps->table[1].counter, 2);
	ck_assert_uint_eq(ps->table[2].counter, 3);
	other = given(1, 1000);
	ck_assert_uint_eq(other->table[1].counter, 1);
	policies_unref(other);
	/* Twice is as once. */
	policy_counters_give(&policy_counters, ps);
	ck_assert_uint_eq(ps->table[2].counter, 3);
	policies_unref(ps);
}
END_TEST

START_TEST(more_than_there_are)
{
	struct policies *ps = given(STATS_CLIENTS + 10, 1000), *other;

	ck_assert_uint_eq(
	    ps->table[POLICY_COUNTERS_SHARED - 1].counter, POLICY_COUNTERS_SHARED - 1);
	for (size_t i = POLICY_COUNTERS_SHARED; i < ps->n; i++)
		ck_assert_uint_eq(ps->table[i].counter, POLICY_COUNTERS_SHARED);
	other = given(1, 1000);
	ck_assert_uint_eq(other->table[1].counter, 1);
	policies_unref(other);
	other = given(1, 7);
	ck_assert_uint_eq(other->table[1].counter, POLICY_COUNTERS_SHARED);
	policies_unref(other);
	policies_unref(ps);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, same_networks_same_counter);
	tcase_add_test(tc, more_than_there_are);
}
