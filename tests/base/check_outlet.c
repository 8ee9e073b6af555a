/* SPDX-License-Identifier: BSD-2-Clause */
/* Nobody waits for who reads the log: what it has no room for is counted, and told later. */

#include "base/outlet.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include "support/tests.h"

#define TEXT_CAP (1 << 20)
#define MOST 100000 /* lines, more than any pipe or socket holds */

static struct outlet o;
static char text[TEXT_CAP];
static int reader;

/* Become who reads standard error, by a pipe or by sockets. */
static int
read_stderr(bool by_socket)
{
	int fd[2];

	ck_assert_int_eq(by_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, fd) : pipe(fd), 0);
	ck_assert_int_eq(fcntl(fd[0], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_ge(dup2(fd[1], STDERR_FILENO), 0);
	close(fd[1]);
	ck_assert_int_eq(unsetenv("JOURNAL_STREAM"), 0);
	return fd[0];
}

static void
set_up(void)
{
	o = (struct outlet)OUTLET_INIT;
}

/* All that was written since the last call. */
static const char *
all(void)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(reader, text + len, TEXT_CAP - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	return text;
}

/* Put lines until one is lost. Returns how many were not. */
static unsigned
fill(void)
{
	unsigned n = 0;

	while (outlet_lost(&o) == 0 && n < MOST) {
		outlet_put(&o, LOG_INFO, "info", "a line that nobody reads");
		n++;
	}
	ck_assert_uint_eq(outlet_lost(&o), 1);
	return n - 1;
}

static unsigned
count_lines(const char *bytes)
{
	unsigned n = 0;

	for (; *bytes != '\0'; bytes++)
		n += *bytes == '\n';
	return n;
}

/* _i: 0 for a pipe, 1 for a socket, as journald's is. */
START_TEST(stopped_reader_of_stderr)
{
	char line[128];
	unsigned n;

	reader = read_stderr(_i == 1);
	outlet_stderr(&o);
	n = fill();
	ck_assert_uint_ge(n, 50);
	for (unsigned i = 0; i < 41; i++)
		outlet_put(&o, LOG_ERR, "error", "lost");
	ck_assert_uint_eq(outlet_lost(&o), 42);
	ck_assert_uint_eq(count_lines(all()), n);
	ck_assert_ptr_null(strstr(text, "lost"));
	outlet_put(&o, LOG_ERR, "error", "heard");
	snprintf(line, sizeof(line), "%s\n%s\n",
	    "warning server: 42 lines of the log were lost, as nobody read them", "error heard");
	ck_assert_str_eq(all(), line);
	ck_assert_uint_eq(outlet_lost(&o), 0);
	outlet_put(&o, LOG_ERR, "error", "once");
	ck_assert_str_eq(all(), "error once\n");
}
END_TEST

START_TEST(reader_of_stderr_is_gone)
{
	reader = read_stderr(false);
	outlet_stderr(&o);
	close(reader);
	(void)signal(SIGPIPE, SIG_IGN);
	outlet_put(&o, LOG_ERR, "error", "into the void");
	ck_assert_uint_eq(outlet_lost(&o), 1);
}
END_TEST

/* --- syslog ----------------------------------------------------------------------------------- */

static struct sockaddr_un place = { .sun_family = AF_UNIX };

static int
listen_there(int type)
{
	int fd = socket(AF_UNIX, type | SOCK_NONBLOCK, 0);

	ck_assert_int_ge(fd, 0);
	(void)unlink(place.sun_path);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&place, sizeof(place)), 0);
	if (type == SOCK_STREAM)
		ck_assert_int_eq(listen(fd, 1), 0);
	return fd;
}

static void
set_up_syslog(void)
{
	set_up();
	(void)snprintf(
	    place.sun_path, sizeof(place.sun_path), "/tmp/check_outlet.%ld", (long)getpid());
}

static void
tear_down_syslog(void)
{
	(void)unlink(place.sun_path);
}

