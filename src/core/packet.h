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

#include "base/netaddr.h"

#define PACKET_UDP_CAP 4096  /* bytes of a UDP send slot */
#define PACKET_TCP_CAP 65535 /* bytes of the TCP buffer */

enum packet_way { PACKET_CLIENT_UDP, PACKET_CLIENT_TCP, PACKET_UPSTREAM_UDP, PACKET_UPSTREAM_TCP };

/* A message that arrived. */
struct packet_in {
	const uint8_t *msg; /* borrowed; a DNS message without the TCP length prefix */
	size_t len;
	enum packet_way way;
	/*
	 * client: the shell's. Upstream UDP: slot. Upstream TCP: CHANNELS_EACH times the number of
	 * the upstream, and the index of the connection
	 */
	uint32_t sock;
	uint32_t gen;        /* client: the shell's. Upstream: unused */
	struct netaddr peer; /* client: its address */
	/* client over UDP: the destination address, NETADDR_NONE if the socket has only one */
	struct netaddr local;
};

/* A message to be sent. */
struct packet_out {
	enum packet_way way;
	uint32_t sock; /* as in struct packet_in */
	uint32_t gen;
	struct netaddr peer;  /* client: destination */
	struct netaddr local; /* client over UDP: source, as in struct packet_in */
	size_t len;           /* bytes in the UDP slot or, for *_TCP, in the TCP buffer */
};

#endif
