/* SPDX-License-Identifier: BSD-2-Clause */
/* Where values go, which line they stood in, and what no line says. */

#include "config/keywords.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "config/policy_lines.h"
#include "support/said.h"

static struct said said;
static struct settings settings;

START_TEST(line_of_a_keyword)
{
	said_parse(&said, "nameserver 192.0.2.1\n\ncache-size 8m\nport 54\n", &settings);
	ck_assert_uint_eq(keywords_line(&settings, "nameserver"), 1);
	ck_assert_uint_eq(keywords_line(&settings, "cache-size"), 3);
	ck_assert_uint_eq(keywords_line(&settings, "port"), 4);
	ck_assert_uint_eq(keywords_line(&settings, "listen"), 0);
	ck_assert_uint_eq(keywords_line(&settings, "no such keyword"), 0);
	settings_fini(&settings);
}
END_TEST

/* A field of the settings, and one of the draft that lines go to. */
START_TEST(field_of_a_keyword)
{
	ck_assert(settings_init(&settings));
	ck_assert_ptr_eq(keywords_field(&settings, keywords_find("port")), &settings.port);
	ck_assert_ptr_eq(keywords_field(&settings, keywords_find("hide-a")),
	    &policy_lines_at(settings.drafts, 0)->values.hide_a);
	ck_assert_ptr_nonnull(policy_lines_open(settings.drafts, 1));
	ck_assert_ptr_eq(keywords_field(&settings, keywords_find("hide-a")),
	    &policy_lines_at(settings.drafts, 1)->values.hide_a);
	settings_fini(&settings);
}
END_TEST

/* A default of two lines is two values; a row without one leaves everything as it is. */
START_TEST(fallback_of_a_keyword)
{
	static struct settings before;

	ck_assert(settings_init(&settings));
	said_init(&said);
	keywords_fallback(&settings, keywords_find("listen"), &said.diag);
	ck_assert_uint_eq(settings.conf.io.n_listens, 2);
	before = settings;
	keywords_fallback(&settings, keywords_find("nameserver"), &said.diag);
	ck_assert_mem_eq(&settings, &before, sizeof(before));
	ck_assert_str_eq(said.text, "");
	settings_fini(&settings);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("keywords_value");
	TCase *tc = tcase_create("keywords_value");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_test(tc, line_of_a_keyword);
	tcase_add_test(tc, field_of_a_keyword);
	tcase_add_test(tc, fallback_of_a_keyword);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
