/* SPDX-License-Identifier: BSD-2-Clause */
/* Which upstreams reply, and what the operator is told of it (RULES D27). */

#include "core/health.h"

#include <check.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/told.h"
#include "scenario/parts.h"
#include "support/heard.h"

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

/* N failures; what the last of them leads to. */
static enum health
fail_times(unsigned u, unsigned n)
{
	enum health health = HEALTH_AS_BEFORE;

	for (unsigned i = 0; i < n; i++)
		health = health_on_failure(&us, u, UPSTREAM_OVER_UDP, now_ns);
	return health;
}

static enum health
lose_probe(unsigned u)
{
	return health_on_probe_lost(&us, u, &wheel, now_ns);
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
	ck_assert_int_eq(fail_times(u, HEALTH_FAILURES), HEALTH_IN_DOUBT);
	ck_assert_int_eq(lose_probe(u), HEALTH_WENT_DOWN);
	ck_assert(us.table[u].down);
}

/* RULES D27: names alone put it in doubt, as often as they like; a probe without reply takes it
 * down. */
START_TEST(down_by_a_probe)
{
	configure(1);
	ck_assert_int_eq(fail_times(0, 2), HEALTH_AS_BEFORE);
	ck_assert_int_eq(fail_times(0, 1), HEALTH_IN_DOUBT);
	pass(999);
	ck_assert_int_eq(fail_times(0, 1000), HEALTH_AS_BEFORE);
	pass(1);
	ck_assert_int_eq(fail_times(0, 1), HEALTH_IN_DOUBT);
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert_int_eq(lose_probe(0), HEALTH_WENT_DOWN);
	ck_assert(us.table[0].down);
	ck_assert_uint_eq(wheel.n, 1);
	ck_assert_ptr_eq(wheel_take(&wheel, now_ns + 400 * NS_PER_MS), &us.table[0].probe);
	/* Once. */
	ck_assert_int_eq(lose_probe(0), HEALTH_AS_BEFORE);
	pass(5000);
	ck_assert_int_eq(fail_times(0, 10), HEALTH_AS_BEFORE);
}
END_TEST

