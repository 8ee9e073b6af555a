/* SPDX-License-Identifier: BSD-2-Clause */
/* The transports, a lane at a time, against a socket of the test. */

#include "bench/load/lane.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/load/plan.h"
#include "dns/wire.h"
#include "support/tests.h"

#define TIMEOUT_NS (100 * NS_PER_MS)
#define INDEX 7 /* the lane's name for epoll */
#define PATIENCE_MS 60000

static struct netaddr server_addr;
static struct netaddr source; /* where the lane asks from; none: anywhere */
static int server;            /* a datagram socket, or one that listens */
static int connection;        /* accepted; -1: none */
static int epoll_fd;
static struct bench_lane lane;
static struct bench_batch *batch;

static void
bind_server(int type)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(sin);

	server = socket(AF_INET, type, 0);
	ck_assert_int_ge(server, 0);
	ck_assert_int_eq(bind(server, (struct sockaddr *)&sin, len), 0);
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&sin, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&sin, &server_addr));
	if (type == SOCK_STREAM)
		ck_assert_int_eq(listen(server, 16), 0);
}

static int
open_lane(const struct bench_transport *t, unsigned per_connection)
{
	struct bench_way way = { .transport = t,
		.server = &server_addr,
		.capacity = 200000,
		.timeout_ns = TIMEOUT_NS,
		.per_connection = per_connection,
		.epoll_fd = epoll_fd,
		.source = source,
		.index = INDEX,
		.first_id = 65530 };

	return bench_lane_open(&lane, &way);
}

static void
start(const struct bench_transport *t, unsigned per_connection)
{
	bind_server(t == &bench_udp ? SOCK_DGRAM : SOCK_STREAM);
	connection = -1;
	epoll_fd = epoll_create1(0);
	batch = bench_batch_new(t);
	ck_assert_int_ge(epoll_fd, 0);
	ck_assert_ptr_nonnull(batch);
	ck_assert_int_eq(open_lane(t, per_connection), 0);
}

/* After each test: some have no lane. */
static void
finish(void)
{
	if (batch == NULL)
		return;
	bench_lane_close(&lane);
	bench_batch_free(batch);
	batch = NULL;
	(void)close(epoll_fd);
	if (connection >= 0)
		(void)close(connection);
	(void)close(server);
}

/* Has epoll something of the lane within MS? */
static bool
is_due(int ms)
{
	struct epoll_event e;
	int n = epoll_wait(epoll_fd, &e, 1, ms);

	ck_assert(n <= 0 || e.data.u32 == INDEX);
	return n > 0;
}

/* The next replies; 0: none came for long. */
static unsigned
receive(void)
{
	while (is_due(PATIENCE_MS)) {
		unsigned n = bench_tcp.receive(&lane, batch);

		if (n > 0 || lane.faults.closed > 0)
			return n;
	}
	return 0;
}

/* A batch of N questions of LEN bytes, filled with their number from FIRST on. */
static unsigned
send_questions(unsigned n, size_t len, unsigned first)
{
	batch->n_out = n;
	for (unsigned i = 0; i < n; i++) {
		memset(batch->question[i], (int)((first + i) % 256), len);
		batch->out[i].len = len;
	}
	unsigned sent = lane.way.transport->send(&lane, batch);
	for (unsigned i = 0; i < sent; i++)
		bench_inflight_add(&lane.asked, (struct bench_question){ .number = first + i }, 1);
	return sent;
}

static void
answer_all(void)
{
	while (bench_inflight_expire(&lane.asked, UINT64_MAX) != NULL)
		;
}

/* --- Datagrams -------------------------------------------------------------------------------- */

static void
expect_datagram(size_t len, int filling)
{
	uint8_t got[2048];
	struct pollfd p = { .fd = server, .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1);
	ck_assert_int_eq(recv(server, got, sizeof(got), 0), (ssize_t)len);
	for (size_t i = 0; i < len; i++)
		ck_assert_int_eq(got[i], filling);
}

