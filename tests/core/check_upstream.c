/* SPDX-License-Identifier: BSD-2-Clause */
/* Upstreams: numbers that last, health, and whom to ask under each selection-mode. */

#include "core/upstream.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/told.h"
#include "scenario/parts.h"
#include "support/heard.h"

static struct upstreams us;
static struct conf_core conf;
static struct wheel wheel;
static struct rng rng;
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

/* N failures; what the last of them leads to. */
static enum upstream_health
fail_times(unsigned u, unsigned n)
{
	enum upstream_health health = UPSTREAM_AS_BEFORE;

	for (unsigned i = 0; i < n; i++)
		health = upstreams_on_failure(&us, u, now_ns);
	return health;
}

static enum upstream_health
lose_probe(unsigned u)
{
	return upstreams_on_probe_lost(&us, u, &wheel, now_ns);
}

static void
pass(unsigned ms)
{
	now_ns += ms * NS_PER_MS;
}

static void
take_down(unsigned u)
{
	pass(1000);
	ck_assert_int_eq(fail_times(u, UPSTREAM_FAILURES), UPSTREAM_IN_DOUBT);
	ck_assert_int_eq(lose_probe(u), UPSTREAM_WENT_DOWN);
	ck_assert(us.table[u].down);
}

/* --- choice ----------------------------------------------------------------------------------- */

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

/* RULES D3, D5: with an error at hand none that is down. */
START_TEST(with_an_error_at_hand_none_is_asked_that_is_down)
{
	const struct upstream_wish wish = {
		.errored = 4, .last = UPSTREAM_NONE, .prefer = UPSTREAM_NONE, .alive = true
	};

	configure(3);
	take_down(0);
	ck_assert_uint_eq(upstreams_pick(&us, &wish, &rng), 1);
	ck_assert(!upstreams_all_down(&us));
	take_down(1);
	ck_assert_uint_eq(upstreams_pick(&us, &wish, &rng), UPSTREAM_NONE);
	ck_assert(!upstreams_all_down(&us));
	take_down(2);
	ck_assert(upstreams_all_down(&us));
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
		/* An error is a reply in time. */
		ck_assert_uint_eq(pick(UINT64_C(1) << want, want, UPSTREAM_NONE), (turn + 1) % 3);
		ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), want);
		ck_assert_int_ne(upstreams_on_failure(&us, want, now_ns), UPSTREAM_WENT_DOWN);
		ck_assert_uint_eq(pick(0, want, UPSTREAM_NONE), (turn + 1) % 3);
	}
	/* Another question that was silent at the one before does not move it. */
	ck_assert_int_ne(upstreams_on_failure(&us, 0, now_ns), UPSTREAM_WENT_DOWN);
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

START_TEST(without_upstreams_none_is_picked)
{
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), UPSTREAM_NONE);
	us.selection = CONF_ROUND_ROBIN;
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, 3), UPSTREAM_NONE);
}
END_TEST

/* --- health ----------------------------------------------------------------------------------- */

/* RULES D27: names alone put it in doubt, as often as they like; a probe without reply takes it
 * down. */
START_TEST(down_by_a_probe)
{
	configure(1);
	ck_assert_int_eq(fail_times(0, 2), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(fail_times(0, 1), UPSTREAM_IN_DOUBT);
	pass(999);
	ck_assert_int_eq(fail_times(0, 1000), UPSTREAM_AS_BEFORE);
	pass(1);
	ck_assert_int_eq(fail_times(0, 1), UPSTREAM_IN_DOUBT);
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert_int_eq(lose_probe(0), UPSTREAM_WENT_DOWN);
	ck_assert(us.table[0].down);
	ck_assert_uint_eq(wheel.n, 1);
	ck_assert_ptr_eq(wheel_take(&wheel, now_ns + 400 * NS_PER_MS), &us.table[0].probe);
	/* Once. */
	ck_assert_int_eq(lose_probe(0), UPSTREAM_AS_BEFORE);
	pass(5000);
	ck_assert_int_eq(fail_times(0, 10), UPSTREAM_AS_BEFORE);
}
END_TEST

/* Whatever it was a reply to. */
START_TEST(a_reply_forgives)
{
	configure(1);
	ck_assert_int_eq(fail_times(0, 2), UPSTREAM_AS_BEFORE);
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(fail_times(0, 2), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(fail_times(0, 1), UPSTREAM_IN_DOUBT);
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(lose_probe(0), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(
	    fail_times(0, 9), UPSTREAM_AS_BEFORE); /* there was a probe in this timeout */
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns));
	take_down(0);
	pass(4000);
	ck_assert(upstreams_on_reply(&us, 0, &wheel, now_ns));
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(us.table[0].revived_ns, now_ns);
	ck_assert_uint_eq(us.table[0].failing_ns, now_ns - 4000 * NS_PER_MS);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns));
}
END_TEST

