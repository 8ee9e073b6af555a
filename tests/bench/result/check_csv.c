/* SPDX-License-Identifier: BSD-2-Clause */
/* The main table as CSV: quotes, comments, and that a full file is told. */

#include "bench/result/csv.h"

#include <check.h>
#include <stdlib.h>

#include "support/text.h"

#define TEXT 4096

/* What is written of JSON, which is a run as far as CSV needs it. */
static const char *
written(const char *json, char text[static TEXT])
{
	json_t *run = json_loads(json, 0, NULL);
	FILE *f = tmpfile();

	ck_assert_ptr_nonnull(run);
	ck_assert_ptr_nonnull(f);
	ck_assert(bench_csv_write(run, f));
	json_decref(run);
	return text_of(f, text, TEXT);
}

START_TEST(tables_and_texts_are_written)
{
	char text[TEXT];

	ck_assert_str_eq(
	    written("{\"method\": \"rate\", \"date\": \"2025-01-02T03:04:05Z\", \"version\": \"1\","
		    "\"command\": \"a\\nb\\rc\", \"tables\": [{\"columns\": [{\"name\": \"x\"},"
		    "{\"name\": \"a, b\"}], \"rows\": [[1, 0.30000000000000004], [null, \"\"],"
		    "[true, \"say \\\"no\\\"\"], [1.5e9, \"#1\\nx\"]]},"
		    "{\"columns\": [{\"name\": \"other\"}], \"rows\": [[9]]}]}",
		text),
	    "# method: rate\n# date: 2025-01-02T03:04:05Z\n# version: 1\n# command: a b c\n"
	    "x,\"a, b\"\n1,0.3\n,\nyes,\"say \"\"no\"\"\"\n1500000000,\"#1\nx\"\n");
}
END_TEST

START_TEST(run_without_tables_has_a_head)
{
	char text[TEXT];

	ck_assert_str_eq(written("{\"method\": \"rate\", \"tables\": []}", text),
	    "# method: rate\n# date: \n# version: \n# command: \n");
}
END_TEST

START_TEST(unwritable_file_is_an_error)
{
	json_t *run = json_object();
	FILE *f = fopen("/dev/null", "r");

	ck_assert_ptr_nonnull(f);
	ck_assert(!bench_csv_write(run, f));
	(void)fclose(f);
	json_decref(run);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_csv");
	TCase *tc = tcase_create("CSV");

	tcase_add_test(tc, tables_and_texts_are_written);
	tcase_add_test(tc, run_without_tables_has_a_head);
	tcase_add_test(tc, unwritable_file_is_an_error);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
