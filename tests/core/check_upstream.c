/* SPDX-License-Identifier: BSD-2-Clause */
/* Upstreams: numbers that last, health, and whom to ask under each selection-mode. */

#include "core/upstream.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "core/parts.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static struct rng rng;
static uint64_t now_ns;

static void
configure(unsigned n)
{
	parts_conf(&conf, n, 100);
	upstreams_configure(&us, &conf, &wheel, now_ns);
}

static void
setup(void)
{
	now_ns = PARTS_START_NS;
	rng_init_seeded(&rng, 5);
	wheel_init(&wheel, now_ns);
	upstreams_init(&us);
}

static uint16_t
pick(uint64_t errored, uint16_t last, uint16_t prefer)
{
	const struct upstream_wish wish = { .errored = errored, .last = last, .prefer = prefer };

	return upstreams_pick(&us, &wish, &rng);
}

static void
take_down(unsigned u)
{
	bool down = false;

	now_ns += 1000 * NS_PER_MS;
	for (unsigned i = 0; i < UPSTREAM_FAILURES; i++)
		down = upstreams_on_failure(&us, u, &wheel, now_ns);
	ck_assert(down);
	ck_assert(us.table[u].down);
}

/* --- choice --- */

START_TEST(in_order_takes_the_first_alive)
{
	configure(3);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(0, 1, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(1, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(3, 1, UPSTREAM_NONE), 2);
	ck_assert_uint_eq(pick(7, 2, UPSTREAM_NONE), UPSTREAM_NONE);
	take_down(0);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), 1);
}
END_TEST

/* Alive and another; alive; another; any. */
START_TEST(down_only_when_no_other_is_left)
{
	configure(3);
	take_down(0);
	take_down(1);
	ck_assert_uint_eq(pick(0, 2, UPSTREAM_NONE), 2);
	ck_assert_uint_eq(pick(4, 2, UPSTREAM_NONE), 0);
	ck_assert_uint_eq(pick(4, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(6, 0, UPSTREAM_NONE), 0);
}
END_TEST

START_TEST(preferred_if_it_may_be_asked)
{
	configure(3);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 2), 2);
	ck_assert_uint_eq(pick(4, UPSTREAM_NONE, 2), 0);
	take_down(2);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 2), 0);
	configure(1);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 1), 0);
}
END_TEST

/* mtd64-ng: the same one until it does not reply in time, then the next, round and round. */
START_TEST(round_robin_stays)
{
	configure(3);
	us.selection = CONF_ROUND_ROBIN;
	for (unsigned turn = 0; turn < 7; turn++) {
		uint16_t want = (uint16_t)(turn % 3);

		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		ck_assert_uint_eq(pick(0, want, UPSTREAM_NONE), (turn + 1) % 3);
	}
	/* Another question that was silent at the one before does not move it. */
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
	ck_assert_uint_eq(pick(0, 0, UPSTREAM_NONE), 1);
}
END_TEST

START_TEST(random_is_even)
{
	unsigned counts[4] = { 0 };
	unsigned after[4] = { 0 };

	configure(4);
	us.selection = CONF_RANDOM;
	for (unsigned i = 0; i < 40000; i++) {
		counts[pick(0, UPSTREAM_NONE, UPSTREAM_NONE)]++;
		after[pick(0, 2, UPSTREAM_NONE)]++;
	}
	for (unsigned u = 0; u < 4; u++) {
		ck_assert_uint_gt(counts[u], 9600);
		ck_assert_uint_lt(counts[u], 10400);
	}
	ck_assert_uint_eq(after[2], 0);
	ck_assert_uint_gt(after[0], 9000);
	ck_assert_uint_gt(after[1], 9000);
	ck_assert_uint_gt(after[3], 9000);
}
END_TEST

START_TEST(nobody_to_ask)
{
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), UPSTREAM_NONE);
	us.selection = CONF_ROUND_ROBIN;
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 3), UPSTREAM_NONE);
}
END_TEST

/* --- health --- */

START_TEST(down_after_three_failures_over_a_timeout)
{
	configure(1);
	for (unsigned i = 0; i < 10; i++)
		ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 999 * NS_PER_MS));
	ck_assert(upstreams_on_failure(&us, 0, &wheel, now_ns + 1000 * NS_PER_MS));
	ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 1000 * NS_PER_MS));
	ck_assert(us.table[0].down);
	ck_assert_uint_eq(wheel.n, 1);
	ck_assert_ptr_eq(wheel_take(&wheel, now_ns + 1400 * NS_PER_MS), &us.table[0].probe);
}
END_TEST

START_TEST(a_reply_forgives)
{
	configure(1);
	ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 1000 * NS_PER_MS));
	ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 1000 * NS_PER_MS));
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns + 1000 * NS_PER_MS));
	ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 3000 * NS_PER_MS));
	ck_assert(!upstreams_on_failure(&us, 0, &wheel, now_ns + 3000 * NS_PER_MS));
	ck_assert(upstreams_on_failure(&us, 0, &wheel, now_ns + 3000 * NS_PER_MS));
	ck_assert(upstreams_on_reply(&us, 0, &wheel, now_ns + 4000 * NS_PER_MS));
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(wheel.n, 0);
}
END_TEST

/* --- numbers --- */

