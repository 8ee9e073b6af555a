/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SESSION_H
#define DNS64D_IO_SESSION_H

/*
 * session: TCP connections of clients (RFC 7766). Questions are taken as they come, answers
 * leave as they come; nobody waits for somebody else's.
 *
 * A connection is not read while it has too many questions in flight or too many bytes
 * unsent, nor while the engine has no room. The engine knows it by slot and generation.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "io/peers.h"
#include "io/source.h"
#include "io/stream.h"

#define SESSION_QUESTIONS 64               /* in flight on one connection */
#define SESSION_UNSENT (128 * 1024)        /* bytes; with more it is not read */
#define SESSION_STALL_NS 5000000000ULL     /* a client that takes no byte for so long is closed */
#define SESSION_PATIENCE_NS 10000000000ULL /* a question open for so long is no reason to stay */

struct session {
	struct source rd;
	struct source wr;
	struct list age;  /* on sessions.by_age, the least recently active first */
	struct list wait; /* on sessions.paused or sessions.resume, or on neither */
	struct list send; /* on sessions.dirty or sessions.blocked, or on neither */
	int fd;
	uint32_t gen;
	uint32_t peer_number; /* in sessions.peers */
	uint32_t in_flight;   /* questions not yet answered */
	uint32_t next_free;   /* chain of free places */
	bool open;            /* false: the place is free */
	bool eof;             /* no more is read; answers still go out */
	bool stalled;         /* not read for now */
	bool dead;            /* to be closed by the next session_flush */
	struct netaddr peer;
	struct stream_in in;
	struct stream_out out;
	uint64_t active_ns; /* last whole message, either way */
	uint64_t write_ns;  /* last byte taken, while blocked */
};

struct sessions {
	struct session *s; /* owned: cap */
	uint32_t cap;
	uint32_t n;         /* open */
	uint32_t n_touched; /* places ever used: those behind are untouched memory */
	uint32_t free;      /* first of the others that are free */
	struct peers peers;
	struct list readable;
	struct list writable;
	struct list by_age;
	struct list paused;     /* stalled because the engine has no room */
	struct list resume;     /* stalled for their own sake, and may go on */
	struct list dirty;      /* to be written by session_flush */
	struct list blocked;    /* the socket is full; the longest first */
	uint64_t said_limit_ns; /* when io/say said so last; 0: never */
	uint64_t said_stall_ns;
	bool stopping;
};

struct shell;

/* session_init: room for CAP connections. Returns 0 or -errno. */
MUST_USE int session_init(struct shell *sh, uint32_t cap);
void session_fini(struct shell *sh);

/* session_open: serve the accepted FD, or close it at a ceiling. */
void session_open(struct shell *sh, int fd, const struct netaddr *peer);

/* session_turn: read what is readable, go on with those that may. */
void session_turn(struct shell *sh);

/* session_answer: queue the answer in the TCP buffer; nothing if the connection has gone. */
void session_answer(struct shell *sh, const struct packet_out *send);

/* session_flush: write what waits; close what is done or broken. */
void session_flush(struct shell *sh);

/* session_beat: close those that are idle or take nothing. */
void session_beat(struct shell *sh);

/*
 * session_stop: read each once more, then no more; those without a question end. All have
 * ended when sh->sessions.n is 0.
 */
void session_stop(struct shell *sh);

#endif
