/* SPDX-License-Identifier: BSD-2-Clause */
/* What occurs most, against an exact count: nothing frequent is missing, and the bounds hold. */

#include "base/heavy.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define KEYS 20000
#define PARTS 3

static struct heavy *parts[PARTS];
static uint64_t exact[KEYS];
static struct rng rng;

static void
setup(void)
{
	for (unsigned i = 0; i < PARTS; i++) {
		parts[i] = calloc(1, sizeof(*parts[i]));
		ck_assert_ptr_nonnull(parts[i]);
		heavy_init(parts[i], i);
	}
	memset(exact, 0, sizeof(exact));
	rng_init_seeded(&rng, 7);
}

static void
teardown(void)
{
	for (unsigned i = 0; i < PARTS; i++)
		free(parts[i]);
}

static void
add(unsigned part, uint32_t key)
{
	exact[key]++;
	heavy_add(parts[part], &key, sizeof(key));
}

/* The first N parts together have all that was added: their bounds hold for each key. */
static void
check_bounds(unsigned n)
{
	static bool seen[KEYS];
	uint64_t n_all = 0, unseen = 0;
	size_t n_sums;
	struct heavy_sum *s = heavy_merge((const struct heavy *const *)parts, n, &n_sums);

	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < n; i++) {
		n_all += parts[i]->n_all;
		unseen += heavy_unseen(parts[i]);
	}
	for (size_t i = 0; i < n_sums; i++) {
		uint32_t key;

		ck_assert_uint_eq(s[i].item->len, sizeof(key));
		memcpy(&key, s[i].item->key, sizeof(key));
		ck_assert(!seen[key]);
		seen[key] = true;
		ck_assert_uint_ge(s[i].count, exact[key]);
		ck_assert_uint_ge(exact[key], s[i].count - s[i].error);
		ck_assert_uint_le(s[i].error, n_all / HEAVY_N);
		ck_assert(i == 0 || s[i].count <= s[i - 1].count);
	}
	for (uint32_t key = 0; key < KEYS; key++) {
		ck_assert(seen[key] || exact[key] <= n_all / HEAVY_N);
		ck_assert(seen[key] || exact[key] <= unseen);
	}
	free(s);
}

/* While there are no more keys than counters, all is exact. */
START_TEST(few_are_exact)
{
	size_t n;
	struct heavy_sum *s;

	for (uint32_t key = 0; key < HEAVY_N; key++) {
		for (uint32_t i = 0; i <= key % 50; i++)
			add(0, key);
	}
	ck_assert_uint_eq(heavy_unseen(parts[0]), 1);
	s = heavy_merge((const struct heavy *const *)parts, 1, &n);
	ck_assert_uint_eq(n, HEAVY_N);
	for (size_t i = 0; i < n; i++) {
		uint32_t key;

		memcpy(&key, s[i].item->key, sizeof(key));
		ck_assert_uint_eq(s[i].count, key % 50 + 1);
		ck_assert_uint_eq(s[i].error, 0);
	}
	free(s);
}
END_TEST

/* A few frequent keys among many rare ones, as names are; of several streams. */
START_TEST(frequent_ones_are_found)
{
	for (unsigned i = 0; i < 300000; i++) {
		uint32_t below = 1 + rng_below(&rng, KEYS);

		add(rng_below(&rng, 2), rng_below(&rng, below) / (1 + rng_below(&rng, 100)));
		if (i % 50000 == 0) {
			check_bounds(2);
			ck_assert_uint_eq(parts[0]->n_all + parts[1]->n_all, i + 1);
		}
	}
	check_bounds(2);
	ck_assert_uint_gt(heavy_unseen(parts[0]), 0);
}
END_TEST

/* One that is frequent in one stream only, among noise that takes all counters again and again. */
START_TEST(frequent_amid_noise)
{
	uint32_t first;
	size_t n;
	struct heavy_sum *s;

	for (unsigned i = 0; i < 200000; i++) {
		add(0, 1 + i % (KEYS - 1));
		add(1, 1 + rng_below(&rng, KEYS - 1));
		if (i % 100 == 0)
			add(0, 0);
	}
	check_bounds(PARTS); /* the last one is empty */
	s = heavy_merge((const struct heavy *const *)parts, PARTS, &n);
	memcpy(&first, s[0].item->key, sizeof(first));
	ck_assert_uint_eq(first, 0);
	free(s);
}
END_TEST

/* Keys differ if only their lengths do; the longest has room. */
START_TEST(keys_of_any_length)
{
	static const uint8_t zeros[HEAVY_KEY];
	const struct heavy *none[2] = { NULL, parts[0] };
	struct heavy_sum *s;
	size_t n;

	for (size_t len = 0; len <= HEAVY_KEY; len++)
		heavy_add(parts[0], zeros, len);
	heavy_add(parts[0], zeros, HEAVY_KEY);
	s = heavy_merge(none, 2, &n);
	ck_assert_uint_eq(n, HEAVY_KEY + 1);
	ck_assert_uint_eq(s[0].item->len, HEAVY_KEY);
	ck_assert_uint_eq(s[0].count, 2);
	ck_assert_uint_eq(s[1].count, 1);
	free(s);
	ck_assert_ptr_null(heavy_merge(none, 1, &n));
	ck_assert_uint_eq(n, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, few_are_exact);
	tcase_add_test(tc, frequent_ones_are_found);
	tcase_add_test(tc, frequent_amid_noise);
	tcase_add_test(tc, keys_of_any_length);
}
