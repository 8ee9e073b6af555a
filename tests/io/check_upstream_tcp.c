/* SPDX-License-Identifier: BSD-2-Clause */
/* upstream_tcp: a few pipelined connections per upstream (RFC 7766, RULES D11), and their end. */
#include "io/upstream_tcp.h"

#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/clock.h"
#include "io/session.h"
#include "io/shell.h"
#include "io/upstream_udp.h"
#include "outbound/id_attack.h"
#include "support/rig.h"
#include "support/testcarrier.h"
#include "support/testclock.h"
#include "support/tests.h"

#define STUCK_CLIENTS 300 /* connections with as many questions as one may have in flight */
#define STUCK_LABEL "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffff."

static struct rig rig;
static struct rig_msg msg, question[3];
static int client, udp;

/* Nobody is late: time does not pass. */
static void
setup(void)
{
	testclock_hold();
	rig_init(&rig);
	rig_start(&rig);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

/* The same, with short waits, as time goes on. */
static void
setup_hasty(void)
{
	rig_init(&rig);
	rig.conf.core.timeout_ms = 300;
	rig_start(&rig);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

/* With an upstream that is asked over a stream only. */
static void
setup_stream_first(void)
{
	testclock_hold();
	rig_init(&rig);
	rig.conf.core.upstreams[0].transport[UPSTREAM_PRIMARY] = TRANSPORT_TCP;
	rig_start(&rig);
	client = rig_connect(SOCK_STREAM, &rig.at[0]);
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

/* With room for many questions, which have all the time that they take. */
static void
setup_crowded(void)
{
	testclock_hold();
	rig_init(&rig);
	rig.conf.core.max_queries = 20000;
	rig.conf.io.max_tcp_clients = STUCK_CLIENTS + 10;
	rig.conf.io.max_tcp_per_client = STUCK_CLIENTS + 10;
	rig_start(&rig);
	client = -1;
	udp = rig_connect(SOCK_DGRAM, &rig.at[0]);
}

static void
teardown(void)
{
	close(client);
	close(udp);
	rig_end(&rig);
	testcarrier_use(false);
	testclock_reset();
}

/* D11: what a TCP client wants relayed goes by TCP. */
static void
ask(uint16_t id)
{
	char name[32];

	snprintf(name, sizeof(name), "n%u.test", id);
	rig_question(&msg, id, name, RIG_A);
	rig_put(client, &msg);
}

static void
reply(int up, const struct rig_msg *q)
{
	rig_reply(&msg, q, 2);
	rig_put(up, &msg);
}

static void
expect(uint16_t id)
{
	ck_assert(rig_get(client, &msg));
	ck_assert_uint_eq(rig_id(&msg), id);
	ck_assert_uint_eq(rig_answers(&msg), 2);
}

static void
reply_by_udp(void)
{
	ck_assert(rig_take(&rig, &msg));
	rig_reply(&msg, &msg, 2);
	rig_give(&rig, &msg);
}

/* Accept a connection, which is returned, and get question[0] by it. */
static int
asked(void)
{
	int up = rig_accept(&rig);

	ck_assert(rig_get(up, &question[0]));
	return up;
}

/* Ask question ID, which is answered over a new connection. Returns that. */
static int
answered(uint16_t id)
{
	int up;

	ask(id);
	up = asked();
	reply(up, &question[0]);
	expect(id);
	return up;
}

/* Rule 26, RFC 7766 section 6.2.1: one connection, used again. */
START_TEST(connection_is_used_again)
{
	int up;

	ask(0);
	up = rig_accept(&rig);
	for (uint16_t i = 0; i < 20; i++) {
		ck_assert(rig_get(up, &question[0]));
		reply(up, &question[0]);
		expect(i);
		ask((uint16_t)(i + 1));
	}
	ck_assert(!rig_ready(rig.up_tcp, 0));
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 1);
	close(up);
}
END_TEST

/* Rule 26: pipelined, with different IDs, and answered in another order. */
START_TEST(replies_in_another_order_are_taken)
{
	int up;

	for (uint16_t i = 0; i < 3; i++)
		ask(i);
	up = rig_accept(&rig);
	for (int i = 0; i < 3; i++)
		ck_assert(rig_get(up, &question[i]));
	ck_assert_uint_ne(rig_id(&question[0]), rig_id(&question[1]));
	for (int i = 2; i >= 0; i--) {
		reply(up, &question[i]);
		expect((uint16_t)i);
	}
	close(up);
}
END_TEST

/* D11: AAAA truncated by UDP is asked by TCP. */
START_TEST(d11_truncated_aaaa_goes_by_tcp)
{
	int up;

	rig_question(&msg, 9, "a.test", RIG_AAAA);
	rig_send(udp, &msg);
	ck_assert(rig_take(&rig, &msg));
	rig_reply_tc(&msg, &msg);
	rig_give(&rig, &msg);
	up = asked();
	ck_assert_uint_eq(rig_qtype(&question[0]), RIG_AAAA);
	rig_reply(&msg, &question[0], 0);
	rig_put(up, &msg);
	rig_serve(&rig, 1);
	ck_assert(rig_recv(udp, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 1);
	close(up);
}
END_TEST

/* A reply of 60,000 bytes in pieces. */
START_TEST(reply_in_pieces_is_joined)
{
	uint8_t prefix[2];
	int up;

	ask(0);
	up = asked();
	rig_reply(&msg, &question[0], 3700);
	prefix[0] = (uint8_t)(msg.len >> 8);
	prefix[1] = (uint8_t)msg.len;
	ck_assert_int_eq(send(up, prefix, 1, 0), 1);
	ck_assert(!rig_ready(client, 20));
	ck_assert_int_eq(send(up, prefix + 1, 1, 0), 1);
	for (size_t at = 0; at < msg.len; at += 10000) {
		size_t n = msg.len - at < 10000 ? msg.len - at : 10000;

		ck_assert(!rig_ready(client, 5));
		ck_assert_int_eq(send(up, msg.bytes + at, n, 0), (ssize_t)n);
	}
	ck_assert(rig_get(client, &msg));
	ck_assert_uint_eq(rig_answers(&msg), 3700);
	close(up);
}
END_TEST

/*
 * Rule 26, RFC 7766 section 6.2.4: questions open on a connection that ends are asked over new
 * ones, and no more of them over each than that one gave replies.
 */
START_TEST(questions_of_a_lost_connection_are_asked_again)
{
	int up, ups[2];

	up = answered(0);
	ask(1);
	ask(2);
	ck_assert(rig_get(up, &question[1]));
	ck_assert(rig_get(up, &question[2]));
	if (_i == 1) /* not closed, but nonsense: a frame of 3 bytes */
		ck_assert_int_eq(send(up, "\0\3abc", 5, 0), 5);
	else
		close(up);
	if (_i == 1) {
		ck_assert(rig_closed(up, RIG_WAIT_MS));
		close(up);
	}
	for (int i = 0; i < 2; i++) {
		ups[i] = rig_accept(&rig);
		ck_assert(rig_get(ups[i], &question[i]));
		reply(ups[i], &question[i]);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert(rig_get(client, &msg));
		ck_assert_uint_eq(rig_answers(&msg), 2);
		close(ups[i]);
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_lost"), 1);
}
END_TEST

/* An upstream that closes without anything open is nothing to tell. */
START_TEST(idle_connection_closed_is_no_trouble)
{
	int up = answered(0);

	close(up);
	up = answered(1);
	close(up);
}
END_TEST

/*
 * What a connection brought is forgotten when it ends with nothing open on it: the next one, which
 * ends without a reply, is made anew once (RFC 7766 section 6.2.4), and then UDP is asked.
 */
START_TEST(idle_connection_closed_is_forgotten)
{
	int up = answered(0);

	close(up);
	ask(1);
	up = asked();
	close(up);
	up = asked();
	close(up);
	reply_by_udp();
	expect(1);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 3);
}
END_TEST

/* D11: where TCP cannot be had, UDP is asked. */
START_TEST(d11_refused_tcp_goes_by_udp)
{
	close(rig.up_tcp);
	rig.up_tcp = -1;
	ask(5);
	reply_by_udp();
	expect(5);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 0);
}
END_TEST

/* D11: without a descriptor for a connection UDP is asked too, and nobody is to blame. */
START_TEST(d11_without_descriptor_it_goes_by_udp)
{
	struct rlimit before, none;
	unsigned open;
	int up;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 3;
	up = answered(1);
	open = rig_descriptors();
	close(up);
	ck_assert(rig_until_descriptors(open - 2)); /* the other side closes it too */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ask(5);
	reply_by_udp();
	expect(5);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_full"), 1);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_lost"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_down"), 0);
}
END_TEST

/* The connections that the upstream accepted. */
static struct {
	int fd[64];
	unsigned n;
} ups;

/* Accept the connections that are there, and answer the questions that came by them. */
static void
serve(void)
{
	while (rig_ready(rig.up_tcp, 0))
		ups.fd[ups.n++] = rig_accept(&rig);
	for (unsigned i = 0; i < ups.n; i++)
		while (ups.fd[i] >= 0 && rig_ready(ups.fd[i], 0)) {
			if (rig_get(ups.fd[i], &question[0])) {
				reply(ups.fd[i], &question[0]);
				continue;
			}
			close(ups.fd[i]);
			ups.fd[i] = -1;
		}
}

static void
hang_up(void)
{
	while (ups.n > 0)
		if (ups.fd[--ups.n] >= 0)
			close(ups.fd[ups.n]);
}

/* Many questions while the connection is not yet there: none is lost, and none goes by UDP. */
START_TEST(questions_wait_for_the_connection)
{
	unsigned n = 0;

	for (uint16_t i = 0; i < 60; i++)
		ask(i);
	ck_assert(rig_until(&rig, "client_tcp", 60));
	while (n < 60) {
		serve();
		for (; rig_ready(client, 1); n++)
			ck_assert(rig_get(client, &msg));
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 2);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_udp"), 0);
	hang_up();
}
END_TEST

/*
 * More questions than one connection should carry: another is made. Rule 25: a reply counts by the
 * connection that the question went by, and by no other.
 */
START_TEST(busy_connection_gets_company)
{
	int clients[2], up[2];

	for (uint16_t i = 0; i < TCP_CONN_BUSY + 1; i++) {
		if (i % TCP_CONN_BUSY == 0)
			client = clients[i / TCP_CONN_BUSY] = rig_connect(SOCK_STREAM, &rig.at[0]);
		ask(i);
		ck_assert(rig_until(&rig, "upstream_tcp", i + 1U));
	}
	for (int i = 0; i < 2; i++)
		up[i] = rig_accept(&rig);
	for (int i = 0; i < 2; i++)
		ck_assert(rig_get(up[i], &question[i]));
	ck_assert(!rig_ready(up[1], RIG_QUIET_MS));
	reply(up[0], &question[1]);
	ck_assert(rig_until(&rig, "upstream_unknown_id", 1));
	ck_assert(!rig_ready(client, RIG_QUIET_MS));
	reply(up[1], &question[1]);
	expect(TCP_CONN_BUSY);
	for (uint16_t i = 0; i < TCP_CONN_BUSY; i++) {
		reply(up[0], &question[0]);
		client = clients[0];
		expect(i);
		if (i + 1 < TCP_CONN_BUSY)
			ck_assert(rig_get(up[0], &question[0]));
	}
	ask(TCP_CONN_BUSY + 1); /* the first connection again */
	ck_assert(rig_get(up[0], &question[0]));
	ck_assert(!rig_ready(rig.up_tcp, 0));
	for (int i = 0; i < 2; i++)
		close(up[i]);
	close(clients[1]);
}
END_TEST

/* A server that closes after each reply: what it left open is asked again until all is answered. */
START_TEST(server_may_close_after_each_reply)
{
	for (uint16_t i = 0; i < 12; i++)
		ask(i);
	for (uint16_t i = 0; i < 12; i++) {
		int up = asked();

		reply(up, &question[0]);
		ck_assert(rig_get(client, &msg));
		ck_assert_uint_eq(rig_answers(&msg), 2);
		ck_assert_int_eq(shutdown(up, SHUT_WR), 0);
		ck_assert(rig_closed(up, RIG_WAIT_MS));
		close(up);
	}
	ck_assert_uint_eq(rig_stat(&rig, "upstream_udp"), 0);
}
END_TEST

/* From now on FD neither hears nor acknowledges anything, as if its host had gone. False: not
 * allowed. */
static bool
drop_all(int fd)
{
	struct sock_filter nothing = { .code = BPF_RET | BPF_K, .k = 0 };
	const struct sock_fprog filter = { .len = 1, .filter = &nothing };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0;
}

/* May we do so? Some kernels let only root. */
static bool
may_drop(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool may = fd >= 0 && drop_all(fd);

	if (fd >= 0)
		close(fd);
	return may || geteuid() == 0;
}

/*
 * D27: an upstream that has gone without a word is noticed by the time that replies take: the next
 * question goes by a new connection, long before the kernel gives the old one up.
 */
START_TEST(d27_half_open_connection_is_left)
{
	const int none = 0;
	int up[2];

	up[0] = answered(0);
	ck_assert(drop_all(up[0]));
	ask(1);
	ck_assert(rig_take(&rig, &msg)); /* D11 */
	rig_reply(&msg, &msg, 2);
	rig_give(&rig, &msg);
	expect(1);
	ask(2);
	up[1] = rig_accept(&rig);
	ck_assert(rig_get(up[1], &question[1]));
	reply(up[1], &question[1]);
	expect(2);
	ck_assert_int_eq(setsockopt(up[0], SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none)), 0);
	ck_assert(rig_closed(up[0], RIG_WAIT_MS));
	ck_assert_uint_eq(rig_stat(&rig, "upstream_down"), 0);
	for (int i = 0; i < 2; i++)
		close(up[i]);
}
END_TEST

/* No more connections are made at the upstream, but it does not refuse them either. */
static int
hold_up(void)
{
	int in_the_way;

	ck_assert_int_eq(listen(rig.up_tcp, 0), 0);
	in_the_way = rig_connect(SOCK_STREAM, &rig.up);
	ck_assert(rig_ready(rig.up_tcp, RIG_WAIT_MS));
	return in_the_way;
}

/* Go on: the connection is made when its SYN comes again. */
static int
let_in(int in_the_way)
{
	ck_assert_int_eq(listen(rig.up_tcp, 100), 0);
	close(rig_accept(&rig));
	close(in_the_way);
	return rig_accept(&rig);
}

/* D27: it is closed, too, though questions are open on it: nobody acknowledges them. */
START_TEST(d27_half_open_connection_is_closed)
{
	uint64_t begin_ms;
	int up[2];

	up[0] = answered(0);
	ck_assert(drop_all(up[0]));
	rig_question(&msg, 9, "a.test", RIG_AAAA);
	rig_send(udp, &msg);
	ck_assert(rig_take(&rig, &msg));
	begin_ms = rig_now_ms();
	rig_reply_tc(&msg, &msg);
	rig_give(&rig, &msg);
	up[1] = rig_accept(&rig);
	ck_assert(rig_get(up[1], &question[1]));
	ck_assert(rig_until(&rig, "tcp_upstream_lost", 1));
	rig_reply(&msg, &question[1], 1);
	rig_put(up[1], &msg);
	while (rig_now_ms() - begin_ms < 4000 && !rig_ready(udp, 10))
		rig_serve_now(&rig);
	ck_assert(rig_recv(udp, &msg));
	for (int i = 0; i < 2; i++)
		close(up[i]);
}
END_TEST

/* Question ID by UDP, to which the upstream gets N_WRONG replies with other IDs before the right
 * one. */
static void
ask_by_udp(uint16_t id, unsigned n_wrong)
{
	char name[32];

	snprintf(name, sizeof(name), "n%u.test", id);
	rig_question(&msg, id, name, RIG_A);
	rig_send(udp, &msg);
	ck_assert(rig_take(&rig, &question[0]));
	rig_reply(&msg, &question[0], 1);
	for (; n_wrong > 0; n_wrong--) {
		msg.bytes[1] = (uint8_t)(question[0].bytes[1] + n_wrong);
		rig_give(&rig, &msg);
	}
	msg.bytes[1] = question[0].bytes[1];
	rig_give(&rig, &msg);
	ck_assert(rig_recv(udp, &msg));
	ck_assert_uint_eq(rig_id(&msg), id);
}

/*
 * D21: a connection that cannot be made is found so though nobody waits for it any more; so no
 * question waits for another one when somebody guesses IDs.
 */
START_TEST(d21_connection_that_is_not_made_is_noticed)
{
	int in_the_way = hold_up();
	unsigned open;

	for (uint16_t id = 10; id < 20; id++)
		ask_by_udp(id, 0);
	open = rig_descriptors() - rig.conf.io.outgoing_ports;
	testclock_pass(UPSTREAM_SET_AGE_NS + UPSTREAM_UDP_EXPIRE_NS);
	ck_assert(rig_until_descriptors(open));
	ask(1);
	ck_assert(rig_until(&rig, "upstream_tcp", 1));
	testclock_pass(NS_PER_SEC);
	reply_by_udp();
	expect(1);
	testclock_pass(UPSTREAM_TCP_CONNECT_NS - NS_PER_SEC);
	ck_assert(rig_until_descriptors(open));
	ask_by_udp(2, ID_ATTACK_UPSTREAM);
	ask_by_udp(3, 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_id_attack_tcp"), 0);
	close(in_the_way);
}
END_TEST

/* A question of TYPE with a long name, not asked before. */
static void
long_question(unsigned n, uint16_t type)
{
	char name[256];

	snprintf(name, sizeof(name), STUCK_LABEL STUCK_LABEL STUCK_LABEL "n%u.test", n);
	rig_question(&msg, (uint16_t)n, name, type);
}

/* Ask by more and more clients, CLIENTS, until there is no room. Returns how many. */
static unsigned
fill(int *clients)
{
	unsigned n = 0;

	while (rig_stat(&rig, "tcp_upstream_full") == 0) {
		ck_assert_uint_lt(n, STUCK_CLIENTS);
		clients[n] = rig_connect(SOCK_STREAM, &rig.at[0]);
		for (unsigned i = 0; i < SESSION_QUESTIONS; i++) {
			long_question(n * SESSION_QUESTIONS + i, RIG_A);
			rig_put(clients[n], &msg);
		}
		n++;
		ck_assert(rig_until(&rig, "client_tcp", (uint64_t)n * SESSION_QUESTIONS));
	}
	return n;
}

/*
 * D11: what the queues of connections that are being made have no room for goes by UDP; what has
 * room waits, and the upstream is not to blame. No question is refused.
 */
START_TEST(d11_what_has_no_room_goes_by_udp)
{
	static int clients[STUCK_CLIENTS];
	int in_the_way = hold_up();
	unsigned n = fill(clients), n_answers = 0;

	ck_assert_uint_ge(rig_stat(&rig, "upstream_tcp"), 4000);
	ups.fd[ups.n++] = let_in(in_the_way);
	while (n_answers < n * SESSION_QUESTIONS) {
		serve();
		rig_serve_now(&rig);
		for (unsigned i = 0; i < n; i++)
			for (; rig_ready(clients[i], 0); n_answers++) {
				ck_assert(rig_get(clients[i], &msg));
				ck_assert_uint_ge(rig_answers(&msg), 1);
			}
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_lost"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_down"), 0);
	hang_up();
	while (n > 0)
		close(clients[--n]);
}
END_TEST

/* D11: the same when the connection is there but the upstream reads nothing. */
START_TEST(d11_what_is_not_read_goes_by_udp)
{
	static int clients[STUCK_CLIENTS];
	const int small = 4096, segment = 536;
	unsigned n;
	int up;

	/* What is accepted inherits both; short segments keep the sender's buffer small. */
	ck_assert_int_eq(setsockopt(rig.up_tcp, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	ck_assert_int_eq(
	    setsockopt(rig.up_tcp, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment)), 0);
	n = fill(clients);
	ck_assert(rig_take(&rig, &msg));
	up = asked();
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_lost"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_down"), 0);
	while (n > 0)
		close(clients[--n]);
	close(up);
}
END_TEST

