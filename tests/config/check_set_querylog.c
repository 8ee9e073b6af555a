/* SPDX-License-Identifier: BSD-2-Clause */
/* The query log's keywords: what good lines become, and the whole text about bad ones. */

#include "config/set_querylog.h"

#include <stdio.h>
#include <string.h>

#include "config/complete.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct conf_tap *
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
	return &settings.conf.core.tap;
}

START_TEST(what_is_selected)
{
	const struct conf_tap *t = parse_silently("query-log /var/log/q\n");

	ck_assert_str_eq(settings.query_log, "/var/log/q");
	ck_assert_uint_eq(settings.query_log_format, SETTINGS_QUERY_LOG_TEXT);
	ck_assert_uint_eq(t->select, CONF_TAP_ALL);
	ck_assert_uint_eq(t->sample, 1);
	t = parse_silently("query-log-select slow 500 failed denied\nquery-log-format json\n"
			   "query-log-sample 1000000\n");
	ck_assert_uint_eq(t->select, CONF_TAP_SLOW | CONF_TAP_FAILED | CONF_TAP_DENIED);
	ck_assert_uint_eq(t->slow_ms, 500);
	ck_assert_uint_eq(t->sample, 1000000);
	ck_assert_uint_eq(settings.query_log_format, SETTINGS_QUERY_LOG_JSON);
	t = parse_silently("query-log-select synthesized\n");
	ck_assert_uint_eq(t->select, CONF_TAP_SYNTHESIZED);
	t = parse_silently("query-log-select all\n");
	ck_assert_uint_eq(t->select, CONF_TAP_ALL);
}
END_TEST

static const struct said_bad bad[] = {
	{ "query-log file",
	    "query-log: 'file' does not begin with a slash; allowed is "
	    "none|syslog|stderr|FILE" },
	{ "query-log-select none",
	    "query-log-select: 'none' is not one of all|synthesized|failed|denied|slow" },
	{ "query-log-select failed slow",
	    "query-log-select: slow takes a number of milliseconds from 0 to 60000" },
	{ "query-log-select slow 60001",
	    "query-log-select: slow takes a number of milliseconds from 0 to 60000" },
	{ "query-log-select slow fast",
	    "query-log-select: slow takes a number of milliseconds from 0 to 60000" },
	{ "query-log-sample 0", "query-log-sample: '0' is not a number from 1 to 1000000" },
	{ "query-log-format csv", "query-log-format: 'csv' is not one of text|json" },
};

START_TEST(bad_values_are_told)
{
	said_bad(&said, &bad[_i], &settings);
}
END_TEST

/* Without a log the engine tells of nothing. */
START_TEST(nothing_is_selected_without_a_log)
{
	parse_silently("query-log-select all\n");
	complete_settings(&settings, "/nonexistent", &said.diag);
	ck_assert_uint_eq(settings.conf.core.tap.select, 0);
	parse_silently("query-log stderr\n");
	complete_settings(&settings, "/nonexistent", &said.diag);
	ck_assert_uint_eq(settings.conf.core.tap.select, CONF_TAP_ALL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, what_is_selected);
	tcase_add_loop_test(tc, bad_values_are_told, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, nothing_is_selected_without_a_log);
}