/* RULES D27: ICMP counts as silence does; said while a probe is out it is the probe's. */
START_TEST(icmp_refusal_counts_as_silence)
{
	configure(1);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(upstreams_on_refused(&us, 0, &wheel, now_ns), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(upstreams_on_refused(&us, 0, &wheel, now_ns), UPSTREAM_IN_DOUBT);
	ck_assert(!upstreams_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(upstreams_on_refused(&us, 0, &wheel, now_ns), UPSTREAM_AS_BEFORE);
	pass(1000);
	ck_assert_int_eq(fail_times(0, 2), UPSTREAM_IN_DOUBT);
	ck_assert_int_eq(upstreams_on_refused(&us, 0, &wheel, now_ns), UPSTREAM_WENT_DOWN);
	ck_assert_int_eq(upstreams_on_refused(&us, 0, &wheel, now_ns), UPSTREAM_AS_BEFORE);
	ck_assert_uint_eq(wheel.n, 1);
}
END_TEST

/* RULES D27: a reload takes it away, and its probe's silence says nothing any more. */
START_TEST(probe_of_a_removed_upstream_says_nothing)
{
	configure(2);
	pass(1000);
	ck_assert_int_eq(fail_times(1, 3), UPSTREAM_IN_DOUBT);
	ck_assert_int_ge(upstreams_socket_add(&us, 1, 0), 0);
	configure(1);
	ck_assert_int_eq(lose_probe(1), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(upstreams_on_refused(&us, 1, &wheel, now_ns), UPSTREAM_AS_BEFORE);
	ck_assert_int_eq(fail_times(1, 9), UPSTREAM_AS_BEFORE);
	ck_assert_uint_eq(wheel.n, 0);
}
END_TEST

/* --- EDNS ------------------------------------------------------------------------------------- */

/*
 * RULES D1: one refusal by UDP is not believed, another on another socket is, as is one over TCP.
 */
START_TEST(d1_two_sockets_prove_no_edns)
{
	configure(3);
	upstreams_on_no_edns(&us, 0, 5, now_ns);
	upstreams_on_no_edns(&us, 0, 5, now_ns);
	upstreams_on_no_edns(&us, 1, 5, now_ns);
	ck_assert_uint_eq(us.table[0].no_edns_until_ns, 0);
	ck_assert_uint_eq(us.table[1].no_edns_until_ns, 0);
	upstreams_on_no_edns(&us, 0, 6, now_ns);
	ck_assert_uint_eq(us.table[0].no_edns_until_ns, now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS);
	ck_assert_uint_eq(us.table[0].no_edns_on, UPSTREAM_NONE);
	upstreams_on_no_edns(&us, 2, TXID_TCP, now_ns);
	ck_assert_uint_eq(us.table[2].no_edns_until_ns, now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS);
}
END_TEST

/* --- numbers ---------------------------------------------------------------------------------- */

START_TEST(numbers_last_over_a_reload)
{
	configure(3);
	us.table[1].no_edns_until_ns = 77;
	take_down(2);
	conf.upstreams[0] = conf.upstreams[2];
	conf.n_upstreams = 2;
	upstreams_configure(&us, &conf, &wheel);
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
			conf.upstreams[i].port = (uint16_t)(1000 + round);
		upstreams_configure(&us, &conf, &wheel);
		ck_assert_uint_eq(us.n_order, CONF_MAX_UPSTREAMS);
		for (unsigned i = 0; i < CONF_MAX_UPSTREAMS; i++)
			ck_assert_int_ge(upstreams_socket_add(&us, us.order[i], 0), 0);
	}
	parts_conf(&conf, 1, 100);
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 0);
	ck_assert_uint_eq(pick(0, UPSTREAM_NONE, UPSTREAM_NONE), UPSTREAM_NONE);
	upstreams_socket_del(&us, 0);
	upstreams_configure(&us, &conf, &wheel);
	ck_assert_uint_eq(us.n_order, 1);
}
END_TEST

/* --- socket slots ----------------------------------------------------------------------------- */

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

/* RULES D9: trust goes with the address, and a reload changes it. */
START_TEST(d9_trust_goes_with_the_address)
{
	parts_conf(&conf, 3, 100);
	conf.trusted = 5;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), UPSTREAMS_NEW);
	ck_assert(us.table[0].trusted && !us.table[1].trusted && us.table[2].trusted);
	conf.upstreams[0] = conf.upstreams[1];
	conf.upstreams[1] = conf.upstreams[2];
	conf.n_upstreams = 2;
	conf.trusted = 1;
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), UPSTREAMS_DISTRUST);
	ck_assert(us.table[1].trusted && !us.table[2].trusted);
	ck_assert_uint_eq(upstreams_configure(&us, &conf, &wheel), 0);
}
END_TEST

