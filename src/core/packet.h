/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PACKET_H
#define DNS64D_CORE_PACKET_H

/*
 * packet: a message between the engine and the shell, with its source or destination.
 *
 * The shell owns the sockets. Here a socket is a number of the shell's, or the number of an
 * upstream or of its socket (engine/engine.h).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/transport.h"

#define PACKET_UDP_CAP 4096  /* bytes of a UDP send slot */
#define PACKET_TCP_CAP 65535 /* bytes of the TCP buffer */

enum packet_side { PACKET_CLIENT, PACKET_UPSTREAM };

/* Where a message comes from, or goes to. */
struct packet_route {
	uint8_t side;      /* enum packet_side */
	uint8_t transport; /* enum transport */
	/*
	 * client: the shell's, which knows by it, and gen, where the answer goes. Upstream UDP:
	 * slot. Upstream TCP: TCP_POOL_SIZE times the number of the upstream, and the index of the
	 * connection
	 */
	uint32_t sock;
	uint32_t gen; /* client: the shell's. Upstream: unused */
	/* client: who asks. Not who sent the question, if that is a proxy (io/proxy) */
	struct netaddr peer;
	/* client over UDP: our address, NETADDR_NONE if the socket has only one */
	struct netaddr local;
};

/* packet_is: does ROUTE lead to SIDE by TRANSPORT? */
MUST_USE static inline bool
packet_is(const struct packet_route *route, enum packet_side side, enum transport transport)
{
	return route->side == side && route->transport == transport;
}

/* A message that arrived. */
struct packet_in {
	const uint8_t *msg; /* borrowed; a DNS message without the TCP length prefix */
	size_t len;
	struct packet_route from;
};

/*
 * packet_client: who asks IN, a message from a client: policies, limits and logs go by this
 * address. Where its answer goes is in->from.
 */
MUST_USE static inline const struct netaddr *
packet_client(const struct packet_in *in)
{
	return &in->from.peer;
}

/* A message to be sent. */
struct packet_out {
	size_t len; /* bytes in the UDP slot or, over TCP, in the TCP buffer */
	struct packet_route to;
};

#endif