/* D11, D27: what must go by TCP and finds no room twice ends; nobody waits for nothing. */
START_TEST(d11_what_must_go_by_tcp_ends_without_room)
{
	int in_the_way = hold_up();
	unsigned n_asked = 0, n_servfail = 0, n_full;

	while (rig_stat(&rig, "tcp_upstream_full") < 16) {
		for (unsigned i = 0; i < 64; i++) {
			long_question(n_asked++, RIG_AAAA);
			rig_send(udp, &msg);
		}
		for (unsigned i = 0; i < 64; i++) {
			ck_assert(rig_take(&rig, &msg));
			rig_reply_tc(&msg, &msg);
			rig_give(&rig, &msg);
		}
		ck_assert(rig_until(&rig, "upstream_tcp", n_asked));
	}
	n_full = (unsigned)rig_stat(&rig, "tcp_upstream_full");
	testclock_pass(NS_PER_SEC); /* they look for room once more */
	ck_assert(rig_until(&rig, "tcp_upstream_full", 2 * n_full));
	testclock_pass(NS_PER_SEC);
	while (n_servfail < 16) {
		ck_assert(rig_recv(udp, &msg));
		n_servfail += rig_rcode(&msg) == 2;
	}
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_lost"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_down"), 0);
	close(in_the_way);
}
END_TEST

