/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_STORE_H
#define DNS64D_CORE_STORE_H

/*
 * store: what of a lookup's result goes to the cache, and for how long (RULES D22, RFC 2308).
 *
 * A reply is kept as upstream gave it, without its OPT and AA. An NXDOMAIN without a chain is kept
 * for all types of its name. When no upstream had an answer, that is remembered for a short while
 * (RFC 9520).
 */

#include <stdint.h>

#include "core/lookup.h"

/* The longest that failures are remembered (RFC 9520 section 3.2, RULES D22), unless
 * cache-failure-ttl is longer: asking the silent again costs three sends each, while an error is
 * told at once. */
#define STORE_SILENCE_MOST_S 300
#define STORE_ERROR_MOST_S 30
#define STORE_RCODE_SHIFT 4 /* the upper 8 bits of a message's rcode stand in place of its ID */

/*
 * store_result: L ended with RESULT. There must be a cache.
 */
void store_result(struct lookups *ls, const struct lookup *l, const struct lookup_result *result,
    uint64_t now_ns);

/*
 * store_changes: what upstreams_configure says has CHANGED: whose word was trusted counts so no
 * more (RULES D9); a silence is remembered only of all upstreams (RULES D4), so not where there is
 * a new one.
 */
void store_changes(struct cache *c, unsigned changed, uint64_t now_ns);

#endif
