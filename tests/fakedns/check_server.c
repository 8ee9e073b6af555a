/* SPDX-License-Identifier: BSD-2-Clause */
/* fakedns over real sockets on loopback: UDP, TCP, delays, losses, truncation, counters. */

#include "fakedns/server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/message.h"
#include "support/tests.h"
#include "tools/udp_run.h"

#define QUESTIONS 200

static struct fake_settings settings;
static struct fake_server *server;

static void
set_up(void)
{
	static const uint8_t zone[] = "\011dns64perf\004test";

	memset(&settings, 0, sizeof(settings));
	fake_zone_init(&settings.policy.zone, zone);
	settings.policy.ttl = 300;
	settings.policy.negative_ttl = 60;
	settings.n_threads = 2;
	settings.n_listen = 1;
	ck_assert(netaddr_parse("127.0.0.1", 0, &settings.listen[0]));
}

static void
start(void)
{
	struct netaddr failed;

	ck_assert_int_eq(fake_server_new(&settings, &server, &failed), 0);
	ck_assert_int_eq(fake_server_start(server), 0);
}

static struct fake_counters
stop(void)
{
	struct fake_counters sum;

	fake_server_stop(server, &sum);
	fake_server_free(server);
	return sum;
}

static int
connect_to(int type)
{
	struct timeval patience = { .tv_sec = 60 };
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&fake_server_settings(server)->listen[0], &ss);
	int fd = socket(ss.ss_family, type, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&ss, len), 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* A question for A with ID, behind its length as for TCP; returns the length of both. */
static size_t
write_question(uint8_t out[static 512], const char *name, uint16_t id)
{
	struct wire_writer w = { out, 512, 0, false };
	uint8_t qname[DNS_NAME_MAX];
	size_t len = name_from_text(name, qname);

	ck_assert_uint_gt(len, 0);
	wire_put_u16(&w, (uint16_t)(DNS_HEADER_LEN + len + 4));
	wire_put_u16(&w, id);
	wire_put_bytes(&w, "\001\0\0\001\0\0\0\0\0", 10);
	wire_put_bytes(&w, qname, len);
	wire_put_u16(&w, DNS_TYPE_A);
	wire_put_u16(&w, DNS_CLASS_IN);
	return w.len;
}

static void
send_udp(int fd, const char *name, uint16_t id)
{
	uint8_t q[512];
	size_t len = write_question(q, name, id);

	ck_assert_int_eq(send(fd, q + 2, len - 2, 0), (ssize_t)len - 2);
}

/* -1: nothing came in time. */
static ssize_t
receive_udp(int fd, uint8_t out[static 4096], struct msg *m)
{
	ssize_t n = recv(fd, out, 4096, 0);

	if (n >= 0)
		ck_assert_int_eq(msg_parse(m, out, (size_t)n), MSG_OK);
	return n;
}

static void
read_whole(int fd, uint8_t *out, size_t len)
{
	while (len > 0) {
		ssize_t n = recv(fd, out, len, 0);

		ck_assert_int_gt(n, 0);
		out += n;
		len -= (size_t)n;
	}
}

static void
receive_tcp(int fd, uint8_t out[static DNS_MSG_MAX], struct msg *m)
{
	uint8_t len[2];

	read_whole(fd, len, sizeof(len));
	read_whole(fd, out, wire_u16(len));
	ck_assert_int_eq(msg_parse(m, out, wire_u16(len)), MSG_OK);
}

/* Many questions at once, each answered once with its own ID. */
START_TEST(udp_questions_are_answered_once)
{
	uint8_t seen[QUESTIONS] = { 0 }, buf[4096];
	struct msg m;

	set_up();
	start();
	int fd = connect_to(SOCK_DGRAM);
	for (uint16_t i = 0; i < QUESTIONS; i++)
		send_udp(fd, "10-0-0-1.dns64perf.test", i);
	for (unsigned i = 0; i < QUESTIONS; i++) {
		ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
		ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
		ck_assert_uint_lt(m.id, QUESTIONS);
		ck_assert_uint_eq(seen[m.id]++, 0);
	}
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, QUESTIONS);
	ck_assert_uint_eq(c.answers, QUESTIONS);
	ck_assert_uint_eq(c.lost + c.mute + c.malformed + c.unsent, 0);
}
END_TEST

