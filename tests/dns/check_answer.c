/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 1034 sections 3.6.2 and 4.3.2, RFC 2308 sections 2 and 5, RFC 6672; RULES D6, D22. */

#include "dns/answer.h"

#include <stdio.h>
#include <string.h>

#include "dns/name.h"
#include "support/guard.h"
#include "support/hex.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A reply about www.example.com A: counts of answer and authority; records begin at 33. */
#define REPLY(an, ns) "0000 8180 0001 " an " " ns " 0000 <www.example.com> 0001 0001"
#define TTL " 0000003c "
#define A4 " 0001 0001 0000003c 0004 c0000201"

static uint8_t bytes[DNS_MSG_MAX];

static void
scan_bytes(size_t len, uint16_t qtype, struct msg *m, struct answer *a)
{
	ck_assert_int_eq(msg_parse(m, guard_put(&guard, bytes, len), len), MSG_OK);
	/* What answer_scan leaves untouched must not look right by chance. */
	memset(a, 0xa5, sizeof(*a));
	answer_scan(m, qtype, a);
}

static void
scan(const char *text, uint16_t qtype, struct msg *m, struct answer *a)
{
	scan_bytes(hex_read(text, bytes, sizeof(bytes)), qtype, m, a);
}

struct scan_case {
	const char *msg;
	uint16_t qtype;
	enum answer_kind kind;
	unsigned n_steps;
	unsigned n_data;
	uint32_t ttl;
	const char *target;
	const char *on_chain; /* for each record of the answer: y or n */
};

static const struct scan_case plain_cases[] = {
	/* Nothing at all, and one, four records in the usual form. */
	{ REPLY("0000", "0000"), 1, ANSWER_OPEN, 0, 0, UINT32_MAX, "www.example.com", "" },
	{ REPLY("0001", "0000") "c00c" A4, 1, ANSWER_DATA, 0, 1, 60, "www.example.com", "y" },
	{ REPLY("0004", "0000") "c00c" A4 "c00c" A4 "c00c 0001 0001 00000005 0004 c0000203 c00c" A4,
	    1, ANSWER_DATA, 0, 4, 5, "www.example.com", "yyyy" },
	/* Owners spelled out, in other case, half compressed, by two pointers. */
	{ REPLY("0003", "0000") "<www.example.com>" A4 "<WWW.eXAMPLE.cOM>" A4 "{wWw}c010" A4, 1,
	    ANSWER_DATA, 0, 3, 60, "www.example.com", "yyy" },
	{ REPLY("0002", "0000") "c00c 0010 0001" TTL "0002 c00c @47. c02d" A4, 1, ANSWER_DATA, 0, 1,
	    60, "www.example.com", "yy" },
	/* Other owners, types, classes are not seen. */
	{ REPLY("0003", "0000") "<example.com>" A4 "<www.example.org>" A4 "<a.www.example.com>" A4,
	    1, ANSWER_OPEN, 0, 0, UINT32_MAX, "www.example.com", "nnn" },
	{ REPLY("0002", "0000") "c010" A4 "00" A4, 1, ANSWER_OPEN, 0, 0, UINT32_MAX,
	    "www.example.com", "nn" },
	{ REPLY("0001", "0000") "c00c" A4, 28, ANSWER_OPEN, 0, 0, UINT32_MAX, "www.example.com",
	    "y" },
	{ REPLY("0002", "0000") "c00c 0001 0003" TTL "0004 c0000201 c00c 0001 0001 00000007 0000",
	    1, ANSWER_DATA, 0, 1, 7, "www.example.com", "ny" },
	/* RULES D22: TTLs are unsigned and at most a week. */
	{ REPLY("0001", "0000") "c00c 0001 0001 80000000 0004 c0000201", 1, ANSWER_DATA, 0, 1,
	    604800, "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0001 0001 ffffffff 0004 c0000201", 1, ANSWER_DATA, 0, 1,
	    604800, "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0001 0001 00000000 0004 c0000201", 1, ANSWER_DATA, 0, 1, 0,
	    "www.example.com", "y" },
	/* ANY takes all that the name has; neither it nor CNAME is followed. */
	{ REPLY("0003", "0000") "c00c" A4 "c00c 0005 0001" TTL "0003 <a> <a>" A4, 255, ANSWER_DATA,
	    0, 2, 60, "www.example.com", "yyn" },
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0003 <a> <a>" A4, 5, ANSWER_DATA, 0, 1, 60,
	    "www.example.com", "yn" },
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0003 <a> c00c 0005 0001" TTL "0003 <b>", 5,
	    ANSWER_BROKEN, 0, 2, 60, "www.example.com", "yy" },
	/* A DNAME at the name itself is data and redirects nothing (RFC 6672 section 2.3). */
	{ REPLY("0001", "0000") "c00c 0027 0001" TTL "0003 <a>", 39, ANSWER_DATA, 0, 1, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0027 0001" TTL "0003 <a>", 1, ANSWER_OPEN, 0, 0, UINT32_MAX,
	    "www.example.com", "y" },
};

