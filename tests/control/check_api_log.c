/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels of the log are told and set, of all or of one category; errors say what is allowed. */

#include "control/api_log.h"

#include <string.h>

#include "base/log.h"
#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\nlog-level upstream debug\n");
	operator_begin(&op);
	log_set_level(LOG_LEVEL_INFO);
}

static void
teardown(void)
{
	operator_close(&op);
}

/* What the last answer says of CATEGORY under KEY. */
static const char *
level_of(const char *key, const char *category)
{
	const char *text =
	    json_string_value(json_object_get(json_object_get(op.caller.json, key), category));

	return text == NULL ? "" : text;
}

static int
set(const char *body)
{
	return caller_ask(&op.caller, "POST", "/log/level", body);
}

START_TEST(levels_are_told)
{
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/log/level", NULL), 200);
	ck_assert_uint_eq(
	    json_object_size(json_object_get(op.caller.json, "levels")), LOG_CATEGORIES);
	ck_assert_str_eq(level_of("levels", "upstream"), "info");
	ck_assert_str_eq(level_of("configured", "upstream"), "debug");
	ck_assert_str_eq(level_of("configured", "cache"), "notice");
	ck_assert_int_eq(
	    json_integer_value(json_object_get(op.caller.json, "lost")), (json_int_t)log_lost());
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/log/level?level=info", NULL), 400);
}
END_TEST

START_TEST(all_are_set)
{
	ck_assert_int_eq(set("{\"level\": \"warn\"}"), 200);
	ck_assert_str_eq(level_of("levels", "upstream"), "warn");
	ck_assert_str_eq(level_of("configured", "upstream"), "debug");
	for (int i = 0; i < LOG_CATEGORIES; i++)
		ck_assert_int_eq(log_level_of((enum log_category)i), LOG_LEVEL_WARN);
}
END_TEST

START_TEST(one_is_set)
{
	ck_assert_int_eq(set("{\"category\": \"cache\", \"level\": \"debug\"}"), 200);
	ck_assert_str_eq(level_of("levels", "cache"), "debug");
	ck_assert_str_eq(level_of("levels", "client"), "info");
	ck_assert(log_debugs(LOG_CACHE) && !log_debugs(LOG_CLIENT));
}
END_TEST

static const struct {
	const char *body;
	unsigned n_allowed;
} bad[] = {
	{ "{\"level\": \"loud\"}", 5 },
	{ "{\"category\": \"cache\"}", 5 },
	{ "{\"category\": \"cache\", \"level\": \"loud\"}", 5 },
	{ "{\"category\": \"cash\", \"level\": \"debug\"}", LOG_CATEGORIES },
	{ "{\"category\": \"any\", \"level\": \"debug\"}", LOG_CATEGORIES },
	{ "{\"categories\": \"cache\", \"level\": \"debug\"}", 2 },
	{ NULL, 5 },
};

START_TEST(what_is_wrong_changes_nothing)
{
	ck_assert_int_eq(set(bad[_i].body), 400);
	ck_assert_uint_eq(
	    json_array_size(json_object_get(op.caller.json, "allowed")), bad[_i].n_allowed);
	for (int i = 0; i < LOG_CATEGORIES; i++)
		ck_assert_int_eq(log_level_of((enum log_category)i), LOG_LEVEL_INFO);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, levels_are_told);
	tcase_add_test(tc, all_are_set);
	tcase_add_test(tc, one_is_set);
	tcase_add_loop_test(
	    tc, what_is_wrong_changes_nothing, 0, (int)(sizeof(bad) / sizeof(bad[0])));
}
