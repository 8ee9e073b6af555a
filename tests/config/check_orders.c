/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of the operator: which are taken, how long they hold. */

#include "config/orders.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "support/configured.h"
#include "support/heard.h"
#include "support/tests.h"

static struct settings settings;
static struct orders orders;
static char error[ORDERS_ERROR];
static struct orders_now now = { .unix_s = 1000, .ns = 5 * NS_PER_SEC };

static void
setup(void)
{
	memset(&orders, 0, sizeof(orders));
	configured("t.conf",
	    "nameserver 192.0.2.1\nnameserver 2001:db8::1\nnameserver 192.0.2.2 port 54\n"
	    "nameserver 192.0.2.2 port 55\n",
	    &settings);
	settings.orders = &orders;
	heard_start(LOG_LEVEL_INFO);
}

static void
teardown(void)
{
	heard_end();
	settings_fini(&settings);
}

static bool
upstream(const char *of, enum conf_order state)
{
	const struct order w = { .what = ORDER_UPSTREAM, .of = of, .state = state };
	bool made = orders_make(&orders, &settings, &w, now, error);

	orders_apply(&settings);
	return made;
}

/* What the engine sees, a letter each. */
static void
expect(const char *want)
{
	char got[8] = "";

	for (size_t i = 0; i < settings.conf.core.n_upstreams; i++)
		got[i] = "-rd"[settings.conf.core.upstreams[i].ordered];
	ck_assert_str_eq(got, want);
}

START_TEST(an_upstream_has_one_order)
{
	expect("----");
	ck_assert(upstream("192.0.2.1", CONF_DRAIN));
	expect("r---");
	ck_assert(upstream("2001:db8:0:0::1", CONF_DOWN));
	ck_assert(upstream("192.0.2.1#53", CONF_DOWN));
	expect("dd--");
	ck_assert_uint_eq(orders.n_upstreams, 2);
	ck_assert_int_eq(
	    orders_upstream(&orders, &settings.conf.core.upstreams[0].addr)->since, 1000);
	ck_assert(upstream("192.0.2.1", CONF_UP));
	ck_assert(upstream("192.0.2.1", CONF_UP));
	expect("-d--");
	ck_assert_uint_eq(orders.n_upstreams, 1);
	ck_assert(!orders_all_taken(&settings));
	ck_assert_str_eq(orders_state_word(CONF_DRAIN), "drain");
}
END_TEST

START_TEST(what_names_no_upstream_is_refused)
{
	ck_assert(!upstream("192.0.2.3", CONF_DOWN));
	ck_assert_str_eq(error, "there is no upstream 192.0.2.3; dns64ctl upstreams lists them");
	ck_assert(!upstream("192.0.2.2", CONF_DOWN));
	ck_assert_ptr_nonnull(
	    strstr(error, "2 upstreams have the address 192.0.2.2; give the port"));
	ck_assert(!upstream("192.0.2.1#54", CONF_DOWN));
	ck_assert(!upstream("", CONF_DOWN));
	ck_assert(!upstream("upstream.example", CONF_DOWN));
	ck_assert_uint_eq(orders.n_upstreams, 0);
	ck_assert(upstream("192.0.2.2#55", CONF_DOWN));
	expect("---d");
}
END_TEST

START_TEST(all_may_be_taken)
{
	ck_assert(upstream("192.0.2.1", CONF_DOWN));
	ck_assert(upstream("2001:db8::1", CONF_DRAIN));
	ck_assert(upstream("192.0.2.2#54", CONF_DOWN));
	ck_assert(!orders_all_taken(&settings));
	ck_assert(upstream("192.0.2.2#55", CONF_DOWN));
	ck_assert(orders_all_taken(&settings));
}
END_TEST

