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

static void
add_run(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, run_is_printed_for_people);
	tcase_add_test(tc, status_tells_why_it_failed);
	tcase_add_test(tc, run_survives_json);
	tcase_add_test(tc, live_table_prints_each_row);
	tcase_add_test(tc, detail_is_not_printed);
	tcase_add_test(tc, run_is_written_as_csv);
	tcase_add_test(tc, unwritable_file_is_an_error);
}

void
tests_add(TCase *tc)
{
	add_run(tc);
}
