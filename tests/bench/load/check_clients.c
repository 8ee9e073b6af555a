/* SPDX-License-Identifier: BSD-2-Clause */
/* Where questions come from: networks, the addresses that lanes take of them, sockets. */

#include "bench/load/clients.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct bench_clients c;

static void
networks(const char *const *texts, size_t n)
{
	c.n = 0;
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(bench_clients_parse(texts[i], &c.network[c.n++]), "%s", texts[i]);
}

static void
expect(uint64_t k, const char *want)
{
	struct netaddr a = bench_clients_address(&c, k);
	char text[NETADDR_TEXT];

	ck_assert_msg(strcmp(netaddr_format(&a, text), want) == 0, "lane %ju: %s, not %s",
	    (uintmax_t)k, text, want);
}

START_TEST(networks_are_read)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
		{ "192.0.2.0/24", true },
		{ "0.0.0.0/0", true },
		{ "192.0.2.1/32", true },
		{ "2001:db8::/32", true },
		{ "2001:db8::1/128", true },
		{ "::/0", true },
		{ "192.0.2.1/24", false }, /* bits behind the length */
		{ "2001:db8::1/64", false },
		{ "2001:db8:0:0:8000::/64", false },
		{ "192.0.2.0/33", false },
		{ "2001:db8::/129", false },
		{ "192.0.2.0", false },
		{ "192.0.2.0/", false },
		{ "192.0.2.0/ 24", false },
		{ "192.0.2.0/24 ", false },
		{ "192.0.2.0/24/24", false },
		{ "/24", false },
		{ "", false },
		{ "name/24", false },
		{ "224.0.0.0/4", false },
		{ "ff00::/8", false },
		{ "fe80::/64", false },
		{ "fe80::%lo/64", false },
		{ "1111111111111111111111111111111111111111111111111111111111111111111111111/8",
		    false },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		char text[BENCH_NETWORK_TEXT];
		struct bench_network w;

		ck_assert_msg(
		    bench_clients_parse(cases[i].text, &w) == cases[i].good, "%s", cases[i].text);
		if (cases[i].good)
			ck_assert_str_eq(bench_clients_format(&w, text), cases[i].text);
	}
}
END_TEST

START_TEST(addresses_are_spread)
{
	c.n = 0;
	ck_assert_int_eq(bench_clients_address(&c, 5).family, NETADDR_NONE);
	networks((const char *const[]){ "192.0.2.0/24" }, 1);
	expect(0, "192.0.2.128");
	expect(1, "192.0.2.64");
	expect(2, "192.0.2.192");
	expect(253, "192.0.2.127");
	expect(254, "192.0.2.128"); /* from the beginning */
	networks((const char *const[]){ "10.0.0.0/8", "198.51.100.7/32", "203.0.113.4/31" }, 3);
	expect(0, "10.128.0.0");
	expect(1, "198.51.100.7");
	expect(2, "203.0.113.4");
	expect(3, "10.64.0.0");
	expect(4, "198.51.100.7");
	expect(5, "203.0.113.5");
	expect(8, "203.0.113.4");
	/* A /64 each, and then again with the next identifier */
	networks((const char *const[]){ "2001:db8:7::/62" }, 1);
	expect(0, "2001:db8:7::1");
	expect(1, "2001:db8:7:2::1");
	expect(2, "2001:db8:7:1::1");
	expect(3, "2001:db8:7:3::1");
	expect(4, "2001:db8:7::2");
	expect(9, "2001:db8:7:2::3");
	networks((const char *const[]){ "2001:db8::/64" }, 1);
	expect(0, "2001:db8:0:0:8000::");
	expect(1, "2001:db8:0:0:4000::");
	networks((const char *const[]){ "2001:db8::4/127" }, 1);
	expect(0, "2001:db8::4");
	expect(1, "2001:db8::5");
	networks((const char *const[]){ "::/0" }, 1);
	expect(1, "8000::1");
}
END_TEST

static int
by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct netaddr));
}

