/* SPDX-License-Identifier: BSD-2-Clause */
/* Orders as the control socket takes them. */

#include "control/api_orders.h"

#include <string.h>

#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\nnameserver 192.0.2.2\n");
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

static int
post(const char *path, const char *body)
{
	return caller_ask(&op.caller, "POST", path, body);
}

static const char *
error(void)
{
	const char *text = json_string_value(json_object_get(op.caller.json, "error"));

	return text != NULL ? text : "none";
}

START_TEST(an_upstream)
{
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"drain\"}"), 200);
	ck_assert(json_is_true(json_object_get(op.caller.json, "done")));
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "messages")), 1);
	ck_assert_uint_eq(op.settings.conf.core.ordered[1], CONF_DRAIN);
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"up\"}"), 200);
	ck_assert_uint_eq(op.settings.conf.core.ordered[1], CONF_UP);
}
END_TEST

START_TEST(no_upstream)
{
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.3\",\"state\":\"drain\"}"), 400);
	ck_assert_str_eq(error(), "there is no upstream 192.0.2.3; dns64ctl upstreams lists them");
	ck_assert_uint_eq(op.n_orders, 1);
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"away\"}"), 400);
	ck_assert_str_eq(error(), "state is not up, drain or down");
	ck_assert_int_eq(post("/upstream", "{\"state\":\"down\"}"), 400);
	ck_assert_str_eq(error(), "address is missing");
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\"}"), 400);
	ck_assert_int_eq(post("/upstream", "[]"), 400);
	ck_assert_uint_eq(op.n_orders, 1);
}
END_TEST

/* The answer comes when all loops work by the order. */
START_TEST(it_waits_for_loops)
{
	op.changing_for = 5;
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"down\"}"), 200);
	ck_assert_uint_eq(op.n_changing, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_upstream);
	tcase_add_test(tc, no_upstream);
	tcase_add_test(tc, it_waits_for_loops);
}
