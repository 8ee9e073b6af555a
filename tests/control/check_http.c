/* SPDX-License-Identifier: BSD-2-Clause */
/* The server: its paths, and what it does with those who do not keep to the rules. */

#include "control/http.h"

#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "control/reply.h"
#include "support/caller.h"
#include "support/testclock.h"
#include "support/tests.h"

static struct caller caller;
static struct http *server;
static unsigned n_calls;
static struct evhttp_request *held;

static void
hello(struct evhttp_request *r, void *arg)
{
	n_calls++;
	reply_json(r, HTTP_OK, json_pack("{s:s}", "hello", (const char *)arg));
}

/* Answered later. */
static void
hold(struct evhttp_request *r, void *arg)
{
	(void)arg;
	held = r;
}

static const struct http_route routes[] = {
	{ "/hello", EVHTTP_REQ_GET, hello, "" },
	{ "/do", EVHTTP_REQ_POST, hello, "" },
	{ "/both", EVHTTP_REQ_GET | EVHTTP_REQ_POST, hello, "" },
	{ "/hold", EVHTTP_REQ_GET, hold, "" },
};

static char world[] = "world";
static const struct http_service service = {
	.routes = routes, .n = 4, .body = 1000, .life_s = 30, .arg = world
};

#define A_SWEEP 300 /* turns in which the server looks after its connections (SWEEP_MS) */

/* Nobody is late until a test lets time pass. */
static void
setup(void)
{
	testclock_hold();
	(void)signal(SIGPIPE, SIG_IGN); /* as the daemon does */
	caller_open(&caller);
	server = http_new(caller.base, &service);
	ck_assert_ptr_nonnull(server);
	ck_assert(http_listen(server, caller.sock.fd));
	n_calls = 0;
	held = NULL;
}

static void
teardown(void)
{
	http_free(server);
	caller_close(&caller);
	testclock_reset();
}

static bool
is_allowed(const char *word)
{
	const json_t *list = json_object_get(caller.json, "allowed"), *item;
	size_t i;

	json_array_foreach(list, i, item)
	{
		if (strcmp(json_string_value(item), word) == 0)
			return true;
	}
	return false;
}

START_TEST(answers)
{
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
	ck_assert_str_eq(caller_text(&caller, "hello"), "world");
	ck_assert_ptr_nonnull(strstr(caller.text, "\r\nContent-Type: application/json\r\n"));
	ck_assert_ptr_nonnull(strstr(caller.text, "\r\nX-Content-Type-Options: nosniff\r\n"));
	ck_assert_ptr_nonnull(strstr(caller.text, "\r\nConnection: close\r\n"));
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello?a=b", NULL), 200);
	ck_assert_int_eq(caller_ask(&caller, "POST", "/do", "{}"), 200);
	ck_assert_int_eq(caller_ask(&caller, "POST", "/both", "{}"), 200);
	ck_assert_int_eq(caller_ask(&caller, "GET", "/both", NULL), 200);
	ck_assert_uint_eq(n_calls, 5);
}
END_TEST

START_TEST(head_has_no_body)
{
	ck_assert_int_eq(caller_ask(&caller, "HEAD", "/hello", NULL), 200);
	ck_assert_str_eq(strstr(caller.text, "\r\n\r\n"), "\r\n\r\n");
	ck_assert_int_eq(caller_ask(&caller, "HEAD", "/do", NULL), 405);
}
END_TEST

START_TEST(what_there_is_not)
{
	static const char *const paths[] = { "/", "/hell", "/hello/", "/hello/../do", "//hello",
		"/%68ello", "/../../etc/passwd" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ck_assert_int_eq(caller_ask(&caller, "GET", paths[i], NULL), 404);
		ck_assert_str_ne(caller_text(&caller, "error"), "");
		ck_assert(is_allowed("/hello") && is_allowed("/hold"));
	}
	ck_assert_uint_eq(n_calls, 0);
}
END_TEST

