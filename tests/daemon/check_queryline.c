/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of the query log: their form, and that no name can end a line, a word or a string. */

#include "daemon/queryline.h"

#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "support/tests.h"

#define UNIX_US UINT64_C(1795396923456789) /* 2026-11-23T01:22:03.456789Z */

static uint8_t bytes[8192];
static char line[QUERYLINE_MAX];

/* An answer to QNAME TYPE with N addresses; returns its length. */
static size_t
answer(const uint8_t *qname, uint16_t type, unsigned n)
{
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	const struct build_question question = {
		.id = 1, .flags = DNS_QR, .qname = qname, .qtype = type, .qclass = DNS_CLASS_IN
	};
	uint8_t v6[16] = { 0, 0x64, 0xff, 0x9b, [12] = 192, 0, 2, 1 };
	struct build b;

	build_start(&b, bytes, sizeof(bytes), &question);
	for (unsigned i = 0; i < n; i++) {
		v6[15] = (uint8_t)(i + 1);
		ck_assert(
		    build_rr(&b, MSG_ANSWER, qname, DNS_TYPE_AAAA, DNS_CLASS_IN, 300, v6, 16));
	}
	return build_finish(&b, sizeof(bytes), &none);
}

static struct querylog_tap_record
record(void)
{
	struct querylog_tap_record r = { .us = 1250,
		.age_s = QUERYLOG_TAP_NO_AGE,
		.len = 77,
		.reason = REASON_SYNTH_NO_AAAA,
		.waited = true };

	ck_assert(netaddr_parse("2001:db8::1", 4242, &r.client));
	ck_assert(netaddr_parse("192.0.2.53", 53, &r.upstream));
	return r;
}

static void
expect(const struct queryline *q, const char *text, const char *json)
{
	size_t len = queryline_text(q, line);

	ck_assert_uint_eq(len, strlen(line));
	ck_assert_str_eq(line, text);
	len = queryline_json(q, line);
	ck_assert_uint_eq(len, strlen(line));
	ck_assert_str_eq(line, json);
}

/* D33: the form that dns64d.conf(5) describes. */
START_TEST(line_says_what_was_asked_and_answered)
{
	struct querylog_tap_record r = record();
	struct queryline q = { .record = &r, .msg = bytes, .unix_us = UNIX_US };

	q.len = answer((const uint8_t *)"\3WWW\7example", DNS_TYPE_AAAA, 2);
	expect(&q,
	    "2026-11-23T01:22:03.456789Z 2001:db8::1#4242 udp WWW.example. IN AAAA NOERROR "
	    "synth-no-aaaa 64:ff9b::c000:201,64:ff9b::c000:202 192.0.2.53#53 - 1250\n",
	    "{\"time\":\"2026-11-23T01:22:03.456789Z\",\"client\":\"2001:db8::1\",\"port\":4242,"
	    "\"transport\":\"udp\",\"name\":\"WWW.example.\",\"class\":\"IN\",\"type\":\"AAAA\","
	    "\"rcode\":\"NOERROR\",\"reason\":\"synth-no-aaaa\",\"kind\":\"synthesized\","
	    "\"addresses\":[\"64:ff9b::c000:201\",\"64:ff9b::c000:202\"],\"more_addresses\":0,"
	    "\"upstream\":\"192.0.2.53#53\",\"age\":null,\"us\":1250,\"bytes\":77}\n");
}
END_TEST

