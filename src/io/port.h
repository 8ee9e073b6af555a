/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PORT_H
#define DNS64D_IO_PORT_H

/*
 * port: a UDP socket to ask from, on a port that nobody can guess (RFC 5452 section 9.2).
 */

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/rng.h"
#include "core/conf.h"

#define PORT_TRIES 16 /* ports tried for one socket */

/*
 * port_open: a non-blocking socket connected to ADDR on a random port from 1024 up that CONF does
 * not avoid, read empty of what strangers sent to it before. Returns the descriptor, the caller's,
 * or -errno; -EADDRINUSE when none of the ports tried was free.
 */
MUST_USE int port_open(const struct conf_io *conf, struct rng *rng, const struct netaddr *addr);

#endif
