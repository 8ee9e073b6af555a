/* SPDX-License-Identifier: BSD-2-Clause */
/* The straight line through points. */

#include "bench/method/trend.h"

#include <check.h>
#include <stdlib.h>

START_TEST(slope_of_an_exact_line)
{
	struct bench_point p[10];
	double slope = 0;

	for (int i = 0; i < 10; i++)
		p[i] = (struct bench_point){ i / 60.0, 1e9 - 3.0 * i / 60.0 };
	ck_assert(bench_trend_slope(p, 10, &slope));
	ck_assert_double_eq_tol(slope, -3, 1e-4);
}
END_TEST

/* Points above and below weigh alike: by hand, y of 1 3 2 4 at x of 0 1 2 3 has 0.8. */
START_TEST(slope_of_scattered_points)
{
	static const struct bench_point p[] = { { 0, 1 }, { 1, 3 }, { 2, 2 }, { 3, 4 } };
	double slope = 0;

	ck_assert(bench_trend_slope(p, 4, &slope));
	ck_assert_double_eq_tol(slope, 0.8, 1e-12);
}
END_TEST

START_TEST(points_without_a_line_have_no_slope)
{
	static const struct bench_point p[] = { { 2, 1 }, { 2, 3 } };
	double slope = 7;

	ck_assert(!bench_trend_slope(p, 0, &slope));
	ck_assert(!bench_trend_slope(p, 1, &slope));
	ck_assert(!bench_trend_slope(p, 2, &slope));
	ck_assert_double_eq(slope, 7);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_trend");
	TCase *tc = tcase_create("slope");

	tcase_add_test(tc, slope_of_an_exact_line);
	tcase_add_test(tc, slope_of_scattered_points);
	tcase_add_test(tc, points_without_a_line_have_no_slope);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
