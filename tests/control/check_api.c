/* SPDX-License-Identifier: BSD-2-Clause */
/* What the control socket has the daemon do, and says of it. */

#include "control/api.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "control/commands.h"
#include "support/operator.h"
#include "support/tests.h"

static struct operator op;

static void
setup(void)
{
	operator_open(&op, "nameserver 192.0.2.1\n");
	operator_begin(&op);
}

static void
teardown(void)
{
	operator_close(&op);
}

static int
ask(const char *method, const char *path)
{
	return caller_ask(&op.caller, method, path, NULL);
}

START_TEST(ping)
{
	ck_assert_int_eq(ask("GET", "/ping"), 200);
	ck_assert(json_is_true(json_object_get(op.caller.json, "pong")));
}
END_TEST

/* Does a command ask for R, by all of its methods? */
static bool
is_commanded(const struct http_route *r)
{
	size_t n;
	const struct command *all = commands(&n);
	unsigned methods = 0;

	for (size_t i = 0; i < n; i++) {
		if (all[i].path != NULL && strcmp(all[i].path, r->path) == 0)
			methods |= all[i].methods;
	}
	return methods != 0 && methods == r->methods;
}

/* Each command has its path and handler, and each path but these a command. */
START_TEST(commands_have_paths)
{
	static const char *const others[] = { "/", "/metrics", "/health", "/ready" };
	struct http_route routes[HTTP_ROUTES_MAX];
	size_t n = api_routes(routes), n_commands, n_others = 0;
	const struct command *all = commands(&n_commands);

	for (size_t i = 0; i < n; i++) {
		ck_assert(routes[i].handle != NULL);
		if (is_commanded(&routes[i]))
			continue;
		ck_assert_uint_lt(n_others, sizeof(others) / sizeof(others[0]));
		ck_assert_str_eq(routes[i].path, others[n_others++]);
	}
	for (size_t i = 0; i < n_commands; i++) {
		bool found = all[i].path == NULL;

		for (size_t k = 0; k < n && !found; k++)
			found = strcmp(routes[k].path, all[i].path) == 0;
		ck_assert_msg(found, "%s", all[i].words);
	}
}
END_TEST

/* The list of paths has all of them, and each answers to its method. */
START_TEST(all_paths_are_listed)
{
	struct http_route routes[HTTP_ROUTES_MAX];
	size_t n = api_routes(routes), i;
	const json_t *list, *item;

	ck_assert_int_eq(ask("GET", "/"), 200);
	list = json_object_get(op.caller.json, "paths");
	ck_assert_uint_eq(json_array_size(list), n);
	json_array_foreach(list, i, item)
	{
		ck_assert_str_eq(json_string_value(json_object_get(item, "path")), routes[i].path);
		ck_assert_str_ne(json_string_value(json_object_get(item, "help")), "");
	}
	for (i = 0; i < n; i++) {
		if (strcmp(routes[i].path, "/reload") == 0)
			continue; /* answers when one is over */
		bool get = routes[i].methods == EVHTTP_REQ_GET;
		ck_assert_int_ne(ask(get ? "GET" : "POST", routes[i].path), 405);
		ck_assert_int_ne(op.caller.code, 404);
		if (is_commanded(&routes[i]))
			ck_assert_ptr_nonnull(op.caller.json);
		if (routes[i].methods != (EVHTTP_REQ_GET | EVHTTP_REQ_POST))
			ck_assert_int_eq(ask(get ? "POST" : "GET", routes[i].path), 405);
	}
}
END_TEST

