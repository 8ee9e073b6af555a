/* SPDX-License-Identifier: BSD-2-Clause */
/* Small text files: what is cut off or too large is not taken for a number. */

#include "bench/host/file.h"

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/scratch.h"
#include "support/tree.h"

START_TEST(numbers_are_read_one_by_one)
{
	const char *at = "7 \t42\n18446744073709551615 -1";
	uint64_t v = 0;

	ck_assert(bench_file_number(&at, &v));
	ck_assert_uint_eq(v, 7);
	ck_assert(bench_file_number(&at, &v));
	ck_assert_uint_eq(v, 42);
	ck_assert_str_eq(at, "\n18446744073709551615 -1");
	ck_assert(!bench_file_number(&at, &v)); /* a line does not go on in the next one */
	at++;
	ck_assert(bench_file_number(&at, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert(!bench_file_number(&at, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert_str_eq(at, " -1");
}
END_TEST

START_TEST(what_is_no_number_is_refused)
{
	static const char *const texts[] = { "", " ", "x", "-1 ", "12", "12x ", "0x10 ",
		"18446744073709551616 ", "99999999999999999999 ",
		"340282366920938463463374607431768211457 " };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *at = texts[i];
		uint64_t v = 5;

		ck_assert_msg(!bench_file_number(&at, &v), "\"%s\"", texts[i]);
		ck_assert_uint_eq(v, 5);
		ck_assert_ptr_eq(at, texts[i]);
	}
}
END_TEST

START_TEST(value_is_that_of_its_whole_key)
{
	static const char text[] = "Name:\tVmRSS: 1\nVmRSSX: 2\n VmRSS: 3\nVmRSS:\t  4 kB\n"
				   "VmRSS: 5\n";

	ck_assert_str_eq(bench_file_value(text, "VmRSS"), "4 kB\nVmRSS: 5\n");
	ck_assert_str_eq(bench_file_value("A:", "A"), "");
	ck_assert_ptr_null(bench_file_value(text, "Vm"));
	ck_assert_ptr_null(bench_file_value("", "A"));
	ck_assert_ptr_null(bench_file_value("A", "A"));
	ck_assert_ptr_null(bench_file_value("B:\n", "A"));
}
END_TEST

START_TEST(long_file_is_cut_at_the_limit)
{
	static char text[BENCH_FILE_MAX + 10], path[BENCH_FILE_PATH];
	static struct bench_file file;
	char root[SCRATCH_PATH];

	scratch_dir(root);
	tree_write(root, "short", "one\n");
	ck_assert_int_eq(bench_file_read(&file, "%s/%s", root, "short"), 0);
	ck_assert_str_eq(file.text, "one\n");
	ck_assert_uint_eq(file.len, 4);

	memset(text, '1', sizeof(text) - 1);
	tree_write(root, "long", text);
	ck_assert_int_eq(bench_file_read(&file, "%s/long", root), 0);
	ck_assert_uint_eq(file.len, BENCH_FILE_MAX);
	ck_assert_uint_eq(strlen(file.text), BENCH_FILE_MAX);

	ck_assert_int_eq(bench_file_read(&file, "%s/none", root), -ENOENT);
	ck_assert_int_eq(bench_file_read(&file, "%s", root), -EISDIR);
	memset(path, '/', sizeof(path) - 1);
	ck_assert_int_eq(bench_file_read(&file, "/%s", path), -ENAMETOOLONG);
	tree_remove(root, "");
}
END_TEST

START_TEST(product_stops_at_the_largest)
{
	ck_assert_uint_eq(bench_file_times(3, 10000000), 30000000);
	ck_assert_uint_eq(bench_file_times(UINT64_MAX / 1024, 1024), UINT64_MAX - 1023);
	ck_assert_uint_eq(bench_file_times(UINT64_MAX / 1024 + 1, 1024), UINT64_MAX);
}
END_TEST

START_TEST(unprintable_octets_become_question_marks)
{
	char to[8];

	bench_file_clean(to, sizeof(to), "a\tb\x7f\xc3-~", 7);
	ck_assert_str_eq(to, "a?b?\?-~");
	bench_file_clean(to, sizeof(to), "longer than that", 16);
	ck_assert_str_eq(to, "longer ");
	bench_file_clean(to, sizeof(to), "short", 2);
	ck_assert_str_eq(to, "sh");
	bench_file_clean(to, 1, "none", 4);
	ck_assert_str_eq(to, "");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_file");
	TCase *tc = tcase_create("file");

	tcase_add_test(tc, numbers_are_read_one_by_one);
	tcase_add_test(tc, what_is_no_number_is_refused);
	tcase_add_test(tc, value_is_that_of_its_whole_key);
	tcase_add_test(tc, long_file_is_cut_at_the_limit);
	tcase_add_test(tc, product_stops_at_the_largest);
	tcase_add_test(tc, unprintable_octets_become_question_marks);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
