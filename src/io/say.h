/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SAY_H
#define DNS64D_IO_SAY_H

/*
 * say: log messages about sockets and TCP connections. That an upstream refuses connections is
 * logged once, and that it accepts them again is logged once. Other events are logged at the level
 * info once in TOLD_PAUSE_NS by all loops together, with how many were held back, and each time at
 * the level debug.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/netaddr.h"
#include "base/told.h"

/* Whom an event is about, and when it happened. All pointers are borrowed. */
struct say_event {
	struct told *told;          /* NULL: loops do not coordinate their messages */
	const struct netaddr *peer; /* the upstream or the client, with port */
	uint64_t now_ns;
};

/* When this loop last logged an event, 0: never; and how many it has held back since. */
struct say_seldom {
	uint64_t at_ns;
	uint64_t n;
};

/* What this loop has logged of its connection to one upstream. Zeroed: nothing. */
struct say_conn {
	bool failing;           /* that it could not be made */
	struct say_seldom lost; /* that it ended */
	struct say_seldom full; /* that it had no room */
};

/* What this loop has logged of connections of clients. Zeroed: nothing. */
struct say_clients {
	struct say_seldom limit; /* that one was closed at a limit */
	struct say_seldom stall; /* that a client read no answers */
};

/* say_conn_up: log that the connection was made; ends the report of failures. */
void say_conn_up(const struct say_event *e, struct say_conn *said);

/* say_conn_failed: log that the connection could not be made, because of ERR (errno). */
void say_conn_failed(const struct say_event *e, struct say_conn *said, int err);

/*
 * say_conn_ended: log that the connection ended with N questions open, because of ERR (errno; 0: it
 * was closed). With N 0 the level is debug.
 */
void say_conn_ended(const struct say_event *e, struct say_conn *said, int err, unsigned n);

/* say_conn_full: log that there was no room for a question, because of ERR (errno). */
void say_conn_full(const struct say_event *e, struct say_conn *said, int err);

/* say_conn_gone: end the report of failures without a message: the upstream was removed. */
void say_conn_gone(const struct say_event *e, struct say_conn *said);

/*
 * say_socket: log that no UDP socket to the upstream ADDR could be opened because of ERR (errno),
 * or, with 0, that there is one again. The caller calls it when that has changed on its loop.
 */
void say_socket(struct told *told, const struct netaddr *addr, int err);

/* say_client_limit: log that a connection was closed at the limit that KEYWORD sets. */
void say_client_limit(const struct say_event *e, struct say_clients *said, const char *keyword);

/* say_client_stall: log that a connection is closed because its client reads no answers. */
void say_client_stall(const struct say_event *e, struct say_clients *said);

#endif
