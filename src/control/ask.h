/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_ASK_H
#define DNS64D_CONTROL_ASK_H

/*
 * ask: ask the loops what they know of their upstreams, each second and when a request wants to
 * know, and answer these requests once all have told. The loops copy it when they come to it
 * (loop_ask_status); they are polled (control/waiting).
 */

#include <event2/http.h>
#include <stdint.h>

#include "control/waiting.h"
#include "figures/host.h"

#define ASK_MS 1000       /* how long a loop is waited for; then it is left out */
#define ASK_STUCK_MS 5000 /* after so long it is said not to go round, and not waited for */
#define ASK_EVERY_MS 1000 /* how long after an answer loops are asked by themselves */

/* Answers R, with ARG of struct ask. V is borrowed. */
typedef void ask_answer(struct evhttp_request *r, void *arg, const struct host_upstreams *v);

struct ask {
	struct waiting waiting;
	void (*on_upstreams)(void *arg); /* called each time that the loops have answered */
	void *arg;                       /* for this and for answers */
	uint64_t end_ns; /* when the loops are waited for no longer; 0: none was asked */
	struct host_upstreams upstreams; /* their last answer; nothing before */
};

/* The queue of struct ask, whose on_upstreams and arg are set before. From waiting_init on loops
 * are asked. */
extern const struct waiting_type ask_type;

/*
 * ask_begin: have R answered by ANSWER as soon as all loops have told, or after ASK_MS; with 503 at
 * once if WAITING_MAX wait already.
 */
void ask_begin(struct ask *a, struct evhttp_request *r, ask_answer *answer);

#endif
