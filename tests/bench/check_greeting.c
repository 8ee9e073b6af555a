/* SPDX-License-Identifier: BSD-2-Clause */
/* Testers of one version, that know the same secret, and nobody else. */

#include "bench/greeting.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/exchange.h"
#include "support/tests.h"

static struct bench_guest guest;
static struct bench_channel controller;
static struct bench_secret agents, controllers;
static atomic_bool stop;
static bool answered;

static void
setup(void)
{
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	bench_channel_init(&guest.c, fd[0], BENCH_CHANNEL_FIRST);
	bench_channel_init(&controller, fd[1], BENCH_CHANNEL_FIRST);
}

static void
teardown(void)
{
	bench_channel_close(&guest.c);
	bench_channel_close(&controller);
}

static void
know(struct bench_secret *s, const char *text)
{
	s->len = strlen(text);
	memcpy(s->bytes, text, s->len);
}

/* Greet who has connected to us. */
static bool
known(void)
{
	bool is = false;

	bench_guest_greet(&guest, guest.c.fd, &agents);
	while (!(is = bench_guest_known(&guest, &agents)) && guest.c.fd >= 0)
		(void)usleep(1000);
	return is;
}

static void *
answer(void *arg)
{
	answered = known();
	if (!answered)
		bench_channel_close(&guest.c);
	return arg;
}

/* Both greet; does the controller think that it was fine? */
static bool
greet(void)
{
	pthread_t thread;
	bool asked;

	ck_assert_int_eq(pthread_create(&thread, NULL, answer, NULL), 0);
	asked = bench_greeting_ask(&controller, &controllers, &stop);
	if (!asked)
		bench_channel_close(&controller);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	return asked;
}

START_TEST(same_secret_or_none_is_welcome)
{
	if (_i > 0) {
		know(&agents, "0123456789abcdef");
		know(&controllers, "0123456789abcdef");
	}
	ck_assert_msg(greet() && answered, "%s, %s", guest.c.error, controller.error);
}
END_TEST

static const struct {
	const char *agents, *controllers, *agent_says, *controller_says;
} differ[] = {
	{ "0123456789abcdef", "0123456789abcdeg", "refused: the secrets differ",
	    "refused: the secrets differ" },
	{ "0123456789abcdef", "", "refused: the secrets differ", "it wants a secret (--secret)" },
	{ "", "0123456789abcdef", "refused: there is a secret there, and none here",
	    "it has no secret, and we have one" },
};

START_TEST(other_secret_is_refused)
{
	know(&agents, differ[_i].agents);
	know(&controllers, differ[_i].controllers);
	ck_assert(!greet() && !answered);
	ck_assert_str_eq(guest.c.error, differ[_i].agent_says);
	ck_assert_str_eq(controller.error, differ[_i].controller_says);
}
END_TEST

