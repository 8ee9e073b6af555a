/* SPDX-License-Identifier: BSD-2-Clause */
/* tcp_clients: connections counted by client network, and which of them give way. */
#include "io/tcp_clients.h"

#include <stdlib.h>

#include "support/tests.h"

#define CAP 64

static struct tcp_clients peers;
static struct fair_place seats[CAP];

static void
setup(void)
{
	ck_assert_int_eq(tcp_clients_init(&peers, CAP, 0x123456789abcdef0), 0);
}

static void
teardown(void)
{
	tcp_clients_fini(&peers);
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

/* An address of another /24 for each I. */
static struct netaddr
apart(unsigned i)
{
	struct netaddr a = client(1, 1);

	a.addr[1] = (uint8_t)(i >> 8);
	a.addr[2] = (uint8_t)i;
	return a;
}

/* Connection I is one of ADDR from now on. */
static void
take(unsigned i, const struct netaddr *addr, bool busy)
{
	seats[i] = (struct fair_place){ .client = NULL };
	tcp_clients_take(&peers, addr, &seats[i]);
	tcp_clients_seat(&peers, &seats[i], busy);
}

static void
give(unsigned i)
{
	tcp_clients_give(&peers, &seats[i]);
}

/* Which connection is it? CAP: none. */
static unsigned
which(const struct fair_place *seat)
{
	ck_assert(seat == NULL || (seat >= seats && seat < seats + CAP));
	return seat == NULL ? CAP : (unsigned)(seat - seats);
}

/* How many has the address or network of ADDR with BITS bits? */
static unsigned
count(const struct netaddr *addr, unsigned bits)
{
	struct fair_nets nets;

	fair_find(&peers.fair, addr, &nets);
	for (unsigned i = 0; i < NETADDR_LEVELS; i++)
		if (nets.at[i] != NULL && fair_bits(nets.at[i]) == bits)
			return nets.at[i]->n;
	return 0;
}

/* Whatever the port; and when one has ended, another may come. */
START_TEST(counted_by_address)
{
	struct netaddr a = client(1, 1000), other = client(2, 1000);

	for (unsigned i = 0; i < 3; i++) {
		a.port = (uint16_t)(1000 + i);
		ck_assert_uint_eq(count(&a, 32), i);
		ck_assert_uint_eq(tcp_clients_full(&peers, &a, 3), 0);
		take(i, &a, false);
	}
	ck_assert_uint_eq(count(&a, 32), 3);
	ck_assert_uint_eq(tcp_clients_full(&peers, &a, 3), 32);
	ck_assert_uint_eq(tcp_clients_full(&peers, &a, 4), 0);
	ck_assert_uint_eq(count(&other, 32), 0);
	ck_assert_uint_eq(tcp_clients_full(&peers, &other, 3), 0);
	give(1);
	ck_assert_uint_eq(count(&a, 32), 2);
	ck_assert_uint_eq(tcp_clients_full(&peers, &a, 3), 0);
	give(0);
	give(2);
	ck_assert_uint_eq(count(&a, 32), 0);
}
END_TEST

/* As many addresses as there are places, over and over, given back in another order. */
START_TEST(places_come_free_in_any_order)
{
	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < CAP; i++) {
			struct netaddr a = client(round * 7 + i, 1);

			take(i, &a, i % 3 == 0);
			ck_assert_uint_eq(count(&a, 32), 1);
		}
		for (unsigned i = 0; i < CAP; i++)
			give((i * 5 + round) % CAP);
		ck_assert_uint_eq(fair_below(&peers.fair, FAIR_CLASSES), FAIR_NONE);
	}
}
END_TEST

/* D30: an address, 16 times as many of a /64 or an IPv4 /24, 64 times of a /56. */
START_TEST(d30_ceilings_of_networks)
{
	static const struct {
		const char *addr, *other;
		unsigned at, most, bits;
	} cases[] = { { "2001:db8::1", "2001:db8:0:1::1", 15, 16, 64 },
		{ "2001:db8::1", "2001:db8:0:100::1", 7, 64, 56 },
		{ "192.0.2.1", "192.0.3.1", 3, 16, 24 } };
	struct netaddr a, b;
	unsigned n = 0;

	ck_assert(netaddr_parse(cases[_i].addr, 1, &a));
	ck_assert(netaddr_parse(cases[_i].other, 1, &b));
	for (;; n++) {
		a.addr[cases[_i].at] = (uint8_t)n;
		if (tcp_clients_full(&peers, &a, 1) > 0)
			break;
		take(n, &a, n == 0);
	}
	ck_assert_uint_eq(n, cases[_i].most);
	ck_assert_uint_eq(tcp_clients_full(&peers, &a, 1), cases[_i].bits);
	ck_assert_uint_eq(tcp_clients_full(&peers, &a, 2), 0);
	ck_assert_uint_eq(tcp_clients_full(&peers, &b, 1), 0);
	/* its own idlest one gives way, that of its network */
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, cases[_i].bits)), 1);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, 0)), 1);
	ck_assert_ptr_null(tcp_clients_idlest(&peers, &b, cases[_i].bits));
}
END_TEST

/* IPv6 link-local addresses of different links are of different networks. */
START_TEST(link_local_addresses_are_per_link)
{
	struct netaddr a = { .addr = { 0xfe, 0x80 }, .scope = 1, .family = NETADDR_IPV6 };
	struct netaddr b = a;

	b.scope = 2;
	take(0, &a, false);
	for (unsigned bits = 56; bits <= 128; bits += 8) {
		ck_assert_uint_eq(count(&a, bits), bits == 56 || bits == 64 || bits == 128);
		ck_assert_uint_eq(count(&b, bits), 0);
	}
}
END_TEST

