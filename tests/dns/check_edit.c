/* SPDX-License-Identifier: BSD-2-Clause */
/* What is done to a finished message: RFC 1035 section 4.1, RFC 6891 section 6, RFC 8914. */

#include "dns/edit.h"

#include <string.h>

#include "support/guard.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define QUESTION "<www.example.com> 0001 0001"
#define HEAD(an, ns, ar) "1234 8580 0001 000" #an " 000" #ns " 000" #ar QUESTION
#define A_RR(ttl) "c00c 0001 0001 " ttl " 0004 c0000201"
#define OPT_RR "00 0029 04d0 01 00 8000 0006 000f 0002 0016"

static uint8_t in[1024];

/* --- TTLs ------------------------------------------------------------------------------------- */

/* A TTL below the age becomes 0; the OPT's, with its upper rcode and DO, stays what it is. */
#define TTLS(a, b, c, d) \
	HEAD(2, 1, 2) A_RR(a) A_RR(b) "c010 0002 0001 " c " 0002 c00c " OPT_RR A_RR(d)

START_TEST(ttls_are_aged_but_the_opts)
{
	struct msg m;

	message_read(&m, in, sizeof(in), TTLS("0000003c", "0000003b", "ffffffff", "00000000"));
	edit_age(in, &m, 60);
	message_expect(in, m.len, TTLS("00000000", "00000000", "ffffffc3", "00000000"));
	edit_age(in, &m, 0);
	message_expect(in, m.len, TTLS("00000000", "00000000", "ffffffc3", "00000000"));
	edit_age(in, &m, UINT32_MAX);
	message_expect(in, m.len, TTLS("00000000", "00000000", "00000000", "00000000"));
}
END_TEST

START_TEST(ttls_are_set_but_the_opts)
{
	struct msg m;

	message_read(&m, in, sizeof(in), TTLS("0000003c", "0000003b", "ffffffff", "00000000"));
	edit_set_ttls(in, &m, 30);
	message_expect(in, m.len, TTLS("0000001e", "0000001e", "0000001e", "0000001e"));
}
END_TEST

START_TEST(ttls_are_limited_but_the_opts)
{
	struct msg m;

	message_read(&m, in, sizeof(in), TTLS("0000003c", "0000003b", "ffffffff", "00000000"));
	edit_limit_ttls(in, m.len, 59);
	message_expect(in, m.len, TTLS("0000003b", "0000003b", "0000003b", "00000000"));
	edit_limit_ttls(in, m.len - 1, 1); /* not a message: nothing is done */
	message_expect(in, m.len, TTLS("0000003b", "0000003b", "0000003b", "00000000"));
}
END_TEST

START_TEST(one_ttl_is_set)
{
	struct msg m;
	struct rr rr;

	message_read(&m, in, sizeof(in), TTLS("0000003c", "0000003b", "ffffffff", "00000000"));
	rr = message_record(&m, MSG_ANSWER, 1);
	edit_set_ttl(in, &rr, 0x12345678);
	message_expect(in, m.len, TTLS("0000003c", "12345678", "ffffffff", "00000000"));
}
END_TEST

/* No section has a record; nor has a message that is cut short, however many it counts. */
START_TEST(no_records_no_ttls)
{
	static const char *const messages[] = { HEAD(0, 0, 0), HEAD(0, 0, 1) OPT_RR,
		HEAD(2, 0, 0) A_RR("0000003c"),
		HEAD(1, 0, 0) "c00c 0001 0001 0000003c 0004 c00002" };
	uint8_t bytes[512], before[512];
	struct msg m;

	for (size_t i = 0; i < N_OF(messages); i++) {
		size_t len = hex_read(messages[i], bytes, sizeof(bytes));
		uint8_t *p = guard_put(&guard, bytes, len);

		memcpy(before, bytes, len);
		ck_assert_int_eq(msg_parse(&m, p, len), i < 2 ? MSG_OK : MSG_MALFORMED);
		edit_age(p, &m, 10);
		edit_set_ttls(p, &m, 10);
		ck_assert_mem_eq(p, before, len);
	}
}
END_TEST

/* --- The OPT is left out ---------------------------------------------------------------------- */

struct copy_case {
	const char *msg;
	const char *copy;
};

