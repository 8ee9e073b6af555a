/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes and networks: what good lines become, and the whole text about bad ones. */

#include "config/set_prefix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/policy_lines.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct said_bad bad[] = {
	/* RFC 6052 section 2.2 */
	{ "dns64-prefix 2001:db8::/97",
	    "dns64-prefix: '2001:db8::/97' has a length that RFC 6052 does not "
	    "have; allowed are 32, 40, 48, 56, 64 and 96" },
	{ "dns64-prefix 2001:db8::/72",
	    "dns64-prefix: '2001:db8::/72' has a length that RFC 6052 does not "
	    "have; allowed are 32, 40, 48, 56, 64 and 96" },
	{ "dns64-prefix 192.0.2.0/96",
	    "dns64-prefix: '192.0.2.0/96' is not an IPv6 prefix; allowed is an "
	    "IPv6 address, a slash and a length of 32, 40, 48, 56, 64 or 96" },
	{ "dns64-prefix 2001:db8:1:2:3::",
	    "dns64-prefix: '2001:db8:1:2:3::' is not an IPv6 prefix; allowed "
	    "is an IPv6 address, a slash and a length of 32, 40, 48, 56, 64 or 96" },
	{ "dns64-prefix 2001:db8:dead:beef::96",
	    "dns64-prefix: '2001:db8:dead:beef::96' has no length; did "
	    "you mean 2001:db8:dead:beef::/96? (lengths are 32, 40, 48, 56, 64 and 96)" },
	{ "dns64-prefix 2001:db8:0:1:ffff::/96",
	    "dns64-prefix: '2001:db8:0:1:ffff::/96' has bits 64 to 71 "
	    "set, which RFC 6052 section 2.2 wants zero; a correct prefix is 2001:db8:0:1:ff::/96 "
	    "(the "
	    "translator must use the same)" },
	{ "dns64-prefix 2001:db8:0:1::1/64",
	    "dns64-prefix: '2001:db8:0:1::1/64' has bits set behind its "
	    "length; the prefix of that length is 2001:db8:0:1::/64" },
	/* RFC 6147 section 5.1.4 writes ::ffff/96 and means the mapped addresses. */
	{ "exclude-aaaa ::ffff/96",
	    "exclude-aaaa: '::ffff/96' has bits set behind its length; did you mean "
	    "::ffff:0:0/96?" },
	{ "exclude-aaaa 2001:db8::1/32",
	    "exclude-aaaa: '2001:db8::1/32' has bits set behind its length; did "
	    "you mean 2001:db8::/32?" },
	{ "exclude-aaaa 2001:db8::/200",
	    "exclude-aaaa: '2001:db8::/200' is not an IPv6 network; "
	    "allowed is NETWORK/LENGTH | none" },
	{ "dns64-prefix 2001:db8::/96 up", "dns64-prefix: 'up' is not one of active|drain|down" },
	{ "dns64-prefix 2001:db8::/96 up map",
	    "dns64-prefix: 'up' is not one of active|drain|down" },
	{ "dns64-prefix 2001:db8::/96 down always",
	    "dns64-prefix: 'always' is neither weight nor map, one of which may stand behind the "
	    "state" },
	{ "dns64-prefix 2001:db8::/96 weight 0",
	    "dns64-prefix: the weight '0' is not a number from 1 to 1000" },
	{ "dns64-prefix 2001:db8::/96 drain weight 1001",
	    "dns64-prefix: the weight '1001' is not a number from 1 to 1000" },
	{ "dns64-prefix 2001:db8::/96 weight heavy",
	    "dns64-prefix: the weight 'heavy' is not a number from 1 to 1000" },
	{ "dns64-prefix 2001:db8::/96 weight",
	    "dns64-prefix: there is no number behind weight; allowed is 1 to 1000" },
	{ "dns64-prefix 2001:db8::/96 weight 5 drain",
	    "dns64-prefix: 'drain' is too much; allowed is PREFIX/LENGTH [active|drain|down] "
	    "[weight N | map]" },
	{ "dns64-prefix 2001:db8::/96 weight 5 map",
	    "dns64-prefix: 'map' is too much; allowed is PREFIX/LENGTH [active|drain|down] "
	    "[weight N | map]" },
	{ "dns64-prefix 2001:db8::/96 map weight 5",
	    "dns64-prefix: 'weight' is too much; allowed is PREFIX/LENGTH [active|drain|down] "
	    "[weight N | map]" },
	{ "dns64-suffix 192.0.2.1",
	    "dns64-suffix: '192.0.2.1' is not an IPv6 address; allowed is one "
	    "with the bits behind the IPv4 address, as ::1" },
	{ "exclude-a 2001:db8::/32",
	    "exclude-a: '2001:db8::/32' is not an IPv4 network; allowed is NETWORK/LENGTH" },
	{ "exclude-a 10.1.0.0/8",
	    "exclude-a: '10.1.0.0/8' has bits set behind its length; did you mean 10.0.0.0/8?" },
	{ "exclude-aaaa 10.0.0.0/8",
	    "exclude-aaaa: '10.0.0.0/8' is not an IPv6 network; allowed is "
	    "NETWORK/LENGTH | none" },
	{ "map 10.0.0.0/8",
	    "map: there is no prefix for '10.0.0.0/8'; allowed is NETWORK/LENGTH "
	    "PREFIX/LENGTH|none" },
	{ "map 10.0.0.0/8 2001:db8::1/96",
	    "map: '2001:db8::1/96' has bits set behind its length; the "
	    "prefix of that length is 2001:db8::/96" },
	{ "map 10.0.0.0/8 nowhere",
	    "map: 'nowhere' is not an IPv6 prefix; allowed is an IPv6 address, a slash and a "
	    "length of "
	    "32, 40, 48, 56, 64 or 96" },
	{ "map ::/8 none",
	    "map: '::/8' is not an IPv4 network; allowed is NETWORK/LENGTH "
	    "PREFIX/LENGTH|none" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

static const struct policy_lines *
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
	return policy_lines_at(settings.policy_lines, settings.policy_lines->all.n - 1);
}

