/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_LOG_CAPTURE_H
#define DNS64D_CONTROL_LOG_CAPTURE_H

/*
 * log_capture: what this thread logs while it does what a client asked for, as JSON: the client
 * gets the same as the log.
 *
 *	[{"level": "error", "about": "config", "text": "t.conf:3: port: ..."}, ...]
 */

#include <event2/http.h>
#include <jansson.h>
#include <stdbool.h>

#include "base/attr.h"
#include "base/log.h"

#define LOG_CAPTURE_MAX 200 /* lines that are kept; the rest is in the log */

struct log_capture {
	struct log_ear ear;           /* borrowed by the log until log_capture_end */
	const struct log_ear *before; /* who hears again then */
	json_t *list;                 /* owned; NULL: no memory */
};

/*
 * log_capture_begin: listen to this thread, until log_capture_end. *H must stay where it is. A
 * second struct may begin meanwhile, and has to end first.
 */
void log_capture_begin(struct log_capture *h);

/* log_capture_listens: has H, which may be all zero, begun and not ended? */
MUST_USE static inline bool
log_capture_listens(const struct log_capture *h)
{
	return h->ear.hear != NULL;
}

/* log_capture_end: stop listening. Returns the lines, the caller's reference; NULL without memory.
 */
MUST_USE json_t *log_capture_end(struct log_capture *h);

/*
 * log_capture_answer: log_capture_end, and answer R with the lines: that it was done (OK), or with
 * 422 and ERROR. R must not be used any more.
 */
void log_capture_answer(
    struct log_capture *h, struct evhttp_request *r, bool ok, const char *error);

#endif
