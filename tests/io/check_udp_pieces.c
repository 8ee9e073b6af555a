/* SPDX-License-Identifier: BSD-2-Clause */
/* udp_pieces: messages of every kind are taken apart, and nothing of them is lost or read twice. */
#include "io/udp_pieces.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/packet.h"
#include "support/tests.h"

#define CAP 65536

static struct mmsghdr messages[3];
static struct iovec iov[3];
static _Alignas(size_t) uint8_t control[3][CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(int))];
static uint8_t bytes[3][CAP];
static struct udp_piece piece[CAP];

/* Control message K of message I has VALUE. */
static void
put(unsigned i, unsigned k, int level, int type, int value)
{
	struct cmsghdr c = {
		.cmsg_len = CMSG_LEN(sizeof(value)), .cmsg_level = level, .cmsg_type = type
	};
	uint8_t *at = &control[i][k * CMSG_SPACE(sizeof(value))];

	memcpy(at, &c, sizeof(c));
	memcpy(at + CMSG_LEN(0), &value, sizeof(value));
}

/* Message I has LEN bytes, and a control message with EACH, behind another one. */
static void
message(unsigned i, size_t len, int each)
{
	struct msghdr *h = &messages[i].msg_hdr;

	memset(&messages[i], 0, sizeof(messages[i]));
	memset(control[i], 0, sizeof(control[i]));
	iov[i] = (struct iovec){ .iov_base = bytes[i], .iov_len = CAP };
	messages[i].msg_len = (unsigned)len;
	h->msg_iov = &iov[i];
	h->msg_iovlen = 1;
	h->msg_control = control[i];
	h->msg_controllen = sizeof(control[i]);
	put(i, 0, SOL_SOCKET, SO_RXQ_OVFL, 7);
	put(i, 1, IPPROTO_UDP, UDP_GRO, each);
}

/* What becomes of one message. */
static const struct {
	size_t len;
	int each;
	unsigned n, first, last; /* datagrams, and the lengths of the first and of the last */
} kinds[] = {
	{ 0, 0, 1, 0, 0 }, /* an empty datagram is one */
	{ 0, 50, 1, 0, 0 },
	{ 50, 0, 1, 50, 50 }, /* of no length: a datagram */
	{ 50, -1, 1, 50, 50 },
	{ 50, 50, 1, 50, 50 },
	{ 50, 51, 1, 50, 50 }, /* longer than the message */
	{ 50, INT32_MAX, 1, 50, 50 },
	{ 50, 49, 2, 49, 1 },
	{ 50, 25, 2, 25, 25 },
	{ 64 * 50, 50, 64, 50, 50 },
	{ 64 * 50 + 1, 50, 65, 50, 1 },
	{ 3000, 1, 3000, 1, 1 },
	{ 65535, 100, 656, 100, 35 },
	{ 2 * PACKET_UDP_CAP, PACKET_UDP_CAP, 2, PACKET_UDP_CAP, PACKET_UDP_CAP },
};

START_TEST(message_is_taken_apart)
{
	struct udp_pieces p;
	unsigned n = kinds[_i].n;

	message(0, kinds[_i].len, kinds[_i].each);
	ck_assert_uint_eq(udp_pieces_count(&messages[0]), n);
	for (unsigned max = 1; max < CAP; max *= 8) { /* at once, or in parts */
		unsigned got = 0;

		udp_pieces_begin(&p, messages);
		ck_assert(!udp_pieces_left(&p));
		udp_pieces_add(&p, 1);
		while (udp_pieces_left(&p)) {
			unsigned r = udp_pieces_take(&p, &piece[got], max);

			ck_assert_uint_ge(r, 1);
			ck_assert_uint_le(r, max);
			got += r;
			ck_assert_uint_le(got, n);
		}
		ck_assert_uint_eq(udp_pieces_take(&p, &piece[got], max), 0);
		ck_assert_uint_eq(got, n);
		ck_assert_uint_eq(piece[0].len, kinds[_i].first);
		ck_assert_uint_eq(piece[n - 1].len, kinds[_i].last);
		for (unsigned i = 0, at = 0; i < n; at += piece[i++].len) {
			ck_assert_ptr_eq(piece[i].bytes, &bytes[0][at]);
			ck_assert(!piece[i].cut);
			ck_assert_uint_eq(piece[i].message, 0);
		}
	}
}
END_TEST

