/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SESSION_H
#define DNS64D_IO_SESSION_H

/*
 * session: TCP connections of clients (RFC 7766): their lives, limits, questions and answers. The
 * questions of one connection are worked on at the same time, and each answer leaves when it is
 * ready (RFC 7766 section 7: out of order). Connections take turns, UDP_BATCH questions each, and
 * all together have SESSION_TURN in one iteration: what they sent beyond that waits, and datagrams
 * and upstreams are served in between.
 *
 * A connection is "stalled", that is not read, while it has too many questions in flight or too
 * many unsent bytes. The engine knows a connection by its index in the table and a generation.
 *
 * A client address or network at its ceiling (max-tcp-per-client) gets a new connection in place of
 * its own idlest one; when all places are taken (max-tcp-clients), in place of the idlest one of
 * the address or network that has most for its size (io/tcp_clients). If none gives way, the new
 * one is closed. The more places are taken, the sooner idle connections are closed.
 *
 * A proxy (io/proxy) names its client in a header before the first question: what holds for a
 * client holds for that one from then on. It has as long for that as for its first question.
 *
 * While the daemon is a lame duck (session_lameduck) each answer with an OPT asks the client to end
 * its connection (RFC 7828 section 3.4), and idle ones are closed soon. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "io/connlog.h"
#include "io/fd_event.h"
#include "io/stream.h"
#include "io/tcp_clients.h"

#define SESSION_QUESTIONS 64        /* questions in flight on one connection at most */
#define SESSION_UNSENT (128 * 1024) /* bytes; a connection with more unsent is not read */
#define SESSION_PACE 16384          /* bytes that a client takes in SESSION_STALL_NS at least */
#define SESSION_WRITES 64           /* connections that accept bytes again, in one session_flush */
#define SESSION_CLOSINGS 256        /* connections closed in one session_beat */
#define SESSION_TURN 256 /* reads and questions in one session_turn, a batch more at most */

/* How long a client is waited for. */
#define SESSION_FIRST_NS 3000000000ULL     /* its first question, from the connection on */
#define SESSION_MESSAGE_NS 5000000000ULL   /* the rest of a question, from its first byte on */
#define SESSION_STALL_NS 5000000000ULL     /* SESSION_PACE bytes of its answers to be taken */
#define SESSION_PATIENCE_NS 10000000000ULL /* anything at all, with questions open */
#define SESSION_IDLE_NS 200000000ULL       /* the next question, when all places are taken */
#define SESSION_LAMEDUCK_NS 1000000000ULL  /* the next question of a lame duck */

/* Whether a PROXY header (io/proxy) may come on a connection. */
enum session_header {
	SESSION_HEADER_UNKNOWN, /* there are no proxies, and it is not looked for */
	SESSION_HEADER_DUE, /* from a proxy: before the first question, which is not read before */
	SESSION_HEADER_NONE /* none may: it came, or this is no proxy */
};

/* One connection. */
struct session {
	struct fd_event rd;
	struct fd_event wr;
	struct list age;        /* on sessions.fresh, sessions.idle or sessions.busy */
	struct fair_place seat; /* of tcp_clients_take */
	struct list part;       /* on sessions.partial, or on no list */
	struct list wait;       /* on sessions.resume, or on no list */
	struct list send;       /* on sessions.dirty or sessions.blocked, or on neither */
	struct carrier_link link;
	uint32_t gen;
	uint32_t in_flight;  /* questions not yet answered */
	uint32_t next_free;  /* free: next free entry of the table */
	bool open;           /* false: this entry of the table is free */
	bool asked;          /* a whole question has come */
	bool eof;            /* the client has closed its side; answers still leave */
	bool stalled;        /* not read for now */
	bool dead;           /* the next session_flush closes it */
	uint8_t header;      /* enum session_header */
	struct netaddr peer; /* who asks; SESSION_HEADER_DUE: the proxy */
	struct stream_in in;
	struct stream_out out;
	uint64_t active_ns; /* time of the last whole message in either direction */
	uint64_t part_ns;   /* on sessions.partial: since when a part of a question is held */
	uint64_t write_ns;  /* blocked: when the client had last taken enough; 0: not blocked */
	size_t taken;       /* blocked: bytes taken since then */
};

/* All connections of one loop. */
struct sessions {
	struct session *s; /* owned: cap entries */
	uint32_t cap;
	uint32_t n;         /* open connections */
	uint32_t n_touched; /* entries ever used; the memory behind them is untouched */
	uint32_t free;      /* first free entry among those */
	struct tcp_clients peers;
	struct list readable; /* session.rd of those with bytes to read */
	struct list writable; /* session.wr of those that accept bytes again */
	struct list fresh;    /* those that have not asked yet, the oldest first */
	struct list idle;     /* those with nothing open, the least recently active first */
	struct list busy;     /* those with open questions or unsent bytes, likewise */
	struct list partial;  /* those that hold a part of a question, for longest first */
	struct list resume;   /* were stalled by their own limits, and may be read again */
	struct list dirty;    /* session_flush has something to write or to close */
	struct list blocked;  /* the socket's send buffer is full; the longest blocked first */
	struct connlog_clients said; /* for io/connlog */
	bool stopping;               /* session_stop was called */
	bool lameduck;               /* of session_lameduck */
};

struct shell;

/* session_init: make room for CAP connections. Returns 0 or -errno. */
MUST_USE int session_init(struct shell *sh, uint32_t cap);

/* session_fini: close every connection and free the table. Also after a failed session_init. */
void session_fini(struct shell *sh);

/*
 * session_open: serve the accepted, non-blocking socket FD of PEER, a client or a proxy. FD is
 * passed on. At the limit of max-tcp-clients or, of a client, max-tcp-per-client another connection
 * is closed for it, or else FD itself; either is counted.
 */
void session_open(struct shell *sh, int fd, const struct netaddr *peer);

/*
 * session_shed: close the connections of clients that get no answer by now (engine_ignores). Not
 * while the engine is called.
 */
void session_shed(struct shell *sh);

/*
 * session_turn: read questions from readable connections and from those that are stalled no more or
 * have more to give, and hand them to the engine. Sets sh->again when it has not come to all.
 */
void session_turn(struct shell *sh);

/*
 * session_answer: queue the answer SEND, whose bytes are in sh->tcp_buf. Does nothing if the
 * connection that SEND names by index and generation has been closed. Without memory for it the
 * connection is closed.
 */
void session_answer(struct shell *sh, const struct packet_out *send);

/*
 * session_flush: write what is queued, and close connections that are finished or broken. Of those
 * that accept bytes again SESSION_WRITES are served; then sh->again is set.
 */
void session_flush(struct shell *sh);

/*
 * session_beat: close connections whose clients are idle (tcp-idle-timeout) or slow (SESSION_*_NS),
 * SESSION_CLOSINGS at most. True: there may be more. Call it now and then while sh->sessions.n is
 * not 0.
 */
MUST_USE bool session_beat(struct shell *sh);

/* session_lameduck: from now on have clients end their connections (ON), or no more. */
void session_lameduck(struct shell *sh, bool on);

/*
 * session_stop: read what has arrived on each connection, then no more; each is closed when its
 * questions are answered. All have been closed when sh->sessions.n is 0.
 */
void session_stop(struct shell *sh);

#endif
