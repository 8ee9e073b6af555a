/* SPDX-License-Identifier: BSD-2-Clause */
/* What is made of the options before a run: tables and recordings, and what is said of them. */

#include "bench/workload.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct bench_settings s;
static char errors[1024];

static void
start(void)
{
	memset(&s, 0, sizeof(s));
	bench_load_init(&s.plan.load);
	s.plan.transport = &bench_udp;
	errors[0] = '\0';
}

/* Open the workload; what was told is in errors. */
static bool
opens(void)
{
	FILE *f = fmemopen(errors, sizeof(errors), "w");

	ck_assert_ptr_nonnull(f);
	bool good = bench_workload_open(&s, f);
	(void)fclose(f);
	return good;
}

/* What is put of it, the caller's. */
static json_t *
put(void)
{
	return bench_settings_json(&s);
}

START_TEST(usual_load_needs_nothing)
{
	start();
	ck_assert(opens());
	ck_assert_ptr_null(s.plan.load.zipf);
	json_t *to = put();
	ck_assert_ptr_null(json_object_get(to, "popularity"));
	json_decref(to);
	bench_workload_close(&s);
}
END_TEST

/* 1 in 9.788, the sum of 1/R up to 10,000, is for the first. */
START_TEST(popularity_is_a_table_and_its_shares)
{
	start();
	s.zipf = 1;
	s.plan.load.hot = 10000;
	json_t *to = put(); /* before it is opened */
	ck_assert_str_eq(json_string_value(json_object_get(to, "popularity")), "zipf:1");
	ck_assert_ptr_null(json_object_get(to, "top_1_percent"));
	json_decref(to);
	ck_assert(opens());
	ck_assert_uint_eq(s.plan.load.zipf->n, 10000);
	to = put();
	ck_assert_str_eq(json_string_value(json_object_get(to, "popularity")), "zipf:1");
	ck_assert_double_eq_tol(
	    json_real_value(json_object_get(to, "top_1_percent")), 10.217, 0.001);
	ck_assert_double_eq_tol(
	    json_real_value(json_object_get(to, "top_1000_percent")), 76.479, 0.001);
	ck_assert_ptr_nonnull(json_object_get(to, "top_10_percent"));
	ck_assert_ptr_nonnull(json_object_get(to, "top_100_percent"));
	json_decref(to);
	bench_workload_close(&s);
	ck_assert_ptr_null(s.plan.load.zipf);
	/* Of 100 names all are no "top". */
	s.plan.load.hot = 100;
	ck_assert(opens());
	to = put();
	ck_assert_ptr_null(json_object_get(to, "top_100_percent"));
	json_decref(to);
	bench_workload_close(&s);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("bench_workload");
	TCase *tc = tcase_create("workload");

	tcase_add_test(tc, usual_load_needs_nothing);
	tcase_add_test(tc, popularity_is_a_table_and_its_shares);
	suite_add_tcase(suite, tc);

	SRunner *sr = srunner_create(suite);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