/* Is the next message "<30>Oct  9 22:33:20 test[PID]: WANT"? */
static bool
got(const char *want)
{
	char end[128];
	ssize_t n = read(reader, text, TEXT_CAP - 1);
	size_t len = (size_t)snprintf(end, sizeof(end), " test[%ld]: %s", (long)getpid(), want);

	text[n > 0 ? n : 0] = '\0';
	return n == (ssize_t)(4 + 15 + len) && strncmp(text, "<30>", 4) == 0 && text[7] == ' ' &&
	    text[13] == ':' && strcmp(text + 4 + 15, end) == 0;
}

START_TEST(syslog_gets_a_line)
{
	reader = listen_there(SOCK_DGRAM);
	outlet_connect(&o, place.sun_path, "test");
	outlet_syslog(&o);
	outlet_put(&o, LOG_INFO, "info", "cache: here");
	ck_assert(got("cache: here"));
}
END_TEST

START_TEST(stopped_syslog)
{
	unsigned n = 0;

	reader = listen_there(SOCK_DGRAM);
	outlet_connect(&o, place.sun_path, "test");
	outlet_syslog(&o);
	unsigned filled = fill();
	while (read(reader, text, TEXT_CAP) > 0)
		n++;
	ck_assert_uint_eq(n, filled);
	outlet_put(&o, LOG_INFO, "info", "heard");
	ck_assert_int_gt(read(reader, text, TEXT_CAP), 0);
	ck_assert_ptr_nonnull(strstr(text, "]: server: 1 lines of the log were lost"));
	ck_assert(got("heard"));
}
END_TEST

/* syslogd is started anew: its socket is another one. */
START_TEST(syslog_comes_back)
{
	reader = listen_there(SOCK_DGRAM);
	outlet_connect(&o, place.sun_path, "test");
	outlet_syslog(&o);
	close(reader);
	outlet_put(&o, LOG_INFO, "info", "nobody is there");
	ck_assert_uint_eq(outlet_lost(&o), 1);
	reader = listen_there(SOCK_DGRAM);
	outlet_put(&o, LOG_INFO, "info", "back");
	ck_assert_int_gt(read(reader, text, TEXT_CAP), 0);
	ck_assert(got("back"));
	close(reader);
	reader = listen_there(SOCK_DGRAM);
	outlet_put(&o, LOG_INFO, "info", "and again");
	ck_assert(got("and again"));
	ck_assert_uint_eq(outlet_lost(&o), 0);
}
END_TEST

/* Some have a stream, where a zero ends a message. */
START_TEST(syslog_by_stream)
{
	int fd = listen_there(SOCK_STREAM);
	ssize_t n;

	outlet_connect(&o, place.sun_path, "test");
	outlet_syslog(&o);
	reader = accept(fd, NULL, NULL);
	ck_assert_int_ge(reader, 0);
	outlet_put(&o, LOG_INFO, "info", "one");
	outlet_put(&o, LOG_INFO, "info", "two");
	n = read(reader, text, TEXT_CAP);
	ck_assert_int_gt(n, 0);
	ck_assert_str_eq(strstr(text, "]: "), "]: one");
	ck_assert_str_eq(strstr(text + strlen(text) + 1, "]: "), "]: two");
}
END_TEST

void
tests_add(TCase *tc)
{
	TCase *sys = tests_case("syslog");

	tcase_add_checked_fixture(tc, set_up, NULL);
	tcase_add_loop_test(tc, stopped_reader_of_stderr, 0, 2);
	tcase_add_test(tc, reader_of_stderr_is_gone);
	tcase_add_checked_fixture(sys, set_up_syslog, tear_down_syslog);
	tcase_add_test(sys, syslog_gets_a_line);
	tcase_add_test(sys, stopped_syslog);
	tcase_add_test(sys, syslog_comes_back);
	tcase_add_test(sys, syslog_by_stream);
}
