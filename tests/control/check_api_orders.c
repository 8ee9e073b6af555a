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
	ck_assert_uint_eq(op.settings.conf.core.upstreams[1].ordered, CONF_DRAIN);
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"up\"}"), 200);
	ck_assert_uint_eq(op.settings.conf.core.upstreams[1].ordered, CONF_UP);
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

static int
get(const char *path)
{
	return caller_ask(&op.caller, "GET", path, NULL);
}

START_TEST(networks)
{
	const json_t *d;

	ck_assert_int_eq(get("/deny"), 200);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "denied")), 0);
	ck_assert_int_eq(post("/deny", "{\"network\":\"10.0.0.0/8\"}"), 200);
	ck_assert_int_eq(
	    post("/deny", "{\"network\":\"2001:db8::/32\",\"drop\":\"yes\",\"for\":\"60\"}"), 200);
	ck_assert_int_eq(get("/deny"), 200);
	d = json_array_get(json_object_get(op.caller.json, "denied"), 0);
	ck_assert_str_eq(json_string_value(json_object_get(d, "network")), "10.0.0.0/8");
	ck_assert(json_is_false(json_object_get(d, "drop")));
	ck_assert(json_is_null(json_object_get(d, "left_s")));
	d = json_array_get(json_object_get(op.caller.json, "denied"), 1);
	ck_assert(json_is_true(json_object_get(d, "drop")));
	ck_assert_int_le(json_integer_value(json_object_get(d, "left_s")), 60);
	ck_assert_int_gt(json_integer_value(json_object_get(d, "left_s")), 50);
	ck_assert_int_eq(post("/undeny", "{\"network\":\"10.0.0.0/8\"}"), 200);
	ck_assert_int_eq(post("/undeny", "{\"network\":\"10.0.0.0/8\"}"), 400);
	ck_assert_uint_eq(op.orders.n_denials, 1);
}
END_TEST

START_TEST(no_networks)
{
	static const char *const bad[] = { "{}", "{\"network\":\"x\"}",
		"{\"network\":\"10.0.0.0/8\",\"drop\":\"maybe\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":\"0\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":\"-5\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":\"31536001\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":\"1.5\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":\"99999999999999999999\"}",
		"{\"network\":\"10.0.0.0/8\",\"for\":5}" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(post("/deny", bad[i]), 400);
	ck_assert_int_eq(post("/undeny", "{}"), 400);
	ck_assert_uint_eq(op.orders.n_denials, 0);
	ck_assert_int_eq(post("/deny", "{\"network\":\"10.0.0.0/8\",\"for\":\"31536000\"}"), 200);
}
END_TEST

START_TEST(the_query_log)
{
	ck_assert_int_eq(post("/querylog", "{\"state\":\"on\"}"), 400);
	ck_assert_ptr_nonnull(strstr(error(), "there is no file to write to"));
	strcpy(op.settings.query_log, "/f");
	ck_assert_int_eq(post("/querylog", "{\"state\":\"failures\",\"for\":\"60\"}"), 200);
	ck_assert_uint_eq(op.settings.conf.core.querylog.select, CONF_QUERYLOG_FAILED);
	ck_assert_int_eq(get("/querylog"), 200);
	ck_assert_str_eq(json_string_value(json_object_get(op.caller.json, "state")), "failures");
	ck_assert_str_eq(json_string_value(json_object_get(op.caller.json, "to")), "/f");
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "since")), 2000);
	ck_assert_int_eq(post("/querylog", "{\"state\":\"all\"}"), 400);
	ck_assert_str_eq(error(), "state is not config, on, off or failures");
	ck_assert_int_eq(post("/querylog", "{\"state\":\"on\",\"for\":\"-1\"}"), 400);
	ck_assert_int_eq(post("/querylog", "{\"state\":\"config\",\"for\":\"60\"}"), 400);
	ck_assert_ptr_nonnull(strstr(error(), "for does not go with config"));
	ck_assert_int_eq(op.orders.log, ORDERS_LOG_FAILURES);
	ck_assert_int_eq(post("/querylog", "{\"state\":\"config\"}"), 200);
	ck_assert_int_eq(get("/querylog"), 200);
	ck_assert(json_is_null(json_object_get(op.caller.json, "since")));
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

/* A loop does not go round: an order is waited for no longer than a change of prefixes. */
START_TEST(loop_that_takes_nothing)
{
	op.changing_for = 100000000;
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"down\"}"), 503);
	ck_assert_ptr_nonnull(strstr(error(), "made, but not all loops"));
	/* It goes round again. */
	op.n_changing = 0;
	op.changing_for = 0;
	ck_assert_int_eq(post("/upstream", "{\"address\":\"192.0.2.2\",\"state\":\"up\"}"), 200);
	ck_assert_ptr_null(json_object_get(op.caller.json, "changed"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, an_upstream);
	tcase_add_test(tc, no_upstream);
	tcase_add_test(tc, networks);
	tcase_add_test(tc, no_networks);
	tcase_add_test(tc, the_query_log);
	tcase_add_test(tc, it_waits_for_loops);
	tcase_add_test(tc, loop_that_takes_nothing);
}
