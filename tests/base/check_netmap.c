/* SPDX-License-Identifier: BSD-2-Clause */
/* Networks to numbers: the longest match, against a search through a list. */

#include "base/netmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define NONE 0xffffffff

/* "2001:db8::/32" */
static struct net
net_of(const char *text)
{
	const char *slash = strchr(text, '/');
	struct net net = { 0 };
	struct netaddr a;
	char addr[64];

	ck_assert_ptr_nonnull(slash);
	memcpy(addr, text, (size_t)(slash - text));
	addr[slash - text] = '\0';
	ck_assert(netaddr_parse(addr, 0, &a));
	memcpy(net.addr, a.addr, sizeof(net.addr));
	net.len = (uint8_t)atoi(slash + 1);
	net.family = a.family;
	return net;
}

static uint32_t
find(const struct netmap *m, const char *text)
{
	struct netaddr a;

	ck_assert(netaddr_parse(text, 53, &a));
	return netmap_find(m, &a, NONE);
}

static void
add(struct netmap *m, const char *text, uint32_t value)
{
	struct net net = net_of(text);

	ck_assert_int_eq(netmap_add(m, &net, value), 0);
}

START_TEST(nothing_is_found_in_an_empty_map)
{
	static const char *const nets[] = { "0.0.0.0/0", "10.0.0.0/8", "::/0", "::1/128" };
	const struct netaddr none = { .family = NETADDR_NONE };
	struct netmap m;

	netmap_init(&m);
	ck_assert_uint_eq(find(&m, "192.0.2.1"), NONE);
	ck_assert_uint_eq(find(&m, "::"), NONE);
	ck_assert_uint_eq(netmap_find(&m, &none, 7), 7);
	for (size_t i = 0; i < N_OF(nets); i++) {
		struct net net = net_of(nets[i]);

		ck_assert_uint_eq(netmap_get(&m, &net, 7), 7);
	}
	add(&m, "::/0", 1);
	add(&m, "0.0.0.0/0", 2);
	ck_assert_uint_eq(netmap_find(&m, &none, 7), 7);
	netmap_fini(&m);
	ck_assert_uint_eq(find(&m, "192.0.2.1"), NONE);
	netmap_fini(&m);
}
END_TEST

/* RULES D13: networks do not merge, the longest match is the policy. */
START_TEST(the_longest_counts)
{
	static const char *const nets[] = { "0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/32",
		"128.0.0.0/1", "224.0.0.0/4", "2001:db8::/32", "2001:db8:1::/48",
		"2001:db8:1:2::/64", "2001:db8:1:2::3/128", "2001:db8:1:2:3::/80", "64:ff9b::/96" };
	const struct {
		const char *addr;
		const char *net; /* NULL: none */
	} wanted[] = { { "9.255.255.255", nets[0] }, { "10.0.0.0", nets[1] },
		{ "10.0.255.255", nets[1] }, { "10.1.0.0", nets[2] }, { "10.1.2.2", nets[2] },
		{ "10.1.2.3", nets[3] }, { "127.255.255.255", nets[0] }, { "128.0.0.0", nets[4] },
		{ "223.255.255.255", nets[4] }, { "224.0.0.0", nets[5] },
		{ "239.255.255.255", nets[5] }, { "240.0.0.0", nets[4] },
		{ "255.255.255.255", nets[4] }, { "2001:db7:ffff::", NULL },
		{ "2001:db8::", nets[6] }, { "2001:db8:1::ffff", nets[7] },
		{ "2001:db8:1:2::2", nets[8] }, { "2001:db8:1:2::3", nets[9] },
		{ "2001:db8:1:2:3::3", nets[10] }, { "2001:db8:1:3::3", nets[7] },
		{ "2001:db9::", NULL }, { "64:ff9b::ffff:ffff", nets[11] },
		{ "64:ff9b::1:0:0", NULL }, { "::", NULL }, { "::a00:1", NULL } };
	struct netmap m;

	netmap_init(&m);
	for (size_t i = 0; i < N_OF(nets); i++)
		add(&m, nets[i], (uint32_t)i);
	for (size_t i = 0; i < N_OF(wanted); i++) {
		uint32_t v = find(&m, wanted[i].addr);

		ck_assert_msg(
		    v == NONE ? wanted[i].net == NULL : v < N_OF(nets) && wanted[i].net == nets[v],
		    "%s: %u", wanted[i].addr, v);
	}
	netmap_fini(&m);
}
END_TEST