/* Without a control message, or with others only, a message is a datagram. */
START_TEST(message_without_length_is_a_datagram)
{
	message(0, 500, 50);
	messages[0].msg_hdr.msg_controllen = 0;
	ck_assert_uint_eq(udp_pieces_count(&messages[0]), 1);
	messages[0].msg_hdr.msg_controllen = CMSG_SPACE(sizeof(int));
	ck_assert_uint_eq(udp_pieces_count(&messages[0]), 1);
	messages[0].msg_hdr.msg_control = NULL;
	messages[0].msg_hdr.msg_controllen = 0;
	ck_assert_uint_eq(udp_pieces_count(&messages[0]), 1);
}
END_TEST

/* Datagrams of several messages, which come in two parts, are in order, each with its message. */
START_TEST(messages_follow_each_other)
{
	struct udp_pieces p;

	message(0, 130, 60);
	message(1, 40, 0);
	message(2, 100, 50);
	udp_pieces_begin(&p, messages);
	udp_pieces_add(&p, 2);
	ck_assert_uint_eq(udp_pieces_take(&p, piece, 2), 2);
	ck_assert_uint_eq(udp_pieces_take(&p, &piece[2], 10), 2);
	ck_assert(!udp_pieces_left(&p));
	udp_pieces_add(&p, 1);
	ck_assert_uint_eq(udp_pieces_take(&p, &piece[4], 10), 2);
	for (unsigned i = 0; i < 6; i++) {
		static const uint8_t of[] = { 0, 0, 0, 1, 2, 2 };
		static const uint16_t len[] = { 60, 60, 10, 40, 50, 50 };

		ck_assert_uint_eq(piece[i].message, of[i]);
		ck_assert_uint_eq(piece[i].len, len[i]);
	}
	ck_assert_ptr_eq(piece[2].bytes, &bytes[0][120]);
	ck_assert_ptr_eq(piece[3].bytes, bytes[1]);
	ck_assert_ptr_eq(piece[5].bytes, &bytes[2][50]);
}
END_TEST

/* A datagram that is too long is cut, and of a message that was cut the last one; no other is. */
START_TEST(long_datagrams_are_cut)
{
	struct udp_pieces p;

	message(0, PACKET_UDP_CAP + 10, PACKET_UDP_CAP + 1);
	message(1, 150, 50);
	messages[1].msg_hdr.msg_flags = MSG_TRUNC;
	message(2, PACKET_UDP_CAP, 0);
	messages[2].msg_hdr.msg_flags = MSG_TRUNC;
	udp_pieces_begin(&p, messages);
	udp_pieces_add(&p, 3);
	ck_assert_uint_eq(udp_pieces_take(&p, piece, 10), 6);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_int_eq(piece[i].cut, i == 0 || i >= 4);
	ck_assert_uint_eq(piece[0].len, PACKET_UDP_CAP);
	ck_assert_ptr_eq(piece[1].bytes, &bytes[0][PACKET_UDP_CAP + 1]);
	ck_assert_uint_eq(piece[1].len, 9);
}
END_TEST

/* What this kernel knows is on, and off at first. */
START_TEST(option_is_on)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 9;
	socklen_t len = sizeof(on);

	udp_pieces_on(fd);
	if (udp_pieces_known()) {
		ck_assert_int_eq(getsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, &len), 0);
		ck_assert_int_eq(on, 1);
	}
	close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, message_is_taken_apart, 0, (int)(sizeof(kinds) / sizeof(kinds[0])));
	tcase_add_test(tc, message_without_length_is_a_datagram);
	tcase_add_test(tc, messages_follow_each_other);
	tcase_add_test(tc, long_datagrams_are_cut);
	tcase_add_test(tc, option_is_on);
}
