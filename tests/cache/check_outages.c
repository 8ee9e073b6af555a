/* SPDX-License-Identifier: BSD-2-Clause */
/* Outages: what was during one and what was not, told of by several loops, on a clock that wraps
 * (D22). */

#include "cache/outages.h"

#include "support/tests.h"

static struct outages outages;
static uint32_t start_s; /* of the clock, in this round */

static void
set_up(void)
{
	outages_init(&outages);
}

/* Times are told from START_S on. */
static void
note(uint32_t from, uint32_t to)
{
	outages_note(&outages, start_s + from, start_s + to);
}

static bool
have(uint32_t at)
{
	return outages_have(&outages, start_s + at);
}

static const uint32_t starts[] = { 0, 100000, UINT32_MAX - 155, UINT32_MAX - 400 };
#define N_STARTS (sizeof(starts) / sizeof(starts[0]))

START_TEST(both_ends_and_between)
{
	start_s = starts[_i];
	ck_assert(!have(150));
	note(100, 200);
	ck_assert(!have(99));
	ck_assert(have(100));
	ck_assert(have(150));
	ck_assert(have(200));
	ck_assert(!have(201));
	note(300, 300);
	ck_assert(have(300));
	ck_assert(!have(299) && !have(301) && !have(250));
	ck_assert(have(150));
}
END_TEST

/* Each loop tells of it as it saw it. */
START_TEST(what_overlaps_is_one)
{
	start_s = starts[_i];
	note(100, 200);
	note(150, 201);
	ck_assert(have(100) && have(201));
	note(300, 310);
	note(90, 95);
	ck_assert_uint_eq(outages.n, 3);
	ck_assert(!have(96) && !have(250));
	note(94, 305);
	ck_assert_uint_eq(outages.n, 1);
	ck_assert(have(90) && have(97) && have(250) && have(310));
	ck_assert(!have(89) && !have(311));
}
END_TEST

/* What nobody remembers a silence of is forgotten. */
START_TEST(old_outages_are_forgotten)
{
	start_s = starts[_i];
	note(10, 20);
	note(20 + OUTAGES_LIFE_S, 20 + OUTAGES_LIFE_S);
	ck_assert(have(15));
	note(21 + OUTAGES_LIFE_S, 21 + OUTAGES_LIFE_S);
	ck_assert(!have(15));
	ck_assert_uint_eq(outages.n, 2);
}
END_TEST

/* One that comes and goes all the time: none is lost. */
START_TEST(too_many_outages_lose_none)
{
	start_s = starts[_i];
	for (uint32_t i = 0; i < 2 * OUTAGES_MAX; i++)
		note(i * 10, i * 10 + 1);
	ck_assert_uint_eq(outages.n, OUTAGES_MAX);
	for (uint32_t i = 0; i < 2 * OUTAGES_MAX; i++)
		ck_assert(have(i * 10) && have(i * 10 + 1));
	for (uint32_t i = 0; i + 1 < OUTAGES_MAX; i++)
		ck_assert(!have(i * 10 + 5));
	ck_assert(!have(20 * OUTAGES_MAX));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_loop_test(tc, both_ends_and_between, 0, N_STARTS);
	tcase_add_loop_test(tc, what_overlaps_is_one, 0, N_STARTS);
	tcase_add_loop_test(tc, old_outages_are_forgotten, 0, N_STARTS);
	tcase_add_loop_test(tc, too_many_outages_lose_none, 0, N_STARTS);
}
