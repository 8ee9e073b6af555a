/* SPDX-License-Identifier: BSD-2-Clause */
/* What all loops know together of a silent upstream. */

#include "outbound/shared_health.h"

#include <pthread.h>

#include "base/clock.h"
#include "support/tests.h"

#define THREADS 4
#define INTERVAL_NS 1000

static struct netaddr
address(unsigned n)
{
	struct netaddr a = { .family = NETADDR_IPV4, .port = 53 };

	a.addr[0] = 192;
	a.addr[3] = (uint8_t)n;
	return a;
}

START_TEST(an_address_has_one_pulse)
{
	struct health_table *t = health_table_new();
	struct netaddr a = address(1);
	struct netaddr b = address(2);
	struct shared_health *p = health_table_take(t, &a);

	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_eq(health_table_take(t, &a), p);
	ck_assert_ptr_ne(health_table_take(t, &b), p);
	shared_health_heard(p, 0, 7);
	health_table_give(t, p);
	ck_assert_ptr_eq(health_table_take(t, &a), p);
	ck_assert_uint_eq(shared_health_heard_ns(p), 7);
	health_table_give(t, p);
	health_table_give(t, p);
	/* All have given it back: the next is a new one. */
	p = health_table_take(t, &a);
	ck_assert_uint_eq(shared_health_heard_ns(p), 0);
	health_table_free(t);
}
END_TEST

START_TEST(a_full_table_has_no_more)
{
	struct health_table *t = health_table_new();
	struct netaddr a = address(200);
	struct shared_health *first = NULL;

	ck_assert_ptr_null(health_table_take(NULL, &a));
	for (unsigned i = 0; i < HEALTH_TABLE_MAX; i++) {
		struct netaddr other = address(i);
		struct shared_health *p = health_table_take(t, &other);

		ck_assert_ptr_nonnull(p);
		first = first == NULL ? p : first;
	}
	ck_assert_ptr_null(health_table_take(t, &a));
	health_table_give(t, first);
	ck_assert_ptr_eq(health_table_take(t, &a), first);
	health_table_free(t);
	health_table_free(NULL);
}
END_TEST

START_TEST(turns_are_numbered_until_it_is_heard)
{
	struct shared_health p;

	shared_health_init(&p);
	ck_assert_uint_eq(shared_health_since_ns(&p), 0);
	ck_assert_int_eq(shared_health_turn(&p, 5000, INTERVAL_NS), 0);
	ck_assert_int_eq(shared_health_turn(&p, 5999, INTERVAL_NS), -1);
	ck_assert_uint_eq(shared_health_due_ns(&p), 6000);
	ck_assert_int_eq(shared_health_turn(&p, 6000, INTERVAL_NS), 1);
	ck_assert_uint_eq(shared_health_since_ns(&p), 5000);
	shared_health_sent(&p);
	ck_assert_uint_eq(shared_health_n_sent(&p), 1);
	ck_assert(!shared_health_only_refused(&p));
	shared_health_refused(&p);
	ck_assert(shared_health_only_refused(&p));
	shared_health_heard(&p, 0, 6500);
	ck_assert_uint_eq(shared_health_since_ns(&p), 0);
	ck_assert_uint_eq(shared_health_n_sent(&p), 0);
	ck_assert_int_eq(shared_health_turn(&p, 6999, INTERVAL_NS), -1); /* the pause stays */
	ck_assert_int_eq(shared_health_turn(&p, 7000, INTERVAL_NS), 0);
}
END_TEST

static struct shared_health shared;
static atomic_uint n_turns;

static void *
take_turns(void *unused)
{
	(void)unused;
	for (uint64_t now_ns = INTERVAL_NS; now_ns <= 10000 * INTERVAL_NS;
	     now_ns += INTERVAL_NS / 10)
		if (shared_health_turn(&shared, now_ns, INTERVAL_NS) >= 0)
			atomic_fetch_add(&n_turns, 1);
	return NULL;
}

/* Each turn is one thread's. */
START_TEST(threads_take_turns)
{
	pthread_t threads[THREADS];

	shared_health_init(&shared);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, take_turns, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ck_assert_uint_ge(n_turns, 9000);
	ck_assert_uint_le(n_turns, 10000);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, an_address_has_one_pulse);
	tcase_add_test(tc, a_full_table_has_no_more);
	tcase_add_test(tc, turns_are_numbered_until_it_is_heard);
	tcase_add_test(tc, threads_take_turns);
}
