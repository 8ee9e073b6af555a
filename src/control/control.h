/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_CONTROL_H
#define DNS64D_CONTROL_CONTROL_H

/*
 * control: how an operator queries and controls the daemon through the control socket: HTTP/1.1
 * and JSON; and what web-listen shows. Main thread only; of the loops it has copies, which they
 * give when they are asked (control/ask).
 */

#include <stdbool.h>
#include <time.h>

#include "base/attr.h"
#include "config/settings.h"
#include "control/host_ops.h"
#include "control/sockpath.h"
#include "figures/host.h"

struct control;

/*
 * control_path: where S wants the control socket; NULL: nowhere. The string is S's or constant;
 * "auto" is sockpath_usual().
 */
const char *control_path(const struct settings *s);

/* Listening sockets; borrowed until control_free. */
struct control_sockets {
	int control;    /* the control socket; -1: none */
	const int *web; /* those of web-listen */
	size_t n_web;
};

/*
 * control_new: serve HOST, which is copied, at the sockets S. Without any nobody can ask, but all
 * functions may be called. NULL without memory.
 */
MUST_USE struct control *control_new(const struct host *host, const struct control_sockets *s);

/* control_reload_begins: a reload begins; what this thread logs from here on is its result. */
void control_reload_begins(struct control *c);

/* control_reload_ends: those who asked for the reload that began last are answered with RESULT. */
void control_reload_ends(struct control *c, enum verdict_reload result);

/* control_reload_taken: all loops have taken the reload that was overdue. */
void control_reload_taken(struct control *c);

/* control_lameduck: the daemon is a lame duck from now on, until it stops at END, since 1970. */
void control_lameduck(struct control *c, time_t end);

/* control_stops: the daemon finishes what is in flight, and ends. */
void control_stops(struct control *c);

/*
 * control_free: answer those who wait with 503, let answers leave, then close everything and free
 * C, which may be NULL.
 */
void control_free(struct control *c);

#endif