static void
send_to_lane(const void *bytes, size_t len)
{
	struct sockaddr_storage ss;
	socklen_t ss_len = sizeof(ss);

	ck_assert_int_eq(getsockname(lane.fd, (struct sockaddr *)&ss, &ss_len), 0);
	ck_assert_int_eq(
	    sendto(server, bytes, len, 0, (struct sockaddr *)&ss, ss_len), (ssize_t)len);
}

/* All of a batch, be it cut by the kernel or not. */
START_TEST(udp_sends_all_of_a_batch)
{
	start(&bench_udp, 0);
	lane.segments &= _i == 0;
	ck_assert_uint_eq(send_questions(BENCH_BATCH, 50, 0), BENCH_BATCH);
	for (int i = 0; i < BENCH_BATCH; i++)
		expect_datagram(50, i);
	batch->n_out = 3;
	for (unsigned i = 0; i < 3; i++)
		batch->out[i].len = 20 + i;
	ck_assert_uint_eq(bench_udp.send(&lane, batch), 3);
	for (int i = 0; i < 3; i++)
		expect_datagram(20 + (size_t)i, i);
	ck_assert_uint_eq(lane.faults.unsent, 0);
}
END_TEST

START_TEST(udp_receives_datagrams_of_any_length)
{
	uint8_t bytes[1500];

	memset(bytes, 9, sizeof(bytes));
	start(&bench_udp, 0);
	ck_assert(!is_due(0));
	ck_assert_uint_eq(bench_udp.receive(&lane, batch), 0);
	send_to_lane(bytes, sizeof(bytes));
	send_to_lane(bytes, 0);
	send_to_lane(bytes, 1);
	ck_assert(is_due(PATIENCE_MS));
	ck_assert_uint_eq(bench_udp.receive(&lane, batch), 3);
	ck_assert_uint_eq(batch->in[0].len, sizeof(bytes));
	ck_assert_mem_eq(batch->in[0].bytes, bytes, sizeof(bytes));
	ck_assert_uint_eq(batch->in[1].len, 0);
	ck_assert_uint_eq(batch->in[2].len, 1);
}
END_TEST

/* What our own socket has no room for is told, and told once. */
START_TEST(udp_tells_what_its_socket_dropped)
{
	uint8_t bytes[1000] = { 0 };
	int size = 4096;
	unsigned n = 0, more;

	start(&bench_udp, 0);
	ck_assert_int_eq(setsockopt(lane.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	for (unsigned i = 0; i < 100; i++)
		send_to_lane(bytes, sizeof(bytes));
	while ((more = bench_udp.receive(&lane, batch)) > 0)
		n += more;
	bench_udp.settle(&lane);
	ck_assert_uint_gt(lane.faults.dropped, 0);
	ck_assert_uint_eq(lane.faults.dropped, 100 - n);
	bench_udp.settle(&lane);
	ck_assert_uint_eq(lane.faults.dropped, 100 - n);
}
END_TEST

/* A socket that can send nothing at all. */
START_TEST(udp_cannot_send)
{
	start(&bench_udp, 0);
	ck_assert_int_eq(dup2(epoll_fd, lane.fd), lane.fd);
	ck_assert_uint_eq(send_questions(5, 40, 0), 0);
	ck_assert_uint_eq(lane.faults.unsent, 5);
	ck_assert_uint_eq(bench_udp.receive(&lane, batch), 0);
}
END_TEST

START_TEST(udp_counts_refusals)
{
	start(&bench_udp, 0);
	(void)close(server);
	ck_assert_uint_eq(send_questions(1, 40, 0), 1);
	ck_assert(is_due(PATIENCE_MS));
	ck_assert_uint_eq(bench_udp.receive(&lane, batch), 0);
	ck_assert_uint_eq(lane.faults.refused, 1);
	ck_assert_uint_eq(send_questions(1, 40, 0), 1);
	ck_assert_uint_eq(send_questions(1, 40, 0), 1);
	ck_assert_uint_ge(lane.faults.refused, 2);
	server = socket(AF_INET, SOCK_DGRAM, 0);
}
END_TEST

/* What SS says of who asks is the lane's source. */
static void
expect_source(const struct sockaddr_storage *ss)
{
	struct netaddr a;

	ck_assert(netaddr_from_sockaddr((const struct sockaddr *)ss, &a));
	ck_assert_uint_ne(a.port, 0);
	a.port = 0;
	ck_assert(netaddr_equal(&a, &source));
}

START_TEST(udp_asks_from_its_source)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	uint8_t byte;

	ck_assert(netaddr_parse("127.1.2.3", 0, &source));
	start(&bench_udp, 0);
	ck_assert_uint_eq(send_questions(1, 40, 0), 1);
	struct pollfd p = { .fd = server, .events = POLLIN };
	ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1);
	ck_assert_int_eq(recvfrom(server, &byte, 1, 0, (struct sockaddr *)&ss, &len), 1);
	expect_source(&ss);
	send_to_lane("x", 1);
	ck_assert(is_due(PATIENCE_MS));
	ck_assert_uint_eq(bench_udp.receive(&lane, batch), 1);
}
END_TEST

