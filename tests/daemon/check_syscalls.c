/* SPDX-License-Identifier: BSD-2-Clause */
/* Which system calls are denied, and that what the daemon needs is not; tests/system/sandbox.sh has
 * more of both. Each test is a process of its own, as nothing takes it back. */

#include "daemon/syscalls.h"

#include <errno.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tests.h"

/* Limit this process. False if there is nothing to test: sanitizers do more than is permitted. */
static bool
limit(bool strict)
{
#ifdef INSTRUMENTED
	(void)strict;
	return false;
#else
	int rc;

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	rc = syscalls_limit(strict);
	ck_assert_int_eq(rc, syscalls_known() ? 0 : -EOPNOTSUPP);
	return rc == 0;
#endif
}

static int
error_of(long rc)
{
	return rc < 0 ? errno : 0;
}

static void *
answer(void *arg)
{
	*(int *)arg = error_of(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	return arg;
}

/* A thread can be started, and is limited as well. */
static void
check_threads(void)
{
	pthread_t thread;
	int error = -1;

	ck_assert_int_eq(pthread_create(&thread, NULL, answer, &error), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(error, EPERM);
}

static void
check_sockets(void)
{
	static const int families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		int fd = socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0);

		/* A machine may lack IPv6, but nobody denied it. */
		ck_assert(fd >= 0 || errno == EAFNOSUPPORT);
		if (fd >= 0)
			close(fd);
	}
	for (int family = 0; family < 64; family++) {
		if (family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
		    family == AF_NETLINK)
			continue;
		ck_assert_int_eq(error_of(socket(family, SOCK_DGRAM, 0)), EPERM);
	}
}

START_TEST(the_list_of_what_is_denied)
{
	if (!limit(false))
		return;
	ck_assert_int_eq(error_of(syscall(SYS_execve, NULL, NULL, NULL)), EPERM);
	ck_assert_int_eq(error_of(syscall(SYS_mount, NULL, NULL, NULL, 0, NULL)), EPERM);
	ck_assert_int_eq(error_of(syscall(SYS_bpf, -1, NULL, 0)), EPERM);
	ck_assert_int_eq(error_of(syscall(SYS_keyctl, -1, 0, 0)), EPERM);
	ck_assert_int_eq(error_of(syscall(SYS_clone3, NULL, 0)), ENOSYS);
	ck_assert_int_eq(error_of(fork()), EPERM);
	ck_assert_int_eq(error_of(syscall(SYS_getpriority, 0, 0)), 0);
	check_sockets();
	check_threads();
}
END_TEST

/* In a child that ends at once, as Check does more than strict permits. Returns what did not hold.
 */
static int
strict_child(void)
{
	pthread_t thread;
	int error = -1;

	if (!limit(true))
		return 0;
	if (error_of(syscall(SYS_execve, NULL, NULL, NULL)) != EPERM)
		return 1;
	if (error_of(fork()) != ENOSYS)
		return 2;
	if (error_of(syscall(SYS_getpriority, 0, 0)) != ENOSYS)
		return 3;
	if (error_of(syscall(4000)) != ENOSYS) /* a call that no kernel has */
		return 4;
	if (error_of(socket(AF_PACKET, SOCK_DGRAM, 0)) != ENOSYS)
		return 5;
	if (error_of(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) != 0)
		return 6;
	if (pthread_create(&thread, NULL, answer, &error) != 0 || pthread_join(thread, NULL) != 0)
		return 7;
	return error == EPERM ? 0 : 8;
}

START_TEST(the_list_of_what_is_permitted)
{
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(strict_child());
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tests_apart();
	tcase_add_test(tc, the_list_of_what_is_denied);
	tcase_add_test(tc, the_list_of_what_is_permitted);
}