/* On a wildcard address the answer comes from the address that was asked. */
START_TEST(udp_answer_comes_from_the_asked_address)
{
	static const char *const any[] = { "0.0.0.0", "::" };
	static const char *const other[] = { "127.0.0.7", "::1" };
	struct sockaddr_storage ss;
	uint8_t buf[4096];
	struct netaddr a, failed;
	struct msg m;

	set_up();
	settings.pattern.delay_ms = _i >= 2 ? 1 : 0;
	ck_assert(netaddr_parse(any[_i % 2], 0, &settings.listen[0]));
	int err = fake_server_new(&settings, &server, &failed);
	if (err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL)
		return; /* no IPv6 here */
	ck_assert_int_eq(err, 0);
	ck_assert_int_eq(fake_server_start(server), 0);
	ck_assert(netaddr_parse(other[_i % 2], fake_server_settings(server)->listen[0].port, &a));
	socklen_t len = netaddr_to_sockaddr(&a, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM, 0);
	if (connect(fd, (struct sockaddr *)&ss, len) == 0) { /* else no IPv6 on loopback */
		struct timeval patience = { .tv_sec = 60 };

		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		send_udp(fd, "10-0-0-1.dns64perf.test", 7);
		ck_assert_int_gt(receive_udp(fd, buf, &m), 0); /* connected: from there only */
		ck_assert_uint_eq(m.id, 7);
	}
	(void)close(fd);
	(void)stop();
}
END_TEST

/* N questions for different names from FD, as one run: their IDs are FIRST and up. */
static void
send_questions_as_run(int fd, uint16_t first, unsigned n)
{
	_Alignas(size_t) uint8_t control[UDP_RUN_CONTROL];
	uint8_t bytes[UDP_RUN_MAX * 100];
	struct iovec iov = { bytes, 0 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	size_t piece = 0;

	for (unsigned i = 0; i < n; i++) {
		uint8_t q[512];
		char name[40];

		(void)snprintf(name, sizeof(name), "010-000-%03u-%03u.dns64perf.test", first / 256u,
		    first % 256u + i);
		piece = write_question(q, name, (uint16_t)(first + i)) - 2;
		ck_assert_uint_le((i + 1) * piece, sizeof(bytes));
		memcpy(bytes + i * piece, q + 2, piece);
	}
	iov.iov_len = n * piece;
	udp_run_segment(&h, sizeof(control), (uint16_t)piece);
	ck_assert_int_eq(sendmsg(fd, &h, 0), (ssize_t)iov.iov_len);
}

/* Runs from several clients: each gets the answers to its own questions, each once. */
START_TEST(udp_runs_go_to_their_clients)
{
	uint8_t seen[3][UDP_RUN_MAX] = { 0 }, buf[4096];
	struct msg m;
	struct rr rr;
	int fd[3];

	set_up();
	settings.n_threads = 1;
	settings.pattern.delay_ms = _i == 1 ? 5 : 0;
	ck_assert(netaddr_parse(_i == 2 ? "0.0.0.0" : "127.0.0.1", 0, &settings.listen[0]));
	start();
	settings.listen[0].port = fake_server_settings(server)->listen[0].port;
	for (uint16_t i = 0; i < 3; i++) {
		fd[i] = connect_to(SOCK_DGRAM);
		send_questions_as_run(fd[i], (uint16_t)(i * 256), UDP_RUN_MAX - 10);
		send_questions_as_run(fd[i], (uint16_t)(i * 256 + UDP_RUN_MAX - 10), 10);
	}
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned n = 0; n < UDP_RUN_MAX; n++) {
			ck_assert_int_gt(receive_udp(fd[i], buf, &m), 0);
			ck_assert_uint_eq(m.id / 256, i);
			ck_assert_uint_eq(seen[i][m.id % 256]++, 0);
			rr = message_record(&m, MSG_ANSWER, 0);
			ck_assert_uint_eq(buf[rr.rdata + 2], i); /* the third number of its name */
		}
		(void)close(fd[i]);
	}
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.answers, 3 * UDP_RUN_MAX);
	ck_assert_uint_eq(c.questions, 3 * UDP_RUN_MAX);
}
END_TEST

