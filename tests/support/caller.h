/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_CALLER_H
#define DNS64D_SUPPORT_CALLER_H

/*
 * caller: an HTTP client beside the server that it asks, in one thread: it turns the server's base
 * while it waits.
 */

#include <event2/event.h>
#include <jansson.h>
#include <stddef.h>

#include "control/sockpath.h"
#include "support/scratch.h"

struct caller {
	struct event_base *base;
	char dir[SCRATCH_PATH];
	struct sockpath sock; /* where the server is to listen */
	int code;             /* of the last answer; 0: the connection was closed without one */
	char text[65536];     /* the last answer as it came, with a zero */
	json_t *json;         /* its body; NULL: that is no JSON */
};

/* caller_open: a base, and a socket in a directory of its own. */
void caller_open(struct caller *c);

/* caller_connect: a new connection. Returns its descriptor, which the caller closes. */
int caller_connect(const struct caller *c);

/* caller_turn: let the server work for MS milliseconds. */
void caller_turn(const struct caller *c, unsigned ms);

/*
 * caller_wait: read the answer from FD, which is closed, until its end, for ten seconds at most.
 * Returns c->code.
 */
int caller_wait(struct caller *c, int fd);

/* caller_send: send the LEN bytes of RAW by a new connection, and wait for the answer. */
int caller_send(struct caller *c, const void *raw, size_t len);

/* caller_ask: the same for METHOD, PATH and BODY, which may be NULL. */
int caller_ask(struct caller *c, const char *method, const char *path, const char *body);

/* caller_text: the string at KEY of the last answer's body; "" if there is none. */
const char *caller_text(const struct caller *c, const char *key);

/* caller_close: take everything away. */
void caller_close(struct caller *c);

#endif
