/* SPDX-License-Identifier: BSD-2-Clause */
/* Who would ask itself: equal addresses, and wildcards with an address of this machine. */

#include "config/hostaddr.h"
#include "support/tests.h"

static struct netaddr
addr(const char *text, uint16_t port)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, port, &a));
	return a;
}

struct own_case {
	const char *listen;
	uint16_t listen_port;
	const char *upstream;
	uint16_t upstream_port;
	bool own;
};

static const struct own_case cases[] = {
	{ "192.0.2.1", 53, "192.0.2.1", 53, true },
	{ "192.0.2.1", 53, "192.0.2.1", 54, false },
	{ "192.0.2.1", 53, "192.0.2.2", 53, false },
	{ "2001:db8::1", 53, "2001:db8::1", 53, true },
	{ "::1", 53, "127.0.0.1", 53, false },
	/* All of 127/8 is this machine, but a socket on 127.0.0.1 hears only that. */
	{ "127.0.0.1", 53, "127.0.0.2", 53, false },
	{ "0.0.0.0", 53, "127.0.0.2", 53, true },
	{ "0.0.0.0", 53, "127.0.0.1", 5353, false },
	{ "::", 53, "::1", 53, true },
	/* IPv6 sockets are IPv6 only. */
	{ "::", 53, "127.0.0.1", 53, false },
	{ "0.0.0.0", 53, "192.0.2.1", 53, false },
	{ "::", 53, "2001:db8::1", 53, false },
};

START_TEST(own_address_is_found)
{
	const struct own_case *c = &cases[_i];
	struct netaddr listens[2] = { addr("198.51.100.1", 1), addr(c->listen, c->listen_port) };
	struct netaddr upstream = addr(c->upstream, c->upstream_port);

	ck_assert_int_eq(hostaddr_reaches(listens, 2, &upstream), c->own ? 1 : -1);
	ck_assert_int_eq(hostaddr_reaches(listens, 0, &upstream), -1);
}
END_TEST

/* Whatever addresses this machine has, a wildcard serves them. */
START_TEST(wildcard_serves_all_interfaces)
{
	struct netaddr listens[2] = { addr("0.0.0.0", 53), addr("::", 53) };
	struct array all = { .n = 0 };

	ck_assert_int_eq(hostaddr_list(&all), 0);
	const struct hostaddr *h = all.items;
	for (size_t i = 0; i < all.n; i++) {
		struct netaddr own = h[i].addr;

		own.port = 53;
		ck_assert_int_eq(
		    hostaddr_reaches(listens, 2, &own), own.family == NETADDR_IPV4 ? 0 : 1);
	}
	array_fini(&all);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, own_address_is_found, 0, (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, wildcard_serves_all_interfaces);
}
