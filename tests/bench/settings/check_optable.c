/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options agrees with itself and with the letters. */

#include "bench/settings/optable.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define ALL (BENCH_RATE | BENCH_SEARCH | BENCH_CLOSED | BENCH_ENUM | BENCH_SOAK | BENCH_REPORT)

static const enum bench_method methods[] = { BENCH_RATE, BENCH_SEARCH, BENCH_CLOSED, BENCH_ENUM,
	BENCH_SOAK, BENCH_REPORT };

/* Rows stand in the order of their names, each with a value of its own, for some method. */
START_TEST(rows_are_sorted_and_have_their_own_values)
{
	const struct bench_option_row *row;
	const char *before = "";
	size_t n = 0;

	for (; (row = bench_optable_row(n)) != NULL; n++) {
		ck_assert_msg(strcmp(row->name, before) > 0, "%s after %s", row->name, before);
		ck_assert_msg(
		    bench_optable_find((int)row->id) == row, "%s: found another", row->name);
		ck_assert_msg(
		    row->methods != 0 && (row->methods & ~(unsigned)ALL) == 0, "%s", row->name);
		ck_assert_uint_gt(strlen(row->help), 0);
		before = row->name;
	}
	ck_assert_uint_gt(n, 30);
	ck_assert_uint_le(n, BENCH_OPTIONS_MAX);
	ck_assert_ptr_null(bench_optable_row(n + 1));
	ck_assert_ptr_null(bench_optable_find('x'));
	ck_assert_ptr_null(bench_optable_find('?'));
	ck_assert_ptr_null(bench_optable_find(0));
}
END_TEST

/* getopt's letters are the rows that have one, with ":" where there is a value. */
START_TEST(getopt_letters_are_those_of_the_rows)
{
	const struct bench_option_row *row;
	size_t want = 0;

	for (size_t i = 0; (row = bench_optable_row(i)) != NULL; i++) {
		const char *at;

		if (row->id >= 256)
			continue;
		at = strchr(BENCH_OPTION_LETTERS, (int)row->id);
		ck_assert_msg(at != NULL && (at[1] == ':') == (row->arg != NULL), "%s", row->name);
		want += row->arg != NULL ? 2 : 1;
	}
	ck_assert_uint_eq(strlen(BENCH_OPTION_LETTERS), want);
}
END_TEST

START_TEST(names_of_methods)
{
	char text[200] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(f);
	bench_optable_methods(f);
	(void)fclose(f);
	ck_assert_str_eq(text, "rate search closed enum soak report");
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		ck_assert_uint_eq(bench_optable_method(bench_optable_name(methods[i])), methods[i]);
	ck_assert_uint_eq(bench_optable_method(""), 0);
	ck_assert_uint_eq(bench_optable_method("rat"), 0);
	ck_assert_uint_eq(bench_optable_method("rates"), 0);
	ck_assert_str_eq(bench_optable_name((enum bench_method)0), "");
}
END_TEST

/* -h: a line for each method and option, each short enough for a terminal. */
START_TEST(help_has_a_line_for_each_row)
{
	char *text = NULL, left[64];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	const struct bench_option_row *row;

	ck_assert_ptr_nonnull(f);
	bench_optable_help(f);
	(void)fclose(f);
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		(void)snprintf(left, sizeof(left), "\n  %s ", bench_optable_name(methods[i]));
		ck_assert_msg(strstr(text, left) != NULL, "%s", left);
	}
	for (size_t i = 0; (row = bench_optable_row(i)) != NULL; i++) {
		if (row->id < 256)
			(void)snprintf(
			    left, sizeof(left), "\n  -%c, --%s ", (char)row->id, row->name);
		else
			(void)snprintf(left, sizeof(left), "\n      --%s ", row->name);
		ck_assert_msg(strstr(text, left) != NULL, "%s", left);
		ck_assert_msg(strstr(text, row->help) != NULL, "%s", row->help);
	}
	for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		ck_assert_msg(end - line <= 100, "%.*s", (int)(end - line), line);
	free(text);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_optable");
	TCase *tc = tcase_create("table");

	tcase_add_test(tc, rows_are_sorted_and_have_their_own_values);
	tcase_add_test(tc, getopt_letters_are_those_of_the_rows);
	tcase_add_test(tc, names_of_methods);
	tcase_add_test(tc, help_has_a_line_for_each_row);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
