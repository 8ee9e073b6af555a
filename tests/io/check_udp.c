/* SPDX-License-Identifier: BSD-2-Clause */
/* udp: batches over loopback, the address that was asked, and what the kernel refuses. */
#include "io/udp.h"

#include <errno.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/stats.h"
#include "io/bind.h"
#include "support/rig.h"
#include "support/tests.h"
#include "support/testsend.h"

static struct udp_rx rx;
static struct udp_tx tx;
static struct udp_out out;
static struct udp_way way;
static struct stats stats;
static uint8_t *rx_bytes, *tx_bytes, *run_bytes;
static struct bind_sockets here;
static struct rig_msg msg;
static uint64_t now_ns;

static void
setup(void)
{
	rx_bytes = malloc((size_t)UDP_BATCH * UDP_STRIDE);
	tx_bytes = malloc(UDP_TX_BYTES);
	ck_assert(rx_bytes != NULL && tx_bytes != NULL);
	memset(&stats, 0, sizeof(stats));
	udp_rx_init(&rx, rx_bytes, true, false);
	ck_assert_int_eq(udp_tx_init(&tx, tx_bytes, &stats), 0);
	tx.runs = UDP_RUNS_UNKNOWN; /* by single datagrams, if a test wants nothing else */
	way = (struct udp_way){ .singly_ns = 0 };
	now_ns = 1000000000;
}

static void
teardown(void)
{
	testsend_reset();
	bind_close(&here);
	udp_tx_fini(&tx);
	free(rx_bytes);
	free(tx_bytes);
	free(run_bytes);
	run_bytes = NULL;
}

static void
listen_at(const char *text, uint32_t buffer)
{
	struct netaddr addr = rig_addr(text, 0);
	int r = bind_open(&addr, buffer, &here);

	ck_assert_int_eq(r, 0);
	udp_out_init(&out, here.udp, false, &way);
}

static void
put_byte(int fd, uint8_t value, size_t len)
{
	uint8_t bytes[5000];

	memset(bytes, value, len);
	ck_assert_int_eq(send(fd, bytes, len, 0), (ssize_t)len);
}

/* 100 datagrams are a batch of 64 and one of 36, in order, each with its sender. */
START_TEST(batch_has_64_datagrams_with_senders)
{
	struct netaddr peer, from;
	int fd;

	listen_at("127.0.0.1", 0);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	from = rig_local(fd);
	for (unsigned i = 0; i < 100; i++)
		put_byte(fd, (uint8_t)i, i + 1);
	ck_assert_int_eq(udp_recv(&rx, here.udp, 1000), 64);
	for (unsigned i = 0; i < 64; i++) {
		ck_assert_uint_eq(udp_len(&rx, i), i + 1);
		ck_assert_uint_eq(udp_msg(&rx, i)[i], i);
		ck_assert(!udp_cut(&rx, i));
		ck_assert(udp_peer(&rx, i, &peer));
		ck_assert(netaddr_equal(&peer, &from));
	}
	ck_assert_int_eq(udp_recv(&rx, here.udp, 5), 5);
	ck_assert_uint_eq(udp_msg(&rx, 0)[0], 64);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 31);
	ck_assert_uint_eq(udp_msg(&rx, 30)[0], 99);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 0);
	close(fd);
}
END_TEST

/* Longer than a slot: said, for the caller to drop it. */
START_TEST(datagram_over_the_slot_is_marked)
{
	int fd;

	listen_at("127.0.0.1", 0);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	put_byte(fd, 1, PACKET_UDP_CAP);
	put_byte(fd, 2, PACKET_UDP_CAP + 1);
	put_byte(fd, 3, 1);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 3);
	ck_assert(!udp_cut(&rx, 0));
	ck_assert(udp_cut(&rx, 1));
	ck_assert(!udp_cut(&rx, 2));
	close(fd);
}
END_TEST

static void
answer(const struct netaddr *peer, const struct netaddr *local, uint8_t value)
{
	struct packet_out s = { .to.side = PACKET_CLIENT,
		.to.transport = TRANSPORT_UDP,
		.to.peer = *peer,
		.to.local = *local,
		.len = 20 };

	memset(udp_tx_slot(&tx), value, 20);
	if (udp_tx_answer(&tx, &out, &s))
		udp_tx_flush(&tx, now_ns);
}

/* A question with the ID 0x0101 times VALUE. */
static void
question(struct udp_out *to, uint8_t value)
{
	memset(udp_tx_slot(&tx), value, 30);
	if (udp_tx_question(&tx, to, 30))
		udp_tx_flush(&tx, now_ns);
}

/* The answer leaves from the address that was asked, on wildcard sockets too. */
static const struct {
	const char *listen, *ask;
	bool told;
} asked[] = {
	{ "0.0.0.0", "127.0.0.1", true },
	{ "0.0.0.0", "127.0.0.77", true },
	{ "::", "::1", true },
	{ "127.0.0.5", "127.0.0.5", false },
};

START_TEST(answer_comes_from_the_asked_address)
{
	struct netaddr local, peer, to;
	uint32_t drops = 0;
	int fd;

	listen_at(asked[_i].listen, 0);
	to = rig_addr(asked[_i].ask, here.addr.port);
	fd = rig_connect(SOCK_DGRAM, &to); /* connected: takes nothing from elsewhere */
	put_byte(fd, 9, 20);
	ck_assert(rig_ready(here.udp, RIG_WAIT_MS));
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 1);
	udp_meta(&rx, 0, &local, &drops);
	ck_assert_uint_eq(drops, 0);
	if (asked[_i].told) {
		to.port = 0;
		ck_assert(netaddr_equal(&local, &to));
	} else {
		ck_assert_uint_eq(local.family, NETADDR_NONE);
	}
	ck_assert(udp_peer(&rx, 0, &peer));
	answer(&peer, &local, 7);
	udp_tx_flush(&tx, now_ns);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(msg.len, 20);
	ck_assert_uint_eq(msg.bytes[19], 7);
	close(fd);
}
END_TEST

/* SO_RXQ_OVFL: what the kernel dropped is known with the next datagram. */
START_TEST(drops_of_the_kernel_are_counted)
{
	struct netaddr local;
	uint32_t n = 0;
	int fd;

	listen_at("127.0.0.1", 4096);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	for (int i = 0; i < 50; i++)
		put_byte(fd, 1, 500);
	while (udp_recv(&rx, here.udp, UDP_BATCH) > 0)
		continue;
	put_byte(fd, 1, 500);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 1);
	udp_meta(&rx, 0, &local, &n);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_lt(n, 50);
	close(fd);
}
END_TEST

