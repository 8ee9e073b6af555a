/* SPDX-License-Identifier: BSD-2-Clause */
/* Synthesis and exclusion: RFC 6147 sections 5.1 and 7, RULES D2, D7, D8, D12, D14, D22. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "dns/wire.h"
#include "dns64/synth.h"
#include "support/hex.h"
#include "support/message.h"
#include "support/tests.h"

#define A_IN "0001 0001"
#define AAAA_IN "001c 0001"
#define CNAME_IN "0005 0001"
#define TTL_60 "0000003c"
#define H2 "<h2.example.com>"
#define V4 "0004 c0000201"                                /* 192.0.2.1 */
#define V6 "0010 0064ff9b 00000000 00000000 c0000201"     /* 64:ff9b::192.0.2.1 */
#define MAPPED "0010 00000000 00000000 0000ffff c0000201" /* ::ffff:192.0.2.1 */
#define NATIVE "0010 20010db8 00000000 00000000 00000001" /* 2001:db8::1 */
#define N(array) (sizeof(array) / sizeof(array)[0])

/* 2001:db8::/96, the network-specific prefix of RFC 6147 section 7.3, and the Well-Known Prefix */
#define NSP \
	{ \
		.addr = { 0x20, 0x01, 0x0d, 0xb8 }, .len = 96 \
	}
#define WKP \
	{ \
		.addr = { 0, 0x64, 0xff, 0x9b }, .len = 96, .well_known = true \
	}
static struct netmap excluded; /* ::ffff:0:0/96 */
static struct netmap d14;
#define BY(n, ...) \
	{ \
		.v4 = &d14, .excluded = &excluded, .active_bits = (1U << (n)) - 1, \
		.n_prefixes = (n), .n_general = (n), .general = { 0, 1 }, .prefixes = { \
			__VA_ARGS__ \
		} \
	}
static const struct synth_policy by_wkp = BY(1, WKP);
static const struct synth_policy by_nsp = BY(1, NSP);
static const struct synth_policy by_both = BY(2, WKP, NSP);
static const struct synth_policy by_none = { .n_general = 0 };
static const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
static const struct build_opt plain_opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
static uint8_t in[DNS_MSG_MAX];
static uint8_t out[DNS_MSG_MAX];

