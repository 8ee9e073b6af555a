/* SPDX-License-Identifier: BSD-2-Clause */
/* What is at a path already stays there, but for a dead socket of ours. */

#include "control/sockpath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 8];
static struct sockpath_owner me;

static void
setup(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/s", dir);
	me = (struct sockpath_owner){ .uid = geteuid(), .gid = getegid() };
}

static void
teardown(void)
{
	(void)unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

/* A socket at PATH as a killed daemon leaves it. */
static void
leave_dead(void)
{
	struct sockpath s;

	ck_assert_int_eq(sockpath_open(&s, path, &me), 0);
	close(s.fd);
}

START_TEST(made_and_taken_away)
{
	struct sockpath s;
	struct stat st;

	ck_assert_int_eq(sockpath_try(path, &me), 0);
	ck_assert_int_eq(sockpath_open(&s, path, &me), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert(S_ISSOCK(st.st_mode));
	ck_assert_uint_eq(st.st_mode & 07777, 0660);
	ck_assert_uint_eq(st.st_uid, geteuid());
	sockpath_close(&s);
	ck_assert_int_eq(lstat(path, &st), -1);
	ck_assert_int_eq(s.fd, -1);
	sockpath_close(&s);
}
END_TEST

/* Whatever the umask of whoever starts us. */
START_TEST(mode_never_depends)
{
	static const mode_t masks[] = { 0, 022, 0777 };
	struct sockpath s;
	struct stat st;

	for (size_t i = 0; i < 3; i++) {
		mode_t before = umask(masks[i]);

		ck_assert_int_eq(sockpath_open(&s, path, &me), 0);
		ck_assert_uint_eq(umask(before), masks[i]);
		ck_assert_int_eq(lstat(path, &st), 0);
		ck_assert_uint_eq(st.st_mode & 07777, 0660);
		sockpath_close(&s);
	}
}
END_TEST

START_TEST(given_to_others)
{
	struct sockpath_owner other = { .uid = 65534, .gid = 12345 };
	struct sockpath s;
	struct stat st;

	if (geteuid() != 0)
		return; /* not permitted */
	ck_assert_int_eq(sockpath_open(&s, path, &other), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert_uint_eq(st.st_uid, 65534);
	ck_assert_uint_eq(st.st_gid, 12345);
	close(s.fd);
	/* That of the user whom we become is ours, too. */
	ck_assert_int_eq(sockpath_open(&s, path, &other), 0);
	close(s.fd);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EEXIST);
}
END_TEST

START_TEST(dead_one_is_replaced)
{
	struct sockpath s;

	leave_dead();
	ck_assert_int_eq(sockpath_try(path, &me), 0);
	ck_assert_int_eq(sockpath_open(&s, path, &me), 0);
	sockpath_close(&s);
}
END_TEST

START_TEST(living_one_is_not)
{
	struct sockpath first, second = { .fd = -7 };
	struct stat st;

	ck_assert_int_eq(sockpath_open(&first, path, &me), 0);
	ck_assert_int_eq(sockpath_open(&second, path, &me), -EADDRINUSE);
	ck_assert_int_eq(second.fd, -7);
	/* It may be the daemon that is to be replaced. */
	ck_assert_int_eq(sockpath_try(path, &me), 0);
	ck_assert_int_eq(lstat(path, &st), 0);
	sockpath_close(&first);
}
END_TEST

/* A full queue, or a socket of another kind, is somebody too. */
START_TEST(who_answers_otherwise)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct sockpath s;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	memcpy(a.sun_path, path, strlen(path));
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EADDRINUSE);
	close(fd);
}
END_TEST

/* Somebody who is too busy to answer is not dead. */
START_TEST(who_has_a_full_queue)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), callers[8];
	struct sockpath s;
	size_t n = 0;

	memcpy(a.sun_path, path, strlen(path));
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	do {
		ck_assert_uint_lt(n, sizeof(callers) / sizeof(callers[0]));
		callers[n] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	} while (connect(callers[n++], (const struct sockaddr *)&a, sizeof(a)) == 0);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EADDRINUSE);
	while (n > 0)
		close(callers[--n]);
	close(fd);
}
END_TEST

