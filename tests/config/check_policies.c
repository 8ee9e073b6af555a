/* SPDX-License-Identifier: BSD-2-Clause */
/* D13: what becomes of blocks, and what cannot be: both lines are named. */

#include "config/policies.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dns/name.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

/* The policies of TEXT, about which there is nothing to say. */
static const struct policies *
make(const char *text)
{
	const struct policies *ps = said_make(&said, text, &settings);

	ck_assert_str_eq(said.text, "");
	ck_assert_ptr_nonnull(ps);
	return ps;
}

static const char *
prefix(const struct policy *p, size_t i)
{
	static char text[PREF64_TEXT];

	return i < p->synth.n_prefixes ? pref64_format(&p->synth.prefixes[i], text) : "none";
}

static uint32_t
v4(const struct policy *p, const char *text)
{
	uint8_t addr[4];

	ck_assert_int_eq(inet_pton(AF_INET, text, addr), 1);
	return synth_verdict(&p->synth, addr);
}

static bool
excluded(const struct policy *p, const char *text)
{
	uint8_t addr[16];

	ck_assert_int_eq(inet_pton(AF_INET6, text, addr), 1);
	return synth_excluded(&p->synth, addr);
}

/* The value of the zone that TEXT is in. */
static uint32_t
zone_value(const struct policy *p, const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	struct zonemap_path path;
	size_t at;

	ck_assert_uint_ne(name_from_text(text, name), 0);
	zonemap_path(&path, name, name_len(name));
	return p->zones != NULL ? zonemap_find(p->zones, &path, &at) : ZONEMAP_NONE;
}

static enum policy_zone
zone(const struct policy *p, const char *text)
{
	return policy_zone(zone_value(p, text));
}

/* A copy of what is outside, with its own in place, whatever stands first in the file. */
START_TEST(block_copies_what_it_does_not_replace)
{
	const struct policies *ps = make("client 192.0.2.0/24 {\n"
					 "	hide-a no\n"
					 "	dns64-prefix 2001:db8:2::/96\n"
					 "	synthesize-on nodata\n"
					 "}\n"
					 "hide-a yes\n"
					 "any minimal\n"
					 "max-synthesized 7\n"
					 "reverse local nat64.example.com\n"
					 "dns64-prefix 2001:db8:1::/96\n"
					 "dns64-prefix 2001:db8:3::/96 drain\n"
					 "client 2001:db8::/32 {\n"
					 "	reverse cname\n"
					 "}\n"
					 "client 2001:db9::/32 {\n"
					 "	reverse local x.\n"
					 "}\n");
	const struct policy *p = ps->table;
	char text[NAME_TEXT];

	ck_assert_uint_eq(ps->n, 4);
	ck_assert(p[0].hide_a && !p[1].hide_a && p[2].hide_a);
	ck_assert(p[0].any_minimal && p[1].any_minimal && p[2].any_minimal);
	ck_assert(p[1].synth.max == 7 && p[2].synth.max == 7);
	ck_assert_uint_eq(p[0].triggers, 7);
	ck_assert_uint_eq(p[1].triggers, POLICY_ON_NODATA);
	/* The list is replaced, not added to. */
	ck_assert(
	    p[0].synth.n_prefixes == 2 && p[1].synth.n_prefixes == 1 && p[2].synth.n_prefixes == 2);
	ck_assert_str_eq(prefix(&p[0], 0), "2001:db8:1::/96");
	ck_assert_str_eq(prefix(&p[1], 0), "2001:db8:2::/96");
	ck_assert_uint_eq(p[2].states[1], POLICY_DRAIN);
	ck_assert_uint_eq(p[2].synth.n_general, 1);
	ck_assert_uint_eq(p[1].reverse, POLICY_REVERSE_LOCAL);
	ck_assert_str_eq(name_to_text(p[1].reverse_name, text), "nat64.example.com.");
	ck_assert_uint_eq(p[2].reverse, POLICY_REVERSE_CNAME);
	ck_assert_str_eq(name_to_text(p[3].reverse_name, text), "x.");
}
END_TEST