static const struct scan_case chain_cases[] = {
	/* In order and the other way round, with the TTL of the lowest. */
	{ REPLY(
	      "0003", "0000") "c00c 0005 0001 00000064 0006 {web}c010 @51. c02d 0005 0001 00000032"
			      "0007 <a.net> @70. c03f 0001 0001 00000096 0004 c0000201",
	    1, ANSWER_DATA, 2, 1, 50, "a.net", "yyy" },
	{ REPLY(
	      "0003", "0000") "<A.net> 0001 0001 00000014 0004 c0000201 <web.example.com> 0005"
			      "0001 00000032 0007 <a.NET> <www.Example.com> 0005 0001 00000064 0011"
			      "<WEB.example.com>",
	    1, ANSWER_DATA, 2, 1, 20, "a.net", "yyy" },
	/* To a name in the question, given by a pointer alone. */
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0002 c010 c010" A4, 1, ANSWER_DATA, 1, 1, 60,
	    "example.com", "yy" },
	/* To the root, which is the last byte of the message. */
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0001 00", 1, ANSWER_OPEN, 1, 0, 60, ".",
	    "y" },
	/* Open: the target has nothing here (RULES D6). */
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0003 <a>", 1, ANSWER_OPEN, 1, 0, 60, "a",
	    "y" },
	/* A CNAME off the chain and its data are not seen, nor what the chain does not reach. */
	{ REPLY("0004", "0000") "c00c 0005 0001" TTL "0003 <a> <a>" A4 "<b> 0005 0001" TTL
				"0003 <c> <c>" A4,
	    1, ANSWER_DATA, 1, 1, 60, "a", "yynn" },
	/* Records of other types on the way are no data: the signatures of the CNAME. */
	{ REPLY("0003", "0000") "c00c 0005 0001" TTL "0003 <a> c00c 002e 0001" TTL "0000 <a>" A4, 1,
	    ANSWER_DATA, 1, 1, 60, "a", "yyy" },
	/* A CNAME of another class is none. */
	{ REPLY("0002", "0000") "c00c 0005 0003" TTL "0003 <a> <a>" A4, 1, ANSWER_OPEN, 0, 0,
	    UINT32_MAX, "www.example.com", "nn" },
	/* What stands beside a CNAME by right is the answer (RFC 4034 sections 3 and 4)... */
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0003 <a> c00c 002e 0001" TTL "0000", 46,
	    ANSWER_DATA, 0, 1, 60, "www.example.com", "yy" },
	/* ... and the signature on the way does not spoil the one at the end. */
	{ REPLY("0004", "0000") "c00c 0005 0001" TTL "0003 <a> <a> 0005 0001" TTL "0003 <b>"
				"<a> 002e 0001" TTL "0000 <b> 002e 0001" TTL "0000",
	    46, ANSWER_DATA, 2, 1, 60, "b", "yyyy" },
};

