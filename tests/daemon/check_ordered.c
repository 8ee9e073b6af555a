/* SPDX-License-Identifier: BSD-2-Clause */
/* An order is handed to the loops, all of it or nothing; a reload keeps it. */

#include "daemon/ordered.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/load.h"
#include "daemon/conf_push.h"
#include "daemon/reload.h"
#include "support/heard.h"
#include "support/scratch.h"
#include "support/tests.h"

static struct listen_watch watch = { .fd = -1, .look_ns = UINT64_MAX };
static char dir[SCRATCH_PATH], conf[SCRATCH_PATH + 8];
static const struct options options = { .level = -1 };
static struct threads threads;
static struct settings settings;
static struct orders orders;
static char error[HOST_ERROR];

static void
configure(const char *lines)
{
	FILE *f = fopen(conf, "w");

	ck_assert_ptr_nonnull(f);
	fprintf(f, "listen ::1\n%s", lines);
	fclose(f);
}

static void
setup(void)
{
	scratch_dir(dir);
	snprintf(conf, sizeof(conf), "%s/c", dir);
	configure("nameserver 192.0.2.1\nnameserver 192.0.2.2\n");
	heard_start(LOG_LEVEL_INFO);
	ck_assert(load_settings(&options, conf, NULL, diag_to_log, NULL, &settings));
	memset(&orders, 0, sizeof(orders));
	settings.orders = &orders;
}

static void
teardown(void)
{
	heard_end();
	settings_fini(&settings);
	unlink(conf);
	rmdir(dir);
}

static enum host_verdict
upstream(const char *of, enum conf_order state)
{
	const struct order w = { .what = ORDER_UPSTREAM, .of = of, .state = state };

	return ordered_change(&settings, &threads, &w, error);
}

START_TEST(it_is_logged)
{
	ck_assert_int_eq(upstream("192.0.2.1", CONF_DRAIN), HOST_DONE);
	ck_assert_uint_eq(settings.conf.core.upstreams[0].ordered, CONF_DRAIN);
	ck_assert_uint_eq(heard("192.0.2.1: drain by operator (dns64ctl upstream), until changed "
				"or a restart"),
	    1);
	ck_assert_uint_eq(heard("no upstream is left to be asked"), 0);
	ck_assert_int_eq(upstream("192.0.2.2", CONF_DOWN), HOST_DONE);
	ck_assert_uint_eq(heard("no upstream is left to be asked, all are drained or down"), 1);
	ck_assert_int_eq(upstream("192.0.2.2", CONF_UP), HOST_DONE);
	ck_assert_uint_eq(heard("192.0.2.2: up by operator (dns64ctl upstream)"), 1);
}
END_TEST

START_TEST(what_is_wrong_changes_nothing)
{
	ck_assert_int_eq(upstream("192.0.2.3", CONF_DRAIN), HOST_WRONG);
	ck_assert_ptr_nonnull(strstr(error, "there is no upstream 192.0.2.3"));
	settings.orders = NULL;
	ck_assert_int_eq(upstream("192.0.2.1", CONF_DRAIN), HOST_UNABLE);
}
END_TEST

static enum policy_access
access_of(const char *address)
{
	struct netaddr a;

	ck_assert(netaddr_parse(address, 53, &a));
	return policies_access(settings.conf.core.policies, &a);
}

