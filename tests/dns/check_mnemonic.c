/* SPDX-License-Identifier: BSD-2-Clause */
/* Mnemonics: every number has a text. */

#include "dns/mnemonic.h"

#include "support/tests.h"

START_TEST(texts_are_those_of_the_registry)
{
	char text[MNEMONIC_TEXT];

	ck_assert_str_eq(mnemonic_class(1, text), "IN");
	ck_assert_str_eq(mnemonic_class(65535, text), "CLASS65535");
	ck_assert_str_eq(mnemonic_rcode(3, text), "NXDOMAIN");
	ck_assert_str_eq(mnemonic_rcode(4095, text), "RCODE4095");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, texts_are_those_of_the_registry);
}
