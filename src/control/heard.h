/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_HEARD_H
#define DNS64D_CONTROL_HEARD_H

/*
 * heard: what this thread logs while it does what a client asked for, as JSON: the client is told
 * the same as the log.
 *
 *	[{"level": "error", "about": "config", "text": "t.conf:3: port: ..."}, ...]
 */

#include <jansson.h>

#include "base/attr.h"
#include "base/log.h"

#define HEARD_MAX 200 /* lines that are kept; the rest is in the log */

struct heard {
	struct log_ear ear; /* borrowed by the log until heard_end */
	json_t *lines;      /* owned; NULL: no memory */
};

/* heard_begin: listen to this thread, until heard_end. *H must stay where it is. */
void heard_begin(struct heard *h);

/* heard_end: stop listening. Returns the lines, the caller's reference; NULL without memory. */
MUST_USE json_t *heard_end(struct heard *h);

#endif
