/* SPDX-License-Identifier: BSD-2-Clause */
/* A line for each question, in a file. */

#include "bench/load/raw.h"

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"

#define HEAD "sent_ns,name,type,outcome,rtt_ns\n"
#define THREADS 4
#define LINES 20000 /* of each thread: more than fit into the buffer */

static struct bench_load load;

START_TEST(each_question_is_one_line)
{
	char path[SCRATCH_PATH], text[1000];
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };
	struct bench_raw *r;
	int fd = scratch_file(path);

	bench_load_init(&load);
	load.numbers = (struct bench_range){ 0, 99, 2 };
	ck_assert_int_eq(bench_raw_open(path, &r), 0);
	bench_raw_add(r, &load, &asked, 1234, "valid");
	asked.question = (struct bench_question){ BENCH_MISSING, 2 };
	asked.sent_ns = UINT64_MAX - 5;
	bench_raw_add(r, &load, &asked, UINT64_MAX - 5, "wrong rcode");
	asked.question = (struct bench_question){ BENCH_NUMBER, 64 };
	asked.sent_ns = 0;
	bench_raw_add(r, &load, &asked, 1000000000000, "lost");
	ck_assert_int_eq(bench_raw_close(r), 0);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_str_eq(text,
	    HEAD "1000,010-000-000-001.dns64perf.test.,28,valid,234\n"
		 "18446744073709551610,nx-010-000-000-002.dns64perf.test.,28,wrong rcode,0\n"
		 "0,4.6.e164.arpa.,35,lost,1000000000000\n");
	(void)close(fd);
	(void)unlink(path);
}
END_TEST

START_TEST(file_that_cannot_open_is_an_error)
{
	struct bench_raw *r;

	ck_assert_int_eq(bench_raw_open("/nonexistent/file", &r), -ENOENT);
	ck_assert_int_eq(bench_raw_open("/", &r), -EISDIR);
}
END_TEST

/* A full disk is told in the end, whether the last line or one long before did not fit. */
START_TEST(full_disk_is_told_at_the_end)
{
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };
	struct bench_raw *r;

	bench_load_init(&load);
	ck_assert_int_eq(bench_raw_open("/dev/full", &r), 0);
	ck_assert_int_eq(bench_raw_close(r), -ENOSPC);
	ck_assert_int_eq(bench_raw_open("/dev/full", &r), 0);
	for (unsigned i = 0; i < 50000; i++)
		bench_raw_add(r, &load, &asked, 1234, "valid");
	ck_assert_int_lt(bench_raw_close(r), 0);
}
END_TEST

static void *
add_many(void *arg)
{
	struct bench_asked asked = { .sent_ns = 1000, .question = { BENCH_NEW, 1 } };

	for (unsigned i = 0; i < LINES; i++)
		bench_raw_add(arg, &load, &asked, 1234, "valid");
	return NULL;
}

/* Lines of several threads stay whole. */
START_TEST(lines_of_threads_stay_whole)
{
	char path[SCRATCH_PATH], line[200];
	pthread_t thread[THREADS];
	struct bench_raw *r;
	unsigned n = 0;

	bench_load_init(&load);
	(void)close(scratch_file(path));
	ck_assert_int_eq(bench_raw_open(path, &r), 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, add_many, r), 0);
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	ck_assert_int_eq(bench_raw_close(r), 0);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), f));
	ck_assert_str_eq(line, HEAD);
	for (; fgets(line, sizeof(line), f) != NULL; n++)
		ck_assert_str_eq(line, "1000,010-000-000-001.dns64perf.test.,28,valid,234\n");
	ck_assert_uint_eq(n, THREADS * LINES);
	(void)fclose(f);
	(void)unlink(path);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_raw");
	TCase *tc = tcase_create("lines");

	tcase_add_test(tc, each_question_is_one_line);
	tcase_add_test(tc, file_that_cannot_open_is_an_error);
	tcase_add_test(tc, full_disk_is_told_at_the_end);
	tcase_add_test(tc, lines_of_threads_stay_whole);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
