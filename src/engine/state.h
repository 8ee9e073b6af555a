/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_STATE_H
#define DNS64D_ENGINE_STATE_H

/*
 * state: runs a query: gives it one event after the other until it waits or has its answer.
 *
 * What an event does is in the tables of engine/state_rows.h. What they cannot say:
 *
 * By policy AAAA may not lead to A (D3), or A may come first (D13). In the latter case every
 * outcome but A records that map leads to NATIVE, the real AAAA.
 *
 * If upstream gives an error or no reply, or 1.8 s have passed, and the cache has a stale entry,
 * then that entry is the event instead (D4, D5), and the answer carries an extended error. A stale
 * NXDOMAIN leads from AAAA to A, as silence does, and is the answer if A fails too.
 *
 * An AAAA phase of more than 2 s, or of several attempts without a reply, is late, which leads to A
 * as silence does. But the query watches the AAAA question, which goes on: LATE_ROWS say what comes
 * of that, as long as no answer has left. An NXDOMAIN for A is the answer at once, whatever is
 * watched. Where silence does not lead to A by policy, AAAA is waited for all the time. TARGET, and
 * A where it comes first, are late likewise, but not watched. Every query ends after 4.5 s (D5).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/query.h"

/*
 * state_run: continue the ready query Q. RESULT is that of the lookup that ended last; its message
 * belongs to Q's event only if q->came.with_msg. Returns the length in bytes of the answer written
 * to OUT, or 0 when Q waits again. The caller frees Q after an answer.
 */
MUST_USE size_t state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns);

/* query_state_name: a word for STATE, for programs: "relay", "aaaa", "a", "target", ... */
MUST_USE const char *query_state_name(enum query_state state);

#endif
