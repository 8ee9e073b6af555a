/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_udp: datagrams in batches, from one connected socket for each lane. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "bench/load/clients.h"
#include "bench/load/plan.h"
#include "tools/udp_run.h"

#define SLOTS 64 /* datagrams, or runs of them, received in one call */
#define SOCKET_BUFFER (32 << 20)
#define SEND_WAIT_MS 10 /* for room in the socket's buffer */

_Static_assert(BENCH_BATCH <= UDP_RUN_MAX && BENCH_BATCH * BENCH_QUESTION_MAX <= UDP_RUN_SEND,
    "a batch is a run");

struct buffers {
	struct mmsghdr in[SLOTS];
	struct iovec in_iov[SLOTS];
	_Alignas(size_t) uint8_t control[SLOTS][UDP_RUN_CONTROL + BENCH_STAMP_CONTROL];
	struct mmsghdr out[BENCH_BATCH];
	struct iovec out_iov[BENCH_BATCH];
	uint8_t slot[SLOTS][UDP_RUN_STRIDE];
};

static void *
udp_new_buffers(void)
{
	struct buffers *u = calloc(1, sizeof(*u));

	for (size_t i = 0; u != NULL && i < SLOTS; i++) {
		u->in_iov[i] = (struct iovec){ u->slot[i], UDP_RUN_BYTES };
		u->in[i].msg_hdr.msg_iov = &u->in_iov[i];
		u->in[i].msg_hdr.msg_iovlen = 1;
		u->in[i].msg_hdr.msg_control = u->control[i];
	}
	for (size_t i = 0; u != NULL && i < BENCH_BATCH; i++) {
		u->out[i].msg_hdr.msg_iov = &u->out_iov[i];
		u->out[i].msg_hdr.msg_iovlen = 1;
	}
	return u;
}

/*
 * Open the socket beside the lane's, which has the same port and is not connected: the kernel gives
 * it what comes there from anywhere but the server. 0 or -errno.
 */
static int
open_beside(struct bench_lane *lane)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	int on = 1, off = 0, err = 0;

	if (getsockname(lane->fd, (struct sockaddr *)&own, &len) != 0)
		return -errno;
	lane->beside_fd = socket(own.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (lane->beside_fd < 0)
		return -errno;
	bench_clients_permit(lane->beside_fd, &lane->way.source);
	/* For as long as this takes, or a program that shares ports could be given this one. */
	(void)setsockopt(lane->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	(void)setsockopt(lane->beside_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(lane->beside_fd, (struct sockaddr *)&own, len) != 0)
		err = -errno;
	(void)setsockopt(lane->fd, SOL_SOCKET, SO_REUSEADDR, &off, sizeof(off));
	return err;
}

static void
udp_close(struct bench_lane *lane)
{
	(void)close(lane->fd);
	if (lane->beside_fd >= 0)
		(void)close(lane->beside_fd);
}

static int
udp_open(struct bench_lane *lane)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(lane->way.server, &ss);
	int err;

	lane->fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (lane->fd < 0)
		return -errno;
	udp_run_enlarge(lane->fd, SOCKET_BUFFER);
	bench_stamp_enable(lane->fd);
	lane->segments = !lane->way.singles && udp_run_prepare(lane->fd);
	err = bench_clients_bind(lane->fd, &lane->way.source);
	if (err == 0 && connect(lane->fd, (struct sockaddr *)&ss, len) != 0)
		err = -errno;
	if (err == 0)
		err = open_beside(lane);
	if (err == 0)
		err = bench_lane_watch(lane, EPOLLIN);
	if (err != 0)
		udp_close(lane);
	return err;
}

/* How many datagrams FD has dropped since it was opened, as the kernel counts them. */
static uint32_t
drops_of(int fd)
{
	uint32_t figures[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(figures);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, figures, &len) == 0
	    ? figures[SK_MEMINFO_DROPS]
	    : 0;
}

static void
udp_settle(struct bench_lane *lane)
{
	uint32_t drops = drops_of(lane->fd), beside = drops_of(lane->beside_fd);
	uint8_t byte;

	lane->faults.dropped += drops - lane->drops_seen;
	lane->drops_seen = drops;
	lane->faults.elsewhere += beside - lane->beside_drops_seen;
	lane->beside_drops_seen = beside;
	while (recv(lane->beside_fd, &byte, sizeof(byte), 0) >= 0)
		lane->faults.elsewhere++;
}

