/* SPDX-License-Identifier: BSD-2-Clause */
/* PREF64 options of router advertisements: RFC 8781 section 4, RFC 4861 sections 4.2 and 6.1.2. */

#include "dns64/pref64_ra.h"

#include <string.h>

#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* ICMPv6 type, code, checksum; hop limit, flags, router lifetime; reachable and retrans time. */
#define HEAD 134, 0, 0x12, 0x34, 64, 0, 0x07, 0x08, 0, 0, 0, 0, 0, 0, 0, 0
/* A PREF64 option: 600 s (75 units), code 0: 2001:db8:64::/96. */
#define GOOD 38, 2, 0x02, 0x58, 0x20, 0x01, 0x0d, 0xb8, 0x00, 0x64, 0, 0, 0, 0, 0, 0
/* A source link-layer address, and a prefix information option. */
#define OTHERS \
	1, 1, 2, 0, 0, 0, 0, 1, 3, 4, 64, 0xc0, 0, 0, 0x0e, 0x10, 0, 0, 0x0e, 0x10, 0, 0, 0, 0, \
	    0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static struct pref64_ra ra;

static void
expect(unsigned i, const char *prefix, uint32_t lifetime_s)
{
	char text[PREF64_TEXT];

	ck_assert_uint_lt(i, ra.n);
	ck_assert_str_eq(pref64_format(&ra.options[i].prefix, text), prefix);
	ck_assert_uint_eq(ra.options[i].lifetime_s, lifetime_s);
}

START_TEST(one_among_other_options)
{
	static const uint8_t msg[] = { HEAD, OTHERS, GOOD };
	static const uint8_t without[] = { HEAD, OTHERS };

	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
	ck_assert_uint_eq(ra.n, 1);
	ck_assert(ra.n_bad == 0 && !ra.more);
	expect(0, "2001:db8:64::/96", 600);
	ck_assert(!ra.options[0].prefix.well_known);
	ck_assert_int_eq(pref64_ra_parse(without, sizeof(without), &ra), PREF64_RA_OK);
	ck_assert_uint_eq(ra.n, 0);
	ck_assert_int_eq(pref64_ra_parse(without, 16, &ra), PREF64_RA_OK);
	ck_assert_uint_eq(ra.n, 0);
}
END_TEST

/* Each prefix length code, with bits behind the length, which do not count. */
START_TEST(all_lengths)
{
	static const char *const prefixes[] = { "2001:db8:102:304:5:607::/96",
		"2001:db8:102:304::/64", "2001:db8:102:300::/56", "2001:db8:102::/48",
		"2001:db8:100::/40", "2001:db8::/32" };
	static const uint8_t addr[] = { 0x20, 0x01, 0x0d, 0xb8, 1, 2, 3, 4, 0, 5, 6, 7 };
	uint8_t msg[32] = { HEAD, 38, 2 };

	memcpy(msg + 20, addr, sizeof(addr));
	for (uint8_t code = 0; code < 6; code++) {
		msg[19] = (uint8_t)(8 | code);
		ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
		ck_assert_uint_eq(ra.n, 1);
		expect(0, prefixes[code], 8);
	}
	for (uint8_t code = 6; code < 8; code++) {
		msg[19] = (uint8_t)(8 | code);
		ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
		ck_assert(ra.n == 0 && ra.n_bad == 1);
	}
}
END_TEST

/* 13 bits, in units of 8 s; 0 withdraws. */
START_TEST(lifetimes)
{
	static const struct {
		uint8_t high, low;
		uint32_t s;
	} cases[] = { { 0, 0, 0 }, { 0, 8, 8 }, { 0x02, 0x58, 600 }, { 0x70, 0x80, 28800 },
		{ 0x80, 0, 32768 }, { 0xff, 0xf8, 65528 } };
	uint8_t msg[] = { HEAD, GOOD };

	for (size_t i = 0; i < N_OF(cases); i++) {
		msg[18] = cases[i].high;
		msg[19] = cases[i].low;
		ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
		expect(0, "2001:db8:64::/96", cases[i].s);
	}
}
END_TEST

