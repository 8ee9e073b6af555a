/* SPDX-License-Identifier: BSD-2-Clause */
/* Ghosts: the newest fingerprints of a row are known, once each; older ones and others are not. */

#include "cache/ghost.h"

#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define ROWS 8

static _Alignas(64) uint16_t rows[ROWS][GHOST_ROW];
static struct ghost ghost = { .row = rows, .n_rows = ROWS };

static void
set_up(void)
{
	memset(rows, 0, sizeof(rows));
}

/* A hash of the N-th row. */
static uint64_t
hash_in(unsigned n)
{
	return (uint64_t)n * (UINT32_MAX / ROWS) + UINT32_MAX / ROWS / 2;
}

START_TEST(fingerprint_is_taken_once)
{
	ck_assert(!ghost_take(&ghost, 77, 1000));
	ghost_add(&ghost, 77, 1000);
	ck_assert(!ghost_take(&ghost, 77, 1002));
	ck_assert(!ghost_take(&ghost, hash_in(5), 1000));
	ck_assert(ghost_take(&ghost, 77, 1000));
	ck_assert(!ghost_take(&ghost, 77, 1000));
}
END_TEST

/* An empty place and the hand are no fingerprints, whatever the print. */
START_TEST(all_fingerprints_are_remembered)
{
	for (unsigned print = 0; print <= UINT16_MAX; print++) {
		unsigned row = print % ROWS;

		if (ghost_take(&ghost, hash_in(row), print))
			ck_abort_msg("%u was there", print);
		ghost_add(&ghost, hash_in(row), print);
		if (!ghost_take(&ghost, hash_in(row), print))
			ck_abort_msg("%u was not there", print);
	}
}
END_TEST

START_TEST(oldest_fingerprints_go_first)
{
	for (unsigned i = 0; i < 100; i++)
		ghost_add(&ghost, hash_in(3), 2 * i);
	for (unsigned i = 0; i < 100 - GHOST_KEPT; i++)
		ck_assert(!ghost_take(&ghost, hash_in(3), 2 * i));
	for (unsigned i = 100 - GHOST_KEPT; i < 100; i++)
		ck_assert(ghost_take(&ghost, hash_in(3), 2 * i));
}
END_TEST

/* Whatever the hash, the rows are its place. */
START_TEST(place_is_within_the_table)
{
	struct rng rng;
	unsigned known = 0;

	rng_init_seeded(&rng, 1);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t hash = i == 0 ? UINT64_MAX : rng_u64(&rng);

		ck_assert(ghost_row(&ghost, hash) >= rows[0]);
		ck_assert(ghost_row(&ghost, hash) <= rows[ROWS - 1]);
		ghost_add(&ghost, hash, (unsigned)(hash >> 48));
		known += ghost_take(&ghost, hash, (unsigned)(hash >> 48));
	}
	ck_assert_uint_eq(known, 1000);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, fingerprint_is_taken_once);
	tcase_add_test(tc, all_fingerprints_are_remembered);
	tcase_add_test(tc, oldest_fingerprints_go_first);
	tcase_add_test(tc, place_is_within_the_table);
}
