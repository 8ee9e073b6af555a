/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_KEEP_H
#define DNS64D_CORE_KEEP_H

/*
 * keep: what of a lookup's result goes to the cache, and for how long (RULES D22, RFC 2308).
 *
 * A reply is kept as upstream gave it, without its OPT and AA. An NXDOMAIN without a chain is kept
 * for all types of its name. When no upstream had an answer, that is remembered for a short while
 * (RFC 9520).
 */

#include <stdint.h>

#include "core/lookup.h"

#define KEEP_FAILURE_MOST_S 300 /* the longest that a failure is remembered (RFC 9520 section 3.2) */
#define KEEP_WITH_MSG 0x04	/* flag of an entry: its message came from upstream, and is more than
				   the question */
#define KEEP_RCODE_SHIFT 4 /* the upper 8 bits of a message's rcode stand in place of its ID */

/*
 * keep_result: L ended with RESULT. There must be a cache.
 */
void keep_result(struct lookups *ls, const struct lookup *l, const struct lookup_result *result,
    uint64_t now_ns);

#endif
