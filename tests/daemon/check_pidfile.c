/* SPDX-License-Identifier: BSD-2-Clause */
/* One daemon at a time: the lock counts, what a crash left does not. */

#include "daemon/pidfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 8], other[SCRATCH_PATH + 8];

static void
make(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/pid", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
}

static void
unmake(void)
{
	(void)unlink(path);
	(void)rmdir(dir);
}

static long
number_in_file(void)
{
	char text[32] = "";
	FILE *f = fopen(path, "r");

	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
	fclose(f);
	return strtol(text, NULL, 10);
}

START_TEST(written_and_removed)
{
	struct pidfile p;

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert_int_eq(number_in_file(), getpid());
	pidfile_close(&p);
	ck_assert_int_eq(access(path, F_OK), -1);
	pidfile_close(&p);
}
END_TEST

/* Can the file be written by a descriptor that this process has open? */
static bool
is_writable(void)
{
	struct stat there, st;
	bool writable = false;

	ck_assert_int_eq(stat(path, &there), 0);
	for (int fd = 3; fd < 256; fd++) {
		if (fstat(fd, &st) == 0 && st.st_ino == there.st_ino && st.st_dev == there.st_dev)
			writable |= (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
	}
	return writable;
}

/* Who takes over a daemon that serves can write no other's number. The lock stays. */
START_TEST(while_it_serves_nothing_can_be_written)
{
	struct pidfile p, q = { .fd = -1 };

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert(is_writable());
	pidfile_settle(&p);
	ck_assert(!is_writable());
	ck_assert_int_eq(number_in_file(), getpid());
	ck_assert_int_eq(pidfile_open(&q, path), getpid());
	pidfile_close(&p);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

/* A start that fails leaves no number, where it may not remove the file. */
START_TEST(start_that_fails_leaves_no_number)
{
	struct pidfile p;
	struct stat st;

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert_int_eq(link(path, other), 0);
	pidfile_close(&p);
	ck_assert_int_eq(stat(other, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	ck_assert_int_eq(unlink(other), 0);
}
END_TEST

/* What has come to its place meanwhile is another's. */
START_TEST(file_of_another_is_left)
{
	struct pidfile p;
	FILE *f;

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	pidfile_settle(&p);
	ck_assert_int_eq(unlink(path), 0);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("7\n", f);
	fclose(f);
	pidfile_close(&p);
	ck_assert_int_eq(number_in_file(), 7);
}
END_TEST

/* Of what is no file nothing becomes one, and nobody is waited for. */
START_TEST(pipe_or_device_is_refused)
{
	struct pidfile p = { .fd = -1 };

	ck_assert_int_eq(mkfifo(path, 0644), 0);
	ck_assert_int_eq(pidfile_open(&p, path), -EINVAL);
	ck_assert_int_eq(p.fd, -1);
	ck_assert_int_eq(pidfile_open(&p, dir), -EISDIR);
}
END_TEST

START_TEST(file_is_held_by_one_daemon)
{
	struct pidfile p, q = { .fd = -1 };

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert_int_eq(pidfile_open(&q, path), getpid());
	ck_assert_int_eq(number_in_file(), getpid());
	pidfile_close(&p);
	ck_assert_int_eq(pidfile_open(&q, path), 0);
	pidfile_close(&q);
}
END_TEST

START_TEST(left_by_a_crash)
{
	struct pidfile p;
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs("1234567\nand more text\n", f);
	fclose(f);
	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert_int_eq(number_in_file(), getpid());
	pidfile_close(&p);
}
END_TEST

START_TEST(unwritable_file_and_link_are_errors)
{
	struct pidfile p = { .fd = -1 };

	ck_assert_int_eq(pidfile_open(&p, "/nonexistent/pid"), -ENOENT);
	ck_assert_int_eq(p.fd, -1);
	/* Never through a link that somebody else put there. */
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	ck_assert_int_eq(pidfile_open(&p, path), -ELOOP);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, written_and_removed);
	tcase_add_test(tc, while_it_serves_nothing_can_be_written);
	tcase_add_test(tc, start_that_fails_leaves_no_number);
	tcase_add_test(tc, file_of_another_is_left);
	tcase_add_test(tc, pipe_or_device_is_refused);
	tcase_add_test(tc, file_is_held_by_one_daemon);
	tcase_add_test(tc, left_by_a_crash);
	tcase_add_test(tc, unwritable_file_and_link_are_errors);
}
