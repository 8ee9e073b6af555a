/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 1035 section 4, RFC 6891 section 6.1, RFC 8914 section 2, RFC 9267. */

#include "dns/msg.h"

#include <stdio.h>
#include <string.h>

#include "dns/wire.h"
#include "support/guard.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define QUESTION "<www.example.com> 0001 0001" /* offsets 12-33 */
#define REST " 0001 0000003c 0004 c0000201"    /* class to address of an A record */

/* Parse TEXT (support/hex.h), ending at the unreadable page. */
static enum msg_verdict
parse(struct msg *m, const char *text)
{
	uint8_t bytes[4096];
	size_t len = hex_read(text, bytes, sizeof(bytes));

	return msg_parse(m, guard_put(&guard, bytes, len), len);
}

/* All kinds of records: 2 answers, 1 authority, 2 additional with the OPT last. */
static const char *const full =
    "1234 8583 0001 0002 0001 0002" QUESTION "@33. c00c 0005 0001 00000e10 0006 {web}c010"
    "@51. c02d 0001 0001 80000001 0004 c0000201"
    "@67. c010 0006 0001 00000384 0018 c010 c010 00000001 00000002 00000003 00000004 00000005"
    "@103. {ns}c010 0001 0001 0000003c 0004 c0000202"
    "@122. 00 0029 04d0 01 00 8000 0006 000f 0002 0016 @139.";

START_TEST(every_field_of_a_message_is_read)
{
	struct msg m;

	ck_assert_int_eq(parse(&m, full), MSG_OK);
	ck_assert_uint_eq(m.len, 139);
	ck_assert_uint_eq(m.id, 0x1234);
	ck_assert_uint_eq(m.flags, 0x8583);
	ck_assert_uint_eq(m.rcode, 0x13); /* upper 8 bits from the OPT (RFC 6891 section 6.1.3) */
	ck_assert_uint_eq(m.qdcount, 1);
	ck_assert_uint_eq(m.qtype, DNS_TYPE_A);
	ck_assert_uint_eq(m.qclass, DNS_CLASS_IN);
	ck_assert_uint_eq(m.qname_len, 17);
	ck_assert_mem_eq(msg_qname(&m), "\3www\7example\3com", 17);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 2);
	ck_assert_uint_eq(m.count[MSG_AUTHORITY], 1);
	ck_assert_uint_eq(m.count[MSG_ADDITIONAL], 2);
	ck_assert_uint_eq(m.at[MSG_ANSWER], 33);
	ck_assert_uint_eq(m.at[MSG_AUTHORITY], 67);
	ck_assert_uint_eq(m.at[MSG_ADDITIONAL], 103);
	ck_assert(!m.signature);
	ck_assert(m.edns.present);
	ck_assert(m.edns.do_bit);
	ck_assert_uint_eq(m.edns.version, 0);
	ck_assert_uint_eq(m.edns.bufsize, 1232);
	ck_assert_uint_eq(m.edns.at, 122);
	ck_assert_uint_eq(m.edns.end, 139);
	ck_assert_uint_eq(m.edns.options_len, 6);
	ck_assert_ptr_eq(m.edns.options, m.bytes + 133);
	ck_assert_uint_eq(msg_ede(&m), 22);
}
END_TEST

START_TEST(records_are_read_in_turn)
{
	static const uint16_t types[] = { DNS_TYPE_CNAME, DNS_TYPE_A, DNS_TYPE_SOA, DNS_TYPE_A,
		DNS_TYPE_OPT };
	unsigned seen = 0;
	struct msg m;
	struct rr rr;

	ck_assert_int_eq(parse(&m, full), MSG_OK);
	for (unsigned s = MSG_ANSWER; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(&m, (enum msg_section)s);

		while (msg_walk_next(&w, &rr))
			ck_assert_uint_eq(rr.type, types[seen++]);
	}
	ck_assert_uint_eq(seen, N_OF(types));
	struct msg_walk w = msg_walk_all(&m);
	for (seen = 0; msg_walk_next(&w, &rr); seen++)
		ck_assert_uint_eq(rr.type, types[seen]);
	ck_assert_uint_eq(seen, N_OF(types));
	ck_assert(!msg_walk_next(&w, &rr));
}
END_TEST

