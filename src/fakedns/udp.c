/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/udp.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fakedns/spoil.h"
#include "tools/udp_run.h"

#define BATCH 64
#define ROUNDS 16       /* batches read from one socket before others have their turn */
#define ANSWER_MAX 4096 /* bytes over UDP */
#define STRIDE \
	(4096 + 192) /* not a power of two, so that the slots use all sets of the L1 cache \
		      */
#define SOCKET_BUFFER (8 << 20)
#define SEND_WAIT_MS 100 /* for room in the socket's buffer */

_Static_assert(BATCH <= UDP_RUN_MAX, "a batch is a run");

struct fake_batch {
	struct mmsghdr in[BATCH];
	struct iovec in_iov[BATCH];
	struct sockaddr_storage from[BATCH];
	_Alignas(size_t) uint8_t control[BATCH][FAKE_CONTROL + UDP_RUN_CONTROL];
	struct msghdr out[BATCH]; /* where each answer goes */
	struct iovec out_iov[BATCH];
	unsigned n_out;
	struct mmsghdr run[BATCH]; /* the same, answers of one size for one client in one */
	_Alignas(size_t) uint8_t run_control[BATCH][FAKE_CONTROL + UDP_RUN_CONTROL];
	bool in_run[BATCH]; /* the answer's question came in a run */
	bool no_runs;       /* some interface cannot send runs */
	int out_fd;         /* of the late answers that are collected */
	unsigned n_late;
	struct fake_delayed
	    *late[BATCH]; /* their questions, given back when the answers are sent */
	uint8_t question[BATCH][UDP_RUN_STRIDE];
	uint8_t answer[BATCH][STRIDE];
};

/* Who asked. */
struct sender {
	struct msghdr h; /* where an answer goes to */
	bool in_run;     /* the question came in a run */
};

static int
set_options(int fd, const struct netaddr *a, const struct fake_settings *s)
{
	bool v6 = a->family == NETADDR_IPV6;
	int on = 1;

	if (v6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) != 0)
		return -errno;
	udp_run_enlarge(fd, SOCKET_BUFFER);
	if (!s->singles)
		(void)udp_run_prepare(fd);
	if (!netaddr_is_wildcard(a))
		return 0;
	/* The answer must come from the address that was asked. */
	if (setsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on,
		sizeof(on)) != 0)
		return -errno;
	return 0;
}

/*
 * Bind FD to A; SHARED: other sockets of this server may have the same port. One that the kernel is
 * to choose must be nobody else's: it would choose one that another process shares.
 */
static int
bind_to(int fd, const struct netaddr *a, bool shared)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(a, &ss);
	int on = 1;

	if (a->port == 0 && bind(fd, (struct sockaddr *)&ss, len) != 0)
		return -errno;
	if (shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) != 0)
		return -errno;
	if (a->port != 0 && bind(fd, (struct sockaddr *)&ss, len) != 0)
		return -errno;
	return 0;
}

int
fake_udp_open(const struct netaddr *a, const struct fake_settings *s, bool shared)
{
	int family = a->family == NETADDR_IPV6 ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	int err = set_options(fd, a, s);
	if (err == 0)
		err = bind_to(fd, a, shared);
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
		b->in_iov[i] = (struct iovec){ b->question[i], UDP_RUN_BYTES };
		b->in[i].msg_hdr.msg_iov = &b->in_iov[i];
		b->in[i].msg_hdr.msg_iovlen = 1;
		b->in[i].msg_hdr.msg_name = &b->from[i];
		b->in[i].msg_hdr.msg_control = b->control[i];
		b->out_iov[i].iov_base = b->answer[i];
	}
	return b;
}

/*
 * May answer I be in one run with the one before it? Who sends singles gets singles, as from any
 * server: then what is measured is the machine that others have to do with.
 */
static bool
joins(const struct fake_batch *b, unsigned i)
{
	const struct msghdr *x = &b->out[i - 1], *y = &b->out[i];

	return b->in_run[i - 1] && b->in_run[i] && !b->no_runs &&
	    b->out_iov[i].iov_len == b->out_iov[i - 1].iov_len &&
	    b->out_iov[i].iov_len <= UDP_RUN_PIECE && x->msg_namelen == y->msg_namelen &&
	    x->msg_controllen == y->msg_controllen &&
	    (x->msg_name == y->msg_name ||
		(memcmp(x->msg_name, y->msg_name, x->msg_namelen) == 0 &&
		    memcmp(x->msg_control, y->msg_control, x->msg_controllen) == 0));
}

