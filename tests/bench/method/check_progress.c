/* SPDX-License-Identifier: BSD-2-Clause */
/* What a search says of itself. */

#include "bench/method/progress.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct bench_progress progress;
static struct bench_bisect bisect;
static char text[1000];

/* A search that is over but for the trial at its upper end, the second of four. */
static void
set_up(void)
{
	memset(text, 0, sizeof(text));
	progress = (struct bench_progress){ .out = fmemopen(text, sizeof(text) - 1, "w"),
		.repetitions = 4,
		.usual_s = 60,
		.in_search = 11 };
	ck_assert_ptr_nonnull(progress.out);
	bench_bisect_init(&bisect, 1000, 1001, 0.5, BENCH_BEGIN_BETWEEN);
	bench_bisect_put(&bisect, 1000, BENCH_PASSED);
}

static void
tear_down(void)
{
	(void)fclose(progress.out);
}

START_TEST(time_left_is_estimated)
{
	ck_assert_double_eq_tol(bench_progress_left(&progress, 2, &bisect), 23 * 60, 1e-6);
	ck_assert_double_eq_tol(bench_progress_left(&progress, 4, &bisect), 60, 1e-6);
	bench_progress_count(&progress, 0, 1000); /* a self-test says nothing of the rest */
	ck_assert_double_eq_tol(bench_progress_left(&progress, 4, &bisect), 60, 1e-6);
	bench_progress_count(&progress, 1, 70);
	bench_progress_count(&progress, 1, 80);
	ck_assert_double_eq_tol(bench_progress_left(&progress, 2, &bisect), 23 * 75, 1e-6);
}
END_TEST

/* A file gets a line for each trial, without what is written over. */
START_TEST(file_gets_a_line_for_each_trial)
{
	bench_progress_begin(&progress, 2, &bisect, 1001);
	bench_progress_end(&progress, 2, &bisect, 1000, BENCH_PASSED);
	bench_progress_end(&progress, 0, &bisect, 1000, BENCH_FAILED);
	ck_assert_str_eq(text,
	    "repetition 2/4: 1000/s passed, between 1000 and 1001, 0:23:00 left\n"
	    "self-test: 1000/s failed, between 1000 and 1001, 0:45:00 left\n");
}
END_TEST

START_TEST(writes_over_lines)
{
	progress.terminal = true;
	bench_progress_begin(&progress, 2, &bisect, 1001);
	size_t len = strlen(text);
	ck_assert_uint_eq(len, 80);
	ck_assert_int_eq(text[len - 1], '\r');
	ck_assert_ptr_nonnull(strstr(text, "1001/s ..."));
	bench_progress_end(&progress, 2, &bisect, 1001, BENCH_FAILED);
	ck_assert_uint_eq(strlen(text), len + 80);
	ck_assert_int_eq(text[2 * len - 1], '\n');
}
END_TEST

/* Hours are not cut. */
START_TEST(hours_are_not_cut)
{
	progress.usual_s = 36000;
	bench_progress_end(&progress, 1, &bisect, 1, BENCH_NO_VERDICT);
	ck_assert_ptr_nonnull(strstr(text, "no verdict"));
	ck_assert_ptr_nonnull(strstr(text, " 340:00:00 left"));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_progress");
	TCase *tc = tcase_create("all");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, time_left_is_estimated);
	tcase_add_test(tc, file_gets_a_line_for_each_trial);
	tcase_add_test(tc, writes_over_lines);
	tcase_add_test(tc, hours_are_not_cut);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
