/* SPDX-License-Identifier: BSD-2-Clause */
/* Telephone numbers: those that exist and those that do not, as fakedns knows them. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/benchrig.h"

static struct benchrig rig;

/* The numbers from 0360 to 0369 exist. */
static void
measure(const char *words)
{
	benchrig_init(&rig);
	rig.fake.policy.zone.enum_first = 360;
	rig.fake.policy.zone.enum_last = 369;
	rig.fake.policy.zone.enum_digits = 4;
	benchrig_start(&rig, words);
	bench_enum(&rig.job);
}

START_TEST(existing_and_missing)
{
	measure("enum --numbers 0360-0369 --missing 30 --missing-numbers 0370-9999 --clients 1-5/2 "
		"-d 0.1 --timeout 20");
	const json_t *settings = json_object_get(bench_run_tree(rig.job.run), "settings");
	ck_assert_str_eq(json_string_value(json_object_get(settings, "numbers")), "0360-0369");
	ck_assert_str_eq(
	    json_string_value(json_object_get(settings, "missing_numbers")), "0370-9999");
	ck_assert_uint_eq(benchrig_rows(&rig, 0), 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "clients"), (double)(1 + 2 * i));
		ck_assert_double_gt(benchrig_cell(&rig, 0, i, "rate"), 0);
		ck_assert_double_eq(benchrig_cell(&rig, 0, i, "wrong"), 0);
	}
	ck_assert_ptr_null(benchrig_failed(&rig, 0));
	benchrig_stop(&rig, NULL);
}
END_TEST

/* Of each hundred questions in a row just so many are for what is said to be missing. */
START_TEST(each_hundred_questions_have_the_missing_share)
{
	measure(
	    "enum --numbers 0360-0369 --missing 30 --missing-numbers 0360-0369 --clients 32 -d 0.5"
	    " --timeout 20");
	double sent = benchrig_finding(&rig, "sent"), wrong = benchrig_finding(&rig, "wrong rcode");
	ck_assert_double_ge(sent, 100);
	ck_assert_double_le(wrong, sent * 0.3 + 30);
	ck_assert_double_ge(wrong, sent * 0.3 - 30);
	ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, 0), "no valid answer in time"));
	benchrig_stop(&rig, NULL);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_enum");
	TCase *tc = tcase_create("enum");

	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, existing_and_missing);
	tcase_add_test(tc, each_hundred_questions_have_the_missing_share);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