/* An answer to the client's AAAA question for the name that M is about. */
static void
start(struct build *b, const struct msg *m)
{
	build_start(b, out, sizeof(out),
	    &(struct build_question){ .id = 0xabcd,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = msg_qname(m),
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
}

/* The AAAA of M's A records under P, all of them. */
static unsigned
make(struct build *b, const struct synth_policy *p, const struct msg *m, const struct answer *a,
    uint32_t ttl_cap)
{
	const struct synth_choice all = { .ttl_cap = ttl_cap };

	return synth_answer(b, p, &all, m, a);
}

static void
read_reply(struct msg *m, struct answer *a, uint16_t qtype, const char *text)
{
	message_read(m, in, sizeof(in), text);
	answer_scan(m, qtype, a);
}

/* --- What is usable --------------------------------------------------------------------------- */

static const struct {
	struct net net;
	const char *v6;
	bool excluded;
} nets[] = {
	{ { { [10] = 0xff, 0xff }, 96, NETADDR_IPV6 }, "00000000 00000000 0000ffff c0000201",
	    true },
	{ { { [10] = 0xff, 0xff }, 96, NETADDR_IPV6 }, "00000000 00000000 0000fffe c0000201",
	    false },
	{ { { [10] = 0xff, 0xff }, 96, NETADDR_IPV6 }, "00000000 00000000 00000000 c0000201",
	    false },
	/* The RFC's "::ffff/96" is not to be taken for ::/96. */
	{ { { [10] = 0xff, 0xff }, 96, NETADDR_IPV6 }, "00000000 00000000 00000000 0000ffff",
	    false },
	{ { { 0 }, 0, NETADDR_IPV6 }, "20010db8 00000000 00000000 00000001", true },
	{ { { 0xfe, 0x80 }, 10, NETADDR_IPV6 }, "febf0000 00000000 00000000 00000001", true },
	{ { { 0xfe, 0x80 }, 10, NETADDR_IPV6 }, "fec00000 00000000 00000000 00000001", false },
	{ { { 0xfe, 0x80 }, 10, NETADDR_IPV6 }, "ff800000 00000000 00000000 00000001", false },
	{ { { 0x20, 0x01, [15] = 1 }, 128, NETADDR_IPV6 }, "20010000 00000000 00000000 00000001",
	    true },
	{ { { 0x20, 0x01, [15] = 1 }, 128, NETADDR_IPV6 }, "20010000 00000000 00000000 00000000",
	    false },
	{ { { 0x20, 0x01 }, 127, NETADDR_IPV6 }, "20010000 00000000 00000000 00000000", true },
};

START_TEST(rfc6147_5_1_4_excluded)
{
	const struct net other = { { 0x12 }, 8, NETADDR_IPV6 };
	struct synth_policy p = { .excluded = NULL };
	struct netmap map;
	uint8_t v6[16];

	netmap_init(&map);
	ck_assert_uint_eq(hex_read(nets[_i].v6, v6, sizeof(v6)), 16);
	ck_assert(!synth_excluded(&p, v6));
	p.excluded = &map;
	ck_assert_int_eq(netmap_add(&map, &other, 1), 0);
	ck_assert(!synth_excluded(&p, v6));
	ck_assert_int_eq(netmap_add(&map, &nets[_i].net, 1), 0);
	ck_assert_uint_eq(synth_excluded(&p, v6), nets[_i].excluded);
	netmap_fini(&map);
}
END_TEST

static const struct {
	const char *reply;
	unsigned n_usable;
	unsigned n_excluded;
	uint32_t excluded_ttl;
} counts[] = {
	{ "1234 8180 0001 0000 0000 0000" H2 AAAA_IN, 0, 0, UINT32_MAX },
	{ "1234 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE, 1, 0,
	    UINT32_MAX },
	{ "1234 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN "0000003d" MAPPED
	  "<H2.example.com>" AAAA_IN TTL_60 MAPPED,
	    0, 2, 60 },
	{ "1234 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE "c00c" AAAA_IN
	  "ffffffff" MAPPED,
	    1, 1, 604800 }, /* D22 */
	/* usable but off the chain, of a wrong length, of another class or type: neither */
	{ "1234 8180 0001 0004 0000 0000" H2 AAAA_IN "c00f" AAAA_IN TTL_60 NATIVE
	  "c00c" AAAA_IN TTL_60 "0004 00000001"
	  "c00c 001c 0003" TTL_60 NATIVE "c00c 001b 0001" TTL_60 NATIVE,
	    0, 0, UINT32_MAX },
	/* excluded counts off the chain, too: it must not go out (rule 6) */
	{ "1234 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE
	  "c00f" AAAA_IN TTL_60 MAPPED,
	    1, 1, UINT32_MAX },
	/* at the end of a chain, which owns nothing else */
	{ "1234 8180 0001 0003 0000 0000" H2 AAAA_IN "c00c" CNAME_IN TTL_60 "0003 {x}"
	  "00"
	  "@47. c02c" AAAA_IN TTL_60 NATIVE "<X>" AAAA_IN TTL_60 MAPPED,
	    1, 1, 60 },
};

START_TEST(rfc6147_5_1_4_count)
{
	struct synth_usable u;
	struct answer a;
	struct msg m;

	read_reply(&m, &a, DNS_TYPE_AAAA, counts[_i].reply);
	synth_count_usable(&by_wkp, &m, &a, &u);
	ck_assert_uint_eq(u.n_usable, counts[_i].n_usable);
	ck_assert_uint_eq(u.n_excluded, counts[_i].n_excluded);
	ck_assert_uint_eq(u.excluded_ttl, counts[_i].excluded_ttl);
}
END_TEST

/* D2: "data, some mappable"; D14: private addresses, by prefix. */
static const struct {
	const struct synth_policy *policy;
	const char *records;
	unsigned n_records;
	bool mapped;
} mappables[] = {
	{ &by_wkp, "", 0, false }, { &by_wkp, "c00c" A_IN TTL_60 V4, 1, true },
	{ &by_none, "c00c" A_IN TTL_60 V4, 1, false },
	{ &by_wkp, "c00c" A_IN TTL_60 "0004 0a000001", 1, false },
	{ &by_nsp, "c00c" A_IN TTL_60 "0004 0a000001", 1, true },
	{ &by_both, "c00c" A_IN TTL_60 "0004 0a000001", 1, true },
	{ &by_both, "c00c" A_IN TTL_60 "0004 7f000001", 1, false },
	{ &by_wkp, "c00c" A_IN TTL_60 "0004 0a000001 c00c" A_IN TTL_60 V4, 2, true },
	{ &by_wkp, "c00c" A_IN TTL_60 "0003 c00002", 1, false },
	{ &by_wkp, "c00c" A_IN TTL_60 "0005 c0000201 00", 1, false },
	{ &by_wkp, "c00c 0001 0003" TTL_60 V4, 1, false },
	{ &by_wkp, "c00f" A_IN TTL_60 V4, 1, false }, /* not the question's name */
};

START_TEST(d14_mapped_addresses_are_counted)
{
	char text[512];
	struct answer a;
	struct build b;
	struct msg m;

	snprintf(text, sizeof(text), "1234 8180 0001 000%u 0000 0000" H2 A_IN "%s",
	    mappables[_i].n_records, mappables[_i].records);
	read_reply(&m, &a, DNS_TYPE_A, text);
	start(&b, &m);
	ck_assert_uint_eq(make(&b, mappables[_i].policy, &m, &a, 60) > 0, mappables[_i].mapped);
}
END_TEST

struct range {
	const char *v4;
	bool specific; /* mapped under a network-specific prefix */
	bool well_known;
};

/* First and last address of each range of D14 and their neighbours. */
static const struct range edges[] = {
	{ "0.0.0.0", false, false },
	{ "0.255.255.255", false, false },
	{ "1.0.0.0", true, true },
	{ "9.255.255.255", true, true },
	{ "10.0.0.0", true, false },
	{ "10.255.255.255", true, false },
	{ "11.0.0.0", true, true },
	{ "100.63.255.255", true, true },
	{ "100.64.0.0", true, false },
	{ "100.127.255.255", true, false },
	{ "100.128.0.0", true, true },
	{ "126.255.255.255", true, true },
	{ "127.0.0.0", false, false },
	{ "127.255.255.255", false, false },
	{ "128.0.0.0", true, true },
	{ "169.253.255.255", true, true },
	{ "169.254.0.0", false, false },
	{ "169.254.255.255", false, false },
	{ "169.255.0.0", true, true },
	{ "172.15.255.255", true, true },
	{ "172.16.0.0", true, false },
	{ "172.31.255.255", true, false },
	{ "172.32.0.0", true, true },
	{ "191.255.255.255", true, true },
	{ "192.0.0.0", true, false },
	{ "192.0.0.8", true, false },
	{ "192.0.0.9", true, true },  /* PCP anycast (RFC 7723) */
	{ "192.0.0.10", true, true }, /* TURN anycast (RFC 8155) */
	{ "192.0.0.11", true, false },
	{ "192.0.0.169", true, false },
	{ "192.0.0.170", true, true }, /* ipv4only.arpa (RFC 7050) */
	{ "192.0.0.171", true, true },
	{ "192.0.0.172", true, false },
	{ "192.0.0.255", true, false },
	{ "192.0.1.0", true, true },
	{ "192.0.2.33", true, true }, /* documentation: mapped, as in RFC 6147's examples */
	{ "192.88.98.255", true, true },
	{ "192.88.99.0", true, false },
	{ "192.88.99.255", true, false },
	{ "192.88.100.0", true, true },
	{ "192.167.255.255", true, true },
	{ "192.168.0.0", true, false },
	{ "192.168.255.255", true, false },
	{ "192.169.0.0", true, true },
	{ "198.17.255.255", true, true },
	{ "198.18.0.0", true, false },
	{ "198.19.255.255", true, false },
	{ "198.20.0.0", true, true },
	{ "198.51.100.1", true, true }, /* documentation */
	{ "203.0.113.1", true, true },  /* documentation */
	{ "223.255.255.255", true, true },
	{ "224.0.0.0", false, false },
	{ "239.255.255.255", false, false },
	{ "240.0.0.0", false, false },
	{ "255.255.255.255", false, false },
};

START_TEST(d14_ranges_have_exact_ends)
{
	const struct range *r = &edges[_i];
	char text[512];
	uint8_t a4[4];
	struct answer a;
	struct build b;
	struct msg m;

	ck_assert_int_eq(inet_pton(AF_INET, r->v4, a4), 1);
	snprintf(text, sizeof(text),
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN TTL_60 "0004 %02x%02x%02x%02x",
	    a4[0], a4[1], a4[2], a4[3]);
	read_reply(&m, &a, DNS_TYPE_A, text);
	start(&b, &m);
	ck_assert_msg((make(&b, &by_nsp, &m, &a, 60) > 0) == r->specific, "%s", r->v4);
	start(&b, &m);
	ck_assert_msg((make(&b, &by_wkp, &m, &a, 60) > 0) == r->well_known, "%s", r->v4);
	ck_assert_msg(synth_maps(&by_nsp, a4) == r->specific, "%s", r->v4);
	ck_assert_msg(synth_maps(&by_wkp, a4) == r->well_known, "%s", r->v4);
	ck_assert_uint_eq(synth_first(&by_wkp, &m, &a), synth_verdict(&by_wkp, a4));
}
END_TEST

/* RULES D13, D15, several prefixes: what a policy says beside D14. */
static const struct net ten = { { 10 }, 8, NETADDR_IPV4 };
static const struct net doc = { { 192, 0, 2 }, 24, NETADDR_IPV4 };

/* Two A, 192.0.2.1 and 10.0.0.1, as they come out under P by C: "w" or "n" and the last byte. */
static void
expect_made(const struct synth_policy *p, const struct synth_choice *c, const char *want)
{
	char got[64] = "";
	size_t len = 0;
	struct answer a;
	struct build b;
	struct msg m;
	struct msg_walk w;
	struct rr rr;
	struct synth_choice choice = *c;
	uint32_t used = 0, seen = 0;

	choice.used = &used;
	read_reply(&m, &a, DNS_TYPE_A,
	    "1234 8180 0001 0003 0000 0000" H2 A_IN "c00c" A_IN TTL_60
	    "0004 c0000201 c00c" A_IN TTL_60 "0004 0a000002 c00c" A_IN TTL_60 "0004 c0000203");
	start(&b, &m);
	(void)!synth_answer(&b, p, &choice, &m, &a);
	ck_assert_int_eq(msg_parse(&m, out, build_finish(&b, 512, &no_opt)), MSG_OK);
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr)) {
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%c%u ",
		    out[rr.rdata] == 0 ? 'w' : 'n', out[rr.rdata + 15]);
		for (unsigned i = 0; i < p->n_prefixes; i++)
			seen |= pref64_covers(&p->prefixes[i], out + rr.rdata) ? 1U << i : 0;
	}
	ck_assert_str_eq(got, want);
	ck_assert_uint_eq(used, seen);
	if (p->max > 0)
		return;
	/* D33: who wants to know beforehand is told the same. */
	ck_assert_int_eq(
	    synth_maps(p, (const uint8_t[]){ 192, 0, 2, 1 }), strchr(want, '1') != NULL);
	ck_assert_int_eq(
	    synth_maps(p, (const uint8_t[]){ 10, 0, 0, 2 }), strchr(want, '2') != NULL);
}