static const struct scan_case broken_cases[] = {
	/* Loops. */
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0002 c00c", 1, ANSWER_BROKEN, 16, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0003 <a> <a> 0005 0001" TTL "0002 c00c", 1,
	    ANSWER_BROKEN, 16, 0, 60, "www.example.com", "yy" },
	/* RFC 1034 section 3.6.2: a CNAME is alone. Data at its name, at the start or later. */
	{ REPLY("0003", "0000") "c00c 0005 0001" TTL "0003 <a> c00c" A4 "<a>" A4, 1, ANSWER_BROKEN,
	    1, 1, 60, "a", "yyy" },
	{ REPLY("0002", "0000") "c00c" A4 "c00c 0005 0001" TTL "0003 <a>", 1, ANSWER_BROKEN, 1, 1,
	    60, "a", "yy" },
	{ REPLY("0004", "0000") "c00c 0005 0001" TTL "0003 <a> <a> 0005 0001" TTL "0003 <b>"
				"<b>" A4 "<A>" A4,
	    1, ANSWER_BROKEN, 2, 1, 60, "b", "yyyy" },
	/* Two CNAMEs at one name (RFC 2181 section 10.1). */
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0003 <a> c00c 0005 0001" TTL "0003 <b>", 1,
	    ANSWER_BROKEN, 0, 0, UINT32_MAX, "www.example.com", "yy" },
	/*
	 * Targets that are malformed: pointers forward, too short, too long, none, no end. The
	 * last good name stays.
	 */
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0002 c0ff", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0002 c02d", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0004 <a>00", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0000", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0001 c0", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0002", "0000") "c00c 0005 0001" TTL "0002 01'a' 00" A4, 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "yn" },
	{ REPLY("0001", "0000") "c00c 0005 0001" TTL "0002 41'a'", 1, ANSWER_BROKEN, 1, 0, 60,
	    "www.example.com", "y" },
};

