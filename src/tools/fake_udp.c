/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/fake_udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 64
#define ROUNDS 16	   /* batches read from one socket before others have their turn */
#define ANSWER_MAX 4096	   /* bytes over UDP */
#define STRIDE (4096 + 192) /* so that not all slots begin in one set of the first-level cache */
#define SOCKET_BUFFER (8 << 20)
#define SEND_WAIT_MS 100   /* for room in the socket's buffer */

struct fake_batch {
	struct mmsghdr in[BATCH];
	struct iovec in_iov[BATCH];
	struct sockaddr_storage from[BATCH];
	_Alignas(size_t) uint8_t control[BATCH][FAKE_CONTROL];
	struct mmsghdr out[BATCH];
	struct iovec out_iov[BATCH];
	unsigned n_out;
	int out_fd;			     /* of late answers, collected over several calls */
	unsigned n_late;
	struct fake_delayed *late[BATCH];    /* their questions, given back when they are sent */
	uint8_t question[BATCH][FAKE_QUESTION_MAX + 16];
	uint8_t answer[BATCH][STRIDE];
};

/* As large as may be, for bursts; only root may go beyond the limit for users. */
static void
enlarge(int fd, int forced, int plain)
{
	int size = SOCKET_BUFFER;

	if (setsockopt(fd, SOL_SOCKET, forced, &size, sizeof(size)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, plain, &size, sizeof(size));
}

static int
set_options(int fd, const struct netaddr *a, bool shared)
{
	bool v6 = a->family == NETADDR_IPV6;
	int on = 1;

	if (shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
		return -errno;
	if (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
		return -errno;
	enlarge(fd, SO_RCVBUFFORCE, SO_RCVBUF);
	enlarge(fd, SO_SNDBUFFORCE, SO_SNDBUF);
	if (!netaddr_is_wildcard(a))
		return 0;
	/* The answer must come from the address that was asked. */
	if (setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on,
		sizeof(on)) != 0)
		return -errno;
	return 0;
}

int
fake_udp_open(const struct netaddr *a, bool shared)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(a, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	int err = set_options(fd, a, shared);
	if (err == 0 && bind(fd, (struct sockaddr *)&ss, len) != 0)
		err = -errno;
	if (err == 0)
		return fd;
	(void)close(fd);
	return err;
}

struct fake_batch *
fake_udp_batch_new(void)
{
	struct fake_batch *b = calloc(1, sizeof(*b));

	for (size_t i = 0; b != NULL && i < BATCH; i++) {
		b->in_iov[i] = (struct iovec){ b->question[i], sizeof(b->question[i]) };
		b->in[i].msg_hdr.msg_iov = &b->in_iov[i];
		b->in[i].msg_hdr.msg_iovlen = 1;
		b->in[i].msg_hdr.msg_name = &b->from[i];
		b->in[i].msg_hdr.msg_control = b->control[i];
		b->out_iov[i].iov_base = b->answer[i];
		b->out[i].msg_hdr.msg_iov = &b->out_iov[i];
		b->out[i].msg_hdr.msg_iovlen = 1;
	}
	return b;
}

/* A full socket buffer empties soon; a single answer may fail, the others must not. */
static void
send_all(struct fake_worker *w, int fd)
{
	struct fake_batch *b = w->batch;

	for (unsigned at = 0; at < b->n_out;) {
		int n = sendmmsg(fd, b->out + at, b->n_out - at, 0);
		struct pollfd full = { .fd = fd, .events = POLLOUT };

		if (n > 0) {
			at += (unsigned)n;
			w->counters.answers += (unsigned)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if ((errno == EAGAIN || errno == ENOBUFS) && poll(&full, 1, SEND_WAIT_MS) > 0)
			continue;
		w->counters.unsent++;
		at++;
	}
	b->n_out = 0;
}

/* Write the answer into the next slot and address it as FROM says. */
static void
put_answer(struct fake_worker *w, const uint8_t *bytes, size_t len, const struct msghdr *from)
{
	struct fake_batch *b = w->batch;
	struct fake_question q = { .bytes = bytes, .len = len };
	struct msghdr *to = &b->out[b->n_out].msg_hdr;

	q.truncate = fake_worker_chance(w, w->s->truncate_percent);
	size_t n = fake_worker_answer(w, &q, b->answer[b->n_out], ANSWER_MAX);
	if (n == 0)
		return;
	b->out_iov[b->n_out].iov_len = n;
	to->msg_name = from->msg_name;
	to->msg_namelen = from->msg_namelen;
	to->msg_control = from->msg_controllen > 0 ? from->msg_control : NULL;
	to->msg_controllen = from->msg_controllen;
	b->n_out++;
}

static void
put_aside(struct fake_worker *w, int fd, const uint8_t *bytes, size_t len,
    const struct msghdr *from)
{
	struct fake_delayed *d = fake_worker_delay(w, bytes, len);

	if (d == NULL)
		return;
	d->connection = 0;
	d->fd = fd;
	d->from_len = from->msg_namelen;
	memcpy(&d->from, from->msg_name, from->msg_namelen);
	d->control_len = from->msg_controllen;
	memcpy(d->control, from->msg_control, from->msg_controllen);
}

/* Where an IPv4 packet came in does not say where the answer must go out. */
static void
forget_interface(struct msghdr *h)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);
	struct in_pktinfo info;

	if (c == NULL || c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_PKTINFO)
		return;
	memcpy(&info, CMSG_DATA(c), sizeof(info));
	info.ipi_ifindex = 0;
	memcpy(CMSG_DATA(c), &info, sizeof(info));
}

static void
take_question(struct fake_worker *w, int fd, struct mmsghdr *in)
{
	const uint8_t *bytes = in->msg_hdr.msg_iov->iov_base;

	w->counters.questions++;
	if ((in->msg_hdr.msg_flags & MSG_TRUNC) != 0 || in->msg_len > FAKE_QUESTION_MAX) {
		w->counters.malformed++;
		return;
	}
	if (fake_worker_chance(w, w->s->loss_percent)) {
		w->counters.lost++;
		return;
	}
	if (in->msg_hdr.msg_controllen > 0)
		forget_interface(&in->msg_hdr);
	if (w->ring != NULL)
		put_aside(w, fd, bytes, in->msg_len, &in->msg_hdr);
	else
		put_answer(w, bytes, in->msg_len, &in->msg_hdr);
}

void
fake_udp_read(struct fake_worker *w, int fd)
{
	struct fake_batch *b = w->batch;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < BATCH; i++) {
			b->in[i].msg_hdr.msg_namelen = sizeof(b->from[i]);
			b->in[i].msg_hdr.msg_controllen = FAKE_CONTROL;
		}
		int n = recvmmsg(fd, b->in, BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < n; i++)
			take_question(w, fd, &b->in[i]);
		send_all(w, fd);
		if (n < BATCH)
			return;
	}
}

void
fake_udp_flush(struct fake_worker *w)
{
	struct fake_batch *b = w->batch;

	send_all(w, b->out_fd);
	while (b->n_late > 0)
		fake_ring_give(w->ring, b->late[--b->n_late]);
}

void
fake_udp_late(struct fake_worker *w, struct fake_delayed *d)
{
	struct fake_batch *b = w->batch;
	struct msghdr from = { .msg_name = &d->from, .msg_namelen = d->from_len,
		.msg_control = d->control, .msg_controllen = d->control_len };

	if (b->n_late == BATCH || (b->n_late > 0 && d->fd != b->out_fd))
		fake_udp_flush(w);
	b->out_fd = d->fd;
	b->late[b->n_late++] = d;
	put_answer(w, d->bytes, d->len, &from);
}
