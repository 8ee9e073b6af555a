/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_STORE_H
#define DNS64D_ENGINE_STORE_H

/*
 * store: which results of lookups go to the cache, and for how long (RULES D22, RFC 2308).
 *
 * A reply is stored as upstream gave it, without its OPT and AA. An NXDOMAIN without a chain is
 * stored for all types of its name. A failure of all upstreams is stored for a short time (RFC
 * 9520).
 */

#include <stdint.h>

#include "outbound/lookup.h"

/*
 * s: the longest that failures are stored (RFC 9520 section 3.2, RULES D22), unless
 * cache-failure-ttl is longer. Silence is stored longer than errors: asking a silent upstream again
 * costs three sends, while an error comes back at once.
 */
#define STORE_SILENCE_MOST_S 300
#define STORE_ERROR_MOST_S 30
#define STORE_RCODE_SHIFT 4 /* the upper 8 bits of an rcode are stored in the ID field */

/*
 * store_result: L ended with RESULT: store it in ls->conf->cache (not NULL), or remove the entry
 * that it disproves.
 */
void store_result(struct lookups *ls, const struct lookup *l, const struct lookup_result *result,
    uint64_t now_ns);

/*
 * store_limit: let CONF's limits of TTLs hold for all that is in its cache (not NULL), which other
 * settings or a file may have brought (RULES D22).
 */
void store_limit(const struct conf_core *conf);

/*
 * store_changes: apply CHANGED, a result of upstreams_configure, to C. UPSTREAMS_DISTRUST: stored
 * AD is not trusted any more (RULES D9). UPSTREAMS_NEW: stored failures are forgotten, as they
 * stand for all upstreams (RULES D4).
 */
void store_changes(struct cache *c, unsigned changed, uint64_t now_ns);

#endif
