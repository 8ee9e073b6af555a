/* SPDX-License-Identifier: BSD-2-Clause */
/* Decimal numbers: digits alone, never above the maximum. */

#include "base/number.h"

#include <string.h>

#include "support/tests.h"

#define UNTOUCHED 4242

/* Texts, the largest number, and what comes of them: digits read (0: none), their value. */
static const struct {
	const char *text;
	uint64_t max;
	size_t digits;
	uint64_t v;
} cases[] = {
	{ "0", 0, 1, 0 },
	{ "1", 0, 0, 0 },
	{ "9", 9, 1, 9 },
	{ "10", 9, 0, 0 },
	{ "007", 7, 3, 7 },
	{ "008", 7, 0, 0 },
	{ "65535", 65535, 5, 65535 },
	{ "65536", 65535, 0, 0 },
	{ "99999", 65535, 0, 0 },
	{ "999999999999999", UINT64_MAX, 15, 999999999999999 },
	{ "18446744073709551615", UINT64_MAX, 20, UINT64_MAX },
	{ "18446744073709551616", UINT64_MAX, 0, 0 },
	{ "18446744073709551617", 10, 0, 0 }, /* 2^64 + 1 is not 1 */
	{ "99999999999999999999999", UINT64_MAX, 0, 0 },
	{ "00000000000000000000000000001", 1, 29, 1 },
	{ "", 10, 0, 0 },
	{ "-1", 10, 0, 0 },
	{ "+1", 10, 0, 0 },
	{ " 1", 10, 0, 0 },
	{ "x", 10, 0, 0 },
	{ "/", 10, 0, 0 }, /* the characters before 0 and behind 9 */
	{ ":", 10, 0, 0 },
	{ "1 ", 10, 1, 1 },
	{ "0x1", 10, 1, 0 },
	{ "1.0", 10, 1, 1 },
	{ "12-34", 200, 2, 12 },
	{ "1/", 10, 1, 1 },
	{ "1:", 10, 1, 1 },
};

#define N_CASES (sizeof(cases) / sizeof(cases[0]))

START_TEST(digits_at_the_beginning)
{
	uint64_t v = UNTOUCHED;
	size_t n = number_prefix(cases[_i].text, strlen(cases[_i].text), cases[_i].max, &v);

	ck_assert_uint_eq(n, cases[_i].digits);
	ck_assert_uint_eq(v, n > 0 ? cases[_i].v : UNTOUCHED);
}
END_TEST

/* The same texts, of which only those without anything else are numbers. */
START_TEST(digits_alone_are_a_number)
{
	size_t len = strlen(cases[_i].text);
	bool want = len > 0 && cases[_i].digits == len;
	uint64_t v = UNTOUCHED;

	ck_assert(number_parse(cases[_i].text, len, cases[_i].max, &v) == want);
	ck_assert_uint_eq(v, want ? cases[_i].v : UNTOUCHED);
}
END_TEST

/* Only the bytes that belong to it are read. */
START_TEST(length_is_kept)
{
	static const char digits[3] = { '1', '2', '3' }; /* no zero behind them */
	uint64_t v;

	ck_assert_uint_eq(number_prefix(digits, sizeof(digits), 200, &v), 3);
	ck_assert_uint_eq(v, 123);
	ck_assert(number_parse("12345", 3, 200, &v));
	ck_assert_uint_eq(v, 123);
	ck_assert(number_parse("12-34", 2, 200, &v));
	ck_assert_uint_eq(v, 12);
	ck_assert(!number_parse("12-34", 3, 200, &v));
	ck_assert(!number_parse("12", 0, 200, &v));
	ck_assert_uint_eq(number_prefix("12", 3, 200, &v), 2); /* the zero ends it */
	ck_assert(!number_parse("12", 3, 200, &v));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, digits_at_the_beginning, 0, N_CASES);
	tcase_add_loop_test(tc, digits_alone_are_a_number, 0, N_CASES);
	tcase_add_test(tc, length_is_kept);
}
