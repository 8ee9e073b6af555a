/* SPDX-License-Identifier: BSD-2-Clause */
/* Upstreams: numbers that last, sockets, trust, EDNS and guards. */

#include "outbound/upstream.h"

#include "base/clock.h"
#include "base/logonce.h"
#include "scenario/parts.h"
#include "support/heard.h"
#include "support/tests.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static uint64_t now_ns;

static void
configure(unsigned n)
{
	parts_conf(&conf, n, 100);
	upstreams_configure(&us, &conf, &wheel);
}

static void
setup(void)
{
	now_ns = PARTS_START_NS;
	wheel_init(&wheel, now_ns);
	upstreams_init(&us);
}

/*
 * RULES D1: one refusal by UDP is not believed, another on another socket is, as is one over TCP.
 */
START_TEST(d1_two_sockets_prove_no_edns)
{
	configure(3);
	upstreams_on_no_edns(&us, 0, TRANSPORT_UDP, 5, now_ns);
	upstreams_on_no_edns(&us, 0, TRANSPORT_UDP, 5, now_ns);
	upstreams_on_no_edns(&us, 1, TRANSPORT_UDP, 5, now_ns);
	ck_assert_uint_eq(us.table[0].edns.off_until_ns, 0);
	ck_assert_uint_eq(us.table[1].edns.off_until_ns, 0);
	upstreams_on_no_edns(&us, 0, TRANSPORT_UDP, 6, now_ns);
	ck_assert_uint_eq(us.table[0].edns.off_until_ns, now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS);
	ck_assert_uint_eq(us.table[0].edns.refused_on, UPSTREAM_NONE);
	upstreams_on_no_edns(&us, 2, TRANSPORT_TCP, 0, now_ns);
	ck_assert_uint_eq(us.table[2].edns.off_until_ns, now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS);
}
END_TEST

/* RULES D26: a silent one of several does not take what the others need; a single one may. */
START_TEST(d26_how_many_may_be_in_flight)
{
	configure(1);
	ck_assert_uint_eq(us.most_waiting, UINT32_MAX);
	configure(2);
	ck_assert_uint_eq(us.most_waiting, 75);
	conf.max_waiting_per_upstream = 7;
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.most_waiting, 7);
}
END_TEST

START_TEST(numbers_last_over_a_reload)
{
	configure(3);
	us.table[1].edns.off_until_ns = 77;
	us.table[2].down = true;
	wheel_set(&wheel, &us.table[2].probe, now_ns);
	conf.upstreams[0].addr = conf.upstreams[2].addr;
	conf.n_upstreams = 2;
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 2);
	ck_assert_uint_eq(us.order[0], 2);
	ck_assert_uint_eq(us.order[1], 1);
	ck_assert(us.table[2].down);
	ck_assert_uint_eq(us.table[1].edns.off_until_ns, 77);
	/* The first had nothing in flight: its number is free, its probe would be off. */
	ck_assert_int_eq(us.table[0].conf.addr.family, NETADDR_NONE);
	ck_assert_uint_eq(wheel.n, 1);
	configure(1);
	ck_assert_uint_eq(wheel.n, 0);
}
END_TEST

/* Who is drained or down is listed, and in nobody's choice; its number and what is known of it
 * stay. */
START_TEST(orders_keep_an_upstream_from_being_asked)
{
	configure(3);
	us.table[0].edns.off_until_ns = 77;
	us.table[0].down = true;
	wheel_set(&wheel, &us.table[0].probe, now_ns);
	conf.upstreams[0].ordered = CONF_DOWN;
	conf.upstreams[2].ordered = CONF_DRAIN;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
	ck_assert_uint_eq(us.n_order, 1);
	ck_assert_uint_eq(us.order[0], 1);
	ck_assert_uint_eq(us.n_listed, 3);
	ck_assert_uint_eq(us.listed[0], 0);
	ck_assert_uint_eq(us.taken, 1);
	ck_assert(!us.table[0].active);
	ck_assert(us.table[2].active);
	/* It has nothing in flight, and its number is not free. */
	upstreams_release(&us, 0);
	ck_assert_uint_eq(us.table[0].edns.off_until_ns, 77);
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(wheel.n, 0);
	/* Again: it was taken before. */
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
	ck_assert_uint_eq(us.taken, 0);
	us.table[2].failures.n = 5; /* of what was finished */
	conf.upstreams[0].ordered = CONF_UP;
	conf.upstreams[2].ordered = CONF_UP;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), UPSTREAMS_NEW);
	ck_assert_uint_eq(us.n_order, 3);
	ck_assert_uint_eq(us.table[2].failures.n, 0);
	/* Configured no more, it is forgotten as any other. */
	conf.upstreams[2].ordered = CONF_DOWN;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
	configure(2);
	ck_assert_int_eq(us.table[2].conf.addr.family, NETADDR_NONE);
}
END_TEST

