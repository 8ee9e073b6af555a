/* SPDX-License-Identifier: BSD-2-Clause */
/* logonce: what all loops meet is logged by one, at the beginning and at the end. */

#include "base/logonce.h"

#include <pthread.h>

#include "support/tests.h"

#define LOOPS 4
#define ROUNDS 20000

static struct logonce *t;
static struct netaddr one, other;

static void
setup(void)
{
	t = logonce_new();
	ck_assert_ptr_nonnull(t);
	ck_assert(netaddr_parse("192.0.2.1", 53, &one));
	ck_assert(netaddr_parse("192.0.2.1", 54, &other));
}

static void
teardown(void)
{
	logonce_free(t);
}

/* The first says it, and the last that it is over. */
START_TEST(first_begin_and_last_end_are_said)
{
	for (int again = 0; again < 2; again++) {
		ck_assert(logonce_begin(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_begin(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_begin(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_end(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_begin(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_end(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_end(t, LOGONCE_DOWN, &one));
		ck_assert(logonce_end(t, LOGONCE_DOWN, &one));
		ck_assert(!logonce_end(t, LOGONCE_DOWN, &one));
	}
}
END_TEST

/* What loops count of a trouble is added up until it ends. */
START_TEST(loops_count_together)
{
	ck_assert(logonce_begin(t, LOGONCE_CROWDED, NULL));
	ck_assert(!logonce_begin(t, LOGONCE_CROWDED, NULL));
	ck_assert_uint_eq(logonce_count(t, LOGONCE_CROWDED, NULL, 3), 3);
	(void)logonce_end(t, LOGONCE_CROWDED, NULL);
	ck_assert_uint_eq(logonce_count(t, LOGONCE_CROWDED, NULL, 4), 7);
	(void)logonce_end(t, LOGONCE_CROWDED, NULL);
	ck_assert(logonce_begin(t, LOGONCE_CROWDED, NULL));
	ck_assert_uint_eq(logonce_count(t, LOGONCE_CROWDED, NULL, 5), 5);
	ck_assert_uint_eq(logonce_count(NULL, LOGONCE_CROWDED, NULL, 6), 6);
}
END_TEST

/* What one loop knows to be over is over for all. */
START_TEST(end_is_told_once_to_all)
{
	ck_assert(!logonce_over(t, LOGONCE_ERRORS, &one));
	ck_assert(logonce_begin(t, LOGONCE_ERRORS, &one));
	ck_assert(!logonce_begin(t, LOGONCE_ERRORS, &one));
	ck_assert(logonce_over(t, LOGONCE_ERRORS, &one));
	ck_assert(!logonce_over(t, LOGONCE_ERRORS, &one));
	ck_assert(!logonce_end(t, LOGONCE_ERRORS, &one));
	ck_assert(logonce_begin(t, LOGONCE_ERRORS, &one));
}
END_TEST

/* Troubles are of a kind, and about somebody or nobody. */
START_TEST(kinds_and_addresses_are_apart)
{
	ck_assert(logonce_begin(t, LOGONCE_DOWN, &one));
	ck_assert(logonce_begin(t, LOGONCE_DOWN, &other));
	ck_assert(logonce_begin(t, LOGONCE_NO_SOCKET, &one));
	ck_assert(logonce_begin(t, LOGONCE_NO_ACCEPT, NULL));
	ck_assert(!logonce_begin(t, LOGONCE_NO_ACCEPT, NULL));
	ck_assert(logonce_end(t, LOGONCE_DOWN, &one));
	ck_assert(!logonce_begin(t, LOGONCE_DOWN, &other));
}
END_TEST

/* More than there is room for are not logged, and push nobody out. */
START_TEST(full_table_tells_no_more_and_pushes_none_out)
{
	struct netaddr a = one;

	for (uint16_t i = 0; i < LOGONCE_EACH; i++) {
		a.port = i;
		ck_assert(logonce_begin(t, LOGONCE_REFUSED, &a));
	}
	a.port = LOGONCE_EACH;
	ck_assert(!logonce_begin(t, LOGONCE_REFUSED, &a));
	ck_assert(!logonce_end(t, LOGONCE_REFUSED, &a));
	a.port = 0;
	ck_assert(logonce_end(t, LOGONCE_REFUSED, &a));
	a.port = LOGONCE_EACH;
	ck_assert(logonce_begin(t, LOGONCE_REFUSED, &a));
}
END_TEST

/* What happens again and again is said once in a while, of whom there is room for. */
START_TEST(recurring_trouble_is_said_once_in_a_while)
{
	struct netaddr a = one;

	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &one, 1, 5), 1);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &one, 1, 5), 0);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &other, 1, 6), 1);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &one, 40, 4 + LOGONCE_PAUSE_NS), 0);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &one, 1, 5 + LOGONCE_PAUSE_NS), 42);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_LOST, &one, 1, 5 + LOGONCE_PAUSE_NS), 0);
	for (uint16_t i = 0; i < 3 * LOGONCE_EACH; i++) {
		a.port = i;
		ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_FULL, &a, 1, 9), i < LOGONCE_EACH);
	}
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_FULL, &a, 1, 9 + LOGONCE_PAUSE_NS), 1);
	ck_assert_uint_eq(logonce_now(t, LOGONCE_TCP_FULL, &a, 1, 9 + LOGONCE_PAUSE_NS), 0);
}
END_TEST

