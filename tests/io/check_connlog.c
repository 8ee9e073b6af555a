/* SPDX-License-Identifier: BSD-2-Clause */
/* say: of TCP trouble the operator hears, but not from each loop and not each time. */
#include "io/connlog.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "support/heard.h"
#include "support/tests.h"

/* What a loop has logged of two upstreams and of its clients. */
static struct {
	struct connlog_conn conn[2];
	struct connlog_clients clients;
} loop[2];
static struct netaddr upstream[2], client;
static struct logonce *logonce;
static uint64_t now_ns;

static void
setup(void)
{
	logonce = logonce_new();
	ck_assert_ptr_nonnull(logonce);
	now_ns = 5 * NS_PER_SEC;
	memset(loop, 0, sizeof(loop));
	ck_assert(netaddr_parse("192.0.2.1", 53, &upstream[0]));
	ck_assert(netaddr_parse("192.0.2.2", 53, &upstream[1]));
	ck_assert(netaddr_parse("2001:db8::c", 4000, &client));
	heard_start(LOG_LEVEL_INFO);
}

static void
teardown(void)
{
	heard_end();
	logonce_free(logonce);
}

static struct connlog_event
about(const struct netaddr *peer)
{
	return (struct connlog_event){ .logonce = logonce, .peer = peer, .now_ns = now_ns };
}

static void
refuse(int l, int u, int err)
{
	const struct connlog_event e = about(&upstream[u]);

	connlog_conn_failed(&e, &loop[l].conn[u], err);
}

static void
up(int l, int u)
{
	const struct connlog_event e = about(&upstream[u]);

	connlog_conn_up(&e, &loop[l].conn[u]);
}

/* An upstream that takes no connections: once, until it does. */
START_TEST(refused_connections_are_said_once)
{
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < 6; i++) {
			refuse(i % 2, 0, i < 3 ? ECONNREFUSED : ETIMEDOUT);
			now_ns += 2 * LOGONCE_PAUSE_NS;
		}
		ck_assert_uint_eq(
		    heard("notice upstream: 192.0.2.1#53: no TCP connection: Connection refused"),
		    1);
		refuse(1, 1, ETIMEDOUT);
		ck_assert_uint_eq(
		    heard("192.0.2.2#53: no TCP connection: Connection timed out"), 1);
		up(0, 0);
		up(1, 0);
		up(1, 1);
		up(1, 1);
		ck_assert_uint_eq(heard("192.0.2.1#53: takes TCP connections again"), 1);
		ck_assert_uint_eq(heard_all(), 4);
	}
	refuse(0, 0, ECONNREFUSED);
	const struct connlog_event e = about(&upstream[0]);
	connlog_conn_gone(&e, &loop[0].conn[0]);
	up(0, 0);
	ck_assert_uint_eq(heard_all(), 1);
}
END_TEST

/* An upstream to which no socket can be had: said when the first loop has none, and when all do. */
START_TEST(missing_sockets_are_said_once)
{
	for (int again = 0; again < 2; again++) {
		for (int l = 0; l < 2; l++)
			connlog_socket(logonce, &upstream[0], ENETUNREACH);
		ck_assert_uint_eq(
		    heard("warning upstream: 192.0.2.1#53: no socket: Network is unreachable"), 1);
		ck_assert_uint_eq(heard_all(), 1);
		connlog_socket(logonce, &upstream[0], 0);
		ck_assert_uint_eq(heard_all(), 0);
		connlog_socket(logonce, &upstream[0], 0);
		ck_assert_uint_eq(heard("notice upstream: 192.0.2.1#53: reachable again"), 1);
		ck_assert_uint_eq(heard_all(), 1);
	}
}
END_TEST

/*
 * One that ends with questions open: once a minute, at the level info; without any it is nothing.
 */
START_TEST(lost_connections_are_said_once_a_minute)
{
	for (int i = 0; i < 6; i++) {
		const struct connlog_event e = about(&upstream[0]);
		struct connlog_conn *said = &loop[i % 2].conn[0];
		int err = i == 0 ? 0 : ECONNRESET;

		connlog_conn_ended(&e, said, err, 2);
		connlog_conn_ended(&e, said, err, 0);
		now_ns += LOGONCE_PAUSE_NS / 3;
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
	const struct connlog_event asked = about(&upstream[0]), served = about(&client);

	for (int l = 0; l < 2; l++) {
		connlog_conn_full(&asked, &loop[l].conn[0], ENOBUFS);
		connlog_client_limit(&served, &loop[l].clients, "max-tcp-clients");
		connlog_client_stall(&served, &loop[l].clients);
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
	now_ns += LOGONCE_PAUSE_NS;
	all_that_recurs();
	ck_assert_uint_eq(heard_all(), 0);
	log_set_level(LOG_LEVEL_INFO);
	all_that_recurs();
	ck_assert_uint_eq(heard("(and 7 more since the last such message)"), 3);
	ck_assert_uint_eq(heard_all(), 3);
}
END_TEST

/* A header that is refused is logged at the usual level: a configuration has to be mended. */
START_TEST(refused_headers_are_logged_once_a_minute)
{
	static struct connlog_seldom said[2];
	struct connlog_event e = about(&client);

	log_set_level(LOG_LEVEL_NOTICE);
	for (int i = 0; i < 4; i++)
		connlog_header(&e, &said[i % 2], (enum transport)(i / 2), "it is odd");
	ck_assert_uint_eq(heard("notice client: a datagram of 2001:db8::c#4000 was dropped "
				"(proxy-protocol): it is odd"),
	    1);
	ck_assert_uint_eq(heard_all(), 1);
	e.now_ns += LOGONCE_PAUSE_NS;
	connlog_header(&e, &said[0], TRANSPORT_TCP, "it is odd");
	ck_assert_uint_eq(heard("a connection of 2001:db8::c#4000 was closed (proxy-protocol): it "
				"is odd (and 2 more since the last such message)"),
	    1);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, refused_connections_are_said_once);
	tcase_add_test(tc, missing_sockets_are_said_once);
	tcase_add_test(tc, lost_connections_are_said_once_a_minute);
	tcase_add_test(tc, recurring_trouble_is_said_once_a_minute);
	tcase_add_test(tc, refused_headers_are_logged_once_a_minute);
}
