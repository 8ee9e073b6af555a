/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options agrees with itself, and its defaults are good values. */

#include "bench/settings/optable.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define ALL (BENCH_RATE | BENCH_SEARCH | BENCH_CLOSED | BENCH_ENUM | BENCH_SOAK | BENCH_REPORT)

static const enum bench_method methods[] = { BENCH_RATE, BENCH_SEARCH, BENCH_CLOSED, BENCH_ENUM,
	BENCH_SOAK, BENCH_REPORT };

/* Rows stand in the order of their names, for some method, each with a letter of its own or none.
 */
START_TEST(rows_are_sorted_and_have_their_own_letters)
{
	const struct cmdline_table *t = bench_optable();
	const char *before = "";
	char letters[CMDLINE_ROWS_MAX] = "";

	ck_assert_uint_gt(t->n_rows, 30);
	ck_assert_uint_le(t->n_rows, CMDLINE_ROWS_MAX);
	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		const char letter[] = { row->letter, '\0' };

		ck_assert_msg(strcmp(row->name, before) > 0, "%s after %s", row->name, before);
		ck_assert_msg(
		    row->methods != 0 && (row->methods & ~(unsigned)ALL) == 0, "%s", row->name);
		ck_assert_uint_gt(strlen(row->help), 0);
		ck_assert_msg(row->parse != NULL && row->min <= row->max, "%s", row->name);
		ck_assert_msg(row->letter == '\0' || strchr(letters, row->letter) == NULL, "-%c",
		    row->letter);
		(void)strcat(letters, letter);
		before = row->name;
	}
}
END_TEST

/* Fields lie in the settings; a number's is as large as its maximum wants. */
START_TEST(fields_are_as_large_as_their_values)
{
	const struct cmdline_table *t = bench_optable();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		bool none = row->parse == cmdline_help || row->parse == cmdline_version;

		ck_assert_msg((row->size == 0) == none, "%s", row->name);
		ck_assert_msg(
		    row->offset + row->size <= sizeof(struct bench_settings), "%s", row->name);
		if (row->parse == cmdline_number)
			ck_assert_msg(row->size == 8 || row->max < (double)(1ULL << 8 * row->size),
			    "%s", row->name);
		if (row->parse == cmdline_text)
			ck_assert_uint_eq(row->size, sizeof(char *));
		if (row->parse == cmdline_flag)
			ck_assert_uint_eq(row->size, sizeof(bool));
	}
}
END_TEST

START_TEST(defaults_are_good_values)
{
	static struct bench_settings s;
	const struct cmdline_table *t = bench_optable();

	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		struct cmdline c = { .table = t, .settings = &s, .errors = stderr };

		if (row->fallback != NULL)
			row->parse(&c, row, row->fallback, (char *)&s + row->offset);
		if (row->special.methods != 0)
			row->parse(&c, row, row->special.fallback, (char *)&s + row->offset);
		ck_assert_msg(c.n_errors == 0, "%s", row->name);
		/* A text is borrowed, which a default is not there for. */
		ck_assert(row->parse != cmdline_text || row->fallback == NULL);
	}
}
END_TEST

START_TEST(names_of_methods)
{
	const struct cmdline_table *t = bench_optable();

	ck_assert_uint_eq(t->n_methods, sizeof(methods) / sizeof(methods[0]));
	for (size_t i = 0; i < t->n_methods; i++) {
		ck_assert_uint_eq(t->methods[i].bit, methods[i]);
		ck_assert_str_eq(bench_optable_method(methods[i]), t->methods[i].name);
	}
	ck_assert_str_eq(bench_optable_method(BENCH_RATE), "rate");
	ck_assert_str_eq(bench_optable_method(BENCH_REPORT), "report");
	ck_assert_str_eq(bench_optable_method((enum bench_method)0), "");
}
END_TEST

/* -h: a line for each method and option, each short enough for a terminal. */
START_TEST(help_has_a_line_for_each_row)
{
	char *text = NULL, left[64];
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	const struct cmdline_table *t = bench_optable();

	ck_assert_ptr_nonnull(f);
	cmdline_print_help(t, f);
	(void)fclose(f);
	for (size_t i = 0; i < t->n_methods; i++) {
		(void)snprintf(left, sizeof(left), "\n  %s ", t->methods[i].name);
		ck_assert_msg(strstr(text, left) != NULL, "%s", left);
	}
	for (const struct cmdline_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		if (row->letter != '\0')
			(void)snprintf(
			    left, sizeof(left), "\n  -%c, --%s ", row->letter, row->name);
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

	tcase_add_test(tc, rows_are_sorted_and_have_their_own_letters);
	tcase_add_test(tc, fields_are_as_large_as_their_values);
	tcase_add_test(tc, defaults_are_good_values);
	tcase_add_test(tc, names_of_methods);
	tcase_add_test(tc, help_has_a_line_for_each_row);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
