/* SPDX-License-Identifier: BSD-2-Clause */
/* Who may look at what web-listen shows. */

#include "control/web.h"

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
	tcase_add_test(tc, only_to_look);
}
