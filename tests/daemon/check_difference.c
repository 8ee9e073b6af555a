/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reload changes, line by line. */

#include "daemon/difference.h"

#include "support/heard.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings now, next;

/* How many lines there are about the way from one text to the other; heard() looks into them. */
static void
tell(const char *before, const char *after)
{
	said_parse(&said, before, &now);
	ck_assert_uint_eq(said.n_errors, 0);
	said_parse(&said, after, &next);
	ck_assert_uint_eq(said.n_errors, 0);
	heard_start(LOG_LEVEL_INFO);
	difference_tell(&now, &next);
}

static void
teardown(void)
{
	heard_end();
	settings_fini(&now);
	settings_fini(&next);
}

/* The same in other words of the file, and what takes a restart. */
START_TEST(same_in_other_words_is_no_difference)
{
	tell("nameserver 192.0.2.1\ncache-stale 60\nuser a\n",
	    "# new\nserve-stale   60\nnameserver 192.0.2.1 # the same\nuser b\n");
	ck_assert_uint_eq(heard_all(), 0);
}
END_TEST

START_TEST(changed_addresses_are_told)
{
	tell("nameserver 192.0.2.1\nnameserver 192.0.2.2\nlisten 127.0.0.1\n",
	    "nameserver 192.0.2.2\nnameserver 192.0.2.3\nlisten 127.0.0.1\nlisten ::1 port 54\n");
	ck_assert_uint_eq(heard("info config: asks 192.0.2.3#53"), 1);
	ck_assert_uint_eq(heard("info config: asks 192.0.2.1#53 no more"), 1);
	ck_assert_uint_eq(heard("info config: listens on ::1#54"), 1);
	ck_assert_uint_eq(heard("info config: nameserver was changed"), 1);
	ck_assert_uint_eq(heard("info config: listen was changed"), 1);
	ck_assert_uint_eq(heard_all(), 5);
}
END_TEST

/* A value, a line of a list, one in a client block, one that goes; not those around them. */
START_TEST(changed_lines_are_told)
{
	tell("nameserver 192.0.2.1\nnever-synthesize a.test\nprefetch no\nhide-a yes\n"
	     "client 192.0.2.0/24 {\nhide-a no\nany minimal\n}\nmax-synthesized 3\n",
	    "nameserver 192.0.2.1\nnever-synthesize a.test\nnever-synthesize b.test\nprefetch yes\n"
	    "hide-a yes\nclient 192.0.2.0/24 {\nhide-a yes\nany minimal\n}\n");
	ck_assert_uint_eq(heard("never-synthesize was changed"), 1);
	ck_assert_uint_eq(heard("prefetch was changed"), 1);
	ck_assert_uint_eq(heard("hide-a was changed"), 1);
	ck_assert_uint_eq(heard("max-synthesized was changed"), 1);
	ck_assert_uint_eq(heard_all(), 4);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, same_in_other_words_is_no_difference);
	tcase_add_test(tc, changed_addresses_are_told);
	tcase_add_test(tc, changed_lines_are_told);
}
