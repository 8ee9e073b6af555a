/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs: what is kept, what is written and read again, and what is no run. */

#include "bench/result/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"
#include "support/text.h"

/* --- run -------------------------------------------------------------------------------------- */

/* A run: what is put in comes out as text, JSON and CSV, and comes back from its file. */

#define TEXT 4096

static const struct bench_column columns[] = {
	{ "rate", "rate", "1/s", 0 },
	{ "valid", "valid", "", 0 },
	{ "rtt_p50", "p50", "ms", 3 },
};

static struct bench_run *
new_run(void)
{
	char name[] = "dns64bench", method[] = "rate", option[] = "-s", server[] = "::1",
	     odd[] = "it's; $here", bad[] = "\xff";
	char *argv[] = { name, method, option, server, odd, bad, NULL };
	struct bench_run *r = bench_run_new("rate", 6, argv);

	ck_assert_ptr_nonnull(r);
	bench_run_set(r, "server", json_string("::1"));
	bench_run_set(r, "timeout", json_real(0.25));
	return r;
}

static void
fill(struct bench_run *r)
{
	struct bench_table *t = bench_run_table(r, "trials", "Trials", columns, 3);

	bench_table_add(t, json_pack("[i,i,f]", 1000, 1000, 0.1234567));
	bench_table_add(t, json_pack("[i,i,n]", 20000, 19));
	bench_table_mark(t, 1000, "knee");
	bench_run_find(r, "highest rate", json_integer(1000), "1/s");
	bench_run_find(r, "loss", json_real(12.5), "%");
}

/* What bench_run_print prints. */
static const char *
printed(const struct bench_run *r, char text[static TEXT])
{
	FILE *f = fmemopen(text, TEXT, "w");

	ck_assert_ptr_nonnull(f);
	bench_run_print(r, f);
	(void)fclose(f);
	return text;
}

/* The file at PATH, which is then removed. */
static const char *
taken(const char *path, char text[static TEXT])
{
	(void)text_read(path, text, TEXT);
	ck_assert_int_eq(unlink(path), 0);
	return text;
}

START_TEST(run_is_printed_for_people)
{
	struct bench_run *r = new_run();
	char text[TEXT];

	fill(r);
	text_contains(printed(r, text),
	    "\ncommand              dns64bench rate -s ::1 'it'\\''s; $here' '?'\n");
	text_contains(text, "\nserver               ::1\ntimeout              0.25\n");
	text_contains(text,
	    "\n\nhighest rate                             1000 1/s\n"
	    "loss                                     12.5 %\n"
	    "\nTrials\nrate (1/s)     valid  p50 (ms)\n      1000      1000     0.123\n"
	    "     20000        19         -\n");
	text_lacks(text, "FAILED");
	text_lacks(text, "INTERRUPTED");
	bench_run_free(r);
}
END_TEST

START_TEST(status_tells_why_it_failed)
{
	struct bench_run *r = new_run();
	char text[TEXT];

	ck_assert_int_eq(bench_run_status(r), 0);
	bench_run_fail(r, "%d of %d answers", 3, 5);
	bench_run_fail(r, "and \xff");
	ck_assert_int_eq(bench_run_status(r), 1);
	text_contains(printed(r, text), "FAILED: 3 of 5 answers\nFAILED: and ?\n");
	bench_run_interrupted(r);
	ck_assert_int_eq(bench_run_status(r), 3);
	text_contains(printed(r, text), "INTERRUPTED");
	bench_run_free(r);
}
END_TEST

