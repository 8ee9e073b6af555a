/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc and /sys: numbers and lines in them. */

#include "bench/host/proc.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "support/scratch.h"
#include "support/tests.h"
#include "support/tree.h"

/* --- file ------------------------------------------------------------------------------------- */

/* Small text files: what is cut off or too large is not taken for a number. */

START_TEST(numbers_are_read_one_by_one)
{
	const char *at = "7 \t42\n18446744073709551615 -1";
	uint64_t v = 0;

	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, 7);
	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, 42);
	ck_assert_str_eq(at, "\n18446744073709551615 -1");
	ck_assert(!bench_proc_number(&at, &v)); /* a line does not go on in the next one */
	at++;
	ck_assert(bench_proc_number(&at, &v));
	ck_assert_uint_eq(v, UINT64_MAX);
	ck_assert(!bench_proc_number(&at, &v));
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

		ck_assert_msg(!bench_proc_number(&at, &v), "\"%s\"", texts[i]);
		ck_assert_uint_eq(v, 5);
		ck_assert_ptr_eq(at, texts[i]);
	}
}
END_TEST

START_TEST(value_is_that_of_its_whole_key)
{
	static const char text[] = "Name:\tVmRSS: 1\nVmRSSX: 2\n VmRSS: 3\nVmRSS:\t  4 kB\n"
				   "VmRSS: 5\n";

	ck_assert_str_eq(bench_proc_value(text, "VmRSS", ':'), "4 kB\nVmRSS: 5\n");
	ck_assert_str_eq(bench_proc_value("A:", "A", ':'), "");
	ck_assert_ptr_null(bench_proc_value(text, "Vm", ':'));
	ck_assert_str_eq(bench_proc_value("A:1\nA=2", "A", '='), "2");
	ck_assert_ptr_null(bench_proc_value("", "A", ':'));
	ck_assert_ptr_null(bench_proc_value("A", "A", ':'));
	ck_assert_ptr_null(bench_proc_value("B:\n", "A", ':'));
	ck_assert_str_eq(
	    bench_proc_value("model\t: 1\nmodel name\t: AMD\n", "model name", ':'), "AMD\n");
}
END_TEST

START_TEST(long_file_is_cut_at_the_limit)
{
	static char text[BENCH_PROC_FILE_MAX + 10], path[PATH_MAX];
	static struct bench_proc_file file;
	char root[SCRATCH_PATH];

	scratch_dir(root);
	tree_write(root, "short", "one\n");
	ck_assert_int_eq(bench_proc_read(&file, "%s/%s", root, "short"), 0);
	ck_assert_str_eq(file.text, "one\n");

	memset(text, '1', sizeof(text) - 1);
	tree_write(root, "long", text);
	ck_assert_int_eq(bench_proc_read(&file, "%s/long", root), 0);
	ck_assert_uint_eq(strlen(file.text), BENCH_PROC_FILE_MAX);

	ck_assert_int_eq(bench_proc_read(&file, "%s/none", root), -ENOENT);
	ck_assert_int_eq(bench_proc_read(&file, "%s", root), -EISDIR);
	memset(path, '/', sizeof(path) - 1);
	ck_assert_int_eq(bench_proc_read(&file, "/%s", path), -ENAMETOOLONG);
	tree_remove(root, "");
}
END_TEST

static void
add_file(TCase *tc)
{
	tcase_add_test(tc, numbers_are_read_one_by_one);
	tcase_add_test(tc, what_is_no_number_is_refused);
	tcase_add_test(tc, value_is_that_of_its_whole_key);
	tcase_add_test(tc, long_file_is_cut_at_the_limit);
}

void
tests_add(TCase *tc)
{
	add_file(tc);
}
