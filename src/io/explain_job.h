/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_EXPLAIN_JOB_H
#define DNS64D_IO_EXPLAIN_JOB_H

/*
 * explain_job: a question that the main thread has a loop explain, and where it lies for the loop.
 *
 * Both hold it, and whoever lets it go last frees it: the main thread need not wait for a loop that
 * is slow, nor the loop for who asked.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/explain.h"

#define EXPLAIN_JOB_MESSAGE 512 /* bytes of a message that is explained */

struct shell;

struct explain_job {
	atomic_uint refs;
	struct netaddr client; /* as if it asked */
	uint8_t transport;     /* enum transport: by which it is as if the client asked */
	bool refused;          /* the loop did not take it: it works on another one, or ends */
	size_t len;
	uint8_t msg[EXPLAIN_JOB_MESSAGE]; /* its message */
	struct explanation explanation;   /* its dry; the rest is there once explain_done */
};

/* Of one loop. */
struct explain_slot {
	_Atomic(struct explain_job *) posted; /* one reference; NULL: none is */
	struct explain_job *working;          /* likewise; the loop's own */
};

/* explain_job_new: one that is all zero; the caller has the one reference. NULL without memory. */
MUST_USE struct explain_job *explain_job_new(void);

/* explain_job_unref: one reference less; the last frees A, which may be NULL. Any thread. */
void explain_job_unref(struct explain_job *a);

/* explain_slot_post: lay A, with a reference more, into B. False: there is one already. Any thread.
 */
MUST_USE bool explain_slot_post(struct explain_slot *b, struct explain_job *a);

/* explain_slot_take: begin with the one that lies in B, if any; not if the loop is STOPPING. */
void explain_slot_take(struct explain_slot *b, struct shell *sh, bool stopping);

/* explain_slot_let_go: the one in work is done. */
void explain_slot_let_go(struct explain_slot *b);

/* explain_slot_look: let go what is done. */
static inline void
explain_slot_look(struct explain_slot *b)
{
	if (UNLIKELY(b->working != NULL) && explain_done(&b->working->explanation))
		explain_slot_let_go(b);
}

/* explain_slot_fini: let all go; the engine that worked on it is no more. */
void explain_slot_fini(struct explain_slot *b);

#endif