/* Sections that are empty, an OPT in the middle, and no question. */
START_TEST(walk_visits_each_record_once)
{
	static const uint16_t additional[] = { DNS_TYPE_A, DNS_TYPE_OPT, DNS_TYPE_AAAA };
	struct msg_walk w;
	struct rr rr;
	struct msg m;

	ck_assert_int_eq(parse(&m,
			     "0000 8000 0000 0000 0000 0003 00 0001" REST
			     "00 0029 04d0 00000000 0000 00 001c 0001 0000003c 0000"),
	    MSG_OK);
	w = msg_walk(&m, MSG_ANSWER);
	ck_assert(!msg_walk_next(&w, &rr));
	ck_assert(!msg_walk_next(&w, &rr));
	w = msg_walk(&m, MSG_AUTHORITY);
	ck_assert(!msg_walk_next(&w, &rr));
	w = msg_walk(&m, MSG_ADDITIONAL);
	for (unsigned i = 0; i < N_OF(additional); i++) {
		ck_assert(msg_walk_next(&w, &rr));
		ck_assert_uint_eq(rr.type, additional[i]);
		ck_assert_uint_eq(w.left, N_OF(additional) - i - 1);
	}
	ck_assert_uint_eq(rr.end, m.len);
	ck_assert(!msg_walk_next(&w, &rr));
	w = msg_walk_all(&m);
	for (unsigned i = 0; i < N_OF(additional); i++) {
		ck_assert(msg_walk_next(&w, &rr));
		ck_assert_uint_eq(rr.type, additional[i]);
	}
	ck_assert(!msg_walk_next(&w, &rr));
	ck_assert_int_eq(parse(&m, "0000 8000 0001 0000 0000 0000" QUESTION), MSG_OK);
	w = msg_walk_all(&m);
	ck_assert(!msg_walk_next(&w, &rr));
}
END_TEST

/* A walk ends with the message, whatever its counts say; the guard page is behind it. */
START_TEST(walk_ends_with_message)
{
	struct msg_walk w;
	struct msg m;
	struct rr rr;

	ck_assert_int_eq(parse(&m, full), MSG_OK);
	m.count[MSG_ADDITIONAL] = UINT16_MAX;
	w = msg_walk(&m, MSG_ADDITIONAL);
	ck_assert(msg_walk_next(&w, &rr));
	ck_assert(msg_walk_next(&w, &rr));
	ck_assert_uint_eq(rr.end, m.len);
	ck_assert(!msg_walk_next(&w, &rr));
	/* Nor is a record read that runs out of it. */
	ck_assert(msg_record(&m, m.edns.at, &rr));
	ck_assert_uint_eq(rr.type, DNS_TYPE_OPT);
	for (size_t len = m.edns.at; len < m.edns.end; len++) {
		m.len = len;
		ck_assert(!msg_record(&m, m.edns.at, &rr));
	}
}
END_TEST

struct soa_case {
	const char *rdata; /* with its length */
	uint32_t ttl;
	bool sound;
};

/* RFC 2308 section 5: the smaller of 900 s, the record's TTL, and MINIMUM. */
static const struct soa_case soa_cases[] = {
	{ "0016 00 00 00000001 00000002 00000003 00000004 00000383", 899, true },
	{ "0016 00 00 00000001 00000002 00000003 00000004 00000384", 900, true },
	{ "0016 00 00 00000001 00000002 00000003 00000004 00000385", 900, true },
	{ "0016 00 00 00000001 00000002 00000003 00000004 ffffffff", 900, true },
	{ "001b c010 {ns}c010 00000001 00000002 00000003 00000004 00000000", 0, true },
	{ "0000", 0, false },
	{ "0001 00", 0, false },
	{ "0002 00 00", 0, false },
	{ "0015 00 00 00000001 00000002 00000003 00000004 000003", 0, false },
	{ "0017 00 00 00000001 00000002 00000003 00000004 00000384 00", 0, false },
	{ "0016 c010 40 00000001 00000002 00000003 00000004 000384", 0, false },
	{ "0002 3f'a'", 0, false },
};

START_TEST(soa_gives_negative_ttl)
{
	const struct soa_case *c = &soa_cases[_i];
	uint32_t ttl = 12345;
	char text[256];
	struct rr rr;
	struct msg m;

	snprintf(text, sizeof(text),
	    "0000 8000 0001 0000 0001 0000" QUESTION "c010 0006 0001 00000384 %s", c->rdata);
	ck_assert_int_eq(parse(&m, text), MSG_OK);
	rr = message_record(&m, MSG_AUTHORITY, 0);
	ck_assert_int_eq(msg_soa(&m, &rr, &ttl), c->sound);
	ck_assert_uint_eq(ttl, c->sound ? c->ttl : 12345);
}
END_TEST