START_TEST(methods_there_are_not)
{
	static const char *const methods[] = { "POST", "PUT", "DELETE", "OPTIONS", "TRACE",
		"PATCH" };

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		ck_assert_int_eq(caller_ask(&caller, methods[i], "/hello", NULL), 405);
		ck_assert(is_allowed("GET") && is_allowed("HEAD") && !is_allowed("POST"));
		ck_assert_ptr_nonnull(strstr(caller.text, "\r\nAllow: GET, HEAD\r\n"));
	}
	ck_assert_int_eq(caller_ask(&caller, "GET", "/do", NULL), 405);
	ck_assert(is_allowed("POST") && !is_allowed("GET"));
	ck_assert_int_gt(caller_ask(&caller, "BREW", "/hello", NULL), 404);
	ck_assert_uint_eq(n_calls, 0);
}
END_TEST

/* All of these leave the server as it was. */
START_TEST(what_is_no_request)
{
	static char large[1 << 20];
	static const char *const raw[] = { "\r\n\r\n", "GET\r\n\r\n", "GET /hello\r\n\r\n",
		"GET /hello HTTP/9\r\n\r\n", "\001\002\003\r\n\r\n",
		"GET  /hello  HTTP/1.1\r\n\r\n", "GET /hello HTTP/1.1\r\nno colon\r\n\r\n" };

	for (size_t i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
		(void)caller_send(&caller, raw[i], strlen(raw[i]));
	ck_assert_uint_eq(n_calls, 0);
	memset(large, 'x', sizeof(large));
	memcpy(large, "GET /hello HTTP/1.1\r\nX: ", 24);
	ck_assert_int_ne(caller_send(&caller, large, sizeof(large)), 200);
	/* A body that is longer than this server takes. */
	memset(large, ' ', 2000);
	large[1500] = '\0';
	ck_assert_int_eq(caller_ask(&caller, "POST", "/do", large), 413);
	ck_assert_uint_eq(n_calls, 0);
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
}
END_TEST

START_TEST(header_of_four_kilobytes)
{
	char raw[6000];
	size_t n = (size_t)snprintf(raw, sizeof(raw), "GET /hello HTTP/1.1\r\nX: ");

	memset(raw + n, 'x', 3900);
	memcpy(raw + n + 3900, "\r\n\r\n", 4);
	ck_assert_int_eq(caller_send(&caller, raw, n + 3904), 200);
	memset(raw + n, 'x', 4200);
	memcpy(raw + n + 4200, "\r\n\r\n", 4);
	ck_assert_int_eq(caller_send(&caller, raw, n + 4204), 400);
}
END_TEST

/* Who says nothing, or half of something, is closed after HTTP_IDLE_S (slowloris). */
START_TEST(half_a_request)
{
	int silent = caller_connect(&caller), half = caller_connect(&caller);

	ck_assert_int_eq(send(half, "GET /he", 7, 0), 7);
	caller_turn(&caller, 1);
	ck_assert_uint_eq(http_open(server), 2);
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
	testclock_pass(HTTP_IDLE_S * NS_PER_SEC - 1);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 2);
	testclock_pass(1);
	(void)caller_wait(&caller, half);
	(void)caller_wait(&caller, silent);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

/* A byte now and then does not keep it open (slowloris). */
START_TEST(slow_request)
{
	int slow = caller_connect(&caller);
	uint64_t began = clock_now_ns();

	ck_assert_int_eq(send(slow, "GET /hello?", 11, 0), 11);
	caller_turn(&caller, 1);
	do {
		testclock_pass(NS_PER_SEC);
		caller_turn(&caller, A_SWEEP);
		if (send(slow, "x", 1, MSG_NOSIGNAL) < 0)
			break;
	} while (clock_now_ns() - began < 3 * HTTP_IDLE_S * NS_PER_SEC);
	ck_assert_uint_eq(clock_now_ns() - began, HTTP_IDLE_S * NS_PER_SEC);
	close(slow);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

/* libevent itself would keep all of it, and search it again and again (libevent-chunks). */
START_TEST(chunk_without_end)
{
	static const char head[] = "POST /do HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
	static char zeros[65536];
	int fd = caller_connect(&caller), small = 4096;
	size_t taken = 0;
	ssize_t n;

	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	memset(zeros, '0', sizeof(zeros));
	ck_assert_int_eq(send(fd, head, sizeof(head) - 1, 0), (int)sizeof(head) - 1);
	for (unsigned i = 0; i < A_SWEEP; i++) {
		caller_turn(&caller, 1);
		n = send(fd, zeros, sizeof(zeros), MSG_DONTWAIT | MSG_NOSIGNAL);
		taken += n > 0 ? (size_t)n : 0;
	}
	ck_assert_uint_lt(taken, 4 * sizeof(zeros));
	ck_assert_int_ne(caller_wait(&caller, fd), 200); /* its time is not over */
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
	ck_assert_uint_eq(n_calls, 0);
}
END_TEST

/* Who has said nothing for a second makes room for others. */
START_TEST(idle_give_way)
{
	int fds[HTTP_CONNECTIONS];

	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		fds[i] = caller_connect(&caller);
		caller_turn(&caller, 0);
	}
	caller_turn(&caller, 5);
	ck_assert_uint_eq(http_open(server), HTTP_CONNECTIONS);
	testclock_pass(HTTP_HURRY_MS * NS_PER_MS);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++)
		close(fds[i]);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

static bool admitted;

static bool
may_ask(const struct netaddr *peer, void *arg)
{
	(void)arg;
	ck_assert_int_eq(peer->family, NETADDR_NONE); /* by a UNIX socket */
	return admitted;
}

/*
 * Who may not ask is told so; but all connections in their hands are no obstacle for who may, not
 * even for the second that is granted to others.
 */
START_TEST(strangers_keep_nobody_out)
{
	struct http_service s = service;
	int fds[HTTP_CONNECTIONS];

	s.admit = may_ask;
	http_free(server);
	server = http_new(caller.base, &s);
	ck_assert(http_listen(server, caller.sock.fd));
	admitted = false;
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 403);
	caller_turn(&caller, A_SWEEP);
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++)
		fds[i] = caller_connect(&caller);
	for (unsigned i = 0; http_open(server) < HTTP_CONNECTIONS && i < 1000; i++)
		caller_turn(&caller, 0);
	for (unsigned i = 0; http_open(server) > 0 && i < A_SWEEP; i++)
		caller_turn(&caller, 1);
	ck_assert_uint_eq(http_open(server), 0); /* though no time has passed */
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++)
		close(fds[i]);
	admitted = true;
	ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
}
END_TEST

