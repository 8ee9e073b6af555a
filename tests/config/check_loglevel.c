/* SPDX-License-Identifier: BSD-2-Clause */
/* log-level: what good lines become, the whole text about bad ones, and what the command line and a
 * reload make of them. */

#include "config/loglevel.h"

#include <string.h>

#include "config/keywords.h"
#include "config/set.h"
#include "support/heard.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings, other;

static void
teardown(void)
{
	settings_fini(&settings);
	settings_fini(&other);
}

/* The levels of all categories in order, a digit each, 0 for error. */
static const char *
levels_of(const struct settings *s)
{
	static char text[LOG_CATEGORIES + 1];

	for (unsigned i = 0; i < LOG_CATEGORIES; i++)
		text[i] = (char)('0' + (int)loglevel_of(s, (enum log_category)i));
	return text;
}

static const struct {
	const char *lines;
	const char *levels;
} good[] = {
	{ "", "22222222" },
	{ "log-level error\n", "00000000" },
	{ "log-level debug\n", "44444444" },
	{ "log-level cache debug\n", "22242222" },
	{ "log-level config error\nlog-level info\nlog-level server warn\n", "03333331" },
	{ "debugging yes\n", "44444444" },
};

START_TEST(good_lines)
{
	said_parse(&said, good[_i].lines, &settings);
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(levels_of(&settings), good[_i].levels);
}
END_TEST

static const struct {
	const char *lines;
	const char *text;
} bad[] = {
	{ "log-level loud\n",
	    "error t.conf:1: log-level: 'loud' is not one of error|warn|notice|info|debug\n" },
	{ "log-level cache loud\n",
	    "error t.conf:1: log-level: 'loud' is not one of error|warn|notice|info|debug\n" },
	{ "log-level cash debug\n",
	    "error t.conf:1: log-level: 'cash' is not one of "
	    "config|upstream|client|cache|dns64|control|stats|server\n" },
	{ "log-level debug cache\n",
	    "error t.conf:1: log-level: 'debug' is not one of "
	    "config|upstream|client|cache|dns64|control|stats|server\n" },
	{ "log-level cache\n",
	    "error t.conf:1: log-level: 'cache' needs its level: one of "
	    "error|warn|notice|info|debug\n" },
	{ "log-level info\nlog-level debug\n",
	    "error t.conf:2: log-level: there is a level for all of the log already\n" },
	{ "log-level cache info\nlog-level info\nlog-level cache debug\n",
	    "error t.conf:3: log-level: there is a level for cache already\n" },
	{ "log-level cache info\ndebugging yes\n",
	    "error t.conf:2: debugging: sets the same as log-level at line 1; only one of them may "
	    "be given\n" },
};

START_TEST(bad_lines)
{
	said_parse(&said, bad[_i].lines, &settings);
	ck_assert_str_eq(said.text, bad[_i].text);
}
END_TEST

/* The words of the keyword are those of the log. */
START_TEST(words_are_those_of_the_log)
{
	for (int i = 0; i < LOG_CATEGORIES; i++)
		ck_assert_int_eq(
		    set_place(LOGLEVEL_CATEGORIES, log_category_name((enum log_category)i)), i);
	for (int i = 0; i <= LOG_LEVEL_DEBUG; i++)
		ck_assert_int_eq(set_place(LOGLEVEL_LEVELS, log_level_name((enum log_level)i)), i);
}
END_TEST

static const struct {
	int all, n;
	const char *levels;
	const char *origin; /* the lines in force, ended by semicolons */
} overrides[] = {
	{ -1, 0, "22242222", "cache debug;notice;" },
	{ -1, 1, "33343333", "info;cache debug;" },
	{ -1, -1, "11131111", "warn;cache info;" },
	{ -1, -9, "00000000", "error;cache error;" },
	{ 0, 0, "00000000", "error;" },
	{ 3, 1, "44444444", "debug;" },
};

/* -d is in place of all lines, -v and -q change each level. */
START_TEST(command_line)
{
	char text[128] = "";
	size_t n;

	said_parse(&said, "log-level cache debug\nlog-level notice\n", &settings);
	loglevel_override(
	    &settings, keywords_find("log-level"), overrides[_i].all, overrides[_i].n);
	ck_assert_str_eq(levels_of(&settings), overrides[_i].levels);
	const struct origin_line *l = origin_lines(&settings.origin, &n);
	for (size_t i = 0; i < n; i++)
		strcat(strcat(text, l[i].value), ";");
	ck_assert_str_eq(text, overrides[_i].origin);
}
END_TEST

START_TEST(default_is_told_beside_categories)
{
	const struct keyword *k = keywords_find("log-level");

	said_parse(&said, "log-level cache debug\n", &settings);
	ck_assert_str_eq(origin_default(&settings.origin, k), "notice");
	said_parse(&said, "log-level cache debug\nlog-level notice\n", &settings);
	ck_assert_ptr_null(origin_default(&settings.origin, k));
}
END_TEST

/* What was changed while it ran is told by the reload that undoes it. */
START_TEST(reload_tells_what_it_undoes)
{
	said_parse(&said, "log-level cache debug\n", &settings);
	said_parse(&said, "log-level info\n", &other);
	heard_start(LOG_LEVEL_INFO);
	loglevel_use(&settings);
	loglevel_change(&settings, &settings);
	ck_assert_uint_eq(heard_all(), 0);
	log_set_category(LOG_CACHE, LOG_LEVEL_ERROR);
	log_set_category(LOG_DNS64, LOG_LEVEL_DEBUG);
	loglevel_change(&settings, &other);
	ck_assert_uint_eq(
	    heard("notice config: the log level of cache is info again, after error"), 1);
	ck_assert_uint_eq(
	    heard("notice config: the log level of dns64 is info again, after debug"), 1);
	ck_assert_uint_eq(heard_all(), 2);
	log_set_level(LOG_LEVEL_ERROR); /* of this line, too */
	loglevel_change(&other, &other);
	ck_assert_uint_eq(heard_all(), LOG_CATEGORIES);
	ck_assert(log_enabled(LOG_CACHE, LOG_LEVEL_INFO) && !log_debugs(LOG_DNS64));
	heard_end();
}
END_TEST

#define N_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

void
tests_add(TCase *tc)
{
	said_init(&said);
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_loop_test(tc, good_lines, 0, N_OF(good));
	tcase_add_loop_test(tc, bad_lines, 0, N_OF(bad));
	tcase_add_test(tc, words_are_those_of_the_log);
	tcase_add_loop_test(tc, command_line, 0, N_OF(overrides));
	tcase_add_test(tc, default_is_told_beside_categories);
	tcase_add_test(tc, reload_tells_what_it_undoes);
}
