/* SPDX-License-Identifier: BSD-2-Clause */
/* routes: answers find the proxy that asked, and what is left behind stands in nobody's way. */
#include "io/routes.h"

#include "support/tests.h"

#define CAP 3

static struct routes routes;
static const struct netaddr client = { { 192, 0, 2, 1 }, .port = 4000, .family = NETADDR_IPV4 };

static void
setup(void)
{
	ck_assert_int_eq(routes_init(&routes, CAP), 0);
}

static void
teardown(void)
{
	routes_fini(&routes);
}

/* Where questions of proxy number N come from: each by a listener of its own generation. */
static struct packet_route
from(unsigned n)
{
	return (struct packet_route){ .sock = 7,
		.gen = 100 + n,
		.peer = { { 198, 51, 100, (uint8_t)n }, .port = 53, .family = NETADDR_IPV4 } };
}

static struct packet_route
take(unsigned n)
{
	struct packet_route r = from(n);

	ck_assert(!routes_is(&r));
	routes_take(&routes, &r, &client);
	ck_assert(routes_is(&r));
	ck_assert(netaddr_equal(&r.peer, &client));
	return r;
}

/* Does R lead to proxy number N? */
static bool
leads_to(struct packet_route r, unsigned n)
{
	const struct packet_route to = from(n);

	return routes_give(&routes, &r) && r.gen == to.gen && r.sock == 7 &&
	    netaddr_equal(&r.peer, &to.peer);
}

START_TEST(each_answer_finds_its_proxy)
{
	struct packet_route r[CAP];

	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 0; i < CAP; i++)
			r[i] = take(i);
		for (unsigned i = 0; i < CAP; i++) {
			unsigned n = (round + i) % CAP;

			ck_assert(leads_to(r[n], n));
		}
	}
}
END_TEST

START_TEST(a_route_is_given_back_once)
{
	struct packet_route r = take(1), again;

	ck_assert(leads_to(r, 1));
	ck_assert(!leads_to(r, 1));
	again = take(2);
	ck_assert(!leads_to(r, 1));
	ck_assert(leads_to(again, 2));
}
END_TEST

/* Questions that the engine dropped leave theirs: the oldest goes first, and nobody else's. */
START_TEST(oldest_is_taken_over)
{
	struct packet_route lost = take(0), second = take(1), third, fourth, fifth;

	third = take(2);
	fourth = take(3);
	ck_assert(!leads_to(lost, 0));
	ck_assert(leads_to(second, 1));
	fifth = take(4);
	ck_assert(leads_to(third, 2));
	ck_assert(leads_to(fourth, 3));
	ck_assert(leads_to(fifth, 4));
}
END_TEST

/* One that is not left by its proxy is unchanged. */
START_TEST(what_leads_nowhere_is_unchanged)
{
	struct packet_route r = take(0), before = r;

	ck_assert(leads_to(r, 0));
	ck_assert(!routes_give(&routes, &r));
	ck_assert_uint_eq(r.sock, before.sock);
	ck_assert_uint_eq(r.gen, before.gen);
	ck_assert(netaddr_equal(&r.peer, &client));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_answer_finds_its_proxy);
	tcase_add_test(tc, a_route_is_given_back_once);
	tcase_add_test(tc, oldest_is_taken_over);
	tcase_add_test(tc, what_leads_nowhere_is_unchanged);
}