/* A line tells how many were held back before it. */
START_TEST(more)
{
	char text[LOGONCE_MORE];

	ck_assert_str_eq(logonce_more(text, 1), "");
	ck_assert_str_eq(logonce_more(text, 42), " (and 41 more since the last such message)");
	ck_assert_uint_lt(strlen(logonce_more(text, UINT64_MAX)), LOGONCE_MORE - 1);
}
END_TEST

/* Without a table all is said. */
START_TEST(without_a_table_all_is_said)
{
	for (int i = 0; i < 2; i++) {
		ck_assert(logonce_begin(NULL, LOGONCE_DOWN, &one));
		ck_assert(logonce_now(NULL, LOGONCE_TCP_LOST, &one, 1, 5) == 1);
	}
	ck_assert(logonce_end(NULL, LOGONCE_DOWN, &one));
	ck_assert(logonce_over(NULL, LOGONCE_DOWN, &one));
	logonce_free(NULL);
}
END_TEST

static void *
loop(void *arg)
{
	int *n = arg;

	for (int i = 0; i < ROUNDS; i++) {
		*n += logonce_begin(t, LOGONCE_DOWN, &one);
		*n -= logonce_end(t, LOGONCE_DOWN, &one);
	}
	return NULL;
}

/* As many beginnings as ends, whatever the threads do. */
START_TEST(threads_tell_as_many_ends_as_beginnings)
{
	pthread_t thread[LOOPS];
	int n[LOOPS] = { 0 };
	int sum = 0;

	for (int i = 0; i < LOOPS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, loop, &n[i]), 0);
	for (int i = 0; i < LOOPS; i++) {
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
		sum += n[i];
	}
	ck_assert_int_eq(sum, 0);
	ck_assert(logonce_begin(t, LOGONCE_DOWN, &one));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, first_begin_and_last_end_are_said);
	tcase_add_test(tc, loops_count_together);
	tcase_add_test(tc, end_is_told_once_to_all);
	tcase_add_test(tc, kinds_and_addresses_are_apart);
	tcase_add_test(tc, full_table_tells_no_more_and_pushes_none_out);
	tcase_add_test(tc, recurring_trouble_is_said_once_in_a_while);
	tcase_add_test(tc, more);
	tcase_add_test(tc, without_a_table_all_is_said);
	tcase_add_test(tc, threads_tell_as_many_ends_as_beginnings);
}
