/* SPDX-License-Identifier: BSD-2-Clause */
/* fakedns remembers when names were first asked for, and forgets the oldest. */

#include "fakedns/seen.h"

#include <string.h>

#include "support/tests.h"

#define CAP 8

static uint64_t
first(struct fake_seen *s, uint32_t name, uint64_t now_ns)
{
	uint8_t bytes[4];

	memcpy(bytes, &name, sizeof(bytes));
	return fake_seen_first(s, bytes, sizeof(bytes), now_ns);
}

static struct fake_seen *
new_seen(uint32_t cap)
{
	struct fake_seen *s = fake_seen_new(cap);

	ck_assert_ptr_nonnull(s);
	return s;
}

START_TEST(the_first_time_stays)
{
	struct fake_seen *s = new_seen(CAP);

	ck_assert_uint_eq(first(s, 1, 100), 100);
	ck_assert_uint_eq(first(s, 2, 200), 200);
	ck_assert_uint_eq(first(s, 1, 300), 100);
	ck_assert_uint_eq(first(s, 2, 400), 200);
	fake_seen_free(s);
}
END_TEST

/* To be asked for again does not make a name younger. */
START_TEST(the_oldest_is_forgotten)
{
	struct fake_seen *s = new_seen(CAP);

	for (uint32_t i = 0; i < CAP; i++)
		ck_assert_uint_eq(first(s, i, 100 + i), 100 + i);
	ck_assert_uint_eq(first(s, 0, 200), 100);
	ck_assert_uint_eq(first(s, CAP, 300), 300); /* in the place of 0 */
	for (uint32_t i = 1; i <= CAP; i++)
		ck_assert_uint_ne(first(s, i, 400), 400);
	ck_assert_uint_eq(first(s, 0, 500), 500); /* in the place of 1 */
	ck_assert_uint_eq(first(s, 2, 600), 102);
	ck_assert_uint_eq(first(s, 1, 700), 700);
	fake_seen_free(s);
}
END_TEST

/* Long chains, many rounds: what is remembered is always the last CAP. */
START_TEST(the_last_ones_are_remembered)
{
	enum { SMALL = 64, ROUNDS = 100 };
	struct fake_seen *s = new_seen(SMALL);

	for (uint32_t i = 0; i < ROUNDS * SMALL; i++) {
		ck_assert_uint_eq(first(s, i, i), i);
		uint32_t oldest = i >= SMALL ? i - SMALL + 1 : 0;
		ck_assert_uint_eq(first(s, oldest, UINT64_MAX), oldest);
		ck_assert_uint_eq(
		    first(s, oldest + (i - oldest) / 2, UINT64_MAX), oldest + (i - oldest) / 2);
	}
	fake_seen_free(s);
	fake_seen_free(NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, the_first_time_stays);
	tcase_add_test(tc, the_oldest_is_forgotten);
	tcase_add_test(tc, the_last_ones_are_remembered);
}
