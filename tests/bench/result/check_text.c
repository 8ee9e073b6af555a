/* SPDX-License-Identifier: BSD-2-Clause */
/* Values and tables as text, and the main table as CSV. */

#include "bench/result/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

/* --- text ------------------------------------------------------------------------------------- */

/* Values and tables as text. */

#define TEXT 2048

static const struct {
	const char *json;
	unsigned decimals;
	const char *text;
} cells[] = {
	{ "null", 2, "-" },
	{ "true", 0, "yes" },
	{ "false", 0, "no" },
	{ "\"w\"", 3, "w" },
	{ "12", 0, "12" },
	{ "12", 2, "12.00" },
	{ "-9223372036854775808", 0, "-9223372036854775808" },
	{ "1.0049", 2, "1.00" },
	{ "1.5e3", 0, "1500" },
	{ "12", BENCH_TEXT_ROUND, "12" },
	{ "35341.5678", BENCH_TEXT_ROUND, "35341.6" },
	{ "0.25", BENCH_TEXT_ROUND, "0.25" },
	{ "2.0", BENCH_TEXT_ROUND, "2" },
	{ "100.0", BENCH_TEXT_ROUND, "100" },
	{ "12345678.9", BENCH_TEXT_ROUND, "12345679" },
	{ "-0.125", BENCH_TEXT_ROUND, "-0.125" },
	{ "[1, 2]", 0, "..." },
};

START_TEST(cell_is_formatted_by_its_type)
{
	json_t *value = json_loads(cells[_i].json, JSON_DECODE_ANY, NULL);
	char text[BENCH_TEXT_CELL];

	ck_assert_str_eq(bench_text_cell(value, cells[_i].decimals, text), cells[_i].text);
	json_decref(value);
}
END_TEST

START_TEST(longest_values_fit_a_cell)
{
	json_t *huge = json_real(-1.7e308);
	char text[BENCH_TEXT_CELL];

	ck_assert_uint_eq(strlen(bench_text_cell(huge, 9, text)), 1 + 309 + 1 + 9);
	ck_assert_uint_eq(strlen(bench_text_cell(huge, BENCH_TEXT_ROUND, text)), 1 + 309);
	ck_assert_str_eq(bench_text_cell(NULL, 0, text), "-");
	json_decref(huge);
}
END_TEST

/* What a table prints. */
static const char *
printed(const char *json, char text[static TEXT])
{
	json_t *t = json_loads(json, 0, NULL);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(t);
	ck_assert_ptr_nonnull(f);
	bench_text_columns(f, t);
	for (size_t i = 0; i < json_array_size(json_object_get(t, "rows")); i++)
		bench_text_row(f, t, i);
	json_decref(t);
	return text_of(f, text, TEXT);
}

/* Columns are as wide as their heads, and eight at least; what is longer is not cut. */
START_TEST(columns_are_as_wide_as_their_heads)
{
	char text[TEXT];

	ck_assert_str_eq(printed("{\"title\": \"T\", \"columns\": ["
				 "{\"title\": \"who\", \"unit\": \"\"},"
				 "{\"title\": \"CPU/answer\", \"unit\": \"us\", \"decimals\": 1},"
				 "{\"title\": \"n\", \"unit\": \"%\"}],"
				 "\"rows\": [[\"a\", 1, 123], [\"longer than eight\", 22.25, null],"
				 "[null, 0, 5]]}",
			     text),
	    "\nT\n     who  CPU/answer (us)     n (%)\n"
	    "       a              1.0       123\n"
	    "longer than eight             22.2         -\n"
	    "       -              0.0         5\n");
}
END_TEST

/* A terminal gets nothing that it would obey. */
START_TEST(control_characters_are_not_printed)
{
	char text[TEXT];

	text_contains(printed("{\"title\": \"a\\u001b[2Jb\\n\", \"columns\": [{\"title\": \"\","
			      "\"unit\": \"\"}], \"rows\": [[\"\\u007f\\r\"]]}",
			  text),
	    "\na?[2Jb?\n");
	text_contains(text, " ??\n");
}
END_TEST

static void
add_text(TCase *tc)
{
	tcase_add_test(tc, longest_values_fit_a_cell);
	tcase_add_test(tc, columns_are_as_wide_as_their_heads);
	tcase_add_test(tc, control_characters_are_not_printed);
	tcase_add_loop_test(tc, cell_is_formatted_by_its_type, 0, sizeof(cells) / sizeof(cells[0]));
}

/* --- csv -------------------------------------------------------------------------------------- */

/* The main table as CSV: quotes, and that a full file is told. */

#define CSV 4096

/* What is written of JSON, which is a run as far as CSV needs it. */
static const char *
written(const char *json, char text[static CSV])
{
	json_t *run = json_loads(json, 0, NULL);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(run);
	ck_assert_ptr_nonnull(f);
	ck_assert(bench_text_csv(run, f));
	json_decref(run);
	return text_of(f, text, CSV);
}

START_TEST(tables_and_texts_are_written)
{
	char text[CSV];

	ck_assert_str_eq(
	    written("{\"method\": \"rate\", \"date\": \"2025-01-02T03:04:05Z\", \"version\": \"1\","
		    "\"command\": \"a\", \"tables\": [{\"columns\": [{\"name\": \"x\"},"
		    "{\"name\": \"a, b\"}], \"rows\": [[1, 0.30000000000000004], [null, \"\"],"
		    "[true, \"say \\\"no\\\"\"], [1.5e9, \"#1\\nx\"]]},"
		    "{\"columns\": [{\"name\": \"other\"}], \"rows\": [[9]]}]}",
		text),
	    "x,\"a, b\"\n1,0.3\n,\nyes,\"say \"\"no\"\"\"\n1500000000,\"#1\nx\"\n");
}
END_TEST

START_TEST(run_without_tables_has_no_rows)
{
	char text[CSV];

	ck_assert_str_eq(written("{\"method\": \"rate\", \"tables\": []}", text), "");
}
END_TEST

START_TEST(file_can_be_written_or_not)
{
	char path[SCRATCH_PATH], below[SCRATCH_PATH + 8];

	ck_assert_int_eq(bench_text_writable("-"), 0);
	ck_assert_int_eq(bench_text_writable("/dev/null"), 0);
	ck_assert_int_eq(bench_text_writable("/"), -EISDIR);
	ck_assert_int_eq(bench_text_writable("/nowhere/at/all"), -ENOENT);
	(void)close(scratch_file(path));
	ck_assert_int_eq(bench_text_writable(path), 0);
	(void)snprintf(below, sizeof(below), "%s/x", path);
	ck_assert_int_eq(bench_text_writable(below), -ENOTDIR);
	(void)unlink(path);
	ck_assert_int_eq(bench_text_writable(path), 0); /* it is not there, and was not made */
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(unwritable_file_is_an_error)
{
	json_t *run = json_pack("{s[{s[{ss}],s[]}]}", "tables", "columns", "name", "x", "rows");
	FILE *f = fopen("/dev/null", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert(!bench_text_csv(run, f));
	(void)fclose(f);
	json_decref(run);
}
END_TEST

static void
add_csv(TCase *tc)
{
	tcase_add_test(tc, tables_and_texts_are_written);
	tcase_add_test(tc, run_without_tables_has_no_rows);
	tcase_add_test(tc, file_can_be_written_or_not);
	tcase_add_test(tc, unwritable_file_is_an_error);
}

void
tests_add(TCase *tc)
{
	add_text(tc);
	add_csv(tc);
}
