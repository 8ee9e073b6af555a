/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials by rate: in order, one row a rate, without the self-test's. */

#include "bench/method/curve.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/method/series.h"

static struct bench_job job;

static void
set_up(void)
{
	job = (struct bench_job){ .run = bench_run_new("search", 0, NULL) };
	ck_assert_ptr_nonnull(job.run);
}

static void
tear_down(void)
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
	bench_curve(&job, records);
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
	bench_curve(&job, records);
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
	job.dut = bench_dut_new_pids("", pid, error);
	ck_assert_msg(job.dut != NULL, "%s", error);
	add(records, 1, 1000, 100, 10);
	add(records, 2, 1000, 100, 10);
	(void)json_object_set_new(
	    json_array_get(records, 1), "server", json_pack("[f,f,i,n]", 50.0, 2.5, 8));
	bench_curve(&job, records);
	json_decref(records);
	bench_dut_free(job.dut);
	ck_assert_double_eq_tol(cell(0, 4), 50, 1e-9);
	ck_assert_double_eq_tol(cell(0, 5), 2.5, 1e-9);
	ck_assert_double_eq_tol(cell(0, 6), 8, 1e-9);
	ck_assert_double_eq_tol(cell(0, 7), -1, 1e-9);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_curve");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, sorts_and_joins);
	tcase_add_test(tc, too_few_records_have_no_curve);
	tcase_add_test(tc, curve_has_figures_of_the_server);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
