/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory: all bytes, the limit, errors. */

#include "daemon/textfile.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"

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

START_TEST(all_bytes)
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

START_TEST(limit)
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

START_TEST(errors)
{
	char *text;
	size_t len;

	ck_assert_int_eq(textfile_read("/nonexistent/file", &text, &len), -ENOENT);
	ck_assert_int_eq(textfile_read("/", &text, &len), -EISDIR);
	/* Without an end there is a limit all the same. */
	ck_assert_int_eq(textfile_read("/dev/zero", &text, &len), -EFBIG);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("textfile");
	TCase *tc = tcase_create("textfile");
	SRunner *sr = srunner_create(s);

	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, all_bytes);
	tcase_add_test(tc, limit);
	tcase_add_test(tc, errors);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