/* Stopping with a question open on a connection that then ends: answered or not, the loop ends. */
START_TEST(loop_stops_with_a_question_open)
{
	int up;

	ask(0);
	up = asked();
	loop_stop(rig.loop, 3000);
	close(up);
	up = asked();
	reply(up, &question[0]);
	expect(0);
	rig_join(&rig);
	close(up);
}
END_TEST

/*
 * A carrier that shakes hands, both ways, before anything is written, and hands out what it reads
 * in pieces: nothing waits for a descriptor that has given all that it had.
 */
START_TEST(carrier_may_shake_hands_and_hold_back)
{
	int up;

	testcarrier_use(true);
	ask(0);
	up = rig_accept(&rig);
	testcarrier_greet(up);
	ck_assert(rig_get(up, &question[0]));
	ask(1);
	ck_assert(rig_get(up, &question[1]));
	for (unsigned i = 0; i < 2; i++)
		reply(up, &question[1 - i]);
	expect(1);
	expect(0);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 1);
	close(up);
}
END_TEST

/* The other end is gone, or no end of such a stream: the connection was never made. */
START_TEST(d11_handshake_that_fails_goes_by_udp)
{
	int up;

	testcarrier_use(true);
	ask(0);
	up = rig_accept(&rig);
	if (_i == 1)
		ck_assert_int_eq(send(up, "?", 1, MSG_NOSIGNAL), 1);
	else
		shutdown(up, SHUT_WR);
	reply_by_udp();
	expect(0);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 0);
	close(up);
}
END_TEST

