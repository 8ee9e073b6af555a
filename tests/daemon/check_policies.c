/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's policies from what the configuration says. */

#include "daemon/policies.h"

#include <check.h>
#include <stdlib.h>

#include "support/said.h"

static struct said said;
static struct settings settings;

START_TEST(prefixes_and_exclusions)
{
	static const uint8_t excluded[16] = { 0x20, 0x01, 0x0d, 0xb8 };
	struct policies *ps;

	said_parse(&said,
	    "dns64-prefix 2001:db8:1::/96\ndns64-prefix 64:ff9b::/96\n"
	    "exclude-aaaa 2001:db8::/32\n",
	    &settings);
	ps = policies_make(&settings);
	ck_assert_ptr_nonnull(ps);
	ck_assert_uint_eq(ps->table[0].n_general, 2);
	ck_assert(ps->table[0].prefixes[1].well_known);
	ck_assert_uint_eq(netmap_find6(ps->table[0].excluded, excluded, 0), 1);
	policies_unref(ps);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policies");
	TCase *tc = tcase_create("policies");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_test(tc, prefixes_and_exclusions);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