/* --- Connections ------------------------------------------------------------------------------ */

static void
accept_lane(void)
{
	struct pollfd p = { .fd = server, .events = POLLIN };
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (connection >= 0)
		(void)close(connection);
	ck_assert_int_eq(poll(&p, 1, PATIENCE_MS), 1);
	connection = accept(server, (struct sockaddr *)&ss, &len);
	ck_assert_int_ge(connection, 0);
	if (source.family != NETADDR_NONE)
		expect_source(&ss);
}

static void
start_tcp(unsigned per_connection)
{
	start(&bench_tcp, per_connection);
	accept_lane();
}

static void
read_whole(uint8_t *out, size_t len)
{
	while (len > 0) {
		struct pollfd p = { .fd = connection, .events = POLLIN };

		if (poll(&p, 1, 20) <= 0 && is_due(0)) /* it waits for room to write */
			(void)bench_tcp.receive(&lane, batch);
		ssize_t n = recv(connection, out, len, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			continue;
		ck_assert_int_gt(n, 0);
		out += n;
		len -= (size_t)n;
	}
}

static void
expect_frame(size_t len, unsigned filling)
{
	uint8_t got[2048];

	read_whole(got, 2 + len);
	ck_assert_uint_eq(wire_u16(got), len);
	for (size_t i = 0; i < len; i++)
		ck_assert_uint_eq(got[2 + i], filling % 256);
}

static void
reply(const void *bytes, size_t len)
{
	ck_assert_int_eq(send(connection, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

START_TEST(tcp_sends_all_of_a_batch)
{
	start_tcp(0);
	ck_assert_uint_ge(bench_tcp.room(&lane), BENCH_BATCH);
	ck_assert_uint_eq(send_questions(BENCH_BATCH, 50, 0), BENCH_BATCH);
	for (unsigned i = 0; i < BENCH_BATCH; i++)
		expect_frame(50, i);
	ck_assert_uint_eq(lane.faults.connections, 1);
	ck_assert(!is_due(0)); /* writable all the time, but nobody waits for that */
}
END_TEST

/* Parts of messages wait for the rest; several come at once. */
START_TEST(tcp_joins_parts_of_messages)
{
	static const uint8_t bytes[] = { 0, 3, 'a', 'b', 'c', 0, 0, 0, 1, 'd', 0, 2, 'e', 'f' };

	start_tcp(0);
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		unsigned n = 0;

		reply(bytes, cut);
		if (cut > 0 && is_due(PATIENCE_MS))
			n = bench_tcp.receive(&lane, batch);
		ck_assert_uint_eq(n, 0U + (cut >= 5) + (cut >= 7) + (cut >= 10) + (cut >= 14));
		reply(bytes + cut, sizeof(bytes) - cut);
		if (cut < sizeof(bytes) && is_due(PATIENCE_MS))
			n += bench_tcp.receive(&lane, batch);
		ck_assert_uint_eq(n, 4);
		if (cut < 12) {
			ck_assert_uint_eq(batch->in[batch->n_in - 1].len, 2);
			ck_assert_mem_eq(batch->in[batch->n_in - 1].bytes, "ef", 2);
		}
	}
	ck_assert(!is_due(0));
}
END_TEST

START_TEST(tcp_byte_by_byte)
{
	static const uint8_t bytes[] = { 0, 4, 1, 2, 3, 4 };

	start_tcp(0);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		reply(bytes + i, 1);
		while (!is_due(PATIENCE_MS))
			;
		ck_assert_uint_eq(bench_tcp.receive(&lane, batch), i == sizeof(bytes) - 1);
	}
	ck_assert_uint_eq(batch->in[0].len, 4);
	ck_assert_mem_eq(batch->in[0].bytes, bytes + 2, 4);
}
END_TEST

/* The longest message, three times, which is more than fits at once. */
START_TEST(tcp_takes_the_longest_message)
{
	static uint8_t bytes[2 + 65535];
	unsigned n = 0;

	start_tcp(0);
	for (unsigned i = 0; i < 3; i++) {
		wire_set_u16(bytes, 65535);
		memset(bytes + 2, (int)i + 1, sizeof(bytes) - 2);
		size_t at = 0;
		for (unsigned rounds = 0; n == i && rounds < 100000; rounds++) {
			ssize_t sent = send(connection, bytes + at, sizeof(bytes) - at,
			    MSG_DONTWAIT | MSG_NOSIGNAL);

			at += sent > 0 ? (size_t)sent : 0;
			if (is_due(1))
				n += bench_tcp.receive(&lane, batch);
		}
		ck_assert_uint_eq(n, i + 1);
		ck_assert_uint_eq(batch->in[0].len, 65535);
		ck_assert_mem_eq(batch->in[0].bytes, bytes + 2, 65535);
	}
}
END_TEST

/* No more messages than there are views; the rest is had without waiting. */
START_TEST(tcp_more_than_views)
{
	static const uint8_t bytes[2 * (3 * BENCH_VIEWS + 5)];
	unsigned n = 0, got;

	start_tcp(0);
	reply(bytes, sizeof(bytes));
	while (n < sizeof(bytes) / 2 && is_due(PATIENCE_MS)) {
		do {
			got = bench_tcp.receive(&lane, batch);
			n += got;
		} while (got == BENCH_VIEWS);
	}
	ck_assert_uint_eq(n, sizeof(bytes) / 2);
}
END_TEST

/* The server does not read: there is an end of it, and nothing gets lost or mixed up. */
START_TEST(tcp_full_socket_loses_nothing)
{
	unsigned n = 0, sent = 1;
	int size = 16384;

	start(&bench_tcp, 0);
	ck_assert_int_eq(setsockopt(lane.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)), 0);
	accept_lane();
	ck_assert_int_eq(setsockopt(connection, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)), 0);
	while (sent > 0) {
		uint64_t room = bench_tcp.room(&lane);

		sent = send_questions(room < BENCH_BATCH ? (unsigned)room : BENCH_BATCH, 200, n);
		n += sent;
		answer_all(); /* it is not the IDs that come to an end */
		ck_assert_uint_lt(n, 1000000);
	}
	ck_assert_uint_eq(lane.faults.unsent, 0);
	ck_assert_uint_eq(send_questions(3, 200, n), 0); /* who does not ask for room */
	ck_assert_uint_eq(lane.faults.unsent, 3);
	for (unsigned i = 0; i < n; i++)
		expect_frame(200, i);
	ck_assert_uint_ge(bench_tcp.room(&lane), BENCH_BATCH);
	ck_assert_uint_eq(send_questions(1, 30, 5), 1);
	expect_frame(30, 5);
}
END_TEST