/* D13: a block has the weights of its own prefixes, else those from outside; 100 by default. */
START_TEST(weights_by_block)
{
	const struct policies *ps = make("dns64-prefix 2001:db8:1::/96 weight 300\n"
					 "dns64-prefix 2001:db8:2::/96\n"
					 "map 10.0.0.0/8 2001:db8:9::/96\n"
					 "prefix-selection client-hash\n"
					 "client 10.0.0.1 {\nhide-a yes\n}\n"
					 "client 10.0.0.2 {\ndns64-prefix 2001:db8:1::/96\n"
					 "dns64-prefix 2001:db8:2::/96\n}\n"
					 "client 10.0.0.3 {\nprefix-selection all\n}\n"
					 "client 10.0.0.4 {\nprefix-selection round-robin\n}\n");
	const struct policy *p = ps->table;

	ck_assert_uint_eq(p[0].choice.weights[0], 300);
	ck_assert_uint_eq(p[0].choice.weights[1], 100);
	ck_assert_uint_eq(p[0].choice.weights[2], 100);
	ck_assert_int_eq(p[0].choice.way, PREFIX_CHOICE_WEIGHTED_CLIENT);
	ck_assert_uint_eq(p[1].choice.weights[0], 300);
	ck_assert_int_eq(p[1].choice.way, PREFIX_CHOICE_WEIGHTED_CLIENT);
	ck_assert_uint_eq(p[2].choice.weights[0], 100);
	ck_assert_int_eq(p[2].choice.way, PREFIX_CHOICE_CLIENT);
	ck_assert_int_eq(p[3].choice.way, PREFIX_CHOICE_FIRST);
	ck_assert_int_eq(p[4].choice.way, PREFIX_CHOICE_WEIGHTED_TURNS);
	ps = make("map 10.0.0.0/8 2001:db8:9::/96\n");
	ck_assert_uint_eq(ps->table[0].choice.weights[0], 100);
	ck_assert_uint_eq(ps->table[0].choice.weights[1], 100);
}
END_TEST

/* D7, D13: exclude-aaaa starts from the default in every block, unless none comes first. */
START_TEST(exclusions_start_from_the_default)
{
	const struct policies *ps = make("exclude-aaaa 2001:db8:a::/48\n"
					 "client 10.0.0.1 {\n}\n"
					 "client 10.0.0.2 {\nexclude-aaaa 2001:db8:b::/48\n}\n"
					 "client 10.0.0.3 {\nexclude-aaaa none\n}\n"
					 "client 10.0.0.4 {\nexclude-aaaa none\n"
					 "exclude-aaaa 2001:db8:c::/48\n}\n"
					 "client 10.0.0.5 {\nexclude-aaaa ::ffff:0:0/96\n}\n");
	const struct policy *p = ps->table;

	ck_assert(excluded(&p[0], "::ffff:1:1") && excluded(&p[0], "2001:db8:a::1"));
	ck_assert_ptr_eq(p[1].synth.excluded, p[0].synth.excluded);
	ck_assert(excluded(&p[2], "::ffff:1:1") && excluded(&p[2], "2001:db8:b::1"));
	ck_assert(!excluded(&p[2], "2001:db8:a::1"));
	ck_assert(!excluded(&p[3], "::ffff:1:1") && !excluded(&p[3], "2001:db8:a::1"));
	ck_assert(!excluded(&p[4], "::ffff:1:1") && excluded(&p[4], "2001:db8:c::1"));
	ck_assert(excluded(&p[5], "::ffff:1:1") && !excluded(&p[5], "2001:db8:a::1"));
}
END_TEST