START_TEST(d13_map_and_exclude_a)
{
	const struct synth_choice c = { .ttl_cap = 60 };
	struct synth_policy p = by_both;
	struct netmap map;

	netmap_init(&map);
	p.v4 = &map;
	expect_made(&p, &c, "w1 n1 w2 n2 w3 n3 ");
	ck_assert_int_eq(netmap_set(&map, &ten, SYNTH_OWN), 0);
	expect_made(&p, &c, "w1 n1 n2 w3 n3 ");
	ck_assert_int_eq(netmap_set(&map, &ten, SYNTH_VIA), 0); /* map overrides D14 */
	expect_made(&p, &c, "w1 n1 w2 w3 n3 ");
	ck_assert_int_eq(netmap_set(&map, &doc, SYNTH_NEVER), 0);
	expect_made(&p, &c, "w2 ");
	ck_assert_uint_eq(synth_verdict(&p, (const uint8_t[]){ 192, 0, 2, 1 }), SYNTH_NEVER);
	ck_assert_int_eq(netmap_set(&map, &doc, SYNTH_VIA + 1), 0);
	expect_made(&p, &c, "n1 w2 n3 ");
	p.active_bits = 1; /* D15: a prefix that is down */
	expect_made(&p, &c, "w2 ");
	netmap_fini(&map);
}
END_TEST

