/* SPDX-License-Identifier: BSD-2-Clause */
/* Which line decides: D13 and D23 by the text of the configuration; held against the policies made
 * of it. */

#include "config/conf_decision.h"

#include <string.h>

#include "dns/name.h"
#include "support/said.h"
#include "support/tests.h"

static const char configuration[] = "nameserver 192.0.2.1\n"               /* 1 */
				    "exclude-a 10.0.0.0/8\n"               /* 2 */
				    "map 10.1.0.0/16 2001:db8:64::/96\n"   /* 3 */
				    "never-synthesize a.test never.test\n" /* 4 */
				    "exclude-aaaa 2001:db8:bad::/48\n"     /* 5 */
				    "allow 192.0.2.0/24 2001:db8::/32\n"   /* 6 */
				    "client 192.0.2.0/28 {\n"              /* 7 */
				    "\texclude-a 10.1.2.0/24\n"            /* 8 */
				    "\tsynthesize never\n"                 /* 9 */
				    "\texclude-aaaa none\n"                /* 10 */
				    "}\n"                                  /* 11 */
				    "client 192.0.2.16/28 {\n"             /* 12 */
				    "\tnever-synthesize b.test\n"          /* 13 */
				    "\tmap 8.0.0.0/8 none\n"               /* 14 */
				    "}\n"                                  /* 15 */
				    "synthesize always\n"                  /* 16 */
				    "allow 192.0.2.128/25\n";              /* 17 */

static struct settings settings;
static struct said said;
static const struct policies *policies;

static void
setup(void)
{
	policies = said_make(&said, configuration, &settings);
	ck_assert_msg(policies != NULL, "%s", said.text);
}

static void
teardown(void)
{
	settings_fini(&settings);
}

/* The line of W; 0: none. */
static unsigned
line(struct conf_decision w)
{
	return w.line != NULL ? w.line->line : 0;
}

static struct netaddr
address(const char *text)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 0, &a));
	return a;
}

static struct conf_decision
a(unsigned policy, const char *text)
{
	return conf_decision_a(&settings.origin, policy, address(text).addr);
}

START_TEST(blocks_by_their_number)
{
	ck_assert_ptr_null(conf_decision_block(&settings.origin, 0));
	ck_assert_uint_eq(conf_decision_block(&settings.origin, 1)->line, 7);
	ck_assert_uint_eq(conf_decision_block(&settings.origin, 2)->line, 12);
	ck_assert_ptr_null(conf_decision_block(&settings.origin, 3));
}
END_TEST

START_TEST(keywords_of_the_block_or_outside)
{
	ck_assert_uint_eq(line(conf_decision_keyword(&settings.origin, 0, "synthesize")), 16);
	ck_assert_uint_eq(line(conf_decision_keyword(&settings.origin, 1, "synthesize")), 9);
	ck_assert_uint_eq(line(conf_decision_keyword(&settings.origin, 2, "synthesize")), 16);
	ck_assert_uint_eq(line(conf_decision_keyword(&settings.origin, 0, "hide-a")), 0);
	ck_assert_str_eq(conf_decision_keyword(&settings.origin, 0, "hide-a").rule, "the default");
}
END_TEST

START_TEST(ipv4_addresses)
{
	ck_assert_uint_eq(line(a(0, "10.9.0.1")), 2);
	ck_assert_uint_eq(line(a(0, "10.1.2.3")), 3);
	ck_assert_uint_eq(line(a(1, "10.1.2.3")), 8);
	/* A block with exclude-a has not that outside, but its map lines. */
	ck_assert_uint_eq(line(a(1, "10.1.3.3")), 3);
	ck_assert_uint_eq(line(a(1, "10.9.0.1")), 0);
	ck_assert_ptr_nonnull(strstr(a(1, "10.9.0.1").rule, "RFC 6052"));
	ck_assert_uint_eq(line(a(2, "10.9.0.1")), 2);
	ck_assert_uint_eq(line(a(2, "10.1.2.3")), 2); /* not by the map line outside */
	ck_assert_uint_eq(line(a(2, "8.8.8.8")), 14);
	ck_assert_ptr_nonnull(strstr(a(0, "127.0.0.1").rule, "no address of a host"));
	ck_assert(a(0, "8.8.8.8").line == NULL && a(0, "8.8.8.8").rule == NULL);
}
END_TEST