/* How many datagrams the longest of the runs has in which FD receives N answers. */
static size_t
longest_run(int fd, size_t n)
{
	_Alignas(size_t) uint8_t control[UDP_RUN_CONTROL];
	static uint8_t bytes[UDP_RUN_BYTES];
	struct iovec iov = { bytes, sizeof(bytes) };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	size_t longest = 0;

	for (size_t got = 0, run; got < n; got += run) {
		h.msg_controllen = sizeof(control);
		ssize_t len = recvmsg(fd, &h, 0);
		ck_assert_int_gt(len, 0);
		size_t piece = udp_run_piece(&h, (size_t)len);
		run = ((size_t)len + piece - 1) / piece;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* Who sends a run gets runs, unless told otherwise, and who sends single datagrams single ones. */
START_TEST(udp_runs_are_answered_by_runs)
{
	bool singles = _i % 2 == 1;

	set_up();
	settings.n_threads = 1;
	settings.singles = singles;
	settings.pattern.delay_ms = _i / 2 == 1 ? 5 : 0;
	start();
	int fd = connect_to(SOCK_DGRAM);
	ck_assert(udp_run_prepare(fd));
	send_questions_as_run(fd, 0, 20);
	if (singles)
		ck_assert_uint_eq(longest_run(fd, 20), 1);
	else
		ck_assert_uint_gt(longest_run(fd, 20), 1);
	for (uint16_t i = 0; i < 20; i++)
		send_udp(fd, "010-000-000-001.dns64perf.test", i);
	ck_assert_uint_eq(longest_run(fd, 20), 1);
	(void)close(fd);
	(void)stop();
}
END_TEST

START_TEST(udp_garbage_is_survived)
{
	uint8_t buf[4096] = { 0 };
	struct msg m;

	set_up();
	start();
	int fd = connect_to(SOCK_DGRAM);
	ck_assert_int_eq(send(fd, buf, 0, 0), 0);
	ck_assert_int_eq(send(fd, buf, 11, 0), 11);
	ck_assert_int_eq(send(fd, buf, sizeof(buf), 0), (ssize_t)sizeof(buf)); /* too long */
	send_udp(fd, "drop-1.dns64perf.test", 1);
	send_udp(fd, "10-0-0-1.dns64perf.test", 2);
	ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	ck_assert_uint_eq(m.id, 2);
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, 5);
	ck_assert_uint_eq(c.malformed, 3);
	ck_assert_uint_eq(c.mute, 1);
	ck_assert_uint_eq(c.answers, 1);
}
END_TEST

/* All questions in one write; the answers are more than fit the socket's buffers. */
START_TEST(tcp_pipelined_questions_are_all_answered)
{
	static uint8_t out[DNS_MSG_MAX], q[QUESTIONS * 512];
	size_t len = 0;
	struct msg m;

	set_up();
	settings.pattern.delay_ms = _i == 1 ? 20 : 0;
	start();
	int fd = connect_to(SOCK_STREAM);
	for (uint16_t i = 0; i < QUESTIONS; i++)
		len += write_question(q + len, "many-2000.dns64perf.test", i);
	ck_assert_int_eq(send(fd, q, len, 0), (ssize_t)len);
	(void)shutdown(fd, SHUT_WR); /* half-closed: still answered (RFC 7766) */
	for (uint16_t i = 0; i < QUESTIONS; i++) {
		receive_tcp(fd, out, &m);
		ck_assert_uint_eq(m.count[MSG_ANSWER], 2000);
		ck_assert_uint_eq(m.flags & DNS_TC, 0);
		ck_assert(_i == 1 || m.id == i);
	}
	ck_assert_int_eq(recv(fd, out, 1, 0), 0); /* then the connection ends */
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, QUESTIONS);
	ck_assert_uint_eq(c.answers, QUESTIONS);
	ck_assert_uint_eq(c.unsent, 0);
}
END_TEST

START_TEST(tcp_byte_by_byte)
{
	uint8_t q[512];
	static uint8_t out[DNS_MSG_MAX];
	struct msg m;

	set_up();
	start();
	int fd = connect_to(SOCK_STREAM);
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 9);
	for (size_t i = 0; i < len; i++) {
		ck_assert_int_eq(send(fd, q + i, 1, 0), 1);
		(void)usleep(200);
	}
	receive_tcp(fd, out, &m);
	ck_assert_uint_eq(m.id, 9);
	(void)close(fd);
	(void)stop();
}
END_TEST

