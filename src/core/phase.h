/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PHASE_H
#define DNS64D_CORE_PHASE_H

/*
 * phase: the states of core/state.h that make DNS64: AAAA, then A (RFC 6147 section 5.1).
 *
 * Each function handles the event for a query in its state. It returns the length in bytes of the
 * answer written to ev->out, or 0 when the query waits again or qs->hit is set.
 */

#include <stddef.h>

#include "base/attr.h"
#include "core/query.h"

/* phase_aaaa: QUERY_AAAA: AAAA of the client's name was asked. */
MUST_USE size_t phase_aaaa(struct queries *qs, struct query *q, const struct query_event *ev);

/* phase_a: QUERY_A: A of the client's name was asked, to synthesize from (RULES D2). */
MUST_USE size_t phase_a(struct queries *qs, struct query *q, const struct query_event *ev);

/* phase_target: QUERY_TARGET: AAAA of the A chain's last name was asked (RULES D6). */
MUST_USE size_t phase_target(struct queries *qs, struct query *q, const struct query_event *ev);

/* phase_native: QUERY_NATIVE: AAAA was asked because A gave nothing to map (RULES D13). */
MUST_USE size_t phase_native(struct queries *qs, struct query *q, const struct query_event *ev);

#endif
