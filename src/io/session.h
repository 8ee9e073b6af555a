/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SESSION_H
#define DNS64D_IO_SESSION_H

/*
 * session: TCP connections of clients (RFC 7766). Questions of one connection are worked on at the
 * same time, and each answer leaves when it is ready (RFC 7766 section 7: out of order).
 *
 * A connection is "stalled", that is not read, while it has too many questions in flight or too
 * many unsent bytes, or while the engine has no room. The engine knows a connection by its index in
 * the table and a generation. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "io/peers.h"
#include "io/say.h"
#include "io/source.h"
#include "io/stream.h"

#define SESSION_QUESTIONS 64           /* questions in flight on one connection at most */
#define SESSION_UNSENT (128 * 1024)    /* bytes; a connection with more unsent is not read */
#define SESSION_STALL_NS 5000000000ULL /* closed when the client accepts no byte for so long */
#define SESSION_PATIENCE_NS \
	10000000000ULL /* idle for so long is closed even with open questions \
			*/

/* One connection. */
struct session {
	struct source rd;
	struct source wr;
	struct list age;  /* on sessions.by_age */
	struct list wait; /* on sessions.paused or sessions.resume, or on neither */
	struct list send; /* on sessions.dirty or sessions.blocked, or on neither */
	int fd;
	uint32_t gen;
	uint32_t peer_number; /* of peers_take */
	uint32_t in_flight;   /* questions not yet answered */
	uint32_t next_free;   /* free: next free entry of the table */
	bool open;            /* false: this entry of the table is free */
	bool eof;             /* the client has closed its side; answers still leave */
	bool stalled;         /* not read for now */
	bool dead;            /* the next session_flush closes it */
	struct netaddr peer;
	struct stream_in in;
	struct stream_out out;
	uint64_t active_ns; /* time of the last whole message in either direction */
	uint64_t write_ns;  /* blocked: when the client last accepted a byte; 0: not blocked */
};

/* All connections of one loop. */
struct sessions {
	struct session *s; /* owned: cap entries */
	uint32_t cap;
	uint32_t n;         /* open connections */
	uint32_t n_touched; /* entries ever used; the memory behind them is untouched */
	uint32_t free;      /* first free entry among those */
	struct peers peers;
	struct list readable;    /* session.rd of those with bytes to read */
	struct list writable;    /* session.wr of those that accept bytes again */
	struct list by_age;      /* all, the least recently active first */
	struct list paused;      /* stalled because the engine has no room */
	struct list resume;      /* were stalled by their own limits, and may be read again */
	struct list dirty;       /* session_flush has something to write or to close */
	struct list blocked;     /* the socket's send buffer is full; the longest blocked first */
	struct say_clients said; /* for io/say */
	bool stopping;           /* session_stop was called */
};

struct shell;

/* session_init: make room for CAP connections. Returns 0 or -errno. */
MUST_USE int session_init(struct shell *sh, uint32_t cap);

/* session_fini: close every connection and free the table. Also after a failed session_init. */
void session_fini(struct shell *sh);

/*
 * session_open: serve the accepted, non-blocking socket FD of the client PEER. FD is passed on; at
 * the limit of max-tcp-clients or max-tcp-per-client it is closed and counted at once.
 */
void session_open(struct shell *sh, int fd, const struct netaddr *peer);

/*
 * session_turn: read questions from each readable connection and from those that are stalled no
 * more, and hand them to the engine.
 */
void session_turn(struct shell *sh);

/*
 * session_answer: queue the answer SEND, whose bytes are in sh->tcp_buf. Does nothing if the
 * connection that SEND names by index and generation has been closed. Without memory for it the
 * connection is closed.
 */
void session_answer(struct shell *sh, const struct packet_out *send);

/* session_flush: write what is queued, and close connections that are finished or broken. */
void session_flush(struct shell *sh);

/*
 * session_beat: close connections that are idle (tcp-idle-timeout) and those that accept no bytes
 * (SESSION_STALL_NS). Call it now and then while sh->sessions.n is not 0.
 */
void session_beat(struct shell *sh);

/*
 * session_stop: read what has arrived on each connection, then no more; each is closed when its
 * questions are answered. All have been closed when sh->sessions.n is 0.
 */
void session_stop(struct shell *sh);

#endif
