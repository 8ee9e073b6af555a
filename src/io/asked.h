/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_ASKED_H
#define DNS64D_IO_ASKED_H

/*
 * asked: a question that the main thread has a loop explain, and where it lies for the loop.
 *
 * Both hold it, and whoever lets it go last frees it: the main thread need not wait for a loop that
 * is slow, nor the loop for who asked.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/trace.h"

#define ASKED_MESSAGE 512 /* bytes of a message that is explained */

struct shell;

struct asked {
	atomic_uint refs;
	struct netaddr client; /* as if it asked */
	uint8_t transport;     /* enum transport: by which it is as if the client asked */
	bool refused;          /* the loop did not take it: it works on another one, or ends */
	size_t len;
	uint8_t msg[ASKED_MESSAGE]; /* its message */
	struct trace trace;         /* trace.dry; the rest is there once trace_done */
};

/* Of one loop. */
struct asked_box {
	_Atomic(struct asked *) posted; /* one reference; NULL: none is */
	struct asked *working;          /* likewise; the loop's own */
};

/* asked_new: one that is all zero; the caller has the one reference. NULL without memory. */
MUST_USE struct asked *asked_new(void);

/* asked_unref: one reference less; the last frees A, which may be NULL. Any thread. */
void asked_unref(struct asked *a);

/* asked_post: lay A, with a reference more, into B. False: there is one already. Any thread. */
MUST_USE bool asked_post(struct asked_box *b, struct asked *a);

/* asked_take: begin with the one that lies in B, if any; not if the loop is STOPPING. */
void asked_take(struct asked_box *b, struct shell *sh, bool stopping);

/* asked_let_go: the one in work is done. */
void asked_let_go(struct asked_box *b);

/* asked_look: let go what is done. */
static inline void
asked_look(struct asked_box *b)
{
	if (UNLIKELY(b->working != NULL) && trace_done(&b->working->trace))
		asked_let_go(b);
}

/* asked_fini: let all go; the engine that worked on it is no more. */
void asked_fini(struct asked_box *b);

#endif
