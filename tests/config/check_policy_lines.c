/* SPDX-License-Identifier: BSD-2-Clause */
/* What lines said is kept for the block they stand in. */

#include "config/policy_lines.h"

#include <string.h>

#include "support/tests.h"

START_TEST(blocks_are_opened_in_order)
{
	struct policy_lines_list *list = policy_lines_new();

	ck_assert_ptr_nonnull(list);
	ck_assert_ptr_eq(policy_lines_now(list), policy_lines_at(list, 0));
	for (unsigned i = 1; i <= 100; i++) {
		struct policy_lines *lines = policy_lines_open(list, i);

		ck_assert_ptr_nonnull(lines);
		ck_assert_ptr_eq(policy_lines_now(list), lines);
		ck_assert_uint_eq(lines->line, i);
		lines->suffix[0] = (uint8_t)i;
	}
	ck_assert_uint_eq(list->all.n, 101);
	policy_lines_close(list);
	ck_assert_ptr_eq(policy_lines_now(list), policy_lines_at(list, 0));
	for (unsigned i = 0; i <= 100; i++)
		ck_assert_uint_eq(policy_lines_at(list, i)->suffix[0], i);
	policy_lines_free(list);
	policy_lines_free(NULL);
}
END_TEST

START_TEST(lists_are_kept_in_order)
{
	static uint8_t name[] = "\001a";
	struct policy_lines_list *list = policy_lines_new();
	struct policy_lines *lines = policy_lines_now(list);
	const struct policy_lines_zone *z;

	ck_assert(policy_lines_add_zone(lines,
	    &(struct policy_lines_zone){
		.name = name, .line = 3, .kind = POLICY_ZONE_IGNORE_AAAA }));
	ck_assert(policy_lines_add_range(lines,
	    &(struct policy_lines_range){ .kind = POLICY_LINES_MAP, .line = 4, .never = true }));
	z = lines->zones.items;
	ck_assert_ptr_ne(z->name, name);
	ck_assert_mem_eq(z->name, name, sizeof(name));
	ck_assert_uint_eq(lines->n_zones[POLICY_ZONE_IGNORE_AAAA], 1);
	ck_assert_uint_eq(lines->n_zones[POLICY_ZONE_NEVER], 0);
	ck_assert_uint_eq(lines->n_ranges[POLICY_LINES_MAP], 1);
	ck_assert_uint_eq(lines->n_ranges[POLICY_LINES_EXCLUDE_A], 0);
	policy_lines_free(list);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, blocks_are_opened_in_order);
	tcase_add_test(tc, lists_are_kept_in_order);
}
