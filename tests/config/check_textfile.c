/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory: all bytes, the limit, errors. */

#include "config/textfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

static char path[SCRATCH_PATH];
static int fd;

static void
make(void)
{
	fd = scratch_file(path);
	ck_assert_int_ge(fd, 0);
}

static void
unmake(void)
{
	close(fd);
	unlink(path);
}

START_TEST(zero_bytes_are_read)
{
	char *text;
	size_t len;

	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	ck_assert_uint_eq(len, 0);
	ck_assert_str_eq(text, "");
	free(text);
	ck_assert_int_eq(write(fd, "a\0b\n", 4), 4);
	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	ck_assert_uint_eq(len, 4);
	ck_assert_mem_eq(text, "a\0b\n", 5);
	free(text);
}
END_TEST

START_TEST(file_over_64_mib_is_refused)
{
	char *text;
	size_t len = 77;

	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX + 1), 0);
	ck_assert_int_eq(textfile_read(path, &text, &len), -EFBIG);
	ck_assert_uint_eq(len, 77);
	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX), 0);
	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	ck_assert_uint_eq(len, TEXTFILE_MAX);
	free(text);
}
END_TEST

/* The system makes up files of /proc as they are read, and tells no size. */
START_TEST(file_without_a_size_is_read)
{
	char *text;
	size_t len;

	ck_assert_int_eq(textfile_read("/proc/self/status", &text, &len), 0);
	ck_assert_uint_gt(len, 100);
	ck_assert_uint_eq(len, strlen(text));
	free(text);
}
END_TEST

START_TEST(unreadable_file_is_an_error)
{
	char *text;
	size_t len;

	ck_assert_int_eq(textfile_read("/nonexistent/file", &text, &len), -ENOENT);
	ck_assert_int_eq(textfile_read("/", &text, &len), -EISDIR);
	ck_assert_str_eq(textfile_strerror(-ENOENT), "No such file or directory");
	ck_assert_str_eq(textfile_strerror(-EFBIG), "larger than 64 MiB");
}
END_TEST

/* What has no end, or nobody who writes, is not waited for. */
START_TEST(pipe_or_device_is_refused)
{
	char *text;
	size_t len;

	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0644), 0);
	ck_assert_int_eq(textfile_read(path, &text, &len), -EINVAL);
	ck_assert_int_eq(textfile_read("/dev/zero", &text, &len), -EINVAL);
	ck_assert_str_eq(textfile_strerror(-EINVAL), "not a regular file");
}
END_TEST

/* A link to a file is as good as the file, as in /etc/resolv.conf. */
START_TEST(link_to_a_file_is_followed)
{
	char link[SCRATCH_PATH + 8], *text;
	size_t len;

	snprintf(link, sizeof(link), "%s.link", path);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(textfile_read(link, &text, &len), 0);
	free(text);
	ck_assert_int_eq(unlink(link), 0);
}
END_TEST

/* What a file says that anybody can write is not done. */
START_TEST(a_file_that_is_trusted)
{
	char link[SCRATCH_PATH + 8], *text;
	size_t len;

	ck_assert_int_eq(chmod(path, 0664), 0);
	ck_assert_int_eq(textfile_read_trusted(path, &text, &len), 0);
	free(text);
	ck_assert_int_eq(chmod(path, 0602), 0);
	ck_assert_int_eq(textfile_read_trusted(path, &text, &len), -EPERM);
	ck_assert_int_eq(textfile_read(path, &text, &len), 0);
	free(text);
	ck_assert_int_eq(chmod(path, 0600), 0);
	snprintf(link, sizeof(link), "%s.link", path);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(textfile_read_trusted(link, &text, &len), 0);
	free(text);
	ck_assert_int_eq(chmod(path, 0602), 0);
	ck_assert_int_eq(textfile_read_trusted(link, &text, &len), -EPERM);
	ck_assert_int_eq(textfile_read_trusted("/dev/zero", &text, &len), -EINVAL);
	unlink(link);
}
END_TEST

/* A file of the daemon's is read by the rule of base/ownfile. */
START_TEST(a_file_of_our_own)
{
	char *text;
	size_t len;

	ck_assert_int_eq(write(fd, "a\n", 2), 2);
	ck_assert_int_eq(textfile_read_own(path, geteuid(), &text, &len), 0);
	ck_assert_uint_eq(len, 2);
	ck_assert_str_eq(text, "a\n");
	free(text);
	ck_assert_int_eq(chmod(path, 0620), 0);
	ck_assert_int_eq(textfile_read_own(path, geteuid(), &text, &len), -EPERM);
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert_int_eq(ftruncate(fd, TEXTFILE_MAX + 1), 0);
	ck_assert_int_eq(textfile_read_own(path, geteuid(), &text, &len), -EFBIG);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, zero_bytes_are_read);
	tcase_add_test(tc, file_over_64_mib_is_refused);
	tcase_add_test(tc, file_without_a_size_is_read);
	tcase_add_test(tc, unreadable_file_is_an_error);
	tcase_add_test(tc, pipe_or_device_is_refused);
	tcase_add_test(tc, link_to_a_file_is_followed);
	tcase_add_test(tc, a_file_that_is_trusted);
	tcase_add_test(tc, a_file_of_our_own);
}
