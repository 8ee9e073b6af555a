/* SPDX-License-Identifier: BSD-2-Clause */
/* Pools: ceilings, alignment, reuse, and memory only as touched. */

#include "base/pool.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/tests.h"

#define CAP 100

static struct pool pool;

START_TEST(gives_just_as_many_as_it_has)
{
	void *obj[CAP];

	ck_assert_int_eq(pool_init(&pool, 40, CAP), 0);
	for (uint32_t i = 0; i < CAP; i++) {
		ck_assert_uint_eq(pool_room(&pool), CAP - i);
		obj[i] = pool_take(&pool);
		ck_assert_ptr_nonnull(obj[i]);
	}
	ck_assert_uint_eq(pool_room(&pool), 0);
	ck_assert_ptr_null(pool_take(&pool));
	ck_assert_uint_eq(pool.n_used, CAP);
	pool_give(&pool, obj[50]);
	ck_assert_uint_eq(pool_room(&pool), 1);
	ck_assert_ptr_eq(pool_take(&pool), obj[50]);
	ck_assert_ptr_null(pool_take(&pool));
	pool_fini(&pool);
}
END_TEST

/* Sizes 1 to 64: aligned to 16, apart from each other, writable in full. */
START_TEST(objects_do_not_overlap)
{
	size_t size = (size_t)_i;
	unsigned char *obj[CAP];
	unsigned char want[64];

	ck_assert_int_eq(pool_init(&pool, size, CAP), 0);
	for (int i = 0; i < CAP; i++) {
		obj[i] = pool_take(&pool);
		ck_assert_uint_eq((uintptr_t)obj[i] % 16, 0);
		memset(obj[i], i, size);
	}
	for (int i = 0; i < CAP; i++) {
		memset(want, i, size);
		ck_assert_mem_eq(obj[i], want, size);
	}
	pool_fini(&pool);
}
END_TEST

START_TEST(last_given_is_first_taken)
{
	void *a;
	void *b;
	void *c;

	ck_assert_int_eq(pool_init(&pool, 8, CAP), 0);
	a = pool_take(&pool);
	b = pool_take(&pool);
	c = pool_take(&pool);
	pool_give(&pool, a);
	pool_give(&pool, c);
	pool_give(&pool, b);
	ck_assert_ptr_eq(pool_take(&pool), b);
	ck_assert_ptr_eq(pool_take(&pool), c);
	ck_assert_ptr_eq(pool_take(&pool), a);
	ck_assert_uint_eq(pool.n_touched, 3);
	pool_fini(&pool);
}
END_TEST

/* Any order of taking and giving keeps the count, and no object is out twice. */
START_TEST(no_object_is_out_twice_in_any_order)
{
	void *out[CAP];
	uint32_t n = 0;
	uint64_t x = 1;

	ck_assert_int_eq(pool_init(&pool, 24, CAP), 0);
	for (uint32_t step = 0; step < 100000; step++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		if ((x >> 63) != 0 && n < CAP) {
			out[n] = pool_take(&pool);
			ck_assert_ptr_nonnull(out[n]);
			memcpy(out[n], &n, sizeof(n));
			n++;
		} else if (n > 0) {
			uint32_t at = (uint32_t)(x >> 32) % n;

			pool_give(&pool, out[at]);
			out[at] = out[--n];
		}
		ck_assert_uint_eq(pool.n_used, n);
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < i; j++)
			ck_assert_ptr_ne(out[i], out[j]);
	}
	pool_fini(&pool);
}
END_TEST

/* 16 GiB are reserved at no cost; what was not taken is not in memory, huge pages apart. */
START_TEST(untouched_memory_costs_nothing)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t far = (size_t)64 << 20;
	unsigned char resident;
	unsigned char *obj;

	ck_assert_int_eq(pool_init(&pool, page, 1U << 22), 0);
	obj = pool_take(&pool);
	memset(obj, 1, page);
	ck_assert_int_eq(mincore(obj, page, &resident), 0);
	ck_assert_uint_eq(resident & 1, 1);
	ck_assert_int_eq(mincore(pool.mem + far, page, &resident), 0);
	ck_assert_uint_eq(resident & 1, 0);
	pool_fini(&pool);
}
END_TEST

START_TEST(what_has_no_memory_has_none_to_give)
{
	ck_assert_int_eq(pool_init(&pool, 16, 1), 0);
	pool_fini(&pool);
	ck_assert_ptr_null(pool.mem);
	pool_fini(&pool);
	ck_assert_uint_eq(pool_room(&pool), 0);
}
END_TEST

START_TEST(impossible_sizes_are_refused)
{
	ck_assert_int_lt(pool_init(&pool, SIZE_MAX, 1), 0);
	ck_assert_int_lt(pool_init(&pool, SIZE_MAX / 2, 3), 0);
	ck_assert_int_lt(pool_init(&pool, SIZE_MAX / UINT32_MAX, UINT32_MAX), 0);
	ck_assert_int_lt(pool_init(&pool, (size_t)1 << 48, 2), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, gives_just_as_many_as_it_has);
	tcase_add_loop_test(tc, objects_do_not_overlap, 1, 65);
	tcase_add_test(tc, last_given_is_first_taken);
	tcase_add_test(tc, no_object_is_out_twice_in_any_order);
	tcase_add_test(tc, untouched_memory_costs_nothing);
	tcase_add_test(tc, what_has_no_memory_has_none_to_give);
	tcase_add_test(tc, impossible_sizes_are_refused);
}