static const struct scan_case dname_cases[] = {
	/* RFC 6672 section 3.1: with the CNAME made from it, which leads. */
	{ REPLY("0003", "0000") "c010 0027 0001 0000001e 0005 <net> c00c 0005 0001 00000028"
				"0009 <www.net> <www.net>" A4,
	    1, ANSWER_DATA, 1, 1, 30, "www.net", "yyy" },
	/* The CNAME before it. */
	{ REPLY("0003", "0000") "c00c 0005 0001 00000028 0009 <www.net> c010 0027 0001 0000001e"
				"0005 <net> <www.net>" A4,
	    1, ANSWER_DATA, 1, 1, 30, "www.net", "yyy" },
	/* Without it, as to a question from before RFC 6672 (section 3.4). */
	{ REPLY("0002", "0000") "<EXAMPLE.com> 0027 0001 0000001e 0005 <net> <www.net>" A4, 1,
	    ANSWER_DATA, 1, 1, 30, "www.net", "yy" },
	/* To the root zone. From it: its target is below it, as all is, so that is a loop. */
	{ REPLY("0001", "0000") "00 0027 0001" TTL "0003 <n>", 1, ANSWER_BROKEN, 16, 0, 60, NULL,
	    NULL },
	{ REPLY("0002", "0000") "c018 0027 0001" TTL "0001 00 <www.example>" A4, 1, ANSWER_DATA, 1,
	    1, 60, "www.example", "yy" },
	{ REPLY("0002", "0000") "c010 0027 0001" TTL "0001 00 <www>" A4, 1, ANSWER_DATA, 1, 1, 60,
	    "www", "yy" },
	/* Off the chain. */
	{ REPLY("0002", "0000") "c00c" A4 "<example.org> 0027 0001 0000001e 0005 <net>", 1,
	    ANSWER_DATA, 0, 1, 60, "www.example.com", "yn" },
	/* A DNAME, then a CNAME, then a DNAME. */
	{ REPLY("0004", "0000") "c010 0027 0001" TTL "0003 <n> <www.n> 0005 0001" TTL "0007 <x.b.c>"
				"<b.c> 0027 0001 00000005 0003 <d> <x.d>" A4,
	    1, ANSWER_DATA, 3, 1, 5, "x.d", "yyyy" },
	/* At a DNAME's owner, signatures are on the chain, other records are not. */
	{ REPLY("0004", "0000") "c010 0027 0001" TTL "0003 <n> c010 002e 0001" TTL "0000 c010" A4
				"<www.n>" A4,
	    1, ANSWER_DATA, 1, 1, 60, "www.n", "yyny" },
	/* RFC 6672 section 2.4: one DNAME at a name; the closest of several counts. */
	{ REPLY("0002", "0000") "c010 0027 0001" TTL "0003 <n> c010 0027 0001" TTL "0003 <m>", 1,
	    ANSWER_BROKEN, 0, 0, UINT32_MAX, "www.example.com", "nn" },
	{ REPLY("0003", "0000") "c018 0027 0001" TTL "0003 <m> c010 0027 0001" TTL "0003 <n>"
				"<www.n>" A4,
	    1, ANSWER_DATA, 1, 1, 60, "www.n", "nyy" },
	{ REPLY("0003", "0000") "c010 0027 0001" TTL "0003 <n> c018 0027 0001" TTL "0003 <m>"
				"<www.n>" A4,
	    1, ANSWER_DATA, 1, 1, 60, "www.n", "yny" },
	/* Data under a DNAME cannot be (RFC 6672 section 2.4). */
	{ REPLY("0002", "0000") "c00c" A4 "c010 0027 0001" TTL "0003 <n>", 1, ANSWER_BROKEN, 1, 1,
	    60, "www.n", "yy" },
	/* A question for the CNAME that a DNAME makes is answered by it (RFC 6672 section 3.3). */
	{ REPLY("0002", "0000") "c010 0027 0001" TTL "0003 <n> c00c 0005 0001 00000028"
				"0007 <www.n>",
	    5, ANSWER_DATA, 0, 1, 40, "www.example.com", "ny" },
	/* A byte behind the target; a loop, and one that grows. */
	{ REPLY("0001", "0000") "c010 0027 0001" TTL "000e <example.com>00", 1, ANSWER_BROKEN, 1, 0,
	    60, "www.example.com", "y" },
	{ REPLY("0001", "0000") "c010 0027 0001" TTL "0002 c010", 1, ANSWER_BROKEN, 16, 0, 60,
	    "www.example.com", "y" },
	{ REPLY("0001", "0000") "c010 0027 0001" TTL "0004 {a}c010", 1, ANSWER_BROKEN, 16, 0, 60,
	    NULL, NULL },
};

/*
 * Does what was found say that RR, in the answer section of M, is of the question's class and owned
 * by a name of the chain? The DNAMEs that the chain went through, and signatures at their owners,
 * are on it too.
 */
static bool
is_on_chain(const struct msg *m, const struct answer *a, const struct rr *rr)
{
	uint8_t owner[DNS_NAME_MAX];

	if (rr->class != m->qclass && m->qclass != DNS_CLASS_ANY)
		return false;
	if (answer_owns(m, a, rr))
		return true;
	if (msg_owner(m, rr, owner) == 0)
		return false;
	if (name_equal(owner, msg_qname(m)))
		return true;
	for (unsigned i = 0; i < a->n_links; i++) {
		const struct answer_link *link = &a->link[i];

		if (link->type != DNS_TYPE_CNAME && rr->type != DNS_TYPE_DNAME &&
		    rr->type != DNS_TYPE_RRSIG)
			continue;
		if (link->at == rr->at || name_equal_at(m->bytes, m->len, link->at, owner))
			return true;
	}
	return false;
}