/* Answers to several sockets, interleaved, more than there are slots: each gets all of its own. */
START_TEST(interleaved_answers_go_to_their_sockets)
{
	struct netaddr none = { .family = NETADDR_NONE };
	struct netaddr any = rig_addr("127.0.0.1", 0);
	struct netaddr at[3];
	struct udp_out to[2];
	int fd[3], up[2], n = UDP_SLOTS + 30;

	listen_at("127.0.0.1", 0);
	for (int i = 0; i < 3; i++) {
		fd[i] = rig_bound(SOCK_DGRAM, &any);
		at[i] = rig_local(fd[i]);
	}
	for (int i = 0; i < 2; i++) {
		up[i] = rig_connect(SOCK_DGRAM, &at[i + 1]);
		udp_out_init(&to[i], up[i], true, &way);
	}
	for (int i = 0; i < n; i++) {
		if (i % 3 == 0) {
			answer(&at[0], &none, (uint8_t)i);
			continue;
		}
		question(&to[i % 3 - 1], (uint8_t)i);
	}
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(tx.n, 0);
	for (int i = 0; i < n; i++) {
		ck_assert(rig_recv(fd[i % 3], &msg));
		ck_assert_uint_eq(msg.bytes[0], (uint8_t)i);
		ck_assert_uint_eq(msg.len, i % 3 == 0 ? 20 : 30);
	}
	ck_assert_uint_eq(stats.send_failed, 0);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	close(up[0]);
	close(up[1]);
}
END_TEST

/* One that the kernel refuses does not hold up those behind it. */
START_TEST(refused_datagram_holds_up_none)
{
	struct netaddr none = { .family = NETADDR_NONE };
	struct netaddr any = rig_addr("127.0.0.1", 0);
	struct netaddr bad = rig_addr("::1", 9); /* of the wrong family */
	struct netaddr at;
	int fd = rig_bound(SOCK_DGRAM, &any);

	listen_at("127.0.0.1", 0);
	at = rig_local(fd);
	for (uint8_t i = 0; i < 9; i++)
		answer(i % 3 == 1 ? &bad : &at, &none, i);
	udp_tx_flush(&tx, now_ns);
	for (uint8_t i = 0; i < 9; i++)
		if (i % 3 != 1) {
			ck_assert(rig_recv(fd, &msg));
			ck_assert_uint_eq(msg.bytes[0], i);
		}
	ck_assert_uint_eq(stats.send_failed, 3);
	ck_assert(list_empty(&tx.refused));
	close(fd);
}
END_TEST

/* ECONNREFUSED is consumed, told, and the datagram it hit is sent once more. */
START_TEST(refused_datagram_is_sent_again)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	int fd = rig_bound(SOCK_DGRAM, &any);
	struct netaddr at = rig_local(fd);
	int up = rig_connect(SOCK_DGRAM, &at);
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&at, &ss);
	struct udp_out to;

	here.udp = here.tcp = -1;
	close(fd);
	udp_out_init(&to, up, true, &way);
	question(&to, 1);
	udp_tx_flush(&tx, now_ns); /* meets nobody: ICMP comes back */
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&ss, len), 0);
	for (uint8_t i = 0; i < 2; i++) {
		question(&to, (uint8_t)(2 + i));
	}
	udp_tx_flush(&tx, now_ns);
	ck_assert_ptr_eq(udp_tx_take_refused(&tx), &to);
	ck_assert_ptr_null(udp_tx_take_refused(&tx));
	ck_assert_uint_eq(stats.send_failed, 0);
	for (uint8_t i = 0; i < 2; i++) {
		ck_assert(rig_recv(fd, &msg));
		ck_assert_int_eq(msg.bytes[0], 2 + i);
	}
	/* And read, it is an error once. */
	close(fd);
	question(&to, 4);
	udp_tx_flush(&tx, now_ns);
	udp_rx_init(&rx, rx_bytes, false, false);
	ck_assert_int_lt(udp_recv(&rx, up, UDP_BATCH), 0);
	ck_assert_int_eq(udp_recv(&rx, up, UDP_BATCH), 0);
	close(up);
}
END_TEST

/* --- no room, no way (D27) ------------------------------------------------------------------- */

static const int full[] = { EAGAIN, ENOBUFS, ENOMEM };
static const int away[] = { EPERM, EACCES, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL };

#define N_FULL (sizeof(full) / sizeof(full[0]))
#define N_AWAY (sizeof(away) / sizeof(away[0]))

/* A client's socket, to which N answers are queued, and where it is. */
static int
answers(struct netaddr *at, unsigned n)
{
	struct netaddr none = { .family = NETADDR_NONE };
	struct netaddr any = rig_addr("127.0.0.1", 0);
	int fd = rig_bound(SOCK_DGRAM, &any);

	if (here.udp <= 0)
		listen_at("127.0.0.1", 0);
	*at = rig_local(fd);
	for (unsigned i = 0; i < n; i++)
		answer(at, &none, (uint8_t)i);
	return fd;
}

static void
comes(int fd, unsigned value)
{
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(msg.bytes[0], value);
	ck_assert_uint_eq(msg.len, 20);
}

/* D27: one that the kernel had no room for leaves with the same flush, and holds up none. */
START_TEST(d27_no_room_for_one_loses_none)
{
	struct netaddr at;
	int fd = answers(&at, 9);

	testsend_refuse(false, 3, 1, full[_i]);
	udp_tx_flush(&tx, now_ns);
	for (unsigned i = 0; i < 9; i++)
		comes(fd, i);
	ck_assert_uint_eq(stats.send_again, 0);
	ck_assert_uint_eq(stats.send_failed, 0);
	ck_assert(!udp_tx_waits(&tx));
	close(fd);
}
END_TEST

/* D27: refused twice, it is sent within 10 ms; those behind it go on. */
START_TEST(d27_answer_is_sent_again)
{
	struct netaddr at;
	int fd = answers(&at, 9);

	testsend_refuse(false, 3, 2, full[_i]);
	udp_tx_flush(&tx, now_ns);
	for (unsigned i = 0; i < 9; i++)
		if (i != 3)
			comes(fd, i);
	ck_assert(udp_tx_waits(&tx));
	ck_assert_uint_eq(out.n_kept, 1);
	udp_tx_again(&tx, now_ns + UDP_AGAIN_NS - 1);
	ck_assert(!rig_ready(fd, 0));
	memset(tx_bytes, 0xff, UDP_TX_BYTES); /* it has a copy */
	udp_tx_again(&tx, now_ns + UDP_AGAIN_NS);
	comes(fd, 3);
	ck_assert_uint_eq(out.n_kept, 0);
	ck_assert(!udp_tx_waits(&tx));
	ck_assert_uint_eq(stats.send_again, 1);
	ck_assert_uint_eq(stats.send_failed, 0);
	close(fd);
}
END_TEST

/* The kernel has no room for a while: it is not tried for each datagram, and all leave at the end,
 * in their order. */
START_TEST(d27_a_full_socket_is_left_alone)
{
	struct netaddr at;
	int fd = answers(&at, 0);
	long n_tried;

	testsend_refuse(false, 0, 1000000, EAGAIN);
	close(fd);
	fd = answers(&at, 100);
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(out.n_kept, 100);
	ck_assert_int_le(testsend_refused(), 2 * UDP_STUCK + 2);
	n_tried = testsend_refused();
	for (unsigned i = 1; i <= 10; i++)
		udp_tx_again(&tx, now_ns + i * UDP_AGAIN_NS);
	ck_assert_int_eq(testsend_refused() - n_tried, 10);
	testsend_reset();
	udp_tx_again(&tx, now_ns + 11 * UDP_AGAIN_NS);
	for (unsigned i = 0; i < 100; i++)
		comes(fd, i);
	ck_assert_uint_eq(stats.send_failed, 0);
	close(fd);
}
END_TEST