START_TEST(what_is_not_there_is_a_dash_or_null)
{
	static const uint8_t refused[] = { 0x12, 0x34, 0x81, 0x81, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct querylog_tap_record r = record();
	struct queryline q = {
		.record = &r, .msg = refused, .len = sizeof(refused), .unix_us = UNIX_US
	};

	r.upstream = (struct netaddr){ .family = NETADDR_NONE };
	r.reason = REASON_FORMERR;
	r.age_s = 0;
	r.us = 0;
	r.transport = TRANSPORT_TCP;
	expect(&q,
	    "2026-11-23T01:22:03.456789Z 2001:db8::1#4242 tcp - - - FORMERR malformed - - 0 0\n",
	    "{\"time\":\"2026-11-23T01:22:03.456789Z\",\"client\":\"2001:db8::1\",\"port\":4242,"
	    "\"transport\":\"tcp\",\"name\":null,\"class\":null,\"type\":null,"
	    "\"rcode\":\"FORMERR\",\"reason\":\"malformed\",\"kind\":\"refused\","
	    "\"addresses\":[],\"more_addresses\":0,\"upstream\":null,\"age\":0,\"us\":0,\"bytes\":"
	    "77}\n");
}
END_TEST

/* How many blanks, or unescaped quotes, there are in a line. */
static unsigned
count(const char *text, char c)
{
	unsigned n = 0;
	bool escaped = false;

	for (; *text != '\0'; text++) {
		n += *text == c && !escaped;
		escaped = *text == '\\' && !escaped;
	}
	return n;
}

/* Any byte may be in a name: it forges no line, no word and no string. */
START_TEST(names_forge_nothing)
{
	struct querylog_tap_record r = record();
	struct queryline q = { .record = &r, .msg = bytes, .unix_us = UNIX_US };
	uint8_t qname[DNS_NAME_MAX] = { 63 };
	size_t len;

	/* A name of 255 bytes: four labels, the bytes from _i on. */
	for (unsigned at = 0, n = 0; n < 4; n++) {
		unsigned label = n < 3 ? 63 : 61;

		qname[at++] = (uint8_t)label;
		for (unsigned k = 0; k < label; k++)
			qname[at++] = (uint8_t)(_i * 64 + (int)k);
	}
	q.len = answer(qname, 65280, 1);
	len = queryline_text(&q, line);
	ck_assert_uint_eq(len, strlen(line));
	ck_assert_ptr_eq(strchr(line, '\n'), line + len - 1);
	ck_assert_uint_eq(count(line, ' '), 11);
	len = queryline_json(&q, line);
	ck_assert_uint_eq(len, strlen(line));
	ck_assert_ptr_eq(strchr(line, '\n'), line + len - 1);
	/* 15 members, 10 of them strings here, and an address */
	ck_assert_uint_eq(count(line, '"'), 16 * 2 + 10 * 2 + 2);
	for (size_t i = 0; i + 1 < len; i++)
		ck_assert(line[i] >= ' ' && line[i] < 0x7f);
}
END_TEST

START_TEST(many_addresses_are_cut_short)
{
	struct querylog_tap_record r = record();
	struct queryline q = { .record = &r, .msg = bytes, .unix_us = UNIX_US };

	q.len = answer((const uint8_t *)"\1a", DNS_TYPE_AAAA, QUERYLINE_ADDRESSES);
	ck_assert_uint_gt(queryline_text(&q, line), 0);
	ck_assert_ptr_nonnull(strstr(line, ",64:ff9b::c000:210 192.0.2.53"));
	q.len = answer((const uint8_t *)"\1a", DNS_TYPE_AAAA, QUERYLINE_ADDRESSES + 1);
	ck_assert_uint_gt(queryline_text(&q, line), 0);
	ck_assert_ptr_nonnull(strstr(line, ",64:ff9b::c000:210,+ 192.0.2.53"));
	ck_assert_uint_gt(queryline_json(&q, line), 0);
	ck_assert_ptr_nonnull(strstr(line, "\"64:ff9b::c000:210\"],\"more_addresses\":1,"));
	q.len = answer((const uint8_t *)"\1a", DNS_TYPE_AAAA, QUERYLINE_ADDRESSES + 3);
	ck_assert_uint_gt(queryline_json(&q, line), 0);
	ck_assert_ptr_nonnull(strstr(line, "\"64:ff9b::c000:210\"],\"more_addresses\":3,"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, line_says_what_was_asked_and_answered);
	tcase_add_test(tc, what_is_not_there_is_a_dash_or_null);
	tcase_add_loop_test(tc, names_forge_nothing, 0, 4);
	tcase_add_test(tc, many_addresses_are_cut_short);
}
