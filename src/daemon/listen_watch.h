/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_LISTEN_WATCH_H
#define DNS64D_DAEMON_LISTEN_WATCH_H

/*
 * listen_watch: listen addresses that come and go. One that this machine does not have, or may not
 * use yet, is waited for and served when it comes; those of an interface that is listened on by
 * name are served while it has them. Main thread only.
 *
 * The kernel rings when an address or an interface changes (config/hostaddr); then we look which of
 * what is configured can be bound. The sockets of an address that was named by itself stay open
 * when it goes, as they serve it again as soon as it comes back. The others are closed: interfaces
 * change their addresses now and then, and a link-local address belongs to an interface's number,
 * which is another one when the interface comes back.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/log.h"
#include "config/listens.h"
#include "config/settings.h"
#include "daemon/threads.h"

/* What can be served at one time, and what is waited for. */
struct listen_watch_plan {
	struct netaddr listens[CONF_MAX_LISTENS];
	size_t n;
	struct listens_waits waits;
};

struct listen_watch {
	int fd;                     /* owned: of hostaddr_watch; -1: none */
	uint64_t looked_ns;         /* when we looked last */
	uint64_t look_ns;           /* when we look next; UINT64_MAX: when something has changed */
	bool deaf;                  /* there is no watch, and the log says so */
	bool blind;                 /* addresses cannot be listed, and the log says so */
	struct listens_waits waits; /* what is waited for at present */
	struct listen_watch_plan first; /* what the start found */
};

/* listen_watch_init: nothing is waited for. */
void listen_watch_init(struct listen_watch *a);

/* listen_watch_fini: close what is open. */
void listen_watch_fini(struct listen_watch *a);

/*
 * listen_watch_open: open the sockets of all that S names and this machine has, for N_LOOPS loops,
 * and have conf.io.listens of S say what these are; *SOCKETS is as sockets_open leaves it. False if
 * anything else is wrong with one of them: the log has it, and nothing is open.
 */
MUST_USE bool listen_watch_open(
    struct listen_watch *a, struct settings *s, unsigned n_loops, struct bind_sockets **sockets);

/* listen_watch_begin: log what listen_watch_open found missing, and wait for it. */
void listen_watch_begin(struct listen_watch *a);

/*
 * listen_watch_plan: find out what of S can be served now, and have conf.io.listens of S say so.
 * HELD is what this process listens on (conf.io); NULL: nothing yet. *PLAN is for listen_watch_use.
 * False: an interface's addresses cannot be listed, which is logged as ABOUT says; S is as before.
 */
MUST_USE bool listen_watch_plan(struct listen_watch *a, const struct conf_io *held,
    struct settings *s, enum log_category about, struct listen_watch_plan *plan);

/* listen_watch_use: PLAN is in force from now on, a reload's; log what is waited for that was not
 * before. */
void listen_watch_use(
    struct listen_watch *a, const struct listen_watch_plan *plan, enum log_category about);

/* listen_watch_rings: something has changed, the socket a->fd says. */
void listen_watch_rings(struct listen_watch *a);

/*
 * listen_watch_look: look, and have the loops of T, which S says, serve what has come and leave
 * what has gone. PATH is the configuration's, for messages. Not while threads_pending. Returns
 * whether anything has changed, which is logged.
 */
bool listen_watch_look(
    struct listen_watch *a, struct settings *s, struct threads *t, const char *path);

#endif
