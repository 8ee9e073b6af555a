/* SPDX-License-Identifier: BSD-2-Clause */
/* peers: connections counted by client address. */
#include "io/peers.h"

#include <check.h>

#define CAP 64

static struct peers peers;

static void
setup(void)
{
	ck_assert_int_eq(peers_init(&peers, CAP, 12345), 0);
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

/* Whatever the port; and when one has ended, another may come. */
START_TEST(ceiling_is_per_address)
{
	struct netaddr a = client(1, 1000);
	struct netaddr other = client(2, 1000);
	uint32_t n[3];

	for (uint16_t i = 0; i < 3; i++) {
		a.port = (uint16_t)(1000 + i);
		n[i] = peers_take(&peers, &a, 3);
		ck_assert_uint_ne(n[i], PEERS_NONE);
	}
	ck_assert_uint_eq(peers_take(&peers, &a, 3), PEERS_NONE);
	ck_assert_uint_ne(peers_take(&peers, &other, 3), PEERS_NONE);
	peers_give(&peers, n[1]);
	ck_assert_uint_ne(peers_take(&peers, &a, 3), PEERS_NONE);
	ck_assert_uint_eq(peers_take(&peers, &a, 3), PEERS_NONE);
}
END_TEST

START_TEST(limit_of_none_refuses)
{
	struct netaddr a = client(1, 1);

	ck_assert_uint_eq(peers_take(&peers, &a, 0), PEERS_NONE);
}
END_TEST

/* As many addresses as there are places, over and over, given back in another order. */
START_TEST(places_come_free_in_any_order)
{
	uint32_t n[CAP];

	for (unsigned round = 0; round < 50; round++) {
		for (unsigned i = 0; i < CAP; i++) {
			struct netaddr a = client(round * 7 + i, 1);

			n[i] = peers_take(&peers, &a, 1);
			ck_assert_uint_ne(n[i], PEERS_NONE);
			ck_assert_uint_eq(peers_take(&peers, &a, 1), PEERS_NONE);
		}
		for (unsigned i = 0; i < CAP; i++)
			peers_give(&peers, n[(i * 5 + round) % CAP]);
	}
}
END_TEST

/* IPv6 link-local addresses of different links are different clients. */
START_TEST(link_local_addresses_are_per_link)
{
	struct netaddr a = { .addr = { 0xfe, 0x80 }, .scope = 1, .family = NETADDR_IPV6 };
	struct netaddr b = a;

	b.scope = 2;
	ck_assert_uint_ne(peers_take(&peers, &a, 1), PEERS_NONE);
	ck_assert_uint_ne(peers_take(&peers, &b, 1), PEERS_NONE);
	ck_assert_uint_eq(peers_take(&peers, &b, 1), PEERS_NONE);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("peers");
	TCase *t = tcase_create("peers");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, ceiling_is_per_address);
	tcase_add_test(t, limit_of_none_refuses);
	tcase_add_test(t, places_come_free_in_any_order);
	tcase_add_test(t, link_local_addresses_are_per_link);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(suite());
	int failed;

	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