/* A reload keeps the order about an upstream that is still there, wherever it stands. */
START_TEST(a_reload_keeps_what_it_can)
{
	static struct settings next;

	ck_assert(upstream("192.0.2.1", CONF_DRAIN));
	ck_assert(upstream("2001:db8::1", CONF_DOWN));
	configured("t.conf", "nameserver 192.0.2.9\nnameserver 2001:db8::1\n", &next);
	next.orders = &orders;
	orders_apply(&next);
	ck_assert_uint_eq(next.conf.core.upstreams[0].ordered, CONF_UP);
	ck_assert_uint_eq(next.conf.core.upstreams[1].ordered, CONF_DOWN);
	orders_keep(&next);
	ck_assert_uint_eq(heard("upstream 192.0.2.1#53 is configured no more: dns64ctl's drain for "
				"it is forgotten"),
	    1);
	ck_assert_uint_eq(orders.n_upstreams, 1);
	settings_fini(&next);
}
END_TEST

static bool
order(enum order_what what, const char *of, unsigned state, uint32_t seconds)
{
	const struct order w = { .what = what, .of = of, .state = state, .seconds = seconds };

	return orders_make(&orders, &settings, &w, now, error);
}

/* What becomes of a client at ADDRESS. */
static enum policy_access
access_of(const char *address)
{
	struct policies *ps = policies_new(1);
	struct netaddr a;
	enum policy_access access;

	ck_assert_ptr_nonnull(ps);
	ck_assert(orders_fill(&orders, ps));
	ck_assert(netaddr_parse(address, 53, &a));
	access = policies_access(ps, &a);
	ck_assert_int_eq(access == POLICY_IGNORED, policies_ignore(ps, &a));
	ck_assert_int_eq(access != POLICY_SERVED, orders_denial(&orders, &a) != NULL);
	policies_unref(ps);
	return access;
}

START_TEST(networks_are_denied)
{
	ck_assert_int_eq(access_of("10.1.2.3"), POLICY_SERVED);
	ck_assert(order(ORDER_DENY, "10.0.0.0/8", POLICY_DENIED, 0));
	ck_assert(order(ORDER_DENY, "10.1.0.0/16", POLICY_IGNORED, 0));
	ck_assert(order(ORDER_DENY, "2001:db8::1", POLICY_DENIED, 0));
	ck_assert_int_eq(access_of("10.2.2.3"), POLICY_DENIED);
	ck_assert_int_eq(access_of("10.1.2.3"), POLICY_IGNORED);
	ck_assert_int_eq(access_of("2001:db8::1"), POLICY_DENIED);
	ck_assert_int_eq(access_of("2001:db8::2"), POLICY_SERVED);
	/* Once more: what was said is replaced. */
	ck_assert(order(ORDER_DENY, "10.1.0.0/16", POLICY_DENIED, 0));
	ck_assert_uint_eq(orders.n_denials, 3);
	ck_assert_int_eq(access_of("10.1.2.3"), POLICY_DENIED);
	ck_assert(order(ORDER_UNDENY, "10.0.0.0/8", 0, 0));
	ck_assert_int_eq(access_of("10.2.2.3"), POLICY_SERVED);
	ck_assert_int_eq(access_of("10.1.2.3"), POLICY_DENIED);
	ck_assert(orders_changes_policies(&(struct order){ .what = ORDER_UNDENY }));
	ck_assert(!orders_changes_policies(&(struct order){ .what = ORDER_QUERYLOG }));
}
END_TEST

START_TEST(what_is_no_network_is_refused)
{
	ck_assert(!order(ORDER_DENY, "10.0.0.1/8", POLICY_DENIED, 0));
	ck_assert_str_eq(error,
	    "network 10.0.0.1/8 has bits set behind its length; the network of that length is "
	    "10.0.0.0/8");
	ck_assert(!order(ORDER_DENY, "10.0.0.0/33", POLICY_DENIED, 0));
	ck_assert_ptr_nonnull(strstr(error, "10.0.0.0/33 is not a network; allowed is"));
	ck_assert(!order(ORDER_DENY, "", POLICY_DENIED, 0));
	ck_assert(!order(ORDER_UNDENY, "10.0.0.0/8", 0, 0));
	ck_assert_str_eq(
	    error, "dns64ctl has not denied 10.0.0.0/8; dns64ctl deny lists what it has");
	ck_assert_uint_eq(orders.n_denials, 0);
}
END_TEST