START_TEST(families_keep_apart)
{
	struct netmap m;

	netmap_init(&m);
	add(&m, "::/0", 6);
	add(&m, "::ffff:0:0/96", 66);
	add(&m, "a00::/8", 666);
	ck_assert_uint_eq(find(&m, "10.0.0.1"), NONE);
	ck_assert_uint_eq(find(&m, "0.0.0.0"), NONE);
	ck_assert_uint_eq(find(&m, "::ffff:10.0.0.1"), 66);
	add(&m, "0.0.0.0/0", 4);
	ck_assert_uint_eq(find(&m, "10.0.0.1"), 4);
	ck_assert_uint_eq(find(&m, "::10.0.0.1"), 6);
	netmap_fini(&m);
	add(&m, "10.0.0.0/8", 4);
	add(&m, "0.0.0.0/0", 44);
	ck_assert_uint_eq(find(&m, "::"), NONE);
	ck_assert_uint_eq(find(&m, "a00::"), NONE);
	ck_assert_uint_eq(find(&m, "::ffff:10.0.0.1"), NONE);
	netmap_fini(&m);
}
END_TEST

/* The same address with other lengths is another network. */
START_TEST(same_address_other_length_is_another_network)
{
	static const char *const nets[] = { "0.0.0.0/0", "0.0.0.0/32", "::/0", "::/64", "::/128" };
	struct netmap m;

	netmap_init(&m);
	for (size_t i = 0; i < N_OF(nets); i++)
		add(&m, nets[i], (uint32_t)i);
	for (size_t i = 0; i < N_OF(nets); i++) {
		struct net net = net_of(nets[i]);

		ck_assert_int_eq(netmap_add(&m, &net, 100), -EEXIST);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), i);
		ck_assert_int_eq(netmap_set(&m, &net, NONE - 1), 0);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), NONE - 1);
		ck_assert_int_eq(netmap_set(&m, &net, 0), 0);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), 0);
		net.len = net.len == 0 ? 1 : (uint8_t)(net.len - 1);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), NONE);
		ck_assert_int_eq(netmap_set(&m, &net, 5), 0);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), 5);
	}
	ck_assert_uint_eq(m.n, 2 * N_OF(nets));
	netmap_fini(&m);
}
END_TEST

START_TEST(network_holds_its_first_and_last_address)
{
	static const struct {
		const char *net;
		const char *first; /* and last in it */
		const char *last;
		const char *outside;
	} cases[] = { { "0.0.0.0/0", "0.0.0.0", "255.255.255.255", NULL },
		{ "10.0.0.0/8", "10.0.0.0", "10.255.255.255", "11.0.0.0" },
		{ "172.16.0.0/12", "172.16.0.0", "172.31.255.255", "172.32.0.0" },
		{ "192.0.2.1/32", "192.0.2.1", "192.0.2.1", "192.0.2.0" },
		{ "192.0.2.254/31", "192.0.2.254", "192.0.2.255", "192.0.2.253" },
		{ "::/0", "::", "ffff:ffff::", NULL },
		{ "fe80::/10", "fe80::", "febf:ffff::", "fec0::" },
		{ "::ffff:0:0/96", "::ffff:0.0.0.0", "::ffff:255.255.255.255", "::fffe:1:2" },
		{ "::1/128", "::1", "::1", "::" } };

	for (size_t i = 0; i < N_OF(cases); i++) {
		struct net net = net_of(cases[i].net);
		struct netaddr a;

		ck_assert(netaddr_parse(cases[i].first, 0, &a));
		ck_assert(net_holds(&net, a.addr));
		ck_assert(netaddr_parse(cases[i].last, 0, &a));
		ck_assert(net_holds(&net, a.addr));
		if (cases[i].outside == NULL)
			continue;
		ck_assert(netaddr_parse(cases[i].outside, 0, &a));
		ck_assert(!net_holds(&net, a.addr));
	}
}
END_TEST

/* --- Against a search through a list ---------------------------------------------------------- */

#define MANY 3000

struct list {
	size_t n;
	struct net nets[MANY];
	uint32_t values[MANY];
};

/* Of the networks in LIST that hold ADDR the longest; by bits, not by bytes. */
static uint32_t
list_find(const struct list *list, const uint8_t *addr, uint8_t family)
{
	uint32_t value = NONE;
	int longest = -1;

	for (size_t i = 0; i < list->n; i++) {
		const struct net *net = &list->nets[i];
		unsigned bit = 0;

		if (net->family != family || net->len <= longest)
			continue;
		while (
		    bit < net->len && ((net->addr[bit / 8] ^ addr[bit / 8]) & 0x80 >> bit % 8) == 0)
			bit++;
		ck_assert_int_eq(net_holds(net, addr), bit == net->len);
		if (bit < net->len)
			continue;
		longest = net->len;
		value = list->values[i];
	}
	return value;
}

static size_t
list_at(const struct list *list, const struct net *net)
{
	size_t i = 0;

	while (i < list->n && memcmp(&list->nets[i], net, sizeof(*net)) != 0)
		i++;
	return i;
}

