/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws: reproducible when seeded, uniform, wiped, fresh from the kernel. RFC 5452 section 9. */

#include "base/rng.h"

#include <string.h>

#include "support/tests.h"

static struct rng rng;

/* The first numbers of splitmix64 under seed 1234567, as its author's program prints them. */
START_TEST(seeded_is_splitmix64)
{
	rng_init_seeded(&rng, 1234567);
	ck_assert_uint_eq(rng_u64(&rng), 6457827717110365317ULL);
	ck_assert_uint_eq(rng_u64(&rng), 3203168211198807973ULL);
	ck_assert_uint_eq(rng_u64(&rng), 9817491932198370423ULL);
}
END_TEST

START_TEST(same_seed_same_sequence)
{
	static struct rng other;
	unsigned differ = 0;

	rng_init_seeded(&rng, 1);
	rng_init_seeded(&other, 1);
	for (int i = 0; i < 5000; i++) {
		ck_assert_uint_eq(rng_u16(&rng), rng_u16(&other));
		ck_assert_uint_eq(rng_u32(&rng), rng_u32(&other));
		ck_assert_uint_eq(rng_below(&rng, 1000), rng_below(&other, 1000));
	}
	rng_init_seeded(&other, 2);
	rng_init_seeded(&rng, 1);
	for (int i = 0; i < 100; i++)
		differ += rng_u64(&rng) != rng_u64(&other);
	ck_assert_uint_eq(differ, 100);
}
END_TEST

/* A draw never reaches behind the block: 3 + 8 do not divide its size. */
START_TEST(draws_cross_blocks)
{
	unsigned char out[3];
	uint64_t sum = 0;

	rng_init_seeded(&rng, 5);
	for (int i = 0; i < 10 * RNG_BLOCK; i++) {
		rng_fill(&rng, out, sizeof(out));
		ck_assert_uint_le(rng.used, RNG_BLOCK);
		sum += rng_u64(&rng);
		ck_assert_uint_le(rng.used, RNG_BLOCK);
	}
	ck_assert_uint_ne(sum, 0);
}
END_TEST

/* Filled at once or in pieces: the same bytes; any length; nothing behind it. */
START_TEST(fill_any_length)
{
	static unsigned char whole[3 * RNG_BLOCK];
	static unsigned char part[3 * RNG_BLOCK + 1];

	rng_init_seeded(&rng, 7);
	rng_fill(&rng, whole, sizeof(whole));
	rng_init_seeded(&rng, 7);
	part[sizeof(whole)] = 0x5a;
	for (size_t at = 0, n = 0; at < sizeof(whole); at += n) {
		n = at % 97 + 1;
		if (n > sizeof(whole) - at)
			n = sizeof(whole) - at;
		rng_fill(&rng, part + at, n);
	}
	ck_assert_mem_eq(part, whole, sizeof(whole));
	ck_assert_uint_eq(part[sizeof(whole)], 0x5a);
}
END_TEST

/* What was handed out cannot be read from memory afterwards. */
START_TEST(handed_out_bytes_are_wiped)
{
	static const unsigned char zero[RNG_BLOCK];
	unsigned char out[100];
	uint64_t sum = 0;

	rng_init(&rng);
	rng_fill(&rng, out, sizeof(out));
	for (int i = 0; i < 50; i++) {
		sum += rng_u16(&rng);
		sum += rng_u32(&rng);
		sum += rng_u64(&rng);
	}
	ck_assert_uint_ne(sum, 0);
	ck_assert_uint_eq(rng.used, 100 + 50 * 14);
	ck_assert_mem_eq(rng.block, zero, rng.used);
	ck_assert_mem_ne(rng.block + rng.used, zero, RNG_BLOCK - rng.used);
}
END_TEST

START_TEST(below_one_is_zero)
{
	rng_init_seeded(&rng, 3);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(rng_below(&rng, 1), 0);
}
END_TEST

/*
 * Every number comes, about as often as the others (within 8 standard deviations). Incidents:
 * totd-RAND_MAX.
 */
START_TEST(below_is_uniform)
{
	static const uint32_t sizes[] = { 2, 3, 7, 10, 64, 100 };
	uint32_t n = sizes[_i];
	unsigned seen[100] = { 0 };
	unsigned each = 10000;

	rng_init_seeded(&rng, 11);
	for (uint32_t i = 0; i < n * each; i++) {
		uint32_t v = rng_below(&rng, n);

		if (v >= n)
			ck_abort_msg("%u of %u", v, n);
		seen[v]++;
	}
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_uint_gt(seen[i], each - 800);
		ck_assert_uint_lt(seen[i], each + 800);
	}
}
END_TEST

/*
 * Of 3 * 2^30 numbers, taking 32 bits modulo n or a product's upper half without drawing again
 * would give a third of them twice as often as the rest.
 */
START_TEST(below_has_no_bias)
{
	uint32_t n = 3U << 30;
	unsigned low_third = 0;
	unsigned mod_three[3] = { 0 };

	rng_init_seeded(&rng, 13);
	for (int i = 0; i < 300000; i++) {
		uint32_t v = rng_below(&rng, n);

		low_third += v < n / 3;
		mod_three[v % 3]++;
	}
	ck_assert_uint_gt(low_third, 98000);
	ck_assert_uint_lt(low_third, 102000);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_gt(mod_three[i], 98000);
		ck_assert_uint_lt(mod_three[i], 102000);
	}
}
END_TEST

/* All 16 bits of an ID vary, and two sources never agree. */
START_TEST(kernel_numbers_use_all_bits)
{
	static struct rng other;
	unsigned bits = 0;
	unsigned differ = 0;

	rng_init(&rng);
	rng_init(&other);
	for (int i = 0; i < 1000; i++)
		bits |= rng_u16(&rng);
	ck_assert_uint_eq(bits, 0xffff);
	for (int i = 0; i < 1000; i++)
		differ += rng_u64(&rng) != rng_u64(&other);
	ck_assert_uint_eq(differ, 1000);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, seeded_is_splitmix64);
	tcase_add_test(tc, same_seed_same_sequence);
	tcase_add_test(tc, draws_cross_blocks);
	tcase_add_test(tc, fill_any_length);
	tcase_add_test(tc, handed_out_bytes_are_wiped);
	tcase_add_test(tc, below_one_is_zero);
	tcase_add_loop_test(tc, below_is_uniform, 0, 6);
	tcase_add_test(tc, below_has_no_bias);
	tcase_add_test(tc, kernel_numbers_use_all_bits);
}
