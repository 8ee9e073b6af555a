/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LOOP_H
#define DNS64D_IO_LOOP_H

/*
 * loop: one core's share of the daemon: a thread's event base, an engine, the sockets towards
 * clients and upstreams, and the batches between them.
 *
 * An iteration is: let libevent mark what is ready, then loop_turn handles upstream replies,
 * time, the mailbox, clients (one batch per listener at most) and sends. One clock read each.
 *
 * loop_new, loop_post, loop_ping, loop_stop and loop_free are the main thread's; loop_run is
 * the loop's own thread's. Nothing else is shared but the snapshot and the counters.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/conf.h"
#include "core/stats.h"
#include "io/bind.h"

/* One checked configuration, shared by all loops; the last one that lets go frees it. */
struct snapshot {
	atomic_uint refs;
	struct conf conf;
};

/* snapshot_new: a copy of CONF on the heap with one reference, and one to its policies; NULL
 * without memory. */
MUST_USE struct snapshot *snapshot_new(const struct conf *conf);
struct snapshot *snapshot_ref(struct snapshot *s);
void snapshot_unref(struct snapshot *s);

/* What a reload brings to one loop. */
struct loop_update {
	struct snapshot *snapshot; /* a reference, passed on */
	size_t n_added;
	struct bind_sockets added[CONF_MAX_LISTENS]; /* of new addresses, passed on */
};

struct loop;

/*
 * loop_new: a loop for SNAPSHOT (takes a reference of its own) with the sockets LISTENS (n of
 * them, passed on if it succeeds). Returns NULL with errno set.
 */
MUST_USE struct loop *loop_new(
    struct snapshot *snapshot, const struct bind_sockets *listens, size_t n);

/* loop_run: serve until loop_stop; call it in the loop's thread. */
void loop_run(struct loop *l);

/*
 * loop_post: hand UPDATE (from malloc, passed on) to the loop, which takes it at the top of its
 * next iteration: it adds the new sockets, closes those whose address is no longer configured
 * once they are read empty and what was asked through them is answered, and goes on under the
 * new settings without losing a question. Not while loop_pending: a post that the loop has not
 * yet taken.
 */
void loop_post(struct loop *l, struct loop_update *update);
MUST_USE bool loop_pending(const struct loop *l);

/*
 * loop_ping: ask for a sign of life; loop_alive: has the loop turned since the last ping? For the
 * watchdog.
 */
void loop_ping(struct loop *l);
MUST_USE bool loop_alive(const struct loop *l);

/*
 * loop_stop: take no more questions, finish those in flight, for GRACE_MS at most, then return from
 * loop_run. A second call with 0 ends it at once. Any thread.
 */
void loop_stop(struct loop *l, uint32_t grace_ms);

/* loop_stats: the loop's counters, readable at any time until loop_free. */
const struct stats *loop_stats(const struct loop *l);

/* loop_free: after loop_run has returned (or was never called). Closes every socket. */
void loop_free(struct loop *l);

#endif
