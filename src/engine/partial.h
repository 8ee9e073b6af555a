/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_PARTIAL_H
#define DNS64D_ENGINE_PARTIAL_H

/*
 * partial: the parts of a reply that later states of a query need.
 *
 * A partial is a small message about the client's name: the CNAME chain so far and, from a negative
 * reply, the SOA. It is a copy because the bytes of a reply are gone when the next reply arrives.
 * Partials come from a pool.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/pool.h"
#include "dns/answer.h"
#include "dns/msg.h"

#define PARTIAL_MAX 512      /* bytes of the message kept */
#define PARTIAL_DATA_MAX 512 /* bytes of a message with addresses */

struct partial {
	uint16_t len;
	bool cut; /* of a reply that says NODATA, which was too long: its proof is missing */
	uint8_t bytes[PARTIAL_MAX + DNS_OPT_LEN];
};

/* The addresses at the end of a chain, kept while AAAA of the chain's last name is asked. */
struct partial_data {
	/* owned: the chain that leads to them, while query.chain is another one; NULL */
	struct partial *chain;
	uint64_t at_ns; /* when they arrived */
	size_t len;
	uint8_t bytes[PARTIAL_DATA_MAX + DNS_OPT_LEN];
};

/*
 * partial_keep: copy the chain of EARLIER (NULL: none), then the chain A and the SOA (with its
 * remaining negative TTL) of reply M, as a message about QNAME (a name); without EARLIER all of M
 * if it fits. The SOA is left out if it does not fit. NULL: the chain does not fit, or the pool is
 * empty. The caller keeps EARLIER and owns the result, which goes back to POOL.
 */
MUST_USE struct partial *partial_keep(struct pool *pool, const uint8_t *qname,
    const struct partial *earlier, const struct msg *m, const struct answer *a);

/*
 * partial_keep_data: copy from reply M, whose chain A ends with data, the records of the question's
 * type at the last name and the authority and additional sections, as a message about that last
 * name. NULL: the records do not fit, or the pool is empty. The caller owns the result, which goes
 * back to POOL.
 */
MUST_USE struct partial_data *partial_keep_data(
    struct pool *pool, const struct msg *m, const struct answer *a, uint64_t now_ns);

/* partial_view_data: parse D to *m, which borrows its bytes. */
void partial_view_data(const struct partial_data *d, struct msg *m);

/* partial_view: parse P to *m, which borrows its bytes, and scan its chain for QTYPE to *a. */
void partial_view(const struct partial *p, uint16_t qtype, struct msg *m, struct answer *a);

#endif