/* Make runs of the answers from FROM on; returns how many. */
static unsigned
make_runs(struct fake_batch *b, unsigned from)
{
	unsigned n = 0;

	for (unsigned i = from; i < b->n_out; n++) {
		struct msghdr *h = &b->run[n].msg_hdr;
		unsigned first = i++;
		size_t most = UDP_RUN_SEND / (b->out_iov[first].iov_len + 1);

		while (i < b->n_out && i - first < most && joins(b, i))
			i++;
		*h = b->out[first];
		h->msg_iov = &b->out_iov[first];
		h->msg_iovlen = i - first;
		if (i - first == 1)
			continue;
		memcpy(b->run_control[n], h->msg_control, h->msg_controllen);
		h->msg_control = b->run_control[n];
		udp_run_segment(h, sizeof(b->run_control[n]), (uint16_t)b->out_iov[first].iov_len);
	}
	return n;
}

/* After a failed call: is it worth another try? */
static bool
try_again(int fd)
{
	struct pollfd full = { .fd = fd, .events = POLLOUT };

	if (errno == EINTR)
		return true;
	return (errno == EAGAIN || errno == ENOBUFS) && poll(&full, 1, SEND_WAIT_MS) > 0;
}

/*
 * A full socket buffer empties soon; a single answer may fail, the others must not. A run that
 * cannot be sent (EIO: the interface computes no checksums) goes one by one.
 */
static void
send_all(struct fake_worker *w, int fd)
{
	struct fake_batch *b = w->batch;
	unsigned n_runs = make_runs(b, 0), run = 0;

	for (unsigned at = 0; run < n_runs;) {
		int n = sendmmsg(fd, b->run + run, n_runs - run, 0);

		for (int i = 0; i < n; i++, run++) {
			at += (unsigned)b->run[run].msg_hdr.msg_iovlen;
			w->counters.answers += b->run[run].msg_hdr.msg_iovlen;
		}
		if (n > 0 || try_again(fd))
			continue;
		if (b->run[run].msg_hdr.msg_iovlen > 1) {
			b->no_runs = true;
			n_runs = make_runs(b, at);
			run = 0;
			continue;
		}
		w->counters.unsent++;
		at++;
		run++;
	}
	b->n_out = 0;
}

/*
 * Write the answer into the next slot, addressed to where the question came from; a full batch is
 * sent. FORGED: not the answer, but the one of a forger. False: there is none.
 */
static bool
put_answer(struct fake_worker *w, int fd, const uint8_t *bytes, size_t len,
    const struct sender *from, const struct fake_fate *fate, bool forged)
{
	struct fake_batch *b = w->batch;
	struct fake_question q = {
		.bytes = bytes, .len = len, .truncate = fate->truncate, .unforced = fate->unforced
	};
	size_t n = fake_worker_answer(w, &q, b->answer[b->n_out], ANSWER_MAX);
	if (n == 0)
		return false;
	if (forged)
		fake_spoil_forge(b->answer[b->n_out], n, fate->noise);
	else if (fate->damaged)
		n = fake_spoil_damage(b->answer[b->n_out], n, fate->noise);
	b->out_iov[b->n_out].iov_len = n;
	b->out[b->n_out] = from->h;
	b->in_run[b->n_out] = from->in_run;
	b->n_out++;
	if (b->n_out == BATCH)
		send_all(w, fd);
	return true;
}

/* One answer or two of the same, maybe after a forged one. */
static void
put_answers(struct fake_worker *w, int fd, const uint8_t *bytes, size_t len,
    const struct sender *from, const struct fake_fate *fate)
{
	if (fate->forged)
		w->counters.forged += put_answer(w, fd, bytes, len, from, fate, true);
	if (!put_answer(w, fd, bytes, len, from, fate, false))
		return;
	w->counters.damaged += fate->damaged;
	if (fate->twice)
		w->counters.twice += put_answer(w, fd, bytes, len, from, fate, false);
}

