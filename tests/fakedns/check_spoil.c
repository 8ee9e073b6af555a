/* SPDX-License-Identifier: BSD-2-Clause */
/* fakedns spoils answers so that nobody who looks can take them for right. */
#include "fakedns/spoil.h"

#include <string.h>

#include "dns/msg.h"
#include "dns/proto.h"
#include "dns/wire.h"
#include "support/tests.h"

/* The A of a.test, 192.0.2.1, with an OPT. */
static const uint8_t answer[] = { 0x12, 0x34, 0x85, 0x80, 0, 1, 0, 1, 0, 0, 0, 1, /* header */
	1, 'a', 4, 't', 'e', 's', 't', 0, 0, 1, 0, 1,                             /* question */
	0xc0, 12, 0, 1, 0, 1, 0, 0, 1, 0, 0, 4, 192, 0, 2, 1,                     /* A */
	0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0 };                                     /* OPT */

#define OPT_AT (sizeof(answer) - DNS_OPT_LEN)

/* However it is damaged, it is no message, or has another question; the ID is the same. */
START_TEST(damaged_is_no_answer)
{
	unsigned n_cut = 0, n_noise = 0;

	for (uint64_t noise = 0; noise < 30000; noise++) {
		uint64_t spread = noise * UINT64_C(0x9e3779b97f4a7c15);
		uint8_t copy[sizeof(answer)];
		struct msg m;
		size_t len;

		memcpy(copy, answer, sizeof(answer));
		len = fake_spoil_damage(copy, sizeof(copy), noise < 100 ? noise : spread);
		ck_assert_uint_le(len, sizeof(answer));
		ck_assert_uint_ge(len, DNS_HEADER_LEN);
		ck_assert_mem_eq(copy, answer, 2);
		n_cut += len < sizeof(answer);
		if (msg_parse(&m, copy, len) == MSG_OK) {
			n_noise++;
			ck_assert(m.qname_len != 8 || memcmp(copy + 12, answer + 12, 12) != 0 ||
			    wire_u16(copy + 6) > 1);
		}
	}
	ck_assert_uint_ge(n_cut, 9000);
	ck_assert_uint_lt(n_noise, 30000);
}
END_TEST

START_TEST(a_header_alone_becomes_shorter)
{
	uint8_t copy[DNS_HEADER_LEN] = { 0 };

	for (uint64_t noise = 0; noise < 100; noise++)
		ck_assert_uint_lt(fake_spoil_damage(copy, sizeof(copy), noise), sizeof(copy));
}
END_TEST

/* Whole, but with another ID and another address. */
START_TEST(forged_has_another_id_and_address)
{
	uint8_t copy[sizeof(answer)];
	struct msg m;

	for (uint64_t noise = 0; noise < 70000; noise++) {
		memcpy(copy, answer, sizeof(answer));
		fake_spoil_forge(copy, sizeof(copy), noise);
		ck_assert_int_eq(msg_parse(&m, copy, sizeof(copy)), MSG_OK);
		ck_assert_uint_ne(m.id, 0x1234);
		ck_assert_mem_eq(copy + 2, answer + 2, OPT_AT - 3);
		ck_assert_uint_ne(copy[OPT_AT - 1], answer[OPT_AT - 1]);
		ck_assert_mem_eq(copy + OPT_AT, answer + OPT_AT, DNS_OPT_LEN);
	}
	memcpy(copy, answer, sizeof(answer));
	fake_spoil_forge(copy, OPT_AT, 0);
	ck_assert_uint_ne(copy[OPT_AT - 1], answer[OPT_AT - 1]);
	fake_spoil_forge(copy, DNS_HEADER_LEN, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, damaged_is_no_answer);
	tcase_add_test(tc, a_header_alone_becomes_shorter);
	tcase_add_test(tc, forged_has_another_id_and_address);
}