struct owner_case {
	const char *owner;
	size_t to; /* 0: not a pointer */
	bool in_question;
};

/* The question's labels begin at 12, 16, 24 and 28. */
static const struct owner_case owner_cases[] = {
	{ "c00c", 12, true },
	{ "c00d", 13, false },
	{ "c010", 16, true },
	{ "c018", 24, true },
	{ "c01c", 28, true },
	{ "c01d", 29, false },
	{ "c020", 32, false },
	{ "<www.example.com>", 0, false },
	{ "{www}c010", 0, false },
	{ "00", 0, false },
};

START_TEST(owner_that_is_a_pointer_is_told)
{
	const struct owner_case *c = &owner_cases[_i];
	char text[256];
	struct rr rr;
	struct msg m;

	snprintf(
	    text, sizeof(text), "0000 8000 0001 0001 0000 0000" QUESTION "%s 0001" REST, c->owner);
	ck_assert_int_eq(parse(&m, text), MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	for (size_t to = DNS_HEADER_LEN; to < m.len; to++)
		ck_assert_int_eq(msg_owner_points_to(&m, &rr, to), to == c->to);
	ck_assert_int_eq(msg_owner_in_question(&m, &rr), c->in_question);
}
END_TEST

struct svcb_case {
	const char *rr; /* behind the type and class */
	const char *target;
};

/* RFC 9460 sections 2.4.3 and 2.5. */
static const struct svcb_case svcb_cases[] = {
	{ "000c 0001 {a}{b}{c}{d}{e}", NULL },
	{ "0007 0001 <svc>", "\3svc" },
	{ "0003 0001 00", "\3www\7example\3com" },
	{ "0007 0000 <svc>", NULL },
	{ "0002 0001", NULL },
	{ "0001 00", NULL },
	{ "0000", NULL },
};

START_TEST(svcb_target_in_service_mode)
{
	const struct svcb_case *c = &svcb_cases[_i];
	uint8_t name[DNS_NAME_MAX];
	char text[256];
	struct rr rr;
	struct msg m;

	snprintf(text, sizeof(text),
	    "0000 8000 0001 0001 0000 0000" QUESTION "c00c 0041 0001 0000003c %s", c->rr);
	ck_assert_int_eq(parse(&m, text), MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	if (c->target == NULL) {
		ck_assert_uint_eq(msg_target(&m, &rr, name), 0);
	} else {
		ck_assert_uint_eq(msg_target(&m, &rr, name), strlen(c->target) + 1);
		ck_assert_mem_eq(name, c->target, strlen(c->target) + 1);
	}
}
END_TEST

/* Where the names of other types stand: behind none, two or six bytes. */
START_TEST(target_stands_where_the_type_has_it)
{
	static const char *const rrs[] = { "0005 0001 0000003c 0005 <svc>",
		"000f 0001 0000003c 0007 000a <svc>",
		"0021 0001 0000003c 000b 0000 0000 0035 <svc>" };
	uint8_t name[DNS_NAME_MAX];
	char text[256];
	struct rr rr;
	struct msg m;

	for (size_t i = 0; i < N_OF(rrs); i++) {
		snprintf(
		    text, sizeof(text), "0000 8000 0001 0001 0000 0000" QUESTION "c00c %s", rrs[i]);
		ck_assert_int_eq(parse(&m, text), MSG_OK);
		rr = message_record(&m, MSG_ANSWER, 0);
		ck_assert_uint_eq(msg_target(&m, &rr, name), 5);
		ck_assert_mem_eq(name, "\3svc", 5);
	}
}
END_TEST

START_TEST(moved_message_borrows_the_copy)
{
	uint8_t copy[512];
	struct msg m;

	ck_assert_int_eq(parse(&m, full), MSG_OK);
	memcpy(copy, m.bytes, m.len);
	msg_move(&m, copy);
	ck_assert_ptr_eq(m.bytes, copy);
	ck_assert_ptr_eq(m.edns.options, copy + 133);
	ck_assert_uint_eq(msg_ede(&m), 22);
	ck_assert_int_eq(parse(&m, "0000 8000 0001 0000 0000 0000" QUESTION), MSG_OK);
	msg_move(&m, copy);
	ck_assert_ptr_eq(m.bytes, copy);
	ck_assert_ptr_null(m.edns.options);
}
END_TEST

START_TEST(rrsig_says_what_it_covers)
{
	struct rr rr;
	struct msg m;

	ck_assert_int_eq(parse(&m,
			     "0000 8000 0001 0002 0000 0000" QUESTION
			     "c00c 002e 0001 0000003c 0002 001c c00c 002e 0001 0000003c 0001 00"),
	    MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert_uint_eq(msg_rrsig_covers(&m, &rr), DNS_TYPE_AAAA);
	rr = message_record(&m, MSG_ANSWER, 1);
	ck_assert_uint_eq(msg_rrsig_covers(&m, &rr), 0);
}
END_TEST

START_TEST(every_field_of_a_record_is_read)
{
	uint8_t name[DNS_NAME_MAX];
	struct rr rr;
	struct msg m;

	ck_assert_int_eq(parse(&m, full), MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.at, 33);
	ck_assert_uint_eq(rr.fixed, 35);
	ck_assert_uint_eq(rr.rdata, 45);
	ck_assert_uint_eq(rr.rdlen, 6);
	ck_assert_uint_eq(rr.end, 51);
	ck_assert_uint_eq(rr.class, DNS_CLASS_IN);
	ck_assert_uint_eq(rr.ttl, 3600);
	ck_assert_uint_eq(msg_owner(&m, &rr, name), 17);
	ck_assert_mem_eq(name, "\3www\7example\3com", 17);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 0, name), 17);
	ck_assert_mem_eq(name, "\3web\7example\3com", 17);
	rr = message_record(&m, MSG_ANSWER, 1);
	/* RFC 2181 section 8 sees 0 here; what to make of it is not the parser's to say (D22). */
	ck_assert_uint_eq(rr.ttl, 0x80000001);
}
END_TEST

START_TEST(rdata_name_ends_inside)
{
	uint8_t name[DNS_NAME_MAX];
	struct rr rr;
	struct msg m;

	/* The name goes on in the next record's owner. */
	ck_assert_int_eq(parse(&m,
			     "0000 8000 0001 0002 0000 0000" QUESTION
			     "c00c 0005 0001 0000003c 0002 01'b' 00 0001" REST),
	    MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 0, name), 0);
	/* No RDATA at all, and an offset behind it. */
	ck_assert_int_eq(
	    parse(&m, "0000 8000 0001 0001 0000 0000" QUESTION "c00c 0005 0001 0000003c 0000"),
	    MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 0, name), 0);
	ck_assert_int_eq(parse(&m, full), MSG_OK);
	rr = message_record(&m, MSG_ANSWER, 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 6, name), 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, SIZE_MAX, name), 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 4, name), 13);
	/* The SOA's second name. */
	rr = message_record(&m, MSG_AUTHORITY, 0);
	ck_assert_uint_eq(msg_rdata_name(&m, &rr, 2, name), 13);
}
END_TEST

