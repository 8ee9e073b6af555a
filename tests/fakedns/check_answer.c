/* SPDX-License-Identifier: BSD-2-Clause */
/* What fakedns answers: fakedns(8). */

#include "fakedns/answer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define ZONE ".dns64perf.test"

/* A policy, a question and the answer to it. */
struct talk {
	struct fake_policy policy;
	struct fake_question q;
	uint8_t question[600];
	uint8_t answer[DNS_MSG_MAX];
	size_t cap;
	enum fake_verdict verdict;
	struct msg m;
};

static struct talk t; /* too large for the stack; every test runs in a process of its own */

static void
start(void)
{
	uint8_t zone[DNS_NAME_MAX];

	memset(&t, 0, sizeof(t));
	ck_assert_uint_gt(name_from_text("DNS64perf.test", zone), 0);
	fake_zone_init(&t.policy.zone, zone);
	t.policy.ttl = 300;
	t.policy.negative_ttl = 60;
	t.cap = sizeof(t.answer);
}

/* EDNS: 0 for none, else the buffer size. */
static void
write_question(const char *name, uint16_t qtype, uint16_t edns)
{
	struct wire_writer w = { t.question, sizeof(t.question), DNS_HEADER_LEN, false };
	uint8_t qname[DNS_NAME_MAX];
	size_t len = name_from_text(name, qname);

	ck_assert_msg(len > 0, "%s", name);
	memcpy(t.question, "\022\064\001\020\0\001\0\0\0\0\0\0", DNS_HEADER_LEN); /* RD, CD */
	wire_put_bytes(&w, qname, len);
	wire_put_u16(&w, qtype);
	wire_put_u16(&w, DNS_CLASS_IN);
	if (edns > 0) {
		t.question[11] = 1;
		wire_put_bytes(&w, "\0\0\051", 3);
		wire_put_u16(&w, edns);
		wire_put_bytes(&w, "\0\0\200\0\0\0", 6);
	}
	t.q.bytes = t.question;
	t.q.len = w.len;
}

/* The rcode of the answer, checked for what holds of any answer; -1 without one. */
static int
exchange(void)
{
	size_t len = fake_answer(&t.policy, &t.q, t.answer, t.cap, &t.verdict);

	if (len == 0)
		return -1;
	ck_assert_uint_le(len, t.cap);
	ck_assert_int_eq(msg_parse(&t.m, t.answer, len), MSG_OK);
	ck_assert_uint_eq(t.m.id, 0x1234);
	ck_assert_uint_eq(t.m.flags & (DNS_QR | DNS_RA | DNS_RD | DNS_CD | DNS_AD),
	    DNS_QR | DNS_RA | DNS_RD | DNS_CD);
	return t.m.rcode;
}

static int
ask(const char *name, uint16_t qtype, uint16_t edns)
{
	write_question(name, qtype, edns);
	int rcode = exchange();
	if (rcode >= 0)
		/* The question comes back as it was spelled. */
		ck_assert_mem_eq(
		    t.answer + DNS_HEADER_LEN, t.question + DNS_HEADER_LEN, t.m.qname_len + 4);
	return rcode;
}

static struct rr
record(enum msg_section s, unsigned i)
{
	return message_record(&t.m, s, i);
}

static void
expect_owner(const struct rr *rr, const char *text)
{
	uint8_t want[DNS_NAME_MAX], got[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(text, want), 0);
	ck_assert_uint_gt(msg_owner(&t.m, rr, got), 0);
	ck_assert_msg(name_equal(got, want), "%s", text);
}

static void
expect_rdata_name(const struct rr *rr, size_t off, const char *text)
{
	uint8_t want[DNS_NAME_MAX], got[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(text, want), 0);
	ck_assert_uint_gt(msg_rdata_name(&t.m, rr, off, got), 0);
	ck_assert_msg(name_equal(got, want), "%s", text);
}

static void
expect_counts(unsigned answer, unsigned authority)
{
	ck_assert_uint_eq(t.m.count[MSG_ANSWER], answer);
	ck_assert_uint_eq(t.m.count[MSG_AUTHORITY], authority);
}

/* A negative answer: nothing but the SOA of ZONE_NAME (RFC 2308 section 3). */
static void
expect_soa(const char *zone)
{
	struct rr soa = record(MSG_AUTHORITY, 0);

	ck_assert_uint_eq(t.m.count[MSG_AUTHORITY], 1);
	ck_assert_uint_eq(soa.type, DNS_TYPE_SOA);
	ck_assert_uint_eq(soa.ttl, 60);
	expect_owner(&soa, zone);
	expect_rdata_name(&soa, 0, "ns" ZONE);
	ck_assert_uint_eq(wire_u32(t.answer + soa.end - 4), 60);
	ck_assert((t.m.flags & DNS_AA) != 0);
}

