/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_LINES_H
#define DNS64D_CONTROL_LINES_H

/*
 * lines: what this thread logs while it does what a client asked for, as JSON: the client is told
 * the same as the log.
 *
 *	[{"level": "error", "about": "config", "text": "t.conf:3: port: ..."}, ...]
 */

#include <event2/http.h>
#include <jansson.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/log.h"

#define LINES_MAX 200 /* lines that are kept; the rest is in the log */

struct lines {
	struct log_ear ear;           /* borrowed by the log until lines_end */
	const struct log_ear *before; /* who hears again then */
	json_t *list;                 /* owned; NULL: no memory */
};

/*
 * lines_begin: listen to this thread, until lines_end. *H must stay where it is. A second struct
 * may begin meanwhile, and has to end first.
 */
void lines_begin(struct lines *h);

/* lines_listens: has H, which may be all zero, begun and not ended? */
MUST_USE static inline bool
lines_listens(const struct lines *h)
{
	return h->ear.hear != NULL;
}

/* lines_end: stop listening. Returns the lines, the caller's reference; NULL without memory. */
MUST_USE json_t *lines_end(struct lines *h);

/*
 * lines_answer: lines_end, and answer R with the lines: that it was done (OK), or with 422 and
 * ERROR. R must not be used any more.
 */
void lines_answer(struct lines *h, struct evhttp_request *r, bool ok, const char *error);

#endif
