/* SPDX-License-Identifier: BSD-2-Clause */
/* Records: compression (RFC 1035 4.1.4, RFC 3597 4), RDATA with names, what does not fit. */
#include <stdio.h>
#include <string.h>

#include "dns/build.h"
#include "dns/name.h"
#include "support/guard.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define HEAD "1234 8180 0001 0000 0000 0000"
#define HEAD_1_ANSWER "1234 8180 0001 0001 0000 0000"
#define A_IN "0001 0001"
#define TTL_60 "0000003c"

static const struct build_opt no_opt = { .present = false };
static uint8_t out[DNS_MSG_MAX];
static uint8_t in[DNS_MSG_MAX];
static uint8_t in2[DNS_MSG_MAX];

/* A message to the question QNAME (in text) A IN, with all of OUT as room unless CAP is less. */
static void
start(struct build *b, const char *qname, size_t cap)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(qname, name), 0);
	build_start(b, out, cap,
	    &(struct build_question){ .id = 0x1234,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = name,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
}

/* Copy all records of section FROM of M to section TO. */
static void
copy_all(struct build *b, enum msg_section to, const struct msg *m, enum msg_section from)
{
	struct msg_walk w = msg_walk(m, from);
	struct rr rr;

	while (msg_walk_next(&w, &rr))
		ck_assert(build_copy(b, to, m, &rr, rr.ttl));
}

static void
expect(struct build *b, const char *text)
{
	struct msg m;
	size_t len = build_finish(b, DNS_MSG_MAX, &no_opt);

	message_expect(out, len, text);
	message_sound(&m, out, len, DNS_MSG_MAX);
}

/* --- Owners ----------------------------------------------------------------------------------- */

static const struct owner_case {
	const char *what;
	const char *qname;  /* ours */
	const char *src;    /* the reply's question and one record */
	const char *record; /* what becomes of it */
} owners[] = {
	{ "the question's name stays a pointer", "www.example.com",
	    "<www.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "c00c" A_IN TTL_60 "0004 c0000221" },
	{ "D24: our question's spelling stands in", "www.example.com",
	    "<wWw.ExaMPLE.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "c00c" A_IN TTL_60 "0004 c0000221" },
	{ "D24: also where the owner is written out", "www.example.com",
	    "<wWw.ExaMPLE.com>" A_IN "<WWW.example.COM>" A_IN TTL_60 "0004 c0000221",
	    "c00c" A_IN TTL_60 "0004 c0000221" },
	{ "another question of the same length", "www.example.com",
	    "<ftp.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "{ftp}c010" A_IN TTL_60 "0004 c0000221" },
	{ "another question altogether", "www.example.com",
	    "<ftp.test>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "<ftp.test>" A_IN TTL_60 "0004 c0000221" },
	{ "a question that is longer", "example.com",
	    "<www.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "{www}c00c" A_IN TTL_60 "0004 c0000221" },
	{ "a question that is shorter", "www.example.com",
	    "<example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221",
	    "c010" A_IN TTL_60 "0004 c0000221" },
	{ "a suffix of the question", "www.example.com",
	    "<www.example.com>" A_IN "c010" A_IN TTL_60 "0004 c0000221",
	    "c010" A_IN TTL_60 "0004 c0000221" },
	{ "D24: a suffix spelled otherwise", "www.example.com",
	    "<www.example.com>" A_IN "<NS.EXAMPLE.COM>" A_IN TTL_60 "0004 c0000221",
	    "{NS}c010" A_IN TTL_60 "0004 c0000221" },
	{ "the root", "www.example.com", "<www.example.com>" A_IN "00" A_IN TTL_60 "0004 c0000221",
	    "00" A_IN TTL_60 "0004 c0000221" },
	{ "the root as question", ".", "<>" A_IN "00" A_IN TTL_60 "0004 c0000221",
	    "00" A_IN TTL_60 "0004 c0000221" },
	/* The bytes of <b> stand at the end of the question, but inside its label. */
	{ "a label's end is no name", "a\\001b", "<a>" A_IN "<b>" A_IN TTL_60 "0004 c0000221",
	    "<b>" A_IN TTL_60 "0004 c0000221" },
};

START_TEST(rfc1035_4_1_4_owner)
{
	const struct owner_case *c = &owners[_i];
	char text[512];
	uint8_t record[512];
	size_t record_len;
	struct build b;
	struct msg m;
	size_t question_end;
	size_t len;

	snprintf(text, sizeof(text), HEAD_1_ANSWER "%s", c->src);
	message_read(&m, in, sizeof(in), text);
	start(&b, c->qname, sizeof(out));
	question_end = b.w.len;
	copy_all(&b, MSG_ANSWER, &m, MSG_ANSWER);
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	record_len = hex_read(c->record, record, sizeof(record));
	ck_assert_msg(
	    len == question_end + record_len && memcmp(out + question_end, record, record_len) == 0,
	    "%s", c->what);
	message_sound(&m, out, len, DNS_MSG_MAX);
}
END_TEST

/* The comparison of questions is made anew for each message. */
START_TEST(compression_is_made_anew_for_each_message)
{
	struct build b;
	struct msg same;
	struct msg other;

	message_read(&same, in, sizeof(in),
	    HEAD_1_ANSWER "<www.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000201");
	message_read(&other, in2, sizeof(in2),
	    HEAD_1_ANSWER "<ftp.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000202");
	start(&b, "www.example.com", sizeof(out));
	copy_all(&b, MSG_ANSWER, &same, MSG_ANSWER);
	copy_all(&b, MSG_ANSWER, &other, MSG_ANSWER);
	copy_all(&b, MSG_ANSWER, &same, MSG_ANSWER);
	copy_all(&b, MSG_ANSWER, &other, MSG_ANSWER);
	expect(&b,
	    "1234 8180 0001 0004 0000 0000 <www.example.com>" A_IN "@33. c00c" A_IN TTL_60
	    "0004 c0000201"
	    "@49. {ftp}c010" A_IN TTL_60 "0004 c0000202"
	    "c00c" A_IN TTL_60 "0004 c0000201"
	    "c031" A_IN TTL_60 "0004 c0000202");
}
END_TEST

START_TEST(message_without_question_has_no_pointer_to_it)
{
	struct build b;
	struct msg m;

	/* 0xc00c names the first record's owner here, and would name another one there. */
	message_read(&m, in, sizeof(in),
	    "1234 8180 0000 0002 0000 0000"
	    "@12. <ns.test>" A_IN TTL_60 "0004 c0000201 c00c" A_IN TTL_60 "0004 c0000202");
	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 0x1234, .flags = DNS_QR | DNS_RD | DNS_RA });
	ck_assert(build_rr(&b, MSG_ANSWER, (const uint8_t *)"\1x", DNS_TYPE_A, DNS_CLASS_IN, 60,
	    (const uint8_t *)"\300\0\2\3", 4));
	copy_all(&b, MSG_ANSWER, &m, MSG_ANSWER);
	expect(&b,
	    "1234 8180 0000 0003 0000 0000 <x>" A_IN TTL_60 "0004 c0000203"
	    "@29. <ns.test>" A_IN TTL_60 "0004 c0000201 c01d" A_IN TTL_60 "0004 c0000202");
}
END_TEST

/* RFC 4343: case is kept, so a name spelled otherwise is no place to point to. */
START_TEST(rfc4343_name_of_other_case_is_no_target)
{
	struct build b;
	struct msg m;

	message_read(&m, in, sizeof(in),
	    "1234 8180 0001 0000 0000 0005 <q.test>" A_IN "<ns.example.net>" A_IN TTL_60
	    "0004 c0000201"
	    "<NS.example.net>" A_IN TTL_60 "0004 c0000202"
	    "<ns.example.net>" A_IN TTL_60 "0004 c0000203"
	    "<ns.Example.net>" A_IN TTL_60 "0004 c0000204"
	    "<ns.Test>" A_IN TTL_60 "0004 c0000205");
	start(&b, "q.test", sizeof(out));
	copy_all(&b, MSG_ADDITIONAL, &m, MSG_ADDITIONAL);
	/* Behind the first, a name that runs through the question: found in any case there. */
	copy_all(&b, MSG_ADDITIONAL, &m, MSG_ADDITIONAL);
	expect(&b,
	    "1234 8180 0001 0000 0000 000a <q.test>" A_IN "@24. <ns.example.net>" A_IN TTL_60
	    "0004 c0000201"
	    "@54. {NS}c01b" A_IN TTL_60 "0004 c0000202"
	    "c018" A_IN TTL_60 "0004 c0000203"
	    "@89. {ns.Example}c023" A_IN TTL_60 "0004 c0000204"
	    "@116. {ns}c00e" A_IN TTL_60 "0004 c0000205"
	    "c018" A_IN TTL_60 "0004 c0000201"
	    "c036" A_IN TTL_60 "0004 c0000202"
	    "c018" A_IN TTL_60 "0004 c0000203"
	    "c059" A_IN TTL_60 "0004 c0000204"
	    "c074" A_IN TTL_60 "0004 c0000205");
}
END_TEST

/* --- RDATA ------------------------------------------------------------------------------------ */

/* The source has <www.example.com> at 12 and <a.test> at 33; <test> is at 35 there. */
static const struct rdata_case {
	unsigned type;
	const char *rdata;
	const char *copy; /* behind our question; the record's RDATA starts at 45 */
} rdatas[] = {
	/* RFC 1035's types: expanded and compressed anew */
	{ DNS_TYPE_NS, "{ns}c010", "{ns}c010" },
	{ DNS_TYPE_NS, "{ns}c023", "<ns.test>" },
	{ DNS_TYPE_MD, "c00c", "c00c" },
	{ DNS_TYPE_MF, "c00c", "c00c" },
	{ DNS_TYPE_CNAME, "<x.example.com>", "{x}c010" },
	{ DNS_TYPE_SOA, "c021 {host}c021 00000001 00000e10 000004b0 00093a80 00000258",
	    "<a.test> {host}c02d 00000001 00000e10 000004b0 00093a80 00000258" },
	{ DNS_TYPE_MB, "c010", "c010" },
	{ DNS_TYPE_MG, "c010", "c010" },
	{ DNS_TYPE_MR, "00", "00" },
	{ DNS_TYPE_PTR, "{b}c023", "<b.test>" },
	{ DNS_TYPE_MINFO, "{r}c023 {e}c023", "<r.test> {e}c02f" },
	{ DNS_TYPE_MX, "000a {mx}c010", "000a {mx}c010" },
	/* RFC 3597 section 4: expanded, and sent so */
	{ DNS_TYPE_RP, "{me}c010 c023", "<me.example.com> <test>" },
	{ DNS_TYPE_AFSDB, "0001 {afs}c010", "0001 <afs.example.com>" },
	{ DNS_TYPE_RT, "0001 {rt}c010", "0001 <rt.example.com>" },
	{ DNS_TYPE_SIG, "0001 05 02 00000e10 00000002 00000001 0007 c010 'signature'",
	    "0001 05 02 00000e10 00000002 00000001 0007 <example.com> 'signature'" },
	{ DNS_TYPE_PX, "000a {x}c010 c021", "000a <x.example.com> <a.test>" },
	{ DNS_TYPE_NXT, "c010 6000 0002", "<example.com> 6000 0002" },
	{ DNS_TYPE_SRV, "0001 0002 0035 {s}c010", "0001 0002 0035 <s.example.com>" },
	{ DNS_TYPE_NAPTR, "0064 000a 01 'u' 07 'E2U+sip' 00 c010",
	    "0064 000a 01 'u' 07 'E2U+sip' 00 <example.com>" },
	{ DNS_TYPE_KX, "0001 c010", "0001 <example.com>" },
	{ DNS_TYPE_DNAME, "{d}c010", "<d.example.com>" },
	/* opaque, whatever it looks like (RFC 3597, RFC 4034) */
	{ DNS_TYPE_TXT, "02 c00c", "02 c00c" },
	{ DNS_TYPE_RRSIG, "c00c", "c00c" },
	{ DNS_TYPE_NSEC, "c00c", "c00c" },
	{ DNS_TYPE_NSEC3, "c00c", "c00c" },
	{ DNS_TYPE_DS, "c00c", "c00c" },
	{ 0, "c00c", "c00c" },
	{ 65280, "c00c c00c", "c00c c00c" },
	{ 65281, "", "" },
};

/* Read a message with <a.test> as owner of a first record and RDATA, of TYPE, in a second one. */
static void
read_rdata(struct msg *m, struct rr *rr, unsigned type, const char *rdata)
{
	char text[1024];
	uint8_t bytes[512];
	size_t len;

	/* Only its length counts here: offsets are those of the whole message. */
	len = hex_read(rdata, bytes, sizeof(bytes));
	snprintf(text, sizeof(text),
	    "1234 8180 0001 0002 0000 0000 @12. <www.example.com>" A_IN
	    "@33. <a.test> ff00 0001" TTL_60 "0000"
	    "c00c %04x 0001" TTL_60 "%04x %s",
	    type, (unsigned)len, rdata);
	message_read(m, in, sizeof(in), text);
	*rr = message_record(m, MSG_ANSWER, 1);
}

START_TEST(rfc3597_4_rdata)
{
	const struct rdata_case *c = &rdatas[_i];
	uint8_t copy[512];
	size_t copy_len = hex_read(c->copy, copy, sizeof(copy));
	struct build b;
	struct msg m;
	struct rr rr;
	size_t len;

	read_rdata(&m, &rr, c->type, c->rdata);
	start(&b, "www.example.com", sizeof(out));
	ck_assert(build_copy(&b, MSG_ANSWER, &m, &rr, 300));
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	ck_assert_uint_eq(len, 45 + copy_len);
	message_expect(out + 33, 2, "c00c");
	ck_assert_uint_eq(wire_u16(out + 35), c->type);
	message_expect(out + 37, 6, "0001 0000012c");
	ck_assert_uint_eq(wire_u16(out + 43), copy_len);
	ck_assert_msg(memcmp(out + 45, copy, copy_len) == 0, "type %u", c->type);
	message_sound(&m, out, len, DNS_MSG_MAX);
}
END_TEST

/* RDLENGTH does not agree with what is inside, or the names are malformed. */
static const struct {
	unsigned type;
	const char *rdata;
} lies[] = {
	{ DNS_TYPE_NS, "" },
	{ DNS_TYPE_NS, "c00c 00" },
	{ DNS_TYPE_NS, "c0" },
	{ DNS_TYPE_NS, "{ns}" },
	{ DNS_TYPE_NS, "<ns> 00" },
	{ DNS_TYPE_NS, "40" },
	{ DNS_TYPE_NS, "c0ff" }, /* forwards */
	{ DNS_TYPE_NS, "c03c" }, /* to itself */
	{ DNS_TYPE_NS, "c000" }, /* into the header */
	{ DNS_TYPE_CNAME, "<a.b.c> 0000" },
	{ DNS_TYPE_SOA, "c00c" },
	{ DNS_TYPE_SOA, "c00c c00c 00000001 00000e10 000004b0 00093a80 000002" },
	{ DNS_TYPE_SOA, "c00c c00c 00000001 00000e10 000004b0 00093a80 00000258 00" },
	{ DNS_TYPE_MINFO, "c00c" },
	{ DNS_TYPE_MX, "00" },
	{ DNS_TYPE_MX, "0001" },
	{ DNS_TYPE_MX, "0001 c00c 00" },
	{ DNS_TYPE_RP, "00" },
	{ DNS_TYPE_SIG, "0001 05 02 00000e10 00000002 00000001 0007" },
	{ DNS_TYPE_PX, "000a c00c" },
	{ DNS_TYPE_NXT, "" },
	{ DNS_TYPE_SRV, "0001 0002 0035" },
	{ DNS_TYPE_SRV, "0001 0002" },
	{ DNS_TYPE_NAPTR, "0064 000a 01 'u' 07 'E2U+sip' 00" },
	{ DNS_TYPE_NAPTR, "0064 000a 01 'u' 07 'E2U'" },
	{ DNS_TYPE_NAPTR, "0064 000a 01 'u' 07" },
	{ DNS_TYPE_NAPTR, "0064 00" },
	{ DNS_TYPE_DNAME, "c00c c00c" },
};

START_TEST(rdlength_that_lies_writes_nothing)
{
	struct build b;
	struct build before;
	struct msg m;
	struct rr rr;

	read_rdata(&m, &rr, lies[_i].type, lies[_i].rdata);
	start(&b, "other.test", sizeof(out));
	before = b;
	ck_assert(!build_copy(&b, MSG_ANSWER, &m, &rr, 300));
	/* As before, and not full: the next record goes in. */
	ck_assert_uint_eq(b.w.len, before.w.len);
	ck_assert_uint_eq(b.n_names, before.n_names);
	ck_assert_uint_eq(b.count[MSG_ANSWER], 0);
	ck_assert(!b.w.full);
	read_rdata(&m, &rr, DNS_TYPE_NS, "{ns}c023");
	ck_assert(build_copy(&b, MSG_ANSWER, &m, &rr, 60));
	expect(&b,
	    HEAD_1_ANSWER "<other.test>" A_IN "@28. <www.example.com> 0002 0001" TTL_60
			  "0005 {ns}c012");
}
END_TEST

START_TEST(malformed_owner_writes_nothing)
{
	struct build b;
	struct msg m;
	struct rr rr;

	/* Framed well, but the pointer leads into the question's type. */
	message_read(&m, in, sizeof(in),
	    "1234 8180 0001 0001 0000 0000 <a.test>" A_IN "{x}c014" A_IN TTL_60 "0004 c0000201");
	in[20] = 0x80; /* no label type */
	rr = message_record(&m, MSG_ANSWER, 0);
	start(&b, "q.test", sizeof(out));
	ck_assert(!build_copy(&b, MSG_ANSWER, &m, &rr, 60));
	ck_assert(!build_aaaa(&b, &m, &rr, 60, in));
	ck_assert(!b.w.full);
	expect(&b, HEAD "<q.test>" A_IN);
}
END_TEST

/* --- Records made here ------------------------------------------------------------------------ */

START_TEST(records_of_our_own_are_written)
{
	static const uint8_t rdata[4] = { 192, 0, 2, 33 };
	uint8_t owner[DNS_NAME_MAX];
	uint8_t target[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text("Www.example.com", owner), 0);
	ck_assert_uint_gt(name_from_text("cdn.example.net", target), 0);
	start(&b, "www.example.com", sizeof(out));
	ck_assert(build_rr_name(&b, MSG_ANSWER, owner, DNS_TYPE_CNAME, DNS_CLASS_IN, 600, target));
	ck_assert(build_rr(&b, MSG_ANSWER, target, DNS_TYPE_A, DNS_CLASS_IN, 60, rdata, 4));
	ck_assert(
	    build_rr_name(&b, MSG_AUTHORITY, target + 4, DNS_TYPE_NS, DNS_CLASS_IN, 60, owner + 4));
	ck_assert(build_rr(&b, MSG_ADDITIONAL, (const uint8_t *)"", DNS_TYPE_TXT, DNS_CLASS_CH, 0,
	    (const uint8_t *)"\1x", 2));
	expect(&b,
	    "1234 8180 0001 0002 0001 0001 <www.example.com>" A_IN
	    "c00c 0005 0001 00000258 0011 @45. <cdn.example.net>"
	    "c02d" A_IN TTL_60 "0004 c0000221"
	    "c031 0002 0001" TTL_60 "0002 c010"
	    "00 0010 0003 00000000 0002 0178");
}
END_TEST

/* RFC 6147 5.1.7: how an A becomes an AAAA; its class and owner are kept. */
START_TEST(a_becomes_aaaa_with_its_owner)
{
	static const uint8_t v6[16] = { 0, 0x64, 0xff, 0x9b, [12] = 192, 0, 2, 33 };
	struct build b;
	struct msg m;
	struct rr rr;

	message_read(&m, in, sizeof(in),
	    HEAD_1_ANSWER "<www.example.com>" A_IN "c00c" A_IN TTL_60 "0004 c0000221");
	rr = message_record(&m, MSG_ANSWER, 0);
	start(&b, "www.example.com", sizeof(out));
	ck_assert(build_aaaa(&b, &m, &rr, 30, v6));
	expect(&b,
	    HEAD_1_ANSWER "<www.example.com>" A_IN
			  "c00c 001c 0001 0000001e 0010 0064ff9b 00000000 00000000 c0000221");
}
END_TEST

/* --- Bounds ----------------------------------------------------------------------------------- */

static void
put_txt(struct build *b, enum msg_section s, uint16_t rdlen)
{
	ck_assert(build_rr(b, s, (const uint8_t *)"", DNS_TYPE_TXT, DNS_CLASS_IN, 0, in, rdlen));
}

/* Only BUILD_NAMES suffixes are looked for; others are written out. */
START_TEST(suffixes_over_the_limit_are_written_out)
{
	char text[32];
	uint8_t owner[DNS_NAME_MAX];
	struct build b;
	struct msg m;
	size_t len;

	start(&b, ".", sizeof(out));
	for (unsigned i = 0; i < BUILD_NAMES + 8; i++) {
		bool known = i < BUILD_NAMES;
		size_t first;

		snprintf(text, sizeof(text), "n%02u", i);
		ck_assert_uint_gt(name_from_text(text, owner), 0);
		first = b.w.len;
		ck_assert(build_rr(&b, MSG_ANSWER, owner, DNS_TYPE_A, DNS_CLASS_IN, 0, owner, 4));
		ck_assert_uint_eq(b.w.len - first, 5 + 14);
		ck_assert(build_rr(&b, MSG_ANSWER, owner, DNS_TYPE_A, DNS_CLASS_IN, 0, owner, 4));
		ck_assert_uint_eq(b.w.len - first, 5 + 14 + (known ? 2 : 5) + 14);
	}
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	message_sound(&m, out, len, DNS_MSG_MAX);
}
END_TEST

/* RFC 1035 4.1.4: a pointer has 14 bits. */
START_TEST(rfc1035_4_1_4_reach)
{
	uint8_t owner[DNS_NAME_MAX];
	struct build b;
	struct msg m;
	size_t first;

	ck_assert_uint_gt(name_from_text("ab.test", owner), 0);
	start(&b, ".", sizeof(out));
	/* <ab.test> at 0x3ffd: <ab> can be pointed to, <test> at 0x4000 cannot. */
	put_txt(&b, MSG_ANSWER, (uint16_t)(0x3ffd - b.w.len - 11));
	ck_assert(build_rr(&b, MSG_ANSWER, owner, DNS_TYPE_A, DNS_CLASS_IN, 0, owner, 4));
	first = b.w.len;
	ck_assert(build_rr(&b, MSG_ANSWER, owner, DNS_TYPE_A, DNS_CLASS_IN, 0, owner, 4));
	message_expect(out + first, 2, "fffd");
	first = b.w.len;
	ck_assert(build_rr(&b, MSG_ANSWER, owner + 3, DNS_TYPE_A, DNS_CLASS_IN, 0, owner, 4));
	message_expect(out + first, 6, "<test>");
	message_sound(&m, out, build_finish(&b, DNS_MSG_MAX, &no_opt), DNS_MSG_MAX);
}
END_TEST

/* A failed append leaves the message as it was; it is full only if the client misses something. */
static const struct {
	enum msg_section section;
	bool has_answer;
	bool needed;
} sections[] = {
	{ MSG_ANSWER, false, true },
	{ MSG_ANSWER, true, true },
	{ MSG_AUTHORITY, false, true },
	{ MSG_AUTHORITY, true, false },
	{ MSG_ADDITIONAL, false, false },
	{ MSG_ADDITIONAL, true, false },
};

START_TEST(record_without_room_leaves_nothing)
{
	enum msg_section s = sections[_i].section;
	struct build b;
	struct msg m;
	struct msg after;
	struct guard g;
	struct rr rr;
	size_t len;

	message_read(&m, in2, sizeof(in2),
	    HEAD_1_ANSWER "<www.example.com>" A_IN "<a.b.c.test> 0002 0001" TTL_60
			  "000d <ns.d.e.test>");
	rr = message_record(&m, MSG_ANSWER, 0);
	guard_init(&g, 512);
	/* It takes 12 + 10 + 9 bytes, as <test> is a pointer the second time. */
	for (size_t room = 0; room < 31; room++) {
		start(&b, "www.example.com", sizeof(out));
		if (sections[_i].has_answer)
			put_txt(&b, MSG_ANSWER, 0);
		len = b.w.len;
		b.w.cap = len + room;
		b.w.buf = guard_put(&g, out, b.w.cap);
		ck_assert(!build_copy(&b, s, &m, &rr, 60));
		ck_assert_uint_eq(b.w.full, sections[_i].needed);
		/* Neither in another way. */
		ck_assert(!build_aaaa(&b, &m, &rr, 60, in));
		ck_assert(!build_rr(&b, s, (const uint8_t *)"\1x", DNS_TYPE_A, 1, 0, in, 32));
		ck_assert(!build_rr_name(&b, s, (const uint8_t *)"\24abcdefghijklmnopqrst",
		    DNS_TYPE_PTR, 1, 0, (const uint8_t *)""));
		ck_assert_uint_eq(b.w.full, sections[_i].needed);
		ck_assert_uint_eq(b.w.len, len);
		ck_assert_uint_eq(b.n_names, 0);
		ck_assert_uint_eq(b.count[s], s == MSG_ANSWER && sections[_i].has_answer);
		len = build_finish(&b, DNS_MSG_MAX, &no_opt);
		message_sound(&after, b.w.buf, len, DNS_MSG_MAX);
		ck_assert_uint_eq((after.flags & DNS_TC) != 0, sections[_i].needed);
	}
	b.w.cap = b.w.len + 31;
	b.w.buf = out;
	b.w.full = false;
	b.closed = false;
	ck_assert(build_copy(&b, s, &m, &rr, 60));
	ck_assert_uint_eq(b.w.len, b.w.cap);
	guard_fini(&g);
}
END_TEST

/* What stands behind a record that had no room is left out too, however small: there may be
 * thousands to be tried. The client misses nothing, or what it knows of by TC. */
START_TEST(closed_section_takes_no_more)
{
	static const struct {
		enum msg_section first;
		enum msg_section then;
	} cases[] = { { MSG_AUTHORITY, MSG_AUTHORITY }, { MSG_AUTHORITY, MSG_ADDITIONAL },
		{ MSG_ADDITIONAL, MSG_ADDITIONAL } };
	struct build b;
	struct msg m;

	start(&b, "www.example.com", 600);
	put_txt(&b, MSG_ANSWER, 400);
	ck_assert(!build_rr(&b, cases[_i].first, (const uint8_t *)"", DNS_TYPE_TXT, 1, 0, in, 500));
	ck_assert(!build_rr(&b, cases[_i].then, (const uint8_t *)"", DNS_TYPE_TXT, 1, 0, in, 1));
	message_sound(&m, out, build_finish(&b, 600, &no_opt), 600);
	ck_assert_uint_eq(m.flags & DNS_TC, 0);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
	ck_assert_uint_eq(m.count[cases[_i].first], 0);
	ck_assert_uint_eq(m.count[cases[_i].then], 0);
}
END_TEST

/* A malformed record closes nothing: it is left out, and the next goes in. */
START_TEST(malformed_does_not_close)
{
	struct build b;
	struct msg m;
	struct rr rr;

	message_read(&m, in2, sizeof(in2),
	    HEAD_1_ANSWER "<www.example.com>" A_IN "<a.b.c.test> 0002 0001" TTL_60 "0001 05");
	rr = message_record(&m, MSG_ANSWER, 0);
	start(&b, "www.example.com", 600);
	put_txt(&b, MSG_ANSWER, 10);
	ck_assert(!build_copy(&b, MSG_AUTHORITY, &m, &rr, 60));
	put_txt(&b, MSG_AUTHORITY, 10);
	ck_assert_uint_eq(b.count[MSG_AUTHORITY], 1);
}
END_TEST

/* One PTR of many, to names of their own, as an honest host with too many of them has. */
static size_t
write_ptr(uint8_t *at, unsigned i)
{
	char text[80];

	snprintf(text, sizeof(text), "c00c 000c 0001 0000003c 0011 <h%05u.host.net>", i);
	return hex_read(text, at, 40);
}

/*
 * Writing a message is bounded work: 64 KiB of honest records are well within it; of long names
 * that are hard to find among those written there comes an end, with TC.
 */
START_TEST(crafted_names_are_bounded_work)
{
	size_t len = hex_read(HEAD_1_ANSWER "<www.example.com>" A_IN, in2, sizeof(in2));
	uint16_t n = 0;
	struct build b;
	struct msg m;

	for (; len + 40 < sizeof(in2); n++)
		len += write_ptr(in2 + len, n);
	wire_set_u16(in2 + 6, n);
	ck_assert_int_eq(msg_parse(&m, in2, len), MSG_OK);
	start(&b, "www.example.com", sizeof(out));
	copy_all(&b, MSG_ANSWER, &m, MSG_ANSWER);
	ck_assert(!b.w.full);
	ck_assert_uint_eq(b.count[MSG_ANSWER], n);
	ck_assert_uint_gt(b.left, BUILD_WORK(sizeof(out)) / 8);

	/* As many of them as a datagram can hold. */
	start(&b, "www.example.com", 4096);
	struct msg_walk w = msg_walk(&m, MSG_ANSWER);
	struct rr rr;
	while (msg_walk_next(&w, &rr) && build_copy(&b, MSG_ANSWER, &m, &rr, 60))
		continue;
	ck_assert_uint_gt(b.left, BUILD_WORK(4096) / 8);
	ck_assert_uint_gt(b.w.len, 4096 - 30);

	/* Each has an owner of 100 labels, which is one that was written. */
	char text[260] = "c00c 0001 0001 0000003c 0000";
	len = hex_read(HEAD_1_ANSWER "<www.example.com>" A_IN, in2, sizeof(in2));
	size_t first = len;
	for (unsigned i = 0; i < 100; i++)
		len += hex_read("01 61", in2 + len, 2);
	len += hex_read("00 0001 0001 0000003c 0000", in2 + len, 20);
	for (n = 1; len + 12 < sizeof(in2); n++) {
		len += hex_read(text, in2 + len, 20);
		wire_set_u16(in2 + len - 12, (uint16_t)(0xc000 | first));
	}
	wire_set_u16(in2 + 6, n);
	ck_assert_int_eq(msg_parse(&m, in2, len), MSG_OK);
	start(&b, "www.example.com", sizeof(out));
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr))
		(void)!build_copy(&b, MSG_ANSWER, &m, &rr, 60);
	ck_assert_uint_eq(b.left, 0);
	ck_assert(b.w.full);
	ck_assert_uint_lt(b.count[MSG_ANSWER] * 2U, n);
	message_sound(&m, out, build_finish(&b, DNS_MSG_MAX, &no_opt), DNS_MSG_MAX);
	ck_assert_uint_eq(m.flags & DNS_TC, DNS_TC);
}
END_TEST

/* Full by a missing answer, nothing more goes in, even where it would not count. */
START_TEST(full_message_takes_no_more)
{
	struct build b;
	struct msg m;

	start(&b, "www.example.com", 600);
	put_txt(&b, MSG_ANSWER, 500);
	ck_assert(!build_rr(&b, MSG_ANSWER, (const uint8_t *)"", DNS_TYPE_TXT, 1, 0, in, 500));
	ck_assert(!build_rr(&b, MSG_AUTHORITY, (const uint8_t *)"", DNS_TYPE_TXT, 1, 0, in, 1));
	ck_assert(!build_rr(&b, MSG_ADDITIONAL, (const uint8_t *)"", DNS_TYPE_TXT, 1, 0, in, 1));
	ck_assert(b.w.full);
	message_sound(&m, out, build_finish(&b, 600, &no_opt), 600);
	ck_assert_uint_eq(m.flags & DNS_TC, DNS_TC);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
}
END_TEST

/* 127 labels, the longest name, as question and as owner. */
START_TEST(longest_names_are_written)
{
	uint8_t name[DNS_NAME_MAX + 1];
	struct build b;
	struct msg m;
	size_t len;

	for (size_t i = 0; i < 127; i++)
		memcpy(name + 2 * i, "\1a", 2);
	name[254] = 0;
	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 0x1234,
		.flags = DNS_QR,
		.qname = name,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
	name[1] = 'b';
	ck_assert(build_rr_name(&b, MSG_ANSWER, name, DNS_TYPE_CNAME, DNS_CLASS_IN, 0, name));
	for (size_t i = 0; i < 127; i++)
		name[2 * i + 1] = 'c';
	ck_assert(build_rr_name(&b, MSG_ANSWER, name, DNS_TYPE_CNAME, DNS_CLASS_IN, 0, name));
	len = build_finish(&b, DNS_MSG_MAX, &no_opt);
	ck_assert_uint_eq(len, 12 + 259 + (4 + 10 + 2) + (255 + 10 + 2));
	message_sound(&m, out, len, DNS_MSG_MAX);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, rfc1035_4_1_4_owner, 0, (int)(sizeof(owners) / sizeof(owners[0])));
	tcase_add_test(tc, compression_is_made_anew_for_each_message);
	tcase_add_test(tc, message_without_question_has_no_pointer_to_it);
	tcase_add_test(tc, rfc4343_name_of_other_case_is_no_target);
	tcase_add_loop_test(tc, rfc3597_4_rdata, 0, (int)(sizeof(rdatas) / sizeof(rdatas[0])));
	tcase_add_loop_test(
	    tc, rdlength_that_lies_writes_nothing, 0, (int)(sizeof(lies) / sizeof(lies[0])));
	tcase_add_test(tc, malformed_owner_writes_nothing);
	tcase_add_test(tc, records_of_our_own_are_written);
	tcase_add_test(tc, a_becomes_aaaa_with_its_owner);
	tcase_add_test(tc, suffixes_over_the_limit_are_written_out);
	tcase_add_test(tc, rfc1035_4_1_4_reach);
	tcase_add_loop_test(tc, record_without_room_leaves_nothing, 0,
	    (int)(sizeof(sections) / sizeof(sections[0])));
	tcase_add_test(tc, full_message_takes_no_more);
	tcase_add_loop_test(tc, closed_section_takes_no_more, 0, 3);
	tcase_add_test(tc, malformed_does_not_close);
	tcase_add_test(tc, crafted_names_are_bounded_work);
	tcase_add_test(tc, longest_names_are_written);
}
