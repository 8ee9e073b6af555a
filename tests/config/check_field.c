/* SPDX-License-Identifier: BSD-2-Clause */
/* Where values are stored, their defaults and their bounds. */

#include "config/field.h"

#include <string.h>

#include "config/keywords.h"
#include "config/policy_lines.h"
#include "support/said.h"
#include "support/tests.h"

static struct said said;
static struct settings settings;

/* A field of the settings, and one of the block that is being read. */
START_TEST(field_of_a_keyword)
{
	ck_assert(settings_init(&settings));
	ck_assert_ptr_eq(field_of(&settings, keywords_find("port")), &settings.port);
	ck_assert_ptr_eq(field_of(&settings, keywords_find("hide-a")),
	    &policy_lines_at(settings.policy_lines, 0)->values.hide_a);
	ck_assert_ptr_nonnull(policy_lines_open(settings.policy_lines, 1));
	ck_assert_ptr_eq(field_of(&settings, keywords_find("hide-a")),
	    &policy_lines_at(settings.policy_lines, 1)->values.hide_a);
	settings_fini(&settings);
}
END_TEST

/* A default of two lines is two values; a row without one leaves everything as it is. */
START_TEST(fallback_of_a_keyword)
{
	static struct settings before;

	ck_assert(settings_init(&settings));
	said_init(&said);
	field_fallback(&settings, keywords_find("listen"), &said.diag);
	ck_assert_uint_eq(settings.conf.io.n_listens, 2);
	before = settings;
	field_fallback(&settings, keywords_find("nameserver"), &said.diag);
	ck_assert_mem_eq(&settings, &before, sizeof(before));
	ck_assert_str_eq(said.text, "");
	settings_fini(&settings);
}
END_TEST

/* The units, and bytes with the largest one that divides them. */
START_TEST(bounds_of_a_keyword)
{
	static const struct {
		struct keyword k;
		const char *want;
	} rows[] = {
		{ { .unit = KEYWORD_PLAIN }, "" },
		{ { .unit = KEYWORD_NUMBER, .min = 512, .max = 4096 }, "512 to 4096" },
		{ { .unit = KEYWORD_SECONDS, .min = 100, .max = 5000 }, "0.1 to 5 seconds" },
		{ { .unit = KEYWORD_BYTES, .min = 0, .max = UINT64_C(64) << 30 }, "0 to 64g" },
		{ { .unit = KEYWORD_BYTES, .min = 4096, .max = 1025 }, "4k to 1025" },
	};
	char text[FIELD_BOUNDS];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_str_eq(field_bounds(&rows[i].k, text), rows[i].want);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, field_of_a_keyword);
	tcase_add_test(tc, fallback_of_a_keyword);
	tcase_add_test(tc, bounds_of_a_keyword);
}
