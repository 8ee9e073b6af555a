/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_INQUIRY_H
#define DNS64D_CONTROL_INQUIRY_H

/*
 * inquiry: questions that loops explain, each loop one at a time, and who waits for them. Those for
 * whom no loop is free wait in their order, for INQUIRY_QUEUE_MS at most. Nobody blocks: a timer
 * looks whether loops are done. Who hangs up does not stop a question; it is over when the loop is
 * done, or after INQUIRY_MS, when the loop may keep it for itself.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

#include "base/attr.h"
#include "control/host.h"
#include "io/asked.h"

#define INQUIRY_MS 7000        /* more than a question ever takes */
#define INQUIRY_QUEUE_MS 10000 /* how long one waits for a loop that is free */
#define INQUIRY_MAX 32         /* questions at a time: half of the connections that there may be */

/* Answers R, with ARG of inquiry_init. A is done, and borrowed. */
typedef void inquiry_answer(struct evhttp_request *r, void *arg, struct asked *a);

/* A question, and who waits for it. */
struct inquiry_one {
	struct asked *asked; /* one reference */
	struct evhttp_request *r;
	struct loop *loop;     /* that works on it; NULL: it waits for one */
	uint64_t end_ns;       /* when the loop is waited for no longer, */
	uint64_t queue_end_ns; /* and when it waits for one no longer */
};

struct inquiry {
	const struct host *host; /* borrowed */
	inquiry_answer *answer;
	void *arg;
	struct event *timer; /* owned */
	struct inquiry_one of[INQUIRY_MAX];
	unsigned n;
};

/*
 * inquiry_init: have ANSWER, with ARG, answer about questions to the loops of HOST. False without
 * memory.
 */
MUST_USE bool inquiry_init(
    struct inquiry *i, const struct host *host, inquiry_answer *answer, void *arg);

/*
 * inquiry_begin: have a loop explain A, whose reference is passed on, as soon as one is free, and R
 * answered then; or with 503: at once if INQUIRY_MAX wait already, else when the time is over.
 */
void inquiry_begin(struct inquiry *i, struct evhttp_request *r, struct asked *a);

/* inquiry_refuse: the daemon ends: answer those who wait with 503. */
void inquiry_refuse(struct inquiry *i);

/* inquiry_fini: forget who waits, without an answer. *I may be all zero. */
void inquiry_fini(struct inquiry *i);

#endif
