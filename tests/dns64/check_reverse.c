/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 6147 section 5.3.1; RULES D16 and D17. */

#include "dns64/reverse.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "dns/name.h"
#include "dns/wire.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* One of each length, none under another; then two nested ones. */
static const char *const prefix_texts[] = {
	"2001:db8::/32",
	"2001:db9:100::/40",
	"2001:dba:122::/48",
	"2001:dbb:122:300::/56",
	"2001:dbc:122:344::/64",
	"64:ff9b::/96",
	"2001:db8:64::/96",
	"2001:db8:6400::/40",
};
static struct pref64 prefixes[N_OF(prefix_texts)];

static void
read_prefixes(void)
{
	for (size_t i = 0; i < N_OF(prefix_texts); i++)
		ck_assert_int_eq(pref64_parse(prefix_texts[i], &prefixes[i]), PREF64_OK);
}

static size_t
name(const char *text, uint8_t out[static DNS_NAME_MAX])
{
	size_t len = name_from_text(text, out);

	ck_assert_msg(len > 0, "%s", text);
	return len;
}

/* The ip6.arpa name of the first N nibbles of an address, to OUT. */
static void
ip6_arpa_name(const uint8_t v6[static 16], unsigned n, uint8_t out[static DNS_NAME_MAX])
{
	char text[NAME_TEXT];
	size_t len = 0;

	for (unsigned i = n; i-- > 0;)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%x.",
		    ((unsigned)v6[i / 2] >> (i % 2 == 0 ? 4 : 0)) & 0xfu);
	(void)snprintf(text + len, sizeof(text) - len, "ip6.arpa");
	(void)name(text, out);
}

static enum reverse_kind
find(const char *text, struct reverse *r)
{
	uint8_t q[DNS_NAME_MAX];

	(void)name(text, q);
	memset(r, 0xa5, sizeof(*r));
	reverse_find(q, prefixes, N_OF(prefixes), r);
	return r->kind;
}

struct whole {
	const char *v6;
	unsigned prefix;
};

static const struct whole wholes[] = {
	{ "2001:db8:c000:221::", 0 },
	{ "2001:db9:1c0:2:21::", 1 },
	{ "2001:dba:122:c000:2:2100::", 2 },
	{ "2001:dbb:122:3c0:0:221::", 3 },
	{ "2001:dbc:122:344:c0:2:2100::", 4 },
	{ "64:ff9b::c000:221", 5 },
	/* The longest match decides: these are under 2001:db8::/32 as well. */
	{ "2001:db8:64::c000:221", 6 },
	{ "2001:db8:64c0:2:21::", 7 },
	/* RFC 6052 section 2.3: the suffix is ignored. */
	{ "2001:db8:c000:221:ff:ffff:ffff:ffff", 0 },
	{ "2001:dbc:122:344:c0:2:21ff:ffff", 4 },
};

START_TEST(d16_address_is_found_in_its_name)
{
	static const uint8_t want[4] = { 192, 0, 2, 33 };
	const struct whole *t = &wholes[_i];
	uint8_t v6[16], q[DNS_NAME_MAX];
	struct reverse r;

	ck_assert_int_eq(inet_pton(AF_INET6, t->v6, v6), 1);
	ip6_arpa_name(v6, 32, q);
	reverse_find(q, prefixes, N_OF(prefixes), &r);
	ck_assert_msg(r.kind == REVERSE_ADDRESS, "%s", t->v6);
	ck_assert_ptr_eq(r.prefix, &prefixes[t->prefix]);
	ck_assert_mem_eq(r.v4, want, sizeof(want));
}
END_TEST

/*
 * Each nibble of a whole address changed to each other value: prefix nibbles lead out of the zone,
 * u octet nibbles to NXDOMAIN, those of the IPv4 address to another one, the suffix nowhere.
 */
START_TEST(d16_each_nibble)
{
	struct pref64 p = prefixes[_i];
	uint8_t v4[4] = { 192, 0, 2, 33 }, v6[16], other[16], want[4], q[DNS_NAME_MAX];
	struct reverse r;

	pref64_embed(&p, v4, v6);
	for (unsigned at = 0; at < 32; at++) {
		for (unsigned change = 1; change < 16; change++) {
			memcpy(other, v6, sizeof(v6));
			other[at / 2] = (uint8_t)(other[at / 2] ^ change << (at % 2 == 0 ? 4 : 0));
			ip6_arpa_name(other, 32, q);
			reverse_find(q, &p, 1, &r);
			if (at < p.len / 4u) {
				ck_assert_int_eq(r.kind, REVERSE_NONE);
				ck_assert_ptr_null(r.prefix);
			} else if (at == 16 || at == 17) {
				ck_assert_int_eq(r.kind, REVERSE_NXDOMAIN);
			} else {
				ck_assert_int_eq(r.kind, REVERSE_ADDRESS);
				ck_assert(pref64_extract(&p, other, want));
				ck_assert_mem_eq(r.v4, want, sizeof(want));
			}
		}
	}
}
END_TEST

