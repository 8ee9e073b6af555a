/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_EXPLAIN_H
#define DNS64D_CORE_EXPLAIN_H

/*
 * explain: log, at level debug, why a question for AAAA gets no synthesized records. Only this and
 * the message about a refused client (core/request) are about a single query.
 */

#include "base/attr.h"
#include "core/query.h"

/* explain: Q has its answer: log its reason if it is for AAAA and nothing is synthesized. */
void explain(const struct query *q);

/* explain_state: a word for a state, for programs: "relay", "aaaa", "a", "target", ... */
MUST_USE const char *explain_state(enum query_state state);

/* explain_outcome: likewise for an outcome: "reply", "error", "silent", ... */
MUST_USE const char *explain_outcome(enum lookup_outcome outcome);

#endif