START_TEST(run_survives_json)
{
	struct bench_run *r = new_run();
	char text[TEXT], path[SCRATCH_PATH];

	(void)close(scratch_file(path));
	fill(r);
	struct bench_table *t = bench_run_table(r, "more", "More", columns, 3);
	bench_table_add(t, json_pack("[i,i,o]", 1, 2, json_real(0.5)));
	bench_table_add(t, json_pack("[i,i,o]", 3, 4, json_null()));
	bench_table_add(t, json_pack("[i,i,o]", 5, 6, json_null()));
	ck_assert_int_eq(bench_run_status(r), 0);
	/* What jansson gives when it has no memory, and for what is no number. */
	bench_run_find(r, "highest rate", NULL, "1/s");
	bench_table_add(t, json_pack("[i,i,f]", 7, 8, (double)NAN));
	ck_assert_int_eq(bench_run_status(r), 1);
	text_contains(printed(r, text), "         3         4         -\n         5         6");
	text_contains(text, "\nFAILED: not everything could be kept");
	/* What there is is written all the same. */
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	text_contains(taken(path, text), "\"not everything could be kept");
	bench_run_free(r);
}
END_TEST

START_TEST(live_table_prints_each_row)
{
	struct bench_run *r = new_run();
	char text[TEXT] = "", other[TEXT];
	FILE *f = fmemopen(text, TEXT, "w");

	ck_assert_ptr_nonnull(f);
	struct bench_table *t = bench_run_table(r, "trials", "Trials", columns, 3);
	bench_table_live(t, f);
	bench_table_add(t, json_pack("[i,i,f]", 1, 2, 3.0));
	text_contains(text, "\nserver               ::1\n");
	text_contains(
	    text, "\nTrials\nrate (1/s)     valid  p50 (ms)\n         1         2     3.000\n");
	size_t n = strlen(text);
	bench_table_add(t, json_pack("[i,i,n]", 4, 5));
	ck_assert_str_eq(text + n, "         4         5         -\n");
	n = strlen(text);
	bench_run_find(r, "loss", json_integer(0), "");
	bench_run_print(r, f);
	ck_assert_str_eq(text + n, "\nloss                                        0\n");
	/* Elsewhere all of it is new. */
	text_contains(printed(r, other), "         4         5         -\n");
	(void)fclose(f);
	bench_run_free(r);
}
END_TEST

/* A table of details is for programs. */
START_TEST(detail_is_not_printed)
{
	struct bench_run *r = new_run();
	char text[TEXT], path[SCRATCH_PATH];

	(void)close(scratch_file(path));
	struct bench_table *t = bench_run_table(r, "seconds", "Second by second", columns, 3);
	bench_table_detail(t);
	bench_table_add(t, json_pack("[i,i,f]", 1, 2, 3.0));
	text_lacks(printed(r, text), "Second by second");
	bench_run_histogram(r, "rtt", "ns", json_pack("[[i,i,i]]", 0, 7, 9));
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	text_contains(taken(path, text), "\"Second by second\"");
	text_contains(text, "{\n  \"schema\": 1,\n");
	json_t *h = json_object_get(bench_run_tree(r), "histograms");
	json_t *want = json_loads(
	    "[{\"name\": \"rtt\", \"unit\": \"ns\", \"buckets\": [[0, 7, 9]]}]", 0, NULL);
	ck_assert(json_equal(h, want));
	json_decref(want);
	bench_run_free(r);
}
END_TEST

START_TEST(run_in_json_comes_back)
{
	struct bench_run *r = new_run();
	char path[SCRATCH_PATH], again[SCRATCH_PATH], error[BENCH_RUN_ERROR], text[TEXT],
	    text2[TEXT];

	(void)close(scratch_file(path));
	(void)close(scratch_file(again));
	fill(r);
	bench_run_fail(r, "a reason");
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	struct bench_run *back = bench_run_read(path, error);
	ck_assert_ptr_nonnull(back);
	ck_assert_int_eq(bench_run_status(back), 1);
	ck_assert_str_eq(printed(back, text2), printed(r, text));
	ck_assert_int_eq(bench_run_write_json(back, again), 0);
	ck_assert_str_eq(taken(again, text2), taken(path, text));
	bench_run_free(back);
	bench_run_free(r);
}
END_TEST