/* An address of few different bits, so that networks lie in one another. */
static void
draw_addr(struct rng *r, uint8_t addr[static 16], uint8_t family)
{
	memset(addr, 0, 16);
	for (unsigned i = 0; i < (family == NETADDR_IPV4 ? 4 : 16); i++) {
		static const uint8_t often[] = { 0, 0, 0x80, 0xff };

		addr[i] = rng_below(r, 8) == 0 ? (uint8_t)rng_u16(r) : often[rng_below(r, 4)];
	}
}

static void
draw_net(struct rng *r, struct net *net)
{
	unsigned n_bits;

	net->family = rng_below(r, 3) == 0 ? NETADDR_IPV4 : NETADDR_IPV6;
	n_bits = net->family == NETADDR_IPV4 ? 32 : 128;
	net->len = (uint8_t)rng_below(r, n_bits + 1);
	draw_addr(r, net->addr, net->family);
	for (unsigned bit = net->len; bit < n_bits; bit++)
		net->addr[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
}

static void
compare(struct rng *r, const struct netmap *m, const struct list *list)
{
	static const uint8_t families[] = { NETADDR_IPV4, NETADDR_IPV6 };

	for (unsigned i = 0; i < 200; i++) {
		struct netaddr a = { .family = families[i % 2], .port = 53 };
		uint32_t wanted;

		draw_addr(r, a.addr, a.family);
		if (list->n > 0 && i % 4 >= 2) {
			/* In a network, or right beside one. */
			const struct net *net = &list->nets[rng_below(r, (uint32_t)list->n)];
			unsigned bit = rng_below(r, net->len + 1U);

			a.family = net->family;
			memcpy(a.addr, net->addr, sizeof(a.addr));
			if (bit < (a.family == NETADDR_IPV4 ? 32 : 128))
				a.addr[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
		}
		wanted = list_find(list, a.addr, a.family);
		ck_assert_uint_eq(netmap_find(m, &a, NONE), wanted);
		if (a.family == NETADDR_IPV4)
			ck_assert_uint_eq(netmap_find4(m, a.addr, NONE), wanted);
		else
			ck_assert_uint_eq(netmap_find6(m, a.addr, NONE), wanted);
	}
}

START_TEST(as_in_a_list)
{
	static struct list list;
	struct netmap m;
	struct rng r;

	rng_init_seeded(&r, (uint64_t)_i);
	netmap_init(&m);
	list.n = 0;
	compare(&r, &m, &list);
	for (unsigned i = 0; i < MANY / 4; i++) {
		struct net net;
		uint32_t value = rng_u32(&r) >> 1;
		size_t at;

		draw_net(&r, &net);
		at = list_at(&list, &net);
		ck_assert_uint_eq(netmap_get(&m, &net, NONE), at < list.n ? list.values[at] : NONE);
		if (rng_below(&r, 4) == 0) {
			ck_assert_int_eq(netmap_set(&m, &net, value), 0);
			list.values[at] = value;
		} else {
			ck_assert_int_eq(netmap_add(&m, &net, value), at < list.n ? -EEXIST : 0);
			if (at == list.n)
				list.values[at] = value;
		}
		list.nets[at] = net;
		list.n += at == list.n;
		ck_assert_uint_eq(m.n, list.n);
		if (i % 64 == 0)
			compare(&r, &m, &list);
	}
	compare(&r, &m, &list);
	for (size_t i = 0; i < list.n; i++)
		ck_assert_uint_eq(netmap_get(&m, &list.nets[i], NONE), list.values[i]);
	netmap_fini(&m);
}
END_TEST

/* Networks in sequence, as operators number them, are found too when there are many. */
START_TEST(many_networks_in_sequence_are_found)
{
	static const uint8_t lens[] = { 24, 32, 48, 56, 64, 128 };
	struct net net = { .family = NETADDR_IPV6, .addr = { 0x20, 0x01 } };
	struct netmap m;

	netmap_init(&m);
	net.len = lens[_i];
	for (uint32_t i = 0; i < 20000; i++) {
		uint8_t *end = net.addr + net.len / 8;

		end[-1] = (uint8_t)i;
		end[-2] = (uint8_t)(i >> 8);
		ck_assert_int_eq(netmap_add(&m, &net, i), 0);
	}
	for (uint32_t i = 0; i < 20000; i++) {
		uint8_t *end = net.addr + net.len / 8;

		end[-1] = (uint8_t)i;
		end[-2] = (uint8_t)(i >> 8);
		ck_assert_uint_eq(netmap_find6(&m, net.addr, NONE), i);
	}
	ck_assert_uint_eq(m.n, 20000);
	netmap_fini(&m);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, nothing_is_found_in_an_empty_map);
	tcase_add_test(tc, the_longest_counts);
	tcase_add_test(tc, families_keep_apart);
	tcase_add_test(tc, same_address_other_length_is_another_network);
	tcase_add_test(tc, network_holds_its_first_and_last_address);
	tcase_add_loop_test(tc, as_in_a_list, 0, 8);
	tcase_add_loop_test(tc, many_networks_in_sequence_are_found, 0, 6);
}