START_TEST(stop_and_reopen)
{
	ck_assert_int_eq(ask("POST", "/log/reopen"), 200);
	ck_assert_uint_eq(op.n_reopens, 1);
	op.reopens = false; /* who asked for it has to know */
	ck_assert_int_eq(ask("POST", "/log/reopen"), 422);
	ck_assert_str_eq(
	    caller_text(&op.caller, "error"), "not all of the log could be opened again");
	ck_assert_ptr_nonnull(strstr(op.caller.text, "cannot be opened"));
	ck_assert_int_eq(ask("GET", "/stop"), 405);
	ck_assert_uint_eq(op.n_stops, 0);
	ck_assert_int_eq(ask("POST", "/stop"), 200);
	ck_assert_uint_eq(op.n_stops, 1);
}
END_TEST

/* Nothing is done for a request that says more than is understood. */
START_TEST(arguments_where_there_are_none)
{
	static const char *const paths[] = { "/stop", "/reload", "/log/reopen" };
	char path[64];

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ck_assert_int_eq(caller_ask(&op.caller, "POST", paths[i], "rubbish"), 400);
		ck_assert_int_eq(
		    caller_ask(&op.caller, "POST", paths[i], "{\"file\": \"/etc/x\"}"), 400);
		ck_assert_str_eq(caller_text(&op.caller, "error"), "'file' is not known here");
		snprintf(path, sizeof(path), "%s?name=a.test", paths[i]);
		ck_assert_int_eq(ask("POST", path), 400);
		ck_assert_ptr_nonnull(strstr(caller_text(&op.caller, "error"), "in the body"));
	}
	ck_assert_uint_eq(op.n_stops + op.n_reloads + op.n_reopens, 0);
	ck_assert_int_eq(caller_ask(&op.caller, "POST", "/log/reopen", "{}"), 200);
}
END_TEST

static int
post_lameduck(const char *body)
{
	return caller_ask(&op.caller, "POST", "/lameduck", body);
}

START_TEST(lameduck)
{
	json_int_t since;

	ck_assert_int_eq(ask("GET", "/lameduck"), 200);
	ck_assert(json_is_null(json_object_get(op.caller.json, "lameduck")));
	ck_assert_int_eq(post_lameduck("{\"state\": \"on\"}"), 200);
	since = json_integer_value(json_object_get(op.caller.json, "lameduck"));
	ck_assert_int_gt(since, 1000000);
	ck_assert(op.lameduck);
	ck_assert_str_eq(op.judged.reason, "lameduck"); /* at once */
	ck_assert_int_eq(ask("GET", "/ready"), 503);
	ck_assert_str_eq(caller_text(&op.caller, "error"), "lameduck");
	ck_assert_int_eq(ask("GET", "/health"), 200);
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert_str_eq(caller_text(&op.caller, "reason"), "lameduck");
	/* Twice is as once; a reload does not end it. */
	ck_assert_int_eq(post_lameduck("{\"state\": \"on\"}"), 200);
	control_reload_begins(op.control);
	control_reload_ends(op.control, VERDICT_RELOADED);
	ck_assert_int_eq(ask("GET", "/lameduck"), 200);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "lameduck")), since);
	/* What is not understood changes nothing. */
	ck_assert_int_eq(post_lameduck("{\"state\": \"maybe\"}"), 400);
	ck_assert_uint_eq(json_array_size(json_object_get(op.caller.json, "allowed")), 2);
	ck_assert_int_eq(post_lameduck(NULL), 400);
	ck_assert_int_eq(ask("GET", "/lameduck?state=off"), 400);
	ck_assert(op.lameduck);
	op.refuses = true; /* it was told to stop meanwhile */
	ck_assert_int_eq(post_lameduck("{\"state\": \"off\"}"), 503);
	ck_assert_str_eq(caller_text(&op.caller, "error"), "the daemon is to stop");
	ck_assert_int_eq(ask("GET", "/lameduck"), 200);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "lameduck")), since);
	op.refuses = false;
	ck_assert_int_eq(post_lameduck("{\"state\": \"off\"}"), 200);
	ck_assert(!op.lameduck);
	ck_assert(json_is_null(json_object_get(op.caller.json, "lameduck")));
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert_str_ne(caller_text(&op.caller, "reason"), "lameduck");
}
END_TEST