struct address {
	const char *name;
	const char *v4;
};

static const struct address addresses[] = {
	{ "192-000-002-033" ZONE, "192.0.2.33" },
	{ "192-0-2-33" ZONE, "192.0.2.33" },
	{ "000-000-000-000" ZONE, "0.0.0.0" },
	{ "255-255-255-255" ZONE, "255.255.255.255" },
	{ "10-1-20-100" ZONE, "10.1.20.100" },
	{ "010-001-020-100.DNS64PERF.Test", "10.1.20.100" },
	{ "aaaafail-192-0-2-33" ZONE, "192.0.2.33" },
	{ "aaaadrop-192-0-2-33" ZONE, "192.0.2.33" },
	{ "both-192-0-2-33" ZONE, "192.0.2.33" },
	{ "ns" ZONE, "192.0.2.53" },
};

START_TEST(address_names_have_their_address)
{
	uint8_t v4[4];

	ck_assert_int_eq(inet_pton(AF_INET, addresses[_i].v4, v4), 1);
	ck_assert_int_eq(ask(addresses[_i].name, DNS_TYPE_A, 0), DNS_NOERROR);
	ck_assert_int_eq(t.verdict, FAKE_ANSWERED);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(wire_u16(t.answer + rr.at), 0xc00c);
	ck_assert_uint_eq(rr.type, DNS_TYPE_A);
	ck_assert_uint_eq(rr.class, DNS_CLASS_IN);
	ck_assert_uint_eq(rr.ttl, 300);
	ck_assert_uint_eq(rr.rdlen, 4);
	ck_assert_mem_eq(t.answer + rr.rdata, v4, sizeof(v4));
	ck_assert((t.m.flags & (DNS_AA | DNS_TC)) == DNS_AA);
	ck_assert(!t.m.edns.present);
}
END_TEST

