/* SPDX-License-Identifier: BSD-2-Clause */
/* peers: connections counted by client network, and which of them give way. */
#include "io/peers.h"

#include <stdlib.h>

#include "support/tests.h"

#define CAP 64

/* A connection, as the table knows it. */
struct seat {
	struct list link;
	uint32_t number;
};

static struct peers peers;
static struct seat seats[CAP];

static void
setup(void)
{
	ck_assert_int_eq(peers_init(&peers, CAP, 12345), 0);
	for (unsigned i = 0; i < CAP; i++)
		list_init(&seats[i].link);
}

static void
teardown(void)
{
	peers_fini(&peers);
}

static struct netaddr
client(unsigned i, uint16_t port)
{
	struct netaddr a = { .family = NETADDR_IPV4, .port = port };

	a.addr[0] = 192;
	a.addr[2] = (uint8_t)(i >> 8);
	a.addr[3] = (uint8_t)i;
	return a;
}

/* Connection I is one of ADDR from now on. */
static void
take(unsigned i, const struct netaddr *addr, bool busy)
{
	seats[i].number = peers_take(&peers, addr);
	ck_assert_uint_ne(seats[i].number, PEERS_NONE);
	peers_seat(&peers, seats[i].number, &seats[i].link, busy);
}

static void
give(unsigned i)
{
	peers_give(&peers, seats[i].number, &seats[i].link);
}

/* Which connection is it? CAP: none. */
static unsigned
which(const struct list *link)
{
	for (unsigned i = 0; i < CAP; i++)
		if (link == &seats[i].link)
			return i;
	ck_assert_ptr_null(link);
	return CAP;
}

/* Whatever the port; and when one has ended, another may come. */
START_TEST(counted_by_address)
{
	struct netaddr a = client(1, 1000), other = client(2, 1000);

	for (unsigned i = 0; i < 3; i++) {
		a.port = (uint16_t)(1000 + i);
		ck_assert_uint_eq(peers_count(&peers, &a), i);
		take(i, &a, false);
	}
	ck_assert_uint_eq(peers_count(&peers, &a), 3);
	ck_assert_uint_eq(peers_count(&peers, &other), 0);
	give(1);
	ck_assert_uint_eq(peers_count(&peers, &a), 2);
	give(0);
	give(2);
	ck_assert_uint_eq(peers_count(&peers, &a), 0);
}
END_TEST

/* As many addresses as there are places, over and over, given back in another order. */
START_TEST(places_come_free_in_any_order)
{
	for (unsigned round = 0; round < 50; round++) {
		struct netaddr more = client(60000, 1);

		for (unsigned i = 0; i < CAP; i++) {
			struct netaddr a = client(round * 7 + i, 1);

			take(i, &a, i % 3 == 0);
			ck_assert_uint_eq(peers_count(&peers, &a), 1);
		}
		ck_assert_uint_eq(peers_take(&peers, &more), PEERS_NONE);
		for (unsigned i = 0; i < CAP; i++)
			give((i * 5 + round) % CAP);
		ck_assert_uint_eq(peers.most, 0);
	}
}
END_TEST

struct pair {
	const char *a, *b;
	bool same;
};

static const struct pair pairs[] = {
	{ "2001:db8::1", "2001:db8::ffff:2", true },
	{ "2001:db8:0:1::1", "2001:db8:0:2::1", false },
	{ "192.0.2.1", "192.0.2.2", false },
	{ "192.0.2.1", "192.0.2.1", true },
	{ "::1", "192.0.2.1", false },
};

START_TEST(network_is_64_bits_or_an_ipv4_address)
{
	struct netaddr a, b;

	ck_assert(netaddr_parse(pairs[_i].a, 1, &a));
	ck_assert(netaddr_parse(pairs[_i].b, 2, &b));
	take(0, &a, false);
	ck_assert_uint_eq(peers_count(&peers, &b), pairs[_i].same ? 1 : 0);
}
END_TEST

/* IPv6 link-local addresses of different links are of different networks. */
START_TEST(link_local_addresses_are_per_link)
{
	struct netaddr a = { .addr = { 0xfe, 0x80 }, .scope = 1, .family = NETADDR_IPV6 };
	struct netaddr b = a;

	b.scope = 2;
	take(0, &a, false);
	ck_assert_uint_eq(peers_count(&peers, &a), 1);
	ck_assert_uint_eq(peers_count(&peers, &b), 0);
}
END_TEST

