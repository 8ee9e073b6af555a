/* SPDX-License-Identifier: BSD-2-Clause */
/* A line of what was done in a second. */

#include "dns64ctl/top.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/stats.h"
#include "support/tests.h"

static char *text;

/* The words of the line between the JSON of two moments. */
static const char *
line(const char *before, const char *now)
{
	json_t *a = json_loads(before, 0, NULL), *b = json_loads(now, 0, NULL);
	static char words[256];
	size_t len, n = 0;
	FILE *f;

	free(text);
	f = open_memstream(&text, &len);
	top_line(a, b, f);
	fclose(f);
	json_decref(a);
	json_decref(b);
	for (char *at = text, *word; (word = strsep(&at, " \n")) != NULL;)
		if (*word != '\0')
			n += (size_t)snprintf(
			    words + n, sizeof(words) - n, "%s%s", n > 0 ? " " : "", word);
	return words;
}

START_TEST(in_a_second)
{
	ck_assert_str_eq(
	    line("{\"time\": 1.0, \"counters\": {\"client_udp\": 10, \"client_tcp\": 1}}",
		"{\"time\": 3.0, \"in_flight\": 7, \"counters\": {\"client_udp\": 30, "
		"\"client_tcp\": 3, "
		"\"answers\": 4, \"cache_hits\": 3, \"cache_misses\": 1}}"),
	    "11 2 0 0 0 0 0 75 0 0 7");
	free(text);
	text = NULL;
}
END_TEST

/* The daemon was started again, and one that says nothing. */
START_TEST(another_daemon)
{
	ck_assert_str_eq(line("{\"time\": 9.0, \"counters\": {\"answers\": 100}}",
			     "{\"time\": 10.0, \"counters\": {\"answers\": 1}}"),
	    "0 0 0 0 0 0 0 - 0 0 0");
	ck_assert_str_eq(line("{}", "{}"), "- - - - - - - - - - 0");
	free(text);
	text = NULL;
}
END_TEST

START_TEST(heading_is_as_wide)
{
	size_t len;
	FILE *f = open_memstream(&text, &len);

	top_heading(f);
	fclose(f);
	ck_assert_uint_eq(len, 11 * 12 + 1);
	ck_assert_ptr_nonnull(strstr(text, "answers synthesized ")); /* words, not one */
	free(text);
	text = NULL;
	f = open_memstream(&text, &len);
	top_line(NULL, NULL, f);
	fclose(f);
	ck_assert_uint_eq(len, 11 * 12 + 1);
	free(text);
	text = NULL;
}
END_TEST

/* What occurs most: how often, how sure that is, and what; nothing that could control a terminal.
 */
START_TEST(what_occurs_most)
{
	json_t *j = json_loads("{\"answers\": 200, \"counted_s\": 2.5, \"others_most\": 3, "
			       "\"loops_silent\": 1, \"top\": [{\"name\": \"a.\\u001bb.\", "
			       "\"rcode\": \"SERVFAIL\", \"reason\": \"silent\", \"count\": 50, "
			       "\"error\": 4}]}",
	    0, NULL);
	size_t len;
	FILE *f = open_memstream(&text, &len);

	top_show(j, f);
	fclose(f);
	json_decref(j);
	ck_assert_str_eq(text,
	    "200 answers counted in 2.5 s; each that is not listed: 3 at most\n"
	    "1 loops did not answer in time\n"
	    "     at most   or less by   part\n"
	    "          50            4  25.0%  a.?b. SERVFAIL silent\n");
	free(text);
	j = json_loads("{\"top\": [{\"client\": \"::1\"}], \"networks\": [{\"network\": "
		       "\"::/64\"}]}",
	    0, NULL);
	f = open_memstream(&text, &len);
	top_show(j, f);
	fclose(f);
	json_decref(j);
	ck_assert_ptr_nonnull(strstr(text, "  0.0%  ::1\nmuch of it from:\n"));
	ck_assert_ptr_nonnull(strstr(text, "  0.0%  ::/64\n"));
	free(text);
	text = NULL;
}
END_TEST

/* Without a terminal nobody can type. */
START_TEST(waits_without_a_terminal)
{
	close(STDIN_FILENO);
	ck_assert(!top_wait());
}
END_TEST

/* Is FD, a terminal, as one is for people: lines, and what is typed is shown? */
static bool
is_usual(int fd)
{
	struct termios t;

	ck_assert_int_eq(tcgetattr(fd, &t), 0);
	return (t.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO);
}

/* A process that waits for what is typed at the terminal FD, again and again. */
static pid_t
wait_at(int fd)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid != 0)
		return pid;
	(void)signal(SIGINT, SIG_DFL); /* Check has handlers */
	(void)signal(SIGTERM, SIG_DFL);
	(void)dup2(fd, STDIN_FILENO);
	while (!top_wait())
		continue;
	_exit(0);
}

static void
reach(int fd, bool usual)
{
	for (unsigned i = 0; i < 1000 && is_usual(fd) != usual; i++)
		(void)poll(NULL, 0, 10);
	ck_assert(is_usual(fd) == usual);
}

/* However it ends, the shell after it gets the terminal that was there before. */
START_TEST(terminal_is_left_as_it_was)
{
	static const int signals[] = { SIGINT, SIGTERM, 0 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), fd;

	ck_assert_int_ge(master, 0);
	ck_assert_int_eq(grantpt(master), 0);
	ck_assert_int_eq(unlockpt(master), 0);
	fd = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert_int_ge(fd, 0);
	for (size_t i = 0; i < 3; i++) {
		pid_t pid = wait_at(fd);
		int status;

		reach(fd, false);
		if (signals[i] != 0)
			ck_assert_int_eq(kill(pid, signals[i]), 0);
		else
			ck_assert_int_eq(write(master, "q", 1), 1);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(is_usual(fd));
		ck_assert_int_eq(WIFSIGNALED(status) ? WTERMSIG(status) : 0, signals[i]);
	}
	close(fd);
	close(master);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, in_a_second);
	tcase_add_test(tc, another_daemon);
	tcase_add_test(tc, heading_is_as_wide);
	tcase_add_test(tc, what_occurs_most);
	tcase_add_test(tc, terminal_is_left_as_it_was);
	tcase_add_test(tc, waits_without_a_terminal);
}
