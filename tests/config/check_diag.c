/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings: their form, their number, and that nothing in a file reaches a terminal raw. */

#include "config/diag.h"

#include <string.h>

#include "support/said.h"
#include "support/tests.h"

static struct said said;

START_TEST(message_has_file_line_and_keyword)
{
	said_init(&said);
	diag_error(&said.diag, 12, "port", "'%s' is bad", "x");
	diag_warning(&said.diag, 0, "listen", "none");
	diag_notice(&said.diag, 3, NULL, "text");
	ck_assert_str_eq(said.text,
	    "error t.conf:12: port: 'x' is bad\n"
	    "warning t.conf: listen: none\nnotice t.conf:3: text\n");
	ck_assert_uint_eq(said.diag.n_errors, 1);
	ck_assert(!diag_no_memory(&said.diag, 2, "map"));
	ck_assert_uint_eq(said.diag.n_errors, 2);
	ck_assert_ptr_nonnull(
	    strstr(said.text, "error t.conf:2: map: there is no memory for it\n"));
}
END_TEST

START_TEST(control_characters_are_replaced)
{
	said_init(&said);
	diag_error(&said.diag, 1, "\033[2J", "'%s'", "a\nb\177c\r");
	ck_assert_str_eq(said.text, "error t.conf:1: ?[2J: 'a?b?c?'\n");
}
END_TEST

START_TEST(long_text_is_cut)
{
	char word[2000];

	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	said_init(&said);
	diag_error(&said.diag, 1, word, "%s", word);
	ck_assert_uint_eq(said.len, strlen("error ") + DIAG_TEXT - 1 + 1);
}
END_TEST

START_TEST(errors_are_counted_beyond_those_told)
{
	said_init(&said);
	for (unsigned i = 0; i < DIAG_MAX_ERRORS + 50; i++)
		diag_error(&said.diag, i + 1, NULL, "e");
	ck_assert_uint_eq(said.diag.n_errors, DIAG_MAX_ERRORS + 50);
	ck_assert_uint_eq(said.n_errors, DIAG_MAX_ERRORS + 1);
	ck_assert_ptr_nonnull(strstr(said.text, "too many errors"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, message_has_file_line_and_keyword);
	tcase_add_test(tc, control_characters_are_replaced);
	tcase_add_test(tc, long_text_is_cut);
	tcase_add_test(tc, errors_are_counted_beyond_those_told);
}
