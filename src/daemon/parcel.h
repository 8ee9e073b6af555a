/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PARCEL_H
#define DNS64D_DAEMON_PARCEL_H

/*
 * parcel: what a change of the settings hands to the loops; complete before the first of them gets
 * anything, so that all change or none.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"
#include "daemon/threads.h"
#include "io/bind.h"
#include "io/snapshot.h"

struct parcel {
	struct snapshot *snapshot;
	struct bind_sockets *sockets; /* n_loops times n_added, those of one loop side by side */
	size_t n_added;               /* new addresses to listen on */
	struct loop_update *updates[SETTINGS_LOOPS]; /* one for each loop */
};

/*
 * parcel_pack: make *p all that N_LOOPS loops, which listen as NOW says, need to work by NEXT,
 * whose policies get their counters. The caller ends it with parcel_post or parcel_free. False,
 * with a message in the log, if that failed; nothing is held then.
 */
MUST_USE bool parcel_pack(
    struct parcel *p, unsigned n_loops, const struct conf_io *now, struct settings *next);

/*
 * parcel_post: hand each loop of T its part. Cannot fail. While threads_pending only what listens
 * on the same addresses (loop_post).
 */
void parcel_post(struct parcel *p, struct threads *t);

/* parcel_free: nothing is to change after all. */
void parcel_free(struct parcel *p, unsigned n_loops);

#endif