/* A good message cut anywhere is short or malformed, and what was sound of it is told. */
START_TEST(truncated_at_every_byte)
{
	uint8_t bytes[512];
	size_t len = hex_read(full, bytes, sizeof(bytes));
	size_t cut = (size_t)_i;
	struct msg m;
	struct msg_walk w;
	struct rr rr;

	ck_assert_uint_eq(len, 139);
	ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, cut), cut),
	    cut < 12 ? MSG_SHORT : MSG_MALFORMED);
	ck_assert_uint_eq(m.qname_len, cut < 33 ? 0 : 17);
	ck_assert_uint_eq(m.qtype, cut < 33 ? 0 : DNS_TYPE_A);
	ck_assert_uint_eq(m.id, cut < 12 ? 0 : 0x1234);
	w = msg_walk_all(&m);
	ck_assert(!msg_walk_next(&w, &rr));
}
END_TEST

/* RFC 9267 section 5: each count said one too high, one too low, and 65,535. Incidents: RFC9267. */
START_TEST(counts_that_lie_are_malformed)
{
	uint8_t bytes[512];
	size_t len = hex_read(full, bytes, sizeof(bytes));
	struct msg m;

	for (size_t at = 7; at <= 11; at += 2) {
		uint8_t good = bytes[at];

		bytes[at] = (uint8_t)(good + 1);
		ck_assert_int_ne(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_OK);
		bytes[at] = (uint8_t)(good - 1);
		ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_MALFORMED);
		bytes[at - 1] = 0xff;
		bytes[at] = 0xff;
		ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_MALFORMED);
		bytes[at - 1] = 0;
		bytes[at] = good;
	}
	ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_OK);
}
END_TEST