/* D14: map overrides the table for that very network; other prefixes serve nothing else. */
START_TEST(map_overrides_the_table)
{
	const struct policies *ps = make("dns64-prefix 2001:db8:1::/96\n"
					 "map 10.0.0.0/8 2001:db8:9::/96\n"
					 "map 198.18.0.0/15 none\n"
					 "map 192.0.2.0/24 2001:db8:1::/96\n"
					 "exclude-a 203.0.113.0/24\n");
	const struct policy *p = ps->table;

	ck_assert_uint_eq(p->synth.n_prefixes, 2);
	ck_assert_str_eq(prefix(p, 1), "2001:db8:9::/96");
	ck_assert(!p->mapped_only[0] && p->mapped_only[1]);
	ck_assert(p->synth.n_general == 1 && p->synth.active_bits == 3);
	ck_assert_uint_eq(v4(p, "10.1.2.3"), SYNTH_VIA + 1);
	ck_assert_uint_eq(v4(p, "198.18.0.1"), SYNTH_NEVER);
	ck_assert_uint_eq(v4(p, "192.0.2.1"), SYNTH_VIA);
	ck_assert_uint_eq(v4(p, "203.0.113.1"), SYNTH_NEVER);
	ck_assert_uint_eq(v4(p, "198.51.100.1"), SYNTH_ANY);
	ck_assert_uint_eq(v4(p, "127.0.0.1"), SYNTH_NEVER);
	ck_assert_uint_eq(v4(p, "192.168.0.1"), SYNTH_OWN);
}
END_TEST

/* Places in a map are those of the block's own prefixes; its lines go before those from outside. */
START_TEST(ranges_of_blocks)
{
	const struct policies *ps = make(
	    "dns64-prefix 2001:db8:1::/96\n"
	    "map 10.0.0.0/8 2001:db8:9::/96\n"
	    "exclude-a 203.0.113.0/24\n"
	    "client 10.0.0.1 {\ndns64-prefix 2001:db8:2::/96\ndns64-prefix 2001:db8:3::/96\n}\n"
	    "client 10.0.0.2 {\nexclude-a 10.0.0.0/8\n}\n"
	    "client 10.0.0.3 {\nmap 203.0.113.0/24 2001:db8:1::/96\n}\n"
	    "client 10.0.0.4 {\nhide-a yes\n}\n");
	const struct policy *p = ps->table;

	ck_assert_uint_eq(p[1].synth.n_prefixes, 3);
	ck_assert_str_eq(prefix(&p[1], 2), "2001:db8:9::/96");
	ck_assert_uint_eq(v4(&p[1], "10.0.0.1"), SYNTH_VIA + 2);
	ck_assert_uint_eq(v4(&p[1], "203.0.113.1"), SYNTH_NEVER);
	/* exclude-a of its own, map from outside: but not for what it has itself. */
	ck_assert_uint_eq(v4(&p[2], "10.0.0.1"), SYNTH_NEVER);
	ck_assert_uint_eq(v4(&p[2], "203.0.113.1"), SYNTH_ANY);
	ck_assert_uint_eq(p[2].synth.n_prefixes, 1);
	ck_assert_uint_eq(v4(&p[3], "10.0.0.1"), SYNTH_OWN);
	ck_assert_uint_eq(v4(&p[3], "203.0.113.1"), SYNTH_VIA);
	/* Nothing of its own: the same map, with the same prefixes. */
	ck_assert_ptr_eq(p[4].synth.v4, p[0].synth.v4);
	ck_assert_uint_eq(p[4].synth.n_prefixes, 2);
	ck_assert(p[4].mapped_only[1]);
}
END_TEST

/* Prefixes of its own alone share the map. */
START_TEST(equal_maps_are_shared)
{
	const struct policies *ps = make("exclude-a 203.0.113.0/24\n"
					 "client 10.0.0.1 {\ndns64-prefix 2001:db8:2::/96\n}\n");

	ck_assert_ptr_eq(ps->table[1].synth.v4, ps->table[0].synth.v4);
	ck_assert_str_eq(prefix(&ps->table[1], 0), "2001:db8:2::/96");
}
END_TEST

