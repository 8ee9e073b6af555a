/* SPDX-License-Identifier: BSD-2-Clause */
/* session: clients over TCP (RFC 7766), patient and impatient, slow and rude. */
#include "io/session.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/edit.h"
#include "support/rig.h"
#include "support/testclock.h"
#include "support/tests.h"

#define BIG 3700 /* A records in a message of some 60,000 bytes */

static struct rig rig;
static struct rig_msg msg, other;
static int client;

static void
start(void)
{
	rig_start(&rig);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
}

static void
setup(void)
{
	rig_init(&rig);
	start();
}

static void
setup_only(void)
{
	rig_init(&rig);
	client = -1;
}

static void
teardown(void)
{
	if (client >= 0)
		close(client);
	rig_end(&rig);
	testclock_reset();
}

static void
ask(int fd, uint16_t id, const char *prefix, uint16_t qtype)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%u.test", prefix, id);
	rig_question(&msg, id, name, qtype);
	rig_put(fd, &msg);
}

/* Is ID's question for a name that is answered here (D17) answered? */
static bool
serves_local(int fd, uint16_t id)
{
	rig_question(&msg, id, "resolver.arpa", RIG_A);
	rig_put(fd, &msg);
	return rig_get(fd, &msg) && rig_id(&msg) == id;
}

/* Is a connection to AT taken, and not refused? */
static int
connect_taken(const struct netaddr *at)
{
	uint64_t taken = rig_stat(&rig, "tcp_accepted"), refused = rig_stat(&rig, "tcp_refused");
	int fd = rig_connect(SOCK_STREAM, at);

	while (rig_stat(&rig, "tcp_accepted") + rig_stat(&rig, "tcp_refused") == taken + refused)
		rig_pause(1);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_refused"), refused);
	return fd;
}

/* deny ... drop: a connection is closed at once, and a datagram gets nothing (D23). */
START_TEST(d23_dropped_clients_get_nothing)
{
	/* No line may deny this machine itself. */
	static const struct net own = { { 127 }, 8, NETADDR_IPV4 };
	static const struct policies_client ignored = { .access = POLICY_IGNORED };
	struct policies *ps = rig.conf.core.policies;
	char byte;
	int udp;

	ck_assert_int_eq(policies_add_client(ps, &own, &ignored), 0);
	ps->ignores = true;
	start();
	ck_assert(rig_ready(client, 60000));
	ck_assert_int_le(recv(client, &byte, 1, 0), 0);
	ck_assert(rig_until(&rig, "client_ignored", 1));
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
	rig_question(&msg, 1, "resolver.arpa", RIG_A);
	rig_send(udp, &msg);
	ck_assert(rig_until(&rig, "client_ignored", 2));
	ck_assert(!rig_ready(udp, 50));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_accepted"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "client_udp"), 0);
	close(udp);
}
END_TEST

/* Pipelined questions are answered as answers come (rule 26, RFC 7766 sections 6.2.1.1 and 7). */
START_TEST(answers_go_as_they_come)
{
	static struct rig_msg q[10];

	for (uint16_t i = 0; i < 10; i++)
		ask(client, i, "n", RIG_AAAA);
	for (int i = 0; i < 10; i++)
		ck_assert(rig_take(&rig, &q[i]));
	for (int i = 9; i >= 0; i--) {
		rig_reply(&msg, &q[i], 0);
		rig_give(&rig, &msg);
		rig_serve(&rig, 1);
		ck_assert(rig_get(client, &msg));
		ck_assert_uint_eq(rig_id(&msg), (unsigned)i);
		ck_assert_uint_eq(rig_answers(&msg), 1);
	}
}
END_TEST

/* One byte at a time, with others being served in between: no head-of-line blocking. */
START_TEST(byte_by_byte_holds_up_nobody)
{
	int quick = rig_connect(SOCK_STREAM, &rig.at[0]);
	uint8_t frame[100];

	rig_question(&other, 1, "slow.test", RIG_AAAA);
	frame[0] = 0;
	frame[1] = (uint8_t)other.len;
	memcpy(frame + 2, other.bytes, other.len);
	for (size_t i = 0; i < other.len + 2; i++) {
		ck_assert_int_eq(send(client, frame + i, 1, 0), 1);
		ask(quick, (uint16_t)(100 + i), "q", RIG_AAAA);
		if (i < other.len + 1) {
			rig_serve(&rig, 2);
			ck_assert(rig_get(quick, &msg));
			ck_assert_uint_eq(rig_id(&msg), 100 + i);
		}
	}
	rig_serve(&rig, 4);
	ck_assert(rig_get(client, &msg));
	ck_assert_uint_eq(rig_id(&msg), 1);
	close(quick);
}
END_TEST

