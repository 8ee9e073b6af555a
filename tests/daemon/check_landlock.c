/* SPDX-License-Identifier: BSD-2-Clause */
/* What Landlock forbids and permits. Each test is a process of its own, as nothing takes it back.
 */

#include "daemon/landlock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

#define PATH_LEN (SCRATCH_PATH + 16)

static char dir[SCRATCH_PATH];
static char path[PATH_LEN];

/* Is there something to test? Leak checkers need the files that the tests forbid. */
static int
begin(void)
{
#ifdef INSTRUMENTED
	return -ECANCELED;
#else
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	return landlock_abi();
#endif
}

/* Open NAME in DIR as FLAGS say. Returns 0 or the errno. */
static int
try_open(const char *name, int flags)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int
try_remove(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return unlink(path) == 0 ? 0 : errno;
}

static void
setup(void)
{
	scratch_dir(dir);
	ck_assert_int_eq(try_open("one", O_WRONLY | O_CREAT), 0);
}

static void
teardown(void)
{
	/* By the process that is not limited. */
	(void)try_remove("one");
	(void)try_remove("two");
	(void)rmdir(dir);
}

/* Limit this process to WHAT in DIR; 0: nothing. */
static void
limit(int abi, unsigned what)
{
	struct landlock l;

	ck_assert_int_eq(landlock_begin(&l, abi, LANDLOCK_BIND | LANDLOCK_CONNECT), 0);
	if (what != 0) {
		snprintf(path, sizeof(path), "%s", dir);
		ck_assert_int_eq(landlock_allow_dir(&l, path, what), 0);
	}
	ck_assert_int_eq(landlock_enforce(&l, true), 0);
}

START_TEST(nothing_is_permitted)
{
	int abi = begin();

	if (abi < 0)
		return;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	limit(abi, 0);
	ck_assert_int_eq(try_open("one", O_RDONLY), EACCES);
	ck_assert_int_eq(try_open("one", O_WRONLY), EACCES);
	ck_assert_int_eq(try_open("two", O_WRONLY | O_CREAT), EACCES);
	ck_assert_int_eq(try_open("", O_RDONLY | O_DIRECTORY), EACCES);
	ck_assert_int_eq(try_remove("one"), EACCES);
	/* What was open already is of use. */
	ck_assert_int_eq(fsync(fd), 0);
}
END_TEST

START_TEST(reading)
{
	int abi = begin();

	if (abi < 0)
		return;
	limit(abi, LANDLOCK_READ);
	ck_assert_int_eq(try_open("one", O_RDONLY), 0);
	ck_assert_int_eq(try_open("", O_RDONLY | O_DIRECTORY), 0);
	ck_assert_int_eq(try_open("one", O_WRONLY), EACCES);
	ck_assert_int_eq(try_open("two", O_WRONLY | O_CREAT), EACCES);
	ck_assert_int_eq(try_remove("one"), EACCES);
}
END_TEST

START_TEST(writing)
{
	char new[PATH_LEN];
	int abi = begin();

	if (abi < 0)
		return;
	limit(abi, LANDLOCK_READ | LANDLOCK_WRITE | LANDLOCK_REMOVE);
	ck_assert_int_eq(try_open("two", O_WRONLY | O_CREAT | O_EXCL), 0);
	ck_assert_int_eq(try_open("two", O_WRONLY | O_TRUNC), 0);
	/* As a cache file is replaced. */
	snprintf(new, sizeof(new), "%s/one", dir);
	ck_assert_int_eq(rename(path, new), 0);
	ck_assert_int_eq(try_remove("one"), 0);
	ck_assert_int_eq(mkdir(path, 0700) == 0 ? 0 : errno, EACCES);
}
END_TEST

/* Bind a TCP socket to PORT and connect another one to it. Returns 0 or the errno of WHAT. */
static int
try_port(uint16_t port, unsigned what)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc = what == LANDLOCK_BIND ? bind(fd, (const struct sockaddr *)&a, sizeof(a))
				       : connect(fd, (const struct sockaddr *)&a, sizeof(a));
	int error = errno;

	close(fd);
	return rc == 0 ? 0 : error;
}

START_TEST(tcp_ports)
{
	struct landlock l;
	int abi = begin();

	if (abi < LANDLOCK_ABI_NET)
		return;
	ck_assert_int_eq(landlock_begin(&l, abi, LANDLOCK_BIND | LANDLOCK_CONNECT), 0);
	ck_assert_int_eq(landlock_allow_port(&l, 48531, LANDLOCK_BIND), 0);
	ck_assert_int_eq(landlock_allow_port(&l, 48532, LANDLOCK_CONNECT), 0);
	ck_assert_int_eq(landlock_enforce(&l, true), 0);
	ck_assert_int_ne(try_port(48531, LANDLOCK_BIND), EACCES);
	ck_assert_int_eq(try_port(48532, LANDLOCK_BIND), EACCES);
	ck_assert_int_eq(try_port(48531, LANDLOCK_CONNECT), EACCES);
	ck_assert_int_eq(try_port(48532, LANDLOCK_CONNECT), ECONNREFUSED);
}
END_TEST

/* Of TCP only what was named is forbidden; a second ruleset forbids more. */
START_TEST(a_second_ruleset_forbids_more)
{
	struct landlock l;
	int abi = begin();

	if (abi < LANDLOCK_ABI_NET)
		return;
	ck_assert_int_eq(landlock_begin(&l, abi, LANDLOCK_CONNECT), 0);
	ck_assert_int_eq(landlock_allow_port(&l, 48533, LANDLOCK_BIND), 0);
	ck_assert_int_eq(landlock_enforce(&l, true), 0);
	ck_assert_int_ne(try_port(48533, LANDLOCK_BIND), EACCES);
	ck_assert_int_eq(try_port(48533, LANDLOCK_CONNECT), EACCES);
	ck_assert_int_eq(landlock_begin(&l, abi, LANDLOCK_BIND), 0);
	ck_assert_int_eq(landlock_enforce(&l, true), 0);
	ck_assert_int_eq(try_port(48533, LANDLOCK_BIND), EACCES);
}
END_TEST

/* An older kernel is asked for what it knows. */
START_TEST(older_versions)
{
	static const unsigned bits[] = { 13, 14, 15, 15, 16, 16, 16 };
	struct landlock l;
	int abi = begin();

	for (int i = 1; i <= abi && i <= 7; i++) {
		ck_assert_int_eq(landlock_begin(&l, i, LANDLOCK_BIND), 0);
		ck_assert_uint_eq(l.files, (UINT64_C(1) << bits[i - 1]) - 1);
		ck_assert_uint_eq(l.tcp, i >= LANDLOCK_ABI_NET ? 1 : 0);
		ck_assert_int_eq(landlock_allow_port(&l, 53, LANDLOCK_CONNECT), 0);
		ck_assert_int_eq(landlock_allow_dir(&l, "/nonexistent", LANDLOCK_READ), -ENOENT);
		ck_assert_int_eq(landlock_enforce(&l, false), 0);
	}
	ck_assert_int_ne(try_open("one", O_RDONLY), EACCES);
}
END_TEST

void
tests_add(TCase *tc)
{
	tests_apart();
	tcase_add_unchecked_fixture(tc, setup, teardown);
	tcase_add_test(tc, older_versions);
	tcase_add_test(tc, nothing_is_permitted);
	tcase_add_test(tc, reading);
	tcase_add_test(tc, writing);
	tcase_add_test(tc, tcp_ports);
	tcase_add_test(tc, a_second_ruleset_forbids_more);
}
