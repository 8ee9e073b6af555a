/* SPDX-License-Identifier: BSD-2-Clause */
/* Records as text: as in a zone file, whatever the RDATA is. */

#include "dns/print.h"

#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "dns/type.h"
#include "support/tests.h"

static uint8_t bytes[4096];
static char text[PRINT_TEXT];

/* The text of a record of TYPE with the LEN bytes of RDATA, at a.test with TTL 60. */
static const char *
printed(uint16_t type, const void *rdata, uint16_t len)
{
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	static const uint8_t name[] = "\1a\4test";
	const struct build_question q = {
		.flags = DNS_QR, .qname = name, .qtype = type, .qclass = DNS_CLASS_IN
	};
	struct msg_walk w;
	struct build b;
	struct rr rr;
	struct msg m;

	build_start(&b, bytes, sizeof(bytes), &q);
	ck_assert(build_rr(&b, MSG_ANSWER, name, type, DNS_CLASS_IN, 60, rdata, len));
	ck_assert_int_eq(msg_parse(&m, bytes, build_finish(&b, sizeof(bytes), &none)), MSG_OK);
	w = msg_walk(&m, MSG_ANSWER);
	ck_assert(msg_walk_next(&w, &rr));
	return print_record(&m, &rr, text);
}

#define PRINTED(type, rdata) printed(type, rdata, sizeof(rdata) - 1)

START_TEST(each_type)
{
	ck_assert_str_eq(PRINTED(DNS_TYPE_A, "\300\0\2\1"), "a.test. 60 IN A 192.0.2.1");
	ck_assert_str_eq(PRINTED(DNS_TYPE_AAAA, "\x20\1\r\xb8\0\0\0\0\0\0\0\0\0\0\0\1"),
	    "a.test. 60 IN AAAA 2001:db8::1");
	ck_assert_str_eq(PRINTED(DNS_TYPE_CNAME, "\1b\0"), "a.test. 60 IN CNAME b.");
	ck_assert_str_eq(PRINTED(DNS_TYPE_MX, "\0\12\1b\0"), "a.test. 60 IN MX 10 b.");
	ck_assert_str_eq(PRINTED(DNS_TYPE_SRV, "\0\1\0\2\0\3\1b\0"), "a.test. 60 IN SRV 1 2 3 b.");
	ck_assert_str_eq(
	    PRINTED(DNS_TYPE_SOA, "\1n\0\1h\0\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5"),
	    "a.test. 60 IN SOA n. h. 1 2 3 4 5");
	ck_assert_str_eq(
	    PRINTED(DNS_TYPE_TXT, "\3a\"b\2\\\n"), "a.test. 60 IN TXT \"a\\\"b\" \"\\\\\\010\"");
	ck_assert_str_eq(PRINTED(DNS_TYPE_HTTPS, "\0\1\0"), "a.test. 60 IN HTTPS \\# 3 000100");
	ck_assert_str_eq(PRINTED(DNS_TYPE_RP, "\1b\0\0"), "a.test. 60 IN RP \\# 4 01620000");
	ck_assert_str_eq(PRINTED(4711, "\1\2\377"), "a.test. 60 IN TYPE4711 \\# 3 0102ff");
	ck_assert_str_eq(printed(4711, "", 0), "a.test. 60 IN TYPE4711 \\# 0 ");
}
END_TEST

/* RDATA that is not what its type has is in hex. */
START_TEST(malformed)
{
	ck_assert_str_eq(PRINTED(DNS_TYPE_A, "\1\2\3"), "a.test. 60 IN A \\# 3 010203");
	ck_assert_str_eq(PRINTED(DNS_TYPE_MX, "\0"), "a.test. 60 IN MX \\# 1 00");
	ck_assert_str_eq(PRINTED(DNS_TYPE_MX, "\0\1"), "a.test. 60 IN MX \\# 2 0001");
	ck_assert_str_eq(PRINTED(DNS_TYPE_TXT, "\5ab"), "a.test. 60 IN TXT \\# 3 056162");
	ck_assert_str_eq(printed(DNS_TYPE_TXT, "", 0), "a.test. 60 IN TXT \\# 0 ");
	ck_assert_str_eq(
	    PRINTED(DNS_TYPE_SOA, "\1n\0\1h\0\0"), "a.test. 60 IN SOA \\# 7 016e0001680000");
}
END_TEST

/* As long as the mark of what has no length of its own, and no numbers for that. */
START_TEST(parameters_are_in_hex)
{
	static uint8_t data[2 + TYPE_REST];

	ck_assert_ptr_nonnull(strstr(printed(DNS_TYPE_SVCB, data, sizeof(data)), " \\# 257 0000"));
}
END_TEST

/* What is too long is cut, and says so. */
START_TEST(too_long)
{
	static uint8_t data[3000];

	ck_assert_uint_lt(strlen(printed(4711, data, sizeof(data))), PRINT_TEXT);
	ck_assert_str_eq(text + strlen(text) - 5, "00...");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, each_type);
	tcase_add_test(tc, malformed);
	tcase_add_test(tc, parameters_are_in_hex);
	tcase_add_test(tc, too_long);
}