/* Names of 0 to 31 nibbles: above the apex not ours, from the apex on empty non-terminals. */
START_TEST(d16_empty_non_terminals)
{
	struct pref64 p = prefixes[_i];
	uint8_t v4[4] = { 192, 0, 2, 33 }, v6[16], q[DNS_NAME_MAX];
	struct reverse r;

	pref64_embed(&p, v4, v6);
	for (unsigned n = 0; n < 32; n++) {
		ip6_arpa_name(v6, n, q);
		reverse_find(q, &p, 1, &r);
		ck_assert_msg(r.kind == (n < p.len / 4u ? REVERSE_NONE : REVERSE_NODATA), "%u", n);
		ck_assert_ptr_eq(r.prefix, n < p.len / 4u ? NULL : &p);
	}
}
END_TEST

/* A set u octet ends the existence of all names below it, not of whole addresses only. */
START_TEST(d16_u_octet_in_part_of_a_name)
{
	struct pref64 p = prefixes[_i];
	uint8_t v6[16], q[DNS_NAME_MAX];
	struct reverse r;

	memcpy(v6, p.addr, sizeof(v6));
	for (unsigned bit = 0; p.len <= 64 && bit < 8; bit++) {
		v6[8] = (uint8_t)(0x80u >> bit);
		for (unsigned n = 17 + bit / 4; n < 32; n++) {
			ip6_arpa_name(v6, n, q);
			reverse_find(q, &p, 1, &r);
			ck_assert_msg(r.kind == REVERSE_NXDOMAIN, "bit %u, %u nibbles", bit, n);
		}
	}
}
END_TEST

struct odd {
	const char *name;
	enum reverse_kind kind;
};

#define WKP "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa"

static const struct odd odds[] = {
	{ WKP, REVERSE_NODATA }, /* the apex */
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.B.9.F.F.4.6.0.0.IP6.ARPA", REVERSE_NODATA },
	{ "1.2.2.0.0.0.0.C." WKP, REVERSE_ADDRESS },
	{ "0.1.2.2.0.0.0.0.c." WKP, REVERSE_NXDOMAIN }, /* too long by one nibble */
	{ "www.1.2.2.0.0.0.0.c." WKP, REVERSE_NXDOMAIN },
	{ "_acme.www.1.2.2.0.0.0.0.c." WKP, REVERSE_NXDOMAIN },
	{ "x." WKP, REVERSE_NXDOMAIN },
	{ "g.2.2.0.0.0.0.c." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.cc." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.x.0.0.c." WKP, REVERSE_NXDOMAIN },
	{ "1.21.2.0.0.0.0.c." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.\\000." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.\\099." WKP, REVERSE_ADDRESS }, /* an escaped "c" */
	{ "1.2.2.0.0.0.0./." WKP, REVERSE_NXDOMAIN },    /* the neighbours of 0-9, a-f, A-F */
	{ "1.2.2.0.0.0.0.:." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.@." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.G." WKP, REVERSE_NXDOMAIN },
	{ "1.2.2.0.0.0.0.`." WKP, REVERSE_NXDOMAIN },
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa", REVERSE_NONE }, /* one short */
	{ "1.2.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.x.4.6.0.0.ip6.arpa",
	    REVERSE_NONE },
	{ "1.2.2.0.0.0.0.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.ff.4.6.0.0.ip6.arpa", REVERSE_NONE },
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.int", REVERSE_NONE },
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa.test", REVERSE_NONE },
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.xip6.arpa", REVERSE_NONE },
	{ "33.2.0.192.in-addr.arpa", REVERSE_NONE },
	{ "ip6.arpa", REVERSE_NONE },
	{ "arpa", REVERSE_NONE },
	{ ".", REVERSE_NONE },
};

START_TEST(d16_odd_names)
{
	struct reverse r;

	ck_assert_msg(find(odds[_i].name, &r) == odds[_i].kind, "%s", odds[_i].name);
	ck_assert((r.prefix == NULL) == (odds[_i].kind == REVERSE_NONE));
}
END_TEST

/* The most labels a name can have: none may be written beyond the address. */
START_TEST(longest_name_stays_in_the_address)
{
	uint8_t q[DNS_NAME_MAX];
	size_t zone_len = reverse_zone(&prefixes[5], q);
	uint8_t long_name[DNS_NAME_MAX];
	size_t room = (sizeof(long_name) - zone_len) / 2 * 2;
	struct reverse r;

	for (size_t i = 0; i < room; i += 2)
		memcpy(long_name + i,
		    "\1"
		    "f",
		    2);
	memcpy(long_name + room, q, zone_len);
	reverse_find(long_name, prefixes, N_OF(prefixes), &r);
	ck_assert_int_eq(r.kind, REVERSE_NXDOMAIN);
	ck_assert_ptr_eq(r.prefix, &prefixes[5]);
}
END_TEST

