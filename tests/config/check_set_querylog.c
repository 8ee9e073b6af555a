/* SPDX-License-Identifier: BSD-2-Clause */
/* The query log's keywords: what good lines become, and the whole text about bad ones. */

#include "config/set_logs.h"

#include <stdio.h>
#include <string.h>

#include "config/complete.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

static const struct conf_querylog *
parse_silently(const char *text)
{
	said_nothing(&said, text, &settings);
	return &settings.conf.core.querylog;
}

START_TEST(what_is_selected)
{
	const struct conf_querylog *t = parse_silently("query-log /var/log/q\n");

	ck_assert_str_eq(settings.query_log, "/var/log/q");
	ck_assert_uint_eq(settings.query_log_format, SETTINGS_QUERY_LOG_TEXT);
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_ALL);
	ck_assert_uint_eq(t->sample, 1);
	t = parse_silently("query-log-select slow 500 failed denied\nquery-log-format json\n"
			   "query-log-sample 1000000\n");
	ck_assert_uint_eq(
	    t->select, CONF_QUERYLOG_SLOW | CONF_QUERYLOG_FAILED | CONF_QUERYLOG_DENIED);
	ck_assert_uint_eq(t->slow_ms, 500);
	ck_assert_uint_eq(t->sample, 1000000);
	ck_assert_uint_eq(settings.query_log_format, SETTINGS_QUERY_LOG_JSON);
	t = parse_silently("query-log-select synthesized\n");
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_SYNTHESIZED);
	t = parse_silently("query-log-select all\n");
	ck_assert_uint_eq(t->select, CONF_QUERYLOG_ALL);
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
	{ "query-log-mode 0600 0", "query-log-mode: '0' is too much; allowed is MODE" },
	{ "query-log-format csv", "query-log-format: 'csv' is not one of text|json" },
};

/* The file's own daemon can read and write it, and nobody can write it whom a group does not have.
 */
START_TEST(modes)
{
	static const char *const wrong[] = { "0400", "0200", "0666", "0646", "0700", "0641", "1640",
		"4640", "64", "00640", "640x", "0x1a0", "rw-r-----", "-640", "0680" };
	char line[64], text[256];

	(void)parse_silently("");
	ck_assert_uint_eq(settings.query_log_mode, 0640);
	(void)parse_silently("query-log-mode 0644\n");
	ck_assert_uint_eq(settings.query_log_mode, 0644);
	(void)parse_silently("query-log-mode 600\n");
	ck_assert_uint_eq(settings.query_log_mode, 0600);
	(void)parse_silently("query-log-mode 664\n");
	ck_assert_uint_eq(settings.query_log_mode, 0664);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct said_bad b = { line, text };

		snprintf(line, sizeof(line), "query-log-mode %s", wrong[i]);
		snprintf(text, sizeof(text),
		    "query-log-mode: '%s' is not a mode from 0600 to 0664, octal, by which its "
		    "owner reads and writes it, a group may, and others may read it",
		    wrong[i]);
		said_bad(&said, &b, &settings);
	}
}
END_TEST

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
	ck_assert_uint_eq(settings.conf.core.querylog.select, 0);
	parse_silently("query-log stderr\n");
	complete_settings(&settings, "/nonexistent", &said.diag);
	ck_assert_uint_eq(settings.conf.core.querylog.select, CONF_QUERYLOG_ALL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, what_is_selected);
	tcase_add_test(tc, modes);
	tcase_add_loop_test(tc, bad_values_are_told, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, nothing_is_selected_without_a_log);
}