START_TEST(zones_add_up_per_block)
{
	const struct policies *ps = make("never-synthesize example.com\n"
					 "ignore-aaaa example.net sub.example.com\n"
					 "client 10.0.0.1 {\nignore-aaaa example.com\n}\n"
					 "client 10.0.0.2 {\nhide-a yes\n}\n"
					 "client 10.0.0.3 {\nnever-synthesize example.net\n}\n");
	const struct policy *p = ps->table;

	ck_assert_uint_eq(zone(&p[0], "www.example.com"), POLICY_ZONE_NEVER);
	ck_assert_uint_eq(zone(&p[0], "a.sub.example.com"), POLICY_ZONE_IGNORE_AAAA);
	ck_assert_uint_eq(zone(&p[0], "example.net"), POLICY_ZONE_IGNORE_AAAA);
	ck_assert_uint_eq(zone(&p[0], "example.org"), POLICY_ZONE_NONE);
	/* Its own verdict before that from outside; the list is replaced. */
	ck_assert_uint_eq(zone(&p[1], "example.com"), POLICY_ZONE_IGNORE_AAAA);
	ck_assert_uint_eq(zone(&p[1], "example.net"), POLICY_ZONE_NONE);
	ck_assert_ptr_eq(p[2].zones, p[0].zones);
	ck_assert_uint_eq(zone(&p[3], "example.net"), POLICY_ZONE_NEVER);
	ck_assert_uint_eq(zone(&p[3], "sub.example.com"), POLICY_ZONE_IGNORE_AAAA);
	ck_assert_uint_eq(zone(&p[3], "example.com"), POLICY_ZONE_NONE);
}
END_TEST

/* The line that decides about the address TEXT; 0: none does. */
static unsigned
line_of(const struct policy *p, const char *text)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 0, &a));
	return policy_line(
	    netmap_find(a.family == NETADDR_IPV4 ? p->synth.v4 : p->synth.excluded, &a, 0));
}

/* Who asks why is told the line (D33): with what holds the maps keep where that stands. */
START_TEST(values_keep_their_lines)
{
	const struct policies *ps = make("exclude-a 10.0.0.0/8\n"               /* 1 */
					 "map 10.1.0.0/16 2001:db8:64::/96\n"   /* 2 */
					 "never-synthesize a.test never.test\n" /* 3 */
					 "exclude-aaaa 2001:db8:bad::/48\n"     /* 4 */
					 "client 192.0.2.0/28 {\n"              /* 5 */
					 "exclude-a 10.1.2.0/24\n"              /* 6 */
					 "exclude-aaaa none\n"                  /* 7 */
					 "exclude-aaaa ::/0\n"                  /* 8 */
					 "}\nclient 192.0.2.16/28 {\n"          /* 10 */
					 "never-synthesize b.test\n"            /* 11 */
					 "map 8.0.0.0/8 none\n"                 /* 12 */
					 "exclude-aaaa ::ffff:0:0/96\n}\n");    /* 13 */
	const struct policy *p = ps->table;

	ck_assert_uint_eq(line_of(&p[0], "10.9.0.1"), 1);
	ck_assert_uint_eq(line_of(&p[0], "10.1.2.3"), 2);
	ck_assert_uint_eq(v4(&p[0], "10.1.2.3"), SYNTH_VIA + 1);
	ck_assert_uint_eq(line_of(&p[1], "10.1.2.3"), 6);
	/* A block with exclude-a has not that outside, but its map lines. */
	ck_assert_uint_eq(line_of(&p[1], "10.1.3.3"), 2);
	ck_assert_uint_eq(line_of(&p[1], "10.9.0.1"), 0);
	ck_assert_uint_eq(line_of(&p[2], "10.9.0.1"), 1);
	ck_assert_uint_eq(line_of(&p[2], "10.1.2.3"), 1); /* not by the map line outside */
	ck_assert_uint_eq(line_of(&p[2], "8.8.8.8"), 12);
	ck_assert_uint_eq(line_of(&p[0], "127.0.0.1"), 0);
	ck_assert_uint_eq(line_of(&p[0], "8.8.8.8"), 0);
	ck_assert_uint_eq(line_of(&p[0], "2001:db8:bad::1"), 4);
	ck_assert_uint_eq(line_of(&p[0], "::ffff:192.0.2.1"), 0);
	ck_assert(excluded(&p[0], "::ffff:192.0.2.1"));
	/* Without the default it is the line. */
	ck_assert_uint_eq(line_of(&p[1], "::ffff:192.0.2.1"), 8);
	ck_assert_uint_eq(line_of(&p[2], "::ffff:192.0.2.1"), 13);
	ck_assert_uint_eq(policy_line(zone_value(&p[0], "www.NEVER.test")), 3);
	ck_assert_uint_eq(policy_line(zone_value(&p[1], "a.test")), 3);
	ck_assert_uint_eq(policy_line(zone_value(&p[2], "b.test")), 11);
	ck_assert_uint_eq(zone_value(&p[2], "a.test"), ZONEMAP_NONE);
}
END_TEST