static void
put_aside(struct fake_worker *w, uint32_t address, const uint8_t *bytes, size_t len,
    const struct sender *from, const struct fake_fate *fate)
{
	struct fake_delayed *d = fake_worker_delay(w, bytes, len, fate);

	if (d == NULL)
		return;
	d->connection = 0;
	d->address = address;
	d->in_run = from->in_run;
	d->from_len = from->h.msg_namelen;
	memcpy(&d->from, from->h.msg_name, from->h.msg_namelen);
	d->control_len = from->h.msg_controllen;
	memcpy(d->control, from->h.msg_control, from->h.msg_controllen);
}

/* IPv4: an answer may leave by another interface than the question came in by. */
static void
forget_interface(struct cmsghdr *c)
{
	struct in_pktinfo info;

	if (c->cmsg_level != IPPROTO_IP)
		return;
	memcpy(&info, CMSG_DATA(c), sizeof(info));
	info.ipi_ifindex = 0;
	memcpy(CMSG_DATA(c), &info, sizeof(info));
}

/* Of the question's control messages the answer gets only the address that was asked. */
static void
keep_address(struct msghdr *h)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(h);

	while (
	    c != NULL && c->cmsg_type != (c->cmsg_level == IPPROTO_IP ? IP_PKTINFO : IPV6_PKTINFO))
		c = CMSG_NXTHDR(h, c);
	h->msg_controllen = 0;
	if (c == NULL)
		return;
	h->msg_control = c;
	h->msg_controllen = CMSG_SPACE(c->cmsg_len - CMSG_LEN(0));
	forget_interface(c);
}

static void
take_question(struct fake_worker *w, uint32_t address, const uint8_t *bytes, size_t len,
    const struct sender *from)
{
	struct fake_fate fate;

	w->counters.questions++;
	if ((from->h.msg_flags & MSG_TRUNC) != 0 || len > FAKE_QUESTION_MAX) {
		w->counters.malformed++;
		return;
	}
	switch (fake_worker_fate(w, bytes, len, false, &fate)) {
	case FAKE_NEVER:
		break;
	case FAKE_LATER:
		put_aside(w, address, bytes, len, from, &fate);
		break;
	case FAKE_NOW:
		put_answers(w, w->udp_fd[address], bytes, len, from, &fate);
		break;
	}
}

static void
take_run(struct fake_worker *w, uint32_t address, const struct mmsghdr *in)
{
	struct sender from = { .h = in->msg_hdr };
	const uint8_t *bytes = from.h.msg_iov->iov_base;
	size_t left = in->msg_len, piece = udp_run_piece(&from.h, left);

	from.in_run = piece < left;
	keep_address(&from.h);
	do {
		size_t len = left < piece ? left : piece;

		take_question(w, address, bytes, len, &from);
		bytes += len;
		left -= len;
	} while (left > 0);
}

void
fake_udp_read(struct fake_worker *w, uint32_t index)
{
	struct fake_batch *b = w->batch;
	int fd = w->udp_fd[index];

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < BATCH; i++) {
			b->in[i].msg_hdr.msg_namelen = sizeof(b->from[i]);
			b->in[i].msg_hdr.msg_controllen = sizeof(b->control[i]);
		}
		int n = recvmmsg(fd, b->in, BATCH, MSG_DONTWAIT, NULL);
		for (int i = 0; i < n; i++)
			take_run(w, index, &b->in[i]);
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
	int fd = w->udp_fd[d->address];
	struct sender from = { .h = { .msg_name = &d->from,
				   .msg_namelen = d->from_len,
				   .msg_control = d->control,
				   .msg_controllen = d->control_len },
		.in_run = d->in_run };

	if (fd < 0) {
		w->counters.unsent++;
		fake_ring_give(w->ring, d);
		return;
	}
	if (b->n_late == BATCH || (b->n_late > 0 && fd != b->out_fd))
		fake_udp_flush(w);
	b->out_fd = fd;
	b->late[b->n_late++] = d;
	put_answers(w, fd, d->bytes, d->len, &from, &d->fate);
}
