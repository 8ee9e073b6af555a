/* SPDX-License-Identifier: BSD-2-Clause */
/* Items come in their order, all zero, however many there are. */

#include "config/array.h"

#include "support/tests.h"

START_TEST(items_are_zeroed_and_kept_as_it_grows)
{
	struct array a = { .items = NULL };
	uint32_t *items;

	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t *new = array_add(&a, sizeof(*new));

		ck_assert_ptr_nonnull(new);
		ck_assert_uint_eq(*new, 0);
		*new = i + 1;
	}
	ck_assert_uint_eq(a.n, 1000);
	items = a.items;
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(items[i], i + 1);
	array_fini(&a);
	ck_assert(a.items == NULL && a.n == 0 && a.cap == 0);
	/* And it may be used again. */
	items = array_add(&a, sizeof(*items));
	ck_assert_ptr_nonnull(items);
	array_fini(&a);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, items_are_zeroed_and_kept_as_it_grows);
}
