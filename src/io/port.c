/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/port.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define PORT_FIRST 1024u /* RFC 5452 section 9.2: 1024 and up */
#define STRAY_MAX 1024   /* datagrams discarded before the first use */

static bool
is_avoided(const struct conf_io *conf, uint16_t port)
{
	for (size_t i = 0; i < conf->n_avoid_ports; i++)
		if (conf->avoid_ports[i] == port)
			return true;
	return false;
}

/*
 * Bind FD to a random port that CONF permits and that is not *PORT, which becomes that port. No
 * other socket shares it (no SO_REUSEPORT).
 */
static int
bind_random(const struct conf_io *conf, struct rng *rng, int fd, uint8_t family, uint16_t *port)
{
	struct netaddr any = { .family = family };
	int r = -EADDRINUSE;

	for (int i = 0; r < 0 && i < PORT_TRIES; i++) {
		struct sockaddr_storage ss;
		socklen_t len;

		do
			any.port = (uint16_t)(PORT_FIRST + rng_below(rng, 65536 - PORT_FIRST));
		while (any.port == *port || is_avoided(conf, any.port));
		len = netaddr_to_sockaddr(&any, &ss);
		if (bind(fd, (const struct sockaddr *)&ss, len) == 0) {
			*port = any.port;
			return 0;
		}
		r = -errno;
		if (r != -EADDRINUSE && r != -EACCES && r != -EPERM)
			break;
	}
	return r;
}

/* Discard what strangers sent to the port before the socket was connected. Returns 0 or -errno. */
static int
read_empty(int fd)
{
	uint8_t byte;

	for (int i = 0; i < STRAY_MAX; i++)
		if (recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) < 0)
			return errno == EAGAIN ? 0 : -errno;
	return -EBUSY; /* somebody keeps sending: give this port up */
}

static int
set_up(
    const struct conf_io *conf, struct rng *rng, int fd, const struct netaddr *addr, uint16_t *port)
{
	uint32_t buffer = conf->socket_buffer;
	int size = buffer <= INT32_MAX ? (int)buffer : INT32_MAX;
	int one = 1;
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(addr, &ss);
	int r;

	if (addr->family == NETADDR_IPV6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one)) < 0)
		return -errno;
	/* A smaller buffer than asked for is no reason not to serve. */
	if (size > 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	r = bind_random(conf, rng, fd, addr->family, port);
	if (r < 0)
		return r;
	if (connect(fd, (const struct sockaddr *)&ss, len) < 0)
		return -errno;
	return read_empty(fd);
}

int
port_open(const struct conf_io *conf, struct rng *rng, const struct netaddr *addr, uint16_t *port)
{
	int family = addr->family == NETADDR_IPV6 ? AF_INET6 : AF_INET;
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = set_up(conf, rng, fd, addr, port);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}
