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

#define REMNANT_MAX 512      /* bytes of the message kept */
#define REMNANT_DATA_MAX 512 /* of one with addresses */

struct remnant {
	uint16_t len;
	uint8_t bytes[REMNANT_MAX + DNS_OPT_LEN];
};

/* The addresses at the end of a chain, while something is asked that may be better. */
struct remnant_data {
	/* owned: that leads to them, while another goes on from there; NULL */
	struct remnant *chain;
	uint64_t at_ns; /* when they came */
	size_t len;
	uint8_t bytes[REMNANT_DATA_MAX + DNS_OPT_LEN];
};

/*
 * remnant_keep: keep chain and SOA (with its remaining negative TTL) of reply M, whose chain is A,
 * behind the chain of EARLIER (NULL: none), as a message about QNAME (a name). What does not fit is
 * left out: first the SOA. NULL when even the chain does not fit or the pool is empty. EARLIER
 * stays.
 */
MUST_USE struct remnant *remnant_keep(struct pool *pool, const uint8_t *qname,
    const struct remnant *earlier, const struct msg *m, const struct answer *a);

/*
 * remnant_keep_data: keep of reply M, whose chain A ends with data, the records of the type there,
 * authority and additional section, as a message about that last name. NULL when that does not fit
 * or the pool is empty.
 */
MUST_USE struct remnant_data *remnant_keep_data(
    struct pool *pool, const struct msg *m, const struct answer *a, uint64_t now_ns);

/* remnant_view_data: parse it to *m. */
void remnant_view_data(const struct remnant_data *d, struct msg *m);

/* remnant_view: parse it to *m and walk its chain for QTYPE to *a. */
void remnant_view(const struct remnant *r, uint16_t qtype, struct msg *m, struct answer *a);

#endif
