/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_CONNLOG_H
#define DNS64D_IO_CONNLOG_H

/*
 * connlog: log messages about sockets and TCP connections. That an upstream refuses connections is
 * logged once, and that it accepts them again is logged once. Other events are logged at the level
 * info, or notice, once in LOGONCE_PAUSE_NS by all loops together, with how many were held back,
 * and each time at the level debug.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/logonce.h"
#include "base/netaddr.h"
#include "core/transport.h"

/* Whom an event is about, and when it happened. All pointers are borrowed. */
struct connlog_event {
	struct logonce *logonce;    /* NULL: loops do not coordinate their messages */
	const struct netaddr *peer; /* the upstream or the client, with port */
	uint64_t now_ns;
};

/* When this loop last logged an event, 0: never; and how many it has held back since. */
struct connlog_seldom {
	uint64_t at_ns;
	uint64_t n;
};

/* What this loop has logged of its connection to one upstream. Zeroed: nothing. */
struct connlog_conn {
	bool failing;               /* that it could not be made */
	struct connlog_seldom lost; /* that it ended */
	struct connlog_seldom full; /* that it had no room */
};

/* What this loop has logged of connections of clients. Zeroed: nothing. */
struct connlog_clients {
	struct connlog_seldom limit; /* that one was closed at a limit */
	struct connlog_seldom stall; /* that a client read no answers */
};

/* connlog_conn_up: log that the connection was made; ends the report of failures. */
void connlog_conn_up(const struct connlog_event *e, struct connlog_conn *said);

/* connlog_conn_failed: log that the connection could not be made, because of ERR (errno). */
void connlog_conn_failed(const struct connlog_event *e, struct connlog_conn *said, int err);

/*
 * connlog_conn_ended: log that the connection ended with N questions open, because of ERR (errno;
 * 0: it was closed). With N 0 the level is debug.
 */
void connlog_conn_ended(
    const struct connlog_event *e, struct connlog_conn *said, int err, unsigned n);

/* connlog_conn_full: log that there was no room for a question, because of ERR (errno). */
void connlog_conn_full(const struct connlog_event *e, struct connlog_conn *said, int err);

/* connlog_conn_gone: end the report of failures without a message: the upstream was removed. */
void connlog_conn_gone(const struct connlog_event *e, struct connlog_conn *said);

/*
 * connlog_socket: log that no UDP socket to the upstream ADDR could be opened because of ERR
 * (errno), or, with 0, that there is one again. The caller calls it when that has changed on its
 * loop.
 */
void connlog_socket(struct logonce *logonce, const struct netaddr *addr, int err);

/* connlog_client_limit: log that a connection was closed at the limit that KEYWORD sets. */
void connlog_client_limit(
    const struct connlog_event *e, struct connlog_clients *said, const char *keyword);

/*
 * connlog_header: log that a datagram was dropped, or over a stream a connection closed, for what
 * is wrong with its PROXY header: WHY. At the level notice, as proxy or daemon are configured
 * wrong.
 */
void connlog_header(const struct connlog_event *e, struct connlog_seldom *said,
    enum transport transport, const char *why);

/* connlog_client_stall: log that a connection is closed because its client reads no answers. */
void connlog_client_stall(const struct connlog_event *e, struct connlog_clients *said);

#endif