/* With none left to be asked all are down, and nothing is logged of silence. */
START_TEST(all_may_be_taken)
{
	configure(1);
	conf.upstreams[0].ordered = CONF_DRAIN;
	(void)upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 0);
	ck_assert(upstreams_all_down(&us));
	ck_assert(!us.logged_all_down);
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
	ck_assert_int_eq(us.table[1].conf.addr.family, NETADDR_IPV4);
	upstreams_socket_retire(&us, (unsigned)slot);
	ck_assert_int_eq(us.table[1].socket[0], -1);
	ck_assert_int_eq(us.table[1].conf.addr.family, NETADDR_IPV4);
	upstreams_socket_del(&us, (unsigned)slot);
	ck_assert_int_eq(us.table[1].conf.addr.family, NETADDR_NONE);
}
END_TEST

START_TEST(the_same_address_twice_is_one)
{
	parts_conf(&conf, 2, 100);
	conf.upstreams[1].addr = conf.upstreams[0].addr;
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 1);
}
END_TEST

/* More than 64 that are configured or leaving: the rest comes in with the next reload. */
START_TEST(upstreams_over_the_numbers_come_later)
{
	for (unsigned round = 0; round < 2; round++) {
		parts_conf(&conf, CONF_MAX_UPSTREAMS, 100);
		for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++)
			conf.upstreams[i].addr.port = (uint16_t)(1000 + round);
		upstreams_configure(&us, &conf, &wheel);
		ck_assert_uint_eq(us.n_order, CONF_MAX_UPSTREAMS);
		for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++)
			ck_assert_int_ge(upstreams_socket_add(&us, us.order[i], 0), 0);
	}
	parts_conf(&conf, 1, 100);
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 0);
	upstreams_socket_del(&us, 0);
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 1);
}
END_TEST

START_TEST(slots_are_used_in_turn)
{
	configure(1);
	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++) {
		int slot = upstreams_socket_add(&us, 0, i % TXID_MAX_SPACES);

		ck_assert_int_eq(slot, (int)i);
		if (i % 2 == 0)
			upstreams_socket_del(&us, i);
	}
	/* Round once: the first vacant one again. */
	ck_assert_int_eq(upstreams_socket_add(&us, 0, 1), 0);
	ck_assert_uint_eq(us.sockets[0].space, 1);
	for (unsigned i = 1; i < UPSTREAM_MAX_SOCKETS / 2; i++)
		ck_assert_int_eq(upstreams_socket_add(&us, 0, 0), (int)(2 * i));
	ck_assert_int_eq(upstreams_socket_add(&us, 0, 0), -1);
	ck_assert_uint_eq(us.table[0].n_sockets, UPSTREAM_MAX_SOCKETS);
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

/* A slot takes memory, so all are not used in turn while there are few sockets. */
START_TEST(slots_that_are_free_are_used_again)
{
	unsigned highest = 0;

	parts_conf(&conf, 1, 100);
	(void)upstreams_configure(&us, &conf, &wheel);
	for (unsigned i = 0; i < 10 * UPSTREAM_MAX_SOCKETS; i++) {
		int slot = upstreams_socket_add(&us, 0, 0);

		ck_assert_int_ge(slot, 0);
		highest = (unsigned)slot > highest ? (unsigned)slot : highest;
		upstreams_socket_del(&us, (unsigned)slot);
	}
	/* Not at once: what came for the last one is of no use to the next. */
	ck_assert_uint_gt(highest, 8);
	ck_assert_uint_lt(highest, 64);
}
END_TEST

/* RULES D9: trust goes with the address, and a reload changes it. */
START_TEST(d9_trust_goes_with_the_address)
{
	parts_conf(&conf, 3, 100);
	conf.upstreams[0].trusted = conf.upstreams[2].trusted = true;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), UPSTREAMS_NEW);
	ck_assert(
	    us.table[0].conf.trusted && !us.table[1].conf.trusted && us.table[2].conf.trusted);
	conf.upstreams[0] = conf.upstreams[1];
	conf.upstreams[1] = conf.upstreams[2];
	conf.n_upstreams = 2;
	conf.upstreams[0].trusted = true;
	conf.upstreams[1].trusted = false;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), UPSTREAMS_DISTRUST);
	ck_assert(us.table[1].conf.trusted && !us.table[2].conf.trusted);
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
	/* It comes back, and is trusted no more. */
	conf.upstreams[0].ordered = CONF_DOWN;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
	conf.upstreams[0].ordered = CONF_UP;
	conf.upstreams[0].trusted = false;
	ck_assert(upstreams_configure(&us, &conf, &wheel) & UPSTREAMS_DISTRUST);
}
END_TEST

