/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines into words: blanks, comments, CR, and more words than are kept. */

#include "config/words.h"

#include <stdio.h>
#include <string.h>

#include "support/tests.h"

struct line {
	const char *text;
	const char *words; /* joined by | */
};

static const struct line lines[] = {
	{ "", "" },
	{ "   \t ", "" },
	{ "# all of it", "" },
	{ "// all of it", "" },
	{ "  #", "" },
	{ "port 53", "port|53" },
	{ "\tport \t 53  ", "port|53" },
	{ "port 53\r", "port|53" },
	{ "\r", "" },
	{ "num-threads 16 # for the \"main\" measurements", "num-threads|16" },
	{ "upstream-timeout  2.5\t\t// Maximum value is 32767", "upstream-timeout|2.5" },
	{ "port 53#not a comment", "port|53#not|a|comment" },
	{ "chroot /a//b", "chroot|/a//b" },
	{ "port 53 #", "port|53" },
	{ "a / b", "a|/|b" },
};

START_TEST(line_is_split_into_words)
{
	char text[128], joined[128] = "";
	struct words w = { .line = 7 };

	snprintf(text, sizeof(text), "%s", lines[_i].text);
	words_split(text, &w);
	for (size_t i = 0; i < w.n; i++) {
		if (i > 0)
			strcat(joined, "|");
		strcat(joined, w.word[i]);
	}
	ck_assert_str_eq(joined, lines[_i].words);
	ck_assert_uint_eq(w.line, 7);
}
END_TEST

START_TEST(words_over_the_limit_are_counted)
{
	char text[2 * (WORDS_MAX + 2) + 1] = "";
	struct {
		struct words w;
		const char *behind;
	} s = { .w = { .line = 1 } };

	for (size_t i = 0; i < WORDS_MAX + 2; i++)
		memcpy(text + 2 * i, i == WORDS_MAX - 1 ? "z " : "a ", 3);
	words_split(text, &s.w);
	ck_assert_uint_eq(s.w.n, WORDS_MAX + 2);
	ck_assert_str_eq(s.w.word[WORDS_MAX - 1], "z");
	ck_assert_ptr_null(s.behind);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(
	    tc, line_is_split_into_words, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_test(tc, words_over_the_limit_are_counted);
}