/* After a failed call: is it worth another try? */
static bool
try_again(struct bench_lane *lane, int err)
{
	struct pollfd full = { .fd = lane->fd, .events = POLLOUT };

	if (err == EINTR)
		return true;
	if (err == ECONNREFUSED) { /* for an earlier datagram; reported once */
		lane->faults.refused++;
		return true;
	}
	return (err == EAGAIN || err == ENOBUFS) && poll(&full, 1, SEND_WAIT_MS) > 0;
}

/* Send the batch as one run, which the kernel cuts into datagrams of LEN bytes. */
static bool
send_segments(struct bench_lane *lane, const struct bench_batch *b, size_t len)
{
	_Alignas(struct cmsghdr) uint8_t control[UDP_RUN_CONTROL];
	struct buffers *u = b->buffers;
	struct msghdr h = { .msg_iov = u->out_iov, .msg_iovlen = b->n_out, .msg_control = control };

	udp_run_segment(&h, sizeof(control), (uint16_t)len);
	while (sendmsg(lane->fd, &h, 0) < 0) {
		int err = errno;

		if (try_again(lane, err))
			continue;
		/* The interface cannot do that (EIO): send one by one from now on. */
		lane->segments = err == EAGAIN || err == ENOBUFS;
		return false;
	}
	return true;
}

static bool
all_as_long(const struct bench_batch *b)
{
	for (unsigned i = 1; i < b->n_out; i++) {
		if (b->out[i].len != b->out[0].len)
			return false;
	}
	return true;
}

static unsigned
udp_send(struct bench_lane *lane, struct bench_batch *b)
{
	struct buffers *u = b->buffers;
	unsigned at = 0;

	for (unsigned i = 0; i < b->n_out; i++)
		u->out_iov[i] = (struct iovec){ (void *)(uintptr_t)b->out[i].bytes, b->out[i].len };
	if (lane->segments && b->n_out > 1 && all_as_long(b) &&
	    send_segments(lane, b, b->out[0].len))
		return b->n_out;
	while (at < b->n_out) {
		int n = sendmmsg(lane->fd, u->out + at, b->n_out - at, 0);

		if (n > 0)
			at += (unsigned)n;
		else if (!try_again(lane, errno))
			break;
	}
	lane->faults.unsent += b->n_out - at;
	return at;
}

static void
take_run(struct bench_batch *b, struct mmsghdr *in, const struct bench_stamp *now)
{
	uint64_t came_ns = bench_stamp_of(&in->msg_hdr, now);
	const uint8_t *bytes = in->msg_hdr.msg_iov->iov_base;
	size_t left = in->msg_len, piece = udp_run_piece(&in->msg_hdr, left);

	/* An empty datagram is taken too. */
	for (bool more = true; more && b->n_in<BENCH_VIEWS; more = left> 0) {
		size_t len = left < piece ? left : piece;

		b->in[b->n_in++] = (struct bench_view){ bytes, len, came_ns };
		bytes += len;
		left -= len;
	}
}

static unsigned
udp_receive(struct bench_lane *lane, struct bench_batch *b)
{
	struct buffers *u = b->buffers;
	unsigned slots = lane->patient ? 1 : SLOTS; /* a patient lane has one question open */
	int n;

	b->n_in = 0;
	b->more = false;
	for (size_t i = 0; i < slots; i++)
		u->in[i].msg_hdr.msg_controllen = sizeof(u->control[i]);
	do {
		n = recvmmsg(lane->fd, u->in, slots, lane->patient ? 0 : MSG_DONTWAIT, NULL);
		lane->faults.refused += n < 0 && errno == ECONNREFUSED;
	} while (n < 0 && (errno == EINTR || errno == ECONNREFUSED));
	if (n <= 0)
		return 0;
	bench_stamp_take(&lane->stamp);
	for (int i = 0; i < n; i++)
		take_run(b, &u->in[i], &lane->stamp);
	return b->n_in;
}

/* For sending, try_again waits in any case. */
static int
udp_be_patient(struct bench_lane *lane)
{
	struct timeval patience = { .tv_usec = BENCH_PATIENCE_MS * 1000 };
	int flags = fcntl(lane->fd, F_GETFL);

	if (flags < 0 || fcntl(lane->fd, F_SETFL, flags & ~O_NONBLOCK) != 0 ||
	    setsockopt(lane->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0 ||
	    setsockopt(lane->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0)
		return -errno;
	lane->patient = true;
	return 0;
}

const struct bench_transport bench_udp = {
	.name = "udp",
	.port = 53,
	.new_buffers = udp_new_buffers,
	.open = udp_open,
	.send = udp_send,
	.receive = udp_receive,
	.be_patient = udp_be_patient,
	.settle = udp_settle,
	.close = udp_close,
};