/* What the settings switch on is looked for in the next reply. */
START_TEST(d21_settings_are_looked_at)
{
	parts_conf(&conf, 1, 100);
	(void)upstreams_configure(&us, &conf, &wheel);
	us.table[0].watched = false;
	(void)upstreams_configure(&us, &conf, &wheel);
	ck_assert(us.table[0].watched);
}
END_TEST

/* Two loops, each with its own view, and one operator. */
static struct upstreams loops[2];

static void
configure_loops(unsigned n, struct logonce *logonce)
{
	parts_conf(&conf, n, 100);
	conf.logonce = logonce;
	for (int i = 0; i < 2; i++)
		upstreams_configure(&loops[i], &conf, &wheel);
}

static void
start_loops(struct logonce *logonce)
{
	for (int i = 0; i < 2; i++)
		upstreams_init(&loops[i]);
	configure_loops(2, logonce);
	heard_start(LOG_LEVEL_NOTICE);
}

/* D21: an upstream that cannot cookies or case is logonce once, and of another guard again. */
START_TEST(guards_are_told_once)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned i = 0; i < 4 * UPSTREAM_SAME; i++) {
		struct upstream *u = &loops[i % 2].table[0];

		upstreams_on_seen(&u->case_guard, (uint16_t)i);
		upstreams_on_seen(&u->cookie.guard, (uint16_t)i);
		upstreams_on_confirmed(&loops[i % 2], 0, &u->case_guard, "case", true, now_ns);
		upstreams_on_confirmed(&loops[i % 2], 0, &u->cookie.guard, "cookies", true, now_ns);
	}
	ck_assert_uint_eq(heard("does not return case"), 1);
	ck_assert_uint_eq(heard("does not return cookies"), 1);
	ck_assert_uint_eq(heard_all(), 2);
	heard_end();
	logonce_free(logonce);
}
END_TEST

/* D5: what was learned is logonce once it has held for a while, by the first loop, and its end by
 * the last. */
START_TEST(d5_what_was_learned_is_told_once)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at_ns = now_ns;

		upstreams_learn_way(&loops[i], 0, WAY_BARE, now_ns);
		ck_assert_int_eq(
		    upstreams_retry_way(&loops[i], 0, at_ns += WAYS_RETRY_NS), WAY_FULL);
		ck_assert_uint_eq(heard("replies only to questions without EDNS"), i);
		ck_assert_int_ne(
		    upstreams_retry_way(&loops[i], 0, at_ns += 2 * WAYS_RETRY_NS), WAYS);
		ck_assert_uint_eq(heard("replies only to questions without EDNS"), 1);
	}
	upstreams_learn_way(&loops[1], 0, WAY_FULL, now_ns);
	ck_assert_uint_eq(heard_all(), 1);
	upstreams_learn_way(&loops[0], 0, WAY_FULL, now_ns);
	ck_assert_uint_eq(
	    heard("replies to questions with EDNS and its options over UDP again"), 1);
	upstreams_learn_way(&loops[0], 0, WAY_TCP, now_ns);
	upstreams_forget_way(&loops[0], 0);
	ck_assert_int_eq(loops[0].table[0].ways.now, WAY_FULL);
	ck_assert_uint_eq(heard_all(), 1);
	heard_end();
	logonce_free(logonce);
}
END_TEST

/* D5: the way that is logonce is the present one, also if it becomes another narrow one. */
START_TEST(d5_another_way_is_told_too)
{
	struct logonce *logonce = logonce_new();

	start_loops(logonce);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t at_ns = now_ns;

		upstreams_learn_way(&loops[i], 0, WAY_BARE, now_ns);
		for (unsigned n = 1; n < 3; n++)
			ck_assert_int_ne(
			    upstreams_retry_way(&loops[i], 0, at_ns += n * WAYS_RETRY_NS), WAYS);
	}
	ck_assert_uint_eq(heard_all(), 1);
	upstreams_learn_way(&loops[0], 0, WAY_BARE, now_ns);
	ck_assert_uint_eq(heard_all(), 0);
	upstreams_learn_way(&loops[0], 0, WAY_TCP, now_ns);
	ck_assert_uint_eq(heard("replies only to questions over TCP"), 1);
	upstreams_learn_way(&loops[1], 0, WAY_TCP, now_ns);
	ck_assert_uint_eq(heard_all(), 1);
	upstreams_learn_way(&loops[0], 0, WAY_FULL, now_ns);
	ck_assert_uint_eq(heard_all(), 0);
	upstreams_learn_way(&loops[1], 0, WAY_FULL, now_ns);
	ck_assert_uint_eq(heard_all(), 1);
	heard_end();
	logonce_free(logonce);
}
END_TEST

