/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_TCP_H
#define DNS64D_IO_UPSTREAM_TCP_H

/*
 * upstream_tcp: TCP connections to upstreams, at most one for each (RFC 7766 section 6.2.2). A
 * connection is opened for a question, carries many at a time (pipelining, section 6.2.1.1), and is
 * closed after UPSTREAM_TCP_IDLE_NS without one. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "core/upstream.h"
#include "io/say.h"
#include "io/source.h"
#include "io/stream.h"

#define UPSTREAM_TCP_QUEUE 256                /* questions queued on a connection at most */
#define UPSTREAM_TCP_BYTES (64 * 1024)        /* bytes queued on a connection at most */
#define UPSTREAM_TCP_IDLE_NS 10000000000ULL   /* closed after this time without a question */
#define UPSTREAM_TCP_CONNECT_NS 5000000000ULL /* limit for making a connection */
#define UPSTREAM_TCP_SILENCE_NS 8000000000ULL /* limit without a byte while questions are open */

enum upstream_tcp_state { UPSTREAM_TCP_CLOSED, UPSTREAM_TCP_CONNECTING, UPSTREAM_TCP_UP };

/* The connection to one upstream. */
struct upstream_tcp_conn {
	struct source rd;
	struct source wr;
	struct list dirty; /* on upstream_tcp.dirty when there is something to write or to close */
	struct netaddr addr;
	enum upstream_tcp_state state;
	int fd;            /* -1 when closed */
	bool lost;         /* the next upstream_tcp_flush closes it */
	int err;           /* lost: why (errno); 0: closed by either side */
	unsigned n_queued; /* questions queued since the queue was last empty */
	struct stream_in in;
	struct stream_out out;
	uint64_t opened_ns;
	uint64_t asked_ns;    /* time of the last question */
	struct say_conn said; /* for io/say */
	uint64_t heard_ns;    /* time of the last byte, or of the first open question if later */
};

/* All connections of one loop to upstreams. */
struct upstream_tcp {
	struct upstream_tcp_conn c[UPSTREAM_MAX]; /* by number of the upstream */
	struct list readable;                     /* upstream_tcp_conn.rd: bytes to read */
	struct list writable; /* upstream_tcp_conn.wr: connected, failed, or accepts bytes again */
	struct list dirty;    /* for upstream_tcp_flush */
	unsigned n_open;      /* connections that have a descriptor */
};

struct shell;

/* upstream_tcp_init: prepare all connections of the zeroed SH as closed. Cannot fail. */
void upstream_tcp_init(struct shell *sh);

/* upstream_tcp_fini: close every connection. The engine is not told. */
void upstream_tcp_fini(struct shell *sh);

/* upstream_tcp_turn: finish connects and hand the replies that have arrived to the engine. */
void upstream_tcp_turn(struct shell *sh);

/*
 * upstream_tcp_question: queue the question SEND, whose bytes are in sh->tcp_buf, on the connection
 * to the upstream with the number SEND->sock, and open that connection if it is closed. If there is
 * no room, or no descriptor, the engine is told that this question failed (engine_tcp_full); if the
 * connection fails, upstream_tcp_flush tells the engine.
 */
void upstream_tcp_question(struct shell *sh, const struct packet_out *send);

/*
 * upstream_tcp_flush: write what is queued and close connections that are lost. True: the engine
 * was told of a loss, so it may have something to send.
 */
bool upstream_tcp_flush(struct shell *sh);

/*
 * upstream_tcp_beat: mark connections as lost that are idle, silent, too slow to connect, or whose
 * upstream is no longer configured; the next upstream_tcp_flush closes them. Call it now and then
 * while n_open is not 0.
 */
void upstream_tcp_beat(struct shell *sh);

#endif