/* Not beside those that are for all addresses; one line for each. */
START_TEST(states_in_map_lines)
{
	const struct policy_lines *l = parse_silently("dns64-prefix 2001:db8:1::/96\n"
						      "dns64-prefix 2001:db8:2::/96 map\n"
						      "dns64-prefix 2001:db8:1::/96 down map\n");
	const struct policy_lines_prefix *p = l->vias.items;

	ck_assert_uint_eq(l->prefixes.n, 1);
	ck_assert_uint_eq(l->vias.n, 2);
	ck_assert_int_eq(p[0].state, POLICY_ACTIVE);
	ck_assert_int_eq(p[1].state, POLICY_DOWN);
	settings_fini(&settings);
	(void)said_make(&said,
	    "dns64-prefix 2001:db8::/96 down map\ndns64-prefix 2001:db8::/96 drain map\n",
	    &settings);
	ck_assert_ptr_nonnull(strstr(said.text,
	    "t.conf:2: dns64-prefix: the state of '2001:db8::/96' in map lines is at line 1 "
	    "already"));
}
END_TEST

START_TEST(prefixes_of_all_lengths_are_taken)
{
	static const char *const lengths[] = { "32", "40", "48", "56", "64", "96" };
	const struct policy_lines_prefix *p;
	char line[64], text[PREF64_TEXT];

	for (size_t i = 0; i < 6; i++) {
		snprintf(line, sizeof(line), "dns64-prefix 2001:db8::/%s\n", lengths[i]);
		p = parse_silently(line)->prefixes.items;
		ck_assert_uint_eq(p->prefix.len, strtoul(lengths[i], NULL, 10));
	}
	/* The order is the operator's; D15. */
	p = parse_silently(
	    "dns64-prefix 2001:db8:1::/96 down\ndns64-prefix 64:ff9b::/96\n"
	    "dns64-prefix 2001:db8:2::/96 drain\ndns64-prefix 2001:db8:3::/96 active\n")
		->prefixes.items;
	ck_assert_str_eq(pref64_format(&p[0].prefix, text), "2001:db8:1::/96");
	ck_assert(p[1].prefix.well_known);
	ck_assert_int_eq(p[0].state, POLICY_DOWN);
	ck_assert_int_eq(p[1].state, POLICY_ACTIVE);
	ck_assert_int_eq(p[2].state, POLICY_DRAIN);
	ck_assert_int_eq(p[3].state, POLICY_ACTIVE);
	ck_assert_uint_eq(p[2].line, 3);
}
END_TEST