/* RFC 9267 section 4: every RDLENGTH, of the message's only record, but the right one. */
START_TEST(rdlength_that_lies)
{
	uint8_t bytes[512];
	size_t len = hex_read(
	    "0000 8000 0001 0001 0000 0000" QUESTION "c00c 0001" REST, bytes, sizeof(bytes));
	const uint8_t *msg;
	struct msg m;

	for (unsigned v = 0; v <= 0xffff; v++) {
		bytes[len - 6] = (uint8_t)(v >> 8);
		bytes[len - 5] = (uint8_t)(v & 0xff);
		msg = guard_put(&guard, bytes, len);
		ck_assert_int_eq(msg_parse(&m, msg, len), v == 4 ? MSG_OK : MSG_MALFORMED);
	}
}
END_TEST

/* The header's rcode alone, when no OPT adds to it; the bits between are nobody's business. */
START_TEST(every_header_bit)
{
	unsigned bit = 1U << _i;
	uint8_t bytes[64];
	size_t len = hex_read("0000 0000 0001 0000 0000 0000" QUESTION, bytes, sizeof(bytes));
	struct msg m;

	bytes[2] = (uint8_t)(bit >> 8);
	bytes[3] = (uint8_t)(bit & 0xff);
	ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_OK);
	ck_assert_uint_eq(m.flags, bit);
	ck_assert_uint_eq(m.rcode, bit & DNS_RCODE);
	ck_assert(!m.edns.present);
	ck_assert_uint_eq(msg_ede(&m), DNS_EDE_NONE);
}
END_TEST

struct verdict_case {
	const char *msg;
	enum msg_verdict verdict;
};

static const struct verdict_case verdict_cases[] = {
	{ "", MSG_SHORT },
	{ "0000 0100 0001 0000 0000 00", MSG_SHORT },
	/* No question (RFC 7873 section 5.4; FORMERR of old servers, RULES D1). */
	{ "0000 8001 0000 0000 0000 0000", MSG_OK },
	{ "0000 8001 0000 0000 0000 0000 00", MSG_MALFORMED },
	{ "0000 0100 0002 0000 0000 0000" QUESTION QUESTION, MSG_QDCOUNT },
	{ "0000 0100 ffff 0000 0000 0000", MSG_QDCOUNT },
	{ "0000 0100 0001 0000 0000 0000" QUESTION, MSG_OK },
	{ "0000 0100 0001 0000 0000 0000 <> 0001 0001", MSG_OK },
	{ "0000 0100 0001 0000 0000 0000" QUESTION "00", MSG_MALFORMED },
	/* Nothing precedes the question that it could point to. */
	{ "0000 0100 0001 0000 0000 0000 c00c 0001 0001", MSG_MALFORMED },
	{ "0000 0100 0001 0000 0000 0000 {www}c000 0001 0001", MSG_MALFORMED },
	{ "0000 0100 0001 0000 0000 0000 40 0001 0001", MSG_MALFORMED },
	{ "0000 0100 0001 0000 0000 0000 80 0001 0001", MSG_MALFORMED },
	/* Owners: forward, to itself, into the header, behind the end, wrong label type. */
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c00c 0001" REST, MSG_OK },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c01d 0001" REST, MSG_OK },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c021 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c023 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "{a}c021 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "{a}c023 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c00b 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "c000 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "ffff 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "41'a'00 0001" REST, MSG_MALFORMED },
	{ "0000 8000 0001 0001 0000 0000" QUESTION "3f'a'00 0001" REST, MSG_MALFORMED },
	/* RFC 6891 section 6.1.1: where an OPT may stand and how. */
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0000", MSG_OK },
	{ "0000 0100 0001 0001 0000 0000" QUESTION "00 0029 1000 00000000 0000", MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0001 0000" QUESTION "00 0029 1000 00000000 0000", MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "c00c 0029 1000 00000000 0000", MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "<a> 0029 1000 00000000 0000", MSG_BAD_OPT },
	/* The root by way of a pointer is no root to RFC 6891's "MUST be 0". */
	{ "0000 0100 0001 0000 0000 0001" QUESTION "c01c 0029 1000 00000000 0000", MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0002" QUESTION "00 0029 1000 00000000 0000"
	  "00 0029 1000 00000000 0000",
	    MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0001 0001" QUESTION "00 0029 1000 00000000 0000"
	  "00 0029 1000 00000000 0000",
	    MSG_BAD_OPT },
	/* Not the last record: RFC 6891 section 6.1.1 allows it. */
	{ "0000 0100 0001 0000 0000 0002" QUESTION "00 0029 1000 00000000 0000 c00c 0001" REST,
	    MSG_OK },
	/* RFC 6891 section 6.1.2: options that do not fill the RDATA. */
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0004 000a 0000", MSG_OK },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0004 000a 0001",
	    MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0004 000a ffff",
	    MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0001 00", MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0003 000a00",
	    MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0007 000a 0000 000a00",
	    MSG_BAD_OPT },
	{ "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0009"
	  "000a 0001 ff 000b 0000",
	    MSG_OK },
	/* A bad OPT in a message whose framing is bad as well. */
	{ "0000 0100 0001 0000 0000 0001" QUESTION "c00c 0029 1000 00000000 0000 00",
	    MSG_MALFORMED },
};