START_TEST(tcp_garbage_closes_the_connection)
{
	uint8_t q[512] = { 0xff, 0xff, 1, 2 };

	set_up();
	start();
	int fd = connect_to(SOCK_STREAM);
	ck_assert_int_eq(send(fd, q, sizeof(q), 0), (ssize_t)sizeof(q));
	ck_assert_int_le(recv(fd, q, 1, 0), 0); /* closed, or reset */
	ck_assert_int_ne(errno, EAGAIN);
	(void)close(fd);
	ck_assert_uint_eq(stop().malformed, 1);
}
END_TEST

/* A client that goes away while its answer waits. Those of another client, in turn, are due after
 * it. */
START_TEST(tcp_gone_before_its_time)
{
	uint8_t q[512], buf[4096];
	struct msg m;

	set_up();
	settings.pattern.delay_ms = 1000;
	settings.n_threads = 1;
	start();
	struct linger reset = { 1, 0 };
	int fd = connect_to(SOCK_STREAM);
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 9);
	ck_assert_int_eq(send(fd, q, len, 0), (ssize_t)len);
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)close(fd);
	fd = connect_to(SOCK_DGRAM);
	for (uint16_t id = 2; id < 4; id++) {
		send_udp(fd, "10-0-0-1.dns64perf.test", id);
		ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	}
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, 3);
	ck_assert_uint_eq(c.answers, 2);
	ck_assert_uint_eq(c.unsent, 1);
}
END_TEST

START_TEST(delay_and_jitter)
{
	uint64_t sent[20], now;
	uint8_t buf[4096];
	struct msg m;

	set_up();
	settings.pattern.delay_ms = 40;
	settings.pattern.jitter_ms = 30;
	start();
	int fd = connect_to(SOCK_DGRAM);
	for (uint16_t i = 0; i < 20; i++) {
		sent[i] = clock_now_ns();
		send_udp(fd, "10-0-0-1.dns64perf.test", i);
	}
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
		now = clock_now_ns();
		ck_assert_uint_lt(m.id, 20);
		ck_assert_uint_ge(now - sent[m.id], 40 * NS_PER_MS);
		ck_assert_uint_lt(now - sent[m.id], 20 * NS_PER_SEC); /* a busy machine */
	}
	(void)close(fd);
	(void)stop();
}
END_TEST

START_TEST(loss_drops_its_percentage)
{
	uint8_t buf[4096];
	unsigned n = 0;
	struct msg m;

	set_up();
	settings.pattern.loss = 30 * FAKE_LOSS_ALL / 100;
	start();
	int fd = connect_to(SOCK_DGRAM);
	for (unsigned i = 0; i < 10 * QUESTIONS; i++) {
		send_udp(fd, "10-0-0-1.dns64perf.test", (uint16_t)i);
		while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
			n++;
		(void)usleep(i % 50 == 0 ? 2000 : 0); /* small socket buffers lose, too */
	}
	/* The end of it: those never lost. */
	struct timeval patience = { .tv_sec = 3 };
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	while (receive_udp(fd, buf, &m) > 0)
		n++;
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, 10 * QUESTIONS);
	ck_assert_uint_eq(c.answers + c.lost, 10 * QUESTIONS);
	ck_assert_uint_ge(c.answers, n);
	ck_assert_uint_ge(c.lost, 450); /* 600 expected; the standard deviation is 20 */
	ck_assert_uint_le(c.lost, 750);
}
END_TEST

#define TWICE 100 /* questions: small socket buffers take no more answers */

/* Each answer comes twice over UDP, at once or late, however full the batches are. */
START_TEST(udp_answers_come_twice)
{
	uint8_t seen[TWICE] = { 0 }, buf[4096];
	struct msg m;

	set_up();
	settings.pattern.duplicate_percent = 100;
	settings.pattern.delay_ms = _i == 1 ? 20 : 0;
	start();
	int fd = connect_to(SOCK_DGRAM);
	for (uint16_t i = 0; i < TWICE; i++)
		send_udp(fd, "10-0-0-1.dns64perf.test", i);
	for (unsigned i = 0; i < 2 * TWICE; i++) {
		ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
		ck_assert_uint_lt(m.id, TWICE);
		seen[m.id]++;
	}
	for (unsigned i = 0; i < TWICE; i++)
		ck_assert_uint_eq(seen[i], 2);
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, TWICE);
	ck_assert_uint_eq(c.answers, 2 * TWICE);
	ck_assert_uint_eq(c.twice, TWICE);
}
END_TEST