START_TEST(networks_are_bounded)
{
	char text[32];

	for (unsigned i = 0; i < ORDERS_DENIALS; i++) {
		snprintf(text, sizeof(text), "10.0.%u.0/24", i);
		ck_assert(order(ORDER_DENY, text, POLICY_DENIED, 0));
	}
	ck_assert(!order(ORDER_DENY, "10.1.0.0/24", POLICY_DENIED, 0));
	ck_assert_ptr_nonnull(strstr(error, "256 networks are denied already"));
	ck_assert(order(ORDER_DENY, "10.0.7.0/24", POLICY_IGNORED, 0)); /* not a further one */
	ck_assert(order(ORDER_UNDENY, "10.0.0.0/24", 0, 0));
	ck_assert(order(ORDER_DENY, "10.1.0.0/24", POLICY_DENIED, 0));
}
END_TEST

START_TEST(orders_end_in_time)
{
	uint64_t before = now.ns + 60 * NS_PER_SEC - 1;

	ck_assert_uint_eq(orders_due_ns(&orders), UINT64_MAX);
	ck_assert(order(ORDER_DENY, "10.0.0.0/8", POLICY_DENIED, 60));
	ck_assert(order(ORDER_DENY, "11.0.0.0/8", POLICY_DENIED, 61));
	ck_assert(order(ORDER_DENY, "12.0.0.0/8", POLICY_DENIED, 0));
	ck_assert_uint_eq(orders_due_ns(&orders), before + 1);
	ck_assert(!orders_expire(&orders, before));
	ck_assert_uint_eq(orders.n_denials, 3);
	ck_assert(orders_expire(&orders, before + 1));
	ck_assert_uint_eq(orders.n_denials, 2);
	ck_assert_uint_eq(heard("deny 10.0.0.0/8: its time is over"), 1);
	ck_assert(orders_expire(&orders, UINT64_MAX));
	ck_assert_uint_eq(orders.n_denials, 1);
	ck_assert_uint_eq(orders_due_ns(&orders), UINT64_MAX);
}
END_TEST

START_TEST(the_query_log)
{
	const struct conf_querylog configured_querylog = {
		.select = CONF_QUERYLOG_SLOW, .sample = 9, .slow_ms = 5
	};
	const struct conf_querylog *t = &settings.conf.core.querylog;

	settings.querylog = configured_querylog;
	ck_assert(!order(ORDER_QUERYLOG, NULL, ORDERS_LOG_ON, 0));
	ck_assert_ptr_nonnull(strstr(error, "there is no file to write to"));
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_OFF, 0));
	strcpy(settings.query_log, "/f");
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_ON, 10));
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_ALL);
	ck_assert_uint_eq(t->sample, 1);
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_FAILURES, 10));
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_FAILED);
	ck_assert_uint_eq(orders_due_ns(&orders), now.ns + 10 * NS_PER_SEC);
	ck_assert(!orders_expire(&orders, now.ns + 10 * NS_PER_SEC));
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_SLOW);
	ck_assert_uint_eq(t->sample, 9);
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_OFF, 0));
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, 0);
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_CONFIG, 0));
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_SLOW);
	/* A reload that leaves no file ends it. */
	ck_assert(order(ORDER_QUERYLOG, NULL, ORDERS_LOG_ON, 0));
	strcpy(settings.query_log, "none");
	orders_apply(&settings);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_SLOW);
	orders_keep(&settings);
	ck_assert_int_eq(orders.log, ORDERS_LOG_CONFIG);
	ck_assert_uint_eq(heard("query-log is none now: dns64ctl querylog on is forgotten"), 1);
}
END_TEST

/* Nobody can give orders to a configuration that is only checked. */
START_TEST(without_orders)
{
	settings.orders = NULL;
	orders_apply(&settings);
	expect("----");
	orders_keep(&settings);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_upstream_has_one_order);
	tcase_add_test(tc, what_names_no_upstream_is_refused);
	tcase_add_test(tc, all_may_be_taken);
	tcase_add_test(tc, a_reload_keeps_what_it_can);
	tcase_add_test(tc, networks_are_denied);
	tcase_add_test(tc, what_is_no_network_is_refused);
	tcase_add_test(tc, networks_are_bounded);
	tcase_add_test(tc, orders_end_in_time);
	tcase_add_test(tc, the_query_log);
	tcase_add_test(tc, without_orders);
}
