/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are read back: whose they may be, who may write them, what they may be. */

#include "base/ownfile.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

#define OTHER 61234 /* an account that is nobody's */

static char path[SCRATCH_PATH];

static void
make(void)
{
	close(scratch_file(path));
}

static void
unmake(void)
{
	unlink(path);
}

/* Open it for USER: returns 0 or -errno. */
static int
try(uid_t user)
{
	int fd = ownfile_open(path, user);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Each mode in which group or others can write is refused, no other. */
START_TEST(who_can_write_it)
{
	for (mode_t mode = 0400; mode <= 0777; mode++) {
		ck_assert_int_eq(chmod(path, mode), 0);
		ck_assert_int_eq(try(geteuid()),
		    (mode & 022) != 0                             ? -EPERM
			: geteuid() == 0 || (mode & S_IRUSR) != 0 ? 0
								  : -EACCES);
	}
}
END_TEST

START_TEST(whose_it_is)
{
	ck_assert_int_eq(chmod(path, 0644), 0);
	if (geteuid() != 0) {
		ck_assert_int_eq(try(OTHER), -EPERM);
		return;
	}
	ck_assert_int_eq(try(OTHER), 0); /* root's */
	ck_assert_int_eq(chown(path, OTHER, 0), 0);
	ck_assert_int_eq(try(OTHER), 0);
	ck_assert_int_eq(try(OTHER + 1), -EPERM);
	/* That root can read it does not make it root's. */
	ck_assert_int_eq(try(0), -EPERM);
}
END_TEST

START_TEST(what_it_is)
{
	char link[SCRATCH_PATH + 8];

	snprintf(link, sizeof(link), "%s.link", path);
	ck_assert_int_eq(symlink(path, link), 0);
	ck_assert_int_eq(ownfile_open(link, geteuid()), -ELOOP);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(ownfile_open("/", geteuid()), -EISDIR);
	ck_assert_int_eq(ownfile_open("/dev/null", geteuid()), -EINVAL);
	ck_assert_int_eq(ownfile_open("/nonexistent/file", geteuid()), -ENOENT);
	/* Nobody writes to it, and that is not waited for. */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(try(geteuid()), -EINVAL);
}
END_TEST

START_TEST(errors_have_a_text)
{
	ck_assert_str_eq(ownfile_strerror(-EINVAL), "not a regular file");
	ck_assert_str_eq(ownfile_strerror(-ELOOP), "a symbolic link, which is not followed");
	ck_assert_str_eq(ownfile_strerror(-EPERM),
	    "it must belong to the daemon's user or root, and nobody else may be able to write it "
	    "(chown, chmod go-w)");
	ck_assert_str_eq(ownfile_strerror(-ENOENT), "No such file or directory");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, who_can_write_it);
	tcase_add_test(tc, whose_it_is);
	tcase_add_test(tc, what_it_is);
	tcase_add_test(tc, errors_have_a_text);
}
