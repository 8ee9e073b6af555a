/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_THREADS_H
#define DNS64D_DAEMON_THREADS_H

/*
 * threads: the loops, each in a thread of its own, as the main thread handles them. Main thread
 * only.
 */

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/settings.h"
#include "core/stats.h"
#include "daemon/cpus.h"
#include "daemon/sandbox.h"
#include "io/loop.h"
#include "outbound/upstream_status.h"

struct threads;

/* One loop and its thread. */
struct thread {
	struct threads *all; /* borrowed: the struct that this one belongs to */
	struct loop *loop;   /* owned */
	pthread_t id;
	bool running; /* created and not joined */
	atomic_bool ended;
	bool pinned;
	unsigned number; /* from 0 */
	size_t cpu;      /* pinned: the CPU it is bound to */
	int rc;          /* 0 or -errno: the result of its start */
};

/* All of them. */
struct threads {
	struct thread *thread; /* owned: n of them */
	unsigned n;
	sem_t started;                 /* posted once by each thread */
	const struct sandbox *sandbox; /* borrowed */
	int ended_fd;                  /* owned: eventfd, readable once a loop has ended */
	const struct stats *log_stats; /* borrowed: counted beside the loops; NULL: nothing */
};

/*
 * threads_init: make N loops for SNAPSHOT, of which each takes a reference. Loop i serves the
 * PER_LOOP sockets from SOCKETS[i * PER_LOOP] on. The descriptors are passed on, and on failure
 * closed; the array stays the caller's. Returns 0 or -errno; on failure *T needs no threads_fini.
 */
MUST_USE int threads_init(struct threads *t, unsigned n, struct snapshot *snapshot,
    struct bind_sockets *sockets, size_t per_loop);

/*
 * threads_start: start a thread for each loop, without capabilities, limited by SB, which is
 * borrowed for as long as *T lives, and bound to a CPU if PLAN says so. The caller must have
 * blocked all signals. Returns 0 when all run; or -errno of the first that could not start, while
 * others may run.
 */
MUST_USE int threads_start(
    struct threads *t, const struct cpus_plan *plan, const struct sandbox *sb);

/* threads_stop: call loop_stop for each loop, with GRACE_MS milliseconds. */
void threads_stop(struct threads *t, uint32_t grace_ms);

/* A set of loops is a uint64_t: bit i is loop i. */

#define THREADS_TEXT 64 /* bytes of a set in words, with its zero */

/* threads_text: SET, not empty, as names of threads, to TEXT, which is returned; as many as fit. */
const char *threads_text(uint64_t set, char text[static THREADS_TEXT]);

/* threads_ended: the loops that have ended. */
MUST_USE uint64_t threads_ended(const struct threads *t);

/* threads_running: the loops that have not ended. */
MUST_USE uint64_t threads_running(const struct threads *t);

#define THREADS_TAKE_MS 5000 /* how long to wait for a loop to take an update */

/* threads_pending: the loops that have not yet taken the last update (loop_post). */
MUST_USE uint64_t threads_pending(const struct threads *t);

/* threads_unserved: how many sockets the loops cannot serve yet. */
MUST_USE unsigned threads_unserved(const struct threads *t);

/*
 * threads_leaving: the loops that still have sockets open of an address that they gave up. To open
 * others there would fail. Ends by itself, LISTENER_LINGER_NS later at most, if the loop goes
 * round.
 */
MUST_USE uint64_t threads_leaving(const struct threads *t);

/* threads_ping: ask every loop for a sign of life; threads_alive tells of it. */
void threads_ping(struct threads *t);

/* threads_alive: has every loop begun an iteration since the last threads_ping? */
MUST_USE bool threads_alive(const struct threads *t);

/* threads_stats: write the counters of all loops and T->log_stats, added up, to ROWS. */
void threads_stats(const struct threads *t, struct stats_row rows[static STATS_N]);

/* threads_reasons: write the answers by reason of all loops, added up, to ROWS. */
void threads_reasons(const struct threads *t, struct stats_reason rows[static REASON_N]);

/*
 * threads_upstreams: what all loops together know of their upstreams, to OUT. Waits for them,
 * WAIT_MS milliseconds at most; a loop that does not answer is left out. Returns how many there
 * are, and to *N_MISSING how many loops were left out.
 */
MUST_USE size_t threads_upstreams(struct threads *t,
    struct upstream_status out[static UPSTREAM_MAX], unsigned wait_ms, unsigned *n_missing);

/* threads_fini: wait for the threads, which threads_stop has told to end, and free everything. */
void threads_fini(struct threads *t);

#endif
