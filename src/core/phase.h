/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PHASE_H
#define DNS64D_CORE_PHASE_H

/*
 * phase: AAAA, then A: the states of core/state.h that make DNS64 (RFC 6147 section 5.1).
 *
 * Each function takes the event that a query in its state is ready for. It returns the length of
 * the answer written, or 0 when the query waits again.
 */

#include <stddef.h>

#include "base/attr.h"
#include "core/query.h"

MUST_USE size_t phase_aaaa(struct queries *qs, struct query *q, const struct query_event *ev);
MUST_USE size_t phase_a(struct queries *qs, struct query *q, const struct query_event *ev);
MUST_USE size_t phase_target(struct queries *qs, struct query *q, const struct query_event *ev);
MUST_USE size_t phase_native(struct queries *qs, struct query *q, const struct query_event *ev);

#endif
