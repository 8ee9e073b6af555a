/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RULES D25: RDATA that can be, and RDATA that cannot (RFC 1035 section 3.3, RFC 9267, RFC 9460).
 */

#include "dns/rdata.h"

#include <stdio.h>
#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"
#include "support/guard.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define QUESTION \
	"<www.example.com> 0001 0001" /* offsets 12-32: www 12, example 16, com 24, root 28 */
#define X63 "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
#define NUMBERS "00000001 00000002 00000003 00000004 00000005"

struct rdata_case {
	const char *type_class;
	const char *rdata; /* begins at offset 45 */
	bool sound;
};

static const struct rdata_case cases[] = {
	/* Addresses have their length, in class IN. */
	{ "0001 0001", "c0000201", true },
	{ "0001 0001", "", false },
	{ "0001 0001", "c00002", false },
	{ "0001 0001", "c000020101", false },
	{ "0001 0001", "20010db8 00000000 00000000 00000001", false },
	{ "001c 0001", "20010db8 00000000 00000000 00000001", true },
	{ "001c 0001", "20010db8 00000000 00000000 000000", false },
	{ "001c 0001", "20010db8 00000000 00000000 0000000100", false },
	{ "001c 0001", "c0000201", false },
	{ "001c 0001", "", false },
	/* In class CH an A has a name and 16 bits (RFC 1035 section 3.3). */
	{ "0001 0003", "<host> 0102", true },
	{ "001c 0003", "01", true },
	{ "0021 0003", "01", true },
	/* A name and nothing else: NS CNAME PTR DNAME, of any class. */
	{ "0002 0001", "<ns.example.com>", true },
	{ "0005 0001", "<>", true },
	{ "000c 0001", "{web}c010", true },
	{ "0027 0001", "c018", true },
	{ "0027 0003", "c01c", true },
	{ "0005 0001", "", false },
	{ "0005 0003", "", false },
	{ "0002 0001", "{ns}", false },
	{ "0002 0001", "c0", false },
	{ "000c 0001", "<a>00", false },
	{ "000c 0001", "c010c010", false },
	{ "000c 0001", "40", false },
	{ "0027 0001", "80", false },
	{ "0005 0001", "056161", false },
	/* A pointer leads back to where a label begins (RFC 1035 section 4.1.4). */
	{ "0005 0001", "c02d", false }, /* to itself */
	{ "0005 0001", "{a}c02d", false },
	{ "0005 0001", "{a}c02f", false },
	{ "0005 0001", "c0ff", false },
	{ "0005 0001", "ffff", false },
	{ "0005 0001", "c000", false }, /* into the header */
	{ "0005 0001", "c00b", false },
	{ "0005 0001", "c011", false }, /* into a label: what is there is no label */
	{ "0005 0001", "c021", true },  /* to the owner, a pointer itself */
	/* 255 bytes at the most. */
	{ "0005 0001",
	    "3f" X63 "3f" X63 "3f" X63
	    "3d'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'00",
	    true },
	{ "0005 0001",
	    "3f" X63 "3f" X63 "3f" X63
	    "3e'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'00",
	    false },
	{ "0005 0001",
	    "3f" X63 "3f" X63 "3f" X63 "2d'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' c00c",
	    true },
	{ "0005 0001",
	    "3f" X63 "3f" X63 "3f" X63 "2e'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' c00c",
	    false },
	/* MX, SRV: numbers in front. */
	{ "000f 0001", "000a <mail.example.com>", true },
	{ "000f 0001", "0000 00", true },
	{ "000f 0001", "000a c00c", true },
	{ "000f 0001", "000a", false },
	{ "000f 0001", "00", false },
	{ "000f 0001", "", false },
	{ "000f 0001", "000a c00c 00", false },
	{ "0021 0001", "0000 0000 0035 <ns.example.com>", true },
	{ "0021 0001", "0000 0000 0035 {ns}c010", true },
	{ "0021 0001", "0000 0000 0035", false },
	{ "0021 0001", "0000 0000", false },
	{ "0021 0001", "0000 0000 0035 <a>00", false },
	/* SOA: two names and 20 bytes. */
	{ "0006 0001", "{ns}c010 {host}c010" NUMBERS, true },
	{ "0006 0001", "<> <>" NUMBERS, true },
	{ "0006 0001", "c010 c030" NUMBERS, false }, /* the second leads to itself and on */
	{ "0006 0001", "{ns}c010 c02d" NUMBERS, true },
	{ "0006 0001", "<ns.example.com>" NUMBERS, false },
	{ "0006 0001", "<n> <h> 00000001 00000002 00000003 00000004 000000", false },
	{ "0006 0001", "<n> <h>" NUMBERS "00", false },
	{ "0006 0001", "<n> <h>", false },
	{ "0006 0001", "<n>", false },
	{ "0006 0001", "", false },
	/* SVCB, HTTPS: a name that is not compressed and parameters (RFC 9460 section 2.2). */
	{ "0040 0001", "0000 <svc.example.com>", true },
	{ "0041 0001", "0001 00", true },
	{ "0041 0001", "0001 00 0001 0003 02'h2' 0004 0004 c0000201", true },
	{ "0041 0001", "0001 00 0002 0000", true },
	{ "0041 0001", "0001 c00c", false },
	{ "0040 0001", "0001 {a}c00c", false },
	{ "0041 0001", "0001", false },
	{ "0041 0001", "00", false },
	{ "0041 0001", "", false },
	{ "0041 0001", "0001 {svc}", false },
	{ "0041 0001", "0001 00 00", false },
	{ "0041 0001", "0001 00 0001 00", false },
	{ "0041 0001", "0001 00 0001 0003 0268", false },
	{ "0041 0001", "0001 00 0001 ffff 0268", false },
	{ "0041 0003", "", true },
	/* All others are opaque (RFC 3597), also those that once had names. */
	{ "0010 0001", "", true },
	{ "0010 0001", "ff", true },
	{ "002e 0001", "00", true },
	{ "000d 0001", "ffff", true },
	{ "0011 0001", "c0", true },
	{ "0042 0001", "c0", true },
	{ "ff00 0001", "c0ff", true },
};