static const struct copy_case copy_cases[] = {
	{ HEAD(1, 0, 0) A_RR("0000003c"), HEAD(1, 0, 0) A_RR("0000003c") },
	{ HEAD(0, 0, 0), HEAD(0, 0, 0) },
	{ HEAD(0, 0, 1) OPT_RR, HEAD(0, 0, 0) },
	{ HEAD(1, 0, 2) A_RR("0000003c") A_RR("0000003d") OPT_RR,
	    HEAD(1, 0, 1) A_RR("0000003c") A_RR("0000003d") },
	/* What stands behind it moves, and so does what it points to. */
	{ HEAD(1, 0, 2) A_RR("0000003c") OPT_RR "{ns}c010 0002 0001 0000003d 0002 c042",
	    HEAD(1, 0, 1) A_RR("0000003c") "{ns}c010 0002 0001 0000003d 0002 c031" },
};

START_TEST(opt_is_left_out)
{
	const struct copy_case *c = &copy_cases[_i];
	uint8_t out[512];
	struct msg m;
	size_t len;

	message_read(&m, in, sizeof(in), c->msg);
	len = edit_copy_without_opt(out, sizeof(out), &m);
	ck_assert_uint_gt(len, DNS_HEADER_LEN);
	message_expect(out, len, c->copy);
}
END_TEST

START_TEST(no_room_for_a_copy)
{
	uint8_t bytes[1024];
	uint8_t *out = guard_put(&guard, in, DNS_UDP_MIN);
	struct msg m;
	size_t len = hex_read(HEAD(1, 0, 0) "c00c 0010 0001 0000003c 01f4", bytes, sizeof(bytes));

	memset(bytes + len, 0, 500);
	ck_assert_int_eq(msg_parse(&m, bytes, len + 500), MSG_OK);
	ck_assert_uint_gt(m.len, DNS_UDP_MIN);
	ck_assert_uint_eq(edit_copy_without_opt(out, DNS_UDP_MIN, &m), 0);
	out = guard_put(&guard, in, m.len);
	ck_assert_uint_eq(edit_copy_without_opt(out, m.len, &m), m.len);
	ck_assert_uint_eq(edit_copy_without_opt(out + 1, m.len - 1, &m), 0);
}
END_TEST

/* --- Something is appended -------------------------------------------------------------------- */

START_TEST(opt_is_appended)
{
	struct edit_opt opt = { .bufsize = 512, .rcode = DNS_BADVERS, .ede = DNS_EDE_NONE };
	size_t len = hex_read(HEAD(1, 0, 0) A_RR("0000003c"), in, sizeof(in));
	size_t longer;

	longer = edit_append_opt(in, len, sizeof(in), &opt);
	message_expect(in, longer, HEAD(1, 0, 1) A_RR("0000003c") "00 0029 0200 01 00 0000 0000");
	header_set(in, HEADER_ARCOUNT, 0);
	opt = (struct edit_opt){ .bufsize = 1232, .do_bit = true, .ede = DNS_EDE_STALE };
	longer = edit_append_opt(in, len, sizeof(in), &opt);
	message_expect(in, longer,
	    HEAD(1, 0, 1) A_RR("0000003c") "00 0029 04d0 00 00 8000 0006 000f 0002 0003");
	ck_assert_uint_eq(longer, len + EDIT_OPT_MAX);
}
END_TEST

START_TEST(record_is_appended)
{
	static const uint8_t owner[] = "\2ns\7example\3com", v4[] = { 192, 0, 2, 2 };
	const struct edit_rr rr = { owner, DNS_TYPE_A, DNS_CLASS_IN, 61, v4, sizeof(v4) };
	const struct edit_rr empty = { owner, DNS_TYPE_TXT, DNS_CLASS_CH, 0, v4, 0 };
	size_t len = hex_read(HEAD(0, 0, 1) OPT_RR, in, sizeof(in));

	len = edit_append(in, len, sizeof(in), &rr);
	message_expect(
	    in, len, HEAD(0, 0, 2) OPT_RR "<ns.example.com> 0001 0001 0000003d 0004 c0000202");
	len = edit_append(in, len, sizeof(in), &empty);
	message_expect(in, len,
	    HEAD(0, 0, 3) OPT_RR "<ns.example.com> 0001 0001 0000003d 0004 c0000202"
				 "<ns.example.com> 0010 0003 00000000 0000");
}
END_TEST

