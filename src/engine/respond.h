/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_RESPOND_H
#define DNS64D_ENGINE_RESPOND_H

/*
 * respond: write the answer to a query.
 *
 * Each function writes one whole message to OUT, truncated to the client's limit (RULES D12), and
 * returns its length in bytes. M is a reply (borrowed) and A its scanned chain. The extended error
 * is that of q->reason (core/reason), with those of M if they are relayed. These functions do not
 * decide what happens to the query: engine/phase does.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/answer.h"
#include "dns/msg.h"
#include "dns64/special.h"
#include "dns64/synth.h"
#include "engine/query.h"

/* respond_relay: M unchanged, except for what RULES D24 says. */
MUST_USE size_t respond_relay(
    struct queries *qs, struct query *q, const struct msg *m, const struct query_out *out);

/*
 * respond_error: RCODE without records. M: the reply that led to it; NULL: none. Without EDNS an
 * RCODE over 15 becomes SERVFAIL (RFC 6891 section 6.1.3).
 */
MUST_USE size_t respond_error(struct queries *qs, struct query *q, uint16_t rcode,
    const struct msg *m, const struct query_out *out);

/* respond_truncated: no records, with TC: the client is to ask again over TCP. */
MUST_USE size_t respond_truncated(struct queries *qs, struct query *q, const struct query_out *out);

/*
 * respond_synth: AAAA synthesized from the A records of M, behind the chain followed so far (RFC
 * 6147 section 5.1.7), with TTLs of TTL_CAP s at most. Returns 0, without counting, if the client's
 * policy maps none of the addresses.
 */
MUST_USE size_t respond_synth(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, uint32_t ttl_cap, const struct query_out *out);

/*
 * respond_native: the AAAA records of M that policy does not exclude, behind the chain followed so
 * far.
 */
MUST_USE size_t respond_native(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/*
 * respond_negative: M's rcode (NOERROR or NXDOMAIN) with the chain followed so far, M's chain and
 * M's SOA, with SOA_TTL.
 */
MUST_USE size_t respond_negative(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, uint32_t soa_ttl, const struct query_out *out);

/*
 * respond_nodata: NOERROR with the chain and SOA of the negative AAAA reply or, if that has no SOA,
 * the SOA of M, the reply that led to the answer. The TTL of the SOA is SOA_TTL s at most (RULES
 * D2). With DO the proof of the AAAA reply is kept, and AD with it (RULES D8).
 */
MUST_USE size_t respond_nodata(struct queries *qs, struct query *q, const struct msg *m,
    uint32_t soa_ttl, const struct query_out *out);

/* respond_hidden: NODATA with the chain of M, but without the A records at its end (RULES D17). */
MUST_USE size_t respond_hidden(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/* respond_reverse: a CNAME and the PTR of M, the reply to the in-addr.arpa question (RULES D16). */
MUST_USE size_t respond_reverse(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/*
 * respond_empty: RCODE with the SOA of the local zone of the question (RULES D17). The SOA's TTL
 * and MINIMUM are MOST s at most.
 */
MUST_USE size_t respond_empty(struct queries *qs, struct query *q, uint16_t rcode, uint32_t most,
    const struct query_out *out);

/*
 * respond_special_end: the chain A of EV's reply, and of its last name, which is in the special
 * zone that begins at its byte ZONE_AT, what is answered here (RULES D17).
 */
MUST_USE size_t respond_special_end(struct queries *qs, struct query *q,
    const struct query_event *ev, const struct answer *a, enum special_answer answer,
    size_t zone_at);

/* respond_local: the answer to a query in state LOCAL, by q->local.kind. */
MUST_USE size_t respond_local(struct queries *qs, struct query *q, const struct query_out *out);

/* Answers to failures, in every state. */

/* respond_fail: SERVFAIL, for the reason that fits ev->outcome (RFC 8914 section 4). */
MUST_USE size_t respond_fail(struct queries *qs, struct query *q, const struct query_event *ev);

/* respond_no_room: SERVFAIL, because we had no room for the question (RULES D26). */
MUST_USE size_t respond_no_room(struct queries *qs, struct query *q, const struct query_event *ev);

/*
 * respond_upstream_error: the most telling error of all upstreams (RULES D4); relayed if its reply
 * is about Q's own name and type.
 */
MUST_USE size_t respond_upstream_error(
    struct queries *qs, struct query *q, const struct query_event *ev);

/* respond_bogus: SERVFAIL, because upstream found that the data does not validate (RULES D3). */
MUST_USE size_t respond_bogus(struct queries *qs, struct query *q, const struct query_event *ev);

#endif
