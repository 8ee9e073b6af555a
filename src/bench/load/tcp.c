/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_tcp: plain TCP connections under bench_stream. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/load/clients.h"
#include "bench/load/plan.h"
#include "bench/load/stamp.h"
#include "bench/load/stream.h"

static int
tcp_begin(struct bench_lane *lane)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(lane->way.server, &ss);
	int fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return -errno;
	bench_stamp_enable(fd);
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	int err = bench_clients_bind(fd, &lane->way.source);
	if (err == 0 && connect(fd, (struct sockaddr *)&ss, len) != 0 && errno != EINPROGRESS)
		err = -errno;
	if (err == 0)
		return fd;
	(void)close(fd);
	return err;
}

static int
tcp_shake(struct bench_lane *lane)
{
	struct pollfd p = { .fd = lane->fd, .events = POLLOUT };
	int err = 0;
	socklen_t len = sizeof(err);

	if (poll(&p, 1, 0) <= 0)
		return EPOLLOUT;
	return getsockopt(lane->fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 ? -err : -errno;
}

static ssize_t
tcp_read(struct bench_lane *lane, uint8_t *bytes, size_t len)
{
	_Alignas(struct cmsghdr) uint8_t control[BENCH_STAMP_CONTROL];
	struct iovec iov = { bytes, len };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control };
	struct bench_stamp now;
	ssize_t n;

	do {
		h.msg_controllen = sizeof(control);
		n = recvmsg(lane->fd, &h, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	now = bench_stamp_now();
	lane->came_ns = bench_stamp_of(&h, &now);
	return n;
}

static ssize_t
tcp_write(struct bench_lane *lane, const uint8_t *bytes, size_t len)
{
	ssize_t n;

	do
		n = send(lane->fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n >= 0 ? n : -errno;
}

static void
tcp_end(struct bench_lane *lane)
{
	(void)close(lane->fd);
}

static const struct bench_carrier carrier = {
	.begin = tcp_begin,
	.shake = tcp_shake,
	.read = tcp_read,
	.write = tcp_write,
	.end = tcp_end,
};

const struct bench_transport bench_tcp = {
	.name = "tcp",
	.carrier = &carrier,
	.window = BENCH_STREAM_WINDOW,
	.open = bench_stream_open,
	.room = bench_stream_room,
	.send = bench_stream_send,
	.receive = bench_stream_receive,
	.tick = bench_stream_tick,
	.close = bench_stream_close,
};
