/* SPDX-License-Identifier: BSD-2-Clause */
/* The transports, by name. */

#include "bench/load/plan.h"

#include <check.h>
#include <stdlib.h>

#include "bench/load/stream.h"

START_TEST(transports_are_found_by_name)
{
	ck_assert_ptr_eq(bench_plan_transport("udp"), &bench_udp);
	ck_assert_ptr_eq(bench_plan_transport("tcp"), &bench_tcp);
	ck_assert_ptr_null(bench_plan_transport(""));
	ck_assert_ptr_null(bench_plan_transport("tls"));
	ck_assert_uint_eq(bench_udp.window, 0);
	ck_assert_uint_eq(bench_tcp.window, BENCH_STREAM_WINDOW);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_transport");
	TCase *tc = tcase_create("names");

	tcase_add_test(tc, transports_are_found_by_name);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
