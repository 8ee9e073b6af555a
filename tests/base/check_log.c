/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines to standard error: form, levels, length, and nothing that could pass for another line. */

#include "base/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/tests.h"

#define TEXT_CAP 8192

static int pipe_fd[2];
static int saved_stderr;
static char text[TEXT_CAP];

/* Standard error becomes a pipe that the test reads. */
static void
set_up(void)
{
	ck_assert_int_eq(pipe(pipe_fd), 0);
	ck_assert_int_eq(fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK), 0);
	saved_stderr = dup(STDERR_FILENO);
	ck_assert_int_ge(saved_stderr, 0);
	ck_assert_int_ge(dup2(pipe_fd[1], STDERR_FILENO), 0);
	ck_assert_int_eq(unsetenv("JOURNAL_STREAM"), 0);
	log_open(LOG_SINK_STDERR);
	log_set_level(LOG_LEVEL_DEBUG);
}

static void
tear_down(void)
{
	(void)dup2(saved_stderr, STDERR_FILENO);
	(void)close(saved_stderr);
	(void)close(pipe_fd[0]);
	(void)close(pipe_fd[1]);
}

/* What was written since the last call. */
static const char *
lines(void)
{
	ssize_t n = read(pipe_fd[0], text, TEXT_CAP - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void
log_at_all_levels(void)
{
	log_error(LOG_CONFIG, "%d", 1);
	log_warn(LOG_UPSTREAM, "%d", 2);
	log_notice(LOG_CLIENT, "%d", 3);
	log_info(LOG_CACHE, "%d", 4);
	log_debug(LOG_DNS64, "%d", 5);
}

START_TEST(one_line_per_event)
{
	log_at_all_levels();
	ck_assert_str_eq(lines(),
	    "error config: 1\nwarning upstream: 2\nnotice client: 3\ninfo cache: 4\ndebug dns64: "
	    "5\n");
}
END_TEST

START_TEST(lines_under_the_level_are_left_out)
{
	static const char *const want[] = { "error config: 1\n",
		"error config: 1\nwarning upstream: 2\n",
		"error config: 1\nwarning upstream: 2\nnotice client: 3\n",
		"error config: 1\nwarning upstream: 2\nnotice client: 3\ninfo cache: 4\n" };

	log_set_level((enum log_level)_i);
	log_at_all_levels();
	ck_assert_str_eq(lines(), want[_i]);
	for (int i = LOG_LEVEL_ERROR; i <= LOG_LEVEL_DEBUG; i++)
		ck_assert_int_eq(log_enabled(LOG_CACHE, (enum log_level)i), i <= _i);
}
END_TEST

START_TEST(sink_none_drops_all_lines)
{
	log_open(LOG_SINK_NONE);
	log_at_all_levels();
	ck_assert(!log_enabled(LOG_CONFIG, LOG_LEVEL_ERROR));
	log_open(LOG_SINK_STDERR);
	log_error(LOG_CONFIG, "back");
	ck_assert_str_eq(lines(), "error config: back\n");
}
END_TEST

static char ear_text[256];

static void
hear(void *arg, enum log_level level, enum log_category category, const char *line)
{
	size_t len = strlen(ear_text);

	snprintf(ear_text + len, sizeof(ear_text) - len, "%s%d %s|%s\n", (const char *)arg,
	    (int)level, log_category_name(category), line);
}

/* An ear hears what its thread logs, whether it is written or not, but no debugging. */
START_TEST(ear_hears)
{
	static char first[] = "1:", second[] = "2:";
	const struct log_ear one = { hear, first }, other = { hear, second };

	log_set_level(LOG_LEVEL_WARN);
	ck_assert_ptr_null(log_listen(&one));
	log_at_all_levels();
	ck_assert_ptr_eq(log_listen(&other), &one);
	log_info(LOG_SERVER, "x\ny");
	ck_assert_ptr_eq(log_listen(&one), &other);
	log_open(LOG_SINK_NONE);
	log_error(LOG_CONTROL, "unwritten");
	log_open(LOG_SINK_STDERR);
	ck_assert_ptr_eq(log_listen(NULL), &one);
	log_error(LOG_CONTROL, "unheard");
	ck_assert_str_eq(ear_text,
	    "1:0 config|1\n1:1 upstream|2\n1:2 client|3\n1:3 cache|4\n2:3 server|x?y\n1:0 "
	    "control|unwritten\n");
	ck_assert_str_eq(lines(), "error config: 1\nwarning upstream: 2\nerror control: unheard\n");
}
END_TEST

/* Each category has a level of its own. */
START_TEST(category_has_its_level)
{
	log_set_level(LOG_LEVEL_ERROR);
	log_set_category(LOG_CACHE, LOG_LEVEL_DEBUG);
	log_at_all_levels();
	ck_assert_str_eq(lines(), "error config: 1\ninfo cache: 4\n");
	ck_assert(log_debugs(LOG_CACHE) && !log_debugs(LOG_DNS64));
	ck_assert_int_eq(log_level_of(LOG_CACHE), LOG_LEVEL_DEBUG);
	ck_assert_int_eq(log_level_of(LOG_SERVER), LOG_LEVEL_ERROR);
	log_open(LOG_SINK_NONE);
	ck_assert_int_eq(log_level_of(LOG_CACHE), LOG_LEVEL_DEBUG);
	log_open(LOG_SINK_STDERR);
	log_set_level(LOG_LEVEL_WARN);
	log_at_all_levels();
	ck_assert_str_eq(lines(), "error config: 1\nwarning upstream: 2\n");
}
END_TEST

/* What anybody may cause is written ten times in a minute, by category. */
START_TEST(seldom)
{
	unsigned n = 0;

	for (int i = 0; i < 1000; i++)
		log_seldom(LOG_LEVEL_WARN, LOG_CACHE, "line %d", i);
	log_seldom(LOG_LEVEL_ERROR, LOG_CLIENT, "another");
	for (const char *c = lines(); *c != '\0'; c++)
		n += *c == '\n';
	ck_assert_uint_eq(n, LOG_SELDOM + 1);
	ck_assert_ptr_eq(strstr(text, "warning cache: line 0\n"), text);
	ck_assert_ptr_nonnull(strstr(text, "warning cache: line 9\nerror client: another\n"));
}
END_TEST

/* Names of categories: single words, no two the same. */
START_TEST(categories_have_names)
{
	for (unsigned i = 0; i < LOG_CATEGORIES; i++) {
		const char *name = log_category_name((enum log_category)i);

		ck_assert_uint_eq(
		    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789"), strlen(name));
		for (unsigned k = 0; k < i; k++)
			ck_assert_str_ne(log_category_name((enum log_category)k), name);
	}
}
END_TEST

START_TEST(controls_are_replaced)
{
	log_info(LOG_SERVER, "x\nerror y: z\r\t\x1b[1m\x7f\xc3\xa4");
	ck_assert_str_eq(lines(), "info server: x?error y: z???[1m?\xc3\xa4\n");
}
END_TEST

/* 1,024 bytes at the most, and always a newline. */
START_TEST(long_lines_are_cut)
{
	static char big[4000];

	memset(big, 'x', sizeof(big) - 1);
	log_info(LOG_SERVER, "%s", big);
	ck_assert_uint_eq(strlen(lines()), 1024);
	ck_assert_str_eq(text + 1021, "xx\n");
}
END_TEST

/* sd-daemon(3): a priority before the line, if standard error is the stream that was named. */
START_TEST(journal_gets_priorities)
{
	char stream[64];
	struct stat st;

	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino);
	ck_assert_int_eq(setenv("JOURNAL_STREAM", stream, 1), 0);
	log_open(LOG_SINK_STDERR);
	log_at_all_levels();
	ck_assert_str_eq(lines(),
	    "<3>error config: 1\n<4>warning upstream: 2\n<5>notice client: 3\n<6>info cache: "
	    "4\n<7>debug dns64: 5\n");
}
END_TEST

/* Inherited from a parent whose standard error was the journal, ours is not. */
START_TEST(journal_of_another_stream)
{
	static const char *const streams[] = { "1:1", "", "x", "1", "1:", ":1", "1:1:1" };

	ck_assert_int_eq(setenv("JOURNAL_STREAM", streams[_i], 1), 0);
	log_open(LOG_SINK_STDERR);
	log_info(LOG_CACHE, "b");
	ck_assert_str_eq(lines(), "info cache: b\n");
}
END_TEST

/* Syslog takes the line, so standard error has none; there need not be a syslog. */
START_TEST(syslog_is_not_stderr)
{
	log_open(LOG_SINK_SYSLOG);
	log_debug(LOG_SERVER, "a line of the test suite");
	ck_assert_str_eq(lines(), "");
	log_open(LOG_SINK_STDERR);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_line_per_event);
	tcase_add_loop_test(
	    tc, lines_under_the_level_are_left_out, LOG_LEVEL_ERROR, LOG_LEVEL_DEBUG);
	tcase_add_test(tc, sink_none_drops_all_lines);
	tcase_add_test(tc, ear_hears);
	tcase_add_test(tc, category_has_its_level);
	tcase_add_test(tc, seldom);
	tcase_add_test(tc, categories_have_names);
	tcase_add_test(tc, controls_are_replaced);
	tcase_add_test(tc, long_lines_are_cut);
	tcase_add_test(tc, journal_gets_priorities);
	tcase_add_loop_test(tc, journal_of_another_stream, 0, 7);
	tcase_add_test(tc, syslog_is_not_stderr);
}
