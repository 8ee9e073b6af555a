/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_WORKER_H
#define DNS64D_BENCH_LOAD_WORKER_H

/*
 * bench_worker: what one thread of the tester does: it asks its share of the questions, by its own
 * lanes, and judges the replies.
 *
 * Open loop (a rate is set): questions leave when they are due, whatever has come back. If the
 * lanes have no room, since their windows are full or the server does not read, questions wait; one
 * that waited for the timeout counts as unsent. Closed loop: each lane is a client that keeps
 * WINDOW questions open and asks the next when one of them was answered or given up.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/pace.h"
#include "bench/load/raw.h"
#include "bench/load/tally.h"

#define BENCH_THREADS_MAX 256
#define BENCH_LANES_MAX 4096 /* of one thread */

/* What a trial does; shared by its threads, constant while they run. */
struct bench_plan {
	struct bench_load load;
	struct netaddr server;
	const struct bench_transport *transport;
	unsigned n_threads; /* 1 to BENCH_THREADS_MAX */
	unsigned n_lanes;   /* of each thread, 1 to BENCH_LANES_MAX */
	unsigned window;    /* questions open on a lane at most; 0: the transport's own limit */
	/* questions on a connection, then comes a new one; 0: any number */
	unsigned per_connection;
	uint32_t rate;        /* questions per second of all threads; 0: closed loop */
	uint32_t burst;       /* questions due at once */
	uint64_t first;       /* number of the first question */
	uint64_t n_questions; /* to be asked, by all; UINT64_MAX: until the time is over */
	bool even; /* by each lane as many of them as by any other; not: by those ready first */
	uint64_t duration_ns;  /* asking ends then; UINT64_MAX: when all are asked */
	uint64_t timeout_ns;   /* replies that take longer are late */
	bool spin;             /* wait for the next moment without sleeping */
	struct bench_raw *raw; /* borrowed: a line for each question; NULL: none */
};

struct bench_worker;

/* bench_worker_new: the lanes of thread INDEX of PLAN (borrowed). 0 or -errno. */
MUST_USE int bench_worker_new(
    const struct bench_plan *plan, unsigned index, struct bench_worker **out);
void bench_worker_free(struct bench_worker *w);

/*
 * bench_worker_run: the thread's share of a trial that begins at START_NS, until all is answered or
 * given up, or *stop becomes true. Fills *t. May be called again.
 */
void bench_worker_run(
    struct bench_worker *w, uint64_t start_ns, const atomic_bool *stop, struct bench_tally *t);

/*
 * bench_worker_turn: called by another thread while the worker runs: count in *t, which is clear,
 * from now on. When bench_worker_turned, some milliseconds later, the tally before belongs to the
 * caller. A run that ends before it saw the wish keeps its tally, and never says that it turned:
 * the wish is then withdrawn with NULL.
 */
void bench_worker_turn(struct bench_worker *w, struct bench_tally *t);
MUST_USE bool bench_worker_turned(const struct bench_worker *w);

#endif