/* One full socket is not another's. */
START_TEST(d27_the_other_sockets_go_on)
{
	struct bind_sockets there;
	struct netaddr any = rig_addr("127.0.0.1", 0), at;
	struct netaddr none = { .family = NETADDR_NONE };
	struct packet_out s = {
		.to.side = PACKET_CLIENT, .to.transport = TRANSPORT_UDP, .len = 20
	};
	struct udp_out other;
	int fd = answers(&at, 1);

	ck_assert_int_eq(bind_open(&any, 0, &there), 0);
	udp_out_init(&other, there.udp, false, &way);
	testsend_refuse(false, 0, 2, EAGAIN);
	s.to.peer = at;
	s.to.local = none;
	memset(udp_tx_slot(&tx), 77, 20);
	ck_assert(!udp_tx_answer(&tx, &other, &s));
	udp_tx_flush(&tx, now_ns);
	comes(fd, 77);
	ck_assert_uint_eq(out.n_kept, 1);
	/* The first is refused again; of the other, one that waits is not. */
	testsend_refuse(false, 0, 2, ENOBUFS);
	ck_assert(!udp_tx_answer(&tx, &other, &s));
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(other.n_kept, 1);
	testsend_refuse(false, 0, 1, ENOBUFS);
	udp_tx_again(&tx, now_ns + UDP_AGAIN_NS);
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(out.n_kept + other.n_kept, 1);
	/* A socket that is closed takes along what waits for it, and no other's. */
	udp_out_fini(&tx, &other, now_ns);
	ck_assert_uint_eq(out.n_kept, 1);
	ck_assert_uint_eq(stats.send_failed, 0);
	udp_out_fini(&tx, &out, now_ns);
	ck_assert_uint_eq(stats.send_failed, 1);
	ck_assert(!udp_tx_waits(&tx));
	bind_close(&there);
	close(fd);
}
END_TEST

/* There is room for so many, of which the oldest gives way, and no client waits for ever. */
START_TEST(d27_answers_are_kept_within_bounds)
{
	struct netaddr at;
	int fd;

	testsend_refuse(false, 0, 1000000, ENOBUFS);
	fd = answers(&at, UDP_KEPT + 10);
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(out.n_kept, UDP_KEPT);
	ck_assert_uint_eq(stats.send_failed, 10);
	ck_assert_uint_eq(stats.send_again, UDP_KEPT + 10);
	udp_tx_again(&tx, now_ns + UDP_PATIENCE_NS - 1);
	ck_assert_uint_eq(out.n_kept, UDP_KEPT);
	now_ns += UDP_PATIENCE_NS / 2;
	answer(&at, &(struct netaddr){ .family = NETADDR_NONE }, 200);
	udp_tx_flush(&tx, now_ns);
	testsend_reset();
	udp_tx_again(&tx, now_ns + UDP_PATIENCE_NS / 2 + UDP_AGAIN_NS);
	ck_assert_uint_eq(out.n_kept, 0);
	ck_assert_uint_eq(stats.send_failed, UDP_KEPT + 10);
	comes(fd, 200);
	ck_assert(!rig_ready(fd, 0));
	close(fd);
}
END_TEST

/* D27: no way to a client: once more within 10 ms, and then it is given up. */
START_TEST(d27_no_way_to_a_client)
{
	struct netaddr at;
	int fd = answers(&at, 3);

	testsend_refuse(false, 1, 1, away[_i]);
	udp_tx_flush(&tx, now_ns);
	comes(fd, 0);
	comes(fd, 2);
	ck_assert_uint_eq(out.n_kept, 1);
	udp_tx_again(&tx, now_ns + UDP_AGAIN_NS);
	comes(fd, 1);
	ck_assert_uint_eq(stats.send_failed, 0);
	close(fd);
	testsend_refuse(false, 0, 1000000, away[_i]);
	fd = answers(&at, UDP_KEPT);
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(out.n_kept, UDP_KEPT / 2); /* anybody can cause it */
	ck_assert_uint_eq(stats.send_failed, UDP_KEPT / 2);
	udp_tx_again(&tx, now_ns + 2 * UDP_AGAIN_NS);
	ck_assert_uint_eq(out.n_kept, 0);
	ck_assert_uint_eq(stats.send_failed, UDP_KEPT);
	close(fd);
}
END_TEST

/* What is kept leaves from the address that was asked, too. */
START_TEST(d27_kept_answer_comes_from_the_asked_address)
{
	struct netaddr local, peer, to;
	uint32_t drops = 0;
	int fd;

	listen_at(asked[_i].listen, 0);
	to = rig_addr(asked[_i].ask, here.addr.port);
	fd = rig_connect(SOCK_DGRAM, &to); /* connected: takes nothing from elsewhere */
	put_byte(fd, 9, 20);
	ck_assert(rig_ready(here.udp, RIG_WAIT_MS));
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 1);
	udp_meta(&rx, 0, &local, &drops);
	ck_assert(udp_peer(&rx, 0, &peer));
	testsend_refuse(false, 0, 2, ENOBUFS);
	answer(&peer, &local, 7);
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(out.n_kept, 1);
	udp_tx_again(&tx, now_ns + UDP_AGAIN_NS);
	comes(fd, 7);
	close(fd);
}
END_TEST

/* D27: questions that did not leave are the caller's; the others did. */
START_TEST(d27_questions_are_given_back)
{
	struct netaddr any = rig_addr("127.0.0.1", 0);
	int fd = rig_bound(SOCK_DGRAM, &any);
	struct netaddr at = rig_local(fd);
	int up = rig_connect(SOCK_DGRAM, &at);
	struct udp_unsent un;
	struct udp_out to;

	here.udp = here.tcp = -1;
	udp_out_init(&to, up, true, &way);
	testsend_refuse(true, 2, 2, _i == 0 ? ENOBUFS : EPERM);
	for (uint8_t i = 0; i < 6; i++)
		question(&to, i);
	udp_tx_flush(&tx, now_ns);
	for (uint8_t i = 0; i < 6; i++)
		if (i != 2) {
			ck_assert(rig_recv(fd, &msg));
			ck_assert_uint_eq(msg.bytes[0], i);
		}
	ck_assert(udp_tx_take_unsent(&tx, &un));
	ck_assert_uint_eq(un.id, 0x0202);
	ck_assert_ptr_eq(un.out, &to);
	ck_assert_int_eq(un.away, _i == 1);
	ck_assert(!udp_tx_take_unsent(&tx, &un));
	ck_assert_uint_eq(stats.send_again, 1);
	ck_assert_uint_eq(stats.send_failed, 0);
	ck_assert(list_empty(&tx.refused));
	/* All of as many as one flush may have. */
	testsend_refuse(true, 0, 1000000, ENOBUFS);
	for (unsigned i = 0; i < UDP_SLOTS; i++)
		question(&to, (uint8_t)i);
	ck_assert_uint_eq(tx.n, 0);
	for (unsigned i = 0; i < UDP_SLOTS; i++)
		ck_assert(udp_tx_take_unsent(&tx, &un));
	ck_assert(!udp_tx_take_unsent(&tx, &un));
	ck_assert_int_le(testsend_refused(), 2 * UDP_STUCK);
	close(up);
	close(fd);
}
END_TEST