/* Each answer comes after a forged one; half of the right ones are damaged. */
START_TEST(udp_answers_come_forged_and_damaged)
{
	unsigned n_right = 0, n_forged = 0, n_damaged = 0;
	uint8_t buf[4096];
	struct msg m;

	set_up();
	settings.pattern.forge_percent = 100;
	settings.pattern.damage_percent = 50;
	start();
	int fd = connect_to(SOCK_DGRAM);
	for (uint16_t i = 0; i < TWICE; i++) {
		send_udp(fd, "10-0-0-1.dns64perf.test", i);
		for (unsigned k = 0; k < 2; k++) {
			ssize_t n = recv(fd, buf, sizeof(buf), 0);
			ck_assert_int_gt(n, 0);
			if (msg_parse(&m, buf, (size_t)n) != MSG_OK || m.qname_len < 10 ||
			    wire_u16(buf + 6) != 1)
				n_damaged++;
			else if (m.id != i)
				n_forged++;
			else
				n_right++;
		}
	}
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.answers, 2 * TWICE);
	ck_assert_uint_eq(c.forged, TWICE);
	ck_assert_uint_eq(n_forged, TWICE);
	ck_assert_uint_eq(n_damaged, c.damaged);
	ck_assert_uint_eq(n_right, TWICE - n_damaged);
	ck_assert_uint_ge(n_damaged, TWICE / 4);
	ck_assert_uint_le(n_damaged, TWICE * 3 / 4);
}
END_TEST

/* The answer that is held back comes after those that were asked for after it, over UDP and TCP. */
START_TEST(answers_come_out_of_order)
{
	static uint8_t q[2 * 512], out[DNS_MSG_MAX];
	struct msg m;

	set_up();
	settings.n_threads = 1;
	settings.pattern.delay_ms = 100;
	settings.pattern.delay_every = 3; /* the third question of four */
	start();
	int fd = connect_to(_i == 0 ? SOCK_DGRAM : SOCK_STREAM);
	size_t len = 0;
	for (uint16_t i = 1; i <= 4; i++) {
		if (_i == 0) {
			send_udp(fd, "10-0-0-1.dns64perf.test", i);
			continue;
		}
		len = write_question(q, "10-0-0-1.dns64perf.test", i);
		ck_assert_int_eq(send(fd, q, len, 0), (ssize_t)len);
	}
	for (unsigned i = 0; i < 4; i++) {
		static const uint16_t order[] = { 1, 2, 4, 3 };

		if (_i == 0)
			ck_assert_int_gt(receive_udp(fd, out, &m), 0);
		else
			receive_tcp(fd, out, &m);
		ck_assert_uint_eq(m.id, order[i]);
	}
	(void)close(fd);
	ck_assert_uint_eq(stop().answers, 4);
}
END_TEST

START_TEST(an_outage_ignores_udp_and_tcp)
{
	struct timeval patience = { .tv_usec = 200000 };
	uint8_t q[512], buf[4096];
	struct msg m;

	set_up();
	settings.pattern.down_ms = 1; /* and is never up */
	start();
	int udp = connect_to(SOCK_DGRAM), tcp = connect_to(SOCK_STREAM);
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 9);
	(void)setsockopt(udp, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	send_udp(udp, "10-0-0-1.dns64perf.test", 1);
	ck_assert_int_eq(send(tcp, q, len, 0), (ssize_t)len);
	ck_assert_int_eq(receive_udp(udp, buf, &m), -1);
	ck_assert_int_eq(recv(tcp, buf, 1, MSG_DONTWAIT), -1);
	(void)close(udp);
	(void)close(tcp);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, 2);
	ck_assert_uint_eq(c.outage, 2);
	ck_assert_uint_eq(c.answers, 0);
}
END_TEST

/*
 * Is a question over UDP refused, or answered? One that waits to be read when the socket is closed
 * is neither: then another is asked.
 */
static bool
is_refused(void)
{
	struct timeval patience = { .tv_usec = 100000 };
	uint8_t buf[4096], q[512];
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 1);
	ssize_t n;

	do {
		int fd = connect_to(SOCK_DGRAM);

		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		ck_assert_int_eq(send(fd, q + 2, len - 2, 0), (ssize_t)len - 2);
		n = recv(fd, buf, sizeof(buf), 0);
		(void)close(fd);
	} while (n < 0 && errno == EAGAIN);
	ck_assert(n > 0 || errno == ECONNREFUSED);
	return n < 0;
}

