/* SPDX-License-Identifier: BSD-2-Clause */
/* The spool: what is written is read, in order and whole; without room nothing is taken. */

#include "base/spool.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/rng.h"
#include "support/tests.h"

#define CAP 4096
#define N_MANY 100000
#define CAP_MANY 65536 /* so that threads that share a processor need not take turns too often */

static struct spool spool;

static void
setup(void)
{
	ck_assert(spool_init(&spool, CAP));
}

static void
teardown(void)
{
	spool_fini(&spool);
}

/* Write a record of LEN bytes that says N. */
static bool
put(uint32_t n, size_t len)
{
	uint8_t *to = spool_begin(&spool, len);

	if (to == NULL)
		return false;
	ck_assert_uint_eq((uintptr_t)to % 8, 0);
	memset(to, (int)(n & 0xff), len);
	if (len >= sizeof(n))
		memcpy(to, &n, sizeof(n));
	spool_end(&spool);
	return true;
}

/* Is the next record that of put? */
static bool
is_next(uint32_t n, size_t len)
{
	size_t got = 0;
	const uint8_t *from = spool_next(&spool, &got);
	bool same = from != NULL && got == len && (len < 4 || memcmp(from, &n, 4) == 0);

	for (size_t i = sizeof(n); same && i < len; i++)
		same = from[i] == (n & 0xff);
	if (from != NULL)
		spool_drop(&spool);
	return same;
}

START_TEST(records_come_out_as_they_went_in)
{
	size_t len;

	ck_assert_ptr_null(spool_next(&spool, &len));
	for (uint32_t n = 0; n < 2000; n++) {
		size_t size = n * 37 % (CAP / 4);

		ck_assert(put(n, size));
		ck_assert(put(n + 1, 1));
		ck_assert(is_next(n, size));
		ck_assert(is_next(n + 1, 1));
	}
	ck_assert_ptr_null(spool_next(&spool, &len));
}
END_TEST

/* A record is not there before it is whole; what is begun twice is there once. */
START_TEST(what_is_begun_is_not_read)
{
	size_t len;

	ck_assert_ptr_nonnull(spool_begin(&spool, 100));
	ck_assert_ptr_null(spool_next(&spool, &len));
	ck_assert(put(7, 20));
	ck_assert(is_next(7, 20));
	ck_assert_ptr_null(spool_next(&spool, &len));
}
END_TEST

START_TEST(full_spool_takes_nothing_and_loses_nothing)
{
	uint32_t n = 0, read = 0;
	size_t len;

	while (put(n, 24))
		n++;
	ck_assert_uint_eq(n, CAP / 32);
	ck_assert(!put(n, 1));
	ck_assert(is_next(read++, 24));
	ck_assert(put(n++, 24));
	while (read < n)
		ck_assert(is_next(read++, 24));
	ck_assert_ptr_null(spool_next(&spool, &len));
}
END_TEST

static void *
write_many(void *arg)
{
	struct rng rng;

	rng_init_seeded(&rng, 1);
	for (uint32_t n = 0; n < N_MANY; n++) {
		size_t len = 4U + rng_u16(&rng) % 500U;

		while (!put(n, len))
			sched_yield();
	}
	return arg;
}

START_TEST(two_threads_see_the_same)
{
	struct rng rng;
	pthread_t id;

	spool_fini(&spool);
	ck_assert(spool_init(&spool, CAP_MANY));
	rng_init_seeded(&rng, 1);
	ck_assert_int_eq(pthread_create(&id, NULL, write_many, NULL), 0);
	for (uint32_t n = 0; n < N_MANY; n++) {
		size_t want = 4U + rng_u16(&rng) % 500U, len = 0;

		while (spool_next(&spool, &len) == NULL)
			sched_yield();
		if (!is_next(n, want))
			ck_abort_msg("record %u is another one", n);
	}
	ck_assert_int_eq(pthread_join(id, NULL), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, records_come_out_as_they_went_in);
	tcase_add_test(tc, what_is_begun_is_not_read);
	tcase_add_test(tc, full_spool_takes_nothing_and_loses_nothing);
	tcase_add_test(tc, two_threads_see_the_same);
}
