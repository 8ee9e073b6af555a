/* SPDX-License-Identifier: BSD-2-Clause */
/* What occurs most and what waits, as the control socket tells it; with loops the system test shows
 * it. */

#include "control/api_queries.h"

#include <stdio.h>

#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\n");
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

static int
get(const char *of, const char *params)
{
	char path[64];

	snprintf(path, sizeof(path), "/top/%s%s", of, params);
	return caller_ask(&op.caller, "GET", path, NULL);
}

START_TEST(without_loops_there_is_nothing)
{
	static const char *const of[] = { "clients", "names", "failures" };

	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(get(of[i], ""), 200);
		ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "top")), 0);
		ck_assert(json_is_true(json_object_get(op.caller.json, "began")));
		ck_assert_int_eq(
		    json_integer_value(json_object_get(op.caller.json, "loops_silent")), 0);
		ck_assert((json_object_get(op.caller.json, "networks") != NULL) == (i == 0));
		ck_assert_int_eq(get(of[i], "?lines=1"), 200);
		ck_assert_int_eq(get(of[i], "?lines=500"), 200);
		ck_assert_int_eq(get(of[i], "?lines=501"), 400);
		ck_assert_int_eq(get(of[i], "?lines=0"), 400);
		ck_assert_int_eq(get(of[i], "?lines=ten"), 400);
		ck_assert_int_eq(get(of[i], "?line=1"), 400);
	}
	ck_assert_int_eq(caller_ask(&op.caller, "POST", "/top/names", NULL), 405);
	ck_assert_int_eq(get("", ""), 404);
}
END_TEST

START_TEST(without_loops_none_waits)
{
	for (unsigned i = 0; i < 3; i++) { /* one after the other */
		ck_assert_int_eq(caller_ask(&op.caller, "GET", "/inflight", NULL), 200);
		ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "questions")), 0);
		ck_assert_int_eq(
		    json_integer_value(json_object_get(op.caller.json, "loops_silent")), 0);
	}
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/inflight?lines=5", NULL), 400);
	ck_assert_int_eq(caller_ask(&op.caller, "POST", "/inflight", NULL), 405);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, without_loops_there_is_nothing);
	tcase_add_test(tc, without_loops_none_waits);
}