/* A stop that is announced: since when, and when it will be. */
START_TEST(lameduck_before_a_stop)
{
	json_int_t since;

	control_lameduck(op.control, 2000000000);
	ck_assert_str_eq(op.judged.reason, "lameduck, to stop");
	ck_assert_int_eq(ask("GET", "/lameduck"), 200);
	since = json_integer_value(json_object_get(op.caller.json, "lameduck"));
	ck_assert_int_gt(since, 1000000);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "stops")), 2000000000);
	ck_assert_int_eq(ask("GET", "/ready"), 503);
	ck_assert_str_eq(caller_text(&op.caller, "error"), "lameduck, to stop");
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "stops")), 2000000000);
	ck_assert_int_eq(ask("POST", "/stop"), 200);
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "stops")), 2000000000);
	control_stops(op.control);
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert_str_eq(caller_text(&op.caller, "reason"), "stopping");
	ck_assert_int_eq(json_integer_value(json_object_get(op.caller.json, "lameduck")), since);
	ck_assert(json_is_null(json_object_get(op.caller.json, "stops")));
}
END_TEST

/* Ask for a reload; the answer is still to come. */
static int
begin_reload(void)
{
	static const char raw[] = "POST /reload HTTP/1.1\r\n\r\n";
	unsigned before = op.n_reloads;
	int fd = caller_connect(&op.caller);

	ck_assert_int_gt(send(fd, raw, sizeof(raw) - 1, 0), 0);
	while (op.n_reloads == before)
		caller_turn(&op.caller, 1);
	return fd;
}

static const char *
message(size_t i)
{
	const json_t *m = json_array_get(json_object_get(op.caller.json, "messages"), i);
	const char *text = json_string_value(json_object_get(m, "text"));

	return text == NULL ? "" : text;
}

START_TEST(reload_tells_its_result)
{
	int fd = begin_reload();

	log_warn(LOG_CONFIG, "t.conf:1: before it begins");
	control_reload_begins(op.control);
	log_warn(LOG_CONFIG, "t.conf:2: something");
	caller_turn(&op.caller, 5);
	log_info(LOG_CONFIG, "no matter which level is written");
	log_debug(LOG_CONFIG, "but not these");
	control_reload_ends(op.control, VERDICT_RELOADED);
	log_warn(LOG_CONFIG, "t.conf:3: after it");
	ck_assert_int_eq(caller_wait(&op.caller, fd), 200);
	ck_assert(json_is_true(json_object_get(op.caller.json, "done")));
	ck_assert_str_eq(message(0), "t.conf:2: something");
	ck_assert_str_eq(message(1), "no matter which level is written");
	ck_assert_str_eq(message(2), "");
}
END_TEST

START_TEST(refused_reload)
{
	int fd = begin_reload();

	control_reload_begins(op.control);
	log_error(LOG_CONFIG, "t.conf:7: port: wrong");
	control_reload_ends(op.control, VERDICT_REFUSED);
	ck_assert_int_eq(caller_wait(&op.caller, fd), 422);
	ck_assert(json_is_false(json_object_get(op.caller.json, "done")));
	ck_assert_str_ne(caller_text(&op.caller, "error"), "");
	ck_assert_str_eq(message(0), "t.conf:7: port: wrong");
	/* It is remembered. */
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert(
	    json_is_false(json_object_get(json_object_get(op.caller.json, "reload"), "done")));
}
END_TEST