/*
 * At HTTP_CONNECTIONS others wait, and are served as soon as there is room (libevent-connections).
 */
START_TEST(more_than_there_is_room_for)
{
	int fds[HTTP_CONNECTIONS], late;

	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		fds[i] = caller_connect(&caller);
		caller_turn(&caller, 0);
	}
	caller_turn(&caller, 5);
	ck_assert_uint_eq(http_open(server), HTTP_CONNECTIONS);
	late = caller_connect(&caller);
	ck_assert_int_gt(send(late, "GET /hello HTTP/1.1\r\n\r\n", 23, 0), 0);
	caller_turn(&caller, 50);
	ck_assert_uint_eq(n_calls, 0);
	close(fds[7]);
	ck_assert_int_eq(caller_wait(&caller, late), 200);
	for (size_t i = 0; i < HTTP_CONNECTIONS; i++) {
		if (i != 7)
			close(fds[i]);
	}
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

START_TEST(a_thousand_one_after_another)
{
	for (unsigned i = 0; i < 1000; i++)
		ck_assert_int_eq(caller_ask(&caller, "GET", "/hello", NULL), 200);
	ck_assert_uint_eq(n_calls, 1000);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

/* An answer may come later, also when nobody waits for it any more. */
START_TEST(answer_later)
{
	int fd = caller_connect(&caller);

	ck_assert_int_gt(send(fd, "GET /hold HTTP/1.1\r\n\r\n", 22, 0), 0);
	caller_turn(&caller, 10);
	ck_assert_ptr_nonnull(held);
	hello(held, world);
	ck_assert_int_eq(caller_wait(&caller, fd), 200);

	held = NULL;
	fd = caller_connect(&caller);
	ck_assert_int_gt(send(fd, "GET /hold HTTP/1.1\r\n\r\n", 22, 0), 0);
	caller_turn(&caller, 10);
	ck_assert_ptr_nonnull(held);
	close(fd);
	caller_turn(&caller, 10);
	hello(held, world);
	caller_turn(&caller, A_SWEEP);
	ck_assert_uint_eq(http_open(server), 0);
}
END_TEST

/* Whoever waits for an answer when all ends. */
START_TEST(end_with_a_request_open)
{
	int fd = caller_connect(&caller);

	ck_assert_int_gt(send(fd, "GET /hold HTTP/1.1\r\n\r\n", 22, 0), 0);
	caller_turn(&caller, 10);
	ck_assert_ptr_nonnull(held);
	close(fd);
}
END_TEST

START_TEST(table_can_be_read)
{
	size_t n;

	ck_assert_ptr_eq(http_routes(server, &n), routes);
	ck_assert_uint_eq(n, 4);
}
END_TEST

/* --- Without memory ----------------------------------------------------------------------------
 */

#define LEAKED 7 /* exit code of a child */

static unsigned fail_at, n_asked; /* the allocation of libevent that fails; 0: none */

static bool
fails(void)
{
	return fail_at > 0 && ++n_asked == fail_at;
}

static void *
scarce_malloc(size_t size)
{
	return fails() ? NULL : malloc(size);
}

static void *
scarce_realloc(void *p, size_t size)
{
	return size > 0 && fails() ? NULL : realloc(p, size);
}

static unsigned
n_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d != NULL && readdir(d) != NULL)
		n++;
	if (d != NULL)
		(void)closedir(d);
	return n;
}