START_TEST(the_well_known_prefix)
{
	static const uint8_t msg[] = { HEAD, 38, 2, 0x02, 0x58, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0,
		0, 0, 0 };

	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
	expect(0, "64:ff9b::/96", 600);
	ck_assert(ra.options[0].prefix.well_known);
}
END_TEST

/* Several prefixes, one of them withdrawn; what is wrong with one does not spoil the others. */
START_TEST(several)
{
	uint8_t msg[] = { HEAD, GOOD, GOOD, GOOD, GOOD };

	msg[16 + 16 + 2] = 0;    /* withdrawn */
	msg[16 + 16 + 3] = 5;    /* a /32 */
	msg[16 + 32 + 12] = 1;   /* the u octet */
	msg[16 + 48 + 9] = 0x65; /* another one */
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OK);
	ck_assert(ra.n == 3 && ra.n_bad == 1);
	expect(0, "2001:db8:64::/96", 600);
	expect(1, "2001:db8::/32", 0);
	expect(2, "2001:db8:65::/96", 600);
}
END_TEST

/* A PREF64 option of another length is void; it says where the next one begins all the same. */
START_TEST(another_length)
{
	static const uint8_t shorter[] = { HEAD, 38, 1, 0x02, 0x58, 0x20, 0x01, 0x0d, 0xb8, GOOD };
	static const uint8_t longer[] = { HEAD, 38, 3, 0x02, 0x58, 0x20, 0x01, 0x0d, 0xb8, 0, 0x64,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, GOOD };

	ck_assert_int_eq(pref64_ra_parse(shorter, sizeof(shorter), &ra), PREF64_RA_OK);
	ck_assert(ra.n == 1 && ra.n_bad == 1);
	ck_assert_int_eq(pref64_ra_parse(longer, sizeof(longer), &ra), PREF64_RA_OK);
	ck_assert(ra.n == 1 && ra.n_bad == 1);
	expect(0, "2001:db8:64::/96", 600);
}
END_TEST

/* Length 0, and all places where it may be cut. */
START_TEST(what_is_void)
{
	uint8_t msg[] = { HEAD, OTHERS, GOOD };

	for (size_t len = 0; len < sizeof(msg); len++) {
		bool whole = len == 16 || len == 24 || len == 56;

		ck_assert_int_eq(
		    pref64_ra_parse(msg, len, &ra), whole ? PREF64_RA_OK : PREF64_RA_MALFORMED);
		ck_assert_uint_eq(ra.n, 0);
	}
	msg[57] = 0;
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_MALFORMED);
	msg[57] = 255;
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_MALFORMED);
	msg[57] = 2;
	msg[17] = 0; /* the first one */
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_MALFORMED);
	ck_assert(ra.n == 0 && ra.n_bad == 0);
	msg[17] = 1;
	msg[1] = 1;
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OTHER);
	msg[1] = 0;
	msg[0] = 133;
	ck_assert_int_eq(pref64_ra_parse(msg, sizeof(msg), &ra), PREF64_RA_OTHER);
}
END_TEST

/* As many as fit into the largest message. */
START_TEST(too_many)
{
	static const uint8_t good[] = { GOOD }, head[] = { HEAD };
	static uint8_t msg[65520];
	size_t len = sizeof(head);

	memcpy(msg, head, len);
	for (; len + sizeof(good) <= sizeof(msg); len += sizeof(good))
		memcpy(msg + len, good, sizeof(good));
	ck_assert_int_eq(pref64_ra_parse(msg, len, &ra), PREF64_RA_OK);
	ck_assert(ra.n == PREF64_RA_MAX && ra.more);
	ck_assert_int_eq(pref64_ra_parse(msg, 16 + PREF64_RA_MAX * 16, &ra), PREF64_RA_OK);
	ck_assert(ra.n == PREF64_RA_MAX && !ra.more);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, one_among_other_options);
	tcase_add_test(tc, all_lengths);
	tcase_add_test(tc, lifetimes);
	tcase_add_test(tc, the_well_known_prefix);
	tcase_add_test(tc, several);
	tcase_add_test(tc, another_length);
	tcase_add_test(tc, what_is_void);
	tcase_add_test(tc, too_many);
}
