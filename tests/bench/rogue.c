/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/rogue.h"

#include <check.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define CONNECTIONS 64
#define HELD_MAX 200000
#define QUIET_NS (300 * NS_PER_MS) /* without a question: no more will come */
#define GARBAGE_MAX 600
#define LENGTH_LIE 60000

struct rogue_buffer {
	size_t len;
	uint8_t bytes[65536 + 2];
};

/* A question that waits; they are all short. */
struct rogue_held {
	uint8_t bytes[80];
	size_t len;
	int fd;
	struct sockaddr_in from;
};

/* --- Messages --------------------------------------------------------------------------------- */

/* "010-000-000-001..." is 10.0.0.1. */
static void
address_of(const uint8_t *question, uint8_t v4[static 4])
{
	const uint8_t *at = question + DNS_HEADER_LEN + 1;

	for (unsigned i = 0; i < 4; i++, at += 4)
		v4[i] = (uint8_t)((at[0] - '0') * 100 + (at[1] - '0') * 10 + at[2] - '0');
}

static size_t
right(const uint8_t *question, size_t len, uint8_t out[static 128])
{
	static const uint8_t rr[] = { 0xc0, 12, 0, DNS_TYPE_AAAA, 0, DNS_CLASS_IN, 0, 0, 1, 0, 0,
		16, 0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0 };

	memcpy(out, question, len);
	out[2] |= 0x80; /* QR */
	out[3] |= 0x80; /* RA */
	out[7] = 1;     /* ANCOUNT */
	memcpy(out + len, rr, sizeof(rr));
	address_of(question, out + len + sizeof(rr));
	return len + sizeof(rr) + 4;
}

/* Nothing that a parser could take: there are never 65,535 questions. */
static size_t
garbage(uint64_t n, uint8_t out[static GARBAGE_MAX])
{
	uint64_t x = 88172645463325252ULL + n;

	for (unsigned i = 0; i < n % GARBAGE_MAX; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		out[i] = (uint8_t)x;
	}
	out[4] = out[5] = 0xff;
	return n % GARBAGE_MAX;
}

/* What is sent instead of the right answer, or before it. */
static size_t
wrong(const struct rogue *r, const uint8_t *question, size_t len, uint8_t out[static GARBAGE_MAX])
{
	size_t n = right(question, len, out);

	switch ((unsigned)r->way) {
	case ROGUE_ADDRESS:
		out[n - 1] ^= 1;
		return n;
	case ROGUE_RCODE:
		out[3] |= DNS_SERVFAIL;
		out[7] = 0;
		return len;
	case ROGUE_TC:
		out[2] |= DNS_TC >> 8;
		out[7] = 0;
		return len;
	case ROGUE_NO_DATA:
		out[7] = 0;
		return len;
	case ROGUE_TYPE:
		out[len + 3] = DNS_TYPE_A;
		out[len + 11] = 4;
		return n - 12;
	case ROGUE_NAME:
		out[DNS_HEADER_LEN + 1] = 'x';
		return n;
	case ROGUE_ID:
		out[0] ^= 0x80;
		return n;
	case ROGUE_STRAY:
		out[0] ^= 0x80;
		out[DNS_HEADER_LEN + 1] = 'x';
		return n;
	case ROGUE_QUESTION:
		memcpy(out, question, len);
		return len;
	case ROGUE_GARBAGE:
		return garbage(r->n_questions - 1, out);
	case ROGUE_EMPTY:
		return 0;
	default:
		return n;
	}
}

/* --- Sending ---------------------------------------------------------------------------------- */

static void
send_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

/* Over TCP with the length LIE before it. */
static void
send_as(const struct rogue *r, int fd, const struct sockaddr_in *to, const uint8_t *bytes,
    size_t len, size_t lie)
{
	uint8_t frame[2 + GARBAGE_MAX];

	if (r->type == SOCK_DGRAM) {
		(void)sendto(fd, bytes, len, 0, (const struct sockaddr *)to, sizeof(*to));
		return;
	}
	wire_set_u16(frame, (uint16_t)lie);
	memcpy(frame + 2, bytes, len);
	send_all(fd, frame, 2 + len);
}

static void
send_right(struct rogue *r, int fd, const struct sockaddr_in *to, const uint8_t *q, size_t len)
{
	uint8_t out[128];
	size_t n = right(q, len, out);

	send_as(r, fd, to, out, n, n);
	r->n_answers++;
}

