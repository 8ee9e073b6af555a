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

static void
add_net(struct array *list, const struct net *net, unsigned line)
{
	struct policy_lines_net *n = array_add(list, sizeof(*n));

	ck_assert_ptr_nonnull(n);
	*n = (struct policy_lines_net){ .net = *net, .line = line };
}

/* The longest network that says so decides, else any; whatever the others say of it. */
START_TEST(line_of_access)
{
	static const struct net ten = { { 10 }, 8, NETADDR_IPV4 },
				inner = { { 10, 1 }, 16, NETADDR_IPV4 },
				innermost = { { 10, 1, 2 }, 24, NETADDR_IPV4 },
				doc = { { 0x20, 0x01, 0x0d, 0xb8 }, 32, NETADDR_IPV6 };
	static const struct {
		const char *client;
		unsigned allow, deny;
	} wanted[] = { { "10.0.0.1", 1, 8 }, { "10.1.0.1", 4, 3 }, { "10.1.2.3", 4, 5 },
		{ "2001:db8::1", 2, 6 }, { "192.0.2.1", 7, 8 } };
	struct policy_lines_list *list = policy_lines_new();

	ck_assert_ptr_nonnull(list);
	add_net(&list->allow, &ten, 1);
	add_net(&list->allow, &doc, 2);
	add_net(&list->allow, &inner, 4);
	add_net(&list->deny, &inner, 3);
	add_net(&list->ignore, &innermost, 5);
	add_net(&list->ignore, &doc, 6);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct netaddr a;

		ck_assert(netaddr_parse(wanted[i].client, 0, &a));
		list->allow_any = list->deny_any = 0;
		ck_assert_uint_eq(policy_lines_access(list, &a, true),
		    wanted[i].allow == 7 ? 0 : wanted[i].allow);
		list->allow_any = 7;
		list->deny_any = 8;
		ck_assert_uint_eq(policy_lines_access(list, &a, true), wanted[i].allow);
		ck_assert_uint_eq(policy_lines_access(list, &a, false), wanted[i].deny);
	}
	policy_lines_free(list);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, blocks_are_opened_in_order);
	tcase_add_test(tc, lists_are_kept_in_order);
	tcase_add_test(tc, line_of_access);
}