static const uint8_t v4_addr[4] = { 192, 0, 2, 33 };

START_TEST(suffix_goes_to_the_prefixes_it_fits)
{
	const struct policies *ps =
	    make("dns64-prefix 2001:db8::/32\ndns64-suffix ::aa:bbcc:1\n"
		 "map 10.0.0.0/8 2001:db9::/32\n"
		 "client 10.0.0.1 {\ndns64-suffix ::\n}\n"
		 "client 10.0.0.2 {\ndns64-prefix 2001:dba::/32\n}\n"
		 "client 10.0.0.3 {\ndns64-suffix ::2\nmap 10.0.0.0/8 2001:db8::/32\n}\n");
	uint8_t v6[16];

	pref64_embed(&ps->table[0].synth.prefixes[0], v4_addr, v6);
	ck_assert(v6[4] == 192 && v6[15] == 1 && v6[12] == 0xbb);
	pref64_embed(&ps->table[0].synth.prefixes[1], v4_addr, v6);
	ck_assert(v6[3] == 0xb9 && v6[15] == 1);
	pref64_embed(&ps->table[1].synth.prefixes[0], v4_addr, v6);
	ck_assert(v6[15] == 0 && v6[12] == 0);
	pref64_embed(&ps->table[2].synth.prefixes[0], v4_addr, v6);
	ck_assert(v6[3] == 0xba && v6[15] == 1);
	pref64_embed(&ps->table[3].synth.prefixes[0], v4_addr, v6);
	ck_assert(v6[15] == 2 && v6[12] == 0);
	/* It is the same prefix, whatever its suffix. */
	ck_assert_uint_eq(ps->table[3].synth.n_prefixes, 1);
	ck_assert_uint_eq(v4(&ps->table[3], "10.0.0.1"), SYNTH_VIA);
}
END_TEST

struct conflict {
	const char *text;
	const char *said;
};