/* A loop that does not take it is not waited for: that is the result, until it does. */
START_TEST(overdue_reload)
{
	int fd = begin_reload();

	control_reload_begins(op.control);
	log_error(LOG_CONFIG, "dns64d/1 has not taken it");
	control_reload_ends(op.control, VERDICT_OVERDUE);
	ck_assert_int_eq(caller_wait(&op.caller, fd), 503);
	ck_assert(json_is_false(json_object_get(op.caller.json, "done")));
	ck_assert_str_eq(caller_text(&op.caller, "error"), "not all loops have taken it");
	ck_assert_str_eq(message(0), "dns64d/1 has not taken it");
	ck_assert_uint_eq(op.judged.state, VERDICT_DEGRADED);
	control_reload_taken(op.control);
	ck_assert_uint_eq(op.judged.state, VERDICT_READY);
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert(json_is_true(json_object_get(json_object_get(op.caller.json, "reload"), "done")));
	ck_assert_ptr_null(json_object_get(json_object_get(op.caller.json, "reload"), "error"));
}
END_TEST

/* Another one that was refused meanwhile is the last one, whatever becomes of that before. */
START_TEST(refused_after_overdue)
{
	control_reload_begins(op.control);
	control_reload_ends(op.control, VERDICT_OVERDUE);
	control_reload_begins(op.control);
	control_reload_ends(op.control, VERDICT_REFUSED);
	control_reload_taken(op.control);
	ck_assert_uint_eq(op.judged.state, VERDICT_DEGRADED);
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert(
	    json_is_false(json_object_get(json_object_get(op.caller.json, "reload"), "done")));
}
END_TEST

/* Who asks while one goes on is told of the next, which has read the file as it is now. */
START_TEST(reload_while_one_goes_on)
{
	int first = begin_reload(), second, gone;

	control_reload_begins(op.control);
	second = begin_reload();
	gone = begin_reload();
	close(gone);
	log_error(LOG_CONFIG, "of the first");
	control_reload_ends(op.control, VERDICT_REFUSED);
	ck_assert_int_eq(caller_wait(&op.caller, first), 422);
	control_reload_begins(op.control);
	log_error(LOG_CONFIG, "of the second");
	control_reload_ends(op.control, VERDICT_RELOADED);
	ck_assert_int_eq(caller_wait(&op.caller, second), 200);
	ck_assert_str_eq(message(0), "of the second");
	ck_assert_str_eq(message(1), "");
}
END_TEST

/* A signal asks for it, nobody waits. */
START_TEST(reload_for_nobody)
{
	control_reload_begins(op.control);
	control_reload_ends(op.control, VERDICT_RELOADED);
	ck_assert_int_eq(ask("GET", "/status"), 200);
	ck_assert(json_is_true(json_object_get(json_object_get(op.caller.json, "reload"), "done")));
}
END_TEST

/* More lines than are kept, and one that is no UTF-8, which is told all the same. */
START_TEST(reload_that_says_much)
{
	int fd = begin_reload();

	control_reload_begins(op.control);
	log_error(LOG_CONFIG, "t.conf:1: version: 'M\xfcnchen' is \xfe");
	for (int i = 0; i < 1000; i++)
		log_info(LOG_CONFIG, "line %d", i);
	control_reload_ends(op.control, VERDICT_RELOADED);
	ck_assert_int_eq(caller_wait(&op.caller, fd), 200);
	ck_assert_str_eq(message(0), "t.conf:1: version: 'M?nchen' is ?");
	ck_assert_str_eq(message(1), "line 0");
	ck_assert_str_eq(message(1000), "");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ping);
	tcase_add_test(tc, commands_have_paths);
	tcase_add_test(tc, all_paths_are_listed);
	tcase_add_test(tc, stop_and_reopen);
	tcase_add_test(tc, arguments_where_there_are_none);
	tcase_add_test(tc, lameduck);
	tcase_add_test(tc, lameduck_before_a_stop);
	tcase_add_test(tc, reload_tells_its_result);
	tcase_add_test(tc, refused_reload);
	tcase_add_test(tc, overdue_reload);
	tcase_add_test(tc, refused_after_overdue);
	tcase_add_test(tc, reload_while_one_goes_on);
	tcase_add_test(tc, reload_for_nobody);
	tcase_add_test(tc, reload_that_says_much);
}