/* --- what is told ----------------------------------------------------------------------------- */

/* Two loops, each with its own view, and one operator. */
static struct upstreams loops[2];

static void
configure_loops(unsigned n, struct told *told)
{
	parts_conf(&conf, n, 100);
	conf.told = told;
	for (int i = 0; i < 2; i++)
		upstreams_configure(&loops[i], &conf, &wheel);
}

static void
start_loops(struct told *told)
{
	for (int i = 0; i < 2; i++)
		upstreams_init(&loops[i]);
	configure_loops(2, told);
	heard_start(LOG_LEVEL_NOTICE);
}

/* Failures, then a probe that nobody answers. */
static void
go_down(struct upstreams *loop, unsigned u)
{
	for (unsigned i = 0; i < UPSTREAM_FAILURES; i++)
		ck_assert_int_ne(upstreams_on_failure(loop, u, now_ns), UPSTREAM_WENT_DOWN);
	ck_assert_int_eq(upstreams_on_probe_lost(loop, u, &wheel, now_ns), UPSTREAM_WENT_DOWN);
}

/* Down and up again: said once, by the first and by the last. */
START_TEST(down_is_told_once)
{
	struct told *told = told_new();

	start_loops(told);
	for (int again = 0; again < 2; again++) {
		now_ns += 1000 * NS_PER_MS;
		for (unsigned i = 0; i < 2; i++)
			go_down(&loops[i], 0);
		ck_assert(loops[0].table[0].down && loops[1].table[0].down);
		ck_assert_uint_eq(heard("192.0.2.1#53: no reply to 3 questions"), 1);
		upstreams_on_reply(&loops[1], 0, &wheel, now_ns);
		ck_assert_uint_eq(heard("replies again"), 0);
		upstreams_on_reply(&loops[0], 0, &wheel, now_ns);
		ck_assert_uint_eq(heard("192.0.2.1#53: replies again"), 1);
		ck_assert_uint_eq(heard_all(), 2);
	}
	heard_end();
	told_free(told);
}
END_TEST

/* One that is configured no more while it is down leaves nothing behind that would keep quiet
 * later. */
START_TEST(down_is_told_anew)
{
	struct told *told = told_new();

	start_loops(told);
	for (int again = 0; again < 2; again++) {
		now_ns += 1000 * NS_PER_MS;
		for (unsigned i = 0; i < 2; i++)
			go_down(&loops[i], 1);
		ck_assert_uint_eq(heard("192.0.2.2#53: no reply"), 1);
		ck_assert_uint_eq(heard_all(), 1);
		configure_loops(1, told);
		configure_loops(2, told);
	}
	heard_end();
	told_free(told);
}
END_TEST

/*
 * Errors and nothing else for a time are told; one that is none ends it, whichever loop hears it.
 */