static const struct conflict conflicts[] = {
	{ "dns64-prefix 2001:db8::/96\n\ndns64-prefix 2001:db8:0::/96\n",
	    "error t.conf:3: dns64-prefix: '2001:db8::/96' is at line 1 already\n" },
	{ "dns64-prefix 2001:db8::/96\ndns64-prefix 2001:db8::/96 down\n",
	    "error t.conf:2: dns64-prefix: '2001:db8::/96' is down here and active at line 1; only "
	    "one of them can hold\n" },
	/* Told once, not for every block. */
	{ "dns64-prefix 2001:db8::/96\ndns64-prefix 2001:db8::/96\nclient 10.0.0.1 {\n}\n",
	    "error t.conf:2: dns64-prefix: '2001:db8::/96' is at line 1 already\n" },
	{ "exclude-aaaa 2001:db8::/32\nexclude-aaaa 2001:db8:0::/32\n",
	    "error t.conf:2: exclude-aaaa: '2001:db8::/32' is at line 1 already\n" },
	{ "map 10.0.0.0/8 none\nmap 10.0.0.0/9 none\nmap 10.0.0.0/8 2001:db8::/96\n",
	    "error t.conf:3: map: '10.0.0.0/8' has a line already, line 1; there can be one\n" },
	{ "map 10.0.0.0/8 2001:db8::/96\nclient 10.0.0.1 {\nhide-a yes\n}\nexclude-a 10.0.0.0/8\n",
	    "error t.conf:5: exclude-a: '10.0.0.0/8' has a line already, line 1; there can be "
	    "one\n" },
	{ "client 10.0.0.1 {\nexclude-a 10.0.0.0/8\nexclude-a 10.0.0.0/8\n}\n",
	    "error t.conf:3: exclude-a: '10.0.0.0/8' has a line already, line 2; there can be "
	    "one\n" },
	{ "ignore-aaaa a.test\nnever-synthesize b.test A.test\n",
	    "error t.conf:2: never-synthesize: 'A.test.' has ignore-aaaa at line 1 already; there "
	    "can "
	    "be one of them\n" },
	{ "ignore-aaaa a.test b.test a.test\n",
	    "error t.conf:1: ignore-aaaa: 'a.test.' has ignore-aaaa at line 1 already; there can "
	    "be "
	    "one of them\n" },
	{ "dns64-suffix ::1\n",
	    "error t.conf:1: dns64-suffix: does not fit the prefix 64:ff9b::/96 (the default); "
	    "allowed "
	    "are bits behind the IPv4 address, which a /96 does not have, but for bits 64 to "
	    "71\n" },
	{ "dns64-prefix 2001:db8::/32\ndns64-suffix ::1\nclient 10.0.0.1 {\n"
	  "dns64-prefix 2001:db8::/96\n}\n",
	    "error t.conf:2: dns64-suffix: does not fit the prefix 2001:db8::/96 (line 4); allowed "
	    "are "
	    "bits behind the IPv4 address, which a /96 does not have, but for bits 64 to 71\n" },
	{ "client 10.0.0.0/8 {\n}\nclient 192.0.2.1 10.0.0.0/8 {\n}\n",
	    "error t.conf:3: client: '10.0.0.0/8' is there, at line 1 already; a network is in one "
	    "block\n" },
	{ "client 10.0.0.0/8 10.0.0.0/8 {\n}\n",
	    "error t.conf:1: client: '10.0.0.0/8' is here, at line 1 already; a network is in one "
	    "block\n" },
	/* No error: */
	{ "dns64-prefix 2001:db8::/96 down\ndns64-prefix 2001:db9::/96 drain\n",
	    "warning t.conf:1: dns64-prefix: no prefix is active: there is DNS64 only where a map "
	    "line "
	    "names one\n" },
	{ "client 10.0.0.1 {\ndns64-prefix 2001:db8::/96 down\n}\n",
	    "warning t.conf:2: dns64-prefix: no prefix is active: the clients of this block have "
	    "DNS64 "
	    "only where a map line names one\n" },
	{ "never-synthesize x.localhost\nignore-aaaa 10.in-addr.arpa\nclient 10.0.0.1 {\n}\n",
	    "notice t.conf:1: never-synthesize: 'x.localhost.' has no effect: the special names at "
	    "and "
	    "below localhost. are answered here\n" },
	{ "ignore-aaaa 10.in-addr.arpa\nlocal-zones yes\n",
	    "notice t.conf:1: ignore-aaaa: '10.in-addr.arpa.' has no effect: the special names at "
	    "and "
	    "below 10.in-addr.arpa. are answered here\n" },
};

START_TEST(contradictions_of_lines_are_told)
{
	const struct policies *ps = said_make(&said, conflicts[_i].text, &settings);

	ck_assert_str_eq(said.text, conflicts[_i].said);
	ck_assert_int_eq(ps == NULL, said.n_errors > 0);
}
END_TEST

/* D14: all configured prefixes down never means the Well-Known one. */
START_TEST(prefixes_that_are_down_do_not_mean_well_known)
{
	const struct policies *ps =
	    said_make(&said, "dns64-prefix 2001:db8::/96 down\n", &settings);

	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(ps->table[0].synth.n_prefixes, 1);
	ck_assert_uint_eq(ps->table[0].synth.active_bits, 0);
}
END_TEST