START_TEST(malformed_messages_have_their_verdict)
{
	const struct verdict_case *c = &verdict_cases[_i];
	struct msg m;

	ck_assert_int_eq(parse(&m, c->msg), c->verdict);
	if (c->verdict != MSG_SHORT)
		ck_assert_uint_eq(m.flags, wire_u16(m.bytes + 2));
}
END_TEST

/* What an error answer needs of a message that was refused (RULES 28). */
START_TEST(bad_opt_keeps_question_and_opt)
{
	struct msg m;

	ck_assert_int_eq(parse(&m,
			     "abcd 0100 0001 0000 0000 0002" QUESTION
			     "00 0029 1000 00008000 0000 00 0029 0200 05000000 0000"),
	    MSG_BAD_OPT);
	ck_assert_uint_eq(m.id, 0xabcd);
	ck_assert_uint_eq(m.qname_len, 17);
	ck_assert(m.edns.present);
	ck_assert_uint_eq(m.edns.bufsize, 0x1000);
	ck_assert_uint_eq(m.rcode, 0);
	ck_assert_int_eq(
	    parse(&m,
		"abcd 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0004 000a 0001"),
	    MSG_BAD_OPT);
	ck_assert(m.edns.present);
	ck_assert_uint_eq(m.edns.options_len, 0);
	ck_assert_uint_eq(msg_ede(&m), DNS_EDE_NONE);
}
END_TEST

/* RFC 6891 section 6.1.3: a later version is answered with BADVERS whatever its options are. */
START_TEST(later_edns_version_is_told)
{
	struct msg m;

	ck_assert_int_eq(
	    parse(
		&m, "0000 0100 0001 0000 0000 0001" QUESTION "00 0029 1000 00 01 0000 0003 ffffff"),
	    MSG_OK);
	ck_assert(m.edns.present);
	ck_assert_uint_eq(m.edns.version, 1);
	ck_assert_uint_eq(m.edns.options_len, 0);
	ck_assert_uint_eq(msg_ede(&m), DNS_EDE_NONE);
}
END_TEST

/* The 12 bits of the rcode (RULES D1), every upper half. */
START_TEST(rcode_has_twelve_bits)
{
	uint8_t bytes[64];
	size_t len = hex_read("0000 8005 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000 0000",
	    bytes, sizeof(bytes));
	struct msg m;

	bytes[38] = (uint8_t)_i;
	ck_assert_int_eq(msg_parse(&m, guard_put(&guard, bytes, len), len), MSG_OK);
	ck_assert_uint_eq(m.rcode, (unsigned)_i << 4 | 5);
	ck_assert(!m.edns.do_bit);
}
END_TEST

struct ede_case {
	const char *rdata; /* RDLENGTH and options */
	uint16_t ede;
	uint16_t dnssec; /* the first that tells of DNSSEC (RULES D3) */
};

static const struct ede_case ede_cases[] = {
	{ "0000", DNS_EDE_NONE, DNS_EDE_NONE },
	{ "0004 000a 0000", DNS_EDE_NONE, DNS_EDE_NONE },
	{ "0006 000f 0002 0000", DNS_EDE_OTHER, DNS_EDE_NONE },
	{ "000a 000f 0006 0016 'text'", 22, DNS_EDE_NONE },
	{ "000c 000a 0002 000f 000f 0002 0006", DNS_EDE_BOGUS, DNS_EDE_BOGUS },
	{ "000c 000f 0002 0017 000f 0002 0006", DNS_EDE_NETWORK_ERROR, DNS_EDE_BOGUS },
	{ "0012 000f 0002 0004 000f 0002 001b 000f 0002 0001", 4, DNS_EDE_NSEC3_ITERATIONS },
	/* Without an info code it says nothing; the next one does. */
	{ "0004 000f 0000", DNS_EDE_NONE, DNS_EDE_NONE },
	{ "0005 000f 0001 06", DNS_EDE_NONE, DNS_EDE_NONE },
	{ "000b 000f 0001 06 000f 0002 0006", DNS_EDE_BOGUS, DNS_EDE_BOGUS },
};

