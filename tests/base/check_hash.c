/* SPDX-License-Identifier: BSD-2-Clause */
/* The binding to xxHash: the right function, with its key. */

#include "base/hash.h"

#include <string.h>

#include "support/guard.h"
#include "support/tests.h"

/* The value that the specification of XXH3 gives for no bytes under seed 0. */
START_TEST(empty_input_hashes_as_xxh3_says)
{
	ck_assert_uint_eq(hash_bytes("", 0, 0), 0x2d06800538d394c2ULL);
}
END_TEST

START_TEST(depends_on_every_byte_and_the_seed)
{
	uint8_t data[300] = { 0 };
	uint64_t hash = hash_bytes(data, sizeof(data), 1);

	ck_assert_uint_eq(hash_bytes(data, sizeof(data), 1), hash);
	ck_assert_uint_ne(hash_bytes(data, sizeof(data), 2), hash);
	ck_assert_uint_ne(hash_bytes(data, sizeof(data) - 1, 1), hash);
	for (size_t i = 0; i < sizeof(data); i++) {
		data[i] = 1;
		ck_assert_uint_ne(hash_bytes(data, sizeof(data), 1), hash);
		data[i] = 0;
	}
}
END_TEST

/* The same at any address, and never a byte beyond the end. */
START_TEST(reads_just_its_bytes)
{
	uint8_t data[300];
	uint8_t shifted[301];
	struct guard g;

	guard_init(&g, sizeof(data));
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 & 0xff);
	memcpy(shifted + 1, data, sizeof(data));
	for (size_t len = 0; len <= sizeof(data); len++)
		ck_assert_uint_eq(hash_bytes(guard_put(&g, data, len), len, 99),
		    hash_bytes(shifted + 1, len, 99));
	guard_fini(&g);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, empty_input_hashes_as_xxh3_says);
	tcase_add_test(tc, depends_on_every_byte_and_the_seed);
	tcase_add_test(tc, reads_just_its_bytes);
}
