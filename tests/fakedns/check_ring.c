/* SPDX-License-Identifier: BSD-2-Clause */
/* fakedns: late answers come in the order of their time, none is forgotten. */

#include "fakedns/ring.h"

#include "support/tests.h"

#define START 1000000 /* ms */

static struct fake_ring *
new_ring(uint32_t cap)
{
	struct fake_ring *r = fake_ring_new(cap);

	ck_assert_ptr_nonnull(r);
	return r;
}

START_TEST(in_order_of_time)
{
	struct fake_ring *r = new_ring(8);
	static const uint64_t due[] = { 30, 10, 20, 10, 0 };
	static const size_t order[] = { 4, 1, 3, 2, 0 };

	for (size_t i = 0; i < 5; i++) {
		struct fake_delayed *d = fake_ring_add(r, START, START + due[i]);

		ck_assert_ptr_nonnull(d);
		d->len = i;
	}
	for (size_t i = 0; i < 5; i++) {
		uint64_t at = START + due[order[i]];

		if (at > START)
			ck_assert_ptr_null(fake_ring_due(r, at - 1 - (i == 2)));
		struct fake_delayed *d = fake_ring_due(r, at);
		ck_assert_ptr_nonnull(d);
		ck_assert_uint_eq(d->len, order[i]);
		fake_ring_give(r, d);
	}
	ck_assert_uint_eq(r->n, 0);
	fake_ring_free(r);
}
END_TEST

START_TEST(full_ring_takes_no_more)
{
	struct fake_ring *r = new_ring(3);

	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_nonnull(fake_ring_add(r, START, START + 5));
	ck_assert_ptr_null(fake_ring_add(r, START, START + 5));
	struct fake_delayed *d = fake_ring_due(r, START + 5);
	ck_assert_ptr_nonnull(d);
	ck_assert_ptr_null(fake_ring_add(r, START + 5, START + 6)); /* still the caller's */
	fake_ring_give(r, d);
	ck_assert_ptr_eq(fake_ring_add(r, START + 5, START + 6), d);
	fake_ring_free(r);
}
END_TEST

START_TEST(answer_put_back_is_due_later)
{
	struct fake_ring *r = new_ring(3);

	ck_assert_ptr_nonnull(fake_ring_add(r, START, START));
	struct fake_delayed *d = fake_ring_due(r, START);
	ck_assert_ptr_nonnull(d);
	fake_ring_again(r, d, START + 1);
	ck_assert_ptr_null(fake_ring_due(r, START));
	ck_assert_ptr_eq(fake_ring_due(r, START + 1), d);
	fake_ring_free(r);
}
END_TEST

/* Long pauses, more than once round the buckets, and times that have passed. */
START_TEST(long_pauses_keep_the_order)
{
	struct fake_ring *r = new_ring(3);
	uint64_t now = START;

	for (unsigned i = 0; i < 10; i++) {
		struct fake_delayed *a = fake_ring_add(r, now, now + FAKE_RING_MS - 1);
		struct fake_delayed *b = fake_ring_add(r, now, now - 1);

		ck_assert_ptr_eq(fake_ring_due(r, now), b);
		ck_assert_ptr_null(fake_ring_due(r, now + FAKE_RING_MS - 2));
		now += 10 * FAKE_RING_MS + 7;
		ck_assert_ptr_eq(fake_ring_due(r, now), a);
		fake_ring_give(r, a);
		fake_ring_give(r, b);
	}
	fake_ring_free(r);
}
END_TEST

/* Every millisecond some come in and some go out: each exactly at its time. */
START_TEST(each_is_due_at_its_millisecond)
{
	struct fake_ring *r = new_ring(100000);
	uint32_t x = 1;
	unsigned in = 0, out = 0;

	for (uint64_t now = START; now < START + 5000; now++) {
		for (unsigned i = 0; i < 10; i++, in++) {
			x = x * 1664525 + 1013904223;
			struct fake_delayed *d = fake_ring_add(r, now, now + (x >> 8) % 3000);
			ck_assert_ptr_nonnull(d);
			d->len = (size_t)(now + (x >> 8) % 3000);
		}
		for (struct fake_delayed *d; (d = fake_ring_due(r, now)) != NULL; out++) {
			ck_assert_uint_eq(d->len, now);
			fake_ring_give(r, d);
		}
	}
	ck_assert_uint_eq(in - out, r->n);
	while (fake_ring_due(r, START + 10000) != NULL)
		out++;
	ck_assert_uint_eq(in, out);
	fake_ring_free(r);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, in_order_of_time);
	tcase_add_test(tc, full_ring_takes_no_more);
	tcase_add_test(tc, answer_put_back_is_due_later);
	tcase_add_test(tc, long_pauses_keep_the_order);
	tcase_add_test(tc, each_is_due_at_its_millisecond);
}