START_TEST(extended_error_is_found)
{
	char text[256];
	struct msg m;

	strcpy(text, "0000 8000 0001 0000 0000 0001" QUESTION "00 0029 1000 00000000");
	strcat(text, ede_cases[_i].rdata);
	ck_assert_int_eq(parse(&m, text), MSG_OK);
	ck_assert_uint_eq(msg_ede(&m), ede_cases[_i].ede);
	ck_assert_uint_eq(msg_ede_dnssec(&m), ede_cases[_i].dnssec);
}
END_TEST

struct signature_case {
	const char *additional; /* count and records */
	bool signature;
};

/* RULES D20: TSIG (RFC 8945 section 5.1) and SIG(0) (RFC 2931 section 3), as last record. */
static const struct signature_case signature_cases[] = {
	{ "0000" QUESTION, false },
	{ "0001" QUESTION "<key> 00fa 00ff 00000000 0000", true },
	{ "0002" QUESTION "00 0029 1000 00000000 0000 <key> 00fa 00ff 00000000 0000", true },
	{ "0002" QUESTION "<key> 00fa 00ff 00000000 0000 00 0029 1000 00000000 0000", false },
	{ "0001" QUESTION "00 0018 00ff 00000000 0002 0000", true },
	{ "0001" QUESTION "00 0018 00ff 00000000 0002 0001", false },
	{ "0001" QUESTION "00 0018 00ff 00000000 0001 00", false },
	{ "0001" QUESTION "00 0018 00ff 00000000 0000", false },
};

START_TEST(signature_is_found_at_the_end)
{
	char text[256];
	struct msg m;

	strcpy(text, "0000 0100 0001 0000 0000");
	strcat(text, signature_cases[_i].additional);
	ck_assert_int_eq(parse(&m, text), MSG_OK);
	ck_assert_int_eq(m.signature, signature_cases[_i].signature);
}
END_TEST

/* The same records in another section are records like others. */
START_TEST(signature_only_in_additional)
{
	struct msg m;

	ck_assert_int_eq(
	    parse(&m, "0000 0100 0001 0001 0000 0000" QUESTION "<key> 00fa 00ff 00000000 0000"),
	    MSG_OK);
	ck_assert(!m.signature);
}
END_TEST

/* 65,535 bytes of the smallest records there are: as many as were counted, and no more. */
START_TEST(largest_message_has_all_its_records)
{
	static uint8_t bytes[DNS_MSG_MAX];
	size_t n = (DNS_MSG_MAX - DNS_HEADER_LEN) / 11;
	size_t len = DNS_HEADER_LEN + n * 11;
	const uint8_t *msg;
	unsigned seen = 0;
	struct msg_walk w;
	struct rr rr;
	struct msg m;

	bytes[6] = (uint8_t)(n >> 8);
	bytes[7] = (uint8_t)(n & 0xff);
	msg = guard_put(&guard, bytes, len);
	ck_assert_int_eq(msg_parse(&m, msg, len), MSG_OK);
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr))
		seen++;
	ck_assert_uint_eq(seen, n);
}
END_TEST

struct plain_case {
	const char *text;
	bool plain;
};

#define TEST_SOA "0006 0001 00000384 0018 c010 c010 00000001 00000002 00000003 00000004 00000005"