/* What comes over UDP leaves by the stream, plain or by a carrier that shakes hands. */
START_TEST(stream_may_be_the_usual_way)
{
	int up;

	testcarrier_use(_i == 1);
	rig_question(&msg, 7, "a.test", RIG_A);
	rig_send(udp, &msg);
	up = rig_accept(&rig);
	if (_i == 1)
		testcarrier_greet(up);
	ck_assert(rig_get(up, &question[0]));
	reply(up, &question[0]);
	ck_assert(rig_recv(udp, &msg));
	ck_assert_uint_eq(rig_id(&msg), 7);
	ask(8);
	ck_assert(rig_get(up, &question[0]));
	reply(up, &question[0]);
	expect(8);
	ck_assert_uint_eq(rig_stat(&rig, "upstream_udp"), 0);
	ck_assert_uint_eq(rig_stat(&rig, "tcp_upstream_opened"), 1);
	ck_assert(!rig_ready(rig.up_udp, 0));
	close(up);
}
END_TEST

static struct shell *shell;

/* A shell and its engine in this thread, without a loop, for an upstream that is asked over USUAL.
 */
static void
open_shell(enum transport usual)
{
	struct event_base *base = event_base_new();
	struct engine *engine;

	rig_init(&rig);
	rig.conf.core.upstreams[0].transport[UPSTREAM_PRIMARY] = (uint8_t)usual;
	engine = engine_new(&rig.conf.core, NULL, NS_PER_SEC);
	shell = calloc(1, sizeof(*shell));
	ck_assert(base != NULL && engine != NULL && shell != NULL);
	ck_assert_int_eq(shell_init(shell, base, engine, &rig.conf.io, NS_PER_SEC), 0);
}

