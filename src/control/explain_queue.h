/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_EXPLAIN_QUEUE_H
#define DNS64D_CONTROL_EXPLAIN_QUEUE_H

/*
 * explain_queue: questions that loops explain, each loop one at a time, and who waits for them.
 * Those for whom no loop is free wait in their order, for EXPLAIN_QUEUE_WAIT_MS at most. Nobody
 * blocks: a timer looks whether loops are done. Who hangs up does not stop a question; it is over
 * when the loop is done, or after EXPLAIN_QUEUE_MS, when the loop may keep it for itself.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

#include "base/attr.h"
#include "figures/host.h"
#include "io/explain_job.h"

#define EXPLAIN_QUEUE_MS 7000       /* more than a question ever takes */
#define EXPLAIN_QUEUE_WAIT_MS 10000 /* how long one waits for a loop that is free */
#define EXPLAIN_QUEUE_MAX 32 /* questions at a time: half of the connections that there may be */

/* Answers R, with ARG of explain_queue_init. A is done, and borrowed. */
typedef void explain_queue_answer(struct evhttp_request *r, void *arg, struct explain_job *a);

/* A question, and who waits for it. */
struct explain_queue_entry {
	struct explain_job *job; /* one reference */
	struct evhttp_request *r;
	struct loop *loop;     /* that works on it; NULL: it waits for one */
	uint64_t end_ns;       /* when the loop is waited for no longer, */
	uint64_t queue_end_ns; /* and when it waits for one no longer */
};

struct explain_queue {
	const struct host *host; /* borrowed */
	explain_queue_answer *answer;
	void *arg;
	struct event *timer; /* owned */
	struct explain_queue_entry of[EXPLAIN_QUEUE_MAX];
	unsigned n;
};

/*
 * explain_queue_init: have ANSWER, with ARG, answer about questions to the loops of HOST. False
 * without memory.
 */
MUST_USE bool explain_queue_init(
    struct explain_queue *i, const struct host *host, explain_queue_answer *answer, void *arg);

/*
 * explain_queue_begin: have a loop explain A, whose reference is passed on, as soon as one is free,
 * and R answered then; or with 503: at once if EXPLAIN_QUEUE_MAX wait already, else when the time
 * is over.
 */
void explain_queue_begin(struct explain_queue *i, struct evhttp_request *r, struct explain_job *a);

/* explain_queue_refuse: the daemon ends: answer those who wait with 503. */
void explain_queue_refuse(struct explain_queue *i);

/* explain_queue_fini: forget who waits, without an answer. *I may be all zero. */
void explain_queue_fini(struct explain_queue *i);

#endif