/* --- runs that are one message --------------------------------------------------------------- */

/* A message of LEN bytes, whose ID is ID and whose other bytes come of it. */
static void
fill(uint8_t *bytes, uint16_t id, size_t len)
{
	memset(bytes, (uint8_t)(id * 7 + 1), len);
	bytes[0] = (uint8_t)(id >> 8);
	bytes[1] = (uint8_t)id;
}

static void
question_of(struct udp_out *to, uint16_t id, size_t len)
{
	fill(udp_tx_slot(&tx), id, len);
	if (udp_tx_question(&tx, to, len))
		udp_tx_flush(&tx, now_ns);
}

static void
answer_of(struct udp_out *by, const struct netaddr *peer, const struct netaddr *local, uint16_t id,
    size_t len)
{
	struct packet_out s = { .to.side = PACKET_CLIENT,
		.to.transport = TRANSPORT_UDP,
		.to.peer = *peer,
		.to.local = *local,
		.len = len };

	fill(udp_tx_slot(&tx), id, len);
	if (udp_tx_answer(&tx, by, &s))
		udp_tx_flush(&tx, now_ns);
}

/* MSG is whole. Returns its ID. */
static uint16_t
whole(void)
{
	static uint8_t expected[sizeof(msg.bytes)];
	uint16_t id = (uint16_t)rig_id(&msg);

	fill(expected, id, msg.len);
	ck_assert_mem_eq(msg.bytes, expected, msg.len);
	return id;
}

/* The next datagram of FD has LEN bytes, and is whole. Returns its ID. */
static uint16_t
comes_whole(int fd, size_t len)
{
	ck_assert(rig_recv(fd, &msg));
	ck_assert_uint_eq(msg.len, len);
	return whole();
}

/* A socket of an upstream, and in *UP one that is connected to it, by which *TO sends. */
static int
upstream_of(const char *text, int *up, struct udp_out *to)
{
	struct netaddr any = rig_addr(text, 0);
	int fd = rig_bound(SOCK_DGRAM, &any);
	struct netaddr at = rig_local(fd);

	*up = rig_connect(SOCK_DGRAM, &at);
	udp_out_init(to, *up, true, &way);
	tx.runs = UDP_RUNS_UNTRIED;
	return fd;
}

static void
ck_runs(unsigned n_runs, unsigned n_segments)
{
	ck_assert_uint_eq(stats.send_runs, n_runs);
	ck_assert_uint_eq(stats.send_segments, n_segments);
	ck_assert_uint_eq(stats.send_failed, 0);
}

/* Questions of equal length are one message, 64 at most, over IPv4 and IPv6. */
static const char *const families[] = { "127.0.0.1", "::1" };

START_TEST(questions_of_one_length_are_a_run)
{
	struct udp_out to;
	int up, fd = upstream_of(families[_i], &up, &to);

	here.udp = here.tcp = -1;
	for (uint16_t i = 0; i < 150; i++)
		question_of(&to, i, 50);
	udp_tx_flush(&tx, now_ns);
	for (uint16_t i = 0; i < 150; i++)
		ck_assert_uint_eq(comes_whole(fd, 50), i);
	ck_assert_int_eq(tx.runs, UDP_RUNS_KNOWN);
	ck_runs(3, 150); /* 64, 64, 22 */
	/* One is none. */
	question_of(&to, 7, 50);
	udp_tx_flush(&tx, now_ns);
	ck_assert_uint_eq(comes_whole(fd, 50), 7);
	ck_runs(3, 150);
	close(up);
	close(fd);
}
END_TEST

/* Of several lengths the longest leave first, and the last of a run is shorter. */
START_TEST(questions_leave_by_length)
{
	static const size_t lens[] = { 40, 50, 31, 50, 40, 1300, 50, 30, 1300 };
	static const uint16_t order[] = { 5, 8, 1, 3, 6, 0, 4, 2, 7 };
	struct udp_out to;
	int up, fd = upstream_of(families[0], &up, &to);

	here.udp = here.tcp = -1;
	for (uint16_t i = 0; i < 9; i++)
		question_of(&to, i, lens[i]);
	udp_tx_flush(&tx, now_ns);
	for (unsigned i = 0; i < 9; i++)
		ck_assert_uint_eq(comes_whole(fd, lens[order[i]]), order[i]);
	ck_runs(2, 4 + 2); /* 50 50 50 40, and 40 31; 30 is alone */
	close(up);
	close(fd);
}
END_TEST

/* Answers leave in their order: neighbours of one client are a run, from the address it asked. */
START_TEST(answers_of_neighbours_are_a_run)
{
	struct netaddr to, peer[2], local;
	uint32_t drops = 0;
	int fd[2];

	tx.runs = UDP_RUNS_UNTRIED;
	listen_at(asked[_i].listen, 0);
	to = rig_addr(asked[_i].ask, here.addr.port);
	for (int i = 0; i < 2; i++) {
		fd[i] = rig_connect(SOCK_DGRAM, &to);
		put_byte(fd[i], 9, 20);
		ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 1);
		udp_meta(&rx, 0, &local, &drops);
		ck_assert(udp_peer(&rx, 0, &peer[i]));
	}
	for (uint16_t i = 0; i < 20; i++)
		answer_of(&out, &peer[i / 5 % 2], &local, i, i == 8 ? 90 : 100);
	udp_tx_flush(&tx, now_ns);
	for (uint16_t i = 0; i < 20; i++)
		ck_assert_uint_eq(comes_whole(fd[i / 5 % 2], i == 8 ? 90 : 100), i);
	ck_runs(4, 19); /* behind the shorter one another begins */
	close(fd[0]);
	close(fd[1]);
}
END_TEST

/* A run is refused for what it is: all of it leaves singly, and so it goes for a minute. */
static const int refused[] = { EIO, EINVAL, EMSGSIZE };

