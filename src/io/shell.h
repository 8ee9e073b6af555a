/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SHELL_H
#define DNS64D_IO_SHELL_H

/*
 * shell: what the parts of one loop share: its engine, the time of the iteration, the batches
 * and buffers. And the two ways between engine and sockets: in and out.
 *
 * Nothing is written to a socket and nothing is closed while the engine is being asked; that
 * is done by shell_flush and by each part's own turn. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "base/attr.h"
#include "base/rng.h"
#include "base/told.h"
#include "core/conf.h"
#include "core/engine.h"
#include "io/listener.h"
#include "io/session.h"
#include "io/stream.h"
#include "io/udp.h"
#include "io/upstream_tcp.h"
#include "io/upstream_udp.h"

struct shell {
	struct event_base *base;        /* owned by the loop */
	struct engine *engine;          /* the same */
	struct stats *stats;            /* the engine's */
	const struct conf_io *conf;     /* borrowed from the snapshot of the moment */
	struct told *told;              /* borrowed; NULL: this loop speaks for itself */
	uint64_t now_ns;                /* time of this iteration */
	bool again;                     /* there is work left: the next iteration must not wait */
	bool starved;                   /* too few free queries: clients are not read */
	uint32_t room_low;              /* under this many they are not */
	uint32_t room_high;             /* from this many on they are again */
	uint8_t *bytes;                 /* owned: memory of the batches */
	uint8_t *tcp_buf;               /* in it: PACKET_TCP_CAP bytes */
	struct packet_in in[UDP_BATCH]; /* the batch on its way to the engine */
	struct udp_rx client_rx;
	struct udp_rx upstream_rx;
	struct udp_tx tx;
	struct stream_mem mem;
	struct rng rng;
	struct listeners listeners;
	struct sessions sessions;
	struct upstream_udp upstream_udp;
	struct upstream_tcp upstream_tcp;
};

/* shell_init: batches, buffers and parts for ENGINE and CONF. Returns 0 or -errno. */
MUST_USE int shell_init(struct shell *sh, struct event_base *base, struct engine *engine,
    const struct conf_io *conf, uint64_t now_ns);

/* shell_fini: close every socket, give the memory back. Of a zeroed shell too. */
void shell_fini(struct shell *sh);

/*
 * shell_input: hand the first N of sh->in to the engine and take what comes of each. Returns how
 * many of them, messages of clients, get no answer.
 */
unsigned shell_input(struct shell *sh, unsigned n);

/* shell_drain: take what the engine has to send; returns how many messages. */
unsigned shell_drain(struct shell *sh);

/* shell_has_room: may clients be read? Has a hysteresis. */
MUST_USE bool shell_has_room(struct shell *sh);

/* shell_is_exhausted: is ERR (errno) our own lack of descriptors, ports or memory, and not the
 * network? */
MUST_USE bool shell_is_exhausted(int err);

/*
 * shell_flush: send all that waits, tell the engine of upstreams that cannot be reached, draw
 * the sockets for what comes next.
 */
void shell_flush(struct shell *sh);

#endif
