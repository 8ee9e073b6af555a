/* SPDX-License-Identifier: BSD-2-Clause */
/* What a trial says about the server, and when it says nothing. */

#include "bench/method/measure.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define RATE 1000
#define N 500

static struct bench_tally tally;

/* N questions at RATE, all answered. */
static void
set_up(void)
{
	bench_tally_clear(&tally);
	tally.sent = N;
	tally.replies[BENCH_VALID] = N;
	tally.first_ns = NS_PER_SEC;
	tally.last_ns = NS_PER_SEC + (N - 1) * NS_PER_MS;
	tally.end_ns = 2 * NS_PER_SEC;
}

static enum bench_outcome
outcome(void)
{
	return bench_measure_outcome(&tally, RATE, NS_PER_SEC);
}

START_TEST(all_answered_passes)
{
	ck_assert_int_eq(outcome(), BENCH_PASSED);
}
END_TEST

/* One answer of all that is missing, late, wrong or too many is enough (paper, section 4.3.2). */
START_TEST(one_bad_answer_fails)
{
	tally.replies[BENCH_VALID]--;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	tally.late++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	set_up();
	tally.replies[BENCH_VALID]--;
	tally.replies[BENCH_VALID + 1]++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	set_up();
	tally.duplicate++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

/* A tester that sent too slowly, not all or lost replies cannot judge, also if all was well. */
START_TEST(has_no_verdict)
{
	switch (_i) {
	case 0:
		tally.last_ns += 6 * NS_PER_MS;
		break;
	case 1:
		tally.last_ns -= 6 * NS_PER_MS;
		break;
	case 2:
		tally.faults.dropped++;
		break;
	case 3:
		tally.faults.unsent++;
		break;
	case 4:
		bench_tally_clear(&tally);
		break;
	case 5:
		tally.faults.no_port++;
		break;
	default:
		for (unsigned i = 0; i < N; i++)
			bench_histogram_add(&tally.lag, 150 * NS_PER_MS);
	}
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID] = 0;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
}
END_TEST

/* Where questions waited for answers to earlier ones the server is too slow, not the tester. */
START_TEST(waits_for_the_server)
{
	tally.no_room = 1;
	ck_assert_int_eq(outcome(), BENCH_PASSED);
	for (unsigned i = 0; i < N; i++)
		bench_histogram_add(&tally.lag, 150 * NS_PER_MS);
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	set_up();
	tally.no_room = 1;
	tally.faults.unsent++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

/* The columns of the first table. */
static json_t *
columns(const struct bench_run *r)
{
	return json_object_get(
	    json_array_get(json_object_get(bench_run_tree(r), "tables"), 0), "columns");
}

/* A record as a row: a value for each column, null for what it does not have. */
START_TEST(record_becomes_a_row)
{
	struct bench_run *r = bench_run_new("search", 0, NULL);
	struct bench_job job = { .run = r };
	(void)bench_measure_table(&job);

	json_t *record = json_pack(
	    "{si,si,ss,si}", "repetition", 1, "rate", 5, "verdict", "passed", "unknown", 7);
	json_t *row = bench_measure_row(&job, record), *names = columns(r);
	size_t n = json_array_size(names);

	ck_assert_uint_gt(n, 10);
	ck_assert_uint_eq(json_array_size(row), n);
	for (size_t i = 0; i < n; i++) {
		json_t *value = json_object_get(
		    record, json_string_value(json_object_get(json_array_get(names, i), "name")));

		ck_assert(value == NULL ? json_is_null(json_array_get(row, i))
					: json_equal(json_array_get(row, i), value));
	}
	json_decref(row);
	json_decref(record);
	bench_run_free(r);
}
END_TEST

/* A server that is watched has columns of its own, empty where a trial has no such figures. */
START_TEST(watched_server_has_columns)
{
	char error[BENCH_DUT_ERROR], pid[16];
	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	struct bench_job job = { .run = bench_run_new("search", 0, NULL),
		.dut = bench_dut_new_pids("", pid, error) };
	ck_assert_msg(job.dut != NULL, "%s", error);
	(void)bench_measure_table(&job);
	size_t n = json_array_size(columns(job.run));

	json_t *record = _i == 0 ? json_pack("{s[i,i,i,i]}", "server", 1, 2, 3, 4)
	    : _i == 1            ? json_pack("{s[i]}", "server", 1)
				 : json_object();
	json_t *row = bench_measure_row(&job, record);
	ck_assert_uint_eq(json_array_size(row), n);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(json_integer_value(json_array_get(row, n - 4 + i)),
		    _i == 0 ? (json_int_t)i + 1 : 0);
	json_decref(row);
	json_decref(record);
	bench_dut_free(job.dut);
	bench_run_free(job.run);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_measure");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, all_answered_passes);
	tcase_add_test(tc, one_bad_answer_fails);
	tcase_add_loop_test(tc, has_no_verdict, 0, 7);
	tcase_add_test(tc, waits_for_the_server);
	tcase_add_test(tc, record_becomes_a_row);
	tcase_add_loop_test(tc, watched_server_has_columns, 0, 3);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
