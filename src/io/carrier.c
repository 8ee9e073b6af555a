/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/carrier.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- Plain TCP -------------------------------------------------------------------------------- */

static int
tcp_begin(struct carrier_link *k, const struct conf_upstream *to)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&to->addr, &ss);
	int one = 1, fd = socket(ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (connect(fd, (const struct sockaddr *)&ss, len) < 0 && errno != EINPROGRESS) {
		int r = -errno;

		close(fd);
		return r;
	}
	k->fd = fd;
	return 0;
}

static int
tcp_feed(struct carrier_link *k)
{
	int err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(k->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		return -errno;
	return err != 0 ? -err : CARRIER_UP;
}

static ssize_t
tcp_read(struct carrier_link *k, uint8_t *bytes, size_t len)
{
	ssize_t n;

	do
		n = recv(k->fd, bytes, len, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static ssize_t
tcp_write(struct carrier_link *k, struct iovec *pieces, size_t n_pieces)
{
	struct msghdr h = { .msg_iov = pieces, .msg_iovlen = n_pieces };
	ssize_t n;

	do
		n = sendmsg(k->fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static void
tcp_end(struct carrier_link *k)
{
	close(k->fd);
}

/* --- All -------------------------------------------------------------------------------------- */

static const struct carrier carriers[TRANSPORTS] = {
	[TRANSPORT_TCP] = { tcp_begin, tcp_feed, tcp_read, tcp_write, tcp_end },
};

int
carrier_begin(struct carrier_link *k, enum transport transport, const struct conf_upstream *to)
{
	*k = CARRIER_NONE;
	k->transport = (uint8_t)transport;
	return carriers[transport].begin(k, to);
}

void
carrier_accept(struct carrier_link *k, enum transport transport, int fd)
{
	*k = (struct carrier_link){ .fd = fd, .transport = (uint8_t)transport };
}

int
carrier_feed(struct carrier_link *k)
{
	return carriers[k->transport].feed(k);
}

ssize_t
carrier_read(struct carrier_link *k, uint8_t *bytes, size_t len)
{
	return carriers[k->transport].read(k, bytes, len);
}

ssize_t
carrier_write(struct carrier_link *k, struct iovec *pieces, size_t n)
{
	return carriers[k->transport].write(k, pieces, n);
}

void
carrier_end(struct carrier_link *k)
{
	if (k->fd >= 0)
		carriers[k->transport].end(k);
	*k = CARRIER_NONE;
}