START_TEST(errors_are_told_once)
{
	struct told *told = told_new();

	start_loops(told);
	for (unsigned i = 0; i < 2 * UPSTREAM_ERRORS; i++)
		upstreams_on_rcode(&loops[i % 2], 0, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(heard_all(), 0);
	now_ns += UPSTREAM_ERRORS_MS * NS_PER_MS;
	for (unsigned i = 0; i < 2 * UPSTREAM_ERRORS; i++)
		upstreams_on_rcode(&loops[i % 2], 0, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(
	    heard("192.0.2.1#53: every reply for 10 s was an error (last SERVFAIL)"), 1);
	upstreams_on_rcode(&loops[1], 0, DNS_NXDOMAIN, now_ns);
	upstreams_on_rcode(&loops[0], 0, DNS_NOERROR, now_ns);
	upstreams_on_rcode(&loops[0], 0, DNS_NOERROR, now_ns);
	ck_assert_uint_eq(heard("192.0.2.1#53: replies without error again"), 1);
	ck_assert_uint_eq(heard_all(), 2);
	heard_end();
	told_free(told);
}
END_TEST

/* Few errors, or some among others, are the names' own. */
START_TEST(some_errors_are_not_told)
{
	struct told *told = told_new();

	start_loops(told);
	for (unsigned i = 0; i < 10 * UPSTREAM_ERRORS; i++) {
		now_ns += UPSTREAM_ERRORS_MS * NS_PER_MS / 10;
		upstreams_on_rcode(&loops[0], 0, DNS_REFUSED, now_ns);
		if (i % (UPSTREAM_ERRORS - 1) == 0)
			upstreams_on_rcode(&loops[0], 0, DNS_NOERROR, now_ns);
	}
	ck_assert_uint_eq(heard_all(), 0);
	heard_end();
	told_free(told);
}
END_TEST

/* D21: an upstream that cannot cookies or case is told once, and of another guard again. */
START_TEST(guards_are_told_once)
{
	struct told *told = told_new();

	start_loops(told);
	for (unsigned i = 0; i < 4 * UPSTREAM_SAME; i++) {
		struct upstream *u = &loops[i % 2].table[0];

		upstreams_on_confirmed(&loops[i % 2], 0, &u->case_guard, "case", true, now_ns);
		upstreams_on_confirmed(&loops[i % 2], 0, &u->cookie_guard, "cookies", true, now_ns);
	}
	ck_assert_uint_eq(heard("does not return case"), 1);
	ck_assert_uint_eq(heard("does not return cookies"), 1);
	ck_assert_uint_eq(heard_all(), 2);
	heard_end();
	told_free(told);
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
	tcase_add_test(tc, d9_trust_goes_with_the_address);
	tcase_add_test(tc, down_only_when_no_other_is_left);
	tcase_add_test(tc, with_an_error_at_hand_none_is_asked_that_is_down);
	tcase_add_test(tc, preferred_if_it_may_be_asked);
	tcase_add_test(tc, round_robin_stays);
	tcase_add_test(tc, random_is_even);
	tcase_add_test(tc, without_upstreams_none_is_picked);
	tcase_add_test(tc, down_by_a_probe);
	tcase_add_test(tc, a_reply_forgives);
	tcase_add_test(tc, d1_two_sockets_prove_no_edns);
	tcase_add_test(tc, icmp_refusal_counts_as_silence);
	tcase_add_test(tc, probe_of_a_removed_upstream_says_nothing);
	tcase_add_test(tc, numbers_last_over_a_reload);
	tcase_add_test(tc, a_number_waits_for_its_sockets);
	tcase_add_test(tc, the_same_address_twice_is_one);
	tcase_add_test(tc, upstreams_over_the_numbers_come_later);
	tcase_add_test(tc, slots_are_used_in_turn);
	tcase_add_test(tc, retiring_an_old_socket_leaves_the_new_one);
	tcase_add_test(tc, down_is_told_once);
	tcase_add_test(tc, down_is_told_anew);
	tcase_add_test(tc, errors_are_told_once);
	tcase_add_test(tc, some_errors_are_not_told);
	tcase_add_test(tc, guards_are_told_once);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