/* Whatever it was a reply to. */
START_TEST(a_reply_forgives)
{
	configure(1);
	ck_assert_int_eq(fail_times(0, 2), HEALTH_AS_BEFORE);
	ck_assert(!health_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(fail_times(0, 2), HEALTH_AS_BEFORE);
	ck_assert_int_eq(fail_times(0, 1), HEALTH_IN_DOUBT);
	ck_assert(!health_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(lose_probe(0), HEALTH_AS_BEFORE);
	ck_assert_int_eq(
	    fail_times(0, 9), HEALTH_AS_BEFORE); /* there was a probe in this timeout */
	ck_assert(!health_on_reply(&us, 0, &wheel, now_ns));
	take_down(0);
	pass(4000);
	ck_assert(health_on_reply(&us, 0, &wheel, now_ns));
	ck_assert(!us.table[0].down);
	ck_assert_uint_eq(us.table[0].revived_ns, now_ns);
	ck_assert_uint_eq(us.table[0].failing_ns, now_ns - 4000 * NS_PER_MS);
	ck_assert_uint_eq(wheel.n, 0);
	ck_assert(!health_on_reply(&us, 0, &wheel, now_ns));
}
END_TEST

/* RULES D27: ICMP counts as silence does; said while a probe is out it is the probe's. */
START_TEST(icmp_refusal_counts_as_silence)
{
	configure(1);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(health_on_refused(&us, 0, &wheel, now_ns), HEALTH_AS_BEFORE);
	ck_assert_int_eq(health_on_refused(&us, 0, &wheel, now_ns), HEALTH_IN_DOUBT);
	ck_assert(!health_on_reply(&us, 0, &wheel, now_ns));
	ck_assert_int_eq(health_on_refused(&us, 0, &wheel, now_ns), HEALTH_AS_BEFORE);
	pass(1000);
	ck_assert_int_eq(fail_times(0, 2), HEALTH_IN_DOUBT);
	ck_assert_int_eq(health_on_refused(&us, 0, &wheel, now_ns), HEALTH_WENT_DOWN);
	ck_assert_int_eq(health_on_refused(&us, 0, &wheel, now_ns), HEALTH_AS_BEFORE);
	ck_assert_uint_eq(wheel.n, 1);
}
END_TEST

/* RULES D27: a reload takes it away, and its probe's silence says nothing any more. */
START_TEST(probe_of_a_removed_upstream_says_nothing)
{
	configure(2);
	pass(1000);
	ck_assert_int_eq(fail_times(1, 3), HEALTH_IN_DOUBT);
	ck_assert_int_ge(upstreams_socket_add(&us, 1, 0), 0);
	configure(1);
	ck_assert_int_eq(lose_probe(1), HEALTH_AS_BEFORE);
	ck_assert_int_eq(health_on_refused(&us, 1, &wheel, now_ns), HEALTH_AS_BEFORE);
	ck_assert_int_eq(fail_times(1, 9), HEALTH_AS_BEFORE);
	ck_assert_uint_eq(wheel.n, 0);
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
	for (unsigned i = 0; i < HEALTH_FAILURES; i++)
		ck_assert_int_ne(
		    health_on_failure(loop, u, UPSTREAM_OVER_UDP, now_ns), HEALTH_WENT_DOWN);
	ck_assert_int_eq(health_on_probe_lost(loop, u, &wheel, now_ns), HEALTH_WENT_DOWN);
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
		health_on_reply(&loops[1], 0, &wheel, now_ns);
		ck_assert_uint_eq(heard("replies again"), 0);
		health_on_reply(&loops[0], 0, &wheel, now_ns);
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
	for (unsigned i = 0; i < 2 * HEALTH_ERRORS; i++)
		health_on_rcode(&loops[i % 2], 0, UPSTREAM_OVER_UDP, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(heard_all(), 0);
	now_ns += HEALTH_ERRORS_MS * NS_PER_MS;
	for (unsigned i = 0; i < 2 * HEALTH_ERRORS; i++)
		health_on_rcode(&loops[i % 2], 0, UPSTREAM_OVER_UDP, DNS_SERVFAIL, now_ns);
	ck_assert_uint_eq(
	    heard("192.0.2.1#53: every reply for 10 s was an error (last SERVFAIL)"), 1);
	health_on_rcode(&loops[1], 0, UPSTREAM_OVER_UDP, DNS_NXDOMAIN, now_ns);
	health_on_rcode(&loops[0], 0, UPSTREAM_OVER_UDP, DNS_NOERROR, now_ns);
	health_on_rcode(&loops[0], 0, UPSTREAM_OVER_UDP, DNS_NOERROR, now_ns);
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
	for (unsigned i = 0; i < 10 * HEALTH_ERRORS; i++) {
		now_ns += HEALTH_ERRORS_MS * NS_PER_MS / 10;
		health_on_rcode(&loops[0], 0, UPSTREAM_OVER_UDP, DNS_REFUSED, now_ns);
		if (i % (HEALTH_ERRORS - 1) == 0)
			health_on_rcode(&loops[0], 0, UPSTREAM_OVER_UDP, DNS_NOERROR, now_ns);
	}
	ck_assert_uint_eq(heard_all(), 0);
	heard_end();
	told_free(told);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("health");
	TCase *tc = tcase_create("health");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, down_by_a_probe);
	tcase_add_test(tc, a_reply_forgives);
	tcase_add_test(tc, icmp_refusal_counts_as_silence);
	tcase_add_test(tc, probe_of_a_removed_upstream_says_nothing);
	tcase_add_test(tc, down_is_told_once);
	tcase_add_test(tc, down_is_told_anew);
	tcase_add_test(tc, errors_are_told_once);
	tcase_add_test(tc, some_errors_are_not_told);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