START_TEST(weights)
{
	const struct policy_lines_prefix *p =
	    parse_silently("dns64-prefix 2001:db8:1::/96\ndns64-prefix 2001:db8:2::/96 weight 1\n"
			   "dns64-prefix 2001:db8:3::/96 drain weight 1000\n")
		->prefixes.items;
	char text[POLICY_LINES_WORDS];

	ck_assert_uint_eq(p[0].weight, 100);
	ck_assert_uint_eq(p[1].weight, 1);
	ck_assert_int_eq(p[1].state, POLICY_ACTIVE);
	ck_assert_str_eq(policy_lines_words(&p[0], text), "active");
	ck_assert_str_eq(policy_lines_words(&p[1], text), "active weight 1");
	ck_assert_str_eq(policy_lines_words(&p[2], text), "drain weight 1000");
}
END_TEST

START_TEST(exclusions_are_kept)
{
	const struct policy_lines *lines = parse_silently("exclude-aaaa 2001:db8::/32\n");

	ck_assert(lines->excluded.n == 1 && !lines->excluded_none);
	lines = parse_silently("exclude-aaaa none\n");
	ck_assert(lines->excluded.n == 0 && lines->excluded_none);
	lines = parse_silently("exclude-aaaa none\nexclude-aaaa 2001:db8::/32\n");
	ck_assert(lines->excluded.n == 1 && lines->excluded_none);
	said_parse(&said, "exclude-aaaa 2001:db8::/32\nexclude-aaaa none\n", &settings);
	ck_assert_str_eq(said.text,
	    "error t.conf:2: exclude-aaaa: none takes the default away and must "
	    "come first, once\n");
	/* First in its block, whatever there is outside (D13). */
	lines = parse_silently("exclude-aaaa 2001:db8::/32\nclient ::/0 {\nexclude-aaaa none\n}\n");
	ck_assert(lines->excluded_none);
}
END_TEST

START_TEST(ranges_are_kept)
{
	const struct policy_lines *lines =
	    parse_silently("exclude-a 192.0.2.1\nmap 10.0.0.0/8 none\n"
			   "map 0.0.0.0/0 2001:db8::/96\ndns64-suffix ::1\n");
	const struct policy_lines_range *r = lines->ranges.items;

	ck_assert_uint_eq(lines->ranges.n, 3);
	ck_assert(r[0].kind == POLICY_LINES_EXCLUDE_A && r[0].never && r[0].net.len == 32);
	ck_assert(r[1].kind == POLICY_LINES_MAP && r[1].never && r[1].net.addr[0] == 10);
	ck_assert(
	    r[2].kind == POLICY_LINES_MAP && !r[2].never && r[2].via.len == 96 && r[2].line == 3);
	ck_assert(lines->has_suffix && lines->suffix[15] == 1 && lines->suffix_line == 4);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, bad_values_are_told, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, states_in_map_lines);
	tcase_add_test(tc, prefixes_of_all_lengths_are_taken);
	tcase_add_test(tc, weights);
	tcase_add_test(tc, exclusions_are_kept);
	tcase_add_test(tc, ranges_are_kept);
}
