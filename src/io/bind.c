/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/bind.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BIND_BACKLOG 1024 /* the kernel cuts it to net.core.somaxconn */
#define BIND_TRIES 16     /* attempts to find a port that is free for UDP and TCP */

static int
set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value)) == 0 ? 0 : -errno;
}

/* How to open a socket. */
struct how {
	uint32_t buffer; /* bytes of UDP receive buffer to ask for; 0: the kernel's default */
	bool free;       /* accept an address that the machine does not have */
};

/* Permit FD to be bound to an address that the machine does not have. Returns 0 or -errno. */
static int
set_free(int fd, int family)
{
	if (family == AF_INET6)
		return set_int(fd, IPPROTO_IPV6, IPV6_FREEBIND, 1);
	return set_int(fd, IPPROTO_IP, IP_FREEBIND, 1);
}

/* Create a socket of ADDR's family; an IPv6 socket is IPv6 only. Returns it or -errno. */
static int
socket_new(const struct netaddr *addr, int type, bool free)
{
	int family = addr->family == NETADDR_IPV6 ? AF_INET6 : AF_INET;
	int fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = family == AF_INET6 ? set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1) : 0;
	if (r == 0 && free)
		r = set_free(fd, family);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

static int
socket_bind(int fd, const struct netaddr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(addr, &ss);

	return bind(fd, (const struct sockaddr *)&ss, len) == 0 ? 0 : -errno;
}

static int
probe_type(const struct netaddr *addr, int type, bool free)
{
	int fd = socket_new(addr, type, free);
	int r = 0;

	if (fd < 0)
		return fd;
	/* Connections in TIME_WAIT do not matter; a socket that listens is still an error. */
	if (type == SOCK_STREAM)
		r = set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (r == 0)
		r = socket_bind(fd, addr);
	close(fd);
	return r;
}

static int
probe(const struct netaddr *addr, bool free)
{
	int r = probe_type(addr, SOCK_DGRAM, free);

	return r < 0 ? r : probe_type(addr, SOCK_STREAM, free);
}

int
bind_probe(const struct netaddr *addr)
{
	return probe(addr, false);
}

int
bind_usable(const struct netaddr *addr)
{
	struct netaddr any = *addr;
	int r;

	any.port = 0;
	/* UDP only: a sandbox may forbid to bind another TCP port than those configured. */
	r = probe_type(&any, SOCK_DGRAM, false);
	/* A link-local address whose interface is gone. */
	return r == -ENODEV || r == -EINVAL ? -EADDRNOTAVAIL : r;
}

int
bind_probe_free(const struct netaddr *addr)
{
	return probe(addr, true);
}

/* Have FD report destinations: an answer leaves from the address that was asked. */
static int
udp_pktinfo(int fd, const struct netaddr *addr)
{
	if (!netaddr_is_wildcard(addr))
		return 0;
	if (addr->family == NETADDR_IPV6)
		return set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	return set_int(fd, IPPROTO_IP, IP_PKTINFO, 1);
}

/*
 * Have the kernel note when FD receives a datagram: to ask it for that once is enough. Unlike
 * SO_TIMESTAMPNS this writes no control message for each.
 */
static void
udp_stamps(int fd)
{
	struct timespec ts;

	(void)ioctl(fd, SIOCGSTAMPNS, &ts); /* ENOENT: there is none yet */
}

/*
 * Bind FD, a UDP socket, so that the other loops' sockets may share its port. A port that the
 * kernel is to choose must be nobody else's: it would choose one that another process shares.
 */
static int
bind_shared(int fd, const struct netaddr *addr)
{
	bool chosen = addr->port == 0;
	int r = chosen ? socket_bind(fd, addr) : 0;

	if (r == 0)
		r = set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	return r < 0 || chosen ? r : socket_bind(fd, addr);
}

static int
udp_open(const struct netaddr *addr, const struct how *how)
{
	int size = how->buffer <= INT32_MAX ? (int)how->buffer : INT32_MAX;
	int fd = socket_new(addr, SOCK_DGRAM, how->free);
	int r;

	if (fd < 0)
		return fd;
	r = set_int(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	if (r == 0)
		r = udp_pktinfo(fd, addr);
	/* A smaller buffer than asked for is no reason not to serve. */
	if (r == 0 && size > 0 && set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, size) < 0)
		(void)set_int(fd, SOL_SOCKET, SO_RCVBUF, size);
	/* ICMP messages about the path MTU can be forged, so ignore them; answers are small,
	 * and longer ones may be fragmented. */
	if (addr->family == NETADDR_IPV4)
		(void)set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_OMIT);
	udp_stamps(fd);
	if (r == 0)
		r = bind_shared(fd, addr);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

static int
tcp_open(const struct netaddr *addr, const struct how *how)
{
	int fd = socket_new(addr, SOCK_STREAM, how->free);
	int r;

	if (fd < 0)
		return fd;
	r = set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (r == 0)
		r = set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	/* Accepted sockets inherit the option: an answer is one write and must leave at once. */
	if (r == 0)
		r = set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (r == 0)
		r = socket_bind(fd, addr);
	if (r == 0 && listen(fd, BIND_BACKLOG) < 0)
		r = -errno;
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* Write the port that the kernel chose for FD to *PORT. Returns 0 or -errno. */
static int
port_of(int fd, uint16_t *port)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct netaddr addr;

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		return -errno;
	if (!netaddr_from_sockaddr((const struct sockaddr *)&ss, &addr))
		return -EAFNOSUPPORT;
	*port = addr.port;
	return 0;
}

static int
open_pair(const struct netaddr *addr, const struct how *how, struct bind_sockets *s)
{
	struct netaddr at = *addr;
	int udp = udp_open(addr, how);
	int tcp, r;

	if (udp < 0)
		return udp;
	r = at.port == 0 ? port_of(udp, &at.port) : 0;
	tcp = r < 0 ? r : tcp_open(&at, how);
	if (tcp < 0) {
		close(udp);
		return tcp;
	}
	*s = (struct bind_sockets){ .addr = at, .udp = udp, .tcp = tcp };
	return 0;
}

static int
open_any(const struct netaddr *addr, const struct how *how, struct bind_sockets *s)
{
	int r = open_pair(addr, how, s);

	for (int i = 1; r == -EADDRINUSE && addr->port == 0 && i < BIND_TRIES; i++)
		r = open_pair(addr, how, s);
	return r;
}

int
bind_open(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s)
{
	const struct how how = { .buffer = buffer };

	return open_any(addr, &how, s);
}

int
bind_open_free(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s)
{
	const struct how how = { .buffer = buffer, .free = true };

	return open_any(addr, &how, s);
}

void
bind_close(struct bind_sockets *s)
{
	if (s->udp >= 0)
		close(s->udp);
	if (s->tcp >= 0)
		close(s->tcp);
	s->udp = -1;
	s->tcp = -1;
}