START_TEST(without_prefixes_nothing_is_reverse)
{
	uint8_t q[DNS_NAME_MAX];
	struct reverse r;

	(void)name("1.2.2.0.0.0.0.c." WKP, q);
	reverse_find(q, NULL, 0, &r);
	ck_assert_int_eq(r.kind, REVERSE_NONE);
}
END_TEST

struct v4_name {
	uint8_t v4[4];
	const char *name;
};

static const struct v4_name v4_names[] = {
	{ { 192, 0, 2, 33 }, "33.2.0.192.in-addr.arpa" },
	{ { 0, 0, 0, 0 }, "0.0.0.0.in-addr.arpa" },
	{ { 255, 255, 255, 255 }, "255.255.255.255.in-addr.arpa" },
	{ { 9, 10, 99, 100 }, "100.99.10.9.in-addr.arpa" },
	{ { 101, 110, 200, 1 }, "1.200.110.101.in-addr.arpa" },
};

START_TEST(rfc1035_3_5_reverse_name)
{
	uint8_t want[DNS_NAME_MAX], got[DNS_NAME_MAX];
	size_t len = name(v4_names[_i].name, want);

	ck_assert_uint_eq(reverse_name(v4_names[_i].v4, got), len);
	ck_assert_mem_eq(got, want, len);
}
END_TEST

START_TEST(zone_of_each_prefix)
{
	uint8_t want[DNS_NAME_MAX], got[DNS_NAME_MAX];
	struct reverse r;

	ip6_arpa_name(prefixes[_i].addr, prefixes[_i].len / 4, want);
	ck_assert_uint_eq(reverse_zone(&prefixes[_i], got), name_len(want));
	ck_assert_mem_eq(got, want, name_len(want));
	reverse_find(got, prefixes, N_OF(prefixes), &r);
	ck_assert_int_eq(r.kind, REVERSE_NODATA);
	ck_assert_ptr_eq(r.prefix, &prefixes[_i]);
}
END_TEST

/* A reply to the PTR question for 192.0.2.33, made record by record. */
struct reply {
	struct build b;
	uint8_t buf[4096];
	struct msg m;
	struct answer a;
};

static void
reply_start(struct reply *r)
{
	uint8_t q[DNS_NAME_MAX];

	(void)name("33.2.0.192.in-addr.arpa", q);
	build_start(&r->b, r->buf, sizeof(r->buf),
	    &(struct build_question){ .id = 1,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = q,
		.qtype = DNS_TYPE_PTR,
		.qclass = DNS_CLASS_IN });
}

static void
reply_add(struct reply *r, const char *owner, uint16_t type, uint32_t ttl, const char *to)
{
	uint8_t from[DNS_NAME_MAX], target[DNS_NAME_MAX];

	(void)name(owner, from);
	(void)name(to, target);
	ck_assert(build_rr_name(&r->b, MSG_ANSWER, from, type, DNS_CLASS_IN, ttl, target));
}

static void
reply_end(struct reply *r)
{
	struct build_opt none = { .present = false };
	size_t len = build_finish(&r->b, sizeof(r->buf), &none);

	ck_assert_int_eq(msg_parse(&r->m, r->buf, len), MSG_OK);
	answer_scan(&r->m, DNS_TYPE_PTR, &r->a);
	ck_assert_int_eq(r->a.kind, ANSWER_DATA);
}

/* Our answer to the client's ip6.arpa question. */
static void
client_answer(struct reply *r, struct reply *out)
{
	struct build_opt none = { .present = false };
	uint8_t q[DNS_NAME_MAX];

	(void)name("1.2.2.0.0.0.0.c." WKP, q);
	build_start(&out->b, out->buf, sizeof(out->buf),
	    &(struct build_question){ .id = 2,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = q,
		.qtype = DNS_TYPE_PTR,
		.qclass = DNS_CLASS_IN });
	ck_assert(reverse_answer(&out->b, q, &r->m, &r->a));
	size_t len = build_finish(&out->b, sizeof(out->buf), &none);
	ck_assert_int_eq(msg_parse(&out->m, out->buf, len), MSG_OK);
}

static void
expect_rr(const struct msg *m, struct rr *rr, const char *owner, uint16_t type, uint32_t ttl,
    const char *to)
{
	uint8_t want[DNS_NAME_MAX], got[DNS_NAME_MAX];

	(void)name(owner, want);
	ck_assert_uint_gt(msg_owner(m, rr, got), 0);
	ck_assert(name_equal(got, want));
	ck_assert_uint_eq(rr->type, type);
	ck_assert_uint_eq(rr->class, DNS_CLASS_IN);
	ck_assert_uint_eq(rr->ttl, ttl);
	(void)name(to, want);
	ck_assert_uint_gt(msg_rdata_name(m, rr, 0, got), 0);
	ck_assert(name_equal(got, want));
}

