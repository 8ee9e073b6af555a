/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/udp_run.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "support/tests.h"

#define PIECE 100

static int from, to;

/* Two connected sockets on loopback; false, and the test has nothing to show, before Linux 5.0. */
static bool
open_both(bool to_takes_runs)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	struct timeval patience = { .tv_sec = 60 };
	socklen_t len = sizeof(sin);

	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	from = socket(AF_INET, SOCK_DGRAM, 0);
	to = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(bind(to, (struct sockaddr *)&sin, sizeof(sin)), 0);
	ck_assert_int_eq(getsockname(to, (struct sockaddr *)&sin, &len), 0);
	ck_assert_int_eq(connect(from, (struct sockaddr *)&sin, len), 0);
	(void)setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return (!to_takes_runs || udp_run_prepare(to)) && udp_run_prepare(from);
}

static void
close_both(void)
{
	(void)close(from);
	(void)close(to);
}

/* LEN bytes that count up, as datagrams of PIECE. */
static void
send_run(size_t len)
{
	_Alignas(size_t) uint8_t control[UDP_RUN_CONTROL];
	uint8_t bytes[UDP_RUN_MAX * PIECE];
	struct iovec iov = { bytes, len };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };

	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)(i / PIECE);
	udp_run_segment(&h, sizeof(control), PIECE);
	ck_assert_uint_eq(h.msg_controllen, CMSG_SPACE(sizeof(uint16_t)));
	ck_assert_int_eq(sendmsg(from, &h, 0), (ssize_t)len);
}

static ssize_t
receive_run(uint8_t *bytes, size_t cap, size_t *piece)
{
	_Alignas(size_t) uint8_t control[UDP_RUN_CONTROL];
	struct iovec iov = { bytes, cap };
	struct msghdr h = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(to, &h, 0);

	ck_assert_int_ge(n, 0);
	*piece = udp_run_piece(&h, (size_t)n);
	return n;
}

/* However the run is cut on its way, the pieces are those that were sent, the last one shorter. */
START_TEST(run_arrives_as_its_pieces)
{
	static uint8_t bytes[UDP_RUN_BYTES];
	size_t total = UDP_RUN_MAX * PIECE - 50, piece;

	if (open_both(_i == 1)) {
		send_run(total);
		for (size_t got = 0; got < total;) {
			ssize_t n = receive_run(bytes, sizeof(bytes), &piece);

			ck_assert_uint_eq(piece, total - got < PIECE ? total - got : PIECE);
			for (ssize_t i = 0; i < n; i++)
				ck_assert_uint_eq(bytes[i], (got + (size_t)i) / PIECE);
			got += (size_t)n;
			if (_i == 0)
				ck_assert_uint_le(
				    (size_t)n, PIECE); /* who does not take runs gets none */
		}
	}
	close_both();
}
END_TEST

START_TEST(single_is_its_own_piece)
{
	uint8_t bytes[PIECE];
	size_t piece;

	(void)open_both(true);
	ck_assert_int_eq(send(from, "hello", 5, 0), 5);
	ck_assert_int_eq(receive_run(bytes, sizeof(bytes), &piece), 5);
	ck_assert_uint_eq(piece, 5);
	ck_assert_int_eq(send(from, "", 0, 0), 0);
	ck_assert_int_eq(receive_run(bytes, sizeof(bytes), &piece), 0);
	ck_assert_uint_eq(piece, 0);
	close_both();
}
END_TEST

/* Control that is full stays as it was. */
START_TEST(no_room_for_control)
{
	_Alignas(size_t) uint8_t control[UDP_RUN_CONTROL];
	struct msghdr h = { .msg_control = control, .msg_controllen = 8 };

	udp_run_segment(&h, sizeof(control), PIECE);
	ck_assert_uint_eq(h.msg_controllen, 8);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, run_arrives_as_its_pieces, 0, 2);
	tcase_add_test(tc, single_is_its_own_piece);
	tcase_add_test(tc, no_room_for_control);
}