/* All are of the network, no two the same, and as many as is said. */
START_TEST(addresses_are_different)
{
	static const struct {
		const char *text;
		uint64_t lanes;
		uint64_t count;
	} cases[] = { { "192.0.2.0/24", 254, 254 }, { "192.0.2.0/24", 1000, 254 },
		{ "10.0.0.0/8", 70000, 70000 }, { "192.0.2.8/30", 3, 2 }, { "192.0.2.8/31", 3, 2 },
		{ "192.0.2.8/32", 3, 1 }, { "2001:db8::/48", 70000, 70000 },
		{ "2001:db8::/56", 1000, 1000 }, { "2001:db8::/64", 70000, 70000 },
		{ "2001:db8::/120", 300, 254 }, { "::/0", 5000, 5000 } };
	static struct netaddr a[70000];

	for (size_t i = 0; i < N_OF(cases); i++) {
		uint64_t different = 1;

		networks(&cases[i].text, 1);
		for (uint64_t k = 0; k < cases[i].lanes; k++) {
			a[k] = bench_clients_address(&c, k);
			for (unsigned bit = 0; bit < c.network[0].len; bit++) {
				uint8_t mask = (uint8_t)(0x80 >> bit % 8);

				if ((a[k].addr[bit / 8] & mask) !=
				    (c.network[0].first.addr[bit / 8] & mask))
					ck_abort_msg("%s: lane %ju", cases[i].text, (uintmax_t)k);
			}
		}
		qsort(a, cases[i].lanes, sizeof(a[0]), by_bytes);
		for (uint64_t k = 1; k < cases[i].lanes; k++)
			different += by_bytes(&a[k - 1], &a[k]) != 0;
		ck_assert_msg(
		    different == cases[i].count, "%s: %ju", cases[i].text, (uintmax_t)different);
		ck_assert_uint_eq(bench_clients_count(&c, cases[i].lanes), cases[i].count);
	}
	networks((const char *const[]){ "10.0.0.0/8", "198.51.100.7/32" }, 2);
	ck_assert_uint_eq(bench_clients_count(&c, 11), 7);
	c.n = 0;
	ck_assert_uint_eq(bench_clients_count(&c, 11), 0);
}
END_TEST

/* Sixteen lanes, as there are by default, are in sixteen /24s of a /16, and in as many /64s. */
START_TEST(few_lanes_are_in_different_networks)
{
	networks((const char *const[]){ "198.18.0.0/16" }, 1);
	for (uint64_t k = 0; k < 16; k++) {
		for (uint64_t i = 0; i < k; i++) {
			struct netaddr a = bench_clients_address(&c, k);
			struct netaddr b = bench_clients_address(&c, i);

			ck_assert_int_ne(memcmp(a.addr, b.addr, 3), 0);
		}
	}
}
END_TEST

START_TEST(sockets_are_bound)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr a, none = { .family = NETADDR_NONE };

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bench_clients_bind(fd, &none), 0);
	networks((const char *const[]){ "203.0.113.0/24" }, 1); /* not ours, nor routed */
	a = bench_clients_address(&c, 0);
	ck_assert_int_eq(bench_clients_bind(fd, &a), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&ss, &a));
	ck_assert_int_eq(memcmp(a.addr, (const uint8_t[]){ 203, 0, 113, 128 }, 4), 0);
	(void)close(fd);
	ck_assert_int_eq(bench_clients_bind(-1, &a), -EBADF);
}
END_TEST

/* All of 127.0.0.0/8 is local anywhere; of others it is said how they become so. */
START_TEST(networks_must_be_local)
{
	char error[BENCH_CLIENTS_ERROR] = "";

	c.n = 0;
	ck_assert(bench_clients_check(&c, error));
	networks((const char *const[]){ "127.0.0.0/8", "127.9.0.0/16" }, 2);
	ck_assert(bench_clients_check(&c, error));
	ck_assert_str_eq(error, "");
	networks((const char *const[]){ "127.0.0.0/8", "203.0.113.0/24" }, 2);
	ck_assert(!bench_clients_check(&c, error));
	ck_assert_ptr_nonnull(strstr(error, "ip route add local 203.0.113.0/24 dev lo"));
	networks((const char *const[]){ "2001:db8:ffff::/48" }, 1);
	ck_assert(!bench_clients_check(&c, error));
	ck_assert_ptr_nonnull(strstr(error, "ip -6 route add local 2001:db8:ffff::/48 dev lo"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, networks_are_read);
	tcase_add_test(tc, addresses_are_spread);
	tcase_add_test(tc, addresses_are_different);
	tcase_add_test(tc, few_lanes_are_in_different_networks);
	tcase_add_test(tc, sockets_are_bound);
	tcase_add_test(tc, networks_must_be_local);
}