START_TEST(one_prefix_per_answer)
{
	struct synth_choice c = { .ttl_cap = 60 };
	struct synth_policy p = by_both;

	p.one = true;
	/* 10.0.0.2 does not go under the Well-Known one: the next. */
	expect_made(&p, &c, "w1 n2 w3 ");
	c.first = 1;
	expect_made(&p, &c, "n1 n2 n3 ");
}
END_TEST

START_TEST(max_synthesized_is_kept_in_rotation)
{
	struct synth_choice c = { .ttl_cap = 60 };
	struct synth_policy p = by_nsp;

	p.max = 2;
	expect_made(&p, &c, "n1 n2 ");
	c.rotate = 1;
	expect_made(&p, &c, "n2 n3 ");
	c.rotate = 5;
	expect_made(&p, &c, "n3 n1 ");
	p.max = 9;
	expect_made(&p, &c, "n3 n1 n2 ");
	/* header, question, two AAAA of 28 bytes: the third would go over the limit */
	c.limit = 12 + 20 + 2 * 28 + 27;
	expect_made(&p, &c, "n3 n1 ");
	c.limit = 12 + 20 + 3 * 28;
	expect_made(&p, &c, "n3 n1 n2 ");
	c.limit = 40; /* one at least */
	expect_made(&p, &c, "n3 ");
}
END_TEST

/* --- Synthesis -------------------------------------------------------------------------------- */