static void
setup_shell(void)
{
	open_shell(TRANSPORT_UDP);
}

static void
teardown_shell(void)
{
	struct event_base *base = shell->base;
	struct engine *engine = shell->engine;

	shell_fini(shell);
	engine_free(engine);
	event_base_free(base);
	free(shell);
	rig_end(&rig);
}

/* A question for the first connection of the first upstream, by TRANSPORT. */
static void
question_by(enum transport transport)
{
	struct packet_out send = { .to = {
				       .side = PACKET_UPSTREAM, .transport = (uint8_t)transport } };

	rig_question(&msg, 1, "a.test", RIG_A);
	memcpy(shell->tcp_buf, msg.bytes, msg.len);
	send.len = msg.len;
	upstream_tcp_question(shell, &send);
}

/* What leads to another address, or by another transport, is given up and not asked. */
START_TEST(connection_to_another_is_not_used)
{
	struct upstream_tcp_conn *c = &shell->upstream_tcp.c[0];
	size_t queued;

	question_by(TRANSPORT_TCP);
	ck_assert(c->state == UPSTREAM_TCP_CONNECTING && !c->lost);
	queued = c->out.len;
	ck_assert_uint_gt(queued, 0);
	question_by(TRANSPORT_TCP);
	ck_assert(!c->lost && c->out.len == 2 * queued);
	if (_i == 0)
		c->addr.port ^= 1;
	question_by(_i == 0 ? TRANSPORT_TCP : TRANSPORT_UDP); /* which stands for any other */
	ck_assert(c->lost && c->out.len == 2 * queued);
	ck_assert(upstream_tcp_flush(shell));
	ck_assert(c->state == UPSTREAM_TCP_CLOSED && !c->lost);
	question_by(TRANSPORT_TCP);
	ck_assert(c->state == UPSTREAM_TCP_CONNECTING && !c->lost);
	ck_assert(netaddr_equal(&c->addr, &rig.up));
}
END_TEST