static void
hold(struct rogue *r, int fd, const struct sockaddr_in *from, const uint8_t *q, size_t len)
{
	struct rogue_held *h = &r->held[r->n_in_hand];

	if (r->n_in_hand == HELD_MAX || len > sizeof(h->bytes))
		return;
	memcpy(h->bytes, q, len);
	h->len = len;
	h->fd = fd;
	if (from != NULL)
		h->from = *from;
	r->n_in_hand++;
	r->held_ns = clock_now_ns();
}

/* The newest first. */
static void
let_go(struct rogue *r)
{
	while (r->n_in_hand > 0) {
		struct rogue_held *h = &r->held[--r->n_in_hand];

		send_right(r, h->fd, &h->from, h->bytes, h->len);
		if (r->way == ROGUE_TWICE)
			send_right(r, h->fd, &h->from, h->bytes, h->len);
	}
}

/* False: the connection is to end. */
static bool
answer_stream(struct rogue *r, int fd, const uint8_t *q, size_t len)
{
	uint8_t out[130];
	size_t n = right(q, len, out + 2);

	wire_set_u16(out, (uint16_t)n);
	switch ((unsigned)r->way) {
	case ROGUE_CUT:
		send_all(fd, out, n / 2);
		return false;
	case ROGUE_ONE:
		send_all(fd, out, n + 2);
		r->n_answers++;
		return false;
	case ROGUE_LONG:
		send_as(r, fd, NULL, out + 2, n, LENGTH_LIE);
		return true;
	case ROGUE_SHORT:
		send_as(r, fd, NULL, out + 2, n, n - 10);
		return true;
	case ROGUE_BYTES:
		for (size_t i = 0; i < n + 2; i++)
			send_all(fd, out + i, 1);
		r->n_answers++;
		return true;
	default:
		return true;
	}
}

/* False: the connection is to end. */
static bool
answer(struct rogue *r, int fd, const struct sockaddr_in *from, const uint8_t *q, size_t len)
{
	uint8_t out[GARBAGE_MAX];

	r->n_questions++;
	if (r->way == ROGUE_SILENT)
		return true;
	if (r->way >= ROGUE_CUT)
		return answer_stream(r, fd, q, len);
	if (r->way == ROGUE_REVERSED || (r->way == ROGUE_LATE && r->n_questions <= r->n_held) ||
	    (r->way == ROGUE_TWICE && r->n_questions == 1)) {
		hold(r, fd, from, q, len);
		return true;
	}
	for (unsigned i = 0; r->way > ROGUE_SILENT && r->way < ROGUE_TWICE && i < r->n_times; i++) {
		size_t n = wrong(r, q, len, out);

		send_as(r, r->way == ROGUE_ELSEWHERE ? r->other_fd : fd, from, out, n, n);
	}
	if (r->way == ROGUE_TWICE)
		send_right(r, fd, from, q, len);
	if (r->way == ROGUE_RIGHT || r->way >= ROGUE_TWICE || r->then_right)
		send_right(r, fd, from, q, len);
	return true;
}

static void
let_go_in_time(struct rogue *r)
{
	uint64_t past_ns = clock_now_ns() - r->held_ns;

	if (r->n_in_hand == 0 || r->n_questions < r->n_all)
		return;
	if (r->way == ROGUE_LATE ? past_ns > r->delay_ns
				 : past_ns > QUIET_NS || r->n_in_hand == r->n_held)
		let_go(r);
}

/* --- Datagrams -------------------------------------------------------------------------------- */

static void *
serve_datagrams(void *arg)
{
	struct rogue *r = arg;
	uint8_t q[512];

	for (;;) {
		struct pollfd p = { .fd = r->fd, .events = POLLIN };
		struct sockaddr_in from;
		socklen_t from_len = sizeof(from);
		ssize_t n;

		let_go_in_time(r);
		if (poll(&p, 1, 5) <= 0) {
			if (atomic_load(&r->stop))
				return NULL;
			continue;
		}
		while ((n = recvfrom(r->fd, q, sizeof(q), MSG_DONTWAIT, (struct sockaddr *)&from,
			    &from_len)) > 0)
			(void)answer(r, r->fd, &from, q, (size_t)n);
	}
}

/* --- Connections ------------------------------------------------------------------------------ */