START_TEST(numbers_last_over_a_reload)
{
	configure(3);
	us.table[1].no_edns_until_ns = 77;
	take_down(2);
	conf.upstreams[0] = conf.upstreams[2];
	conf.n_upstreams = 2;
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert_uint_eq(us.n_order, 2);
	ck_assert_uint_eq(us.order[0], 2);
	ck_assert_uint_eq(us.order[1], 1);
	ck_assert(us.table[2].down);
	ck_assert_uint_eq(us.table[1].no_edns_until_ns, 77);
	/* The first had nothing in flight: its number is free, its probe would be off. */
	ck_assert_int_eq(us.table[0].addr.family, NETADDR_NONE);
	ck_assert_uint_eq(wheel.n, 1);
	configure(1);
	ck_assert_uint_eq(wheel.n, 0);
}
END_TEST

START_TEST(a_number_waits_for_its_sockets)
{
	int slot;

	configure(2);
	slot = upstreams_socket_add(&us, 1, 0);
	ck_assert_int_ge(slot, 0);
	us.table[1].socket[0] = slot;
	configure(1);
	ck_assert(!us.table[1].active);
	ck_assert_int_eq(us.table[1].addr.family, NETADDR_IPV4);
	ck_assert_uint_eq(pick(0, 0, 1), 0);
	upstreams_socket_retire(&us, (unsigned)slot);
	ck_assert_int_eq(us.table[1].socket[0], -1);
	ck_assert_int_eq(us.table[1].addr.family, NETADDR_IPV4);
	upstreams_socket_del(&us, (unsigned)slot);
	ck_assert_int_eq(us.table[1].addr.family, NETADDR_NONE);
}
END_TEST

START_TEST(the_same_address_twice_is_one)
{
	parts_conf(&conf, 2, 100);
	conf.upstreams[1] = conf.upstreams[0];
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert_uint_eq(us.n_order, 1);
}
END_TEST

/* More than 64 that are configured or leaving: the rest comes in with the next reload. */
START_TEST(all_numbers_taken)
{
	for (unsigned round = 0; round < 2; round++) {
		parts_conf(&conf, CONF_MAX_UPSTREAMS, 100);
		for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++)
			conf.upstreams[i].port = (uint16_t)(1000 + round);
		upstreams_configure(&us, &conf, &wheel, now_ns);
		ck_assert_uint_eq(us.n_order, CONF_MAX_UPSTREAMS);
		for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++)
			ck_assert_int_ge(upstreams_socket_add(&us, us.order[i], 0), 0);
	}
	parts_conf(&conf, 1, 100);
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert_uint_eq(us.n_order, 0);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), UPSTREAM_NONE);
	upstreams_socket_del(&us, 0);
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert_uint_eq(us.n_order, 1);
}
END_TEST

/* --- socket slots --- */

START_TEST(slots_are_used_in_turn)
{
	configure(1);
	for (unsigned i = 0; i < ENGINE_MAX_SOCKETS; i++) {
		int slot = upstreams_socket_add(&us, 0, i % ENGINE_MAX_SPACES);

		ck_assert_int_eq(slot, (int)i);
		if (i % 2 == 0)
			upstreams_socket_del(&us, i);
	}
	/* Round once: the first vacant one again. */
	ck_assert_int_eq(upstreams_socket_add(&us, 0, 1), 0);
	ck_assert_uint_eq(us.sockets[0].space, 1);
	for (unsigned i = 1; i < ENGINE_MAX_SOCKETS / 2; i++)
		ck_assert_int_eq(upstreams_socket_add(&us, 0, 0), (int)(2 * i));
	ck_assert_int_eq(upstreams_socket_add(&us, 0, 0), -1);
	ck_assert_uint_eq(us.table[0].n_sockets, ENGINE_MAX_SOCKETS);
}
END_TEST

START_TEST(retiring_an_old_socket_leaves_the_new_one)
{
	int old, new;

	configure(1);
	old = upstreams_socket_add(&us, 0, 2);
	new = upstreams_socket_add(&us, 0, 2);
	us.table[0].socket[2] = new;
	upstreams_socket_retire(&us, (unsigned)old);
	upstreams_socket_del(&us, (unsigned)old);
	ck_assert_int_eq(us.table[0].socket[2], new);
	ck_assert_uint_eq(us.table[0].n_sockets, 1);
	upstreams_socket_del(&us, (unsigned)new);
	ck_assert_int_eq(us.table[0].socket[2], -1);
}
END_TEST

/* RULES D9: trust goes with the address, and a reload changes it. */
START_TEST(d9_trusted)
{
	parts_conf(&conf, 3, 100);
	conf.trusted = 5;
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert(us.table[0].trusted && !us.table[1].trusted && us.table[2].trusted);
	conf.upstreams[0] = conf.upstreams[1];
	conf.upstreams[1] = conf.upstreams[2];
	conf.n_upstreams = 2;
	conf.trusted = 1;
	upstreams_configure(&us, &conf, &wheel, now_ns);
	ck_assert(us.table[1].trusted && !us.table[2].trusted);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("upstream");
	TCase *tc = tcase_create("upstream");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, in_order_takes_the_first_alive);
	tcase_add_test(tc, d9_trusted);
	tcase_add_test(tc, down_only_when_no_other_is_left);
	tcase_add_test(tc, preferred_if_it_may_be_asked);
	tcase_add_test(tc, round_robin_stays);
	tcase_add_test(tc, random_is_even);
	tcase_add_test(tc, nobody_to_ask);
	tcase_add_test(tc, down_after_three_failures_over_a_timeout);
	tcase_add_test(tc, a_reply_forgives);
	tcase_add_test(tc, numbers_last_over_a_reload);
	tcase_add_test(tc, a_number_waits_for_its_sockets);
	tcase_add_test(tc, the_same_address_twice_is_one);
	tcase_add_test(tc, all_numbers_taken);
	tcase_add_test(tc, slots_are_used_in_turn);
	tcase_add_test(tc, retiring_an_old_socket_leaves_the_new_one);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
