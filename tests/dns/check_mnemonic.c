/* SPDX-License-Identifier: BSD-2-Clause */
/* Mnemonics: every number has a text. */

#include "dns/mnemonic.h"

#include <check.h>
#include <stdlib.h>

START_TEST(texts_are_those_of_the_registry)
{
	char text[MNEMONIC_TEXT];

	ck_assert_str_eq(mnemonic_class(1, text), "IN");
	ck_assert_str_eq(mnemonic_class(65535, text), "CLASS65535");
	ck_assert_str_eq(mnemonic_rcode(3, text), "NXDOMAIN");
	ck_assert_str_eq(mnemonic_rcode(4095, text), "RCODE4095");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("mnemonic");
	TCase *tc = tcase_create("mnemonic");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, texts_are_those_of_the_registry);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
