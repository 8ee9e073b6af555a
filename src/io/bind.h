/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_BIND_H
#define DNS64D_IO_BIND_H

/*
 * bind: make the sockets that clients reach.
 *
 * Every loop has a UDP and a TCP socket of its own for each address, in one
 * SO_REUSEPORT group, so the kernel spreads the clients. All members of a group must
 * be created by the same user. The main thread creates them; a loop owns them from the
 * moment it is given them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

struct bind_sockets {
	struct netaddr addr; /* with port */
	int udp;             /* descriptor, non-blocking, owned; -1 when closed */
	int tcp;             /* the same, listening */
};

/*
 * bind_probe: is the address free? Binds UDP and TCP once without SO_REUSEPORT and closes
 * again, so that a second daemon gets an error and not half the questions. Returns 0 or -errno.
 */
MUST_USE int bind_probe(const struct netaddr *addr);

/* bind_probe_free: the same, though the machine may not have the address (IP(V6)_FREEBIND). */
MUST_USE int bind_probe_free(const struct netaddr *addr);

/*
 * bind_open: a UDP and a TCP socket of the group of ADDR. BUFFER: bytes of UDP receive buffer
 * to ask for (SO_RCVBUFFORCE if permitted, else SO_RCVBUF), 0 for the kernel's default. IPv6
 * sockets are IPv6 only. A wildcard address has IP(V6)_PKTINFO on, and every UDP socket
 * SO_RXQ_OVFL. Port 0 means a port that is free for both, told in s->addr. Returns 0 or -errno;
 * on failure nothing is open.
 */
MUST_USE int bind_open(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s);

/*
 * bind_open_free: the same, though the machine may not have the address: it is served when it has
 * it.
 */
MUST_USE int bind_open_free(const struct netaddr *addr, uint32_t buffer, struct bind_sockets *s);

/* bind_close: close both; idempotent. */
void bind_close(struct bind_sockets *s);

#endif