static const struct answer_case {
	const char *what;
	const struct synth_policy *policy;
	uint32_t ttl_cap;
	const char *reply; /* to the A question */
	unsigned n;
	const char *text;
} answers[] = {
	{ "RFC 6147 7.1, 7.2: 192.0.2.1 under the Well-Known Prefix", &by_wkp, 600,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 V6 },
	{ "RFC 6147 7.3: 2001:db8::192.0.2.1", &by_nsp, 600,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60
	    "0010 20010db8 00000000 00000000 c0000201" },
	{ "5.1.7: the TTL of the SOA, if that is smaller", &by_wkp, 30,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN "0000001e" V6 },
	{ "5.1.7: 600 s without an SOA", &by_wkp, SYNTH_NO_SOA_TTL,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN "00000e10" V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN "00000258" V6 },
	{ "D2: 60 s after a failure", &by_wkp, SYNTH_FAILED_TTL,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN "00000e10" V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 V6 },
	{ "a TTL of 0 stays 0", &by_wkp, 600,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN "00000000" V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN "00000000" V6 },
	{ "D22: a TTL over 604,800, top bit set or not", &by_wkp, UINT32_MAX,
	    "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN "80000000" V4, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN "00093a80" V6 },
	{ "D6: one AAAA per prefix, in their order, address by address", &by_both, 600,
	    "1234 8180 0001 0002 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4 "c00c" A_IN TTL_60
	    "0004 c0000202",
	    4,
	    "abcd 8180 0001 0004 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 V6
	    "c00c" AAAA_IN TTL_60 "0010 20010db8 00000000 00000000 c0000201"
	    "c00c" AAAA_IN TTL_60 "0010 0064ff9b 00000000 00000000 c0000202"
	    "c00c" AAAA_IN TTL_60 "0010 20010db8 00000000 00000000 c0000202" },
	{ "D14: a private address not under the Well-Known Prefix", &by_both, 600,
	    "1234 8180 0001 0002 0000 0000" H2 A_IN "c00c" A_IN TTL_60 "0004 0a000001"
	    "c00c" A_IN TTL_60 V4,
	    3,
	    "abcd 8180 0001 0003 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60
	    "0010 20010db8 00000000 00000000 0a000001"
	    "c00c" AAAA_IN TTL_60 V6 "c00c" AAAA_IN TTL_60
	    "0010 20010db8 00000000 00000000 c0000201" },
	{ "D14: nothing to map", &by_wkp, 600,
	    "1234 8180 0001 0002 0000 0000" H2 A_IN "c00c" A_IN TTL_60 "0004 0a000001"
	    "c00c" A_IN TTL_60 "0004 c0a80001",
	    0, "abcd 8180 0001 0000 0000 0000" H2 AAAA_IN },
	/* Both AAAA grow by 12 bytes; the owners point to the CNAME's RDATA, at 45 in both. */
	{ "5.1.5: a CNAME and two addresses", &by_wkp, 600,
	    "1234 8180 0001 0003 0000 0000" H2 A_IN "@32. c00c" CNAME_IN TTL_60
	    "000d @44. <cdn.example>"
	    "@57. c02c" A_IN TTL_60 V4 "c02c" A_IN TTL_60 "0004 c0000202",
	    2,
	    "abcd 8180 0001 0003 0000 0000" H2 AAAA_IN "@32. c00c" CNAME_IN TTL_60
	    "000d @44. <cdn.example>"
	    "@57. c02c" AAAA_IN TTL_60 V6 "c02c" AAAA_IN TTL_60
	    "0010 0064ff9b 00000000 00000000 c0000202" },
	{ "5.1.5: a chain's TTLs are its own, uncapped", &by_wkp, 30,
	    "1234 8180 0001 0002 0000 0000" H2 A_IN "c00c" CNAME_IN "00015180"
	    "0005 {cd}c00f @49. c02c" A_IN TTL_60 V4,
	    1,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" CNAME_IN "00015180"
	    "0005 {cd}c00f @49. c02c" AAAA_IN "0000001e" V6 },
	{ "the chain first, whatever the order in the reply", &by_wkp, 600,
	    "1234 8180 0001 0004 0000 0000" H2 A_IN "@32. <b.test>" A_IN TTL_60 V4
	    "@54. c00c" CNAME_IN TTL_60 "0004 {a}c022"
	    "@70. c020" A_IN TTL_60 "0004 c0000202"
	    "@86. c042" CNAME_IN TTL_60 "0002 c020",
	    2,
	    "abcd 8180 0001 0004 0000 0000" H2 AAAA_IN "@32. c00c" CNAME_IN TTL_60 "0008 <a.test>"
	    "@52. c02c" CNAME_IN TTL_60 "0004 {b}c02e"
	    "@68. c040" AAAA_IN TTL_60 V6 "@96. c040" AAAA_IN TTL_60
	    "0010 0064ff9b 00000000 00000000 c0000202" },
	{ "RFC 2181 5: an address that is said twice is one", &by_wkp, 600,
	    "1234 8180 0001 0003 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4 "c00c" A_IN TTL_60
	    "0004 c0000202 c00c" A_IN TTL_60 V4,
	    2,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 V6
	    "c00c" AAAA_IN TTL_60 "0010 0064ff9b 00000000 00000000 c0000202" },
	{ "5.1.5: a DNAME and its CNAME; its target is not compressed", &by_wkp, 600,
	    "1234 8180 0001 0003 0000 0000" H2 A_IN "@32. c00f 0027 0001" TTL_60
	    "000a @44. <new.test>"
	    "@54. c00c" CNAME_IN TTL_60 "0005 @66. {h2}c02c"
	    "@71. c042" A_IN TTL_60 V4,
	    1,
	    "abcd 8180 0001 0003 0000 0000" H2 AAAA_IN "@32. c00f 0027 0001" TTL_60
	    "000a <new.test>"
	    "@54. c00c" CNAME_IN TTL_60 "000d @66. <h2.new.test>"
	    "@79. c042" AAAA_IN TTL_60 V6 },
	{ "5.1.5: a DNAME without the CNAME", &by_wkp, 600,
	    "1234 8180 0001 0002 0000 0000" H2 A_IN "@32. c00f 0027 0001" TTL_60
	    "000a @44. <new.test>"
	    "@54. {H2}c02c" A_IN TTL_60 V4,
	    1,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "@32. c00f 0027 0001" TTL_60
	    "000a <new.test>"
	    "@54. <H2.new.test>" AAAA_IN TTL_60 V6 },
	{ "D8: no RRSIG and NSEC; and nothing that is off the chain or no address", &by_wkp, 600,
	    "1234 8180 0001 000a 0000 0000" H2 A_IN "c00c" CNAME_IN TTL_60 "0005 {cd}c00f"
	    "@49. c00c 002e 0001" TTL_60 "0013 0005 0d 02 0000003c 00000002 00000001 0007 00"
	    "@80. c02c" A_IN TTL_60 V4 "c02c 002e 0001" TTL_60
	    "0013 0001 0d 02 0000003c 00000002 00000001 0007 00"
	    "c02c 002f 0001" TTL_60 "0001 00"
	    "<evil.test>" A_IN TTL_60 "0004 c0000263"
	    "<evil.test>" CNAME_IN TTL_60 "0002 c02c"
	    "c02c" A_IN TTL_60 "0003 c00002"
	    "c02c 0001 0003" TTL_60 V4 "c02c 0010 0001" TTL_60 "0002 0178",
	    1,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" CNAME_IN TTL_60
	    "0005 {cd}c00f @49. c02c" AAAA_IN TTL_60 V6 },
};

START_TEST(rfc6147_5_1_answer)
{
	const struct answer_case *c = &answers[_i];
	struct answer a;
	struct build b;
	struct msg m;
	size_t len;

	read_reply(&m, &a, DNS_TYPE_A, c->reply);
	start(&b, &m);
	ck_assert_msg(make(&b, c->policy, &m, &a, c->ttl_cap) == c->n, "%s", c->what);
	len = build_finish(&b, 512, &no_opt);
	message_expect(out, len, c->text);
	message_sound(&m, out, len, 512);
}
END_TEST

/* RFC 6147 5.4 with D24: the client's spelling, though upstream was asked in another. */
START_TEST(d24_owner_has_the_clients_spelling)
{
	struct answer a;
	struct build b;
	struct msg m;

	read_reply(&m, &a, DNS_TYPE_A,
	    "1234 8180 0001 0002 0000 0000 <H2.eXAMPLE.cOm>" A_IN "c00c" CNAME_IN TTL_60
	    "0005 {cd}c00f @49. c02c" A_IN TTL_60 V4);
	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 0xabcd,
		.flags = DNS_QR | DNS_RD | DNS_RA,
		.qname = (const uint8_t *)"\2h2\7example\3com",
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
	ck_assert_uint_eq(make(&b, &by_wkp, &m, &a, 600), 1);
	message_expect(out, build_finish(&b, 512, &no_opt),
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" CNAME_IN TTL_60
	    "0005 {cd}c00f @49. c02c" AAAA_IN TTL_60 V6);
}
END_TEST

/* A reply with N addresses, to the A question; with TARGET at the end of a CNAME. */
static void
read_many(struct msg *m, struct answer *a, unsigned n, const char *target)
{
	static const struct build_opt upstream_opt = { .present = true, .ede = DNS_EDE_NONE };
	static const uint8_t qname[] = "\2h2\7example\3com";
	uint8_t owner[DNS_NAME_MAX];
	uint8_t v4[4];
	struct build b;

	build_start(&b, in, sizeof(in),
	    &(struct build_question){ .id = 0x1234,
		.flags = DNS_QR,
		.qname = qname,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
	hex_read(target, owner, sizeof(owner));
	ck_assert(build_rr_name(&b, MSG_ANSWER, qname, DNS_TYPE_CNAME, DNS_CLASS_IN, 60, owner));
	for (unsigned i = 0; i < n; i++) {
		wire_set_u32(v4, 0xc6336400 + i);
		ck_assert(build_rr(&b, MSG_ANSWER, owner, DNS_TYPE_A, DNS_CLASS_IN, 60, v4, 4));
	}
	ck_assert(build_rr_name(&b, MSG_AUTHORITY, owner, DNS_TYPE_NS, DNS_CLASS_IN, 60, owner));
	ck_assert_int_eq(msg_parse(m, in, build_finish(&b, DNS_MSG_MAX, &upstream_opt)), MSG_OK);
	answer_scan(m, DNS_TYPE_A, a);
}

static const size_t limits[] = { 512, 1232, 4096, 65535 };

/* RFC 6147 5.4: truncation by the final size. 60 A, 1,014 bytes, become 1,734 and more. */
START_TEST(d12_sixty_addresses)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = 29 };
	size_t limit = limits[_i];
	size_t fits = (limit - (32 + 25) - 11) / 28;
	struct answer a;
	struct build b;
	struct msg m;
	size_t len;

	read_many(&m, &a, 60, "<cdn.example>");
	start(&b, &m);
	ck_assert_uint_eq(make(&b, &by_wkp, &m, &a, 600), 60);
	synth_rest(&b, &m);
	len = build_finish(&b, limit, &opt);
	message_sound(&m, out, len, limit);
	answer_scan(&m, DNS_TYPE_AAAA, &a);
	ck_assert_int_eq(a.kind, ANSWER_DATA);
	ck_assert_uint_eq(a.n_data, fits < 60 ? fits : 60);
	ck_assert_uint_eq((m.flags & DNS_TC) != 0, fits < 60);
	ck_assert_uint_eq(m.count[MSG_AUTHORITY], fits >= 60);
	ck_assert(m.edns.present);
	ck_assert_uint_eq(msg_ede(&m), fits < 60 ? DNS_EDE_NONE : 29);
}
END_TEST

/* 2,600 A, 42 KB, would make 73 KB: as many as there may be, and TC. Incidents: arithmetic-2600. */
START_TEST(what_is_over_64k_sets_tc)
{
	struct answer a;
	struct build b;
	struct msg m;
	unsigned n;

	read_many(&m, &a, 2600, "<cdn.example>");
	start(&b, &m);
	n = make(&b, &by_wkp, &m, &a, 600);
	ck_assert_uint_eq(n, (DNS_MSG_MAX - 32 - 25) / 28);
	ck_assert(b.w.full);
	synth_rest(&b, &m);
	message_sound(&m, out, build_finish(&b, DNS_MSG_MAX, &plain_opt), DNS_MSG_MAX);
	ck_assert_uint_eq(m.flags & DNS_TC, DNS_TC);
	/* The last one or none made way for the OPT. */
	ck_assert_uint_ge(m.count[MSG_ANSWER], n);
	ck_assert_uint_eq(m.count[MSG_AUTHORITY], 0);
	ck_assert(m.edns.present);
}
END_TEST

/* --- Exclusion, chains ------------------------------------------------------------------------ */

#define RRSIG_OVER(type) "0013" type "0d 02 0000003c 00000002 00000001 0007 00"

static const struct answer_case filtered[] = {
	{ "5.1.4, D7: mixed, only the good ones, in their order", &by_wkp, 0,
	    "1234 8180 0001 0004 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 MAPPED
	    "c00c" AAAA_IN TTL_60 NATIVE "c00c" AAAA_IN TTL_60 MAPPED "c00c" AAAA_IN TTL_60 V6,
	    2,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE
	    "c00c" AAAA_IN TTL_60 V6 },
	{ "5.1.4: only excluded", &by_wkp, 0,
	    "1234 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 MAPPED, 0,
	    "abcd 8180 0001 0000 0000 0000" H2 AAAA_IN },
	{ "D7: nothing is excluded", &by_none, 0,
	    "1234 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 MAPPED, 1,
	    "abcd 8180 0001 0001 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 MAPPED },
	{ "D8: the RRSIG of the changed set goes, that of the chain stays", &by_wkp, 0,
	    "1234 8180 0001 0005 0000 0000" H2 AAAA_IN "c00c" CNAME_IN TTL_60 "0005 @44. {cd}c00f"
	    "c00c 002e 0001" TTL_60 RRSIG_OVER("0005") "c02c" AAAA_IN TTL_60 MAPPED
						       "c02c" AAAA_IN TTL_60 NATIVE
						       "c02c 002e 0001" TTL_60 RRSIG_OVER("001c"),
	    1,
	    "abcd 8180 0001 0003 0000 0000" H2 AAAA_IN "c00c" CNAME_IN TTL_60 "0005 @44. {cd}c00f"
	    "c00c 002e 0001" TTL_60 RRSIG_OVER("0005") "c02c" AAAA_IN TTL_60 NATIVE },
	{ "D8: the RRSIG of a set that is not changed stays", &by_wkp, 0,
	    "1234 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE
	    "c00c 002e 0001" TTL_60 RRSIG_OVER("001c"),
	    1,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00c" AAAA_IN TTL_60 NATIVE
	    "c00c 002e 0001" TTL_60 RRSIG_OVER("001c") },
	{ "5.1.4: excluded ones are never sent, wherever they stand; nor is rubbish", &by_wkp, 0,
	    "1234 8180 0001 0005 0000 0000" H2 AAAA_IN "c00f" AAAA_IN TTL_60 MAPPED
	    "c00c" AAAA_IN TTL_60 "0003 000000"
	    "c00c 002e 0001" TTL_60 "0001 00"
	    "c00f" AAAA_IN TTL_60 V6 "c00c" AAAA_IN TTL_60 NATIVE,
	    1,
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "c00f" AAAA_IN TTL_60 V6
	    "c00c" AAAA_IN TTL_60 NATIVE },
};

START_TEST(rfc6147_5_1_4_filtered)
{
	const struct answer_case *c = &filtered[_i];
	struct answer a;
	struct build b;
	struct msg m;
	size_t len;

	read_reply(&m, &a, DNS_TYPE_AAAA, c->reply);
	start(&b, &m);
	ck_assert_msg(synth_filtered(&b, c->policy, &m, &a) == c->n, "%s", c->what);
	len = build_finish(&b, 512, &no_opt);
	message_expect(out, len, c->text);
	message_sound(&m, out, len, 512);
}
END_TEST

#define CHAIN \
	"1234 8180 0001 0003 0001 0000" H2 A_IN "@32. c00c" CNAME_IN TTL_60 "0005 @44. {cd}c00f" \
	"@49. c02c 002e 0001" TTL_60 "0013 0005 0d 02 0000003c 00000002 00000001 0007 00" \
	"@80. c02c" CNAME_IN TTL_60 "0004 @92. {e}c00f" \
	"@96. c00f 0006 0001 00000e10 001c c00f {hm}c00f 00000001 00000e10 000004b0 00093a80" \
	"0000"

START_TEST(rfc6147_5_1_5_chain)
{
	struct answer a;
	struct build b;
	struct msg m;

	read_reply(&m, &a, DNS_TYPE_A, CHAIN "012c 00");
	ck_assert_uint_eq(a.n_steps, 2);
	start(&b, &m);
	ck_assert(!synth_soa(&b, &m, &a, 17)); /* a byte is left over */
	ck_assert(synth_chain(&b, &m, &a));
	message_expect(out, build_finish(&b, 512, &no_opt),
	    "abcd 8180 0001 0002 0000 0000" H2 AAAA_IN "@32. c00c" CNAME_IN TTL_60
	    "0005 @44. {cd}c00f"
	    "@49. c02c" CNAME_IN TTL_60 "0004 {e}c00f");
	/* With room for one only */
	start(&b, &m);
	b.w.cap = 60;
	ck_assert(!synth_chain(&b, &m, &a));
	ck_assert(b.w.full);
	ck_assert_uint_eq(b.count[MSG_ANSWER], 1);
}
END_TEST

/* RFC 4035 section 3.1.3: of the answer section signatures over the chain, of authority the proof.
 */
START_TEST(proof_of_a_negative_reply)
{
#define RRSIG(covers) "c00c 002e 0001" TTL_60 "0004 " covers "0d02"
#define REPLY_HEAD "1234 8180 0001 0004 0006 0000" H2 AAAA_IN
	struct answer a;
	struct build b;
	struct msg m;

	read_reply(&m, &a, DNS_TYPE_AAAA,
	    REPLY_HEAD RRSIG("0005") RRSIG("001c")
		RRSIG("0027") "c00c 002e 0001" TTL_60 "0001 00"
			      "c00f 002f 0001 00000009 0001 00" RRSIG(
				  "0002") "c00c 0032 0001" TTL_60 "0001 00" RRSIG("0006")
				  RRSIG("0032") "c00f 0002 0001" TTL_60 "0002 c00c");
	start(&b, &m);
	synth_signatures(&b, &m);
	synth_proof(&b, &m, 10);
	message_expect(out, build_finish(&b, 512, &no_opt),
	    "abcd 8180 0001 0002 0004 0000" H2 AAAA_IN RRSIG("0005")
		RRSIG("0027") "c00f 002f 0001 00000009 0001 00"
			      "c00c 0032 0001 0000000a 0001 00"
			      "c00c 002e 0001 0000000a 0004 0006 0d02"
			      "c00c 002e 0001 0000000a 0004 0032 0d02");
}
END_TEST

START_TEST(reply_without_chain_adds_nothing)
{
	struct answer a;
	struct build b;
	struct msg m;

	read_reply(
	    &m, &a, DNS_TYPE_A, "1234 8180 0001 0001 0000 0000" H2 A_IN "c00c" A_IN TTL_60 V4);
	start(&b, &m);
	ck_assert(synth_chain(&b, &m, &a));
	ck_assert_uint_eq(b.count[MSG_ANSWER], 0);
	ck_assert(!synth_soa(&b, &m, &a, 17));
}
END_TEST

/* --- The other sections ----------------------------------------------------------------------- */

/*
 * The NS's names point into the answer section, glue to the NS's RDATA: behind the AAAA all of
 * it stands 12 bytes later.
 */
START_TEST(rfc6147_5_4_rest)
{
	struct answer a;
	struct build b;
	struct msg m;
	size_t len;

	read_reply(&m, &a, DNS_TYPE_A,
	    "1234 8180 0001 0002 0004 0003" H2 A_IN "@32. c00c" CNAME_IN TTL_60
	    "000a @44. <cdn.test>"
	    "@54. c02c" A_IN TTL_60 V4 "@70. c030 0002 0001" TTL_60 "0005 @82. {ns}c02c"
	    "@87. c030 002e 0001" TTL_60 RRSIG_OVER(
		"0002") "@118. c030 002f 0001" TTL_60 "0001 00"
			"@131. c030 0032 0001" TTL_60 "0001 00"
			"@144. c052" A_IN TTL_60 "0004 c0000263"
			"@160. c052 002e 0001" TTL_60 RRSIG_OVER(
			    "0001") "00 0029 1000 00008000 0000");
	start(&b, &m);
	ck_assert_uint_eq(make(&b, &by_wkp, &m, &a, 600), 1);
	synth_rest(&b, &m);
	len = build_finish(&b, 512, &plain_opt);
	message_expect(out, len,
	    "abcd 8180 0001 0002 0001 0003" H2 AAAA_IN "@32. c00c" CNAME_IN TTL_60
	    "000a @44. <cdn.test>"
	    "@54. c02c" AAAA_IN TTL_60 V6 "@82. c030 0002 0001" TTL_60 "0005 @94. {ns}c02c"
	    "@99. c05e" A_IN TTL_60 "0004 c0000263" /* 5.3.2: A stays A here */
	    "c05e 002e 0001" TTL_60 RRSIG_OVER("0001") "00 0029 04d0 00000000 0000");
	message_sound(&m, out, len, 512);
}
END_TEST

static const char *const signatures[] = {
	"<key> 00fa 00ff 00000000 0006 'abcdef'",
	"00 0018 00ff 00000000 0013 0000 05 00 00000000 00000002 00000001 0007 00",
};

START_TEST(signature_is_for_one_hop)
{
	char text[512];
	struct answer a;
	struct build b;
	struct msg m;

	snprintf(text, sizeof(text),
	    "1234 8180 0001 0001 0000 0001" H2 A_IN "c00c" A_IN TTL_60 V4 "%s", signatures[_i]);
	read_reply(&m, &a, DNS_TYPE_A, text);
	start(&b, &m);
	ck_assert_uint_eq(make(&b, &by_wkp, &m, &a, 600), 1);
	synth_rest(&b, &m);
	ck_assert_uint_eq(b.count[MSG_ADDITIONAL], 0);
}
END_TEST

/* What the buffer has no room for of an answer's authority is no reason for TC. */
START_TEST(authority_without_room_is_no_tc)
{
	struct answer a;
	struct build b;
	struct msg m;

	read_many(&m, &a, 20, "<cdn.example>");
	start(&b, &m);
	ck_assert_uint_eq(make(&b, &by_wkp, &m, &a, 600), 20);
	b.w.cap = b.w.len + 11;
	synth_rest(&b, &m);
	ck_assert_uint_eq(b.count[MSG_AUTHORITY], 0);
	message_sound(&m, out, build_finish(&b, DNS_MSG_MAX, &plain_opt), 1024);
	ck_assert_uint_eq(m.flags & DNS_TC, 0);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 21);
	ck_assert(m.edns.present);
}
END_TEST

START_TEST(soa_has_the_ttl_that_is_given)
{
	struct answer a;
	struct build b;
	struct msg m;

	read_reply(&m, &a, DNS_TYPE_A,
	    "1234 8180 0001 0000 0002 0000" H2 A_IN "c00f 0002 0001" TTL_60
	    "0002 c00f c00f 0006 0001 00000e10 001b"
	    "c00f {hm}c00f 00000001 00000e10 000004b0 00093a80 0000012c");
	start(&b, &m);
	ck_assert(synth_soa(&b, &m, &a, 17));
	message_expect(out, build_finish(&b, 512, &no_opt),
	    "abcd 8180 0001 0000 0001 0000" H2 AAAA_IN "c00f 0006 0001 00000011 001b"
	    "c00f {hm}c00f 00000001 00000e10 000004b0 00093a80 0000012c");
	start(&b, &m);
	b.w.cap = b.w.len + 38;
	ck_assert(!synth_soa(&b, &m, &a, 17));
}
END_TEST

/* The tests only read the maps: they are made once. */
static void
make_maps(void)
{
	const struct net mapped = { { [10] = 0xff, 0xff }, 96, NETADDR_IPV6 };
	size_t n_ranges;
	const struct synth_range *ranges = synth_ranges(&n_ranges);

	ck_assert_int_eq(netmap_set(&excluded, &mapped, 1), 0);
	for (size_t i = 0; i < n_ranges; i++)
		ck_assert_int_eq(netmap_set(&d14, &ranges[i].net, ranges[i].v4), 0);
}

static void
free_maps(void)
{
	netmap_fini(&d14);
	netmap_fini(&excluded);
}

void
tests_add(TCase *tc)
{
	tcase_add_unchecked_fixture(tc, make_maps, free_maps);
	tcase_add_loop_test(tc, rfc6147_5_1_4_excluded, 0, (int)N(nets));
	tcase_add_loop_test(tc, rfc6147_5_1_4_count, 0, (int)N(counts));
	tcase_add_loop_test(tc, d14_mapped_addresses_are_counted, 0, (int)N(mappables));
	tcase_add_loop_test(tc, d14_ranges_have_exact_ends, 0, (int)N(edges));
	tcase_add_test(tc, d13_map_and_exclude_a);
	tcase_add_test(tc, one_prefix_per_answer);
	tcase_add_test(tc, max_synthesized_is_kept_in_rotation);
	tcase_add_loop_test(tc, rfc6147_5_1_answer, 0, (int)N(answers));
	tcase_add_test(tc, d24_owner_has_the_clients_spelling);
	tcase_add_loop_test(tc, d12_sixty_addresses, 0, (int)N(limits));
	tcase_add_test(tc, what_is_over_64k_sets_tc);
	tcase_add_loop_test(tc, rfc6147_5_1_4_filtered, 0, (int)N(filtered));
	tcase_add_test(tc, rfc6147_5_1_5_chain);
	tcase_add_test(tc, proof_of_a_negative_reply);
	tcase_add_test(tc, reply_without_chain_adds_nothing);
	tcase_add_test(tc, rfc6147_5_4_rest);
	tcase_add_loop_test(tc, signature_is_for_one_hop, 0, (int)N(signatures));
	tcase_add_test(tc, authority_without_room_is_no_tc);
	tcase_add_test(tc, soa_has_the_ttl_that_is_given);
}
