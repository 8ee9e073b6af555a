/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_ASK_H
#define DNS64D_CONTROL_ASK_H

/*
 * ask: ask the loops what they know of their upstreams, and answer those who want to know once all
 * have told. Nobody blocks: the loops copy it when they come to it (loop_ask_views), and a timer
 * looks whether they have.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "control/http.h"
#include "figures/host.h"

#define ASK_MS 1000       /* how long a loop is waited for; then it is left out */
#define ASK_STUCK_MS 5000 /* after so long it is said not to go round, and not waited for */
#define ASK_EVERY_MS 1000 /* how often loops are asked by themselves, ask_watch */

/* Answers R, with ARG of ask_begin. V is borrowed. */
typedef void ask_answer(struct evhttp_request *r, void *arg, const struct host_views *v);

/* Is told each time that the loops have told (struct ask.views). */
typedef void ask_hear(void *arg);

/* Somebody who waits. */
struct ask_waiter {
	struct evhttp_request *r;
	ask_answer *answer;
	void *arg;
};

struct ask {
	const struct host *host; /* borrowed */
	struct event *timer;     /* owned */
	struct event *every;     /* owned: ask_watch's */
	ask_hear *hear;          /* NULL: nobody */
	void *hear_arg;
	uint64_t end_ns; /* when the loops are waited for no longer; 0: none was asked */
	struct ask_waiter waiting[HTTP_CONNECTIONS];
	size_t n_waiting;
	struct host_views views; /* what they told last; nothing before */
};

/* ask_init: ask the loops of HOST. False without memory. */
MUST_USE bool ask_init(struct ask *a, const struct host *host);

/*
 * ask_begin: have R answered by ANSWER, with ARG, as soon as all loops have told, or after ASK_MS.
 * If HTTP_CONNECTIONS wait already R is answered with 503 at once.
 */
void ask_begin(struct ask *a, struct evhttp_request *r, ask_answer *answer, void *arg);

/*
 * ask_watch: ask the loops each second from now on, whether they go round and what they know, and
 * have HEAR, with ARG, hear that and all else that they tell. False without memory.
 */
MUST_USE bool ask_watch(struct ask *a, ask_hear *hear, void *arg);

/* ask_refuse: the daemon ends: answer all who wait with 503. */
void ask_refuse(struct ask *a);

/* ask_fini: forget all, without an answer. *A may be all zero. */
void ask_fini(struct ask *a);

#endif