/* A number of 64 hexadecimal digits. */
static const char number[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* Tell the other side what a tester of PROGRAM and FORMAT would. */
static void
say_hello(struct bench_channel *c, const char *program, int format, const char *proof)
{
	json_t *hello =
	    json_pack("{s:s,s:i,s:s}", "program", program, "format", format, "number", number);

	if (proof != NULL)
		(void)json_object_set_new(hello, "proof", json_string(proof));
	ck_assert(bench_channel_send(c, hello));
}

#define OURS "dns64bench " PACKAGE_VERSION

START_TEST(other_version_is_told_on_both_sides)
{
	int format = _i == 0 ? BENCH_EXCHANGE_FORMAT : BENCH_EXCHANGE_FORMAT + 1;
	const char *program = _i == 0 ? "dns64bench 0.0.7" : OURS;
	char want[BENCH_CHANNEL_ERROR];

	say_hello(&guest.c, program, format, NULL);
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	(void)snprintf(want, sizeof(want),
	    "versions differ: %s (exchange %d) there, " OURS " (exchange %d) here", program, format,
	    BENCH_EXCHANGE_FORMAT);
	ck_assert_str_eq(controller.error, want);
	bench_channel_close(&guest.c);
	setup();
	guest.c.error[0] = '\0';
	say_hello(&controller, program, format, NULL);
	ck_assert(!known());
	ck_assert_str_eq(guest.c.error, want);
}
END_TEST

START_TEST(who_is_no_tester_is_told)
{
	ck_assert(bench_channel_send(&guest.c, json_pack("{s:s}", "hello", "world")));
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	ck_assert_str_eq(controller.error, "who is there is no dns64bench");
	teardown();
	setup();
	ck_assert(bench_channel_send(&guest.c, json_pack("{s:s}", "error", "busy")));
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	ck_assert_str_eq(controller.error, "busy");
}
END_TEST

/* Who does not know the secret gives back what we proved, or nothing. */
START_TEST(false_agent_is_found_out)
{
	json_t *hello = json_pack("{s:s,s:i,s:s,s:b}", "program", OURS, "format",
	    BENCH_EXCHANGE_FORMAT, "number", number, "secret", 1);

	know(&controllers, "0123456789abcdef");
	ck_assert(bench_channel_send(&guest.c, hello));
	/* What it will say is there already, but for the proof it gets. */
	ck_assert(bench_channel_send(
	    &guest.c, json_pack("{s:b,s:s}", "welcome", 1, "proof", _i == 0 ? number : "")));
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	ck_assert_str_eq(controller.error, "the secrets differ: it does not know ours");
}
END_TEST

/* The proof of one greeting is none in the next. */
START_TEST(proof_is_of_use_once)
{
	json_t *seen;
	char proof[100];

	know(&agents, "0123456789abcdef");
	know(&controllers, "0123456789abcdef");
	say_hello(&guest.c, OURS, BENCH_EXCHANGE_FORMAT, NULL);
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	seen = bench_channel_take(&guest.c);
	(void)snprintf(
	    proof, sizeof(proof), "%s", json_string_value(json_object_get(seen, "proof")));
	ck_assert_uint_eq(strlen(proof), 64);
	json_decref(seen);
	teardown();
	setup();
	say_hello(&controller, OURS, BENCH_EXCHANGE_FORMAT, proof);
	ck_assert(!known());
	ck_assert_str_eq(guest.c.error, "refused: the secrets differ");
}
END_TEST

/* Nobody waits for who says nothing, and each knows why he was sent away. */
START_TEST(silent_guest_is_sent_away)
{
	bench_guest_greet(&guest, guest.c.fd, &agents);
	ck_assert(!bench_guest_known(&guest, &agents));
	ck_assert_int_ge(guest.c.fd, 0);
	guest.until_ns = 1;
	ck_assert(!bench_guest_known(&guest, &agents));
	ck_assert_int_eq(guest.c.fd, -1);
	ck_assert_str_eq(guest.c.error, "no answer for 5 s");
	teardown();
	setup();
	bench_guest_refuse(&guest, "it is late");
	ck_assert_int_eq(guest.c.fd, -1);
	ck_assert(!bench_greeting_ask(&controller, &controllers, &stop));
	ck_assert_str_eq(controller.error, "it is late");
}
END_TEST

/* What a stranger says goes to a terminal and a log. */
START_TEST(version_is_told_in_plain_letters)
{
	say_hello(&controller, "dns64bench \033[2J\n\302\233x", BENCH_EXCHANGE_FORMAT, NULL);
	ck_assert(!known());
	ck_assert_ptr_nonnull(strstr(guest.c.error, "versions differ: dns64bench ?[2J???x (exch"));
}
END_TEST

/* --- The file --------------------------------------------------------------------------------- */

static const struct {
	const char *content;
	size_t len; /* 0: refused */
} files[] = {
	{ "0123456789abcdef\n", 16 },
	{ "0123456789abcdef", 16 },
	{ "0123456789abcdef\r\nmore\n", 16 },
	{ "0123456789abcde\n", 0 },
	{ "", 0 },
	{ "\n0123456789abcdef\n", 0 },
};

START_TEST(secret_is_the_first_line)
{
	char path[] = "/tmp/check_greeting.XXXXXX", error[BENCH_CHANNEL_ERROR] = "";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, files[_i].content, strlen(files[_i].content)),
	    (ssize_t)strlen(files[_i].content));
	(void)close(fd);
	bool good = bench_secret_read(path, &agents, error);
	(void)unlink(path);
	ck_assert_int_eq(good, files[_i].len > 0);
	if (good)
		ck_assert_uint_eq(agents.len, files[_i].len);
	else
		ck_assert_ptr_nonnull(strstr(error, ": the first line must have 16 to 256 bytes"));
}
END_TEST

START_TEST(longest_secret_and_no_file)
{
	char path[] = "/tmp/check_greeting.XXXXXX", error[BENCH_CHANNEL_ERROR] = "";
	char line[BENCH_SECRET_MOST + 1];
	int fd = mkstemp(path);

	memset(line, 'x', sizeof(line));
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, line, BENCH_SECRET_MOST), BENCH_SECRET_MOST);
	ck_assert(bench_secret_read(path, &agents, error));
	ck_assert_uint_eq(agents.len, BENCH_SECRET_MOST);
	ck_assert_int_eq(write(fd, line, 1), 1);
	ck_assert(!bench_secret_read(path, &agents, error));
	(void)close(fd);
	(void)unlink(path);
	ck_assert(!bench_secret_read(path, &agents, error));
	ck_assert_ptr_nonnull(strstr(error, "No such file"));
	ck_assert(bench_secret_read(NULL, &agents, error));
	ck_assert_uint_eq(agents.len, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, same_secret_or_none_is_welcome, 0, 2);
	tcase_add_loop_test(tc, other_secret_is_refused, 0, 3);
	tcase_add_loop_test(tc, other_version_is_told_on_both_sides, 0, 2);
	tcase_add_test(tc, who_is_no_tester_is_told);
	tcase_add_loop_test(tc, false_agent_is_found_out, 0, 2);
	tcase_add_test(tc, proof_is_of_use_once);
	tcase_add_test(tc, silent_guest_is_sent_away);
	tcase_add_test(tc, version_is_told_in_plain_letters);
	tcase_add_loop_test(tc, secret_is_the_first_line, 0, sizeof(files) / sizeof(*files));
	tcase_add_test(tc, longest_secret_and_no_file);
}
