/* SPDX-License-Identifier: BSD-2-Clause */
/* Which addresses a listen line by interface stands for, and how what is waited for is told. */

#include "config/listens.h"

#include <errno.h>
#include <string.h>

#include "support/tests.h"

static struct hostaddr
own(const char *text, uint32_t index)
{
	struct hostaddr h = { .index = index };

	ck_assert(netaddr_parse(text, 0, &h.addr));
	return h;
}

/* addresses-come-and-go: all of the interface, in both families, and no other interface's. */
START_TEST(all_of_an_interface)
{
	struct settings_interface i = { .name = "eth0", .addr.port = 5353 };
	struct hostaddr v4 = own("192.0.2.1", 3), ll = own("fe80::1%lo", 3);
	char text[NETADDR_TEXT];
	struct netaddr a;

	ck_assert(listens_has(&i, 3, &v4, &a));
	ck_assert_str_eq(netaddr_format(&a, text), "192.0.2.1#5353");
	ck_assert(listens_has(&i, 3, &ll, &a));
	ck_assert_str_eq(netaddr_format(&a, text), "fe80::1%lo#5353");
	ck_assert(!listens_has(&i, 4, &v4, &a));
	i.family = NETADDR_IPV6;
	ck_assert(!listens_has(&i, 3, &v4, &a));
	ck_assert(listens_has(&i, 3, &ll, &a));
	ck_assert_str_eq(listens_text(&i, text), "eth0#5353");
}
END_TEST

START_TEST(one_link_local_address)
{
	struct settings_interface i = { .name = "ppp0" };
	struct hostaddr ll = own("fe80::1%lo", 3), other = own("fe80::2%lo", 3),
			v6 = own("2001:db8::1", 3);
	char text[NETADDR_TEXT];
	struct netaddr a;

	ck_assert(netaddr_parse("fe80::1", 53, &i.addr));
	ck_assert(listens_has(&i, 3, &ll, &a));
	ck_assert_uint_eq(a.scope, ll.addr.scope);
	ck_assert_uint_eq(a.port, 53);
	ck_assert(!listens_has(&i, 3, &other, &a));
	ck_assert(!listens_has(&i, 3, &v6, &a));
	ck_assert(!listens_has(&i, 2, &ll, &a));
	ck_assert_str_eq(listens_text(&i, text), "fe80::1%ppp0#53");
}
END_TEST

/* What an interface has is added to what is named, once. */
START_TEST(completed)
{
	static struct settings s;
	struct netaddr local;

	ck_assert(netaddr_parse("127.0.0.1", 5353, &local));
	s.conf.io.listens[0] = local;
	s.conf.io.n_listens = 1;
	s.listens.n_of = 2;
	s.listens.of[0] = (struct settings_interface){ .name = "lo", .addr.port = 5353 };
	s.listens.of[1] = (struct settings_interface){ .name = "lo", .addr.port = 5354 };
	listens_complete(&s);
	ck_assert_uint_eq(s.listens.n_fixed, 1);
	ck_assert(netaddr_equal(&s.listens.fixed[0], &local));
	for (size_t i = 0; i < s.conf.io.n_listens; i++)
		ck_assert(i == 0 || !netaddr_equal(&s.conf.io.listens[i], &local));
	local.port = 5354;
	ck_assert(netaddr_in_list(s.conf.io.listens, s.conf.io.n_listens, &local));
}
END_TEST

START_TEST(served_are_those_not_waited_for)
{
	static struct listens_waits waits;
	struct netaddr out[CONF_MAX_LISTENS];
	static struct conf_io io;

	ck_assert(netaddr_parse("::1", 53, &io.listens[0]));
	ck_assert(netaddr_parse("2001:db8::1", 53, &io.listens[1]));
	io.n_listens = 2;
	ck_assert_uint_eq(listens_served(&io, &waits, out), 2);
	waits.n = 1;
	strcpy(waits.w[0].what, "::1#53");
	ck_assert_uint_eq(listens_served(&io, &waits, out), 1);
	ck_assert(netaddr_equal(&out[0], &io.listens[1]));
	ck_assert_ptr_eq(listens_wait_of(&waits, "::1#53"), &waits.w[0]);
	ck_assert_ptr_null(listens_wait_of(&waits, "::1#54"));
}
END_TEST

START_TEST(reasons_differ)
{
	struct listens_wait a = { .why = LISTENS_ABSENT }, b;

	for (; a.why < LISTENS_FAILED; a.why++)
		for (b.why = LISTENS_ABSENT; b.why < a.why; b.why++)
			ck_assert_str_ne(listens_why_text(&a), listens_why_text(&b));
	a.err = EADDRINUSE;
	ck_assert_str_eq(listens_why_text(&a), "Address already in use");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, all_of_an_interface);
	tcase_add_test(tc, one_link_local_address);
	tcase_add_test(tc, completed);
	tcase_add_test(tc, served_are_those_not_waited_for);
	tcase_add_test(tc, reasons_differ);
}
