/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that wait: by themselves; and at the end of the daemon, whatever they wait for. */

#include "control/waiting.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "control/reply.h"
#include "support/operator.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"

/* --- A queue of the test's -------------------------------------------------------------------- */

#define MAX 3

struct own_request {
	struct waiting_request base;
	unsigned number;
};

static struct {
	struct waiting waiting;
	struct caller caller;
	struct http *http;
	unsigned n_added, n_polls, n_released;
	uint32_t poll_us;
} own;

static uint32_t
poll_it(struct waiting *w)
{
	ck_assert_ptr_eq(w, &own.waiting);
	own.n_polls++;
	return own.poll_us;
}

static void
release(void *request)
{
	const struct own_request *q = request;

	ck_assert_uint_ge(q->number, 1);
	own.n_released++;
}

static void
on_request(struct evhttp_request *r, void *arg)
{
	struct own_request *q = waiting_add(arg, r);

	if (q == NULL)
		return;
	ck_assert_uint_eq(q->number, 0);
	q->number = ++own.n_added;
}

static void
setup(void)
{
	static const struct waiting_type type = { .size = sizeof(struct own_request),
		.max = MAX,
		.full = "too many here",
		.poll = poll_it,
		.release = release };
	static const struct http_route route = { "/wait", EVHTTP_REQ_GET, on_request, "" };
	const struct http_service service = {
		.routes = &route, .n = 1, .life_s = HTTP_LIFE_S, .arg = &own.waiting
	};
	struct host host;

	memset(&own, 0, sizeof(own));
	(void)signal(SIGPIPE, SIG_IGN); /* as the daemon does */
	caller_open(&own.caller);
	host = (struct host){ .base = own.caller.base };
	ck_assert(waiting_init(&own.waiting, &type, &host));
	own.http = http_new(own.caller.base, &service);
	ck_assert_ptr_nonnull(own.http);
	ck_assert(http_listen(own.http, own.caller.sock.fd));
}

static void
teardown(void)
{
	http_free(own.http);
	waiting_fini(&own.waiting);
	caller_close(&own.caller);
}

/* Send METHOD PATH, with BODY; the answer is still to come. */
static int
begin(struct caller *c, const char *method, const char *path, const char *body)
{
	char raw[256];
	int fd = caller_connect(c);
	int len =
	    snprintf(raw, sizeof(raw), "%s %s HTTP/1.1\r\nHost: d\r\nContent-Length: %zu\r\n\r\n%s",
		method, path, strlen(body), body);

	ck_assert_int_eq(send(fd, raw, (size_t)len, 0), len);
	return fd;
}

/* A request that waits as number N. */
static int
begin_wait(unsigned n)
{
	int fd = begin(&own.caller, "GET", "/wait", "");

	for (unsigned ms = 0; ms < 10000 && own.n_added < n; ms++)
		caller_turn(&own.caller, 1);
	ck_assert_uint_eq(own.n_added, n);
	return fd;
}

/* Answer what is at place I, which has to be number N. */
static void
answer(size_t i, unsigned n)
{
	const struct own_request *q = own.waiting.of[i];

	ck_assert_ptr_nonnull(q);
	ck_assert_uint_eq(q->number, n);
	reply_json(waiting_take(&own.waiting, i), HTTP_OK, json_pack("{s:i}", "number", (int)n));
}

static void
expect(int fd, int number)
{
	ck_assert_int_eq(caller_wait(&own.caller, fd), 200);
	ck_assert_int_eq(json_integer_value(json_object_get(own.caller.json, "number")), number);
}

START_TEST(others_keep_their_order)
{
	int first = begin_wait(1), second = begin_wait(2), third = begin_wait(3), fourth;

	answer(1, 2);
	fourth = begin_wait(4);
	answer(0, 1);
	answer(0, 3);
	answer(0, 4);
	ck_assert_uint_eq(own.waiting.n, 0);
	ck_assert_ptr_null(own.waiting.of[0]);
	ck_assert_uint_eq(own.n_released, 4);
	expect(first, 1);
	expect(second, 2);
	expect(third, 3);
	expect(fourth, 4);
}
END_TEST

START_TEST(not_too_many)
{
	for (unsigned i = 1; i <= MAX; i++)
		close(begin_wait(i)); /* who hangs up keeps its place */
	ck_assert_int_eq(caller_ask(&own.caller, "GET", "/wait", NULL), 503);
	ck_assert_str_eq(caller_text(&own.caller, "error"), "too many here");
	ck_assert_uint_eq(own.waiting.n, MAX);
	answer(0, 1);
	close(begin_wait(MAX + 1)); /* there is room again, for one */
	ck_assert_int_eq(caller_ask(&own.caller, "GET", "/wait", NULL), 503);
	answer(MAX - 1, MAX + 1);
}
END_TEST

