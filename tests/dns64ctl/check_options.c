/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of dns64ctl. */

#include "dns64ctl/options.h"

#include <string.h>

#include "support/tests.h"
#include "support/text.h"

static struct options options;

static enum cmdline_task
read_line(const char *line)
{
	static char text[256], *argv[16];
	FILE *nowhere = fopen("/dev/null", "w");
	int argc = text_words(strcpy(text, line), argv, 16);
	enum cmdline_task task = options_read(argc, argv, &options, nowhere);

	fclose(nowhere);
	return task;
}

START_TEST(words_and_options)
{
	ck_assert_int_eq(read_line("dns64ctl ping"), CMDLINE_RUN);
	ck_assert_uint_eq(options.n_words, 1);
	ck_assert_str_eq(options.words[0], "ping");
	ck_assert_ptr_null(options.socket);
	ck_assert(!options.json && !options.rates && !options.commands);
	/* In any order. */
	ck_assert_int_eq(read_line("dns64ctl -s /s flush name a -j"), CMDLINE_RUN);
	ck_assert_uint_eq(options.n_words, 3);
	ck_assert_str_eq(options.words[2], "a");
	ck_assert_str_eq(options.socket, "/s");
	ck_assert(options.json);
	ck_assert_int_eq(read_line("dns64ctl stats --rates"), CMDLINE_RUN);
	ck_assert(options.rates);
	ck_assert_int_eq(read_line("dns64ctl --print-commands"), CMDLINE_RUN);
	ck_assert(options.commands);
}
END_TEST

START_TEST(help_version_wrong)
{
	ck_assert_int_eq(read_line("dns64ctl -h"), CMDLINE_HELP);
	ck_assert_int_eq(read_line("dns64ctl --version"), CMDLINE_VERSION);
	ck_assert_int_eq(read_line("dns64ctl --nothing"), CMDLINE_WRONG);
	ck_assert_int_eq(read_line("dns64ctl -s"), CMDLINE_WRONG);
	ck_assert_ptr_nonnull(cmdline_find(options_table(), "socket"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, words_and_options);
	tcase_add_test(tc, help_version_wrong);
}
