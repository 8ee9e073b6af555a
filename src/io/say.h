/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SAY_H
#define DNS64D_IO_SAY_H

/*
 * say: log messages of the shell about TCP connections. That an upstream refuses connections is
 * logged once, and that it accepts them again is logged once. Other events are logged at the level
 * info once in TOLD_PAUSE_NS by all loops together, and each time at the level debug.
 */

#include "base/netaddr.h"

struct upstream_tcp_conn;
struct session;
struct shell;

/* say_conn_up: log that the connection C to an upstream was made; ends the report of failures. */
void say_conn_up(struct shell *sh, struct upstream_tcp_conn *c);

/*
 * say_conn_lost: log that the connection C ended, or could not be made, with N questions open.
 * C->state tells which of the two, C->err why (errno; 0: it was closed).
 */
void say_conn_lost(struct shell *sh, struct upstream_tcp_conn *c, unsigned n);

/* say_conn_full: log that C had no room for a question, because of ERR (errno). */
void say_conn_full(struct shell *sh, struct upstream_tcp_conn *c, int err);

/* say_conn_gone: end the report of failures of C without a message: its upstream was removed. */
void say_conn_gone(struct shell *sh, struct upstream_tcp_conn *c);

/* say_client_limit: log that a connection of PEER was closed at the limit that KEYWORD sets. */
void say_client_limit(struct shell *sh, const struct netaddr *peer, const char *keyword);

/* say_client_stall: log that session S is closed because its client does not read answers. */
void say_client_stall(struct shell *sh, const struct session *s);

#endif