/* One record in section S behind the question, ending at the unreadable page. */
static enum msg_verdict
parse(struct msg *m, const struct rdata_case *c, unsigned s)
{
	static const char *const counts[] = { "0001 0000 0000", "0000 0001 0000",
		"0000 0000 0001" };
	uint8_t rdata[512], bytes[1024];
	size_t rdlen = hex_read(c->rdata, rdata, sizeof(rdata));
	char text[256];
	size_t len;

	snprintf(text, sizeof(text), "1234 8180 0001 %s" QUESTION "@33. c00c %s 0000003c %04x",
	    counts[s], c->type_class, (unsigned)rdlen);
	len = hex_read(text, bytes, sizeof(bytes));
	ck_assert_uint_eq(len, 45);
	memcpy(bytes + len, rdata, rdlen);
	len += rdlen;
	return msg_parse_reply(m, guard_put(&guard, bytes, len), len);
}

/*
 * D25, in all sections. The message is there all the same, and to msg_parse it is sound.
 * Incidents: CVE-2020-25687.
 */
START_TEST(d25_malformed_rdata_is_told)
{
	const struct rdata_case *c = &cases[_i];

	for (unsigned s = MSG_ANSWER; s < MSG_SECTIONS; s++) {
		struct msg m;

		ck_assert_int_eq(parse(&m, c, s), c->sound ? MSG_OK : MSG_UNSOUND);
		ck_assert_uint_eq(m.count[s], 1);
		ck_assert_uint_eq(m.qname_len, 17);
		ck_assert_int_eq(msg_parse(&m, m.bytes, m.len), MSG_OK);
	}
}
END_TEST

/* What is sound can be read: name_expand says the same of all that a pointer may be. */
START_TEST(d25_as_name_expand)
{
	struct rdata_case c = { "0005 0001", NULL, true };
	uint8_t name[DNS_NAME_MAX];
	char text[32];
	struct msg m;
	struct rr rr;
	size_t end;

	snprintf(text, sizeof(text), "03'abc' %04x", 0xc000 + (unsigned)_i);
	c.rdata = text;
	c.sound = parse(&m, &c, 0) == MSG_OK;
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert(c.sound == (name_expand(m.bytes, m.len, rr.rdata, name, &end) > 0));
}
END_TEST