/* Run one case, and ask of each record whether it is on the chain. */
static void
run(const struct scan_case *c)
{
	uint8_t want[DNS_NAME_MAX];
	struct answer a;
	struct msg m;
	size_t i = 0;

	scan(c->msg, c->qtype, &m, &a);
	ck_assert_int_eq(a.kind, c->kind);
	ck_assert_uint_eq(a.n_steps, c->n_steps);
	ck_assert_uint_eq(a.ttl, c->ttl);
	if (c->target == NULL)
		return;
	ck_assert_uint_gt(name_from_text(c->target, want), 0);
	ck_assert(name_equal(a.target, want));
	if (c->kind != ANSWER_BROKEN) {
		ck_assert_uint_eq(a.n_data, c->n_data);
		ck_assert(!a.has_soa);
		ck_assert(!a.has_ns);
		ck_assert_uint_eq(a.negative_ttl, 0);
	}
	struct msg_walk w = msg_walk_all(&m);
	struct rr rr;
	for (; msg_walk_next(&w, &rr); i++)
		ck_assert_msg(is_on_chain(&m, &a, &rr) == (c->on_chain[i] == 'y'), "record %zu", i);
	ck_assert_uint_eq(i, strlen(c->on_chain));
}

START_TEST(plain_answers_are_found)
{
	run(&plain_cases[_i]);
}
END_TEST

START_TEST(chains_are_followed)
{
	run(&chain_cases[_i]);
}
END_TEST

START_TEST(broken_chains_are_told)
{
	run(&broken_cases[_i]);
}
END_TEST

START_TEST(dname_is_followed)
{
	run(&dname_cases[_i]);
}
END_TEST

struct authority_case {
	const char *msg;
	enum answer_kind kind;
	bool has_soa;
	bool has_ns;
	uint32_t negative_ttl;
};

#define SOA(ttl, minimum) \
	" 0006 0001 " ttl " 0016 00 00 00000001 00000002 00000003 00000004 " minimum

static const struct authority_case authority_cases[] = {
	/* RFC 2308 section 5: the smaller of TTL and MINIMUM, either way round. */
	{ REPLY("0000", "0001") "c010" SOA("00000384", "0000012c"), ANSWER_NODATA, true, false,
	    300 },
	{ REPLY("0000", "0001") "c010" SOA("0000000a", "0000012c"), ANSWER_NODATA, true, false,
	    10 },
	{ REPLY("0000", "0001") "c010" SOA("00000000", "0000012c"), ANSWER_NODATA, true, false, 0 },
	{ REPLY("0000", "0001") "c010" SOA("ffffffff", "80000000"), ANSWER_NODATA, true, false,
	    604800 },
	/* Its owner: the name, above it in any case, the root; not below, not beside. */
	{ REPLY("0000", "0001") "c00c" SOA("00000384", "0000012c"), ANSWER_NODATA, true, false,
	    300 },
	{ REPLY("0000", "0001") "<EXAMPLE.COM>" SOA("00000384", "0000012c"), ANSWER_NODATA, true,
	    false, 300 },
	{ REPLY("0000", "0001") "00" SOA("00000384", "0000012c"), ANSWER_NODATA, true, false, 300 },
	{ REPLY("0000", "0001") "{a}c00c" SOA("00000384", "0000012c"), ANSWER_OPEN, false, false,
	    0 },
	{ REPLY("0000", "0001") "<org>" SOA("00000384", "0000012c"), ANSWER_OPEN, false, false, 0 },
	/* After a chain: the last name's zone, not the first one's. */
	{ REPLY("0001", "0001") "c00c 0005 0001" TTL "0005 <a.b> <b>" SOA("00000384", "0000012c"),
	    ANSWER_NODATA, true, false, 300 },
	{ REPLY("0001", "0001") "c00c 0005 0001" TTL "0005 <a.b> c010" SOA("00000384", "0000012c"),
	    ANSWER_OPEN, false, false, 0 },
	/* The first good one of two. */
	{ REPLY("0000", "0002") "<org>" SOA("00000384", "00000001") "c010" SOA(
	      "00000384", "0000012c"),
	    ANSWER_NODATA, true, false, 300 },
	{ REPLY("0000", "0002") "c010" SOA("00000384", "0000012c") "c018" SOA(
	      "00000384", "00000001"),
	    ANSWER_NODATA, true, false, 300 },
	/* Beside data it does not make that negative. */
	{ REPLY("0001", "0001") "c00c" A4 "c010" SOA("00000384", "0000012c"), ANSWER_DATA, true,
	    false, 300 },
	/* Malformed, of another class, in the wrong section. */
	{ REPLY("0000", "0001") "c010 0006 0001 00000384 0000", ANSWER_OPEN, false, false, 0 },
	{ REPLY("0000", "0001") "c010 0006 0001 00000384 0014 00000001 00000002 00000003 00000004"
				"0000012c",
	    ANSWER_OPEN, false, false, 0 },
	{ REPLY("0000", "0001") "c010 0006 0001 00000384 0017 00 00 00000001 00000002 00000003"
				"00000004 0000012c 00",
	    ANSWER_OPEN, false, false, 0 },
	{ REPLY("0000", "0001") "c010 0006 0001 00000384 0002 3f'a'", ANSWER_OPEN, false, false,
	    0 },
	{ REPLY("0000", "0001") "c010 0006 0003 00000384 0016 00 00 00000001 00000002 00000003"
				"00000004 0000012c",
	    ANSWER_OPEN, false, false, 0 },
	{ REPLY("0001", "0000") "c010" SOA("00000384", "0000012c"), ANSWER_OPEN, false, false, 0 },
	/* RFC 2308 section 2.2, type 1 NODATA with NS, and a referral. */
	{ REPLY("0000", "0002") "c010 0002 0001" TTL
				"0005 {ns}c010 c010" SOA("00000384", "0000012c"),
	    ANSWER_NODATA, true, true, 300 },
	{ REPLY("0000", "0001") "c010 0002 0001" TTL "0005 {ns}c010", ANSWER_OPEN, false, true, 0 },
	{ REPLY("0000", "0001") "c010 0002 0003" TTL "0005 {ns}c010", ANSWER_OPEN, false, false,
	    0 },
};

