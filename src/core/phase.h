/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PHASE_H
#define DNS64D_CORE_PHASE_H

/*
 * phase: what each event does to a query in each state: the functions of core/state_rows.h.
 */

#include <stddef.h>

#include "base/attr.h"
#include "core/query.h"

/*
 * phase_take: Q's event comes with RESULT, or is a STALE entry of the cache: find its row, looking
 * into the reply if the state wants that, and do what it says. Returns the length in bytes of the
 * answer written to OUT, or 0 when Q waits again or qs->hit is set.
 */
MUST_USE size_t phase_take(struct queries *qs, struct query *q, const struct lookup_result *result,
    bool stale, const struct query_out *out, uint64_t now_ns);

#endif
