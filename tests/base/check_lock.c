/* SPDX-License-Identifier: BSD-2-Clause */
/* The lock: one at a time, and whoever waits is woken. */

#include "base/lock.h"

#include <pthread.h>
#include <unistd.h>

#include "support/tests.h"

#define THREADS 4
#define TURNS 50000

static struct lock lock;
static unsigned counted; /* under the lock */

static void
set_up(void)
{
	lock_init(&lock);
	counted = 0;
}

START_TEST(free_again_after_each_give)
{
	for (unsigned i = 0; i < 3; i++) {
		lock_take(&lock);
		ck_assert_uint_eq(atomic_load(&lock.state), LOCK_TAKEN);
		lock_give(&lock);
		ck_assert_uint_eq(atomic_load(&lock.state), LOCK_FREE);
	}
}
END_TEST

static void *
count(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < TURNS; i++) {
		lock_take(&lock);
		counted++;
		lock_give(&lock);
	}
	return NULL;
}

START_TEST(one_at_a_time)
{
	pthread_t thread[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, count, NULL), 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	ck_assert_uint_eq(counted, THREADS * TURNS);
	ck_assert_uint_eq(atomic_load(&lock.state), LOCK_FREE);
}
END_TEST

/* Those who have given up looking and sleep get it one after the other. */
START_TEST(sleepers_get_it_one_by_one)
{
	pthread_t thread[THREADS];

	lock_take(&lock);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, count, NULL), 0);
	while (atomic_load(&lock.state) != LOCK_WAITED)
		(void)usleep(1000);
	(void)usleep(20000);
	ck_assert_uint_eq(counted, 0);
	lock_give(&lock);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	ck_assert_uint_eq(counted, THREADS * TURNS);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_test(tc, free_again_after_each_give);
	tcase_add_test(tc, one_at_a_time);
	tcase_add_test(tc, sleepers_get_it_one_by_one);
}
