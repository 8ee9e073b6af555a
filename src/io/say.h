/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SAY_H
#define DNS64D_IO_SAY_H

/*
 * say: what the shell tells the operator about TCP. That an upstream takes no connections is said
 * once, and once that it does again; what happens now and then once in TOLD_PAUSE_NS at the level
 * info, by all loops together, and each time at the level debug.
 */

#include "base/netaddr.h"

struct upstream_udp_conn;
struct session;
struct shell;

/* say_conn_up: the connection C to an upstream is there. */
void say_conn_up(struct shell *sh, struct upstream_udp_conn *c);

/* say_conn_lost: it ended, or could not be had, with N questions open. C->state and C->err tell
 * how. */
void say_conn_lost(struct shell *sh, struct upstream_udp_conn *c, unsigned n);

/* say_conn_full: a question for it was not taken, because of ERR (errno). */
void say_conn_full(struct shell *sh, struct upstream_udp_conn *c, int err);

/* say_conn_gone: its upstream is asked no more, so nobody wants to hear how it goes on. */
void say_conn_gone(struct shell *sh, struct upstream_udp_conn *c);

/* say_client_limit: a connection of PEER was closed at the ceiling that KEYWORD sets. */
void say_client_limit(struct shell *sh, const struct netaddr *peer, const char *keyword);

/* say_client_stall: session S is closed, for it takes no answers. */
void say_client_stall(struct shell *sh, const struct session *s);

#endif
