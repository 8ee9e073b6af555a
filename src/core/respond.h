/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_RESPOND_H
#define DNS64D_CORE_RESPOND_H

/*
 * respond: write a query's answer.
 *
 * Each function writes one whole message, cut to what the client takes (RULES D12), to OUT and
 * returns its length. They decide nothing about the query's way: that is core/state's.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"
#include "dns/answer.h"
#include "dns/msg.h"
#include "dns64/synth.h"

/* respond_relay: M as it is, within RULES D24. */
MUST_USE size_t respond_relay(
    struct queries *qs, struct query *q, const struct msg *m, const struct query_out *out);

/* Why an answer without records is given. */
struct respond_reason {
	uint16_t ede;          /* info code, DNS_EDE_NONE for none */
	const char *text;      /* its EXTRA-TEXT; NULL: none */
	const struct msg *msg; /* the reply that led to it, whose own EDEs go along; NULL */
};

/* respond_error: RCODE without records. */
MUST_USE size_t respond_error(struct queries *qs, struct query *q, uint16_t rcode,
    const struct respond_reason *why, const struct query_out *out);

/*
 * respond_synth: AAAA made of the A records of M, whose chain is A, behind the chain followed so
 * far (RFC 6147 section 5.1.7). 0: none of them maps, by the client's policy, and nothing is
 * counted.
 */
MUST_USE size_t respond_synth(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, uint32_t ttl_cap, const struct query_out *out);

/* respond_native: the AAAA records of M that are not excluded, behind the chain followed so far. */
MUST_USE size_t respond_native(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/* respond_negative: RCODE (NOERROR, NXDOMAIN) with the chain followed so far, M's chain and M's
 * SOA. */
MUST_USE size_t respond_negative(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, uint16_t rcode, const struct query_out *out);

/*
 * respond_nodata: NOERROR with the chain and SOA of the negative AAAA reply; without an SOA there,
 * that of the A reply WHY->msg. TTL of the SOA: SOA_TTL at most (RULES D2).
 */
MUST_USE size_t respond_nodata(struct queries *qs, struct query *q,
    const struct respond_reason *why, uint32_t soa_ttl, const struct query_out *out);

/* respond_hidden: NODATA with the chain of M to the A records that are hidden (RULES D17). */
MUST_USE size_t respond_hidden(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/* respond_reverse: CNAME and PTR from M, the reply to the in-addr.arpa question (RULES D16). */
MUST_USE size_t respond_reverse(struct queries *qs, struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/*
 * respond_empty: RCODE with the SOA of the local zone that the query is in (RULES D17), whose TTL
 * and MINIMUM are MOST s at most.
 */
MUST_USE size_t respond_empty(struct queries *qs, struct query *q, uint16_t rcode, uint32_t most,
    const struct query_out *out);

/* respond_local: what a LOCAL query says. */
MUST_USE size_t respond_local(struct queries *qs, struct query *q, const struct query_out *out);

/* What every state may answer to an event that did not go well (core/respond_failure.c). */

/* respond_fail: SERVFAIL, with the extended error for the trouble that it is (RFC 8914 section 4).
 */
MUST_USE size_t respond_fail(struct queries *qs, struct query *q, const struct query_event *ev);

/* respond_no_room: SERVFAIL: we had no room for the question (RULES D26). */
MUST_USE size_t respond_no_room(struct queries *qs, struct query *q, const struct query_event *ev);

/*
 * respond_upstream_error: the best error of all upstreams (RULES D4), as it came if it is at hand.
 */
MUST_USE size_t respond_upstream_error(
    struct queries *qs, struct query *q, const struct query_event *ev);

/* respond_bogus: upstream found that the data does not validate (RULES D3). */
MUST_USE size_t respond_bogus(struct queries *qs, struct query *q, const struct query_event *ev);

#endif
