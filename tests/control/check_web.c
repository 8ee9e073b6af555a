/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may look at what web-listen shows. */

#include "control/web.h"

#include <unistd.h>

#include "support/known.h"
#include "support/tests.h"

static bool
may_look(const char *address)
{
	struct netaddr a;

	ck_assert(netaddr_parse(address, 1, &a));
	return web_may_look(&known.settings, &a);
}

START_TEST(this_machine_may)
{
	ck_assert(may_look("127.0.0.1") && may_look("127.9.9.9") && may_look("::1"));
	ck_assert(!may_look("192.0.2.1") && !may_look("2001:db8::1"));
}
END_TEST

START_TEST(networks_may)
{
	known_open(
	    "nameserver 192.0.2.1\nweb-allow 192.0.2.0/24 2001:db8::/32\nweb-allow 10.0.0.1\n");
	ck_assert(may_look("127.0.0.1") && may_look("::1"));
	ck_assert(may_look("192.0.2.255") && !may_look("192.0.3.0"));
	ck_assert(may_look("2001:db8:ffff::1") && !may_look("2001:db9::1"));
	ck_assert(may_look("10.0.0.1") && !may_look("10.0.0.2"));
}
END_TEST

START_TEST(any_may)
{
	known_open("nameserver 192.0.2.1\nweb-allow any\n");
	ck_assert(may_look("198.51.100.1") && may_look("2001:db8::1"));
}
END_TEST

static bool
is_known(const char *host)
{
	return web_is_known(&known.settings, host);
}

/* A page of the web can have any name but these, and no address, lead to this machine. */
START_TEST(names_that_it_answers_to)
{
	static const char *const own[] = { "127.0.0.1", "192.0.2.7", "[::1]", "[2001:db8::7]",
		"[fe80::1%25eth0]", "localhost", "LocalHost", "localhost." };
	static const char *const others[] = { "evil.test", "localhost.evil.test", "evil.localhost",
		"127.0.0.1.evil.test", "evil.test]", "", ".", "a..b", "fe80--1.evil.test" };
	char machine[256] = "";

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		ck_assert_msg(is_known(own[i]), "%s", own[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!is_known(others[i]), "%s", others[i]);
	ck_assert_int_eq(gethostname(machine, sizeof(machine) - 1), 0);
	ck_assert(machine[0] == '\0' || is_known(machine));
}
END_TEST

START_TEST(names_that_are_configured)
{
	known_open("nameserver 192.0.2.1\nweb-name gw.example.net metrics\nweb-name a.test\n");
	ck_assert(is_known("gw.example.net") && is_known("GW.example.NET.") && is_known("metrics"));
	ck_assert(is_known("a.test") && is_known("localhost") && is_known("192.0.2.9"));
	ck_assert(!is_known("example.net") && !is_known("x.gw.example.net") && !is_known("gw"));
}
END_TEST

/* Nothing there changes anything. */
START_TEST(only_to_look)
{
	const struct http_service s = web_service(NULL);

	ck_assert_uint_gt(s.n, 6);
	ck_assert_uint_eq(s.body, 0);
	for (size_t i = 0; i < s.n; i++)
		ck_assert_uint_eq(s.routes[i].methods, EVHTTP_REQ_GET);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, known_setup, known_close);
	tcase_add_test(tc, this_machine_may);
	tcase_add_test(tc, networks_may);
	tcase_add_test(tc, any_may);
	tcase_add_test(tc, names_that_it_answers_to);
	tcase_add_test(tc, names_that_are_configured);
	tcase_add_test(tc, only_to_look);
}