/* A name of LEN bytes that ends in a pointer to AT, in a CNAME at the end of BYTES; its offset. */
static size_t
add_cname(uint8_t *bytes, size_t *len, size_t labels, size_t at)
{
	size_t name = *len + 1 + DNS_RR_FIXED, end = name;

	memset(bytes + *len, 0, 1 + DNS_RR_FIXED);
	bytes[*len + 2] = DNS_TYPE_CNAME;
	while (labels > 0) {
		size_t size = labels > 64 ? 64 : labels;

		bytes[end] = (uint8_t)(size - 1);
		memset(bytes + end + 1, 'x', size - 1);
		end += size;
		labels -= size;
	}
	if (at > 0)
		wire_set_u16(bytes + end, (uint16_t)(0xc000 + at));
	else
		wire_set_u16(bytes + end, 0); /* the root, and the next record's owner */
	end += at > 0 ? 2 : 1;
	wire_set_u16(bytes + *len + 9, (uint16_t)(end - name));
	*len = end;
	bytes[7]++;
	return name;
}

/* How long the name is that the last pointer led to is known, too: none becomes longer than 255. */
START_TEST(d25_known_target)
{
	uint8_t bytes[1024] = { 0x12, 0x34, 0x81 };
	size_t len = DNS_HEADER_LEN;
	size_t first = add_cname(bytes, &len, 192, 0);
	struct msg m;

	for (unsigned i = 0; i < 3; i++) {
		(void)add_cname(bytes, &len, 62, first);
		ck_assert_int_eq(msg_parse_reply(&m, bytes, len), MSG_OK);
	}
	(void)add_cname(bytes, &len, 63, first);
	ck_assert_int_eq(msg_parse_reply(&m, bytes, len), MSG_UNSOUND);
}
END_TEST

/* RFC 9267: 64 KiB of names that each lead through 126 labels are given up on in bounded work. */
START_TEST(d25_bounded_work)
{
	static uint8_t bytes[65535];
	struct rdata_scan scan;
	size_t len = DNS_HEADER_LEN;
	uint16_t n = 1;
	struct msg m;
	struct msg_walk w;
	struct rr rr;
	bool sound = true;

	memset(bytes, 0, sizeof(bytes));
	wire_set_u16(bytes + 2, DNS_QR);
	/* A TXT with two chains of labels, so that what is known changes each time. */
	bytes[len + 2] = DNS_TYPE_TXT;
	wire_set_u16(bytes + len + 9, 506);
	len += 1 + DNS_RR_FIXED;
	for (unsigned chain = 0; chain < 2; chain++, len += 253) {
		for (unsigned i = 0; i < 126; i++)
			bytes[len + 2 * i] = 1;
	}
	for (; len + 15 < sizeof(bytes); len += 13, n++) {
		bytes[len + 2] = DNS_TYPE_NS;
		bytes[len + 10] = 2;
		wire_set_u16(bytes + len + 11, (uint16_t)(0xc017 + n % 2 * 253));
	}
	wire_set_u16(bytes + 6, n);
	ck_assert_int_eq(msg_parse(&m, bytes, len), MSG_OK);
	scan = rdata_begin(m.bytes, m.len, m.qname_len);
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr))
		sound = rdata_sound(&scan, &rr) && sound;
	ck_assert(!sound);
	ck_assert_int_eq(msg_parse_reply(&m, bytes, len), MSG_UNSOUND);
	ck_assert_uint_eq(bytes[len], 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, guard_setup, guard_teardown);
	tcase_add_loop_test(tc, d25_malformed_rdata_is_told, 0, N_OF(cases));
	tcase_add_loop_test(tc, d25_as_name_expand, 0, 64);
	tcase_add_test(tc, d25_known_target);
	tcase_add_test(tc, d25_bounded_work);
}
