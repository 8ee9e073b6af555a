/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transaction IDs: a permutation, uniform draws over all 65,536, none twice in flight (RFC 5452).
 */

#include "outbound/txid.h"

#include <math.h>
#include <string.h>

#include "scenario/parts.h"
#include "support/tests.h"

static struct txid txid;
static struct rng rng;
static uint16_t out[TXID_COUNT];

static void
setup(void)
{
	rng_init_seeded(&rng, 7);
	txid_init(&txid);
}

static uint16_t
take(uint32_t lookup)
{
	const struct txid_owner owner = { .lookup = lookup, .socket = 3, .upstream = 1 };
	uint16_t id = 0;

	PARTS_CHECK(txid_take(&txid, &rng, &owner, &id));
	return id;
}

static void
check_permutation(void)
{
	for (uint32_t i = 0; i < TXID_COUNT; i++)
		PARTS_CHECK(txid.place[txid.ids[i]] == i);
}

/* Pearson's statistic of N counts in units of its standard deviation from its mean. */
static double
chi_square(const uint32_t *counts, size_t n, double expected)
{
	double df = (double)(n - 1);
	double x = 0;

	for (size_t i = 0; i < n; i++)
		x += (counts[i] - expected) * (counts[i] - expected) / expected;
	return (x - df) / sqrt(2 * df);
}

START_TEST(all_of_them_then_none)
{
	static bool seen[TXID_COUNT];
	const struct txid_owner owner = { .lookup = 1 };
	uint16_t id = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < TXID_COUNT; i++) {
		PARTS_CHECK(txid_room(&txid) == TXID_COUNT - i);
		out[i] = take(i);
		PARTS_CHECK(!seen[out[i]]);
		PARTS_CHECK(txid_in_flight(&txid, out[i]));
		seen[out[i]] = true;
	}
	ck_assert_uint_eq(txid_room(&txid), 0);
	ck_assert(!txid_take(&txid, &rng, &owner, &id));
	check_permutation();
	/* Each remembers whose it is. */
	for (uint32_t i = 0; i < TXID_COUNT; i++)
		PARTS_CHECK(txid.owner[out[i]].lookup == i);
}
END_TEST

START_TEST(given_back_in_any_order)
{
	for (uint32_t i = 0; i < TXID_COUNT; i++)
		out[i] = take(i);
	for (uint32_t n = TXID_COUNT; n > 0; n--) {
		uint32_t at = rng_below(&rng, n);
		uint16_t id = out[at];

		txid_give(&txid, id);
		PARTS_CHECK(!txid_in_flight(&txid, id));
		/* To know a late reply, the owner stays. */
		PARTS_CHECK(txid.owner[id].socket == 3);
		out[at] = out[n - 1];
	}
	ck_assert_uint_eq(txid_room(&txid), TXID_COUNT);
	check_permutation();
}
END_TEST

/* Random takes and gives: the set in flight is what a plain record says. */
START_TEST(none_twice_in_flight)
{
	static bool flying[TXID_COUNT];
	uint32_t n = 0;

	memset(flying, 0, sizeof(flying));
	for (unsigned i = 0; i < 300000; i++) {
		bool grow = rng_below(&rng, 100) < (i / 60000 % 2 == 0 ? 70U : 30U);

		if (n == 0 || (grow && n < TXID_COUNT)) {
			uint16_t id = take(i);

			PARTS_CHECK(!flying[id]);
			flying[id] = true;
			out[n++] = id;
		} else {
			uint32_t at = rng_below(&rng, n);

			txid_give(&txid, out[at]);
			flying[out[at]] = false;
			out[at] = out[--n];
		}
	}
	for (uint32_t id = 0; id < TXID_COUNT; id++)
		PARTS_CHECK(txid_in_flight(&txid, (uint16_t)id) == flying[id]);
	check_permutation();
}
END_TEST

/* Every free ID is as likely as any other, so that a forger cannot do better than guess. */
START_TEST(uniform_over_all)
{
	static uint32_t counts[TXID_COUNT];

	memset(counts, 0, sizeof(counts));
	for (unsigned i = 0; i < 32 * TXID_COUNT; i++) {
		uint16_t id = take(i);

		counts[id]++;
		txid_give(&txid, id);
	}
	ck_assert_double_lt(fabs(chi_square(counts, TXID_COUNT, 32)), 5);
}
END_TEST

/* So it is over the free ones when most are in flight. */
START_TEST(uniform_over_the_free)
{
	uint32_t counts[64] = { 0 };
	static uint8_t free_number[TXID_COUNT];

	for (uint32_t i = 0; i < TXID_COUNT - 64; i++)
		(void)take(i);
	for (uint32_t i = 0, n = 0; i < TXID_COUNT; i++)
		free_number[i] = txid_in_flight(&txid, (uint16_t)i) ? 0 : (uint8_t)n++;
	for (unsigned i = 0; i < 64000; i++) {
		uint16_t id = take(i);

		counts[free_number[id]]++;
		txid_give(&txid, id);
	}
	ck_assert_double_lt(fabs(chi_square(counts, 64, 1000)), 5);
}
END_TEST

/*
 * One draw says nothing about the next: upper bits of pairs and of differences are uniform.
 * Incidents: CVE-2025-40780.
 */
START_TEST(no_serial_pattern)
{
	uint32_t pairs[256] = { 0 };
	uint32_t differences[256] = { 0 };
	uint16_t last = 0;

	for (unsigned i = 0; i < 256 * 1000; i++) {
		uint16_t id = take(i);

		pairs[(last >> 12) << 4 | id >> 12]++;
		differences[(uint16_t)(id - last) >> 8]++;
		txid_give(&txid, id);
		last = id;
	}
	ck_assert_double_lt(fabs(chi_square(pairs, 256, 1000)), 5);
	ck_assert_double_lt(fabs(chi_square(differences, 256, 1000)), 5);
}
END_TEST

/* totd seeded from the clock; ours differ from start to start. Incidents: totd-ids. */
START_TEST(other_ids_after_a_restart)
{
	unsigned same = 0;

	rng_init(&rng);
	for (unsigned i = 0; i < 1000; i++)
		out[i] = take(i);
	rng_init(&rng);
	txid_init(&txid);
	for (unsigned i = 0; i < 1000; i++)
		same += take(i) == out[i];
	ck_assert_uint_lt(same, 10);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, all_of_them_then_none);
	tcase_add_test(tc, given_back_in_any_order);
	tcase_add_test(tc, none_twice_in_flight);
	tcase_add_test(tc, uniform_over_all);
	tcase_add_test(tc, uniform_over_the_free);
	tcase_add_test(tc, no_serial_pattern);
	tcase_add_test(tc, other_ids_after_a_restart);
}
