/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials of a search: their outcome, and the table of all. */

#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/series.h"
#include "bench/watch.h"
#include "support/tests.h"

/* --- measure ---------------------------------------------------------------------------------- */

/* What a trial says about the server, and when it says nothing. */

#define RATE 1000
#define N 500

static struct bench_tally tally;
static const struct bench_plan plan = {
	.transport = &bench_udp, .burst = 1, .timeout_ns = NS_PER_SEC
};

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
	return bench_measure_outcome(&tally, RATE, &plan);
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
	case 6:
		tally.pauses++;
		break;
	case 7: /* others sent to its ports, and all else was well */
		tally.malformed = N + 1;
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

/* Some questions of a crowd are missing, which the tester sent; or more than those. */
START_TEST(crowd_of_the_tester_has_no_verdict)
{
	tally.replies[BENCH_VALID] -= 280;
	tally.behind = tally.missing_behind = tally.overdue_at_once = 280;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID] -= 3; /* others, more than one in 100 of them */
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	tally.replies[BENCH_VALID] = N;
	ck_assert_int_eq(outcome(), BENCH_PASSED);
}
END_TEST

/* A wrong answer is the server's, whatever the tester did besides. */
START_TEST(wrong_answer_has_failed)
{
	tally.pauses = tally.faults.dropped = 1;
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
	tally.replies[BENCH_VALID]--;
	tally.replies[BENCH_RCODE]++;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
}
END_TEST

/* Where questions waited for answers to earlier ones the server is too slow, not the tester. */
START_TEST(waits_for_the_server)
{
	tally.no_room = 1;
	ck_assert_int_eq(outcome(), BENCH_PASSED); /* their answers were in time all the same */
	tally.last_ns += 6 * NS_PER_MS;
	ck_assert_int_eq(outcome(), BENCH_FAILED);
	for (unsigned i = 0; i < N; i++) /* others were late by the tester */
		bench_histogram_add(&tally.lag, 150 * NS_PER_MS);
	ck_assert_int_eq(outcome(), BENCH_NO_VERDICT);
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

/* A record as a row: a value for each column, null for what it does not have; a cell's come first.
 */
START_TEST(record_becomes_a_row)
{
	static const struct bench_column cell[] = { { "hits", "hits (%)", "", 0 },
		{ "nothing", "nothing", "", 0 } };
	size_t n_cell = (size_t)_i;
	struct bench_run *r = bench_run_new("search", 0, NULL);
	struct bench_job job = { .run = r };
	(void)bench_measure_table(&job, cell, n_cell);

	json_t *record = json_pack("{si,si,si,ss,si}", "hits", 40, "repetition", 1, "rate", 5,
	    "verdict", "passed", "unknown", 7);
	json_t *row = bench_measure_row(&job, cell, n_cell, record), *names = columns(r);
	size_t n = json_array_size(names);

	ck_assert_uint_gt(n, 10);
	ck_assert_uint_eq(json_array_size(row), n);
	ck_assert_int_eq(json_integer_value(json_array_get(row, 0)), n_cell > 0 ? 40 : 1);
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
		.dut = bench_dut_new("", BENCH_DUT_BY_PIDS, pid, error) };
	ck_assert_msg(job.dut != NULL, "%s", error);
	(void)bench_measure_table(&job, NULL, 0);
	size_t n = json_array_size(columns(job.run));

	json_t *record = _i == 0 ? json_pack("{s[i,i,i]}", "server", 1, 2, 3)
	    : _i == 1            ? json_pack("{s[i]}", "server", 1)
				 : json_object();
	json_t *row = bench_measure_row(&job, NULL, 0, record);
	ck_assert_uint_eq(json_array_size(row), n);
	for (size_t i = 0; i < BENCH_WATCH_COLUMNS; i++)
		ck_assert_int_eq(
		    json_integer_value(json_array_get(row, n - BENCH_WATCH_COLUMNS + i)),
		    _i == 0 ? (json_int_t)i + 1 : 0);
	ck_assert_int_eq(isnan(bench_measure_server_value(record, 0)) != 0, _i == 2);
	ck_assert_int_eq(isnan(bench_measure_server_value(record, 1)) != 0, _i != 0);
	json_decref(row);
	json_decref(record);
	bench_dut_free(job.dut);
	bench_run_free(job.run);
}
END_TEST

static void
add_measure(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, all_answered_passes);
	tcase_add_test(tc, one_bad_answer_fails);
	tcase_add_loop_test(tc, has_no_verdict, 0, 9);
	tcase_add_test(tc, crowd_of_the_tester_has_no_verdict);
	tcase_add_test(tc, wrong_answer_has_failed);
	tcase_add_test(tc, waits_for_the_server);
	tcase_add_loop_test(tc, record_becomes_a_row, 0, 3);
	tcase_add_loop_test(tc, watched_server_has_columns, 0, 3);
}

