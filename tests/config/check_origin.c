/* SPDX-License-Identifier: BSD-2-Clause */
/* What was read is remembered as it was written, and only what holds. */

#include "config/origin.h"

#include <stdio.h>
#include <string.h>

#include "config/keywords.h"
#include "config/options.h"
#include "support/said.h"
#include "support/tests.h"

static struct settings settings, next;
static struct said said;
static char text[4096];

/* All lines of S, one a line: "LINE/BLOCK keyword value". */
static const char *
lines_of(const struct settings *s)
{
	size_t n, len = 0;
	const struct origin_line *l = origin_lines(&s->origin, &n);

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%u/%u %s %s\n",
		    l[i].line > 0 ? places_at(&s->places, l[i].line).line : 0, l[i].block,
		    l[i].keyword->name, l[i].value);
	return text;
}

static void
teardown(void)
{
	settings_fini(&settings);
	settings_fini(&next);
}

START_TEST(as_it_was_written)
{
	said_parse(&said,
	    "# a comment\nnameserver   192.0.2.1  port 54 # another\nhide-a no\n"
	    "client 10.0.0.0/8 {\n\thide-a\tyes\n}\nnameserver 192.0.2.2\n"
	    "cookie-secret 00112233445566778899aabbccddeeff\n",
	    &settings);
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(lines_of(&settings),
	    "2/0 nameserver 192.0.2.1 port 54\n3/0 hide-a no\n4/0 client 10.0.0.0/8 {\n"
	    "5/4 hide-a yes\n7/0 nameserver 192.0.2.2\n8/0 cookie-secret \n");
}
END_TEST

START_TEST(defaults_that_hold)
{
	said_parse(&said,
	    "nameserver 192.0.2.1\nresponse-maxlength 1400\ntimeout-time-sec 1\ndebugging yes\n"
	    "client 10.0.0.0/8 {\nsynthesize never\n}\n",
	    &settings);
	ck_assert_str_eq(origin_default(&settings.origin, keywords_find("port")), "53");
	ck_assert_str_eq(
	    origin_default(&settings.origin, keywords_find("listen")), "::1\n127.0.0.1");
	/* A block says nothing of other clients. */
	ck_assert_str_eq(origin_default(&settings.origin, keywords_find("synthesize")), "normal");
	ck_assert_ptr_null(origin_default(&settings.origin, keywords_find("nameserver")));
	ck_assert_ptr_null(origin_default(&settings.origin, keywords_find("allow")));
	/* Others set the same. */
	ck_assert_ptr_null(origin_default(&settings.origin, keywords_find("udp-size-client")));
	ck_assert_ptr_null(origin_default(&settings.origin, keywords_find("upstream-timeout")));
	ck_assert_ptr_null(origin_default(&settings.origin, keywords_find("log-level")));
}
END_TEST

static unsigned
setting(const char *name, unsigned block)
{
	const struct origin_line *l = origin_setting(&settings.origin, name, block);

	return l != NULL ? l->line : 0;
}

START_TEST(found_by_number_or_keyword)
{
	said_parse(&said,
	    "nameserver 192.0.2.1\nclient 10.0.0.0/8 {\nsynthesize never\n}\n"
	    "client 192.0.2.0/24 {\nhide-a yes\n}\nsynthesize always\n",
	    &settings);
	ck_assert_str_eq(origin_at(&settings.origin, 3)->value, "never");
	ck_assert_str_eq(origin_at(&settings.origin, 5)->keyword->name, "client");
	ck_assert_ptr_null(origin_at(&settings.origin, 4));
	ck_assert_uint_eq(setting("synthesize", 0), 8);
	ck_assert_uint_eq(setting("synthesize", 2), 3);
	ck_assert_uint_eq(setting("synthesize", 5), 8);
	ck_assert_uint_eq(setting("hide-a", 5), 6);
	ck_assert_uint_eq(setting("hide-a", 2), 0);
	ck_assert_uint_eq(setting("hide-a", 0), 0);
}
END_TEST

START_TEST(command_line_comes_first)
{
	struct options o = { .level = 3, .n_overrides = 3 };

	o.overrides[0] = (struct options_override){ "dns64-prefix", "2001:db8:1::/96" };
	o.overrides[1] = (struct options_override){ "dns64-prefix", "2001:db8:2::/96" };
	o.overrides[2] = (struct options_override){ "user", "x" };
	said_parse(&said,
	    "dns64-prefix 64:ff9b::/96\nnameserver 192.0.2.1\nuser y\nclient 10.0.0.0/8 {\n"
	    "dns64-prefix 2001:db8:3::/96\n}\n",
	    &settings);
	options_apply(&o, &settings, &said.diag);
	ck_assert_str_eq(said.text, "");
	ck_assert_str_eq(lines_of(&settings),
	    "2/0 nameserver 192.0.2.1\n4/0 client 10.0.0.0/8 {\n5/4 dns64-prefix 2001:db8:3::/96\n"
	    "0/0 dns64-prefix 2001:db8:1::/96\n0/0 dns64-prefix 2001:db8:2::/96\n0/0 user x\n"
	    "0/0 log-level info\n");
}
END_TEST

START_TEST(what_a_reload_keeps)
{
	said_parse(&said, "nameserver 192.0.2.1\nuser x\n", &settings);
	said_parse(&said, "nameserver 192.0.2.2\ngroup z\nuser y\n", &next);
	origin_keep(
	    &next.origin, &next.places, &settings.origin, &settings.places, keywords_find("user"));
	origin_keep(
	    &next.origin, &next.places, &settings.origin, &settings.places, keywords_find("group"));
	ck_assert_str_eq(lines_of(&next), "1/0 nameserver 192.0.2.2\n2/0 user x\n");
	/* It is a copy. */
	origin_fini(&settings.origin);
	ck_assert_str_eq(lines_of(&settings), "");
	ck_assert_str_eq(lines_of(&next), "1/0 nameserver 192.0.2.2\n2/0 user x\n");
	origin_fini(&settings.origin);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, as_it_was_written);
	tcase_add_test(tc, defaults_that_hold);
	tcase_add_test(tc, found_by_number_or_keyword);
	tcase_add_test(tc, command_line_comes_first);
	tcase_add_test(tc, what_a_reload_keeps);
}