/* Policies are made anew, and again when the time is over; a reload makes them with the order. */
START_TEST(networks)
{
	const struct order w = {
		.what = ORDER_DENY, .of = "192.0.2.0/24", .state = POLICY_IGNORED, .seconds = 60
	};
	const struct order all = { .what = ORDER_DENY, .of = "::/0", .state = POLICY_DENIED };
	const struct policies *before = settings.conf.core.policies;

	ck_assert_int_eq(ordered_change(&settings, &threads, &w, error), HOST_DONE);
	ck_assert_ptr_ne(settings.conf.core.policies, before);
	ck_assert_int_eq(access_of("192.0.2.1"), POLICY_IGNORED);
	ck_assert(settings.conf.core.policies->ignores);
	ck_assert_uint_eq(
	    heard("deny 192.0.2.0/24: no answers by operator (dns64ctl deny), for 60 s"), 1);
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_int_eq(access_of("192.0.2.1"), POLICY_IGNORED);
	ck_assert_int_eq(ordered_change(&settings, &threads, &all, error), HOST_DONE);
	ck_assert_uint_eq(heard("nobody of that family is served any more: ::/0 is denied"), 1);
	ordered_expire(&settings, &threads, orders_due_ns(&orders));
	ck_assert_int_ne(access_of("192.0.2.1"), POLICY_IGNORED);
	ck_assert_int_eq(access_of("2001:db8::1"), POLICY_DENIED);
}
END_TEST

/* An order shares all else with what was there; a change of prefixes keeps it. */
START_TEST(nothing_else_is_made_anew)
{
	static const enum prefix_change_what whats[] = { PREFIX_CHANGE_ADD, PREFIX_CHANGE_DOWN,
		PREFIX_CHANGE_DEL };
	const struct order w = {
		.what = ORDER_DENY, .of = "192.0.2.0/24", .state = POLICY_IGNORED
	};
	const struct order end = { .what = ORDER_UNDENY, .of = "192.0.2.0/24" };
	struct conf_push_prefixes push = { .threads = &threads };
	struct prefixes prefixes = {
		.settings = &settings, .path = conf, .loops = conf_push_prefixes(&push)
	};
	const struct policies *ps = settings.conf.core.policies;
	const struct zonemap *special = ps->common.special, *reverse = ps->site.reverse;

	ck_assert_int_eq(ordered_change(&settings, &threads, &w, error), HOST_DONE);
	ps = settings.conf.core.policies;
	ck_assert_ptr_eq(ps->common.special, special);
	ck_assert_ptr_eq(ps->site.reverse, reverse);
	for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
		const struct prefix_change c = { .what = whats[i], .prefix = "2001:db8::/96" };
		const struct prefix_change other = { .what = PREFIX_CHANGE_ADD,
			.prefix = "2001:db8:1::/96" };

		ck_assert_int_eq(prefixes_change(&prefixes, &c, error), HOST_DONE);
		ck_assert_int_eq(access_of("192.0.2.1"), POLICY_IGNORED);
		ck_assert(settings.conf.core.policies->ignores);
		if (i == 0) /* the last one cannot be taken away */
			ck_assert_int_eq(prefixes_change(&prefixes, &other, error), HOST_DONE);
	}
	ck_assert_int_eq(ordered_change(&settings, &threads, &end, error), HOST_DONE);
	ck_assert_int_ne(access_of("192.0.2.1"), POLICY_IGNORED);
	ck_assert(!settings.conf.core.policies->ignores);
	ck_assert(!settings.conf.core.policies->denies);
	ck_assert_ptr_eq(settings.conf.core.policies->common.special, special);
}
END_TEST

static bool no_memory;

bool __real_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next);

bool __wrap_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next);

bool
__wrap_conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next)
{
	return !no_memory && __real_conf_push_pack(p, n_loops, now, next);
}

/* What could not be ended for want of memory is tried again each second, until it is. */
START_TEST(the_end_is_tried_again)
{
	const struct order w = {
		.what = ORDER_DENY, .of = "192.0.2.0/24", .state = POLICY_DENIED, .seconds = 60
	};
	const char *wanting = "no memory to end what dns64ctl ordered";
	uint64_t at_ns;

	ck_assert_int_eq(ordered_change(&settings, &threads, &w, error), HOST_DONE);
	at_ns = orders_due_ns(&orders);
	no_memory = true;
	ordered_expire(&settings, &threads, at_ns);
	ck_assert_uint_eq(orders.n_denials, 0);
	ck_assert_int_eq(access_of("192.0.2.1"), POLICY_DENIED);
	ck_assert_uint_eq(heard(wanting), 1);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_uint_eq(orders_due_ns(&orders), at_ns + NS_PER_SEC);
		at_ns += NS_PER_SEC;
		ordered_expire(&settings, &threads, at_ns);
		ck_assert_uint_eq(heard(wanting), 1);
	}
	no_memory = false;
	ordered_expire(&settings, &threads, at_ns + NS_PER_SEC);
	ck_assert_int_ne(access_of("192.0.2.1"), POLICY_DENIED);
	ck_assert_uint_eq(orders_due_ns(&orders), UINT64_MAX);
	ck_assert_uint_eq(heard("has ended for the loops too"), 1);
}
END_TEST