START_TEST(run_is_written_as_csv)
{
	struct bench_run *r = new_run();
	char path[SCRATCH_PATH], text[TEXT];

	(void)close(scratch_file(path));
	fill(r);
	ck_assert_int_eq(bench_run_write_csv(r, path), 0);
	ck_assert_str_eq(taken(path, text), "rate,valid,rtt_p50\n1000,1000,0.1234567\n20000,19,\n");
	bench_run_free(r);
}
END_TEST

START_TEST(unwritable_file_is_an_error)
{
	struct bench_run *r = new_run();

	fill(r);
	ck_assert_int_eq(bench_run_write_json(r, "/nowhere/at/all"), -ENOENT);
	ck_assert_int_eq(bench_run_write_csv(r, "/dev/full"), -ENOSPC);
	ck_assert_int_eq(bench_run_write_json(r, "/dev/full"), -ENOSPC);
	bench_run_free(r);
}
END_TEST

/* Reading PATH fails and tells so, with its name. */
static void
unreadable(const char *path, const char *why)
{
	char error[BENCH_RUN_ERROR] = "";
	struct bench_run *r = bench_run_read(path, error);

	ck_assert_ptr_null(r);
	ck_assert_msg(strncmp(error, path, strlen(path)) == 0, "%s", error);
	text_contains(error, why);
}

START_TEST(foreign_files_are_no_run)
{
	char path[SCRATCH_PATH];

	unreadable("/nowhere/at/all", ": No such file");
	unreadable("/", ": ");
	(void)close(scratch_file(path));
	unreadable(path, ":1: ");
	text_write(path, "{}\n", 3);
	unreadable(path, ": not a run of dns64bench");
	text_write(path, "[1,\n2,\nx]", 9);
	unreadable(path, ":3: ");
	(void)unlink(path);
}
END_TEST

/* Cut at every octet it is no run, but for the newline at its end. */
START_TEST(cut_file_is_no_run)
{
	struct bench_run *r = new_run();
	char path[SCRATCH_PATH], text[TEXT];

	(void)close(scratch_file(path));
	fill(r);
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	bench_run_free(r);
	size_t n = strlen(taken(path, text));
	for (size_t i = 0; i + 1 < n; i++) {
		text_write(path, text, i);
		unreadable(path, ":");
	}
	(void)unlink(path);
}
END_TEST

/* Any octet changed: a run that can be printed, or a message. */
START_TEST(damaged_file_is_a_run_or_a_message)
{
	static const char odd[] = "\0\"{}[]:,0x\\\xff";
	struct bench_run *r = new_run();
	char path[SCRATCH_PATH], text[TEXT], out[TEXT], error[BENCH_RUN_ERROR];

	(void)close(scratch_file(path));
	fill(r);
	ck_assert_int_eq(bench_run_write_json(r, path), 0);
	bench_run_free(r);
	size_t n = strlen(taken(path, text));
	for (size_t i = 0; i < n; i++) {
		char saved = text[i];

		text[i] = odd[i % (sizeof(odd) - 1)];
		text_write(path, text, n);
		text[i] = saved;
		error[0] = '\0';
		r = bench_run_read(path, error);
		ck_assert_int_eq(r == NULL, error[0] != '\0');
		if (r != NULL)
			ck_assert_uint_gt(strlen(printed(r, out)), 0);
		bench_run_free(r);
	}
	(void)unlink(path);
}
END_TEST

static void
add_run(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, run_is_printed_for_people);
	tcase_add_test(tc, status_tells_why_it_failed);
	tcase_add_test(tc, run_survives_json);
	tcase_add_test(tc, live_table_prints_each_row);
	tcase_add_test(tc, detail_is_not_printed);
	tcase_add_test(tc, run_in_json_comes_back);
	tcase_add_test(tc, run_is_written_as_csv);
	tcase_add_test(tc, unwritable_file_is_an_error);
	tcase_add_test(tc, foreign_files_are_no_run);
	tcase_add_test(tc, cut_file_is_no_run);
	tcase_add_test(tc, damaged_file_is_a_run_or_a_message);
}