/* No ID is used for two open questions of a port or connection (RFC 7766 section 6.2.1). */
START_TEST(open_questions_have_different_ids)
{
	uint64_t cursor = UINT64_MAX;

	start(_i == 0 ? &bench_udp : &bench_tcp, 0);
	lane.limit = UINT64_MAX;
	for (unsigned i = 0; i < 65535; i++)
		bench_inflight_add(&lane.asked, (struct bench_question){ .number = i }, 1);
	ck_assert_uint_eq(bench_lane_room(&lane, 0), 1);
	bench_inflight_add(&lane.asked, (struct bench_question){ .number = 65535 }, 1);
	ck_assert_uint_eq(bench_lane_room(&lane, 0), 0);
	bench_inflight_answered(&lane.asked, bench_inflight_find(&lane.asked, 65529, &cursor));
	ck_assert_uint_eq(bench_lane_room(&lane, 0), 1);
	ck_assert_uint_eq(bench_inflight_next_id(&lane.asked), 65529);
}
END_TEST

/* Of no use: a pause, in which questions wait; then they go by the next connection. */
START_TEST(tcp_closed_connection_is_made_again_after_a_pause)
{
	start_tcp(0);
	ck_assert_uint_eq(send_questions(2, 40, 1), 2);
	expect_frame(40, 1);
	expect_frame(40, 2);
	(void)close(connection);
	connection = -1;
	ck_assert_uint_eq(receive(), 0);
	ck_assert_uint_eq(lane.faults.closed, 1);
	ck_assert_int_eq(lane.fd, -1);
	ck_assert_uint_eq(send_questions(2, 40, 3), 2);
	bench_tcp.tick(&lane, 1);
	ck_assert_int_eq(lane.fd, -1);
	bench_tcp.tick(&lane, clock_now_ns() + NS_PER_SEC);
	ck_assert_int_ge(lane.fd, 0);
	accept_lane();
	while (is_due(20))
		(void)bench_tcp.receive(&lane, batch);
	expect_frame(40, 3);
	expect_frame(40, 4);
	ck_assert_uint_eq(lane.faults.connections, 2);
}
END_TEST

