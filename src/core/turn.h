/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_TURN_H
#define DNS64D_CORE_TURN_H

/*
 * turn: what has happened to a query whose turn it is, and the answers that every state may give
 * to it.
 *
 * Each function writes an answer and returns its length, as core/respond's do.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/query.h"

/* The outcome at hand and where the answer goes. */
struct turn {
	enum lookup_outcome outcome;
	uint16_t rcode;
	const struct msg *msg; /* NULL without a reply */
	const struct query_out *out;
	uint64_t now_ns;
	bool stale; /* the cache has it, but past its end */
};

/* turn_fail: SERVFAIL, with the extended error for the trouble that it is (RFC 8914 section 4). */
MUST_USE size_t turn_fail(struct queries *qs, struct query *q, const struct turn *t);

/* turn_no_room: SERVFAIL: we had no room for the question (RULES D26). */
MUST_USE size_t turn_no_room(struct queries *qs, struct query *q, const struct turn *t);

/* turn_error: the best error of all upstreams (RULES D4), as it came if it is at hand. */
MUST_USE size_t turn_error(struct queries *qs, struct query *q, const struct turn *t);

/* turn_bogus: upstream found that the data does not validate (RULES D3). */
MUST_USE size_t turn_bogus(struct queries *qs, struct query *q, const struct turn *t);

#endif