/* --- schema ----------------------------------------------------------------------------------- */

/* What is a run and what is not. */

/* A run; each fault is one key of it with another value. */
static const char run[] =
    "{\"program\": \"dns64bench\", \"version\": \"1\", \"method\": \"rate\", \"date\": \"d\","
    "\"command\": \"c\", \"machine\": {\"cpu\": \"x\", \"cpus\": 2, \"kernel\": \"k\","
    "\"os\": \"o\"}, \"settings\": {\"a\": [1]}, \"findings\": [{\"name\": \"n\","
    "\"value\": 1.5, \"unit\": \"\"}], \"tables\": [{\"name\": \"t\", \"title\": \"T\","
    "\"columns\": [{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\"}],"
    "\"rows\": [[1], [null], [\"x\"], [true]]}], \"complete\": true, \"failed\": [\"f\"]}";

#define TABLE(heads, rows) \
	"[{\"name\": \"t\", \"title\": \"T\", \"columns\": " heads ", \"rows\": " rows "}]"
#define COLUMN "[{\"name\": \"a\", \"title\": \"A\", \"unit\": \"\"}]"

static const struct {
	const char *key, *value, *why;
} faults[] = {
	{ "program", "\"other\"", "not a run of dns64bench" },
	{ "program", "1", "not a run of dns64bench" },
	{ "schema", "2", "schema 2, not 1" },
	{ "schema", "\"1\"", "schema" },
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
	{ "tables", TABLE(COLUMN, "[], \"mark\": 1"), "a table" },
	{ "tables", TABLE(COLUMN, "[], \"mark\": {\"at\": 1}"), "a table" },
	{ "tables", TABLE(COLUMN, "[], \"mark\": {\"at\": \"1\", \"name\": \"x\"}"), "a table" },
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
	char why[BENCH_RUN_WHY] = "";

	ck_assert_msg(bench_run_check(tree, why), "%s", why);
	json_decref(tree);
}
END_TEST

START_TEST(run_with_a_fault_is_refused)
{
	json_t *tree = json_loads(run, 0, NULL);
	char why[BENCH_RUN_WHY] = "";

	if (faults[_i].value == NULL)
		(void)json_object_del(tree, faults[_i].key);
	else
		(void)json_object_set_new(
		    tree, faults[_i].key, json_loads(faults[_i].value, JSON_DECODE_ANY, NULL));
	ck_assert(!bench_run_check(tree, why));
	text_contains(why, faults[_i].why);
	json_decref(tree);
}
END_TEST

START_TEST(other_json_is_refused)
{
	static const char *const others[] = { "null", "1", "[]", "\"dns64bench\"", "{}" };
	char why[BENCH_RUN_WHY];

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		json_t *tree = json_loads(others[i], JSON_DECODE_ANY, NULL);

		ck_assert(!bench_run_check(tree, why));
		json_decref(tree);
	}
}
END_TEST

START_TEST(table_with_too_many_columns_is_refused)
{
	json_t *tree = json_loads(run, 0, NULL),
	       *heads =
		   json_object_get(json_array_get(json_object_get(tree, "tables"), 0), "columns");
	char why[BENCH_RUN_WHY];

	while (json_array_size(heads) < 65)
		(void)json_array_append(heads, json_array_get(heads, 0));
	ck_assert(!bench_run_check(tree, why));
	text_contains(why, "has 65 columns");
	json_decref(tree);
}
END_TEST

static void
add_schema(TCase *tc)
{
	tcase_add_test(tc, sound_run_is_accepted);
	tcase_add_test(tc, other_json_is_refused);
	tcase_add_test(tc, table_with_too_many_columns_is_refused);
	tcase_add_loop_test(tc, run_with_a_fault_is_refused, 0, sizeof(faults) / sizeof(faults[0]));
}

void
tests_add(TCase *tc)
{
	add_run(tc);
	add_schema(tc);
}