/* An upstream that is not asked over its transport any more is left, as one that was removed. */
START_TEST(connection_by_another_way_is_closed)
{
	struct upstream_tcp_conn *c = &shell->upstream_tcp.c[0];

	question_by(TRANSPORT_TCP);
	upstream_tcp_beat(shell);
	ck_assert(!c->lost);
	rig.conf.core.upstreams[0].transport[1] = TRANSPORT_UDP; /* which stands for any other */
	engine_set_conf(shell->engine, &rig.conf.core, shell->now_ns);
	upstream_tcp_beat(shell);
	ck_assert(c->lost && c->err == 0);
}
END_TEST

/* No socket is opened that would never be asked by, nor one of the engine's slots kept for it. */
START_TEST(without_udp_there_is_no_socket)
{
	unsigned share;

	upstream_udp_sync(shell);
	ck_assert_uint_ge(shell->upstream_udp.socks.n_active, 1);
	share = shell->upstream_udp.share;
	teardown_shell();
	open_shell(TRANSPORT_TCP);
	upstream_udp_sync(shell);
	ck_assert_uint_eq(shell->upstream_udp.socks.n_active, 0);
	ck_assert_uint_ge(shell->upstream_udp.share, share);
}
END_TEST

/*
 * Is time too short for thousands of questions, which have some seconds each? With ThreadSanitizer,
 * which has nothing to find here as there is one thread, and with valgrind (make check-valgrind
 * sets CHECK_SLOW).
 */