static const struct plain_case plain_cases[] = {
	{ "0000 8183 0001 0000 0000 0000" QUESTION, true },
	{ "0000 8180 0001 0001 0000 0000" QUESTION "c00c 0001" REST, true },
	{ "0000 85a0 0001 0002 0000 0000" QUESTION "c00c 0001" REST "c010 0001" REST, true },
	{ "0000 8183 0001 0000 0001 0000" QUESTION "c010" TEST_SOA, true },
	/* Two sections, another one, labels in an owner, DNAME, no question. */
	{ "0000 8180 0001 0001 0001 0000" QUESTION "c00c 0001" REST "c010" TEST_SOA, false },
	{ "0000 8180 0001 0001 0000 0001" QUESTION "c00c 0001" REST "c010 0001" REST, false },
	{ "0000 8180 0001 0000 0000 0001" QUESTION "c00c 0001" REST, false },
	{ "0000 8180 0001 0001 0000 0000" QUESTION "<www.example.com> 0001" REST, false },
	{ "0000 8180 0001 0001 0000 0000" QUESTION "c010 0027 0001 0000003c 0002 c014", false },
	{ "0000 8180 0000 0000 0000 0000", false },
};

/* What msg_plain says of a message that is plain is what msg_parse does. */
START_TEST(plain_message_needs_no_walk)
{
	struct msg m, plain;

	ck_assert_int_eq(parse(&m, plain_cases[_i].text), MSG_OK);
	ck_assert_int_eq(msg_is_plain(&m), plain_cases[_i].plain);
	if (!plain_cases[_i].plain)
		return;
	msg_plain(&plain, m.bytes, m.len, m.qname_len);
	ck_assert_ptr_eq(plain.bytes, m.bytes);
	ck_assert_uint_eq(plain.len, m.len);
	ck_assert_uint_eq(plain.id, m.id);
	ck_assert_uint_eq(plain.flags, m.flags);
	ck_assert_uint_eq(plain.rcode, m.rcode);
	ck_assert_uint_eq(plain.qdcount, m.qdcount);
	ck_assert_uint_eq(plain.qtype, m.qtype);
	ck_assert_uint_eq(plain.qclass, m.qclass);
	ck_assert_uint_eq(plain.qname_len, m.qname_len);
	ck_assert_mem_eq(plain.count, m.count, sizeof(m.count));
	ck_assert_mem_eq(plain.at, m.at, sizeof(m.at));
	ck_assert(!plain.spelled && !plain.dname && !plain.signature && !plain.edns.present);
}
END_TEST

/* An OPT does not count, as the message is kept without it. */
START_TEST(plain_message_may_have_an_opt)
{
	struct msg m;

	ck_assert_int_eq(parse(&m,
			     "0000 8180 0001 0001 0000 0001" QUESTION "c00c 0001" REST
			     "00 0029 1000 00000000 0000"),
	    MSG_OK);
	ck_assert(msg_is_plain(&m));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, guard_setup, guard_teardown);
	tcase_add_test(tc, every_field_of_a_message_is_read);
	tcase_add_test(tc, records_are_read_in_turn);
	tcase_add_test(tc, walk_visits_each_record_once);
	tcase_add_test(tc, walk_ends_with_message);
	tcase_add_loop_test(tc, soa_gives_negative_ttl, 0, N_OF(soa_cases));
	tcase_add_loop_test(tc, owner_that_is_a_pointer_is_told, 0, N_OF(owner_cases));
	tcase_add_test(tc, target_stands_where_the_type_has_it);
	tcase_add_loop_test(tc, svcb_target_in_service_mode, 0, N_OF(svcb_cases));
	tcase_add_test(tc, moved_message_borrows_the_copy);
	tcase_add_test(tc, rrsig_says_what_it_covers);
	tcase_add_test(tc, every_field_of_a_record_is_read);
	tcase_add_test(tc, rdata_name_ends_inside);
	tcase_add_loop_test(tc, truncated_at_every_byte, 0, 139);
	tcase_add_test(tc, counts_that_lie_are_malformed);
	tcase_add_test(tc, rdlength_that_lies);
	tcase_add_loop_test(tc, every_header_bit, 0, 16);
	tcase_add_loop_test(tc, malformed_messages_have_their_verdict, 0, N_OF(verdict_cases));
	tcase_add_test(tc, largest_message_has_all_its_records);
	tcase_add_test(tc, bad_opt_keeps_question_and_opt);
	tcase_add_test(tc, later_edns_version_is_told);
	tcase_add_loop_test(tc, rcode_has_twelve_bits, 0, 256);
	tcase_add_loop_test(tc, extended_error_is_found, 0, N_OF(ede_cases));
	tcase_add_loop_test(tc, signature_is_found_at_the_end, 0, N_OF(signature_cases));
	tcase_add_test(tc, signature_only_in_additional);
	tcase_add_loop_test(tc, plain_message_needs_no_walk, 0, N_OF(plain_cases));
	tcase_add_test(tc, plain_message_may_have_an_opt);
}
