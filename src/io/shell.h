/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SHELL_H
#define DNS64D_IO_SHELL_H

/*
 * shell: what the parts of one loop share (the engine, the time of the iteration, batches and
 * buffers), and the two ways between the engine and the sockets: shell_input hands messages in,
 * shell_drain hands messages out.
 *
 * The parts are listener, session, upstream_udp and upstream_tcp. They and the shell include one
 * another in a circle, the only one in src/: a part that has read messages calls shell_input, and
 * the shell calls whichever part must send what the engine says. The messages that come out belong
 * to any part, so the way out has to know all of them, and each of them has to know the way in.
 * Function pointers would hide the circle, not open it.
 *
 * While the engine is being called nothing is written to a socket and nothing is closed:
 * shell_flush and the *_turn function of each part do that. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include <event2/event.h>

#include "base/attr.h"
#include "base/logonce.h"
#include "base/rng.h"
#include "core/conf.h"
#include "engine/engine.h"
#include "io/connlog.h"
#include "io/gather.h"
#include "io/listener.h"
#include "io/proxy.h"
#include "io/session.h"
#include "io/stream.h"
#include "io/udp.h"
#include "io/upstream_tcp.h"
#include "io/upstream_udp.h"

/* One per loop, embedded in it. */
struct shell {
	struct event_base *base;        /* borrowed from the loop */
	struct engine *engine;          /* borrowed from the loop */
	struct stats *stats;            /* borrowed from the engine */
	const struct conf_io *conf;     /* borrowed from the loop's present snapshot */
	struct logonce *logonce;        /* borrowed; NULL: loops do not coordinate their messages */
	uint64_t now_ns;                /* time of this iteration */
	bool again;                     /* work is left: the next iteration must not wait */
	bool full;                      /* a UDP socket had a whole batch in this iteration */
	uint8_t *bytes;                 /* owned: memory of the batches */
	uint8_t *tcp_buf;               /* within bytes: PACKET_TCP_CAP bytes for one message */
	struct packet_in in[UDP_BATCH]; /* the batch on its way to the engine */
	struct udp_rx client_rx;
	struct udp_rx upstream_rx;
	struct udp_tx tx;
	struct gather gather;
	struct stream_mem mem;
	struct rng rng;
	struct connlog_seldom refused; /* shell_refuse */
	struct listeners listeners;
	struct sessions sessions;
	struct upstream_udp upstream_udp;
	struct upstream_tcp upstream_tcp;
};

/*
 * shell_init: set up batches, buffers and parts in the zeroed SH, for ENGINE under CONF at the time
 * NOW_NS, with events in BASE. All three are borrowed until shell_fini. Returns 0 or -errno;
 * shell_fini is needed either way.
 */
MUST_USE int shell_init(struct shell *sh, struct event_base *base, struct engine *engine,
    const struct conf_io *conf, uint64_t now_ns);

/* shell_fini: close every socket and free the memory. SH may be zeroed still. */
void shell_fini(struct shell *sh);

/*
 * shell_input: hand the first N (UDP_BATCH at most) of sh->in to the engine, and after each of them
 * pass on what the engine has to send. Returns how many of them are questions of clients that will
 * get no answer.
 */
unsigned shell_input(struct shell *sh, unsigned n);

/*
 * shell_refuse: count and log that the datagram that came by ROUTE is dropped, or its connection
 * closed, for what VERDICT found about its PROXY header.
 */
void shell_refuse(struct shell *sh, const struct packet_route *route, enum proxy_verdict verdict);

/* shell_drain: pass on to the parts all that the engine has to send. Returns how many messages. */
unsigned shell_drain(struct shell *sh);

/*
 * shell_send: send the datagrams that are queued, and tell the engine which questions did not
 * leave. True: there were some, and the engine may have something to send. For a part that queued
 * the last one that there was room for, and for shell_flush.
 */
bool shell_send(struct shell *sh);

/*
 * shell_is_exhausted: does ERR (errno) tell of a lack of descriptors, ports or memory on this
 * machine, and not of the network?
 */
MUST_USE bool shell_is_exhausted(int err);

/*
 * shell_flush: send all that is queued, tell the engine of upstreams that could not be reached and
 * of TCP connections that were lost, and choose the sockets for the next questions.
 */
void shell_flush(struct shell *sh);

#endif