START_TEST(authority_is_told)
{
	const struct authority_case *c = &authority_cases[_i];
	struct answer a;
	struct msg m;

	scan(c->msg, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, c->kind);
	ck_assert_int_eq(a.has_soa, c->has_soa);
	ck_assert_int_eq(a.has_ns, c->has_ns);
	ck_assert_uint_eq(a.negative_ttl, c->negative_ttl);
}
END_TEST

/* A question of class ANY (RFC 1035 section 3.2.5) is answered by every class. */
START_TEST(class_any_is_answered_by_all)
{
	struct answer a;
	struct msg m;

	scan("0000 8180 0001 0002 0000 0000 <a> 0001 00ff @19. c00c" A4
	     "c00c 0001 0003 00000001 0002 0000",
	    DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_DATA);
	ck_assert_uint_eq(a.n_data, 2);
}
END_TEST

/* A chain of names n00, n01, ... of N CNAMEs, written backwards, with an A at its end. */
static size_t
write_chain(unsigned n)
{
	size_t len = hex_read(
	    "0000 8180 0001 0000 0000 0000 <n00> 0001 0001 <n00>" A4, bytes, sizeof(bytes));
	size_t at = len - 19;

	bytes[7] = (uint8_t)(n + 1);
	bytes[at + 2] = (uint8_t)('0' + n / 10);
	bytes[at + 3] = (uint8_t)('0' + n % 10);
	for (unsigned i = n; i-- > 0;) {
		size_t size = hex_read("<n00> 0005 0001 0000003c 0005 <n00>", bytes + len, 64);

		bytes[len + 2] = (uint8_t)('0' + i / 10);
		bytes[len + 3] = (uint8_t)('0' + i % 10);
		bytes[len + size - 3] = (uint8_t)('0' + (i + 1) / 10);
		bytes[len + size - 2] = (uint8_t)('0' + (i + 1) % 10);
		len += size;
	}
	return len;
}