/* At most 64 in flight on one connection; the others wait, and are answered in the end. */
START_TEST(questions_over_64_in_flight_wait)
{
	static struct rig_msg q[SESSION_QUESTIONS];
	int n = 0;

	for (uint16_t i = 0; i < 200; i++)
		ask(client, i, "n", RIG_AAAA);
	while (n < SESSION_QUESTIONS)
		ck_assert(rig_take(&rig, &q[n++]));
	ck_assert(rig_quiet(&rig, RIG_QUIET_MS));
	ck_assert_uint_eq(rig_stat(&rig, "client_tcp"), SESSION_QUESTIONS);
	for (int i = 0; i < SESSION_QUESTIONS; i++) {
		rig_reply(&q[i], &q[i], 0);
		rig_give(&rig, &q[i]);
	}
	rig_serve(&rig, 400 - SESSION_QUESTIONS);
	for (int i = 0; i < 200; i++)
		ck_assert(rig_get(client, &msg));
}
END_TEST

/* Rule 26, RFC 7766 section 6.2.4: who has said all still gets its answers; then the end. */
START_TEST(half_closed_client_gets_its_answers)
{
	ask(client, 1, "a", RIG_AAAA);
	ask(client, 2, "b", RIG_AAAA);
	ck_assert_int_eq(shutdown(client, SHUT_WR), 0);
	ck_assert(rig_until(&rig, "client_tcp", 2));
	rig_pause(RIG_QUIET_MS);
	rig_serve(&rig, 4);
	ck_assert(rig_get(client, &msg));
	ck_assert(rig_get(client, &msg));
	ck_assert(rig_closed(client, RIG_WAIT_MS));
}
END_TEST

/* Frames that can be no message: 0 to 11 bytes. Counted, closed; nobody else suffers. */
START_TEST(frame_under_12_bytes_closes)
{
	int good = rig_connect(SOCK_STREAM, &rig.at[0]);
	uint8_t frame[20] = { 0, (uint8_t)_i };

	ck_assert_int_eq(send(client, frame, sizeof(frame), 0), (ssize_t)sizeof(frame));
	ck_assert(rig_closed(client, RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "client_short"), 1);
	ask(good, 1, "a", RIG_AAAA);
	rig_serve(&rig, 2);
	ck_assert(rig_get(good, &msg));
	close(good);
}
END_TEST