/* N lines FORMAT of a number, behind TEXT. */
static char *
many(const char *text, const char *format, unsigned n)
{
	size_t cap = strlen(text) + n * 160 + 1, len = strlen(text);
	char *all = malloc(cap);

	ck_assert_ptr_nonnull(all);
	memcpy(all, text, len + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	for (unsigned i = 1; i <= n; i++)
		len += (size_t)snprintf(all + len, cap - len, format, i, i);
#pragma GCC diagnostic pop
	return all;
}

START_TEST(prefixes_up_to_the_limit)
{
	char *text = many("", "dns64-prefix 2001:db8:%x::/96\n", POLICY_MAX_PREFIXES);

	ck_assert_uint_eq(make(text)->table[0].synth.n_prefixes, POLICY_MAX_PREFIXES);
	free(text);
	text = many("map 10.0.0.0/8 2001:db8::/96\n", "dns64-prefix 2001:db8:%x::/96\n",
	    POLICY_MAX_PREFIXES);
	ck_assert_ptr_null(said_make(&said, text, &settings));
	ck_assert_str_eq(said.text,
	    "error t.conf:1: map: there can be 32 prefixes at most, those of map lines included\n");
	free(text);
	text = many("", "dns64-prefix 2001:db8:%x::/96\n", POLICY_MAX_PREFIXES + 1);
	ck_assert_ptr_null(said_make(&said, text, &settings));
	ck_assert_str_eq(said.text,
	    "error t.conf:33: dns64-prefix: there can be 32 prefixes at most, "
	    "those of map lines included\n");
	free(text);
}
END_TEST

/* D15: hosts follow a prefix that is checked within minutes, unless a line has another limit. */
START_TEST(ttl_of_prefixes_that_are_checked)
{
	const struct policies *ps =
	    make("client 192.0.2.1 {\nprefix-check icmp 198.51.100.1\n}\n"
		 "client 192.0.2.2 {\nprefix-check icmp 198.51.100.1\nsynthesized-max-ttl 0\n}\n");

	ck_assert_uint_eq(ps->table[0].max_ttl, 0);
	ck_assert_uint_eq(ps->table[1].max_ttl, POLICY_TTL_CHECKED);
	ck_assert_uint_eq(ps->table[2].max_ttl, 0);
	ps = make("prefix-check icmp 198.51.100.1\nclient 192.0.2.1 {\nprefix-check none\n}\n"
		  "client 192.0.2.2 {\nsynthesized-max-ttl 900\n}\nclient 192.0.2.3 {\n}\n");
	ck_assert_uint_eq(ps->table[0].max_ttl, POLICY_TTL_CHECKED);
	ck_assert_uint_eq(ps->table[1].max_ttl, 0);
	ck_assert_uint_eq(ps->table[2].max_ttl, 900);
	ck_assert_uint_eq(ps->table[3].max_ttl, POLICY_TTL_CHECKED);
}
END_TEST

static double
seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* 10,000 zones and 1,000 blocks: nothing is searched for one by one, and little is held twice. */
START_TEST(ten_thousand_zones_are_fast)
{
	char *names = many("", "never-synthesize zone-%u.example.com\n", 10000);
	char *text = many(
	    names, "client 10.%u.0.0/28 {\ndns64-prefix 2001:db8:%x::/96\nhide-a yes\n}\n", 200);
	char *all = many(text, "client 2001:db8:%x::/48 {\nexclude-a 192.0.2.%u\n}\n", 200);
	double before = seconds();
	const struct policies *ps = make(all);

	/* Far above what it takes, far below what it would take. */
	ck_assert_msg(seconds() - before < 1, "%f s", seconds() - before);
	ck_assert_uint_eq(ps->n, 401);
	ck_assert_ptr_eq(ps->table[200].zones, ps->table[0].zones);
	ck_assert_ptr_eq(ps->table[200].synth.v4, ps->table[0].synth.v4);
	ck_assert_uint_eq(zone(&ps->table[400], "a.zone-9999.example.com"), POLICY_ZONE_NEVER);
	free(names);
	free(text);
	free(all);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, block_copies_what_it_does_not_replace);
	tcase_add_test(tc, weights_by_block);
	tcase_add_test(tc, exclusions_start_from_the_default);
	tcase_add_test(tc, map_overrides_the_table);
	tcase_add_test(tc, ranges_of_blocks);
	tcase_add_test(tc, equal_maps_are_shared);
	tcase_add_test(tc, zones_add_up_per_block);
	tcase_add_test(tc, values_keep_their_lines);
	tcase_add_test(tc, suffix_goes_to_the_prefixes_it_fits);
	tcase_add_loop_test(tc, contradictions_of_lines_are_told, 0,
	    (int)(sizeof(conflicts) / sizeof(conflicts[0])));
	tcase_add_test(tc, prefixes_that_are_down_do_not_mean_well_known);
	tcase_add_test(tc, prefixes_up_to_the_limit);
	tcase_add_test(tc, ttl_of_prefixes_that_are_checked);
	tcase_add_test(tc, ten_thousand_zones_are_fast);
}