/* ANSWER_CHAIN_MAX steps are walked, one more is too many. */
START_TEST(chain_over_the_limit_is_told)
{
	unsigned n = (unsigned)_i;
	struct answer a;
	struct msg m;
	struct msg_walk w;
	struct rr rr;

	scan_bytes(write_chain(n), DNS_TYPE_A, &m, &a);
	if (n > ANSWER_CHAIN_MAX) {
		ck_assert_int_eq(a.kind, ANSWER_BROKEN);
		return;
	}
	ck_assert_int_eq(a.kind, ANSWER_DATA);
	ck_assert_uint_eq(a.n_steps, n);
	ck_assert_uint_eq(a.n_links, n);
	w = msg_walk_all(&m);
	while (msg_walk_next(&w, &rr))
		ck_assert(is_on_chain(&m, &a, &rr));
}
END_TEST

/* A name that a DNAME makes too long (RFC 6672 section 2.2) has no continuation. */
START_TEST(dname_too_long)
{
	size_t len = hex_read("0000 8180 0001 0001 0000 0000 {aaaaaaaaaaaaaaaaaaaa} @33."
			      "<x> 0001 0001 c021 0027 0001" TTL "00fd",
	    bytes, sizeof(bytes));
	struct answer a;
	struct msg m;

	for (unsigned i = 0; i < 126; i++) {
		bytes[len++] = 1;
		bytes[len++] = 'b';
	}
	bytes[len++] = 0;
	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_BROKEN);
}
END_TEST

/* More aliases than a chain could use: not worth a walk. */
START_TEST(flood_of_aliases)
{
	size_t len = hex_read(REPLY("0000", "0000"), bytes, sizeof(bytes));
	unsigned n = (unsigned)_i;
	struct answer a;
	struct msg m;

	for (unsigned i = 0; i < n; i++)
		len += hex_read("<x> 0005 0001 0000003c 0003 <y>", bytes + len, 64);
	bytes[7] = (uint8_t)n;
	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, n > ANSWER_LINKS_MAX ? ANSWER_BROKEN : ANSWER_OPEN);
}
END_TEST

/* Append a name of 127 labels of one letter, all 'a' but for the last; returns the new length. */
static size_t
write_long_name(size_t len, char last)
{
	for (unsigned i = 0; i < 126; i++) {
		bytes[len++] = 1;
		bytes[len++] = 'a';
	}
	bytes[len++] = 1;
	bytes[len++] = (uint8_t)last;
	bytes[len++] = 0;
	return len;
}

/* Append records of type A whose names differ from others in the 127th label; their number. */
static unsigned
write_decoys(size_t *len)
{
	size_t at = *len;
	unsigned n = 1;

	*len = write_long_name(*len, 'b');
	*len += hex_read("0001 0001 0000003c 0000", bytes + *len, 10);
	for (; *len + 14 <= sizeof(bytes); n++) {
		uint8_t *owner = bytes + *len;

		*len += hex_read("{a}c000 0001 0001 0000003c 0000", owner, 14);
		owner[2] = (uint8_t)(0xc0 | (at + 2) >> 8);
		owner[3] = (uint8_t)((at + 2) & 0xff);
	}
	return n;
}

#define HARD_STEPS 8

/* A chain through names that differ only in their last label; the new length. */
static size_t
write_long_chain(void)
{
	size_t len = hex_read("0000 8180 0001 0000 0000 0000", bytes, sizeof(bytes));

	len = write_long_name(len, 'c');
	len += hex_read("0001 0001", bytes + len, 4);
	for (char c = 'c'; c < 'c' + HARD_STEPS; c++) {
		len = write_long_name(len, c);
		len += hex_read("0005 0001 0000003c 00ff", bytes + len, 10);
		len = write_long_name(len, (char)(c + 1));
	}
	bytes[7] = HARD_STEPS;
	return len;
}

/*
 * A message of 64 KiB made to be slow: that chain, then thousands of records of the type at yet
 * another such name. Telling all of them apart would take milliseconds for each who waits; nobody
 * has an honest use for it.
 */
