/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_INQUIRY_H
#define DNS64D_CONTROL_INQUIRY_H

/*
 * inquiry: the one question at a time that a loop explains, and who waits for it. Nobody blocks: a
 * timer looks whether the loop is done with it. Who hangs up does not stop it; it is over when the
 * loop is done, or after INQUIRY_MS, when the loop may keep it for itself.
 */

#include <event2/event.h>
#include <event2/http.h>
#include <stdint.h>

#include "base/attr.h"
#include "control/host.h"
#include "io/asked.h"

#define INQUIRY_MS 7000 /* more than a question ever takes */

/* Answers R, with ARG of inquiry_init. A is done, and borrowed. */
typedef void inquiry_answer(struct evhttp_request *r, void *arg, struct asked *a);

struct inquiry {
	const struct host *host; /* borrowed */
	inquiry_answer *answer;
	void *arg;
	struct event *timer;      /* owned */
	struct asked *asked;      /* one reference; NULL: nobody waits */
	struct evhttp_request *r; /* who does */
	uint64_t end_ns;          /* when the loop is waited for no longer */
};

/*
 * inquiry_init: have ANSWER, with ARG, answer about questions to the loops of HOST. False without
 * memory.
 */
MUST_USE bool inquiry_init(
    struct inquiry *i, const struct host *host, inquiry_answer *answer, void *arg);

/*
 * inquiry_begin: have a loop explain A, whose reference is passed on, and R answered then; or with
 * 503 at once, if somebody waits already or the loop still works on another one.
 */
void inquiry_begin(struct inquiry *i, struct evhttp_request *r, struct asked *a);

/* inquiry_refuse: the daemon ends: tell that who waits. */
void inquiry_refuse(struct inquiry *i);

/* inquiry_fini: forget who waits, without an answer. *I may be all zero. */
void inquiry_fini(struct inquiry *i);

#endif
