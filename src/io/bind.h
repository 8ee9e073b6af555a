/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_BIND_H
#define DNS64D_IO_BIND_H

/*
 * bind: open and close the sockets that listen for clients.
 *
 * Every loop has a UDP and a TCP socket of its own for each address. The sockets of all loops for
 * one address form a SO_REUSEPORT group, so the kernel spreads the clients over the loops. All
 * members of a group must be created by the same user. The main thread creates them; a loop owns
 * them from the moment it is given them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

/* The two sockets that one loop has for one address. */
struct bind_sockets {
	struct netaddr addr; /* with port */
	int udp;             /* descriptor, non-blocking, owned; -1 when closed */
	int tcp;             /* descriptor, non-blocking, listening, owned; -1 when closed */
};

/*
 * bind_probe: test whether ADDR, with its port, is free for UDP and TCP. Binds a socket of each
 * kind without SO_REUSEPORT and closes it again, so a second daemon gets an error instead of half
 * of the questions. Returns 0 when both are free, else the -errno of socket(2) or bind(2), such as
 * -EADDRINUSE and -EADDRNOTAVAIL.
 */
MUST_USE int bind_probe(const struct netaddr *addr);

/*
 * bind_usable: may sockets of this machine be bound to ADDR at present? Its port does not matter.
 * Returns 0, -EADDRNOTAVAIL, or another -errno if that cannot be found out.
 */
MUST_USE int bind_usable(const struct netaddr *addr);

/*
 * bind_probe_free: test the port of ADDR as bind_probe does, but accept an address that the machine
 * does not have (IP_FREEBIND, IPV6_FREEBIND). Returns 0 or -errno.
 */
MUST_USE int bind_probe_free(const struct netaddr *addr);

/*
 * bind_open: open a UDP and a TCP socket in the SO_REUSEPORT group of ADDR. BUFFER is the UDP
 * receive buffer to ask for, in bytes (SO_RCVBUFFORCE if permitted, else SO_RCVBUF); 0 keeps the
 * kernel's default. IPv6 sockets serve IPv6 only. The UDP socket of a wildcard address reports the
 * destination of each datagram (IP_PKTINFO, IPV6_RECVPKTINFO); every UDP socket reports drops
 * (SO_RXQ_OVFL), and when it received the last datagram (SIOCGSTAMPNS), if the kernel can. With
 * port 0 the kernel chooses a port that is free for both; s->addr has it. Returns 0, and *S is the
 * caller's, to be closed by bind_close; or -errno, and nothing is open.
 */
MUST_USE int bind_open(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s);

/*
 * bind_open_free: open the sockets as bind_open does, but accept an address that the machine does
 * not have (IP_FREEBIND, IPV6_FREEBIND). The sockets serve it from the moment the machine gets it.
 * BUFFER is in bytes, 0 for the kernel's default. Returns 0 or -errno; on failure nothing is open.
 */
MUST_USE int bind_open_free(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s);

/* bind_close: close both sockets of S and set them to -1. Closed ones are passed over. */
void bind_close(struct bind_sockets *s);

#endif