START_TEST(aaaa_of_all)
{
	uint8_t v6[16];

	t.policy.zone.aaaa_percent = 100;
	ck_assert_int_eq(inet_pton(AF_INET6, "2001:db8:6:4::192.0.2.33", v6), 1);
	ck_assert_int_eq(ask("192-0-2-33" ZONE, DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_AAAA);
	ck_assert_uint_eq(rr.rdlen, 16);
	ck_assert_mem_eq(t.answer + rr.rdata, v6, sizeof(v6));
}
END_TEST

START_TEST(aaaa_by_name)
{
	static const char *const names[] = { "aaaaonly-192-0-2-33" ZONE, "both-192-0-2-33" ZONE };

	ck_assert_int_eq(ask(names[_i], DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(1, 0);
	ck_assert_uint_eq(record(MSG_ANSWER, 0).type, DNS_TYPE_AAAA);
}
END_TEST

START_TEST(aaaa_of_none)
{
	ck_assert_int_eq(ask("192-0-2-33" ZONE, DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(0, 1);
	expect_soa("dns64perf.test");
}
END_TEST

/* A fraction has AAAA; the same names at every ask, however spelled, and at the end of chains. */
START_TEST(aaaa_of_some)
{
	char lower[64], upper[64], chain[64];
	unsigned n = 0;

	t.policy.zone.aaaa_percent = 30;
	for (unsigned i = 0; i < 2000; i++) {
		(void)snprintf(lower, sizeof(lower), "10-0-%u-%u" ZONE, i / 256, i % 256);
		(void)snprintf(upper, sizeof(upper), "10-0-%u-%u.DNS64PERF.tEST", i / 256, i % 256);
		(void)snprintf(chain, sizeof(chain), "cname-2-10-0-%u-%u" ZONE, i / 256, i % 256);
		ck_assert_int_eq(ask(lower, DNS_TYPE_AAAA, 0), DNS_NOERROR);
		unsigned found = t.m.count[MSG_ANSWER];
		n += found;
		ck_assert_uint_eq(t.m.count[MSG_AUTHORITY], 1 - found);
		ck_assert_int_eq(ask(upper, DNS_TYPE_AAAA, 0), DNS_NOERROR);
		ck_assert_uint_eq(t.m.count[MSG_ANSWER], found);
		ck_assert_int_eq(ask(chain, DNS_TYPE_AAAA, 0), DNS_NOERROR);
		ck_assert_uint_eq(t.m.count[MSG_ANSWER], 2 + found);
	}
	ck_assert_uint_ge(n, 500); /* 600 expected; the standard deviation is 20 */
	ck_assert_uint_le(n, 700);
}
END_TEST

/* Their names say which records they have, whatever the share with AAAA is. */
START_TEST(names_with_types_of_their_own)
{
	t.policy.zone.aaaa_percent = _i == 0 ? 0 : 100;
	ck_assert_int_eq(ask("aaaaonly-10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(0, 1);
	ck_assert_int_eq(ask("aaaaonly-10-0-0-1" ZONE, DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(1, 0);
	ck_assert_int_eq(ask("both-10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(1, 0);
	ck_assert_int_eq(ask("both-10-0-0-1" ZONE, DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(1, 0);
}
END_TEST

/* A share of the names is silent for all types, or for one; zones and others' names are not. */
START_TEST(broken_names_are_silent)
{
	unsigned n = 0;
	char lower[64], upper[64];

	t.policy.zone.broken_percent = 10;
	for (unsigned i = 0; i < 2000; i++) {
		(void)snprintf(lower, sizeof(lower), "10-0-%u-%u" ZONE, i / 256, i % 256);
		(void)snprintf(upper, sizeof(upper), "10-0-%u-%u.DNS64PERF.tEST", i / 256, i % 256);
		t.policy.broken_type = 0;
		bool broken = ask(lower, DNS_TYPE_A, 0) < 0;
		ck_assert_int_eq(t.verdict, broken ? FAKE_MUTE : FAKE_ANSWERED);
		ck_assert_int_eq(ask(upper, DNS_TYPE_AAAA, 0) < 0, broken);
		n += broken;
		t.policy.broken_type = DNS_TYPE_AAAA;
		ck_assert_int_eq(ask(lower, DNS_TYPE_AAAA, 0) < 0, broken);
		ck_assert_int_eq(ask(lower, DNS_TYPE_A, 0), DNS_NOERROR);
	}
	ck_assert_uint_ge(n, 130); /* 200 expected; the standard deviation is 13 */
	ck_assert_uint_le(n, 270);
	t.policy.broken_type = 0;
	t.policy.zone.broken_percent = 100;
	ck_assert_int_eq(ask("nx-1" ZONE, DNS_TYPE_A, 0), -1);
	ck_assert_int_eq(ask("dns64perf.test", DNS_TYPE_SOA, 0), DNS_NOERROR);
	ck_assert_int_eq(ask(".", DNS_TYPE_NS, 0), DNS_REFUSED);
}
END_TEST

struct outcome {
	const char *name;
	uint16_t qtype;
	int rcode; /* -1: no reply */
	const char *soa;
};

static const struct outcome outcomes[] = {
	{ "192-0-2-33" ZONE, DNS_TYPE_MX, DNS_NOERROR, "dns64perf.test" },
	{ "nx-1" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "NX-1.sub" ZONE, DNS_TYPE_AAAA, DNS_NXDOMAIN, "dns64perf.test" },
	{ "www" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "www.192-0-2-33" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0-2" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0-2-256" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0-2-0033" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0-2-33-" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0--33" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "192-0-2-x" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "many-0" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "many-2001" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "many-2" ZONE, DNS_TYPE_TXT, DNS_NOERROR, "dns64perf.test" },
	{ "txt-60001" ZONE, DNS_TYPE_TXT, DNS_NXDOMAIN, "dns64perf.test" },
	{ "txt-5" ZONE, DNS_TYPE_A, DNS_NOERROR, "dns64perf.test" },
	{ "cname-0-1-1-1-1" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "cname-101-1-1-1-1" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "cname-1-" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "cname-1-cname-1-1-1-1-1" ZONE, DNS_TYPE_A, DNS_NXDOMAIN, "dns64perf.test" },
	{ "servfail-1" ZONE, DNS_TYPE_A, DNS_SERVFAIL, NULL },
	{ "refused-1" ZONE, DNS_TYPE_A, DNS_REFUSED, NULL },
	{ "drop-1" ZONE, DNS_TYPE_A, -1, NULL },
	{ "cname-3-drop-1" ZONE, DNS_TYPE_A, -1, NULL },
	{ "cname-3-servfail-1" ZONE, DNS_TYPE_A, DNS_SERVFAIL, NULL },
	{ "aaaafail-1-1-1-1" ZONE, DNS_TYPE_AAAA, DNS_SERVFAIL, NULL },
	{ "aaaadrop-1-1-1-1" ZONE, DNS_TYPE_AAAA, -1, NULL },
	{ "afail-1-1-1-1" ZONE, DNS_TYPE_A, DNS_SERVFAIL, NULL },
	{ "afail-1-1-1-1" ZONE, DNS_TYPE_AAAA, DNS_NOERROR, "dns64perf.test" },
	{ "adrop-1-1-1-1" ZONE, DNS_TYPE_A, -1, NULL },
	{ "adrop-1-1-1-1" ZONE, DNS_TYPE_AAAA, DNS_NOERROR, "dns64perf.test" },
	{ "aaaaonly-1-1-1-1" ZONE, DNS_TYPE_A, DNS_NOERROR, "dns64perf.test" },
	{ "aaaafail-www" ZONE, DNS_TYPE_AAAA, DNS_NXDOMAIN, "dns64perf.test" },
	{ "dns64perf.test", DNS_TYPE_A, DNS_NOERROR, "dns64perf.test" },
	{ "xdns64perf.test", DNS_TYPE_A, DNS_REFUSED, NULL },
	{ "test", DNS_TYPE_A, DNS_REFUSED, NULL },
	{ ".", DNS_TYPE_NS, DNS_REFUSED, NULL },
	{ "192-0-2-33.example.com", DNS_TYPE_A, DNS_REFUSED, NULL },
	{ "192-0-2-33" ZONE, DNS_TYPE_AXFR, DNS_REFUSED, NULL },
	{ "192-0-2-33" ZONE, DNS_TYPE_IXFR, DNS_REFUSED, NULL },
	{ "4.3.2.1.e164.arpa", DNS_TYPE_A, DNS_NOERROR, "e164.arpa" },
	{ "x.3.2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
	{ "43.2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
	{ "6.5.4.3.2.1.0.9.8.7.6.5.4.3.2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
	{ "2.0.192.in-addr.arpa", DNS_TYPE_PTR, DNS_NOERROR, "in-addr.arpa" },
	{ "33.2.0.192.in-addr.arpa", DNS_TYPE_A, DNS_NOERROR, "in-addr.arpa" },
	{ "256.2.0.192.in-addr.arpa", DNS_TYPE_PTR, DNS_NXDOMAIN, "in-addr.arpa" },
	{ "033.2.0.192.in-addr.arpa", DNS_TYPE_PTR, DNS_NXDOMAIN, "in-addr.arpa" },
	{ "x.2.0.192.in-addr.arpa", DNS_TYPE_PTR, DNS_NXDOMAIN, "in-addr.arpa" },
	{ "1.33.2.0.192.in-addr.arpa", DNS_TYPE_PTR, DNS_NXDOMAIN, "in-addr.arpa" },
};

START_TEST(name_decides_the_rcode)
{
	const struct outcome *o = &outcomes[_i];

	ck_assert_msg(ask(o->name, o->qtype, 0) == o->rcode, "%s", o->name);
	if (o->rcode < 0) {
		ck_assert_int_eq(t.verdict, FAKE_MUTE);
		return;
	}
	ck_assert_int_eq(t.verdict, FAKE_ANSWERED);
	ck_assert_uint_eq(t.m.count[MSG_ANSWER], 0);
	if (o->soa != NULL)
		expect_soa(o->soa);
	else
		ck_assert_uint_eq(t.m.count[MSG_AUTHORITY], 0);
	ck_assert_msg(((t.m.flags & DNS_AA) != 0) == (o->soa != NULL), "%s", o->name);
}
END_TEST

START_TEST(apex_has_soa_and_ns)
{
	static const char *const zones[] = { "dns64perf.test", "e164.arpa", "in-addr.arpa" };

	ck_assert_int_eq(ask(zones[_i], DNS_TYPE_SOA, 0), DNS_NOERROR);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_SOA);
	expect_owner(&rr, zones[_i]);
	ck_assert_int_eq(ask(zones[_i], DNS_TYPE_NS, 0), DNS_NOERROR);
	expect_counts(1, 0);
	rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_NS);
	expect_rdata_name(&rr, 0, "ns" ZONE);
	ck_assert_int_eq(ask(zones[_i], DNS_TYPE_ANY, 0), DNS_NOERROR);
	expect_counts(2, 0);
}
END_TEST

START_TEST(cname_names_make_a_chain)
{
	static const char *const links[] = { "cname-3-192-0-2-33" ZONE, "cname-2-192-0-2-33" ZONE,
		"cname-1-192-0-2-33" ZONE, "192-0-2-33" ZONE };

	ck_assert_int_eq(ask(links[0], DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(4, 0);
	for (unsigned i = 0; i < 3; i++) {
		struct rr rr = record(MSG_ANSWER, i);

		ck_assert_uint_eq(rr.type, DNS_TYPE_CNAME);
		expect_owner(&rr, links[i]);
		expect_rdata_name(&rr, 0, links[i + 1]);
	}
	struct rr last = record(MSG_ANSWER, 3);
	ck_assert_uint_eq(last.type, DNS_TYPE_A);
	expect_owner(&last, links[3]);
	/* Asked for itself, only the first. */
	ck_assert_int_eq(ask(links[0], DNS_TYPE_CNAME, 0), DNS_NOERROR);
	expect_counts(1, 0);
}
END_TEST

/* RFC 6604: the rcode is that of the chain's end. */
START_TEST(chain_to_nothing_is_nxdomain)
{
	ck_assert_int_eq(ask("cname-2-nx-1" ZONE, DNS_TYPE_AAAA, 0), DNS_NXDOMAIN);
	expect_counts(2, 1);
	expect_soa("dns64perf.test");
	ck_assert_int_eq(ask("cname-2-10-0-0-1" ZONE, DNS_TYPE_AAAA, 0), DNS_NOERROR);
	expect_counts(2, 1);
	ck_assert_int_eq(ask("cname-2-drop-1" ZONE, DNS_TYPE_CNAME, 0), DNS_NOERROR);
	expect_counts(1, 0);
}
END_TEST

/* The longest chain: every pointer still reaches its name. */
START_TEST(chain_of_100)
{
	char name[256], owner[256];

	t.q.tcp = true;
	(void)snprintf(name, sizeof(name), "cname-100-nx-%050d" ZONE, 0);
	ck_assert_int_eq(ask(name, DNS_TYPE_A, 0), DNS_NXDOMAIN);
	expect_counts(100, 1);
	for (unsigned i = 0; i < 100; i++) {
		struct rr rr = record(MSG_ANSWER, i);

		(void)snprintf(owner, sizeof(owner), "cname-%u-nx-%050d" ZONE, 100 - i, 0);
		expect_owner(&rr, owner);
	}
}
END_TEST

START_TEST(many_names_have_as_many_addresses)
{
	static const unsigned ns[] = { 1, 60, 2000 };
	char name[64];
	uint32_t last = 0;

	t.q.tcp = true;
	(void)snprintf(name, sizeof(name), "many-%u" ZONE, ns[_i]);
	ck_assert_int_eq(ask(name, DNS_TYPE_A, 4096), DNS_NOERROR);
	expect_counts(ns[_i], 0);
	ck_assert_uint_eq(t.m.flags & DNS_TC, 0);
	struct msg_walk w = msg_walk(&t.m, MSG_ANSWER);
	struct rr rr;
	for (unsigned i = 0; i < ns[_i]; i++) {
		ck_assert(msg_walk_next(&w, &rr));
		ck_assert_uint_gt(wire_u32(t.answer + rr.rdata), last);
		last = wire_u32(t.answer + rr.rdata);
	}
}
END_TEST

START_TEST(txt_names_have_text_of_that_length)
{
	static const unsigned ns[] = { 0, 1, 254, 255, 256, 510, 511, 3000, 60000 };
	char name[64];

	t.q.tcp = true;
	(void)snprintf(name, sizeof(name), "txt-%u" ZONE, ns[_i]);
	ck_assert_int_eq(ask(name, DNS_TYPE_TXT, 0), DNS_NOERROR);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	unsigned n = 0;
	size_t at = rr.rdata;
	while (at < rr.end) {
		n += t.answer[at];
		at += 1u + t.answer[at];
	}
	ck_assert_uint_eq(at, rr.end);
	ck_assert_uint_eq(n, ns[_i]);
}
END_TEST

struct limit {
	const char *name;
	uint16_t qtype;
	uint16_t edns;
	size_t cap;
	size_t limit;
};

static const struct limit limits[] = {
	{ "many-100" ZONE, DNS_TYPE_A, 0, 65535, 512 },
	{ "many-100" ZONE, DNS_TYPE_A, 1, 65535, 512 }, /* under 512 means 512 (RFC 6891 6.2.3) */
	{ "many-100" ZONE, DNS_TYPE_A, 512, 65535, 512 },
	{ "many-100" ZONE, DNS_TYPE_A, 1232, 65535, 1232 },
	{ "many-2000" ZONE, DNS_TYPE_A, 4096, 65535, 4096 },
	{ "many-2000" ZONE, DNS_TYPE_A, 65535, 4096, 4096 }, /* our own buffer */
	{ "txt-3000" ZONE, DNS_TYPE_TXT, 1232, 65535, 1232 },
	{ "cname-100-10-0-0-1" ZONE, DNS_TYPE_A, 1232, 65535, 1232 },
};

/* RFC 2181 section 9: TC says that records are missing; those there are whole. */
START_TEST(truncated_by_size)
{
	const struct limit *l = &limits[_i];

	t.cap = l->cap;
	ck_assert_int_eq(ask(l->name, l->qtype, l->edns), DNS_NOERROR);
	ck_assert_uint_ne(t.m.flags & DNS_TC, 0);
	ck_assert_uint_le(t.m.len, l->limit);
	if (l->qtype == DNS_TYPE_A)
		ck_assert_uint_gt(t.m.len + 48, l->limit); /* no record more would have fit */
	ck_assert_uint_eq(t.m.count[MSG_AUTHORITY], 0);
	ck_assert(t.m.edns.present == (l->edns > 0));
	t.q.tcp = true;
	t.cap = sizeof(t.answer);
	ck_assert_int_eq(ask(l->name, l->qtype, l->edns), DNS_NOERROR);
	ck_assert_uint_eq(t.m.flags & DNS_TC, 0);
}
END_TEST

/* An answer of exactly the limit goes out whole: 12 + 4 + the name, and 16 an address. */
START_TEST(answer_of_the_limit_goes_whole)
{
	/* "many-NN" is 8 bytes on the wire, the zone 16. */
	size_t before = 12 + 8 + 16 + 4;
	unsigned n = (unsigned)((1232 - before - DNS_OPT_LEN) / 16);
	char name[64];

	(void)snprintf(name, sizeof(name), "many-%u" ZONE, n);
	ck_assert_int_eq(ask(name, DNS_TYPE_A, (uint16_t)(before + DNS_OPT_LEN + 16 * n)), 0);
	ck_assert_uint_eq(t.m.len, before + DNS_OPT_LEN + 16 * n);
	ck_assert_uint_eq(t.m.flags & DNS_TC, 0);
	expect_counts(n, 0);
	ck_assert_int_eq(ask(name, DNS_TYPE_A, (uint16_t)(before + DNS_OPT_LEN + 16 * n - 1)), 0);
	ck_assert_uint_ne(t.m.flags & DNS_TC, 0);
	expect_counts(n - 1, 0);
}
END_TEST

START_TEST(truncate_on_demand)
{
	t.q.truncate = true;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 1232), DNS_NOERROR);
	expect_counts(0, 0);
	ck_assert_uint_ne(t.m.flags & DNS_TC, 0);
	ck_assert(t.m.edns.present); /* RFC 6891 section 7 */
	t.q.tcp = true;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 1232), DNS_NOERROR);
	expect_counts(1, 0);
	ck_assert_uint_eq(t.m.flags & DNS_TC, 0);
}
END_TEST

START_TEST(telephone_number_has_naptr)
{
	ck_assert_int_eq(ask("4.3.2.1.9.3.9.2.1.2.1.E164.arpa", DNS_TYPE_NAPTR, 0), DNS_NOERROR);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_NAPTR);
	static const char want[] = "\0\144\0\012\001u\007E2U+sip"
				   "\040!^.*$!sip:+12129391234@sip.test!";
	ck_assert_uint_eq(rr.rdlen, sizeof(want)); /* its zero is the replacement: the root */
	ck_assert_mem_eq(t.answer + rr.rdata, want, sizeof(want));
}
END_TEST

/* 12000-14999; the beginnings of its numbers are empty non-terminals, not NXDOMAIN (RFC 8020). */
START_TEST(numbers_in_the_range_are_there)
{
	static const struct outcome numbers[] = {
		{ "0.0.0.2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NOERROR, NULL },
		{ "9.9.9.4.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NOERROR, NULL },
		{ "9.9.9.1.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
		{ "0.0.0.5.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
		{ "0.0.0.0.2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
		{ "1.e164.arpa", DNS_TYPE_NAPTR, DNS_NOERROR, "e164.arpa" },
		{ "2.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NOERROR, "e164.arpa" },
		{ "4.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NOERROR, "e164.arpa" },
		{ "1.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
		{ "5.1.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
		{ "2.e164.arpa", DNS_TYPE_NAPTR, DNS_NXDOMAIN, "e164.arpa" },
	};

	t.policy.zone.enum_first = 12000;
	t.policy.zone.enum_last = 14999;
	t.policy.zone.enum_digits = 5;
	for (size_t i = 0; i < N_OF(numbers); i++) {
		ck_assert_msg(ask(numbers[i].name, numbers[i].qtype, 0) == numbers[i].rcode, "%s",
		    numbers[i].name);
		expect_counts(numbers[i].soa == NULL, numbers[i].soa != NULL);
	}
}
END_TEST

START_TEST(share_of_numbers_is_there)
{
	char name[64];
	unsigned n = 0;

	t.policy.zone.enum_percent = 60;
	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(
		    name, sizeof(name), "%u.%u.%u.7.e164.arpa", i / 100, i / 10 % 10, i % 10);
		int rcode = ask(name, DNS_TYPE_NAPTR, 0);
		ck_assert(rcode == DNS_NOERROR || rcode == DNS_NXDOMAIN);
		n += rcode == DNS_NOERROR;
		ck_assert_int_eq(ask(name, DNS_TYPE_NAPTR, 0), rcode);
	}
	ck_assert_uint_ge(n, 520); /* 600 expected; the standard deviation is 15 */
	ck_assert_uint_le(n, 680);
}
END_TEST

START_TEST(reverse_name_has_ptr)
{
	ck_assert_int_eq(ask("33.2.0.192.IN-ADDR.arpa", DNS_TYPE_PTR, 0), DNS_NOERROR);
	expect_counts(1, 0);
	struct rr rr = record(MSG_ANSWER, 0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_PTR);
	expect_rdata_name(&rr, 0, "192-000-002-033" ZONE);
}
END_TEST

START_TEST(forced_rcode_is_of_its_type)
{
	t.policy.forced = true;
	t.policy.rcode = DNS_SERVFAIL;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_SERVFAIL);
	expect_counts(0, 0);
	ck_assert_int_eq(ask("drop-1" ZONE, DNS_TYPE_A, 0), DNS_SERVFAIL);
	t.q.unforced = true;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(1, 0);
	t.q.unforced = false;
	t.policy.rcode_type = DNS_TYPE_AAAA;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(1, 0);
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_AAAA, 0), DNS_SERVFAIL);
	t.policy.rcode = DNS_NXDOMAIN;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_AAAA, 0), DNS_NXDOMAIN);
	expect_counts(0, 1);
	ck_assert_int_eq(ask("www.example", DNS_TYPE_AAAA, 0), DNS_NXDOMAIN);
	expect_counts(0, 0);
	t.policy.rcode = DNS_BADCOOKIE;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_AAAA, 1232), DNS_BADCOOKIE);
}
END_TEST

/* RFC 6891 sections 6.1.1, 6.1.3 and 7. */
START_TEST(edns_version_and_size_are_answered)
{
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 1232), DNS_NOERROR);
	ck_assert(t.m.edns.present && t.m.edns.do_bit);
	ck_assert_uint_eq(t.m.edns.bufsize, FAKE_BUFSIZE);
	ck_assert_uint_eq(t.m.edns.version, 0);
	write_question("10-0-0-1" ZONE, DNS_TYPE_A, 1232);
	t.question[t.q.len - 5] = 1; /* version */
	ck_assert_int_eq(exchange(), DNS_BADVERS);
	expect_counts(0, 0);
	t.policy.no_edns = true;
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 1232), DNS_FORMERR);
	ck_assert(!t.m.edns.present);
	ck_assert_int_eq(ask("10-0-0-1" ZONE, DNS_TYPE_A, 0), DNS_NOERROR);
	expect_counts(1, 0);
}
END_TEST

START_TEST(other_classes_are_refused)
{
	write_question("10-0-0-1" ZONE, DNS_TYPE_A, 0);
	t.question[t.q.len - 1] = DNS_CLASS_CH;
	ck_assert_int_eq(exchange(), DNS_REFUSED);
	t.question[t.q.len - 1] = DNS_CLASS_ANY;
	ck_assert_int_eq(exchange(), DNS_NOERROR);
}
END_TEST

START_TEST(garbage_gets_no_answer)
{
	/* Short headers and answers: nothing comes back. */
	write_question("10-0-0-1" ZONE, DNS_TYPE_A, 0);
	size_t whole = t.q.len;
	for (t.q.len = 0; t.q.len < DNS_HEADER_LEN; t.q.len++) {
		ck_assert_int_eq(exchange(), -1);
		ck_assert_int_eq(t.verdict, FAKE_GARBAGE);
	}
	t.question[2] |= 0x80;
	t.q.len = whole;
	ck_assert_int_eq(exchange(), -1);
	ck_assert_int_eq(t.verdict, FAKE_GARBAGE);
	t.question[2] &= 0x7f;
	/* Anything else cut short, or too long: FORMERR. */
	for (t.q.len = DNS_HEADER_LEN; t.q.len < whole; t.q.len++) {
		ck_assert_int_eq(exchange(), DNS_FORMERR);
		ck_assert_int_eq(t.verdict, FAKE_GARBAGE);
	}
	t.q.len = whole + 1;
	ck_assert_int_eq(exchange(), DNS_FORMERR);
	t.q.len = whole;
	t.question[5] = 0; /* no question, but its bytes */
	ck_assert_int_eq(exchange(), DNS_FORMERR);
	t.q.len = DNS_HEADER_LEN; /* no question at all */
	ck_assert_int_eq(exchange(), DNS_FORMERR);
	ck_assert_int_eq(t.verdict, FAKE_GARBAGE);
	t.q.len = whole;
	t.question[5] = 2;
	ck_assert_int_eq(exchange(), DNS_FORMERR);
}
END_TEST

START_TEST(other_opcodes_are_notimp)
{
	for (unsigned opcode = 1; opcode < 16; opcode++) {
		write_question("10-0-0-1" ZONE, DNS_TYPE_A, 0);
		t.question[2] = (uint8_t)(t.question[2] | opcode << 3);
		ck_assert_int_eq(exchange(), DNS_NOTIMP);
		ck_assert_uint_eq(t.m.flags & DNS_OPCODE, opcode << 11);
	}
}
END_TEST

/* Any bytes: no crash, and what goes out is a message that fits. */
START_TEST(random_bytes_do_no_harm)
{
	uint32_t x = 1;

	for (unsigned round = 0; round < 50000; round++) {
		write_question(
		    round % 2 == 0 ? "cname-9-many-40" ZONE : "1.2.e164.arpa", DNS_TYPE_A, 700);
		for (unsigned i = 0; i < 1 + round % 4; i++) {
			x = x * 1664525 + 1013904223;
			t.question[2 + (x >> 8) % (t.q.len - 2)] = (uint8_t)(x >> 24);
		}
		size_t len = fake_answer(&t.policy, &t.q, t.answer, 4096, &t.verdict);
		ck_assert_uint_le(len, 4096);
		if (len > 0)
			ck_assert_int_eq(msg_parse(&t.m, t.answer, len), MSG_OK);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, start, NULL);
	tcase_add_loop_test(tc, address_names_have_their_address, 0, N_OF(addresses));
	tcase_add_test(tc, aaaa_of_all);
	tcase_add_loop_test(tc, aaaa_by_name, 0, 2);
	tcase_add_test(tc, aaaa_of_none);
	tcase_add_test(tc, aaaa_of_some);
	tcase_add_loop_test(tc, names_with_types_of_their_own, 0, 2);
	tcase_add_test(tc, broken_names_are_silent);
	tcase_add_loop_test(tc, name_decides_the_rcode, 0, N_OF(outcomes));
	tcase_add_loop_test(tc, apex_has_soa_and_ns, 0, 3);
	tcase_add_test(tc, cname_names_make_a_chain);
	tcase_add_test(tc, chain_to_nothing_is_nxdomain);
	tcase_add_test(tc, chain_of_100);
	tcase_add_loop_test(tc, many_names_have_as_many_addresses, 0, 3);
	tcase_add_loop_test(tc, txt_names_have_text_of_that_length, 0, 9);
	tcase_add_test(tc, telephone_number_has_naptr);
	tcase_add_test(tc, numbers_in_the_range_are_there);
	tcase_add_test(tc, share_of_numbers_is_there);
	tcase_add_test(tc, reverse_name_has_ptr);
	tcase_add_loop_test(tc, truncated_by_size, 0, N_OF(limits));
	tcase_add_test(tc, answer_of_the_limit_goes_whole);
	tcase_add_test(tc, truncate_on_demand);
	tcase_add_test(tc, forced_rcode_is_of_its_type);
	tcase_add_test(tc, edns_version_and_size_are_answered);
	tcase_add_test(tc, other_classes_are_refused);
	tcase_add_test(tc, garbage_gets_no_answer);
	tcase_add_test(tc, other_opcodes_are_notimp);
	tcase_add_test(tc, random_bytes_do_no_harm);
}
