/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_RESPOND_H
#define DNS64D_CORE_RESPOND_H

/*
 * respond: write a query's answer.
 *
 * Each function writes one whole message, cut to what the client takes (rules.md D12), to OUT and
 * returns its length. They decide nothing about the query's way: that is core/state's.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"
#include "dns/answer.h"
#include "dns/msg.h"

/* respond_relay: M as it is, within rules.md D24. */
MUST_USE size_t respond_relay(
    struct queries *qs, const struct query *q, const struct msg *m, const struct query_out *out);

/* respond_error: RCODE without records. EDE: info code or DNS_EDE_NONE. */
MUST_USE size_t respond_error(struct queries *qs, const struct query *q, uint16_t rcode,
    uint16_t ede, const struct query_out *out);

/* respond_synth: AAAA made of the A records of M, whose chain is A, behind the chain followed so
 * far (RFC 6147 section 5.1.7). */
MUST_USE size_t respond_synth(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, uint32_t ttl_cap, const struct query_out *out);

/* respond_native: the AAAA records of M that are not excluded, behind the chain followed so far. */
MUST_USE size_t respond_native(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/* respond_negative: RCODE (NOERROR, NXDOMAIN) with the chain followed so far, M's chain and M's
 * SOA. */
MUST_USE size_t respond_negative(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, uint16_t rcode, const struct query_out *out);

/*
 * respond_nodata: NOERROR with the chain and SOA of the negative AAAA reply; without an SOA there,
 * that of the A reply M (NULL: none). TTL of the SOA: SOA_TTL at most (rules.md D2).
 */
MUST_USE size_t respond_nodata(struct queries *qs, const struct query *q, const struct msg *m,
    uint32_t soa_ttl, const struct query_out *out);

/* respond_reverse: CNAME and PTR from M, the reply to the in-addr.arpa question (rules.md D16). */
MUST_USE size_t respond_reverse(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out);

/* respond_local: RCODE with the SOA of the local zone of the query's prefix (rules.md D17). */
MUST_USE size_t respond_local(
    struct queries *qs, const struct query *q, uint16_t rcode, const struct query_out *out);

#endif
