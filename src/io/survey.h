/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SURVEY_H
#define DNS64D_IO_SURVEY_H

/*
 * survey: what the main thread has a loop copy out, in slices of its turns, and where it lies for
 * the loop.
 *
 * Both hold it, and whoever lets it go last frees it (as io/explain_job).
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/inflight.h"
#include "engine/top.h"

struct engine;

struct survey {
	atomic_uint refs;
	atomic_bool done; /* written last: the rest may be read */
	unsigned tops;    /* what of engine/top, bits by enum top_kind; 0: what is in flight */
	/* Of these bits, owned; NULL: that is counted from now on. */
	struct top_counts *top[TOP_KINDS];
	struct inflight inflight;
};

/* Of one loop. */
struct survey_box {
	_Atomic(struct survey *) posted; /* one reference; NULL: none is */
	struct survey *working;          /* likewise; the loop's own */
};

/*
 * survey_new: one about TOPS, see above, with nothing in it; the caller has the one reference. NULL
 * without memory.
 */
MUST_USE struct survey *survey_new(unsigned tops);

/* survey_unref: one reference less; the last frees S, which may be NULL. Any thread. */
void survey_unref(struct survey *s);

/*
 * survey_post: lay S, with a reference more, into B, in place of one that the loop has not begun
 * with. Any thread.
 */
void survey_post(struct survey_box *b, struct survey *s);

/* survey_done: has the loop done S? Any thread. */
MUST_USE bool survey_done(const struct survey *s);

/*
 * survey_work: a slice of what lies in B, by E, at NOW_NS. True: there is more to do, in another
 * turn.
 */
MUST_USE bool survey_work(struct survey_box *b, struct engine *e, uint64_t now_ns);

/* survey_fini: let all go. */
void survey_fini(struct survey_box *b);

#endif
