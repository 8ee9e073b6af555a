/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_WAITING_H
#define DNS64D_CONTROL_WAITING_H

/*
 * waiting: a bounded queue of HTTP requests that wait, first come first served, and a timer that
 * polls what they wait for. Nobody blocks. A request whose client hangs up stays in the queue until
 * it is answered (see http_handler).
 *
 * Its owner has a type of queue, the queue as the field waiting of a struct of its own, and for
 * each request a struct that begins with a struct waiting_request.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "control/http.h"
#include "figures/host.h"

#define WAITING_MAX HTTP_CONNECTIONS
#define WAITING_POLL_US 1000 /* how often loops are polled */

struct waiting_request {
	struct evhttp_request *r;
};

struct waiting {
	const struct waiting_type *type; /* borrowed, as the next */
	const struct host *host;
	struct event *timer;       /* owned */
	void *of[WAITING_MAX + 1]; /* owned: requests in the order they came, then NULL */
	size_t n;
};

struct waiting_type {
	size_t size;      /* bytes of the struct for a request */
	size_t max;       /* requests at a time, at most WAITING_MAX */
	const char *full; /* the error for one more */
	/*
	 * Answers those of W that can be answered. Called after waiting_init, after each
	 * waiting_add, and again so many microseconds later as it returns; 0: not by itself. NULL:
	 * nothing is polled.
	 */
	uint32_t (*poll)(struct waiting *w);
	void (*release)(void *request); /* frees what REQUEST owns; NULL: it owns nothing */
};

/* waiting_init: an empty queue of TYPE, on the base of HOST. False without memory. */
MUST_USE bool waiting_init(
    struct waiting *w, const struct waiting_type *type, const struct host *host);

/*
 * waiting_add: append R. Returns the queue's struct of type->size bytes for it, zeroed but for R;
 * NULL: R was answered with 503, as type->max wait already, or with 500, without memory.
 */
void *waiting_add(struct waiting *w, struct evhttp_request *r);

/* waiting_take: remove and free number I (< w->n). Returns its R, which is to be answered. */
struct evhttp_request *waiting_take(struct waiting *w, size_t i);

/* waiting_refuse: the daemon ends: answer all with 503. */
void waiting_refuse(struct waiting *w);

/* waiting_fini: free all, without an answer. *W may be all zero. */
void waiting_fini(struct waiting *w);

#endif
