/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasons: names and texts that everybody can show. Which answer has which one: the scenarios. */

#include "core/reason.h"

#include <string.h>

#include "core/stats.h"
#include "dns/build.h"
#include "support/tests.h"

/* D33: names are for programs: of lower case letters, digits and "-", each only once. */
START_TEST(names_are_words_of_their_own)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *name = reason_row((enum reason)_i)->name;

	ck_assert_uint_gt(strlen(name), 1);
	ck_assert_uint_eq(strspn(name, allowed), strlen(name));
	for (int i = 0; i < _i; i++)
		ck_assert_str_ne(name, reason_row((enum reason)i)->name);
}
END_TEST

/* Texts are for people, and fit into an extended error; nothing in them needs to be escaped. */
START_TEST(texts_say_something)
{
	const struct reason_row *row = reason_row((enum reason)_i);

	ck_assert_uint_gt(strlen(row->text), 8);
	ck_assert_uint_lt(strlen(row->text) + 6, BUILD_EDE_MAX);
	ck_assert_ptr_null(strpbrk(row->text, "\"\\\n"));
	ck_assert_int_ne(row->text[strlen(row->text) - 1], '.');
}
END_TEST

/* D33, RFC 8914: what is made here has 29; drops have none, as there is no answer. */
START_TEST(info_codes_fit_kinds)
{
	const struct reason_row *row = reason_row((enum reason)_i);

	ck_assert_uint_eq(reason_ede((enum reason)_i), row->ede);
	if (row->kind == REASON_SYNTHESIZING && _i != REASON_SYNTH_STALE)
		ck_assert_uint_eq(row->ede, DNS_EDE_SYNTHESIZED);
	if (row->kind == REASON_DROPPING || row->kind == REASON_REAL)
		ck_assert_uint_eq(row->ede, DNS_EDE_NONE);
	ck_assert_uint_gt(strlen(reason_kind_name((enum reason_kind)row->kind)), 3);
}
END_TEST

/* RFC 8914 4.4, 4.20: what rests on an expired entry says so, whatever it is; what does not, not.
 */
START_TEST(stale_has_reasons_of_its_own)
{
	ck_assert_int_eq(reason_stale(REASON_RELAYED, DNS_NOERROR), REASON_STALE);
	ck_assert_int_eq(reason_stale(REASON_NATIVE, DNS_NOERROR), REASON_STALE);
	ck_assert_int_eq(reason_stale(REASON_HIDDEN_A, DNS_NOERROR), REASON_STALE);
	ck_assert_int_eq(reason_stale(REASON_NXDOMAIN, DNS_NXDOMAIN), REASON_STALE_NXDOMAIN);
	ck_assert_int_eq(reason_stale(REASON_SYNTH_IGNORED, DNS_NOERROR), REASON_SYNTH_STALE);
	ck_assert_int_eq(reason_stale(REASON_SILENT, DNS_SERVFAIL), REASON_STALE_FAILED);
	ck_assert_int_eq(reason_stale(REASON_AMPLIFIED, DNS_NOERROR), REASON_AMPLIFIED);
	ck_assert_int_eq(reason_stale(REASON_IPV4ONLY, DNS_NOERROR), REASON_IPV4ONLY);
}
END_TEST

/* D33: of all loops together; answers are those of all reasons but what was dropped. */
START_TEST(answers_are_counted_by_reason)
{
	static struct stats a, b;
	const struct stats *both[2] = { &a, &b };
	struct stats_reason reasons[REASON_N];
	struct stats_row rows[STATS_N];

	stats_answer(&a, REASON_NATIVE, true, DNS_NOERROR);
	stats_answer(&b, REASON_NATIVE, false, DNS_NOERROR);
	stats_answer(&b, REASON_NATIVE, true, DNS_NXDOMAIN);
	stats_dropped(&b, REASON_DROP_RATE);
	stats_sum_reasons(both, 2, reasons);
	ck_assert_uint_eq(reasons[REASON_NATIVE].waited, 2);
	ck_assert_uint_eq(reasons[REASON_NATIVE].at_once, 1);
	ck_assert_uint_eq(reasons[REASON_DROP_RATE].at_once, 1);
	ck_assert_uint_eq(reasons[REASON_SILENT].waited, 0);
	stats_sum(both, 2, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, "answers") == 0)
			ck_assert_uint_eq(rows[i].value, 3);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, names_are_words_of_their_own, 0, REASON_N);
	tcase_add_loop_test(tc, texts_say_something, 0, REASON_N);
	tcase_add_loop_test(tc, info_codes_fit_kinds, 0, REASON_N);
	tcase_add_test(tc, stale_has_reasons_of_its_own);
	tcase_add_test(tc, answers_are_counted_by_reason);
}
