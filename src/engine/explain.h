/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_EXPLAIN_H
#define DNS64D_ENGINE_EXPLAIN_H

/*
 * explain: lines of level debug about the questions of clients (callers ask first whether anybody
 * reads them, log_debugs), and words for what engine/trace notes.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "engine/query.h"
#include "outbound/narrate.h"

/* explain_question: IN came from a client. */
NARRATE_FAR void explain_question(const struct packet_in *in);

/* explain_answer: the answer of LEN bytes at MSG goes out to Q, NOW_NS. */
NARRATE_FAR void explain_answer(
    const struct query *q, const uint8_t *msg, size_t len, uint64_t now_ns);

/* explain_repeated: the answer of LEN bytes at MSG goes out to PEER again, for REASON. */
NARRATE_FAR void explain_repeated(
    const struct netaddr *peer, const uint8_t *msg, size_t len, enum reason reason);

/*
 * explain_dns64: the answer of LEN bytes at MSG goes out to Q: if that is a question for AAAA, the
 * prefix that P synthesized under and why, or why nothing was synthesized.
 */
NARRATE_FAR void explain_dns64(
    const struct query *q, const struct synth_policy *p, const uint8_t *msg, size_t len);

/* explain_state: a word for a state, for programs: "relay", "aaaa", "a", "target", ... */
MUST_USE const char *explain_state(enum query_state state);

/* explain_outcome: likewise for an outcome: "reply", "error", "silent", ... */
MUST_USE const char *explain_outcome(enum lookup_outcome outcome);

#endif
