/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PACKET_H
#define DNS64D_CORE_PACKET_H

/*
 * packet: a message on its way between the engine and the shell, and where it came from or goes to.
 *
 * Sockets are the shell's: what names one here is a number of the shell's, or that of an upstream
 * or of its socket (core/engine.h).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/netaddr.h"

#define PACKET_UDP_CAP 4096  /* bytes of a UDP send slot */
#define PACKET_TCP_CAP 65535 /* bytes of the TCP buffer */

enum packet_way { PACKET_CLIENT_UDP, PACKET_CLIENT_TCP, PACKET_UPSTREAM_UDP, PACKET_UPSTREAM_TCP };

/* A message that arrived. */
struct packet_in {
	const uint8_t *msg; /* borrowed; without the TCP length prefix */
	size_t len;
	enum packet_way way;
	uint32_t sock; /* client: the shell's. upstream UDP: slot. upstream TCP: upstream number */
	uint32_t gen;  /* client: the shell's. upstream: unused */
	struct netaddr peer; /* client: who asks */
	/* client over UDP: the address asked, NETADDR_NONE if the socket says it all */
	struct netaddr local;
};

/* A message to be sent. */
struct packet_out {
	enum packet_way way;
	uint32_t sock; /* as in struct packet_in */
	uint32_t gen;
	struct netaddr peer;  /* client: where to */
	struct netaddr local; /* client over UDP: where from, as it came in */
	size_t len;           /* bytes in the UDP slot or, for *_TCP, in the TCP buffer */
};

#endif