/* For each capacity that is too small nothing is counted and nothing written behind it. */
START_TEST(no_room_to_append)
{
	static const uint8_t owner[] = "\2ns\7example\3com", v4[] = { 192, 0, 2, 2 };
	const struct edit_rr rr = { owner, DNS_TYPE_A, DNS_CLASS_IN, 61, v4, sizeof(v4) };
	const struct edit_opt opts[] = { { 512, 0, DNS_EDE_NONE, false },
		{ 512, 0, DNS_EDE_STALE, false } };
	size_t len = hex_read(HEAD(0, 0, 0), in, sizeof(in));
	size_t rr_len = sizeof(owner) + DNS_RR_FIXED + sizeof(v4);

	for (size_t cap = len - 1; cap <= len + rr_len; cap++) {
		uint8_t *p = guard_put(&guard, in, cap);
		bool fits = cap == len + rr_len;

		ck_assert_uint_eq(edit_append(p, len, cap, &rr), fits ? cap : 0);
		ck_assert_uint_eq(header_get(p, HEADER_ARCOUNT), fits);
	}
	for (size_t i = 0; i < N_OF(opts); i++) {
		size_t opt_len = i == 0 ? DNS_OPT_LEN : EDIT_OPT_MAX;

		for (size_t cap = len - 1; cap <= len + opt_len; cap++) {
			uint8_t *p = guard_put(&guard, in, cap);
			bool fits = cap == len + opt_len;

			ck_assert_uint_eq(edit_append_opt(p, len, cap, &opts[i]), fits ? cap : 0);
			ck_assert_uint_eq(header_get(p, HEADER_ARCOUNT), fits);
		}
	}
}
END_TEST

/* The OPT is the last record, there is room, and its length counts what is appended. */
START_TEST(option_is_appended)
{
	static const uint8_t zero[2] = { 0 };
	size_t len = hex_read(HEAD(0, 0, 1) OPT_RR, in, sizeof(in));
	struct msg m;

	for (size_t cap = len; cap <= len + 6; cap++) {
		uint8_t *p = guard_put(&guard, in, cap);
		bool fits = cap == len + 6;
		size_t n = 0;
		size_t more;

		ck_assert_int_eq(msg_parse(&m, p, len), MSG_OK);
		more = edit_append_option(p, cap, &m, EDNS_KEEPALIVE, zero, sizeof(zero));
		ck_assert_uint_eq(more, fits ? cap : len);
		ck_assert_int_eq(msg_parse(&m, p, more), MSG_OK);
		ck_assert_int_eq(msg_option(&m, EDNS_KEEPALIVE, &n) != NULL, fits);
		ck_assert_uint_eq(n, fits ? 2 : 0);
		ck_assert_ptr_nonnull(msg_option(&m, EDNS_EDE, &n));
	}
}
END_TEST

/* Without an OPT, or with something behind it, the message stays as it is. */
START_TEST(option_without_a_place)
{
	static const char *const messages[] = { HEAD(0, 0, 0),
		HEAD(0, 0, 2) OPT_RR A_RR("0000003c") };
	static const uint8_t zero[2] = { 0 };
	uint8_t before[512];
	struct msg m;

	for (size_t i = 0; i < N_OF(messages); i++) {
		size_t len = hex_read(messages[i], in, sizeof(in));

		memcpy(before, in, len);
		ck_assert_int_eq(msg_parse(&m, in, len), MSG_OK);
		ck_assert_uint_eq(
		    edit_append_option(in, sizeof(in), &m, EDNS_KEEPALIVE, zero, 2), len);
		ck_assert_mem_eq(in, before, len);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, guard_setup, guard_teardown);
	tcase_add_test(tc, ttls_are_aged_but_the_opts);
	tcase_add_test(tc, ttls_are_set_but_the_opts);
	tcase_add_test(tc, ttls_are_limited_but_the_opts);
	tcase_add_test(tc, one_ttl_is_set);
	tcase_add_test(tc, no_records_no_ttls);
	tcase_add_loop_test(tc, opt_is_left_out, 0, N_OF(copy_cases));
	tcase_add_test(tc, no_room_for_a_copy);
	tcase_add_test(tc, opt_is_appended);
	tcase_add_test(tc, record_is_appended);
	tcase_add_test(tc, no_room_to_append);
	tcase_add_test(tc, option_is_appended);
	tcase_add_test(tc, option_without_a_place);
}