/* What decides is of the kind that the policy says. */
START_TEST(agrees_with_the_policies)
{
	static const char *const tried[] = { "8.8.8.8", "10.0.0.1", "10.1.0.1", "10.1.2.3",
		"10.255.0.1", "127.0.0.1", "172.16.0.1", "192.168.0.1", "192.0.2.1", "240.0.0.1" };

	for (unsigned p = 0; p < policies->n; p++)
		for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++) {
			const struct netaddr v4 = address(tried[i]);
			uint32_t says = synth_verdict(&policies->table[p].synth, v4.addr);
			struct conf_decision w = conf_decision_a(&settings.origin, p, v4.addr);
			bool maps = w.line != NULL && strcmp(w.line->keyword->name, "map") == 0 &&
			    strstr(w.line->value, "none") == NULL;

			ck_assert_int_eq(says >= SYNTH_VIA, maps);
			ck_assert_int_eq(says == SYNTH_ANY, w.line == NULL && w.rule == NULL);
			ck_assert_int_eq(says == SYNTH_OWN,
			    w.rule != NULL && strstr(w.rule, "not a global") != NULL);
		}
}
END_TEST

START_TEST(ipv6_addresses)
{
	struct conf_decision w =
	    conf_decision_aaaa(&settings.origin, 0, address("2001:db8:bad::1").addr);

	ck_assert_uint_eq(line(w), 5);
	ck_assert_uint_eq(
	    line(conf_decision_aaaa(&settings.origin, 1, address("2001:db8:bad::1").addr)), 0);
	w = conf_decision_aaaa(&settings.origin, 0, address("::ffff:192.0.2.1").addr);
	ck_assert(w.line == NULL && strstr(w.rule, "::ffff:0:0/96") != NULL);
	w = conf_decision_aaaa(&settings.origin, 0, address("2001:db8::1").addr);
	ck_assert(w.line == NULL && w.rule == NULL);
}
END_TEST

static unsigned
zone(unsigned policy, const char *keyword, const char *text)
{
	uint8_t name[DNS_NAME_MAX];

	ck_assert_uint_gt(name_from_text(text, name), 0);
	return line(conf_decision_zone(&settings.origin, policy, keyword, name));
}

START_TEST(zones)
{
	ck_assert_uint_eq(zone(0, "never-synthesize", "NEVER.test"), 4);
	ck_assert_uint_eq(zone(0, "never-synthesize", "www.never.test"), 0);
	ck_assert_uint_eq(zone(0, "ignore-aaaa", "never.test"), 0);
	ck_assert_uint_eq(zone(1, "never-synthesize", "a.test"), 4);
	ck_assert_uint_eq(zone(2, "never-synthesize", "b.test"), 13);
	ck_assert_uint_eq(zone(2, "never-synthesize", "a.test"), 0);
}
END_TEST

static unsigned
allow(const char *text)
{
	const struct netaddr client = address(text);

	return line(conf_decision_allow(&settings.origin, &client));
}

START_TEST(who_may_ask)
{
	const struct netaddr own = address("::1");

	ck_assert_uint_eq(allow("192.0.2.7"), 6);
	ck_assert_uint_eq(allow("192.0.2.130"), 17);
	ck_assert_uint_eq(allow("2001:db8:7::1"), 6);
	ck_assert_uint_eq(allow("203.0.113.1"), 0);
	ck_assert_ptr_nonnull(conf_decision_allow(&settings.origin, &own).rule);
	policies =
	    said_make(&said, "nameserver 192.0.2.1\nallow 10.0.0.0/8\nallow any\n", &settings);
	ck_assert_uint_eq(allow("10.0.0.1"), 2);
	ck_assert_uint_eq(allow("203.0.113.1"), 3);
	ck_assert_ptr_nonnull(
	    conf_decision_allow(&settings.origin, &own).rule); /* and not by line 3 */
	ck_assert_ptr_null(conf_decision_allow(&settings.origin, &own).line);
}
END_TEST

START_TEST(who_is_denied)
{
	const struct netaddr inner = address("10.1.0.7"), other = address("203.0.113.1");

	policies = said_make(&said,
	    "nameserver 192.0.2.1\nallow 10.0.0.0/8\ndeny 10.0.0.0/16 10.1.0.0/16\n"
	    "deny 10.1.0.0/24 drop\ndeny any\n",
	    &settings);
	ck_assert_msg(policies != NULL, "%s", said.text);
	ck_assert_uint_eq(line(conf_decision_deny(&settings.origin, &inner)), 4);
	ck_assert_uint_eq(line(conf_decision_deny(&settings.origin, &other)), 5);
	ck_assert_uint_eq(allow("10.2.0.1"), 2);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, blocks_by_their_number);
	tcase_add_test(tc, keywords_of_the_block_or_outside);
	tcase_add_test(tc, ipv4_addresses);
	tcase_add_test(tc, agrees_with_the_policies);
	tcase_add_test(tc, ipv6_addresses);
	tcase_add_test(tc, zones);
	tcase_add_test(tc, who_may_ask);
	tcase_add_test(tc, who_is_denied);
}
