/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders of the operator: which are taken, how long they hold. */

#include "config/orders.h"

#include <string.h>

#include "config/settings.h"
#include "support/configured.h"
#include "support/heard.h"
#include "support/tests.h"

static struct settings settings;
static struct orders orders;
static char error[ORDERS_ERROR];

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
	bool made = orders_make(&orders, &settings, &w, 1000, error);

	orders_apply(&settings);
	return made;
}

/* What the engine sees, a letter each. */
static void
expect(const char *want)
{
	char got[8] = "";

	for (size_t i = 0; i < settings.conf.core.n_upstreams; i++)
		got[i] = "-rd"[settings.conf.core.ordered[i]];
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
	ck_assert_int_eq(orders_upstream(&orders, &settings.conf.core.upstreams[0])->since, 1000);
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
	ck_assert_uint_eq(next.conf.core.ordered[0], CONF_UP);
	ck_assert_uint_eq(next.conf.core.ordered[1], CONF_DOWN);
	orders_keep(&next);
	ck_assert_uint_eq(heard("upstream 192.0.2.1#53 is configured no more: dns64ctl's drain for "
				"it is forgotten"),
	    1);
	ck_assert_uint_eq(orders.n_upstreams, 1);
	settings_fini(&next);
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
	tcase_add_test(tc, without_orders);
}