/* The next order ends it too, even one that does not change policies; one that fails does not. */
START_TEST(the_next_order_ends_it_too)
{
	const struct order w = {
		.what = ORDER_DENY, .of = "192.0.2.0/24", .state = POLICY_DENIED, .seconds = 60
	};

	ck_assert_int_eq(ordered_change(&settings, &threads, &w, error), HOST_DONE);
	no_memory = true;
	ordered_expire(&settings, &threads, orders_due_ns(&orders));
	ck_assert_int_eq(upstream("192.0.2.1", CONF_DRAIN), HOST_UNABLE);
	ck_assert_uint_ne(orders_due_ns(&orders), UINT64_MAX);
	no_memory = false;
	ck_assert_int_eq(upstream("192.0.2.1", CONF_DRAIN), HOST_DONE);
	ck_assert_int_ne(access_of("192.0.2.1"), POLICY_DENIED);
	ck_assert_uint_eq(orders_due_ns(&orders), UINT64_MAX);
}
END_TEST

/* A loop that does not take the change before is waited for, but not for ever. */
START_TEST(the_end_waits_for_a_loop_for_a_while)
{
	const struct order w = {
		.what = ORDER_DENY, .of = "192.0.2.0/24", .state = POLICY_DENIED, .seconds = 60
	};
	uint64_t due_ns;

	ck_assert(!ordered_is_due(NULL, false, UINT64_MAX - 1));
	ck_assert_int_eq(ordered_change(&settings, &threads, &w, error), HOST_DONE);
	due_ns = orders_due_ns(&orders);
	ck_assert(!ordered_is_due(&orders, false, due_ns - 1));
	ck_assert(ordered_is_due(&orders, false, due_ns));
	ck_assert(!ordered_is_due(&orders, true, due_ns));
	ck_assert(!ordered_is_due(&orders, true, due_ns + THREADS_TAKE_MS * NS_PER_MS - 1));
	ck_assert(ordered_is_due(&orders, true, due_ns + THREADS_TAKE_MS * NS_PER_MS));
}
END_TEST

START_TEST(a_reload_keeps_it)
{
	ck_assert_int_eq(upstream("192.0.2.1", CONF_DRAIN), HOST_DONE);
	ck_assert_int_eq(upstream("192.0.2.2", CONF_DOWN), HOST_DONE);
	configure("nameserver 192.0.2.9\nnameserver 192.0.2.2\n");
	ck_assert(reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(settings.conf.core.upstreams[0].ordered, CONF_UP);
	ck_assert_uint_eq(settings.conf.core.upstreams[1].ordered, CONF_DOWN);
	ck_assert_uint_eq(orders.n_upstreams, 1);
	configure("nonsense\n");
	ck_assert(!reload_settings(&options, conf, &threads, &watch, &settings));
	ck_assert_uint_eq(orders.n_upstreams, 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, it_is_logged);
	tcase_add_test(tc, what_is_wrong_changes_nothing);
	tcase_add_test(tc, networks);
	tcase_add_test(tc, nothing_else_is_made_anew);
	tcase_add_test(tc, the_end_is_tried_again);
	tcase_add_test(tc, the_next_order_ends_it_too);
	tcase_add_test(tc, the_end_waits_for_a_loop_for_a_while);
	tcase_add_test(tc, a_reload_keeps_it);
}
