/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of prefix-check: what good ones become, and the whole text about bad ones. RULES D36. */

#include "config/checks.h"

#include <string.h>

#include "config/settings.h"
#include "support/configured.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

#define ALLOWED "allowed is tcp ADDRESS port N | dns ADDRESS NAME | icmp ADDRESS | none"

static const struct said_bad bad[] = {
	{ "prefix-check http 192.0.2.1",
	    "prefix-check: 'http' is not one of tcp|dns|icmp|none; " ALLOWED },
	{ "prefix-check icmp", "prefix-check: there is no address; " ALLOWED },
	{ "prefix-check icmp 2001:db8::1",
	    "prefix-check: '2001:db8::1' is not an IPv4 address, which is put under each "
	    "prefix; " ALLOWED },
	{ "prefix-check icmp example.com",
	    "prefix-check: 'example.com' is not an IPv4 address, which is put under each "
	    "prefix; " ALLOWED },
	{ "prefix-check icmp 127.0.0.1",
	    "prefix-check: '127.0.0.1' is of this network, one host, link or group, so that no "
	    "translator reaches it; allowed is the address of another host" },
	{ "prefix-check tcp 192.0.2.1",
	    "prefix-check: tcp takes an address, port, and a number from 1 to 65535; " ALLOWED },
	{ "prefix-check tcp 192.0.2.1 port 0",
	    "prefix-check: tcp takes an address, port, and a number from 1 to 65535; " ALLOWED },
	{ "prefix-check tcp 192.0.2.1 at 80",
	    "prefix-check: tcp takes an address, port, and a number from 1 to 65535; " ALLOWED },
	{ "prefix-check dns 192.0.2.1",
	    "prefix-check: dns takes an address and the domain name that is asked for; " ALLOWED },
	{ "prefix-check dns 192.0.2.1 a..test",
	    "prefix-check: dns takes an address and the domain name that is asked for; " ALLOWED },
	{ "prefix-check icmp 192.0.2.1 twice",
	    "prefix-check: icmp takes an address alone; " ALLOWED },
	{ "prefix-check none yes", "prefix-check: none stands alone, once" },
	{ "prefix-check-fall 0", "prefix-check-fall: '0' is not a number from 1 to 100" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

static const struct policy_lines *
parse_silently(const char *text)
{
	settings_fini(&settings);
	said_parse(&said, text, &settings);
	ck_assert_str_eq(said.text, "");
	return policy_lines_at(settings.policy_lines, 0);
}

/* What TEXT makes is told as WANT. */
static void
expect(const char *text, const char *want)
{
	settings_fini(&settings);
	(void)said_make(&said, text, &settings);
	ck_assert_msg(strstr(said.text, want) != NULL, "%s", said.text);
}

START_TEST(each_kind)
{
	static const char *const texts[] = { "tcp 192.0.2.1 port 443", "dns 192.0.2.2 a.test.",
		"icmp 192.0.2.3", "dns 192.0.2.2 ." };
	const struct policy_lines *l = parse_silently(
	    "prefix-check tcp 192.0.2.1 port 443\nprefix-check dns 192.0.2.2 a.test.\n"
	    "prefix-check icmp 192.0.2.3\nprefix-check dns 192.0.2.2 .\n");
	const struct policy_lines_check *c = l->checks.items;
	char text[CHECKS_TEXT];

	ck_assert_uint_eq(l->checks.n, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_str_eq(checks_format(&c[i], text), texts[i]);
		ck_assert_uint_eq(c[i].line, i + 1);
	}
	ck_assert_uint_eq(c[1].port, 53);
	ck_assert_uint_ne(l->group, 0);
}
END_TEST

/* Lines in another order are the same group; others are another. */
START_TEST(groups)
{
	uint64_t one =
	    parse_silently("prefix-check icmp 192.0.2.1\nprefix-check icmp 192.0.2.2\n")->group;

	ck_assert_uint_eq(
	    parse_silently("prefix-check icmp 192.0.2.2\nprefix-check icmp 192.0.2.1\n")->group,
	    one);
	ck_assert_uint_ne(parse_silently("prefix-check icmp 192.0.2.1\n")->group, one);
	ck_assert_uint_ne(parse_silently("prefix-check dns 192.0.2.1 a.test\n")->group,
	    parse_silently("prefix-check dns 192.0.2.1 b.test\n")->group);
	ck_assert_uint_eq(parse_silently("prefix-check none\n")->group, 0);
}
END_TEST

/* A block has its own lines, those from outside, or none. */
START_TEST(blocks)
{
	const struct policy_lines_list *list;

	(void)parse_silently("prefix-check icmp 192.0.2.1\nclient 10.0.0.0/8 {\nhide-a yes\n}\n"
			     "client 10.1.0.0/16 {\nprefix-check icmp 192.0.2.2\n}\n"
			     "client 10.2.0.0/16 {\nprefix-check none\n}\n");
	list = settings.policy_lines;
	for (size_t i = 0; i < 4; i++) {
		const struct policy_lines *l = policy_lines_at(list, i);
		const struct policy_lines *of = policy_lines_at(list, i == 1 ? 0 : i);

		ck_assert_ptr_eq(policy_lines_checks(list, l), &of->checks);
		ck_assert_uint_eq(policy_lines_group(list, l), of->group);
	}
}
END_TEST

START_TEST(what_does_not_fit_together)
{
	expect("prefix-check icmp 192.0.2.1\nprefix-check icmp 192.0.2.2\n"
	       "prefix-check icmp 192.0.2.3\nprefix-check icmp 192.0.2.4\n"
	       "prefix-check icmp 192.0.2.5\n",
	    "t.conf:5: prefix-check: there can be 4 lines outside of client blocks, and in each "
	    "block");
	expect("prefix-check dns 192.0.2.1 a.test\nprefix-check dns 192.0.2.1 A.test\n",
	    "t.conf:2: prefix-check: 'dns 192.0.2.1 A.test.' is at line 1 already");
	expect("prefix-check icmp 192.0.2.1\nprefix-check none\n",
	    "t.conf:2: prefix-check: none stands alone, once");
	expect("prefix-check none\nprefix-check icmp 192.0.2.1\n",
	    "t.conf:2: prefix-check: none is there already, which stands alone");
}
END_TEST

#define PRIVATE \
	"prefix-check: 'icmp 10.0.0.1': the address is not global, and 64:ff9b::/96 must not " \
	"represent it (RFC 6052 section 3.1); allowed is a global address, or no 64:ff9b::/96 " \
	"among these prefixes"

/* RFC 6052 section 3.1. */
START_TEST(private_ones)
{
	expect("prefix-check icmp 10.0.0.1\n", "t.conf:1: " PRIVATE);
	expect("dns64-prefix 2001:db8::/96\nprefix-check icmp 10.0.0.1\nclient 10.0.0.0/8 {\n"
	       "dns64-prefix 64:ff9b::/96\n}\n",
	    "t.conf:2: " PRIVATE);
	settings_fini(&settings);
	(void)said_make(
	    &said, "dns64-prefix 2001:db8::/96\nprefix-check icmp 10.0.0.1\n", &settings);
	ck_assert_ptr_null(strstr(said.text, "prefix-check"));
	settings_fini(&settings);
	(void)said_make(&said, "prefix-check icmp 192.0.0.10\n", &settings);
	ck_assert_ptr_null(strstr(said.text, "prefix-check"));
}
END_TEST

static void
tear_down(void)
{
	settings_fini(&settings);
}

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, tear_down);
	tcase_add_loop_test(tc, bad_values_are_told, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, each_kind);
	tcase_add_test(tc, groups);
	tcase_add_test(tc, blocks);
	tcase_add_test(tc, what_does_not_fit_together);
	tcase_add_test(tc, private_ones);
}
