/* SPDX-License-Identifier: BSD-2-Clause */
/* One clock, which goes on while the machine sleeps (D22: TTLs do). */
#include "base/clock.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/tests.h"

#define SLEPT_S 1000000ULL

static uint64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	ck_assert_int_eq(clock_gettime(id, &ts), 0);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

START_TEST(time_counts_sleep_too)
{
	uint64_t before = read_clock(CLOCK_BOOTTIME);
	uint64_t now = clock_now_ns();

	ck_assert_uint_le(before, now);
	ck_assert_uint_le(now, read_clock(CLOCK_BOOTTIME));
}
END_TEST

/* Children live where the machine has slept for SLEPT_S. False: we may not do that here. */
static bool
enter_later_time(void)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "boottime %llu 0\n", SLEPT_S);
	bool written;
	int fd;

	if (unshare(CLONE_NEWTIME) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWTIME) != 0)
		return false;
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, line, (size_t)n) == n;
	close(fd);
	return written;
}

/* What a child of a child finds: 0, the clock has counted it; 1, it has not; 2, nobody can tell. */
static int
ask_child(void)
{
	pid_t pid;
	int status;

	if (!enter_later_time())
		return 2;
	pid = fork();
	if (pid == 0)
		_exit(clock_now_ns() >= read_clock(CLOCK_MONOTONIC) + SLEPT_S / 2 * NS_PER_SEC ? 0
											       : 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 2;
	return WEXITSTATUS(status);
}

START_TEST(counts_a_long_sleep)
{
	pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(ask_child());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	/* Root may look; others see what they may. */
	if (geteuid() == 0)
		ck_assert_int_eq(WEXITSTATUS(status), 0);
	else
		ck_assert_int_ne(WEXITSTATUS(status), 1);
}
END_TEST

START_TEST(whole_seconds_are_rounded_down)
{
	ck_assert_uint_eq(clock_s(0), 0);
	ck_assert_uint_eq(clock_s(NS_PER_SEC - 1), 0);
	ck_assert_uint_eq(clock_s(NS_PER_SEC), 1);
	ck_assert_uint_eq(clock_s(UINT32_MAX * NS_PER_SEC + NS_PER_SEC - 1), UINT32_MAX);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, time_counts_sleep_too);
	tcase_add_test(tc, counts_a_long_sleep);
	tcase_add_test(tc, whole_seconds_are_rounded_down);
}