START_TEST(refused_run_leaves_singly)
{
	struct udp_out to;
	int up, fd = upstream_of(families[0], &up, &to);

	here.udp = here.tcp = -1;
	testsend_refuse(true, 70, 1, refused[_i]);
	for (uint16_t i = 0; i < 200; i++)
		question_of(&to, i, 50);
	udp_tx_flush(&tx, now_ns);
	for (uint16_t i = 0; i < 200; i++)
		ck_assert_uint_eq(comes_whole(fd, 50), i);
	ck_runs(1, 64);
	ck_assert_uint_eq(stats.send_runs_eio, _i == 0);
	ck_assert_uint_eq(stats.send_runs_einval, _i == 1);
	ck_assert_uint_eq(stats.send_runs_emsgsize, _i == 2);
	for (unsigned round = 0; round < 2; round++) {
		now_ns += UDP_SINGLY_NS - 1 + round;
		question_of(&to, 1, 50);
		question_of(&to, 2, 50);
		udp_tx_flush(&tx, now_ns);
		ck_assert_uint_eq(comes_whole(fd, 50), 1);
		ck_assert_uint_eq(comes_whole(fd, 50), 2);
		ck_runs(1 + round, 64 + 2 * round);
	}
	ck_assert_uint_eq(stats.send_again, 0);
	close(up);
	close(fd);
}
END_TEST

/* There is no room for a run, or no way for one of it: its others leave, and others as runs. */
static const int passing[] = { EAGAIN, ENOBUFS, ENOMEM, EPERM, ENETUNREACH };

START_TEST(d27_run_without_room_leaves_singly)
{
	struct udp_out to;
	int up, fd = upstream_of(families[0], &up, &to);

	here.udp = here.tcp = -1;
	testsend_refuse(true, 0, 2, passing[_i]);
	for (uint16_t i = 0; i < 100; i++)
		question_of(&to, i, 50);
	udp_tx_flush(&tx, now_ns);
	for (uint16_t i = 0; i < 100; i++)
		ck_assert_uint_eq(comes_whole(fd, 50), i);
	ck_runs(1, 36);
	ck_assert_uint_eq(stats.send_again, 0);
	ck_assert_uint_eq(way.singly_ns, 0);
	close(up);
	close(fd);
}
END_TEST

/* ICMP of an earlier one hits a run: it is consumed, told, and the whole run is sent. */
START_TEST(refused_run_is_sent_again)
{
	struct udp_out to;
	int up, fd = upstream_of(families[_i], &up, &to);
	struct netaddr at = rig_local(fd);

	here.udp = here.tcp = -1;
	close(fd);
	for (uint16_t i = 0; i < 10; i++)
		question_of(&to, i, 50);
	udp_tx_flush(&tx, now_ns); /* meets nobody */
	ck_assert_ptr_null(udp_tx_take_refused(&tx));
	fd = rig_bound(SOCK_DGRAM, &at);
	for (uint16_t i = 10; i < 30; i++)
		question_of(&to, i, 50);
	udp_tx_flush(&tx, now_ns);
	ck_assert_ptr_eq(udp_tx_take_refused(&tx), &to);
	ck_assert_ptr_null(udp_tx_take_refused(&tx));
	for (uint16_t i = 10; i < 30; i++)
		ck_assert_uint_eq(comes_whole(fd, 50), i);
	ck_runs(2, 30);
	close(up);
	close(fd);
}
END_TEST

/* The socket is closed while answers wait for the flush: they leave before. */
START_TEST(closed_socket_sends_what_waits)
{
	struct netaddr at, none = { .family = NETADDR_NONE };
	int fd = answers(&at, 5);

	tx.runs = UDP_RUNS_UNTRIED;
	udp_out_fini(&tx, &out, now_ns);
	for (unsigned i = 0; i < 5; i++)
		comes(fd, i);
	udp_out_init(&out, here.udp, false, &way); /* another takes its place in the turn */
	answer(&at, &none, 9);
	udp_tx_flush(&tx, now_ns);
	comes(fd, 9);
	ck_runs(1, 5);
	ck_assert_uint_eq(tx.n, 0);
	close(fd);
}
END_TEST

#define MIXED 400

/* What became of each of the datagrams of a mixture. */
static uint8_t n_seen[MIXED];

static void
see_all(int fd)
{
	while (rig_ready(fd, 0)) {
		ck_assert(rig_recv(fd, &msg));
		n_seen[whole()]++;
	}
}

/*
 * In any mixture of lengths, clients, upstreams and what the kernel refuses, each datagram is sent
 * once, or given back once, or counted as failed.
 */
START_TEST(each_is_sent_once_or_counted)
{
	static const int errs[] = { EAGAIN, ENOBUFS, EPERM, EIO, EINVAL, EMSGSIZE, ECONNREFUSED };
	struct netaddr none = { .family = NETADDR_NONE }, at[2];
	struct udp_out to[2];
	struct udp_unsent un;
	int fd[4], up[2];

	listen_at("127.0.0.1", 0);
	for (int i = 0; i < 2; i++) {
		fd[i] = upstream_of(families[i], &up[i], &to[i]);
		fd[2 + i] = answers(&at[i], 0);
	}
	srandom((unsigned)_i);
	for (unsigned round = 0; round < 40; round++) {
		unsigned n = 1 + (unsigned)random() % MIXED, n_gone = 0;
		size_t range = 1 + (size_t)random() % 12;

		memset(n_seen, 0, sizeof(n_seen));
		memset(&stats, 0, sizeof(stats));
		testsend_refuse(random() % 2 == 0, random() % 100, random() % 12,
		    errs[(unsigned)random() % (sizeof(errs) / sizeof(errs[0]))]);
		for (uint16_t i = 0; i < n; i++) {
			size_t len = 20 + (size_t)random() % range;
			unsigned where = (unsigned)random() % (round % 4 + 1);

			len += random() % 64 == 0 ? 1300 : 0;
			if (where < 2)
				question_of(&to[where], i, len);
			else
				answer_of(&out, &at[where - 2], &none, i, len);
			if (random() % 200 == 0)
				udp_tx_flush(&tx, now_ns);
		}
		udp_tx_flush(&tx, now_ns);
		testsend_reset();
		now_ns += UDP_AGAIN_NS;
		udp_tx_again(&tx, now_ns);
		ck_assert(!udp_tx_waits(&tx));
		for (int i = 0; i < 4; i++)
			see_all(fd[i]);
		while (udp_tx_take_unsent(&tx, &un))
			n_seen[un.id]++;
		while (udp_tx_take_refused(&tx) != NULL)
			continue;
		for (unsigned i = 0; i < n; i++) {
			ck_assert_uint_le(n_seen[i], 1);
			n_gone += n_seen[i];
		}
		ck_assert_uint_eq(n_gone + stats.send_failed, n);
		now_ns += round % 3 == 0 ? UDP_SINGLY_NS : 0;
	}
	for (int i = 0; i < 4; i++)
		close(fd[i]);
	close(up[0]);
	close(up[1]);
}
END_TEST

/* Long answers fill the memory of all before each has a slot: it is flushed, and none is lost. */
START_TEST(long_answers_fill_the_memory)
{
	struct netaddr any = rig_addr("127.0.0.1", 0), none = { .family = NETADDR_NONE }, at;
	int fd = rig_bound(SOCK_DGRAM, &any);
	uint16_t n_came = 0;
	unsigned n_flushed = 0;

	listen_at("127.0.0.1", 0);
	at = rig_local(fd);
	for (uint16_t i = 0; i < 300; i++) {
		ck_assert_uint_ge(
		    (size_t)(tx_bytes + UDP_TX_BYTES - udp_tx_slot(&tx)), PACKET_UDP_CAP);
		answer_of(&out, &at, &none, i, PACKET_UDP_CAP - i % 3U);
		if (tx.n > 0 && i < 299)
			continue;
		udp_tx_flush(&tx, now_ns);
		n_flushed++;
		for (; n_came <= i; n_came++)
			ck_assert_uint_eq(comes_whole(fd, PACKET_UDP_CAP - n_came % 3U), n_came);
	}
	ck_assert_uint_eq(n_flushed, 3);
	ck_assert_uint_eq(stats.send_failed, 0);
	close(fd);
}
END_TEST