/* The client is gone when its answer comes: no-op, also for the next one in its place. */
START_TEST(answer_for_a_gone_client_goes_nowhere)
{
	struct linger reset = { .l_onoff = 1 };
	int next;

	ask(client, 1, "a", RIG_AAAA);
	ck_assert(rig_take(&rig, &other));
	ck_assert_int_eq(setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
	close(client);
	rig_pause(RIG_QUIET_MS);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	ask(client, 2, "b", RIG_AAAA);
	ck_assert(rig_until(&rig, "client_tcp", 2));
	rig_reply(&other, &other, 0);
	rig_give(&rig, &other);
	rig_serve(&rig, 3);
	ck_assert(rig_get(client, &msg));
	ck_assert_uint_eq(rig_id(&msg), 2);
	ck_assert(!rig_ready(client, RIG_QUIET_MS));
	next = client;
	ask(next, 3, "c", RIG_AAAA);
	rig_serve(&rig, 2);
	ck_assert(rig_get(next, &msg));
}
END_TEST

/*
 * Rule 26, RFC 7766 section 6.2.3: a whole message keeps a connection alive, bytes of one do not.
 */
START_TEST(idle_connection_is_closed)
{
	int slow, mute;

	testclock_hold();
	rig.conf.io.tcp_idle_ms = 1500;
	start();
	slow = rig_connect(SOCK_STREAM, &rig.at[0]);
	mute = rig_connect(SOCK_STREAM, &rig.at[0]);
	ck_assert(rig_until(&rig, "tcp_accepted", 3));
	for (uint16_t i = 0; i < 15; i++) {
		ck_assert_uint_eq(rig_stat(&rig, "tcp_idle"), 0);
		testclock_pass(100 * NS_PER_MS);
		ck_assert(serves_local(client, i));
		/* Of a message of 16,384 bytes or more. */
		(void)send(slow, i == 0 ? "\100" : "\0", 1, MSG_NOSIGNAL);
	}
	testclock_pass(100 * NS_PER_MS); /* sessions are looked after so often */
	ck_assert(rig_closed(mute, RIG_WAIT_MS));
	ck_assert(rig_closed(slow, RIG_WAIT_MS));
	ck_assert(serves_local(client, 1));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_idle"), 2);
	testclock_pass(1600 * NS_PER_MS);
	ck_assert(rig_closed(client, RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_idle"), 3);
	close(slow);
	close(mute);
}
END_TEST

/* Ask with ID for a name that is answered here (D17), with an OPT; the answer is in msg. */
static void
ask_with_opt(uint16_t id)
{
	const struct edit_opt opt = { 1232, 0, DNS_EDE_NONE, false };

	rig_question(&msg, id, "resolver.arpa", RIG_A);
	msg.len = edit_append_opt(msg.bytes, msg.len, sizeof(msg.bytes), &opt);
	rig_put(client, &msg);
	ck_assert(rig_get(client, &msg));
	ck_assert_uint_eq(rig_id(&msg), id);
}

/* The time that the answer in msg asks for, in units of 100 ms; -1: for none. */
static int
keepalive(void)
{
	const uint8_t *option;
	struct msg m;
	size_t n = 0;

	ck_assert_int_eq(msg_parse(&m, msg.bytes, msg.len), MSG_OK);
	option = msg_option(&m, EDNS_KEEPALIVE, &n);
	return option == NULL ? -1 : n == 2 ? option[0] << 8 | option[1] : -2;
}

/*
 * RFC 7828 section 3.4: clients of a lame duck are asked to end their connections, and whose are
 * idle are closed soon, whatever tcp-idle-timeout is.
 */
START_TEST(lame_duck_ends_connections)
{
	uint64_t begin_ms;

	rig.conf.io.tcp_idle_ms = 3600000;
	start();
	ask_with_opt(1);
	ck_assert_int_eq(keepalive(), -1);
	loop_lameduck(rig.loop, true);
	begin_ms = rig_now_ms();
	do
		ask_with_opt(2);
	while (keepalive() == -1 && rig_now_ms() - begin_ms < RIG_WAIT_MS);
	ck_assert_int_eq(keepalive(), 0);
	/* Who has no EDNS is served as ever. */
	ck_assert(serves_local(client, 3));
	ck_assert(rig_closed(client, RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_idle"), 1);
	close(client);
	/* New connections are taken. */
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	ask_with_opt(4);
	ck_assert_int_eq(keepalive(), 0);
	loop_lameduck(rig.loop, false);
	begin_ms = rig_now_ms();
	do
		ask_with_opt(5);
	while (keepalive() == 0 && rig_now_ms() - begin_ms < RIG_WAIT_MS);
	ck_assert_int_eq(keepalive(), -1);
}
END_TEST

/* A question in flight is no idleness: who came later and says nothing is closed before. */
START_TEST(open_question_is_no_idleness)
{
	int mute;

	testclock_hold();
	rig.conf.io.tcp_idle_ms = 1000;
	start();
	ask(client, 1, "a", RIG_AAAA);
	ck_assert(rig_take(&rig, &other));
	mute = rig_connect(SOCK_STREAM, &rig.at[0]);
	ck_assert(rig_until(&rig, "tcp_accepted", 2));
	testclock_pass(1100 * NS_PER_MS);
	ck_assert(rig_closed(mute, RIG_WAIT_MS));
	ck_assert(!rig_ready(client, 0));
	rig_reply(&other, &other, 0);
	rig_give(&rig, &other);
	rig_serve(&rig, 1);
	ck_assert(rig_get(client, &msg));
	testclock_pass(1100 * NS_PER_MS);
	ck_assert(rig_closed(client, RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_idle"), 2);
	close(mute);
}
END_TEST

/* Who gives way at a ceiling: tests/io/check_session_limits.c. */
START_TEST(ceiling_per_client)
{
	static struct rig_msg q[2];
	int fd[3];

	rig.conf.io.max_tcp_per_client = 2;
	start();
	fd[0] = rig_connect(SOCK_STREAM, &rig.at[0]);
	ask(client, 1, "a", RIG_AAAA);
	ask(fd[0], 2, "b", RIG_AAAA);
	ck_assert(rig_take(&rig, &q[0]));
	ck_assert(rig_take(&rig, &q[1]));
	fd[1] = rig_connect(SOCK_STREAM, &rig.at[0]);
	ck_assert(rig_closed(fd[1], RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_refused"), 1);
	for (int i = 0; i < 2; i++) {
		rig_reply(&msg, &q[i], 0);
		rig_give(&rig, &msg);
	}
	rig_serve(&rig, 2);
	ck_assert(rig_get(client, &msg));
	ck_assert(rig_get(fd[0], &msg));
	fd[2] = connect_taken(&rig.at[0]);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_evicted"), 1);
	ask(fd[2], 3, "c", RIG_AAAA);
	rig_serve(&rig, 2);
	ck_assert(rig_get(fd[2], &msg));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}
END_TEST

/* Who has gone makes room at once, whichever of the two the loop is told of first. */
START_TEST(who_has_gone_makes_room)
{
	int fd[2];

	rig.conf.io.max_tcp_clients = 3;
	start();
	for (int i = 0; i < 2; i++)
		fd[i] = rig_connect(SOCK_STREAM, &rig.at[0]);
	ck_assert(rig_until(&rig, "tcp_accepted", 3));
	for (int i = 0; i < 8; i++) {
		ck_assert(serves_local(client, (uint16_t)(i + 1))); /* it is done with accepting */
		close(fd[0]);
		fd[0] = connect_taken(&rig.at[1]);
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_evicted"), 0);
	ask(fd[0], 1, "a", RIG_AAAA);
	rig_serve(&rig, 2);
	ck_assert(rig_get(fd[0], &msg));
	for (int i = 0; i < 2; i++)
		close(fd[i]);
}
END_TEST

/* The upstream's side of big answers over TCP: N of them. */
static void
serve_big(int up, unsigned n)
{
	while (n-- > 0) {
		ck_assert(rig_get(up, &other));
		rig_reply(&other, &other, BIG);
		rig_put(up, &other);
	}
}

/* The same, by as many connections as are made, until N answers have gone to clients. */
static void
serve_big_until(int up, uint64_t n)
{
	int ups[8] = { up };
	unsigned n_ups = 1;

	while (rig_stat(&rig, "answers") < n) {
		if (n_ups < 8 && rig_ready(rig.up_tcp, 0))
			ups[n_ups++] = rig_accept(&rig);
		for (unsigned i = 0; i < n_ups; i++)
			if (rig_ready(ups[i], 1))
				serve_big(ups[i], 1);
	}
	while (n_ups > 1)
		close(ups[--n_ups]);
}

/* A client that reads late gets all of it; those beside it do not notice. */
START_TEST(slow_reader_gets_all_of_it)
{
	int up;

	ask(client, 0, "big", RIG_A);
	up = rig_accept(&rig);
	serve_big(up, 1);
	for (uint16_t i = 1; i < SESSION_QUESTIONS; i++)
		ask(client, i, "big", RIG_A);
	serve_big_until(up, SESSION_QUESTIONS);
	for (uint16_t i = 0; i < 20; i++) {
		int quick = rig_connect(SOCK_STREAM, &rig.at[0]);

		ask(quick, i, "a", RIG_AAAA);
		while (!rig_ready(quick, 1))
			rig_serve_now(&rig);
		ck_assert(rig_get(quick, &msg));
		close(quick);
	}
	for (int i = 0; i < SESSION_QUESTIONS; i++) {
		ck_assert(rig_get(client, &msg));
		ck_assert_uint_eq(rig_answers(&msg), BIG);
	}
	close(up);
}
END_TEST

/* A client that takes nothing for 5 s is closed, and not before. */
START_TEST(stalled_client_is_closed_after_5_s)
{
	int size = 4096, up, beside;
	unsigned n = 0; /* tenths of a second */

	testclock_hold();
	rig_start(&rig);
	beside = rig_connect(SOCK_STREAM, &rig.at[0]);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	ck_assert_int_eq(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	for (uint16_t i = 0; i < 5 * SESSION_QUESTIONS; i++)
		ask(client, i, "big", RIG_A);
	up = rig_accept(&rig);
	while (rig_ready(up, 1000))
		serve_big(up, 1);
	for (uint16_t i = 0; rig_stat(&rig, "tcp_stalled") == 0 && n < 100; i++, n++) {
		testclock_pass(100 * NS_PER_MS);
		ck_assert(serves_local(beside, i)); /* the loop has seen that time */
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_stalled"), 1);
	ck_assert_uint_ge(n, 49);
	ck_assert_uint_le(n, 53);
	close(beside);
	ck_assert_uint_lt(rig_stat(&rig, "client_tcp"), 5 * SESSION_QUESTIONS);
	ck_assert(rig_closed(client, RIG_WAIT_MS));
	close(up);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, answers_go_as_they_come);
	tcase_add_test(tc, byte_by_byte_holds_up_nobody);
	tcase_add_test(tc, questions_over_64_in_flight_wait);
	tcase_add_test(tc, half_closed_client_gets_its_answers);
	tcase_add_loop_test(tc, frame_under_12_bytes_closes, 0, 12);
	tcase_add_test(tc, answer_for_a_gone_client_goes_nowhere);
	tcase_add_test(tc, slow_reader_gets_all_of_it);
	tc = tests_case("limits");
	tcase_add_checked_fixture(tc, setup_only, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, idle_connection_is_closed);
	tcase_add_test(tc, d23_dropped_clients_get_nothing);
	tcase_add_test(tc, open_question_is_no_idleness);
	tcase_add_test(tc, lame_duck_ends_connections);
	tcase_add_test(tc, ceiling_per_client);
	tcase_add_test(tc, who_has_gone_makes_room);
	tcase_add_test(tc, stalled_client_is_closed_after_5_s);
}
