/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_PHASE_H
#define DNS64D_ENGINE_PHASE_H

/*
 * phase: what each event does to a query in each state: the functions of engine/state_rows.h.
 */

#include <stddef.h>

#include "base/attr.h"
#include "engine/query.h"

/*
 * phase_take: handle Q's event, q->came.outcome, by its row; in states other than RELAY the reply
 * says which event it is. RESULT: borrowed, of the lookup or the cache; its msg is used only if
 * q->came.with_msg. STALE: it is a stale entry of the cache. Returns the length in bytes of the
 * answer written to OUT, 0 if Q waits again, or QUERY_HIT (engine/query).
 */
MUST_USE size_t phase_take(struct queries *qs, struct query *q, const struct lookup_result *result,
    bool stale, const struct query_out *out, uint64_t now_ns);

#endif
