/* SPDX-License-Identifier: BSD-2-Clause */
/* say: of TCP trouble the operator hears, but not from each loop and not each time. */
#include "io/say.h"

#include <check.h>
#include <errno.h>

#include "base/clock.h"
#include "io/shell.h"
#include "support/heard.h"

static struct shell loop[2];
static struct told *told;
static struct netaddr client;

static void
setup(void)
{
	told = told_new();
	ck_assert_ptr_nonnull(told);
	ck_assert(netaddr_parse("2001:db8::c", 4000, &client));
	for (int i = 0; i < 2; i++) {
		loop[i].told = told;
		loop[i].now_ns = 5 * NS_PER_SEC;
		for (int u = 0; u < 2; u++)
			loop[i].upstream_tcp.c[u] = (struct upstream_tcp_conn){ .fd = -1 };
		ck_assert(netaddr_parse("192.0.2.1", 53, &loop[i].upstream_tcp.c[0].addr));
		ck_assert(netaddr_parse("192.0.2.2", 53, &loop[i].upstream_tcp.c[1].addr));
		loop[i].sessions.said_limit_ns = 0;
		loop[i].sessions.said_stall_ns = 0;
	}
	heard_start(LOG_LEVEL_INFO);
}

static void
teardown(void)
{
	heard_end();
	told_free(told);
}

static void
pass(uint64_t ns)
{
	for (int i = 0; i < 2; i++)
		loop[i].now_ns += ns;
}

static void
refuse(int l, int u, int err)
{
	struct upstream_tcp_conn *c = &loop[l].upstream_tcp.c[u];

	c->state = UPSTREAM_TCP_CONNECTING;
	c->err = err;
	say_conn_lost(&loop[l], c, 3);
}

/* An upstream that takes no connections: once, until it does. */
START_TEST(refused_connections_are_said_once)
{
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < 6; i++) {
			refuse(i % 2, 0, i < 3 ? ECONNREFUSED : ETIMEDOUT);
			pass(2 * TOLD_PAUSE_NS);
		}
		ck_assert_uint_eq(
		    heard("notice upstream: 192.0.2.1#53: no TCP connection: Connection refused"),
		    1);
		refuse(1, 1, ETIMEDOUT);
		ck_assert_uint_eq(
		    heard("192.0.2.2#53: no TCP connection: Connection timed out"), 1);
		say_conn_up(&loop[0], &loop[0].upstream_tcp.c[0]);
		say_conn_up(&loop[1], &loop[1].upstream_tcp.c[0]);
		say_conn_up(&loop[1], &loop[1].upstream_tcp.c[1]);
		say_conn_up(&loop[1], &loop[1].upstream_tcp.c[1]);
		ck_assert_uint_eq(heard("192.0.2.1#53: takes TCP connections again"), 1);
		ck_assert_uint_eq(heard_all(), 4);
	}
	refuse(0, 0, ECONNREFUSED);
	say_conn_gone(&loop[0], &loop[0].upstream_tcp.c[0]);
	say_conn_up(&loop[0], &loop[0].upstream_tcp.c[0]);
	ck_assert_uint_eq(heard_all(), 1);
}
END_TEST

/*
 * One that ends with questions open: once a minute, at the level info; without any it is nothing.
 */
START_TEST(lost_connections_are_said_once_a_minute)
{
	for (int i = 0; i < 6; i++) {
		struct upstream_tcp_conn *c = &loop[i % 2].upstream_tcp.c[0];

		c->state = UPSTREAM_TCP_UP;
		c->err = i == 0 ? 0 : ECONNRESET;
		say_conn_lost(&loop[i % 2], c, 2);
		say_conn_lost(&loop[i % 2], c, 0);
		pass(TOLD_PAUSE_NS / 3);
	}
	ck_assert_uint_eq(
	    heard(
		"info upstream: 192.0.2.1#53: TCP connection ended with 2 questions open: closed"),
	    1);
	ck_assert_uint_eq(heard_all(), 2);
}
END_TEST

static void
all_that_recurs(void)
{
	static const struct session s = { .fd = -1 };

	for (int l = 0; l < 2; l++) {
		say_conn_full(&loop[l], &loop[l].upstream_tcp.c[0], ENOBUFS);
		say_client_limit(&loop[l], &client, "max-tcp-clients");
		say_client_stall(&loop[l], &s);
	}
}

/* What else recurs: the same, and each time for who looks closely. */
START_TEST(recurring_trouble_is_said_once_a_minute)
{
	for (int i = 0; i < 3; i++)
		all_that_recurs();
	ck_assert_uint_eq(heard("info upstream: 192.0.2.1#53: no room"), 1);
	ck_assert_uint_eq(heard("info client: a connection of 2001:db8::c#4000 was closed: "
				"max-tcp-clients are open"),
	    1);
	ck_assert_uint_eq(heard_all(), 3);
	log_set_level(LOG_LEVEL_DEBUG);
	for (int i = 0; i < 3; i++)
		all_that_recurs();
	ck_assert_uint_eq(heard("debug "), 18);
	ck_assert_uint_eq(heard_all(), 18);
	log_set_level(LOG_LEVEL_NOTICE);
	pass(TOLD_PAUSE_NS);
	all_that_recurs();
	ck_assert_uint_eq(heard_all(), 0);
	log_set_level(LOG_LEVEL_INFO);
	all_that_recurs();
	ck_assert_uint_eq(heard_all(), 3);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("say");
	TCase *t = tcase_create("say");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, refused_connections_are_said_once);
	tcase_add_test(t, lost_connections_are_said_once_a_minute);
	tcase_add_test(t, recurring_trouble_is_said_once_a_minute);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	SRunner *sr = srunner_create(suite());
	int failed_tests;

	srunner_run_all(sr, CK_ENV);
	failed_tests = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed_tests != 0;
}
