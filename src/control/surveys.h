/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_SURVEYS_H
#define DNS64D_CONTROL_SURVEYS_H

/*
 * surveys: all loops copy out what a request is about (io/survey), and it is answered. That is done
 * for one request at a time; the others wait in their order. Nobody blocks: a timer looks whether
 * the loops are done. A loop that is not after SURVEYS_MS is left out. Who hangs up keeps its place
 * until then.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

#include "base/attr.h"
#include "figures/host.h"
#include "io/survey.h"

#define SURVEYS_MS 2000
#define SURVEYS_MAX 8 /* requests at a time: the last is answered within HTTP_LIFE_S */

/* Answers R from the N surveys at EACH, borrowed; NULL: that loop was not done in time. */
typedef void surveys_answer(struct evhttp_request *r, struct survey *const *each, unsigned n);

/* A request. */
struct surveys_one {
	struct evhttp_request *r;
	surveys_answer *answer;
	unsigned tops;
};

struct surveys {
	const struct host *host;            /* borrowed */
	struct event *timer;                /* owned */
	struct surveys_one of[SURVEYS_MAX]; /* in their order; the loops work for the first */
	unsigned n;
	uint64_t end_ns;                     /* when the loops are waited for no longer */
	struct survey *each[SETTINGS_LOOPS]; /* for the first: one reference each */
};

/* surveys_init: ask the loops of HOST. False without memory. */
MUST_USE bool surveys_init(struct surveys *s, const struct host *host);

/*
 * surveys_begin: have R, which is about TOPS (see struct survey), answered by ANSWER when it was
 * its turn and the loops are done; or with 503 at once if SURVEYS_MAX wait already.
 */
void surveys_begin(
    struct surveys *s, struct evhttp_request *r, unsigned tops, surveys_answer *answer);

/* surveys_refuse: the daemon ends: answer those who wait with 503. */
void surveys_refuse(struct surveys *s);

/* surveys_fini: forget who waits, without an answer. *S may be all zero. */
void surveys_fini(struct surveys *s);

#endif
