/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run says of itself while it lasts. */

#include "bench/progress.h"

#include <stdio.h>
#include <string.h>

#include "support/tests.h"

static struct bench_progress progress;
static char text[2000];
static FILE *out;

static void
set_up(void)
{
	memset(text, 0, sizeof(text));
	out = fmemopen(text, sizeof(text) - 1, "w");
	ck_assert_ptr_nonnull(out);
	bench_progress_init(&progress, out, 60);
}

static void
tear_down(void)
{
	bench_progress_end(&progress);
	(void)fclose(out);
}

START_TEST(time_left_is_estimated)
{
	ck_assert_double_eq_tol(bench_progress_left(&progress, 23), 23 * 60, 1e-6);
	bench_progress_count(&progress, 70);
	bench_progress_count(&progress, 80);
	ck_assert_double_eq_tol(bench_progress_left(&progress, 23), 23 * 75, 1e-6);
	ck_assert_double_eq_tol(bench_progress_left(&progress, 0), 0, 1e-6);
}
END_TEST

/* A file gets a line for each trial, without what is written over. */
START_TEST(file_gets_a_line_for_each_trial)
{
	bench_progress_begin(&progress, 90, "trial %d", 1);
	bench_progress_end(&progress);
	ck_assert_str_eq(text, "");
	bench_progress_tell(&progress, 90.4, "trial %d passed", 1);
	bench_progress_tell(&progress, -1, "trial %d passed", 2);
	ck_assert_str_eq(text, "trial 1 passed, 0:01:30 left\ntrial 2 passed, 0:00:00 left\n");
}
END_TEST

/* A line as wide as the terminal, so that it covers the one before; the next covers it. */
START_TEST(terminal_gets_a_line_that_is_written_over)
{
	progress.terminal = true;
	bench_progress_begin(&progress, 90, "trial %d", 1);
	bench_progress_end(&progress);
	size_t len = strlen(text);
	ck_assert_uint_eq(len, 160);
	ck_assert_int_eq(text[79], '\r');
	ck_assert_int_eq(text[len - 1], '\r');
	ck_assert_ptr_null(strchr(text, '\n'));
	ck_assert_msg(strncmp(text, "trial 1, 0:01:30 left  ", 23) == 0, "%s", text);
	ck_assert_uint_eq(strspn(text + len - 80, " "), 79);
}
END_TEST

/* What is told is below the line that it wipes. */
START_TEST(line_is_wiped_before_what_is_told)
{
	progress.terminal = true;
	bench_progress_begin(&progress, 600, "a trial");
	bench_progress_begin(&progress, 599, "a trial");
	bench_progress_tell(&progress, 1, "done");
	ck_assert_ptr_nonnull(strstr(text, "a trial, 0:10:00 left"));
	ck_assert_ptr_nonnull(strstr(text, "a trial, 0:09:59 left"));
	ck_assert_ptr_nonnull(strstr(text, "  \rdone, 0:00:01 left\n"));
}
END_TEST

/* What does not fit on a line is cut before the time, which is what one wants to know. */
START_TEST(time_is_on_the_line)
{
	char word[3 * BENCH_PROGRESS_TEXT];

	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	progress.terminal = true;
	bench_progress_begin(&progress, 60, "%s", word);
	bench_progress_end(&progress);
	ck_assert_uint_eq(strcspn(text, "\r"), 79);
	ck_assert_ptr_nonnull(strstr(text, "xxx, 0:01:00 left\r"));
}
END_TEST

/* Hours are not cut, and a text that is too long is cut before the time. */
START_TEST(hours_are_not_cut)
{
	char word[3 * BENCH_PROGRESS_TEXT];

	bench_progress_tell(&progress, 340 * 3600, "a trial");
	ck_assert_str_eq(text, "a trial, 340:00:00 left\n");
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	bench_progress_tell(&progress, 60, "%s", word);
	ck_assert_ptr_nonnull(strstr(text, "xxx, 0:01:00 left\n"));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, time_left_is_estimated);
	tcase_add_test(tc, file_gets_a_line_for_each_trial);
	tcase_add_test(tc, terminal_gets_a_line_that_is_written_over);
	tcase_add_test(tc, line_is_wiped_before_what_is_told);
	tcase_add_test(tc, time_is_on_the_line);
	tcase_add_test(tc, hours_are_not_cut);
}
