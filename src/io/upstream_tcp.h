/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_TCP_H
#define DNS64D_IO_UPSTREAM_TCP_H

/*
 * upstream_tcp: TCP connections to upstreams, at most TCP_POOL_SIZE for each; the engine says which
 * of them a question goes over (outbound/tcp_pool). A connection is opened for a question, carries
 * many at a time (pipelining, RFC 7766 section 6.2.1.1), and is closed after UPSTREAM_TCP_IDLE_NS
 * without one, or when the engine found it silent and the other end has gone. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "io/connlog.h"
#include "io/fd_event.h"
#include "io/stream.h"
#include "outbound/upstream.h"

#define UPSTREAM_TCP_CONNS (UPSTREAM_MAX * TCP_POOL_SIZE)
#define UPSTREAM_TCP_BYTES (256 * 1024)       /* bytes queued on a connection at most */
#define UPSTREAM_TCP_IDLE_NS 10000000000ULL   /* closed after this time without a question */
#define UPSTREAM_TCP_CONNECT_NS 5000000000ULL /* limit for making a connection */

enum upstream_tcp_state { UPSTREAM_TCP_CLOSED, UPSTREAM_TCP_CONNECTING, UPSTREAM_TCP_UP };

/* A connection to an upstream. */
struct upstream_tcp_conn {
	struct fd_event rd;
	struct fd_event wr;
	struct list dirty; /* on upstream_tcp.dirty when there is something to write or to close */
	struct netaddr addr; /* where it leads, or led last */
	uint8_t transport;   /* enum transport: by what */
	enum upstream_tcp_state state;
	struct carrier_link link; /* CARRIER_NONE when closed */
	bool lost;                /* the next upstream_tcp_flush closes it */
	int err;                  /* lost: why (errno); 0: closed by either side */
	struct stream_in in;
	struct stream_out out;
	uint64_t opened_ns;
	uint64_t asked_ns;        /* time of the last question */
	struct connlog_conn said; /* for io/connlog */
};

/* All connections of one loop to upstreams. */
struct upstream_tcp {
	struct upstream_tcp_conn c[UPSTREAM_TCP_CONNS]; /* by number (CONN in engine/engine) */
	struct list readable; /* upstream_tcp_conn.rd: bytes to read, or to be made with */
	struct list writable; /* upstream_tcp_conn.wr: connected, failed, or accepts bytes again */
	struct list dirty;    /* for upstream_tcp_flush */
	unsigned n_open;      /* connections that have a descriptor */
};

struct shell;

/* upstream_tcp_init: prepare all connections of the zeroed SH as closed. Cannot fail. */
void upstream_tcp_init(struct shell *sh);

/* upstream_tcp_fini: close every connection. The engine is not told. */
void upstream_tcp_fini(struct shell *sh);

/* upstream_tcp_to: how many connections to ADDR have a descriptor. */
MUST_USE uint32_t upstream_tcp_to(const struct shell *sh, const struct netaddr *addr);

/* upstream_tcp_turn: finish connects and hand the replies that have arrived to the engine. */
void upstream_tcp_turn(struct shell *sh);

/*
 * upstream_tcp_question: queue the question SEND, whose bytes are in sh->tcp_buf, on the connection
 * with the number SEND->sock, and open that connection if it is closed. One that leads to another
 * address, or by another transport, is given up. If there is no room, or no descriptor, the engine
 * is told that this question failed (engine_tcp_full); if the connection fails or is given up,
 * upstream_tcp_flush tells the engine.
 */
void upstream_tcp_question(struct shell *sh, const struct packet_out *send);

/*
 * upstream_tcp_flush: write what is queued and close connections that are lost. True: the engine
 * was told of a loss, so it may have something to send.
 */
bool upstream_tcp_flush(struct shell *sh);

/*
 * upstream_tcp_beat: mark connections as lost that are idle, dead, too slow to connect, or whose
 * upstream is no longer configured; the next upstream_tcp_flush closes them. Call it now and then
 * while n_open is not 0.
 */
void upstream_tcp_beat(struct shell *sh);

#endif
