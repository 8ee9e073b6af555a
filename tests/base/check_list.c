/* SPDX-License-Identifier: BSD-2-Clause */
/* Intrusive lists: order, free links, moving. */

#include "base/list.h"

#include "support/tests.h"

#define N_ITEMS 5

struct item {
	int value;
	struct list link;
};

static struct item items[N_ITEMS];
static struct list head;

static void
set_up(void)
{
	list_init(&head);
	for (int i = 0; i < N_ITEMS; i++) {
		items[i].value = i;
		list_init(&items[i].link);
		list_push(&head, &items[i].link);
	}
}

static int
pop_value(struct list *l)
{
	struct list *link = list_pop(l);

	return link != NULL ? LIST_OBJECT(link, struct item, link)->value : -1;
}

START_TEST(first_in_first_out)
{
	for (int i = 0; i < N_ITEMS; i++)
		ck_assert_int_eq(pop_value(&head), i);
	ck_assert(list_empty(&head));
	ck_assert_ptr_null(list_pop(&head));
}
END_TEST

START_TEST(popped_link_is_free)
{
	ck_assert_ptr_eq(list_pop(&head), &items[0].link);
	ck_assert(list_empty(&items[0].link));
	list_push(&head, &items[0].link);
	for (int i = 1; i < N_ITEMS; i++)
		ck_assert_int_eq(pop_value(&head), i);
	ck_assert_int_eq(pop_value(&head), 0);
}
END_TEST

START_TEST(unlink_anywhere_and_twice)
{
	int left = 0;

	list_unlink(&items[_i].link);
	ck_assert(list_empty(&items[_i].link));
	list_unlink(&items[_i].link);
	for (int i = 0; i < N_ITEMS; i++) {
		if (i == _i)
			continue;
		ck_assert_int_eq(pop_value(&head), i);
		left++;
	}
	ck_assert_int_eq(left, N_ITEMS - 1);
	ck_assert(list_empty(&head));
}
END_TEST

START_TEST(move_appends_and_empties_the_source)
{
	struct list to;
	struct item first = { .value = 100 };

	list_init(&to);
	list_push(&to, &first.link);
	list_move(&to, &head);
	ck_assert(list_empty(&head));
	ck_assert_int_eq(pop_value(&to), 100);
	for (int i = 0; i < N_ITEMS; i++)
		ck_assert_int_eq(pop_value(&to), i);
	/* Nothing moves from an empty list, and to an empty one all. */
	list_move(&to, &head);
	ck_assert(list_empty(&to));
	set_up();
	list_move(&to, &head);
	ck_assert_int_eq(pop_value(&to), 0);
	/* The moved links are whole in both directions. */
	list_unlink(&items[N_ITEMS - 1].link);
	list_push(&to, &items[0].link);
	for (int i = 1; i < N_ITEMS - 1; i++)
		ck_assert_int_eq(pop_value(&to), i);
	ck_assert_int_eq(pop_value(&to), 0);
	ck_assert(list_empty(&to));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, first_in_first_out);
	tcase_add_test(tc, popped_link_is_free);
	tcase_add_loop_test(tc, unlink_anywhere_and_twice, 0, N_ITEMS);
	tcase_add_test(tc, move_appends_and_empties_the_source);
}