/* The one that was silent longest, and none with questions open. */
START_TEST(idlest_of_a_network)
{
	struct netaddr a = client(1, 1), other = apart(2);

	ck_assert_ptr_null(tcp_clients_idlest(&peers, &a, 0));
	take(3, &other, false);
	for (unsigned i = 0; i < 3; i++)
		take(i, &a, false);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, 32)), 0);
	tcp_clients_seat(&peers, &seats[0], false);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, 32)), 1);
	tcp_clients_seat(&peers, &seats[1], true);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, 32)), 2);
	give(2);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &a, 32)), 0);
	give(0);
	ck_assert_ptr_null(tcp_clients_idlest(&peers, &a, 0));
}
END_TEST

/* The network that has most gives way, to those that have fewer. */
START_TEST(fullest_network_gives_way)
{
	struct netaddr a = apart(1), b = apart(2), c = apart(3), d = apart(4);

	ck_assert_ptr_null(tcp_clients_yielding(&peers, &d));
	take(0, &c, false);
	for (unsigned i = 1; i < 4; i++)
		take(i, &a, false);
	for (unsigned i = 4; i < 6; i++)
		take(i, &b, false);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &d)), 1);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &b)), 1);
	ck_assert_ptr_null(tcp_clients_yielding(&peers, &a));
	give(1);
	give(2);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &d)), 4);
	ck_assert_ptr_null(tcp_clients_yielding(&peers, &b));
	give(4); /* now all have one */
	ck_assert_ptr_null(tcp_clients_yielding(&peers, &b));
}
END_TEST

/* Among those with equally many the one silent for longest, an idle one before a busy one. */
START_TEST(among_equals_the_longest_silent)
{
	struct netaddr a = apart(1), b = apart(2), c = apart(3), d = apart(4);

	take(0, &a, true);
	take(1, &b, false);
	take(2, &c, false);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &d)), 1);
	tcp_clients_seat(&peers, &seats[1], false);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &d)), 2);
}
END_TEST

/* Who has questions open gives way only where that makes them more equal. */
START_TEST(busy_ones_give_way_to_much_smaller_networks)
{
	struct netaddr a = apart(1), b = apart(2), d = apart(4);

	take(0, &b, true);
	ck_assert_ptr_null(tcp_clients_yielding(&peers, &d));
	for (unsigned i = 1; i < 4; i++)
		take(i, &a, true);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &b)), 1);
	take(4, &b, true);
	ck_assert_ptr_null(tcp_clients_yielding(&peers, &b));
}
END_TEST

/*
 * D30: of a LAN with one /64 the host that has most gives way to another host of it, and the LAN to
 * others when it is heavier than they are.
 */
START_TEST(d30_hosts_of_one_network_are_apart)
{
	struct netaddr host, other;

	ck_assert(netaddr_parse("2001:db8::1", 1, &host));
	ck_assert(netaddr_parse("2001:db8:0:100::1", 1, &other));
	for (unsigned i = 0; i < 40; i++) {
		host.addr[15] = i < 37 ? (uint8_t)i : 99;
		take(i, &host, false);
	}
	host.addr[15] = 100;
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &host)), 37);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &other)), 37);
	give(37);
	/* the /64 with its 39 is heavier than this host with its two, but both are in it */
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &host)), 38);
	give(38);
	/* now each host has one: the /64 is heavier, and to another host none of it gives way */
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &other)), 0);
	ck_assert_uint_eq(which(tcp_clients_idlest(&peers, &host, 0)), 0);
	tcp_clients_seat(&peers, &seats[0], true);
	ck_assert_uint_eq(which(tcp_clients_yielding(&peers, &other)), 1);
}
END_TEST

/* Among any number of connections the fullest network is known: compared with a count. */
START_TEST(fullest_is_known_whatever_comes_and_goes)
{
	unsigned n[5] = { 0 }, of[CAP];
	bool taken[CAP] = { false };
	struct netaddr new = apart(99);

	srand(7);
	for (unsigned step = 0; step < 20000; step++) {
		unsigned i = (unsigned)rand() % CAP, most = 0, yields;

		if (taken[i]) {
			give(i);
			n[of[i]]--;
		} else {
			struct netaddr a;

			of[i] = (unsigned)rand() % 5;
			a = apart(of[i]);
			take(i, &a, rand() % 2 == 0);
			n[of[i]]++;
		}
		taken[i] = !taken[i];
		for (unsigned k = 0; k < 5; k++)
			most = n[k] > most ? n[k] : most;
		if (most < 2)
			continue;
		yields = which(tcp_clients_yielding(&peers, &new));
		ck_assert_uint_lt(yields, CAP);
		ck_assert_uint_ge(n[of[yields]] + most / 8, most);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counted_by_address);
	tcase_add_test(tc, places_come_free_in_any_order);
	tcase_add_loop_test(tc, d30_ceilings_of_networks, 0, 3);
	tcase_add_test(tc, link_local_addresses_are_per_link);
	tcase_add_test(tc, idlest_of_a_network);
	tcase_add_test(tc, fullest_network_gives_way);
	tcase_add_test(tc, among_equals_the_longest_silent);
	tcase_add_test(tc, busy_ones_give_way_to_much_smaller_networks);
	tcase_add_test(tc, d30_hosts_of_one_network_are_apart);
	tcase_add_test(tc, fullest_is_known_whatever_comes_and_goes);
}
