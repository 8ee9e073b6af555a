/* SPDX-License-Identifier: BSD-2-Clause */
/* What is told of the policies of clients. How they are counted: tests/system/control.sh */

#include "control/api_clients.h"

#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op,
	    "nameserver 192.0.2.1\ndns64-prefix 64:ff9b::/96\nclient 10.0.0.0/8 2001:db8::/32 {\n"
	    "never-synthesize a.test\nignore-aaaa b.test .\ndns64-prefix 2001:db8:1::/96\n"
	    "dns64-prefix 2001:db8:2::/96\n}\nhide-a yes\nclient 192.0.2.0/24 {\n}\n");
	policy_counters_give(&op.settings.policy_counters, op.settings.conf.core.policies);
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

/* The I-th policy of the last answer. */
static const json_t *
policy(size_t i)
{
	return json_array_get(json_object_get(op.caller.json, "clients"), i);
}

static json_int_t
number(size_t i, const char *key)
{
	return json_integer_value(json_object_get(policy(i), key));
}

START_TEST(each_policy)
{
	const json_t *list;

	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/clients", NULL), 200);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "clients")), 3);
	ck_assert_int_eq(number(0, "line"), 0);
	ck_assert_int_eq(number(0, "prefixes"), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(policy(0), "networks")), 0);
	ck_assert_int_eq(number(1, "line"), 3);
	ck_assert_int_eq(number(1, "prefixes"), 2);
	ck_assert_int_eq(number(1, "zones"), 3);
	ck_assert_int_eq(number(1, "answers"), 0);
	list = json_object_get(policy(1), "networks");
	ck_assert_uint_eq(json_array_size(list), 2);
	ck_assert_str_eq(json_string_value(json_array_get(list, 1)), "2001:db8::/32");
	list = json_object_get(policy(1), "sets");
	ck_assert_uint_eq(json_array_size(list), 4);
	ck_assert_str_eq(json_string_value(json_array_get(list, 1)), "ignore-aaaa b.test .");
	ck_assert_int_eq(number(2, "line"), 10);
	ck_assert_int_eq(number(2, "zones"), 0);
	ck_assert_uint_eq(json_array_size(json_object_get(policy(2), "sets")), 0);
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/clients?name=a", NULL), 400);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, each_policy);
}