static bool
is_slow(void)
{
#ifdef WITH_TSAN
	return true;
#else
	return getenv("CHECK_SLOW") != NULL;
#endif
}

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, connection_is_used_again);
	tcase_add_test(tc, replies_in_another_order_are_taken);
	tcase_add_test(tc, d11_truncated_aaaa_goes_by_tcp);
	tcase_add_test(tc, reply_in_pieces_is_joined);
	tcase_add_loop_test(tc, questions_of_a_lost_connection_are_asked_again, 0, 2);
	tcase_add_test(tc, idle_connection_closed_is_no_trouble);
	tcase_add_test(tc, idle_connection_closed_is_forgotten);
	tcase_add_test(tc, d11_refused_tcp_goes_by_udp);
	tcase_add_test(tc, d11_without_descriptor_it_goes_by_udp);
	tcase_add_test(tc, questions_wait_for_the_connection);
	tcase_add_test(tc, busy_connection_gets_company);
	tcase_add_test(tc, server_may_close_after_each_reply);
	tcase_add_test(tc, d21_connection_that_is_not_made_is_noticed);
	tcase_add_test(tc, loop_stops_with_a_question_open);
	tcase_add_test(tc, carrier_may_shake_hands_and_hold_back);
	tcase_add_loop_test(tc, d11_handshake_that_fails_goes_by_udp, 0, 2);
	tc = tests_case("shell");
	tcase_add_checked_fixture(tc, setup_shell, teardown_shell);
	tcase_add_loop_test(tc, connection_to_another_is_not_used, 0, 2);
	tcase_add_test(tc, connection_by_another_way_is_closed);
	tcase_add_test(tc, without_udp_there_is_no_socket);
	tc = tests_case("stream first");
	tcase_add_checked_fixture(tc, setup_stream_first, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, stream_may_be_the_usual_way, 0, 2);
	tc = tests_case("half-open");
	tcase_add_checked_fixture(tc, setup_hasty, teardown);
	tcase_set_timeout(tc, 300);
	if (may_drop()) {
		tcase_add_test(tc, d27_half_open_connection_is_left);
		tcase_add_test(tc, d27_half_open_connection_is_closed);
	}
	tc = tests_case("room");
	tcase_add_checked_fixture(tc, setup_crowded, teardown);
	tcase_set_timeout(tc, 300);
	if (!is_slow()) {
		tcase_add_test(tc, d11_what_has_no_room_goes_by_udp);
		tcase_add_test(tc, d11_what_must_go_by_tcp_ends_without_room);
		tcase_add_test(tc, d11_what_is_not_read_goes_by_udp);
	}
}