START_TEST(d16_cname_and_ptr)
{
	static const uint32_t ttls[][2] = { { 3600, 600 }, { 600, 600 }, { 59, 59 }, { 0, 0 } };
	struct reply r, out;
	struct rr rr;

	reply_start(&r);
	reply_add(&r, "33.2.0.192.in-addr.arpa", DNS_TYPE_PTR, ttls[_i][0], "host.example.");
	reply_end(&r);
	client_answer(&r, &out);
	ck_assert_uint_eq(out.m.count[MSG_ANSWER], 2);
	rr = message_record(&out.m, MSG_ANSWER, 0);
	expect_rr(&out.m, &rr, "1.2.2.0.0.0.0.c." WKP, DNS_TYPE_CNAME, ttls[_i][1],
	    "33.2.0.192.in-addr.arpa");
	rr = message_record(&out.m, MSG_ANSWER, 1);
	expect_rr(
	    &out.m, &rr, "33.2.0.192.in-addr.arpa", DNS_TYPE_PTR, ttls[_i][0], "host.example.");
}
END_TEST

/* RFC 2317: the target is itself a CNAME; ours points to the end of its chain (RFC 6147 5.3.1). */
START_TEST(d16_end_of_chain)
{
	struct reply r, out;
	struct rr rr;

	reply_start(&r);
	reply_add(
	    &r, "33.2.0.192.in-addr.arpa", DNS_TYPE_CNAME, 300, "33.32-63.2.0.192.in-addr.arpa");
	reply_add(&r, "33.32-63.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 400, "a.example.");
	reply_add(&r, "33.32-63.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 400, "b.example.");
	reply_add(&r, "34.32-63.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 1, "stranger.example.");
	reply_end(&r);
	client_answer(&r, &out);
	ck_assert_uint_eq(out.m.count[MSG_ANSWER], 3);
	rr = message_record(&out.m, MSG_ANSWER, 0);
	expect_rr(&out.m, &rr, "1.2.2.0.0.0.0.c." WKP, DNS_TYPE_CNAME, 300,
	    "33.32-63.2.0.192.in-addr.arpa");
	rr = message_record(&out.m, MSG_ANSWER, 1);
	expect_rr(&out.m, &rr, "33.32-63.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 400, "a.example.");
	rr = message_record(&out.m, MSG_ANSWER, 2);
	expect_rr(&out.m, &rr, "33.32-63.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 400, "b.example.");
}
END_TEST

START_TEST(reverse_answer_that_does_not_fit_is_told)
{
	uint8_t q[DNS_NAME_MAX], small[DNS_UDP_MIN + DNS_OPT_LEN];
	char to[64];
	struct reply r;
	struct build b;

	reply_start(&r);
	for (int i = 0; i < 60; i++) {
		(void)snprintf(to, sizeof(to), "host-%d.example", i);
		reply_add(&r, "33.2.0.192.in-addr.arpa", DNS_TYPE_PTR, 60, to);
	}
	reply_end(&r);
	(void)name("1.2.2.0.0.0.0.c." WKP, q);
	build_start(&b, small, sizeof(small),
	    &(struct build_question){ .id = 2,
		.flags = DNS_QR,
		.qname = q,
		.qtype = DNS_TYPE_PTR,
		.qclass = DNS_CLASS_IN });
	ck_assert(!reverse_answer(&b, q, &r.m, &r.a));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, read_prefixes, NULL);
	tcase_add_loop_test(tc, d16_address_is_found_in_its_name, 0, N_OF(wholes));
	tcase_add_loop_test(tc, d16_each_nibble, 0, N_OF(prefixes));
	tcase_add_loop_test(tc, d16_empty_non_terminals, 0, N_OF(prefixes));
	tcase_add_loop_test(tc, d16_u_octet_in_part_of_a_name, 0, N_OF(prefixes));
	tcase_add_loop_test(tc, d16_odd_names, 0, N_OF(odds));
	tcase_add_test(tc, longest_name_stays_in_the_address);
	tcase_add_test(tc, without_prefixes_nothing_is_reverse);
	tcase_add_loop_test(tc, rfc1035_3_5_reverse_name, 0, N_OF(v4_names));
	tcase_add_loop_test(tc, zone_of_each_prefix, 0, N_OF(prefixes));
	tcase_add_loop_test(tc, d16_cname_and_ptr, 0, 4);
	tcase_add_test(tc, d16_end_of_chain);
	tcase_add_test(tc, reverse_answer_that_does_not_fit_is_told);
}
