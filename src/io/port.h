/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PORT_H
#define DNS64D_IO_PORT_H

/*
 * port: open a UDP socket towards an upstream, on a port that nobody can guess (RFC 5452 section
 * 9.2).
 */

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/rng.h"
#include "core/conf.h"

#define PORT_TRIES 16 /* ports tried for one socket */

/*
 * port_open: open a non-blocking UDP socket, bind it to a random port from 1024 to 65535 that is
 * not in CONF's avoid_ports, connect it to ADDR, and discard datagrams that arrived before the
 * connect. CONF also has the size of the receive buffer. *PORT: another port that must not be
 * drawn, 0: none; it becomes the socket's port. Returns the descriptor, which is the caller's, or
 * -errno: -EADDRINUSE when none of PORT_TRIES ports was free, -EBUSY when strangers kept sending.
 */
MUST_USE int port_open(
    const struct conf_io *conf, struct rng *rng, const struct netaddr *addr, uint16_t *port);

#endif
