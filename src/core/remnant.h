/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_REMNANT_H
#define DNS64D_CORE_REMNANT_H

/*
 * remnant: what a reply leaves for later states of a query.
 *
 * A small message about the client's name: the chain so far and, of a negative reply, the
 * SOA. Kept because the reply's own bytes are gone when the next one arrives. Pooled.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/pool.h"
#include "dns/answer.h"
#include "dns/msg.h"

#define REMNANT_MAX 512 /* bytes of the message kept */

struct remnant {
	uint16_t len;
	uint8_t bytes[REMNANT_MAX + DNS_OPT_LEN];
};

/*
 * remnant_keep: keep chain and SOA (with its remaining negative TTL) of reply M, whose chain is A,
 * behind the chain of EARLIER (NULL: none), as a message about QNAME (a name). What does not fit is
 * left out: first the SOA. NULL when even the chain does not fit or the pool is empty. EARLIER
 * stays.
 */
MUST_USE struct remnant *remnant_keep(struct pool *pool, const uint8_t *qname,
    const struct remnant *earlier, const struct msg *m, const struct answer *a);

/* remnant_view: parse it to *m and walk its chain for QTYPE to *a. */
void remnant_view(const struct remnant *r, uint16_t qtype, struct msg *m, struct answer *a);

#endif
