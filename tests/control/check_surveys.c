/* SPDX-License-Identifier: BSD-2-Clause */
/* Those who want what the loops copy out, several at a time; with a loop that does nothing. */

#include "control/surveys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/operator.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"

static struct operator op;
static struct rig rig;
static struct snapshot *snapshot;

static void
setup(void)
{
	rig_init(&rig);
	snapshot = snapshot_new(&rig.conf);
	ck_assert_ptr_nonnull(snapshot);
	rig.loop = loop_new(snapshot, NULL, 0); /* nobody runs it */
	ck_assert_ptr_nonnull(rig.loop);
	operator_open(&op, "nameserver 192.0.2.1\n");
	op.host.loops[0] = rig.loop;
	op.host.n_loops = 1;
	operator_begin(&op);
	testclock_hold();
}

static void
teardown(void)
{
	operator_close(&op);
	rig_end(&rig);
	snapshot_unref(snapshot);
	testclock_reset();
}

/* Ask for PATH over a new connection; do not wait for the answer. */
static int
begin(const char *path)
{
	char raw[128];
	int fd = caller_connect(&op.caller);
	int len = snprintf(raw, sizeof(raw), "GET %s HTTP/1.1\r\nHost: d\r\n\r\n", path);

	ck_assert_int_eq(write(fd, raw, (size_t)len), len);
	caller_turn(&op.caller, 20);
	return fd;
}

/* The loops had their time for one request. */
static void
pass_one(void)
{
	testclock_pass(SURVEYS_MS * NS_PER_MS);
	caller_turn(&op.caller, 20);
}

static void
check_waits(int fd)
{
	char c;

	caller_turn(&op.caller, 20);
	ck_assert_int_eq(recv(fd, &c, 1, MSG_PEEK), -1);
	ck_assert_int_eq(errno, EAGAIN);
}

/* FD has an answer with a list at KEY. */
static void
check_answer(int fd, const char *key)
{
	ck_assert_int_eq(caller_wait(&op.caller, fd), 200);
	ck_assert_msg(json_is_array(json_object_get(op.caller.json, key)), "%s", op.caller.text);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "loops_silent")), 1);
}

static void
check_refused(int fd, const char *why)
{
	ck_assert_int_eq(caller_wait(&op.caller, fd), 503);
	ck_assert_msg(strstr(op.caller.text, why) != NULL, "%s", op.caller.text);
}

/* Each has its own answer, in its turn. */
START_TEST(others_wait)
{
	int fds[] = { begin("/inflight"), begin("/top/clients"), begin("/inflight") };

	check_waits(fds[0]);
	pass_one();
	check_answer(fds[0], "questions");
	check_waits(fds[1]);
	check_waits(fds[2]);
	pass_one();
	check_answer(fds[1], "networks");
	check_waits(fds[2]);
	pass_one();
	check_answer(fds[2], "questions");
	fds[0] = begin("/top/names"); /* the next one does not wait for anybody */
	pass_one();
	check_answer(fds[0], "top");
}
END_TEST

/* Who hangs up, whose turn it is or not, holds up the others for no longer than its turn. */
START_TEST(some_hang_up)
{
	int fds[] = { begin("/inflight"), begin("/top/names"), begin("/top/failures") };

	close(fds[0]);
	close(fds[1]);
	pass_one();
	pass_one();
	check_waits(fds[2]);
	pass_one();
	check_answer(fds[2], "top");
}
END_TEST

START_TEST(not_too_many)
{
	for (unsigned i = 0; i < SURVEYS_MAX; i++)
		close(begin(i % 2 == 0 ? "/inflight" : "/top/names"));
	check_refused(begin("/inflight"), "too many top and inflight requests wait");
	check_refused(begin("/top/names"), "too many top and inflight requests wait");
	ck_assert_int_eq(caller_ask(&op.caller, "GET", "/ping", NULL), 200);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, others_wait);
	tcase_add_test(tc, some_hang_up);
	tcase_add_test(tc, not_too_many);
}