/* --- curve ------------------------------------------------------------------------------------ */

/* Trials by rate: in order, one row a rate, without the self-test's. */

static struct bench_job job;

static void
begin_run(void)
{
	job = (struct bench_job){ .run = bench_run_new("search", 0, NULL) };
	ck_assert_ptr_nonnull(job.run);
}

static void
end_run(void)
{
	bench_run_free(job.run);
}

static const json_t *
rows(void)
{
	return json_object_get(
	    json_array_get(json_object_get(bench_run_tree(job.run), "tables"), 0), "rows");
}

/* The number in a row and column; -1 for null. */
static double
cell(size_t row, size_t column)
{
	const json_t *v = json_array_get(json_array_get(rows(), row), column);

	ck_assert_ptr_nonnull(v);
	return json_is_null(v) ? -1 : json_number_value(v);
}

static void
add(json_t *records, int repetition, int rate, int valid, double rtt)
{
	json_t *r = json_pack("{si,si,si,si,ss}", "repetition", repetition, "rate", rate, "sent",
	    100, "valid", valid, "verdict",
	    bench_series_verdict(valid == 100 ? BENCH_PASSED : BENCH_FAILED));

	if (rtt > 0)
		(void)json_object_set_new(r, "rtt_p50", json_real(rtt));
	(void)json_array_append_new(records, r);
}

START_TEST(sorts_and_joins)
{
	json_t *records = json_array();

	add(records, 0, 2000, 100, 5);
	add(records, 1, 3000, 0, 0);
	add(records, 1, 1000, 100, 10);
	add(records, 2, 2000, 50, 30);
	add(records, 2, 1000, 90, 20);
	add(records, 2, 1000, 80, 0);
	add(records, 2, 1000, 10, 900);
	(void)json_object_set_new(json_array_get(records, 6), "verdict", /* nothing of the server */
	    json_string(bench_series_verdict(BENCH_NO_VERDICT)));
	bench_measure_curve(&job, records);
	json_decref(records);
	ck_assert_uint_eq(json_array_size(rows()), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_double_eq_tol(cell(i, 0), 1000.0 * (double)(i + 1), 1e-9);
	ck_assert_double_eq_tol(cell(0, 1), 90, 1e-9);
	ck_assert_double_eq_tol(cell(0, 2), 15, 1e-9); /* of those that have one */
	ck_assert_double_eq_tol(cell(1, 1), 50, 1e-9);
	ck_assert_double_eq_tol(cell(1, 2), 30, 1e-9);
	ck_assert_double_eq_tol(cell(2, 1), 0, 1e-9);
	ck_assert_double_eq_tol(cell(2, 2), -1, 1e-9);
}
END_TEST

START_TEST(too_few_records_have_no_curve)
{
	json_t *records = json_array();

	add(records, 0, 2000, 100, 5);
	bench_measure_curve(&job, records);
	json_decref(records);
	ck_assert_ptr_null(rows());
}
END_TEST

/* With the server's figures, where there are some. */
START_TEST(curve_has_figures_of_the_server)
{
	char error[BENCH_DUT_ERROR], pid[16];
	json_t *records = json_array();

	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	job.dut = bench_dut_new("", BENCH_DUT_BY_PIDS, pid, error);
	ck_assert_msg(job.dut != NULL, "%s", error);
	add(records, 1, 1000, 100, 10);
	add(records, 2, 1000, 100, 10);
	add(records, 3, 1000, 100, 10);
	add(records, 3, 2000, 100, 10);
	for (size_t i = 1; i < 4; i++)
		(void)json_object_set_new(json_array_get(records, i), "server",
		    json_pack("[f,f,i]", i == 1 ? 52.0 : 48.0, 2.5, 8));
	bench_measure_curve(&job, records);
	json_decref(records);
	bench_dut_free(job.dut);
	ck_assert_double_eq_tol(cell(0, 4), 50, 1e-9);
	ck_assert_double_eq_tol(cell(0, 5), 2.5, 1e-9);
	ck_assert_double_eq_tol(cell(0, 6), 8, 1e-9);
	ck_assert_double_eq_tol(cell(0, 7), 4 / sqrt(2), 1e-9);
	ck_assert_double_eq_tol(cell(1, 7), -1, 1e-9); /* of one trial */
}
END_TEST

static void
add_curve(TCase *tc)
{
	tcase_add_checked_fixture(tc, begin_run, end_run);
	tcase_add_test(tc, sorts_and_joins);
	tcase_add_test(tc, too_few_records_have_no_curve);
	tcase_add_test(tc, curve_has_figures_of_the_server);
}

void
tests_add(TCase *tc)
{
	add_measure(tc);
	add_curve(tests_case("curve"));
}