/* The one that was silent longest, and none with questions open. */
START_TEST(idlest_of_a_network)
{
	struct netaddr a = client(1, 1), other = client(2, 1);

	ck_assert_ptr_null(peers_idlest(&peers, &a));
	take(3, &other, false);
	for (unsigned i = 0; i < 3; i++)
		take(i, &a, false);
	ck_assert_uint_eq(which(peers_idlest(&peers, &a)), 0);
	peers_seat(&peers, seats[0].number, &seats[0].link, false);
	ck_assert_uint_eq(which(peers_idlest(&peers, &a)), 1);
	peers_seat(&peers, seats[1].number, &seats[1].link, true);
	ck_assert_uint_eq(which(peers_idlest(&peers, &a)), 2);
	give(2);
	ck_assert_uint_eq(which(peers_idlest(&peers, &a)), 0);
	give(0);
	ck_assert_ptr_null(peers_idlest(&peers, &a));
}
END_TEST

/* The network that has most gives way, to those that have fewer. */
START_TEST(fullest_network_gives_way)
{
	struct netaddr a = client(1, 1), b = client(2, 1), c = client(3, 1);

	ck_assert_ptr_null(peers_yielding(&peers, 0));
	take(0, &c, false);
	for (unsigned i = 1; i < 4; i++)
		take(i, &a, false);
	for (unsigned i = 4; i < 6; i++)
		take(i, &b, false);
	ck_assert_uint_eq(which(peers_yielding(&peers, 0)), 1);
	ck_assert_uint_eq(which(peers_yielding(&peers, 2)), 1);
	ck_assert_ptr_null(peers_yielding(&peers, 3));
	give(1);
	give(2);
	ck_assert_uint_eq(which(peers_yielding(&peers, 0)), 4);
	ck_assert_ptr_null(peers_yielding(&peers, 2));
}
END_TEST

/* Among those with equally many the one silent for longest, an idle one before a busy one. */
START_TEST(among_equals_the_longest_silent)
{
	struct netaddr a = client(1, 1), b = client(2, 1), c = client(3, 1);

	take(0, &a, true);
	take(1, &b, false);
	take(2, &c, false);
	ck_assert_uint_eq(which(peers_yielding(&peers, 0)), 1);
	peers_seat(&peers, seats[1].number, &seats[1].link, false);
	ck_assert_uint_eq(which(peers_yielding(&peers, 0)), 2);
}
END_TEST

/* Who has questions open gives way only where that makes them more equal. */
START_TEST(busy_ones_give_way_to_much_smaller_networks)
{
	struct netaddr a = client(1, 1), b = client(2, 1);

	take(0, &b, true);
	ck_assert_ptr_null(peers_yielding(&peers, 0));
	for (unsigned i = 1; i < 4; i++)
		take(i, &a, true);
	ck_assert_uint_eq(which(peers_yielding(&peers, 1)), 1);
	ck_assert_ptr_null(peers_yielding(&peers, 2));
}
END_TEST

/* Among any number of connections the fullest network is known: compared with a count. */
START_TEST(fullest_is_known_whatever_comes_and_goes)
{
	unsigned n[5] = { 0 }, of[CAP];
	bool taken[CAP] = { false };

	srand(7);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = (unsigned)rand() % CAP, most = 0;

		if (taken[i]) {
			give(i);
			n[of[i]]--;
		} else {
			struct netaddr a;

			of[i] = (unsigned)rand() % 5;
			a = client(of[i], 1);
			take(i, &a, rand() % 2 == 0);
			n[of[i]]++;
		}
		taken[i] = !taken[i];
		for (unsigned k = 0; k < 5; k++)
			most = n[k] > most ? n[k] : most;
		ck_assert_uint_eq(peers.most, most);
		if (most >= 2) {
			unsigned yields = which(peers_yielding(&peers, 0));

			ck_assert_uint_lt(yields, CAP);
			ck_assert_uint_eq(n[of[yields]], most);
		}
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counted_by_address);
	tcase_add_test(tc, places_come_free_in_any_order);
	tcase_add_loop_test(
	    tc, network_is_64_bits_or_an_ipv4_address, 0, sizeof(pairs) / sizeof(pairs[0]));
	tcase_add_test(tc, link_local_addresses_are_per_link);
	tcase_add_test(tc, idlest_of_a_network);
	tcase_add_test(tc, fullest_network_gives_way);
	tcase_add_test(tc, among_equals_the_longest_silent);
	tcase_add_test(tc, busy_ones_give_way_to_much_smaller_networks);
	tcase_add_test(tc, fullest_is_known_whatever_comes_and_goes);
}