/* In turn the server answers and the kernel refuses; a connection is reset. */
START_TEST(an_outage_may_refuse)
{
	bool refused, was = false;
	unsigned changes = 0;
	uint8_t buf[1];

	set_up();
	settings.n_threads = 1;
	settings.pattern.up_ms = 300;
	settings.pattern.down_ms = 300;
	settings.pattern.refuse = true;
	start();
	int tcp = connect_to(SOCK_STREAM);
	do {
		refused = is_refused();
		changes += refused != was;
		was = refused;
		(void)usleep(5000);
	} while (changes < 4);
	ck_assert_int_eq(recv(tcp, buf, 1, 0), -1);
	ck_assert_int_eq(errno, ECONNRESET);
	(void)close(tcp);
	(void)stop();
}
END_TEST

/* What waits for its time when the sockets are closed is not sent. */
START_TEST(an_outage_takes_late_answers)
{
	struct timeval patience = { .tv_sec = 1 };
	uint8_t buf[4096], q[512];
	struct msg m;

	set_up();
	settings.n_threads = 1;
	settings.pattern.up_ms = 300;
	settings.pattern.down_ms = 10000;
	settings.pattern.refuse = true;
	settings.pattern.delay_ms = 600;
	start();
	int udp = connect_to(SOCK_DGRAM), tcp = connect_to(SOCK_STREAM);
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 9);
	send_udp(udp, "10-0-0-1.dns64perf.test", 1);
	ck_assert_int_eq(send(tcp, q, len, 0), (ssize_t)len);
	(void)setsockopt(udp, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ck_assert_int_eq(receive_udp(udp, buf, &m), -1);
	(void)close(udp);
	(void)close(tcp);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.questions, 2);
	ck_assert_uint_eq(c.unsent, 2);
}
END_TEST

/* The connection ends after the third of a hundred answers, which is whole, as are those before. */
START_TEST(tcp_ends_after_its_answers)
{
	static uint8_t q[100 * 512], out[DNS_MSG_MAX];
	size_t len = 0;
	struct msg m;

	set_up();
	settings.tcp_ends = true;
	settings.tcp_answers = 3;
	settings.tcp_reset = _i % 2 == 1;
	settings.pattern.delay_ms = _i >= 2 ? 20 : 0;
	start();
	int fd = connect_to(SOCK_STREAM);
	for (uint16_t i = 0; i < 100; i++) /* more than are read at once */
		len += write_question(q + len, "10-0-0-1.dns64perf.test", i);
	ck_assert_int_eq(send(fd, q, len, 0), (ssize_t)len);
	if (_i % 2 == 0) {
		for (uint16_t i = 0; i < 3; i++) {
			receive_tcp(fd, out, &m);
			ck_assert_uint_eq(m.id, i);
		}
		ck_assert_int_eq(recv(fd, out, 1, 0), 0);
	} else { /* an RST may overtake answers */
		while (recv(fd, out, sizeof(out), 0) > 0)
			;
		ck_assert_int_eq(errno, ECONNRESET);
	}
	(void)close(fd);
	struct fake_counters c = stop();
	ck_assert_uint_eq(c.answers, 3);
	ck_assert_uint_eq(c.ended, 1);
}
END_TEST

START_TEST(tcp_ends_when_accepted)
{
	uint8_t buf[1];

	set_up();
	settings.tcp_ends = true;
	settings.tcp_reset = _i == 1;
	start();
	int fd = connect_to(SOCK_STREAM);
	errno = 0;
	ck_assert_int_eq(recv(fd, buf, 1, 0), _i == 0 ? 0 : -1);
	ck_assert_int_eq(errno, _i == 0 ? 0 : ECONNRESET);
	(void)close(fd);
	ck_assert(!is_refused()); /* UDP is as ever */
	ck_assert_uint_eq(stop().ended, 1);
}
END_TEST