/* U is silent to AAAA of N names and to the probe, while others have replies if HEARD. */
static void
ignore_aaaa(unsigned u, unsigned n, bool heard_others)
{
	bool probe = false;

	for (unsigned i = 0; i < n && !probe; i++)
		probe = ways_aaaa_late(&us.table[u].ways);
	ck_assert(probe);
	us.table[u].heard_ns = heard_others ? now_ns + 2 : now_ns;
	upstreams_aaaa_lost(&us, u, now_ns + 1, now_ns + 3);
}

/* D5: an upstream that is silent to AAAA is asked for it only if no other one can be. */
START_TEST(d5_another_one_is_asked_for_aaaa)
{
	configure(2);
	heard_start(LOG_LEVEL_NOTICE);
	ignore_aaaa(0, WAYS_AAAA_LATE, false);
	ck_assert(!us.some_no_aaaa);
	ignore_aaaa(0, WAYS_AAAA_LATE, true);
	ck_assert(us.some_no_aaaa);
	ck_assert_uint_eq(heard("no reply to any question for AAAA"), 1);
	ck_assert_uint_eq(upstreams_no_aaaa(&us), 1);
	ck_assert_uint_eq(upstreams_no_aaaa_ns(&us), 0);
	us.table[1].down = true;
	ck_assert_uint_eq(upstreams_no_aaaa(&us), 0);
	ck_assert_uint_gt(upstreams_no_aaaa_ns(&us), 0);
	us.table[1].down = false;
	upstreams_learn(&us, 0, UPSTREAM_PRIMARY, NS_PER_MS, now_ns);
	upstreams_learn(&us, 1, UPSTREAM_PRIMARY, 80 * NS_PER_MS, now_ns);
	ignore_aaaa(1, WAYS_AAAA_LATE, true);
	ck_assert_uint_eq(upstreams_no_aaaa(&us), 0);
	ck_assert_uint_eq(
	    upstreams_no_aaaa_ns(&us), upstreams_wait_ns(&us, 1, UPSTREAM_PRIMARY, 0));
	upstreams_aaaa_came(&us, 0);
	ck_assert(us.some_no_aaaa);
	ck_assert_uint_eq(upstreams_no_aaaa_ns(&us), 0);
	upstreams_aaaa_came(&us, 1);
	ck_assert(!us.some_no_aaaa);
	ck_assert_uint_eq(heard("replies to questions for AAAA again"), 2);
	heard_end();
}
END_TEST

/* D5: so are large replies, logonce when they are lost and when they come again. */
START_TEST(d5_large_replies_come_and_go)
{
	configure(1);
	heard_start(LOG_LEVEL_NOTICE);
	for (unsigned i = 0; i < WAYS_LARGE_LOST; i++) {
		ck_assert(!ways_small(&us.table[0].ways));
		upstreams_large_lost(&us, 0, now_ns);
	}
	ck_assert(ways_small(&us.table[0].ways));
	ck_assert_uint_eq(heard("do not get through"), 1);
	upstreams_large_came(&us, 0);
	ck_assert(!ways_small(&us.table[0].ways));
	upstreams_large_came(&us, 0);
	ck_assert_uint_eq(heard("get through again"), 1);
	heard_end();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, d1_two_sockets_prove_no_edns);
	tcase_add_test(tc, numbers_last_over_a_reload);
	tcase_add_test(tc, orders_keep_an_upstream_from_being_asked);
	tcase_add_test(tc, all_may_be_taken);
	tcase_add_test(tc, a_number_waits_for_its_sockets);
	tcase_add_test(tc, the_same_address_twice_is_one);
	tcase_add_test(tc, upstreams_over_the_numbers_come_later);
	tcase_add_test(tc, slots_are_used_in_turn);
	tcase_add_test(tc, retiring_an_old_socket_leaves_the_new_one);
	tcase_add_test(tc, slots_that_are_free_are_used_again);
	tcase_add_test(tc, d9_trust_goes_with_the_address);
	tcase_add_test(tc, d21_settings_are_looked_at);
	tcase_add_test(tc, d26_how_many_may_be_in_flight);
	tcase_add_test(tc, guards_are_told_once);
	tcase_add_test(tc, d5_what_was_learned_is_told_once);
	tcase_add_test(tc, d5_another_way_is_told_too);
	tcase_add_test(tc, d5_another_one_is_asked_for_aaaa);
	tcase_add_test(tc, d5_large_replies_come_and_go);
}
