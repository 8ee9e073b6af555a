/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations fall into the right buckets, and histograms are added up. */

#include "core/latency.h"

#include "base/clock.h"
#include "base/rng.h"
#include "support/tests.h"

/* The bucket of NS, found the slow way. */
static unsigned
bucket_of(uint64_t ns)
{
	unsigned i = 0;

	while (ns > latency_bounds_ns[i])
		i++;
	return i;
}

static void
check(uint64_t ns)
{
	struct latency l = { .sum_ns = 0 };

	latency_add(&l, ns);
	ck_assert_msg(l.n[bucket_of(ns)] == 1, "%llu ns", (unsigned long long)ns);
	ck_assert_uint_eq(l.sum_ns, ns);
	ck_assert_uint_eq(latency_count(&l), 1);
}

START_TEST(every_duration_has_its_bucket)
{
	struct rng rng;

	rng_init_seeded(&rng, 1);
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		check(latency_bounds_ns[i] - 1);
		check(latency_bounds_ns[i]);
		check(latency_bounds_ns[i] + 1); /* of the last one: 0 */
	}
	for (unsigned k = 0; k < 64; k++) {
		check(UINT64_C(1) << k);
		check((UINT64_C(1) << k) - 1);
		for (unsigned i = 0; i < 1000; i++)
			check(rng_u64(&rng) >> k);
	}
}
END_TEST

START_TEST(bounds_are_round)
{
	ck_assert_uint_eq(latency_bounds_ns[0], 10 * NS_PER_MS / 1000);
	ck_assert_uint_eq(latency_bounds_ns[17], 5 * NS_PER_SEC);
	ck_assert_uint_eq(latency_bounds_ns[18], UINT64_MAX);
	for (unsigned i = 0; i + 1 < LATENCY_BUCKETS; i++)
		ck_assert_uint_ge(latency_bounds_ns[i + 1] / 2, latency_bounds_ns[i]);
}
END_TEST

START_TEST(merged_is_added)
{
	struct latency a = { .sum_ns = 0 }, b = a;

	latency_add(&a, 3);
	latency_add(&b, 4);
	latency_add(&b, NS_PER_SEC);
	latency_merge(&a, &b);
	ck_assert_uint_eq(a.sum_ns, NS_PER_SEC + 7);
	ck_assert_uint_eq(latency_count(&a), 3);
	ck_assert_uint_eq(a.n[0], 2);
	ck_assert_uint_eq(a.n[bucket_of(NS_PER_SEC)], 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, every_duration_has_its_bucket);
	tcase_add_test(tc, bounds_are_round);
	tcase_add_test(tc, merged_is_added);
}
