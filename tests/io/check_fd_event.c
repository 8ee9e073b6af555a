/* SPDX-License-Identifier: BSD-2-Clause */
/* source: what is ready is on its list, once, for as long as it is so. */
#include "io/fd_event.h"

#include <string.h>
#include <unistd.h>

#include "support/tests.h"

static struct event_base *base;
static struct list ready;
static struct fd_event source;
static int fd[2];

static void
setup(void)
{
	base = event_base_new();
	ck_assert_ptr_nonnull(base);
	ck_assert_int_eq(pipe(fd), 0);
	list_init(&ready);
	memset(&source, 0, sizeof(source));
	fd_event_open(&source, base, fd[0], EV_READ, &ready);
}

static void
teardown(void)
{
	fd_event_close(&source);
	event_base_free(base);
	close(fd[0]);
	close(fd[1]);
}

static void
look(void)
{
	(void)event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
}

START_TEST(readable_source_is_ready_until_read)
{
	look();
	ck_assert(list_empty(&ready));
	ck_assert_int_eq(fd_event_on(&source), 0);
	ck_assert_int_eq(fd_event_on(&source), 0);
	look();
	ck_assert(list_empty(&ready));
	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	look();
	look();
	ck_assert_ptr_eq(fd_event_take(&ready), &source);
	ck_assert_ptr_null(fd_event_take(&ready));
	look();
	ck_assert_ptr_eq(fd_event_take(&ready), &source);
}
END_TEST

START_TEST(source_that_is_off_is_not_ready)
{
	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	ck_assert_int_eq(fd_event_on(&source), 0);
	fd_event_off(&source);
	fd_event_off(&source);
	look();
	ck_assert(list_empty(&ready));
	fd_event_mark(&source);
	fd_event_mark(&source);
	ck_assert_ptr_eq(fd_event_take(&ready), &source);
	ck_assert(list_empty(&ready));
}
END_TEST

/*
 * One that is closed is on no list and libevent does not know it; closing a zeroed one is harmless.
 */
START_TEST(closed_source_is_on_no_list)
{
	struct fd_event zero;

	memset(&zero, 0, sizeof(zero));
	fd_event_close(&zero);
	ck_assert_int_eq(fd_event_on(&source), 0);
	fd_event_mark(&source);
	fd_event_close(&source);
	fd_event_close(&source);
	ck_assert(list_empty(&ready));
	ck_assert_int_eq(write(fd[1], "x", 1), 1);
	look();
	ck_assert(list_empty(&ready));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, readable_source_is_ready_until_read);
	tcase_add_test(tc, source_that_is_off_is_not_ready);
	tcase_add_test(tc, closed_source_is_on_no_list);
}