START_TEST(directory_of_others)
{
	struct sockpath s;

	if (geteuid() != 0)
		return; /* not permitted */
	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(sockpath_try(path, &me), -EACCES);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EACCES);
	ck_assert_int_eq(seteuid(0), 0);
	/* Nor can it be seen what is there. */
	ck_assert_int_eq(chmod(dir, 0700), 0);
	ck_assert_int_eq(seteuid(65534), 0);
	ck_assert_int_eq(sockpath_try(path, &me), -EACCES);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EACCES);
	ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

/* What is dead but not ours stays, as it may be somebody's who comes back. */
START_TEST(dead_one_of_others)
{
	struct sockpath s;

	if (geteuid() != 0)
		return; /* not permitted */
	leave_dead();
	ck_assert_int_eq(chown(path, 12345, 12345), 0);
	ck_assert_int_eq(sockpath_try(path, &me), -EEXIST);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EEXIST);
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(no_socket_is_not_touched)
{
	struct sockpath s;
	struct stat before, st;
	int fd = open(path, O_CREAT | O_WRONLY, 0600);

	ck_assert_int_eq(fstat(fd, &before), 0);
	close(fd);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EEXIST);
	ck_assert_int_eq(sockpath_try(path, &me), -EEXIST);
	ck_assert_int_eq(lstat(path, &st), 0);
	ck_assert_uint_eq(st.st_ino, before.st_ino);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("elsewhere", path), 0);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EEXIST);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(sockpath_open(&s, path, &me), -EEXIST);
	ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(path_that_is_too_long)
{
	char longest[SOCKPATH_MAX + 2];
	struct sockpath s;

	memset(longest, 'x', sizeof(longest));
	memcpy(longest, dir, strlen(dir));
	longest[strlen(dir)] = '/';
	longest[SOCKPATH_MAX + 1] = '\0';
	ck_assert_int_eq(sockpath_open(&s, longest, &me), -ENAMETOOLONG);
	ck_assert_int_eq(sockpath_try(longest, &me), -ENAMETOOLONG);
	longest[SOCKPATH_MAX] = '\0';
	ck_assert_int_eq(sockpath_open(&s, longest, &me), 0);
	ck_assert_str_eq(s.path, longest);
	sockpath_close(&s);
}
END_TEST

START_TEST(no_directory)
{
	struct sockpath s;

	ck_assert_int_eq(sockpath_open(&s, "/nonexistent/s", &me), -ENOENT);
	ck_assert_int_eq(sockpath_try("/nonexistent/s", &me), -ENOENT);
	ck_assert_int_eq(sockpath_open(&s, "/dev/null/s", &me), -ENOTDIR);
	ck_assert_int_eq(sockpath_try("/dev/null/s", &me), -ENOTDIR);
}
END_TEST

/* Somebody put another one there meanwhile: it is not ours to remove. */
START_TEST(others_is_left)
{
	struct sockpath first, second;
	struct stat st;

	ck_assert_int_eq(sockpath_open(&first, path, &me), 0);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(sockpath_open(&second, path, &me), 0);
	sockpath_close(&first);
	ck_assert_int_eq(lstat(path, &st), 0);
	sockpath_close(&second);
}
END_TEST

START_TEST(each_reason_has_words)
{
	ck_assert_ptr_nonnull(strstr(sockpath_strerror(-EEXIST), "no socket"));
	ck_assert_ptr_nonnull(strstr(sockpath_strerror(-EADDRINUSE), "answers"));
	ck_assert_ptr_nonnull(strstr(sockpath_strerror(-ENAMETOOLONG), "107"));
	ck_assert_str_eq(sockpath_strerror(-EACCES), strerror(EACCES));
	ck_assert_ptr_nonnull(strstr(sockpath_usual(), "/dns64d/control"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, made_and_taken_away);
	tcase_add_test(tc, mode_never_depends);
	tcase_add_test(tc, given_to_others);
	tcase_add_test(tc, dead_one_is_replaced);
	tcase_add_test(tc, living_one_is_not);
	tcase_add_test(tc, who_answers_otherwise);
	tcase_add_test(tc, who_has_a_full_queue);
	tcase_add_test(tc, directory_of_others);
	tcase_add_test(tc, dead_one_of_others);
	tcase_add_test(tc, no_socket_is_not_touched);
	tcase_add_test(tc, path_that_is_too_long);
	tcase_add_test(tc, no_directory);
	tcase_add_test(tc, others_is_left);
	tcase_add_test(tc, each_reason_has_words);
}