/* Of use: again at once. Half a message is nothing. */
START_TEST(tcp_closed_after_use)
{
	if (_i == 1) /* each connection from there */
		ck_assert(netaddr_parse("127.1.2.3", 0, &source));
	start_tcp(0);
	reply("\0\001x\0\002y", 6);
	ck_assert_uint_eq(receive(), 1);
	(void)close(connection);
	connection = -1;
	ck_assert_uint_eq(receive(), 0);
	ck_assert_uint_eq(lane.faults.closed, 1);
	ck_assert_int_ge(lane.fd, 0);
	accept_lane();
	lane.faults.closed = 0;
	reply("\0\001z", 3);
	ck_assert_uint_eq(receive(), 1);
	ck_assert_uint_eq(batch->in[0].len, 1);
	ck_assert_uint_eq(batch->in[0].bytes[0], 'z');
}
END_TEST

START_TEST(tcp_counts_refusals)
{
	start(&bench_tcp, 0);
	bench_lane_close(&lane);
	(void)close(server);
	ck_assert_int_eq(open_lane(&bench_tcp, 0), 0);
	for (unsigned i = 0; i < 100 && lane.faults.refused == 0; i++) {
		if (is_due(PATIENCE_MS))
			ck_assert_uint_eq(bench_tcp.receive(&lane, batch), 0);
	}
	ck_assert_uint_eq(lane.faults.refused, 1);
	ck_assert_uint_eq(lane.faults.connections + lane.faults.closed, 0);
	ck_assert(!is_due(20));
	bench_tcp.tick(&lane, clock_now_ns()); /* or later: there is a pause */
	ck_assert_uint_eq(send_questions(2, 40, 3), 2);
	ck_assert_uint_le(lane.faults.refused, 2);
	server = socket(AF_INET, SOCK_STREAM, 0);
}
END_TEST

/* Nothing comes for two timeouts after a question: another connection. */
START_TEST(tcp_stalled_connection_is_replaced)
{
	start_tcp(0);
	uint64_t now_ns = clock_now_ns();
	bench_tcp.tick(&lane, now_ns + NS_PER_SEC); /* nothing was asked */
	ck_assert_uint_eq(lane.faults.stalled, 0);
	ck_assert_uint_eq(send_questions(1, 40, 0), 1);
	expect_frame(40, 0);
	reply("\0\001x", 3);
	ck_assert_uint_eq(receive(), 1);
	bench_tcp.tick(&lane, now_ns + 2 * NS_PER_SEC); /* a sign of life since */
	ck_assert_uint_eq(lane.faults.stalled, 0);
	now_ns = clock_now_ns();
	ck_assert_uint_eq(send_questions(1, 40, 1), 1);
	bench_tcp.tick(&lane, now_ns + 2 * TIMEOUT_NS - 1);
	ck_assert_uint_eq(lane.faults.stalled, 0);
	bench_tcp.tick(&lane, clock_now_ns() + 2 * TIMEOUT_NS);
	ck_assert_uint_eq(lane.faults.stalled, 1);
	accept_lane();
	ck_assert_uint_eq(send_questions(1, 40, 2), 1);
	while (is_due(20))
		(void)bench_tcp.receive(&lane, batch);
	expect_frame(40, 2);
}
END_TEST

