/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_SURVEYS_H
#define DNS64D_CONTROL_SURVEYS_H

/*
 * surveys: all loops copy out what a request is about (io/survey), one request at a time, and it is
 * answered. Nobody blocks: a timer looks whether the loops are done. A loop that is not after
 * SURVEYS_MS is left out.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

#include "base/attr.h"
#include "control/host.h"
#include "io/survey.h"

#define SURVEYS_MS 2000

/* Answers R from the N surveys at EACH, borrowed; NULL: that loop was not done in time. */
typedef void surveys_answer(struct evhttp_request *r, struct survey *const *each, unsigned n);

struct surveys {
	const struct host *host; /* borrowed */
	struct event *timer;     /* owned */
	surveys_answer *answer;
	struct evhttp_request *r;            /* who waits; NULL: nobody */
	uint64_t end_ns;                     /* when the loops are waited for no longer */
	struct survey *each[SETTINGS_LOOPS]; /* one reference each */
};

/* surveys_init: ask the loops of HOST. False without memory. */
MUST_USE bool surveys_init(struct surveys *s, const struct host *host);

/*
 * surveys_begin: have R, which is about TOPS (see struct survey), answered by ANSWER when the loops
 * are done; or with 503 at once if somebody waits already.
 */
void surveys_begin(
    struct surveys *s, struct evhttp_request *r, unsigned tops, surveys_answer *answer);

/* surveys_refuse: the daemon ends: answer who waits with 503. */
void surveys_refuse(struct surveys *s);

/* surveys_fini: forget who waits, without an answer. *S may be all zero. */
void surveys_fini(struct surveys *s);

#endif
