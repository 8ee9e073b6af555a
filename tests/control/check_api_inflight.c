/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions in flight as the control socket tells them; with loops the system test shows it. */

#include "control/api_inflight.h"

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

START_TEST(without_loops_there_are_none)
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
	tcase_add_test(tc, without_loops_there_are_none);
}
