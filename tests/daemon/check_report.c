/* SPDX-License-Identifier: BSD-2-Clause */
/* What the daemon says of itself: the ceiling of memory and the line for the service manager. */

#include "daemon/report.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct settings settings;

START_TEST(memory_follows_the_limits)
{
	uint64_t base;

	settings.conf.core.max_queries = 256;
	settings.conf.io.max_tcp_clients = 1;
	base = report_memory(&settings);
	/* Some MiB whatever the settings, and no more than some. */
	ck_assert_uint_gt(base, 1 << 20);
	ck_assert_uint_lt(base, 64 << 20);
	/* Queries that each hold a lookup, a remnant and long names: one to two KiB. */
	settings.conf.core.max_queries = 256 + 1000;
	ck_assert_uint_gt(report_memory(&settings) - base, 1000 * 1024);
	ck_assert_uint_lt(report_memory(&settings) - base, 1000 * 2048);
	/* Connections in the middle of a frame of 64 KiB. */
	settings.conf.core.max_queries = 256;
	settings.conf.io.max_tcp_clients = 11;
	ck_assert_uint_gt(report_memory(&settings) - base, 10 * 65536);
	/* No overflow with all at their ends. */
	settings.conf.core.max_queries = 1048576;
	settings.conf.io.max_tcp_clients = 65536;
	ck_assert_uint_gt(report_memory(&settings), (uint64_t)4 << 30);
}
END_TEST

START_TEST(status)
{
	char text[REPORT_STATUS];

	settings.conf.io.n_listens = 64;
	settings.conf.core.n_upstreams = 32;
	ck_assert_str_eq(
	    report_status(&settings, 64, text), "Serving: addresses 64, loops 64, upstreams 32");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("report");
	TCase *tc = tcase_create("report");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_test(tc, memory_follows_the_limits);
	tcase_add_test(tc, status);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