static void
end_connection(struct rogue *r, unsigned i, bool ours)
{
	(void)close(r->connection[i]);
	r->connection[i] = -1;
	r->n_closed += ours;
}

static void
accept_connection(struct rogue *r)
{
	struct timeval patience = { .tv_sec = 20 };
	int fd = accept(r->fd, NULL, NULL), on = 1;
	unsigned i = 0;

	if (fd < 0)
		return;
	r->n_connections++;
	while (i < CONNECTIONS && r->connection[i] >= 0)
		i++;
	if (i == CONNECTIONS || r->way == ROGUE_CLOSE) {
		(void)close(fd);
		r->n_closed++;
		return;
	}
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	r->connection[i] = fd;
	r->buffer[i].len = 0;
}

/* All whole questions of connection I. */
static void
take_questions(struct rogue *r, unsigned i)
{
	struct rogue_buffer *b = &r->buffer[i];
	size_t at = 0;

	while (b->len - at >= 2 && b->len - at - 2 >= wire_u16(b->bytes + at)) {
		size_t len = wire_u16(b->bytes + at);

		if (!answer(r, r->connection[i], NULL, b->bytes + at + 2, len)) {
			end_connection(r, i, true);
			return;
		}
		at += 2 + len;
	}
	memmove(b->bytes, b->bytes + at, b->len - at);
	b->len -= at;
}

static void
read_connection(struct rogue *r, unsigned i)
{
	struct rogue_buffer *b = &r->buffer[i];
	ssize_t n =
	    recv(r->connection[i], b->bytes + b->len, sizeof(b->bytes) - b->len, MSG_DONTWAIT);

	if (n <= 0) {
		end_connection(r, i, false);
		return;
	}
	b->len += (size_t)n;
	take_questions(r, i);
}

static void *
serve_streams(void *arg)
{
	struct rogue *r = arg;
	struct pollfd p[CONNECTIONS + 1];

	for (;;) {
		let_go_in_time(r);
		p[CONNECTIONS] = (struct pollfd){ .fd = r->fd, .events = POLLIN };
		for (unsigned i = 0; i < CONNECTIONS; i++)
			p[i] = (struct pollfd){ .fd = r->way == ROGUE_DEAF ? -1 : r->connection[i],
				.events = POLLIN };
		if (poll(p, CONNECTIONS + 1, 5) <= 0) {
			if (atomic_load(&r->stop))
				return NULL;
			continue;
		}
		for (unsigned i = 0; i < CONNECTIONS; i++) {
			if (p[i].revents != 0)
				read_connection(r, i);
		}
		if (p[CONNECTIONS].revents != 0)
			accept_connection(r);
	}
}

/* --- Life ------------------------------------------------------------------------------------- */

static int
bound(int type, struct netaddr *a)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, type, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&sin, len), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&sin, a));
	return fd;
}

void
rogue_start(struct rogue *r)
{
	int size = 32 << 20, little = 4096;
	struct netaddr other;

	r->n_times = r->n_times > 0 ? r->n_times : 1;
	r->fd = bound(r->type, &r->addr);
	r->other_fd = bound(SOCK_DGRAM, &other);
	r->buffer = calloc(CONNECTIONS, sizeof(*r->buffer));
	r->held = calloc(HELD_MAX, sizeof(*r->held));
	ck_assert(r->buffer != NULL && r->held != NULL);
	for (unsigned i = 0; i < CONNECTIONS; i++)
		r->connection[i] = -1;
	if (r->type == SOCK_STREAM) {
		if (r->way == ROGUE_DEAF)
			(void)setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little));
		ck_assert_int_eq(listen(r->fd, 128), 0);
	} else if (setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0) {
		(void)setsockopt(r->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	}
	atomic_init(&r->stop, false);
	ck_assert_int_eq(pthread_create(&r->thread, NULL,
			     r->type == SOCK_STREAM ? serve_streams : serve_datagrams, r),
	    0);
}

void
rogue_stop(struct rogue *r)
{
	atomic_store(&r->stop, true);
	ck_assert_int_eq(pthread_join(r->thread, NULL), 0);
	for (unsigned i = 0; i < CONNECTIONS; i++) {
		if (r->connection[i] >= 0)
			(void)close(r->connection[i]);
	}
	(void)close(r->fd);
	(void)close(r->other_fd);
	free(r->buffer);
	free(r->held);
}

void
rogue_nobody(int type, struct netaddr *a)
{
	(void)close(bound(type, a));
}