/* --- how long questions wait (D32) ------------------------------------------------------------ */

#define WALL_NS UINT64_C(1700000000000000000)

static struct udp_queue queue;

/* A whole batch is read at MS; its newest datagram has waited for AGE_MS. Is it dropped? */
static bool
late(uint64_t ms, int64_t age_ms)
{
	uint64_t at_ns = ms * NS_PER_MS, wall_ns = WALL_NS + at_ns;

	return udp_queue_is_late(
	    &queue, wall_ns - (uint64_t)(age_ms * (int64_t)NS_PER_MS), wall_ns, at_ns);
}

/* What waited for half a second is dropped, and who waits less than that is not, after a burst. */
START_TEST(d32_late_questions_are_dropped)
{
	udp_queue_init(&queue, WALL_NS, 0);
	ck_assert(!late(1000, 499));
	ck_assert(late(1001, 500));
	ck_assert(late(1002, 2000));
	ck_assert(!late(1003, 499));
	ck_assert(!late(1010, 480));
	ck_assert(late(1020, 500)); /* for 19 ms: it may be over soon */
	ck_assert(!late(1041, 300));
	ck_assert(!late(1042, 240)); /* it is over */
	ck_assert(late(1900, 501));
	ck_assert(!late(1901, 400));
	/* All that waited was read. */
	udp_queue_is_empty(&queue);
	ck_assert(late(2900, 501));
	ck_assert(!late(2901, 400));
}
END_TEST

/* There go on to be more than can be served: who comes is served at once, not as late as may be. */
START_TEST(d32_overload_empties_the_queue)
{
	udp_queue_init(&queue, WALL_NS, 0);
	ck_assert(late(1000, 500));
	ck_assert(!late(1010, 490));
	ck_assert(late(1020, 500));
	ck_assert(late(1101, 400));
	ck_assert(late(1102, 50));
	ck_assert(!late(1103, 49));
	ck_assert(!late(1104, 100)); /* and so it begins anew */
	ck_assert(!late(1600, 499));
	ck_assert(late(1601, 500));
	ck_assert(!late(1602, 499));
	ck_assert(late(1622, 600));
	ck_assert(late(1702, 300));
	udp_queue_is_empty(&queue);
	ck_assert(!late(1703, 300));
}
END_TEST

/* The wall clock is set, by which the kernel stamps: nobody is late by that. */
static const int64_t steps_ms[] = { 3600000, -3600000, 1000, -1000, 200, -200, 30000000000 };

START_TEST(d32_nobody_is_late_by_a_clock_that_is_set)
{
	uint64_t step_ns = (uint64_t)(steps_ms[_i] * (int64_t)NS_PER_MS);

	udp_queue_init(&queue, WALL_NS, 0);
	ck_assert(!late(1000, 100));
	queue.apart_ns -= step_ns; /* as if it had been another one until now */
	ck_assert(!late(1001, 100 + steps_ms[_i]));
	for (uint64_t ms = 1002; ms < 1501; ms += 7) /* what was stamped before is read */
		ck_assert(!late(ms, 400 + steps_ms[_i]));
	/* Then it is as before. */
	ck_assert(!late(1501, 499));
	ck_assert(late(1502, 500));
}
END_TEST

/* Stamps that no clock of this machine gives are none. */
START_TEST(d32_nonsense_is_not_late)
{
	uint64_t wall_ns = WALL_NS + NS_PER_SEC;

	udp_queue_init(&queue, WALL_NS, 0);
	ck_assert(!udp_queue_is_late(&queue, 0, wall_ns, NS_PER_SEC));
	ck_assert(
	    !udp_queue_is_late(&queue, NS_PER_SEC, wall_ns, NS_PER_SEC)); /* since the start */
	ck_assert(!udp_queue_is_late(&queue, wall_ns + 1, wall_ns, NS_PER_SEC));
	ck_assert(!udp_queue_is_late(&queue, UINT64_MAX, wall_ns, NS_PER_SEC));
	ck_assert(!udp_queue_is_late(&queue, wall_ns - UDP_OLDEST_NS, wall_ns, NS_PER_SEC));
	ck_assert(udp_queue_is_late(&queue, wall_ns - UDP_OLDEST_NS + 1, wall_ns, NS_PER_SEC));
}
END_TEST

/* The kernel says when the last one that was read had come. */
START_TEST(d32_stamp_is_of_the_last_datagram)
{
	uint64_t before_ns, after_ns;
	struct netaddr to;
	int fd;

	listen_at(asked[_i].listen, 0);
	to = rig_addr(asked[_i].ask, here.addr.port);
	fd = rig_connect(SOCK_DGRAM, &to);
	ck_assert_uint_eq(udp_stamp(here.udp), 0);
	rig_stamped(here.udp, &to);
	put_byte(fd, 1, 20);
	rig_pause(30);
	before_ns = clock_wall_ns();
	put_byte(fd, 1, 20);
	after_ns = clock_wall_ns();
	rig_pause(30);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 2);
	ck_assert_uint_ge(udp_stamp(here.udp), before_ns);
	ck_assert_uint_le(udp_stamp(here.udp), after_ns);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 0);
	ck_assert_uint_le(udp_stamp(here.udp), after_ns);
	close(fd);
}
END_TEST

/* What is late is dropped without being read, and the next one is known before it is read. */
START_TEST(d32_late_datagrams_are_discarded)
{
	uint64_t before_ns;
	int fd;

	listen_at("127.0.0.1", 0);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	ck_assert_uint_eq(udp_stamp_next(here.udp), 0);
	rig_stamped(here.udp, &here.addr);
	for (unsigned i = 0; i < UDP_BATCH; i++)
		put_byte(fd, (uint8_t)i, 100);
	rig_pause(30);
	before_ns = clock_wall_ns();
	ck_assert_uint_lt(udp_stamp_next(here.udp), before_ns);
	put_byte(fd, 99, 100);
	put_byte(fd, 98, 100);
	ck_assert_uint_eq(udp_discard(here.udp), UDP_BATCH);
	ck_assert_uint_ge(udp_stamp_next(here.udp), before_ns);
	ck_assert_int_eq(udp_recv(&rx, here.udp, 1), 1);
	ck_assert_uint_eq(udp_len(&rx, 0), 100);
	ck_assert_uint_eq(udp_msg(&rx, 0)[0], 99);
	ck_assert_uint_eq(udp_discard(here.udp), 1);
	ck_assert_uint_eq(udp_discard(here.udp), 0);
	ck_assert_uint_eq(udp_stamp_next(here.udp), 0);
	close(fd);
}
END_TEST

