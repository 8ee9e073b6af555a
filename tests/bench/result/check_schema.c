/* SPDX-License-Identifier: BSD-2-Clause */
/* What is a run and what is not. */

#include "bench/result/schema.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/text.h"

/* A run; each fault is one key of it with another value. */
static const char run[] =
    "{\"program\": \"dns64bench\", \"version\": \"1\", \"method\": \"rate\", \"date\": \"d\","
    "\"command\": \"c\", \"machine\": {\"cpu\": \"x\", \"cpus\": 2, \"kernel\": \"k\","
    "\"os\": \"o\"}, \"settings\": {\"a\": [1]}, \"findings\": [{\"name\": \"n\","
    "\"value\": 1.5, \"unit\": \"\"}], \"tables\": [{\"name\": \"t\", \"title\": \"T\","
    "\"columns\": [{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\"}],"
    "\"rows\": [[1], [null], [\"x\"], [true]]}], \"complete\": true, \"failed\": [\"f\"]}";

#define TABLE(columns, rows) \
	"[{\"name\": \"t\", \"title\": \"T\", \"columns\": " columns ", \"rows\": " rows "}]"
#define COLUMN "[{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\"}]"

static const struct {
	const char *key, *value, *why;
} faults[] = {
	{ "program", "\"other\"", "not a run of dns64bench" },
	{ "program", "1", "not a run of dns64bench" },
	{ "version", "1", "xpected string" },
	{ "method", "null", "xpected string" },
	{ "date", NULL, "date" },
	{ "command", "[]", "xpected string" },
	{ "machine", "{}", "machine" },
	{ "machine", "[]", "machine" },
	{ "settings", "[]", "settings" },
	{ "findings", "{}", "no list" },
	{ "findings", "[1]", "finding 1" },
	{ "findings", "[{\"name\": \"n\", \"value\": [], \"unit\": \"\"}]", "finding 1" },
	{ "findings", "[{\"name\": \"n\", \"unit\": \"\"}]", "finding 1" },
	{ "complete", "1", "xpected true or false" },
	{ "failed", "\"x\"", "no list" },
	{ "failed", "[\"x\", 1]", "reason 2" },
	{ "tables", "1", "no list" },
	{ "tables", "[1]", "a table" },
	{ "tables", TABLE("1", "[]"), "a table" },
	{ "tables", TABLE(COLUMN, "{}"), "a table" },
	{ "tables", TABLE("[]", "[]"), "has 0 columns" },
	{ "tables", TABLE("[1]", "[]"), "column 1" },
	{ "tables", TABLE("[{\"name\": \"a\", \"title\": \"A\"}]", "[]"), "column 1" },
	{ "tables",
	    TABLE("[{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\", \"decimals\": 10}]", "[]"),
	    "column 1" },
	{ "tables",
	    TABLE("[{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\", \"decimals\": -1}]", "[]"),
	    "column 1" },
	{ "tables", TABLE(COLUMN, "[[1], [1, 2]]"), "row 2" },
	{ "tables", TABLE(COLUMN, "[[1], []]"), "row 2" },
	{ "tables", TABLE(COLUMN, "[[[1]]]"), "row 1" },
	{ "tables", TABLE(COLUMN, "[1]"), "row 1" },
};

START_TEST(sound_run_is_accepted)
{
	json_t *tree = json_loads(run, 0, NULL);
	char why[BENCH_SCHEMA_WHY] = "";

	ck_assert_msg(bench_schema_is_run(tree, why), "%s", why);
	json_decref(tree);
}
END_TEST

START_TEST(run_with_a_fault_is_refused)
{
	json_t *tree = json_loads(run, 0, NULL);
	char why[BENCH_SCHEMA_WHY] = "";

	if (faults[_i].value == NULL)
		(void)json_object_del(tree, faults[_i].key);
	else
		(void)json_object_set_new(
		    tree, faults[_i].key, json_loads(faults[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert(!bench_schema_is_run(tree, why));
	text_contains(why, faults[_i].why);
	json_decref(tree);
}
END_TEST

START_TEST(other_json_is_refused)
{
	static const char *const others[] = { "null", "1", "[]", "\"dns64bench\"", "{}" };
	char why[BENCH_SCHEMA_WHY];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		json_t *tree = json_loads(others[i], JSON_DECODE_ANY, NULL);

		ck_assert(!bench_schema_is_run(tree, why));
		json_decref(tree);
	}
}
END_TEST

START_TEST(table_with_too_many_columns_is_refused)
{
	json_t *tree = json_loads(run, 0, NULL),
	       *columns =
		   json_object_get(json_array_get(json_object_get(tree, "tables"), 0), "columns");
	char why[BENCH_SCHEMA_WHY];

	while (json_array_size(columns) < 65)
		(void)json_array_append(columns, json_array_get(columns, 0));
	ck_assert(!bench_schema_is_run(tree, why));
	text_contains(why, "has 65 columns");
	json_decref(tree);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_schema");
	TCase *tc = tcase_create("schema");

	tcase_add_test(tc, sound_run_is_accepted);
	tcase_add_test(tc, other_json_is_refused);
	tcase_add_test(tc, table_with_too_many_columns_is_refused);
	tcase_add_loop_test(tc, run_with_a_fault_is_refused, 0, sizeof(faults) / sizeof(faults[0]));
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
