/* SPDX-License-Identifier: BSD-2-Clause */
/* RULES D23: a network that is refused is told once. */
#include "core/denied.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static struct denied denied;

static bool
note(const char *text, struct net *net)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 1, &a));
	return denied_note(&denied, &a, net);
}

START_TEST(d23_once_each)
{
	struct net net;

	denied.n = 0;
	ck_assert(note("192.0.2.77", &net));
	ck_assert_uint_eq(net.len, 24);
	ck_assert_uint_eq(net.addr[2], 2);
	ck_assert_uint_eq(net.addr[3], 0);
	ck_assert(!note("192.0.2.1", &net));
	ck_assert(note("192.0.3.1", &net));
	ck_assert(note("2001:db8:1:2::1", &net));
	ck_assert_uint_eq(net.len, 64);
	ck_assert_uint_eq(net.addr[7], 2);
	ck_assert(!note("2001:db8:1:2:3::4", &net));
	ck_assert(note("2001:db8:1:3::1", &net));
}
END_TEST

START_TEST(table_of_networks_is_bounded)
{
	struct net net;
	unsigned n = 0;

	denied.n = 0; /* another test may have run in this process */

	for (unsigned i = 0; i < 1000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "10.%u.%u.1", i / 250, i % 250);
		n += note(text, &net);
	}
	ck_assert_uint_eq(n, DENIED_MAX);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("denied");
	TCase *tc = tcase_create("denied");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_test(tc, d23_once_each);
	tcase_add_test(tc, table_of_networks_is_bounded);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