/* Run for MS milliseconds, while allocation K fails; 0: none. */
static void
turn(struct event_base *base, int ms, unsigned k)
{
	struct timeval tv = { .tv_usec = ms * 1000 };

	(void)event_base_loopexit(base, &tv);
	n_asked = 0;
	fail_at = k;
	(void)event_base_dispatch(base);
	fail_at = 0;
}

/* Accept a connection in a server of its own, where allocation K fails; does not return. */
static void
accept_without_memory(unsigned k)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	static struct event_base *base; /* still reachable at the end, for valgrind */
	static struct http *h;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), client;
	unsigned before;

	testclock_reset();
	(void)alarm(100);
	event_set_mem_functions(scarce_malloc, scarce_realloc, free);
	base = event_base_new();
	h = http_new(base, &service);
	if (bind(fd, (struct sockaddr *)&at, len) != 0 || listen(fd, 4) != 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) != 0 || !http_listen(h, fd))
		_exit(1);
	turn(base, 1, 0);
	before = n_descriptors();
	client = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(client, (struct sockaddr *)&at, len) != 0)
		_exit(1);
	turn(base, 20, k);
	(void)close(client);
	for (unsigned i = 0; i < 40 && n_descriptors() > before; i++)
		turn(base, 50, 0);
	_exit(n_descriptors() == before ? 0 : LEAKED);
}

/* Whichever allocation fails, no socket stays open, and none is closed twice. */
START_TEST(no_memory_leaks_no_socket)
{
	pid_t pids[24];
	unsigned n = sizeof(pids) / sizeof(pids[0]), n_good = 0;

	for (unsigned k = 0; k < n; k++) {
		pids[k] = fork();
		ck_assert_int_ge(pids[k], 0);
		if (pids[k] == 0)
			accept_without_memory(k + 1);
	}
	for (unsigned k = 0; k < n; k++) {
		int status;

		ck_assert_int_eq(waitpid(pids[k], &status, 0), pids[k]);
		ck_assert_msg(!WIFEXITED(status) || WEXITSTATUS(status) != LEAKED,
		    "allocation %u: a socket stays open, or another one was closed", k + 1);
		n_good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	}
	/* libevent 2.1 itself falls over the failure of some. */
	ck_assert_uint_ge(n_good, 16);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, strangers_keep_nobody_out);
	tcase_add_test(tc, answers);
	tcase_add_test(tc, head_has_no_body);
	tcase_add_test(tc, what_there_is_not);
	tcase_add_test(tc, methods_there_are_not);
	tcase_add_test(tc, what_is_no_request);
	tcase_add_test(tc, header_of_four_kilobytes);
	tcase_add_test(tc, half_a_request);
	tcase_add_test(tc, slow_request);
	tcase_add_test(tc, chunk_without_end);
	tcase_add_test(tc, idle_give_way);
	tcase_add_test(tc, more_than_there_is_room_for);
	tcase_add_test(tc, a_thousand_one_after_another);
	tcase_add_test(tc, answer_later);
	tcase_add_test(tc, end_with_a_request_open);
	tcase_add_test(tc, table_can_be_read);
	tcase_add_test(tc, no_memory_leaks_no_socket);
}
