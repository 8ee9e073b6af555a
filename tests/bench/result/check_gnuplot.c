/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that draws: there or not, good or not. Other programs play its part. */

#include "bench/result/gnuplot.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/text.h"

#define TEXT 1024

static FILE *
script_of(const char *text)
{
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	return f;
}

/* A program of a new name that does BODY, to PATH. */
static void
program(const char *body, char path[static SCRATCH_PATH])
{
	(void)close(scratch_file(path));
	text_write(path, body, strlen(body));
	ck_assert_int_eq(chmod(path, 0700), 0);
}

/* What the program with BODY says when it has to draw; the picture to TEXT. */
static bool
draws(const char *body, char text[static TEXT], char error[static TEXT])
{
	FILE *script = script_of("the script");
	char path[SCRATCH_PATH];

	program(body, path);
	error[0] = '\0';
	FILE *picture = bench_gnuplot_run(path, script, error, TEXT);
	(void)fclose(script);
	(void)unlink(path);
	if (picture != NULL)
		(void)text_of(picture, text, TEXT);
	return picture != NULL;
}

START_TEST(script_reaches_gnuplot)
{
	char text[TEXT], error[TEXT];

	ck_assert(draws("#!/bin/sh\necho \"$@\"\nexec cat\n", text, error));
	ck_assert_str_eq(text, "-d -\nthe script");
}
END_TEST

START_TEST(failing_gnuplot_is_told_in_its_words)
{
	char text[TEXT], error[TEXT];

	ck_assert(!draws("#!/bin/sh\necho half\necho 'plot x' >&2\n"
			 "echo '     ^' >&2\necho '  no such thing' >&2\necho >&2\nexit 3\n",
	    text, error));
	text_contains(error, "ended with 3: no such thing");
	ck_assert(!draws("#!/bin/sh\nexit 1\n", text, error));
	text_contains(error, "ended with 1: it said nothing");
	ck_assert(!draws("#!/bin/sh\nkill -9 $$\n", text, error));
	text_contains(error, "ended by signal 9");
	ck_assert(!draws("#!/bin/sh\nexit 0\n", text, error));
	text_contains(error, "drew nothing");
}
END_TEST

START_TEST(missing_gnuplot_is_told)
{
	FILE *script = script_of("");
	char error[TEXT] = "";

	ck_assert(!bench_gnuplot_there("/nowhere/gnuplot", error, TEXT));
	text_contains(error, "there is no /nowhere/gnuplot");
	text_contains(error, "gnuplot-nox");
	error[0] = '\0';
	ck_assert_ptr_null(bench_gnuplot_run("/nowhere/gnuplot", script, error, TEXT));
	text_contains(error, "there is no /nowhere/gnuplot");
	ck_assert(!bench_gnuplot_there("/", error, TEXT));
	(void)fclose(script);
}
END_TEST

START_TEST(working_gnuplot_is_found)
{
	char path[SCRATCH_PATH], error[TEXT] = "";

	program("#!/bin/sh\ntest \"$*\" = --version\n", path);
	ck_assert_msg(bench_gnuplot_there(path, error, TEXT), "%s", error);
	(void)unlink(path);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_gnuplot");
	TCase *tc = tcase_create("gnuplot");

	tcase_add_test(tc, script_reaches_gnuplot);
	tcase_add_test(tc, failing_gnuplot_is_told_in_its_words);
	tcase_add_test(tc, missing_gnuplot_is_told);
	tcase_add_test(tc, working_gnuplot_is_found);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
