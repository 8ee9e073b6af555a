/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that prefixes keep. */

#include "policy/prefix_index.h"

#include <stdio.h>

#include "core/stats.h"
#include "policy/policy.h"
#include "support/tests.h"

static struct policies *
two(const char *a, const char *b)
{
	const char *texts[] = { a, b };
	struct policies *ps = policies_new(1);

	ck_assert_ptr_nonnull(ps);
	for (unsigned i = 0; i < 2; i++)
		ck_assert_int_eq(
		    pref64_parse(texts[i], &ps->table[0].synth.prefixes[i]), PREF64_OK);
	ps->table[0].synth.n_prefixes = 2;
	ck_assert_int_eq(policies_finish(ps), 0);
	return ps;
}

static void
expect(struct prefix_index *n, const char *a, const char *b, unsigned number_a, unsigned number_b)
{
	struct policies *ps = two(a, b);

	prefix_index_give(n, ps);
	ck_assert_uint_eq(ps->table[0].numbers[0], number_a);
	ck_assert_uint_eq(ps->table[0].numbers[1], number_b);
	ck_assert_uint_eq(ps->site.prefixes[0].number, number_a);
	policies_unref(ps);
}

/* Whatever else comes and goes, and in which order. */
START_TEST(a_prefix_keeps_its_number)
{
	struct prefix_index *n = prefix_index_new();
	char text[PREF64_TEXT];

	ck_assert_uint_eq(prefix_index_end(n), 1);
	expect(n, "2001:db8:1::/96", "2001:db8:2::/96", 1, 2);
	expect(n, "2001:db8:3::/96", "2001:db8:1::/96", 3, 1);
	expect(n, "2001:db8:2::/96", "2001:db8:2::/64", 2, 4);
	ck_assert_uint_eq(prefix_index_end(n), 5);
	ck_assert_str_eq(pref64_format(prefix_index_prefix(n, 4), text), "2001:db8:2::/64");
	prefix_index_free(n);
}
END_TEST

/* The Well-Known Prefix, under which names are answered in any case (RULES D16), is not counted if
 * no policy has it. */
START_TEST(only_prefixes_of_policies_have_one)
{
	struct prefix_index *n = prefix_index_new();

	expect(n, "2001:db8:1::/96", "2001:db8:2::/96", 1, 2);
	ck_assert_uint_eq(prefix_index_end(n), 3);
	expect(n, "2001:db8:1::/96", "64:ff9b::/96", 1, 3);
	prefix_index_free(n);
}
END_TEST

/* As after a change of states, when loops have the table too. */
START_TEST(a_set_in_common_has_them)
{
	struct policies *ps = two("2001:db8:1::/96", "2001:db8:2::/96"), *later;
	struct prefix_index *n = prefix_index_new();

	prefix_index_give(n, ps);
	later = policies_copy(ps);
	ck_assert_ptr_nonnull(later);
	policies_unref(ps);
	ck_assert_uint_eq(later->table[0].numbers[1], 2);
	prefix_index_give(n, later);
	ck_assert_uint_eq(later->table[0].numbers[1], 2);
	policies_unref(later);
	prefix_index_free(n);
}
END_TEST

START_TEST(a_suffix_does_not_count)
{
	const uint8_t suffix[16] = { [15] = 1 };
	struct policies *ps = two("2001:db8::/64", "2001:db8::/64");
	struct prefix_index *n = prefix_index_new();

	ck_assert(pref64_set_suffix(&ps->table[0].synth.prefixes[1], suffix));
	prefix_index_give(n, ps);
	ck_assert_uint_eq(ps->table[0].numbers[0], 1);
	ck_assert_uint_eq(ps->table[0].numbers[1], 1);
	policies_unref(ps);
	prefix_index_free(n);
}
END_TEST

START_TEST(there_are_only_so_many)
{
	struct prefix_index *n = prefix_index_new();
	char text[PREF64_TEXT];

	for (unsigned i = 1; i < STATS_PREFIXES; i++) {
		snprintf(text, sizeof(text), "2001:db8:%x::/96", i);
		expect(n, text, text, i, i);
	}
	expect(n, "64:ff9b::/96", "2001:db8:1::/96", PREFIX_INDEX_OTHERS, 1);
	ck_assert_uint_eq(prefix_index_end(n), STATS_PREFIXES);
	prefix_index_free(n);
}
END_TEST

START_TEST(without_memory_all_are_others)
{
	expect(
	    NULL, "2001:db8:1::/96", "2001:db8:2::/96", PREFIX_INDEX_OTHERS, PREFIX_INDEX_OTHERS);
	ck_assert_uint_eq(prefix_index_end(NULL), 1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, a_prefix_keeps_its_number);
	tcase_add_test(tc, only_prefixes_of_policies_have_one);
	tcase_add_test(tc, a_set_in_common_has_them);
	tcase_add_test(tc, a_suffix_does_not_count);
	tcase_add_test(tc, there_are_only_so_many);
	tcase_add_test(tc, without_memory_all_are_others);
}