/* So many questions, then their answers, then a new connection. */
START_TEST(tcp_per_connection)
{
	uint8_t byte;

	start_tcp(3);
	ck_assert_uint_eq(bench_tcp.room(&lane), 3);
	ck_assert_uint_eq(send_questions(2, 40, 0), 2);
	ck_assert_uint_eq(bench_tcp.room(&lane), 1);
	ck_assert_uint_eq(send_questions(2, 40, 2), 1);
	ck_assert_uint_eq(lane.faults.unsent, 1);
	ck_assert_uint_eq(bench_tcp.room(&lane), 0);
	for (unsigned i = 0; i < 3; i++)
		expect_frame(40, i);
	answer_all();
	ck_assert_uint_eq(bench_tcp.room(&lane), 3);
	ck_assert_int_eq(recv(connection, &byte, 1, 0), 0); /* in good order */
	accept_lane();
	ck_assert_uint_eq(send_questions(1, 40, 9), 1);
	while (is_due(20))
		(void)bench_tcp.receive(&lane, batch);
	expect_frame(40, 9);
	ck_assert_uint_eq(lane.faults.connections, 2);
	ck_assert_uint_eq(lane.faults.closed, 0);
}
END_TEST

/* --- Either ----------------------------------------------------------------------------------- */

/* What cannot be opened is told at once and leaves nothing behind. */
START_TEST(lane_that_cannot_open_leaves_nothing_behind)
{
	const struct bench_transport *t = _i == 0 ? &bench_udp : &bench_tcp;

	start(t, 0);
	bench_lane_close(&lane);
	int right = epoll_fd;
	epoll_fd = -1;
	ck_assert_int_eq(open_lane(t, 0), -EBADF);
	epoll_fd = right;
	ck_assert(netaddr_parse("255.255.255.255", 53, &server_addr));
	ck_assert_int_lt(open_lane(t, 0), 0);
	ck_assert(netaddr_parse("127.0.0.1", 53, &server_addr));
	ck_assert_int_eq(open_lane(t, 0), 0);
}
END_TEST

/* --- When the kernel received what we read, by our clock -------------------------------------- */

static _Alignas(struct cmsghdr) uint8_t control[BENCH_STAMP_CONTROL];

/* A message with a stamp of REAL_NS. */
static struct msghdr
stamped(uint64_t real_ns)
{
	struct msghdr h = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct timespec ts = { .tv_sec = (time_t)(real_ns / NS_PER_SEC),
		.tv_nsec = (long)(real_ns % NS_PER_SEC) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_TIMESTAMPNS;
	c->cmsg_len = CMSG_LEN(sizeof(ts));
	memcpy(CMSG_DATA(c), &ts, sizeof(ts));
	return h;
}

START_TEST(stamp_is_told_by_our_clock)
{
	const struct bench_stamp now = { .real_ns = 50 * NS_PER_SEC, .now_ns = 7 * NS_PER_SEC };
	struct msghdr none = { .msg_control = NULL };
	struct msghdr h = stamped(50 * NS_PER_SEC - 3);

	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC - 3);
	h = stamped(50 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	/* The wall clock was set: back, and ahead by more than our clock has run. */
	h = stamped(50 * NS_PER_SEC + 1);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	h = stamped(20 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), 7 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&none, &now), 7 * NS_PER_SEC);
}
END_TEST

/* When the wall clock was set, stamps from before say nothing: an answer would have taken no time.
 */