START_TEST(hostile_message_costs_little)
{
	size_t len = write_long_chain();
	struct answer a;
	struct msg m;
	unsigned n;

	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_OPEN);
	ck_assert_uint_eq(a.n_steps, HARD_STEPS);
	n = HARD_STEPS + write_decoys(&len);
	ck_assert_uint_gt(n, 4000);
	bytes[6] = (uint8_t)(n >> 8);
	bytes[7] = (uint8_t)(n & 0xff);
	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_BROKEN);
	ck_assert(!a.has_soa);
}
END_TEST

/*
 * Owners that point to another spelling of the name than the question are told by the pointer, from
 * the first on: thousands of them are no work, and each of them counts.
 */
START_TEST(owners_by_pointer_to_another_spelling_are_found)
{
	size_t len = hex_read("0000 8180 0001 0000 0000 0000", bytes, sizeof(bytes)), at;
	unsigned n = 1;
	struct answer a;
	struct msg m;
	struct msg_walk w;
	struct rr rr;

	len = write_long_name(len, 'c');
	len += hex_read("0001 0001", bytes + len, 4);
	at = len;
	len = write_long_name(len, 'C');
	len += hex_read("0001 0001 0000003c 0004 c0000201", bytes + len, 14);
	for (; len + 16 <= sizeof(bytes); n++) {
		len += hex_read("c000 0001 0001 0000003c 0004 c0000201", bytes + len, 16);
		bytes[len - 16] = (uint8_t)(0xc0 | at >> 8);
		bytes[len - 15] = (uint8_t)(at & 0xff);
	}
	bytes[6] = (uint8_t)(n >> 8);
	bytes[7] = (uint8_t)(n & 0xff);
	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_DATA);
	ck_assert_uint_eq(a.n_data, n);
	ck_assert_uint_eq(a.also_at, at);
	w = msg_walk_all(&m);
	while (msg_walk_next(&w, &rr))
		ck_assert(answer_owns(&m, &a, &rr));
}
END_TEST

/* Names that are spelled in full are told apart however many there are: short ones, or long. */
START_TEST(all_spelled_in_full)
{
	static const char *const records[] = { "<www.a.bc> 0001 0001 0000003c 0004 c0000201",
		"<1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa> 0001 "
		"0001 "
		"0000003c 0004 c0000201" };
	size_t len = hex_read("0000 8180 0001 0000 0000 0000", bytes, sizeof(bytes));
	const char *record = records[_i];
	char question[100];
	struct answer a;
	unsigned n = 0;
	struct msg m;

	snprintf(question, sizeof(question), "%.*s> 0001 0001", (int)strcspn(record, ">"), record);
	len += hex_read(question, bytes + len, 100);
	for (; len + 100 <= sizeof(bytes); n++)
		len += hex_read(record, bytes + len, 100);
	bytes[6] = (uint8_t)(n >> 8);
	bytes[7] = (uint8_t)(n & 0xff);
	scan_bytes(len, DNS_TYPE_A, &m, &a);
	ck_assert_int_eq(a.kind, ANSWER_DATA);
	ck_assert_uint_eq(a.n_data, n);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, guard_setup, guard_teardown);
	tcase_add_loop_test(tc, plain_answers_are_found, 0, N_OF(plain_cases));
	tcase_add_loop_test(tc, chains_are_followed, 0, N_OF(chain_cases));
	tcase_add_loop_test(tc, broken_chains_are_told, 0, N_OF(broken_cases));
	tcase_add_loop_test(tc, dname_is_followed, 0, N_OF(dname_cases));
	tcase_add_loop_test(tc, authority_is_told, 0, N_OF(authority_cases));
	tcase_add_test(tc, class_any_is_answered_by_all);
	tcase_add_loop_test(tc, chain_over_the_limit_is_told, 0, HARD_STEPS + 3);
	tcase_add_test(tc, dname_too_long);
	tcase_add_loop_test(tc, flood_of_aliases, ANSWER_LINKS_MAX - 1, ANSWER_LINKS_MAX + 2);
	tcase_add_test(tc, hostile_message_costs_little);
	tcase_add_test(tc, owners_by_pointer_to_another_spelling_are_found);
	tcase_add_loop_test(tc, all_spelled_in_full, 0, 2);
}
