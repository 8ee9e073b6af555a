/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_LOOKUPLOG_H
#define DNS64D_OUTBOUND_LOOKUPLOG_H

/*
 * lookuplog: lines of level debug about single questions to upstreams and about entries of the
 * cache; about those of clients: engine/clientlog. Callers ask first whether anybody reads them
 * (log_debugs), a load and a branch; all here is far from the hot path.
 */

#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "cache/cache.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/type.h"
#include "outbound/lookup.h"

#define LOOKUPLOG_FAR __attribute__((cold, noinline))
#define LOOKUPLOG_ABOUT (NAME_TEXT + TYPE_TEXT) /* bytes of lookuplog_about, with the zero */

/*
 * lookuplog_about: write "www.example. AAAA" to TEXT, with all bytes escaped that could be mistaken
 * for something else. Returns TEXT.
 */
const char *lookuplog_about(char text[static LOOKUPLOG_ABOUT], const uint8_t *name, uint16_t qtype);

/* lookuplog_ms: the milliseconds from FROM_NS to TO_NS. */
MUST_USE static inline double
lookuplog_ms(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(to_ns - from_ns) / (double)NS_PER_MS;
}

/*
 * lookuplog_asks: L's question is sent now to l->upstream; BEFORE: the one that it was to ask, or
 * asked last, before that was chosen.
 */
LOOKUPLOG_FAR void lookuplog_asks(
    const struct lookups *ls, const struct lookup *l, unsigned before);

/* lookuplog_reply: M came as the reply to L's present attempt. */
LOOKUPLOG_FAR void lookuplog_reply(
    const struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns);

/* lookuplog_silent: the wait for A, an attempt of L, is over. */
LOOKUPLOG_FAR void lookuplog_silent(
    const struct lookups *ls, const struct lookup *l, const struct attempt *a, uint64_t now_ns);

/* lookuplog_found: the cache has the entry E for KEY. */
LOOKUPLOG_FAR void lookuplog_found(const struct question *key, const struct cache_entry *e);

/* lookuplog_kept: E is put into the cache for KEY; ttl_s 0: it may not be kept. */
LOOKUPLOG_FAR void lookuplog_kept(const struct question *key, const struct cache_entry *e);

#endif