START_TEST(step_of_the_wall_clock_is_seen)
{
	static const int64_t steps[] = { 10 * (int64_t)NS_PER_SEC, -10 * (int64_t)NS_PER_SEC,
		20 * (int64_t)NS_PER_MS };
	struct bench_stamp now = { 0 };

	bench_stamp_take(&now);
	ck_assert(!now.stepped);
	bench_stamp_take(&now);
	ck_assert(!now.stepped);
	now.real_ns -= (uint64_t)steps[_i]; /* it stood there then */
	bench_stamp_take(&now);
	ck_assert(now.stepped);
	struct msghdr h = stamped(now.real_ns - 5 * NS_PER_SEC);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), now.now_ns);
	bench_stamp_take(&now);
	ck_assert(!now.stepped);
	h = stamped(now.real_ns - 3);
	ck_assert_uint_eq(bench_stamp_of(&h, &now), now.now_ns - 3);
}
END_TEST

#define WAITS_MS 50 /* how long a datagram waits for its reader */

/*
 * Let a datagram wait in the socket FD, at AT, for its reader. Returns if its time is not that of
 * the reading.
 */
static bool
is_stamped_on_arrival(int fd, const struct sockaddr_in *at)
{
	uint8_t byte = 1;
	struct iovec iov = { &byte, 1 };
	struct msghdr h = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct bench_stamp now = { 0 };

	bench_stamp_take(&now);
	uint64_t before_ns = now.now_ns;
	ck_assert_int_eq(sendto(fd, &byte, 1, 0, (const struct sockaddr *)at, sizeof(*at)), 1);
	uint64_t after_ns = clock_now_ns();
	(void)usleep(WAITS_MS * 1000);
	ck_assert_int_eq(recvmsg(fd, &h, 0), 1);
	bench_stamp_take(&now);
	uint64_t came_ns = bench_stamp_of(&h, &now);
	if (now.stepped || now.now_ns - came_ns < WAITS_MS * NS_PER_MS - NS_PER_MS)
		return false;
	/* The wall clock may be slewed meanwhile. */
	ck_assert_uint_ge(came_ns + NS_PER_MS, before_ns);
	ck_assert_uint_le(came_ns, after_ns + NS_PER_MS);
	return true;
}

/*
 * What waits for its reader has the time at which it came. A kernel that stamped nothing for
 * anybody before begins a while after it is asked to; until then it stamps what is read.
 */
START_TEST(kernel_stamps_what_comes)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	bool stamped = false;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	bench_stamp_enable(fd);
	for (unsigned i = 0; i < 100 && !stamped; i++)
		stamped = is_stamped_on_arrival(fd, &at);
	ck_assert(stamped);
	(void)close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, finish);
	tcase_add_loop_test(tc, lane_that_cannot_open_leaves_nothing_behind, 0, 2);
	tcase_add_loop_test(tc, udp_sends_all_of_a_batch, 0, 2);
	tcase_add_test(tc, udp_receives_datagrams_of_any_length);
	tcase_add_test(tc, udp_tells_what_its_socket_dropped);
	tcase_add_test(tc, udp_cannot_send);
	tcase_add_test(tc, udp_counts_refusals);
	tcase_add_test(tc, udp_asks_from_its_source);
	tcase_add_test(tc, tcp_sends_all_of_a_batch);
	tcase_add_test(tc, tcp_joins_parts_of_messages);
	tcase_add_test(tc, tcp_byte_by_byte);
	tcase_add_test(tc, tcp_takes_the_longest_message);
	tcase_add_test(tc, tcp_more_than_views);
	tcase_add_test(tc, tcp_full_socket_loses_nothing);
	tcase_add_loop_test(tc, open_questions_have_different_ids, 0, 2);
	tcase_add_test(tc, tcp_closed_connection_is_made_again_after_a_pause);
	tcase_add_loop_test(tc, tcp_closed_after_use, 0, 2);
	tcase_add_test(tc, tcp_counts_refusals);
	tcase_add_test(tc, tcp_stalled_connection_is_replaced);
	tcase_add_test(tc, tcp_per_connection);
	tcase_add_test(tc, stamp_is_told_by_our_clock);
	tcase_add_loop_test(tc, step_of_the_wall_clock_is_seen, 0, 3);
	tcase_add_test(tc, kernel_stamps_what_comes);
}
