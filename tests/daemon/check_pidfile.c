/* SPDX-License-Identifier: BSD-2-Clause */
/* One daemon at a time: the lock counts, what a crash left does not. */

#include "daemon/pidfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/scratch.h"
#include "support/tests.h"

static char dir[SCRATCH_PATH];
static char path[SCRATCH_PATH + 8];

static void
make(void)
{
	scratch_dir(dir);
	snprintf(path, sizeof(path), "%s/pid", dir);
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

/* Line ends in the file, behind a number that is ours. */
static size_t
line_ends(void)
{
	char text[32] = "", *end;
	FILE *f = fopen(path, "r");
	size_t n;

	ck_assert_ptr_nonnull(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	ck_assert_int_eq(strtol(text, &end, 10), getpid());
	ck_assert_uint_eq(strspn(end, "\n"), n - (size_t)(end - text));
	return strlen(end);
}

/* Who has the file only sees that a reload was tried, and how it went; a number it always is. */
START_TEST(reloads_are_told)
{
	static const struct {
		bool done;
		size_t line_ends;
	} steps[] = { { true, 2 }, { true, 1 }, { false, 3 }, { false, 4 }, { true, 1 },
		{ false, 3 }, { true, 1 }, { true, 2 }, { false, 3 } };
	struct pidfile p, none = { .fd = -1 };

	ck_assert_int_eq(pidfile_open(&p, path), 0);
	ck_assert_uint_eq(line_ends(), 1);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		pidfile_tell(&p, steps[i].done);
		ck_assert_uint_eq(line_ends(), steps[i].line_ends);
	}
	pidfile_close(&p);
	pidfile_tell(&none, true);
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
	tcase_add_test(tc, reloads_are_told);
	tcase_add_test(tc, pipe_or_device_is_refused);
	tcase_add_test(tc, file_is_held_by_one_daemon);
	tcase_add_test(tc, left_by_a_crash);
	tcase_add_test(tc, unwritable_file_and_link_are_errors);
}
