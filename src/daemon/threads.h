/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_THREADS_H
#define DNS64D_DAEMON_THREADS_H

/*
 * threads: the loops and a thread for each, seen from the main thread.
 */

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/stats.h"
#include "daemon/cpus.h"
#include "io/loop.h"

struct threads;

struct thread {
	struct threads *all; /* borrowed */
	struct loop *loop;   /* owned */
	pthread_t id;
	bool running; /* created and not joined */
	bool pinned;
	unsigned number;
	size_t cpu; /* to run on, if pinned */
	int rc;     /* 0 or -errno: what became of its start */
};

struct threads {
	struct thread *thread; /* owned: n of them */
	unsigned n;
	sem_t started;       /* posted once by each thread */
	int ended_fd;        /* owned: eventfd, readable once a loop has ended */
	atomic_uint n_ended; /* loops that have */
};

/*
 * threads_init: N loops for SNAPSHOT, each with PER_LOOP of SOCKETS in turn. The descriptors are
 * passed on, also on failure, when they are closed; the array stays the caller's. Returns 0 or
 * -errno; on failure *t needs no threads_fini.
 */
MUST_USE int threads_init(struct threads *t, unsigned n, struct snapshot *snapshot,
    struct bind_sockets *sockets, size_t per_loop);

/*
 * threads_start: run the loops as PLAN says, without capabilities and with all signals blocked (by
 * the caller, before). Returns when all run: 0, or -errno of the first that could not, with those
 * that could running.
 */
MUST_USE int threads_start(struct threads *t, const struct cpus_plan *plan);

/* threads_stop: loop_stop for all. threads_ended: how many loops have returned. */
void threads_stop(struct threads *t, uint32_t grace_ms);
MUST_USE unsigned threads_ended(struct threads *t);

/* threads_pending: has any loop not yet taken the last update? */
MUST_USE bool threads_pending(const struct threads *t);

/* threads_alive: has every loop turned since threads_ping? */
void threads_ping(struct threads *t);
MUST_USE bool threads_alive(const struct threads *t);

/* threads_stats: counters of all loops, added up. */
void threads_stats(const struct threads *t, struct stats_row rows[static STATS_N]);

/* threads_fini: wait for the threads (which have ended or were told to) and free everything. */
void threads_fini(struct threads *t);

#endif
