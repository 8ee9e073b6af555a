/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters: one row each, added up over the loops. */

#include "core/stats.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct stats a, b;

static const struct stats_row *
find(const struct stats_row *rows, const char *name)
{
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	ck_abort_msg("no row %s", name);
}

START_TEST(sums_of_loops_are_the_rows)
{
	const struct stats *both[2] = { &a, &b };
	struct stats_row rows[STATS_N];

	stats_inc(&a.client_udp);
	stats_inc(&a.client_udp);
	stats_add(&b.client_udp, 40);
	stats_add(&b.send_failed, UINT64_C(1) << 40);
	stats_sum(both, 2, rows);
	ck_assert_uint_eq(find(rows, "client_udp")->value, 42);
	ck_assert_uint_eq(find(rows, "send_failed")->value, UINT64_C(1) << 40);
	ck_assert_uint_eq(find(rows, "client_tcp")->value, 0);
	stats_sum(both, 1, rows);
	ck_assert_uint_eq(find(rows, "client_udp")->value, 2);
}
END_TEST

START_TEST(every_row_says_what_it_counts)
{
	const struct stats *none[1] = { &a };
	struct stats_row rows[STATS_N];

	stats_sum(none, 0, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		ck_assert_uint_eq(rows[i].value, 0);
		ck_assert_uint_gt(strlen(rows[i].help), 10);
		for (unsigned j = 0; j < i; j++)
			ck_assert_str_ne(rows[i].name, rows[j].name);
	}
}
END_TEST

/* Two loops never write to one cache line. */
START_TEST(loops_share_no_cache_line)
{
	ck_assert_uint_eq(_Alignof(struct stats) % 64, 0);
	ck_assert_uint_eq(sizeof(struct stats) % 64, 0);
	ck_assert_uint_ge(sizeof(struct stats), STATS_N * sizeof(uint64_t));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("stats");
	TCase *tc = tcase_create("stats");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, sums_of_loops_are_the_rows);
	tcase_add_test(tc, every_row_says_what_it_counts);
	tcase_add_test(tc, loops_share_no_cache_line);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
