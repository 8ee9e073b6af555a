/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CONF_PUSH_H
#define DNS64D_DAEMON_CONF_PUSH_H

/*
 * conf_push: what a change of the settings hands to the loops; complete before the first of them
 * gets anything, so that all change or none.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"
#include "daemon/threads.h"
#include "io/bind.h"
#include "io/snapshot.h"
#include "nat64/prefixes.h"

struct conf_push {
	struct snapshot *snapshot;
	struct bind_sockets *sockets; /* n_loops times n_added, those of one loop side by side */
	size_t n_added;               /* new addresses to listen on */
	struct loop_update *updates[SETTINGS_LOOPS]; /* one for each loop */
};

/*
 * conf_push_pack: make *p all that N_LOOPS loops, which listen as NOW says, need to work by NEXT,
 * whose policies get their counters. The caller ends it with conf_push_post or conf_push_free.
 * False, with a message in the log, if that failed; nothing is held then.
 */
MUST_USE bool conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next);

/*
 * conf_push_post: hand each loop of T its part. Cannot fail. While threads_pending only what
 * listens on the same addresses (loop_post).
 */
void conf_push_post(struct conf_push *p, struct threads *t);

/* What conf_push_prefixes works on. */
struct conf_push_prefixes {
	struct threads *threads; /* borrowed */
	struct conf_push push;   /* between pack, and post or drop */
};

/* conf_push_prefixes: how nat64/prefixes has the loops of C work by a change. C is borrowed. */
MUST_USE struct prefixes_loops conf_push_prefixes(struct conf_push_prefixes *c);

/* conf_push_free: nothing is to change after all. */
void conf_push_free(struct conf_push *p, unsigned n_loops);

#endif