/* The first answer for a name is slow; the next one, when that has come, is not. */
START_TEST(a_new_name_is_slow)
{
	uint8_t buf[4096];
	struct msg m;

	set_up();
	settings.n_threads = 1;
	settings.pattern.slow_first_ms = 500;
	start();
	int fd = connect_to(SOCK_DGRAM);
	uint64_t sent_ns = clock_now_ns();
	send_udp(fd, "10-0-0-1.dns64perf.test", 1);
	ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	ck_assert_uint_ge(clock_now_ns() - sent_ns, 500 * NS_PER_MS);
	send_udp(fd, "10-0-0-2.dns64perf.test", 2); /* slow: */
	send_udp(fd, "10-0-0-1.dns64perf.test", 3); /* known, so that it comes first */
	ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	ck_assert_uint_eq(m.id, 3);
	ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	ck_assert_uint_eq(m.id, 2);
	(void)close(fd);
	(void)stop();
}
END_TEST

START_TEST(truncation_is_for_udp)
{
	uint8_t buf[4096], q[512];
	static uint8_t out[DNS_MSG_MAX];
	struct msg m;

	set_up();
	settings.pattern.truncate_percent = 100;
	start();
	int fd = connect_to(SOCK_DGRAM);
	send_udp(fd, "10-0-0-1.dns64perf.test", 1);
	ck_assert_int_gt(receive_udp(fd, buf, &m), 0);
	ck_assert_uint_ne(m.flags & DNS_TC, 0);
	(void)close(fd);
	fd = connect_to(SOCK_STREAM);
	size_t len = write_question(q, "10-0-0-1.dns64perf.test", 1);
	ck_assert_int_eq(send(fd, q, len, 0), (ssize_t)len);
	receive_tcp(fd, out, &m);
	ck_assert_uint_eq(m.flags & DNS_TC, 0);
	ck_assert_uint_eq(m.count[MSG_ANSWER], 1);
	(void)close(fd);
	(void)stop();
}
END_TEST

/* A second server on the same port must not share its questions. */
START_TEST(port_taken_is_an_error)
{
	struct fake_server *second = NULL;
	struct netaddr failed;

	set_up();
	start();
	settings.listen[0].port = fake_server_settings(server)->listen[0].port;
	ck_assert_int_eq(fake_server_new(&settings, &second, &failed), -EADDRINUSE);
	ck_assert(netaddr_equal(&failed, &settings.listen[0]));
	(void)stop();
}
END_TEST

START_TEST(foreign_address_is_an_error)
{
	struct netaddr failed;

	set_up();
	ck_assert(netaddr_parse("192.0.2.1", 0, &settings.listen[0]));
	ck_assert_int_eq(fake_server_new(&settings, &server, &failed), -EADDRNOTAVAIL);
	ck_assert(netaddr_equal(&failed, &settings.listen[0]));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, udp_questions_are_answered_once);
	tcase_add_loop_test(tc, udp_answer_comes_from_the_asked_address, 0, 4);
	tcase_add_loop_test(tc, udp_runs_go_to_their_clients, 0, 3);
	tcase_add_loop_test(tc, udp_runs_are_answered_by_runs, 0, 4);
	tcase_add_test(tc, udp_garbage_is_survived);
	tcase_add_loop_test(tc, tcp_pipelined_questions_are_all_answered, 0, 2);
	tcase_add_test(tc, tcp_byte_by_byte);
	tcase_add_test(tc, tcp_garbage_closes_the_connection);
	tcase_add_test(tc, tcp_gone_before_its_time);
	tcase_add_test(tc, delay_and_jitter);
	tcase_add_test(tc, loss_drops_its_percentage);
	tcase_add_loop_test(tc, udp_answers_come_twice, 0, 2);
	tcase_add_test(tc, udp_answers_come_forged_and_damaged);
	tcase_add_loop_test(tc, answers_come_out_of_order, 0, 2);
	tcase_add_test(tc, an_outage_ignores_udp_and_tcp);
	tcase_add_test(tc, an_outage_may_refuse);
	tcase_add_test(tc, an_outage_takes_late_answers);
	tcase_add_loop_test(tc, tcp_ends_after_its_answers, 0, 4);
	tcase_add_loop_test(tc, tcp_ends_when_accepted, 0, 2);
	tcase_add_test(tc, a_new_name_is_slow);
	tcase_add_test(tc, truncation_is_for_udp);
	tcase_add_test(tc, port_taken_is_an_error);
	tcase_add_test(tc, foreign_address_is_an_error);
}