/* --- runs that are received as one message ---------------------------------------------------- */

/* RX takes runs, if the kernel knows them. False: it does not. */
static bool
receive_runs(bool clients)
{
	if (!udp_pieces_known())
		return false;
	free(run_bytes);
	run_bytes = malloc(udp_rx_bytes(true));
	ck_assert_ptr_nonnull(run_bytes);
	udp_rx_init(&rx, run_bytes, clients, true);
	return true;
}

/* Listen at TEXT with a receive BUFFER of so many bytes, and take runs. False: the kernel knows
 * none. */
static bool
listen_for_runs(const char *text, uint32_t buffer)
{
	if (!receive_runs(true))
		return false;
	listen_at(text, buffer);
	udp_rx_socket(&rx, here.udp);
	return true;
}

/* FD sends N datagrams of LEN bytes, which are a run, with IDs from FIRST on; the last has TAIL. */
static void
send_run(int fd, uint16_t first, unsigned n, size_t len, size_t tail)
{
	static uint8_t all[UDP_MESSAGE_CAP];
	_Alignas(size_t) uint8_t control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
	struct iovec iov = { .iov_base = all, .iov_len = (n - 1) * len + tail };
	struct msghdr h = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	uint16_t each = (uint16_t)len;

	for (unsigned i = 0; i < n; i++)
		fill(&all[i * len], (uint16_t)(first + i), i + 1 < n ? len : tail);
	c->cmsg_level = IPPROTO_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(each));
	memcpy(CMSG_DATA(c), &each, sizeof(each));
	ck_assert_int_eq(sendmsg(fd, &h, 0), (ssize_t)iov.iov_len);
}

/* Datagram I of the batch has the ID and LEN bytes, and is whole. */
static void
ck_piece(unsigned i, uint16_t id, size_t len)
{
	static uint8_t expected[PACKET_UDP_CAP];

	fill(expected, id, len);
	ck_assert_uint_eq(udp_len(&rx, i), len);
	ck_assert_mem_eq(udp_msg(&rx, i), expected, len);
	ck_assert(!udp_cut(&rx, i));
}

/* A run comes as its datagrams, each with sender and destination; single ones go on to come. */
START_TEST(run_is_received_as_its_datagrams)
{
	struct netaddr local, peer, to, from;
	uint32_t drops = 0;
	int fd;

	if (!listen_for_runs(asked[_i].listen, 0))
		return;
	to = rig_addr(asked[_i].ask, here.addr.port);
	fd = rig_connect(SOCK_DGRAM, &to);
	from = rig_local(fd);
	to.port = 0;
	put_byte(fd, 1, 1);
	send_run(fd, 100, 40, 90, 17);
	put_byte(fd, 2, 0);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 42);
	ck_assert(!udp_full(&rx));
	ck_assert(!udp_left(&rx));
	ck_assert_uint_eq(rx.pieces.n, 3);
	for (unsigned i = 0; i < 42; i++) {
		ck_assert(udp_peer(&rx, i, &peer));
		ck_assert(netaddr_equal(&peer, &from));
		udp_meta(&rx, i, &local, &drops);
		ck_assert_int_eq(netaddr_equal(&local, &to), asked[_i].told);
		if (i > 0 && i < 41)
			ck_piece(i, (uint16_t)(99 + i), i < 40 ? 90 : 17);
	}
	ck_assert_uint_eq(udp_len(&rx, 0), 1);
	ck_assert_uint_eq(udp_len(&rx, 41), 0);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 0);
	close(fd);
}
END_TEST

/* What is more than wanted comes with the next calls, and then fewer messages are received. */
START_TEST(run_is_received_in_parts)
{
	unsigned n = 0, messages;
	int fd;

	if (!receive_runs(_i == 0))
		return;
	listen_at("127.0.0.1", 1 << 20);
	udp_rx_socket(&rx, here.udp);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	for (uint16_t i = 0; i < 40; i++)
		send_run(fd, (uint16_t)(i * 60), 60, 50, 50);
	ck_assert_int_eq(udp_recv(&rx, here.udp, 10), 10);
	ck_assert_uint_le(rx.pieces.n, 10);
	ck_piece(0, 0, 50);
	ck_assert(udp_full(&rx));
	for (messages = 10, n = 10; n < 40 * 60;) {
		int r;

		if (!udp_left(&rx)) {
			ck_assert_uint_eq(n, messages * 60);
			ck_assert_uint_lt(rx.at_once, UDP_COLUMNS);
		}
		r = udp_recv(&rx, here.udp, UDP_BATCH);
		ck_assert_int_gt(r, 0);
		ck_assert_int_le(r, UDP_BATCH);
		if (n == messages * 60)
			messages += rx.pieces.n;
		for (unsigned i = 0; i < (unsigned)r; i++)
			ck_piece(i, (uint16_t)(n + i), 50);
		n += (unsigned)r;
	}
	ck_assert_uint_le(rx.at_once, 2);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 0);
	ck_assert(!udp_full(&rx));
	/* Single ones make them more again. */
	for (unsigned i = 0; i < 64; i++)
		put_byte(fd, (uint8_t)i, 30);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), UDP_BATCH);
	ck_assert_uint_eq(rx.at_once, UDP_COLUMNS);
	close(fd);
}
END_TEST

/* The longest runs and single datagrams, however mixed, do not write over each other. */
START_TEST(runs_of_all_lengths_are_received_whole)
{
	int fd;

	if (!listen_for_runs("127.0.0.1", 4 << 20))
		return;
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	srandom((unsigned)_i);
	for (unsigned round = 0; round < 30; round++) {
		static size_t lens[UDP_BATCH * 64];
		unsigned n = 0, got = 0, n_messages = 1 + (unsigned)random() % 30;

		for (unsigned i = 0; i < n_messages; i++) {
			unsigned run = random() % 3 == 0 ? 1 + (unsigned)random() % 60 : 1;
			size_t len = 2 + (size_t)random() % (random() % 4 == 0 ? 1000 : 100);
			size_t tail = 2 + (size_t)random() % (len - 1);

			send_run(fd, (uint16_t)n, run, len, run > 1 ? tail : len);
			for (unsigned k = 0; k < run; k++)
				lens[n++] = k + 1 < run || run == 1 ? len : tail;
		}
		while (got < n) {
			int r = udp_recv(&rx, here.udp, UDP_BATCH);

			ck_assert_int_gt(r, 0);
			ck_assert_uint_le(got + (unsigned)r, n);
			for (unsigned i = 0; i < (unsigned)r; i++, got++)
				ck_piece(i, (uint16_t)got, lens[got]);
		}
		ck_assert(!udp_left(&rx));
	}
	close(fd);
}
END_TEST

