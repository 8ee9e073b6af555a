/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PARTIAL_H
#define DNS64D_CORE_PARTIAL_H

/*
 * partial: what a reply leaves for later states of a query.
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

#define PARTIAL_MAX 512      /* bytes of the message kept */
#define PARTIAL_DATA_MAX 512 /* of one with addresses */

struct partial {
	uint16_t len;
	uint8_t bytes[PARTIAL_MAX + DNS_OPT_LEN];
};

/* The addresses at the end of a chain, while something is asked that may be better. */
struct partial_data {
	/* owned: that leads to them, while another goes on from there; NULL */
	struct partial *chain;
	uint64_t at_ns; /* when they came */
	size_t len;
	uint8_t bytes[PARTIAL_DATA_MAX + DNS_OPT_LEN];
};

/*
 * partial_keep: keep chain and SOA (with its remaining negative TTL) of reply M, whose chain is A,
 * behind the chain of EARLIER (NULL: none), as a message about QNAME (a name). What does not fit is
 * left out: first the SOA. NULL when even the chain does not fit or the pool is empty. EARLIER
 * stays.
 */
MUST_USE struct partial *partial_keep(struct pool *pool, const uint8_t *qname,
    const struct partial *earlier, const struct msg *m, const struct answer *a);

/*
 * partial_keep_data: keep of reply M, whose chain A ends with data, the records of the type there,
 * authority and additional section, as a message about that last name. NULL when that does not fit
 * or the pool is empty.
 */
MUST_USE struct partial_data *partial_keep_data(
    struct pool *pool, const struct msg *m, const struct answer *a, uint64_t now_ns);

/* partial_view_data: parse it to *m. */
void partial_view_data(const struct partial_data *d, struct msg *m);

/* partial_view: parse it to *m and walk its chain for QTYPE to *a. */
void partial_view(const struct partial *r, uint16_t qtype, struct msg *m, struct answer *a);

#endif