/* At the beginning, when a request comes, and as often as it wants. */
START_TEST(polled)
{
	unsigned n;

	caller_turn(&own.caller, 20);
	ck_assert_uint_eq(own.n_polls, 1);
	close(begin_wait(1));
	caller_turn(&own.caller, 20);
	ck_assert_uint_eq(own.n_polls, 2);
	own.poll_us = 60000000;
	close(begin_wait(2));
	caller_turn(&own.caller, 20);
	ck_assert_uint_eq(own.n_polls, 3);
	own.poll_us = 1; /* who comes does not wait for the minute */
	close(begin_wait(3));
	while (own.n_polls < 10)
		caller_turn(&own.caller, 1);
	own.poll_us = 0;
	n = own.n_polls;
	while (own.n_polls == n)
		caller_turn(&own.caller, 1);
	caller_turn(&own.caller, 20);
	ck_assert_uint_eq(own.n_polls, n + 1);
}
END_TEST

/* Without an answer, and twice. */
START_TEST(forgotten)
{
	int fds[] = { begin_wait(1), begin_wait(2) };
	char c;

	waiting_fini(&own.waiting);
	ck_assert_uint_eq(own.n_released, 2);
	waiting_fini(&own.waiting);
	caller_turn(&own.caller, 5);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(recv(fds[i], &c, 1, 0), -1);
		ck_assert_int_eq(errno, EAGAIN);
		close(fds[i]);
	}
}
END_TEST

/* --- The queues of the daemon ----------------------------------------------------------------- */

static struct operator op;
static struct rig rig;

static const struct {
	const char *method, *path, *body;
} all[] = {
	{ "POST", "/reload", "" },
	{ "POST", "/prefix/add", "{\"prefix\": \"2001:db8:7::/96\"}" },
	{ "POST", "/prefix/add", "{\"prefix\": \"2001:db8:8::/96\"}" },
	{ "GET", "/upstreams", "" },
	{ "GET", "/explain?name=a.test", "" },
	{ "GET", "/explain?name=b.test", "" },
	{ "GET", "/top/names", "" },
	{ "GET", "/inflight", "" },
};

#define N_ALL (sizeof(all) / sizeof(all[0]))

/*
 * Whatever they wait for, begun with or not, is refused, with a loop that does nothing, also for
 * who has hung up. Nothing is leaked (AddressSanitizer, valgrind), and nobody listens to the log.
 */
START_TEST(end_of_the_daemon)
{
	struct snapshot *snapshot;
	int fds[2][N_ALL];

	testclock_hold();
	rig_init(&rig);
	snapshot = snapshot_new(&rig.conf);
	ck_assert_ptr_nonnull(snapshot);
	rig.loop = loop_new(snapshot, NULL, 0); /* nobody runs it */
	ck_assert_ptr_nonnull(rig.loop);
	operator_open(&op, "nameserver 192.0.2.1\n");
	op.host.loops[0] = rig.loop;
	op.host.n_loops = 1;
	op.changing_for = 1000000;
	operator_begin(&op);
	for (size_t i = 0; i < 2 * N_ALL; i++) {
		fds[i % 2][i / 2] =
		    begin(&op.caller, all[i / 2].method, all[i / 2].path, all[i / 2].body);
		caller_turn(&op.caller, 5);
		if (i == 0)
			control_reload_begins(op.control);
	}
	ck_assert_uint_eq(op.n_reloads, 2);
	for (size_t i = 0; i < N_ALL; i++)
		close(fds[1][i]);
	caller_turn(&op.caller, 5);
	control_free(op.control);
	op.control = NULL;
	ck_assert_ptr_null(log_listen(NULL));
	for (size_t i = 0; i < N_ALL; i++) {
		ck_assert_msg(caller_wait(&op.caller, fds[0][i]) == 503, "%s: %s", all[i].path,
		    op.caller.text);
		ck_assert_str_eq(caller_text(&op.caller, "error"), REPLY_ENDING);
	}
	operator_close(&op);
	rig_end(&rig);
	snapshot_unref(snapshot);
	testclock_reset();
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, others_keep_their_order);
	tcase_add_test(tc, not_too_many);
	tcase_add_test(tc, polled);
	tcase_add_test(tc, forgotten);
	tcase_add_test(tests_case("daemon"), end_of_the_daemon);
}