/* A run that reaches into the memory of messages behind it is read before those. */
START_TEST(long_run_is_not_written_over)
{
	unsigned got = 0;
	int fd;

	if (!listen_for_runs("127.0.0.1", 1 << 20))
		return;
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	send_run(fd, 0, 5, 1200, 1200);
	for (uint16_t i = 5; i < 45; i++)
		send_run(fd, i, 1, 1000, 1000);
	while (got < 45) {
		int r = udp_recv(&rx, here.udp, UDP_BATCH);

		ck_assert_int_gt(r, 0);
		ck_assert(udp_full(&rx) || got + (unsigned)r == 45);
		for (unsigned i = 0; i < (unsigned)r; i++, got++)
			ck_piece(i, (uint16_t)got, got < 5 ? 1200 : 1000);
	}
	close(fd);
}
END_TEST

/* Datagrams that are too long are cut, alone. */
START_TEST(long_datagram_is_cut_with_runs_too)
{
	int fd;

	if (!listen_for_runs("127.0.0.1", 1 << 20))
		return;
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	put_byte(fd, 1, PACKET_UDP_CAP);
	put_byte(fd, 2, PACKET_UDP_CAP + 1);
	send_run(fd, 5, 3, PACKET_UDP_CAP + 100, PACKET_UDP_CAP);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 5);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(udp_cut(&rx, i), i >= 1 && i <= 3);
		ck_assert_uint_eq(udp_len(&rx, i), PACKET_UDP_CAP);
	}
	ck_piece(4, 7, PACKET_UDP_CAP);
	close(fd);
}
END_TEST

/* An ICMP error that is met behind datagrams comes after them, once. */
START_TEST(error_behind_datagrams_is_kept)
{
	struct netaddr any = rig_addr("127.0.0.1", 0), at;
	int fd, up;

	here.udp = here.tcp = -1;
	if (!receive_runs(false))
		return;
	fd = rig_bound(SOCK_DGRAM, &any);
	at = rig_local(fd);
	up = rig_connect(SOCK_DGRAM, &at);
	udp_rx_socket(&rx, up);
	close(fd);
	put_byte(up, 1, 20); /* meets nobody */
	ck_assert_int_eq(udp_recv(&rx, up, UDP_BATCH), -ECONNREFUSED);
	ck_assert(!udp_left(&rx));
	rx.error = -ECONNREFUSED; /* as if it had come between two calls */
	ck_assert(udp_left(&rx));
	ck_assert_int_eq(udp_recv(&rx, up, UDP_BATCH), -ECONNREFUSED);
	ck_assert(!udp_left(&rx));
	ck_assert_int_eq(udp_recv(&rx, up, UDP_BATCH), 0);
	close(up);
}
END_TEST

/* D32: what is discarded is counted by datagrams, and the stamp is that of the run. */
START_TEST(d32_late_runs_are_discarded)
{
	uint64_t before_ns;
	int fd;

	if (!listen_for_runs(asked[_i].listen, 1 << 20))
		return;
	here.addr = rig_addr(asked[_i].ask, here.addr.port);
	fd = rig_connect(SOCK_DGRAM, &here.addr);
	rig_stamped(here.udp, &here.addr);
	send_run(fd, 0, 60, 100, 99);
	put_byte(fd, 1, 10);
	put_byte(fd, 1, 0);
	send_run(fd, 0, 2, 1000, 1000);
	ck_assert_uint_eq(udp_discard(here.udp), 64);
	ck_assert_uint_eq(udp_discard(here.udp), 0);
	rig_pause(30);
	before_ns = clock_wall_ns();
	send_run(fd, 0, 60, 100, 99);
	ck_assert_uint_ge(udp_stamp_next(here.udp), before_ns);
	ck_assert_int_eq(udp_recv(&rx, here.udp, UDP_BATCH), 60);
	ck_assert_uint_ge(udp_stamp(here.udp), before_ns);
	ck_assert_uint_le(udp_stamp(here.udp), clock_wall_ns());
	close(fd);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, batch_has_64_datagrams_with_senders);
	tcase_add_test(tc, datagram_over_the_slot_is_marked);
	tcase_add_loop_test(
	    tc, answer_comes_from_the_asked_address, 0, (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_test(tc, drops_of_the_kernel_are_counted);
	tcase_add_test(tc, interleaved_answers_go_to_their_sockets);
	tcase_add_test(tc, refused_datagram_holds_up_none);
	tcase_add_test(tc, refused_datagram_is_sent_again);
	tcase_add_loop_test(tc, d27_no_room_for_one_loses_none, 0, (int)N_FULL);
	tcase_add_loop_test(tc, d27_answer_is_sent_again, 0, (int)N_FULL);
	tcase_add_test(tc, d27_a_full_socket_is_left_alone);
	tcase_add_test(tc, d27_the_other_sockets_go_on);
	tcase_add_test(tc, d27_answers_are_kept_within_bounds);
	tcase_add_loop_test(tc, d27_no_way_to_a_client, 0, (int)N_AWAY);
	tcase_add_loop_test(tc, d27_kept_answer_comes_from_the_asked_address, 0,
	    (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_loop_test(tc, d27_questions_are_given_back, 0, 2);
	tcase_add_loop_test(tc, questions_of_one_length_are_a_run, 0, 2);
	tcase_add_test(tc, questions_leave_by_length);
	tcase_add_loop_test(
	    tc, answers_of_neighbours_are_a_run, 0, (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_loop_test(
	    tc, refused_run_leaves_singly, 0, (int)(sizeof(refused) / sizeof(refused[0])));
	tcase_add_loop_test(
	    tc, d27_run_without_room_leaves_singly, 0, (int)(sizeof(passing) / sizeof(passing[0])));
	tcase_add_loop_test(tc, refused_run_is_sent_again, 0, 2);
	tcase_add_test(tc, closed_socket_sends_what_waits);
	tcase_add_test(tc, long_answers_fill_the_memory);
	tcase_add_loop_test(tc, each_is_sent_once_or_counted, 0, 8);
	tcase_add_test(tc, d32_late_questions_are_dropped);
	tcase_add_test(tc, d32_overload_empties_the_queue);
	tcase_add_loop_test(tc, d32_nobody_is_late_by_a_clock_that_is_set, 0,
	    (int)(sizeof(steps_ms) / sizeof(steps_ms[0])));
	tcase_add_test(tc, d32_nonsense_is_not_late);
	tcase_add_test(tc, d32_late_datagrams_are_discarded);
	tcase_add_loop_test(
	    tc, d32_stamp_is_of_the_last_datagram, 0, (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_loop_test(
	    tc, run_is_received_as_its_datagrams, 0, (int)(sizeof(asked) / sizeof(asked[0])));
	tcase_add_loop_test(tc, run_is_received_in_parts, 0, 2);
	tcase_add_loop_test(tc, runs_of_all_lengths_are_received_whole, 0, 4);
	tcase_add_test(tc, long_run_is_not_written_over);
	tcase_add_test(tc, long_datagram_is_cut_with_runs_too);
	tcase_add_test(tc, error_behind_datagrams_is_kept);
	tcase_add_loop_test(
	    tc, d32_late_runs_are_discarded, 0, (int)(sizeof(asked) / sizeof(asked[0])));
}
