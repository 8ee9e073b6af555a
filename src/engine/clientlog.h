/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_CLIENTLOG_H
#define DNS64D_ENGINE_CLIENTLOG_H

/*
 * clientlog: lines of level debug about the questions of clients and their answers; about those to
 * upstreams: outbound/trace. Callers ask first whether anybody reads them (log_debugs).
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/packet.h"
#include "engine/query.h"
#include "outbound/trace.h"

/* clientlog_question: IN came from a client. */
TRACE_FAR void clientlog_question(const struct packet_in *in);

/* clientlog_answer: the answer of LEN bytes at MSG goes out to Q, NOW_NS. */
TRACE_FAR void clientlog_answer(
    const struct query *q, const uint8_t *msg, size_t len, uint64_t now_ns);

/* clientlog_repeated: the answer of LEN bytes at MSG goes out to PEER again, for REASON. */
TRACE_FAR void clientlog_repeated(
    const struct netaddr *peer, const uint8_t *msg, size_t len, enum reason reason);

/*
 * clientlog_dns64: the answer of LEN bytes at MSG goes out to Q: if that is a question for AAAA,
 * the prefix that P synthesized under and why, or why nothing was synthesized.
 */
TRACE_FAR void clientlog_dns64(
    const struct query *q, const struct synth_policy *p, const uint8_t *msg, size_t len);

#endif
