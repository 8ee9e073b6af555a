/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_TRANSPORT_H
#define DNS64D_BENCH_LOAD_TRANSPORT_H

/* bench_transport: the transports that there are. bench_lane says what one is. */

#include "base/attr.h"
#include "bench/load/lane.h"

/* bench_udp: datagrams, in batches, from a connected socket. */
extern const struct bench_transport bench_udp;

/* bench_tcp: plain TCP connections under bench_stream. */
extern const struct bench_transport bench_tcp;

/* bench_transport_find: the transport called NAME, NULL if there is none. */
MUST_USE const struct bench_transport *bench_transport_find(const char *name);

#endif
