/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_FETCH_H
#define DNS64D_ENGINE_FETCH_H

/*
 * fetch: a question's entry in the cache, presented as the outcome of a lookup.
 *
 * A hit leads to the same decisions as a reply (RULES D22): the message again has the extended
 * error of its OPT, and its TTLs are counted down. The struct holds one hit at a time, in its own
 * memory.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "core/conf.h"
#include "core/stats.h"
#include "dns/msg.h"
#include "outbound/lookup.h"

#define FETCH_STALE_TTL 30 /* s: TTL of all records of a stale answer (RFC 8767 section 4) */

struct fetch {
	struct lookup_result result; /* the last hit */
	struct msg msg;
	struct cache_entry entry; /* of the last hit, without its bytes */
	bool stale;               /* the entry has expired */
	bool failing;             /* expired, and could not be refreshed a moment ago */
	uint32_t rotation;        /* state of the rotation of addresses */
	uint8_t bytes[LOOKUP_KEPT];
};

/* Which expired entries count as a hit; unexpired ones always do. */
enum fetch_take {
	FETCH_UNEXPIRED, /* nothing */
	/* an entry that could not be refreshed a moment ago; counts as asking for the entry */
	FETCH_FAILING,
	FETCH_LOOKING, /* the same, but does not count as that */
	FETCH_RECORDS, /* that, and every stale entry but an NXDOMAIN (RULES D5) */
	FETCH_ALL      /* every stale entry: upstream has failed or is late */
};

enum fetch_found {
	FETCH_NOTHING,
	FETCH_HIT,  /* the hit is in the struct */
	FETCH_DUE,  /* a hit that the caller should refresh; with FETCH_FAILING only */
	FETCH_STALE /* a stale entry exists, for use if upstream fails; not in the struct */
};

/*
 * fetch_find: look KEY up in conf->cache (not NULL), with the expired entries that TAKE allows. On
 * FETCH_HIT and FETCH_DUE f->result and f->msg are filled, valid until the next call on F. Counts
 * hits in STATS.
 */
MUST_USE enum fetch_found fetch_find(struct fetch *f, const struct conf_core *conf,
    struct stats *stats, const struct question *key, enum fetch_take take, uint64_t now_ns);

/*
 * fetch_exists: has the cache an entry for KEY itself, expired for STALE_S s at most, that may be
 * served? Counts nothing; overwrites the hit in F.
 */
MUST_USE bool fetch_exists(struct fetch *f, const struct conf_core *conf,
    const struct question *key, uint32_t stale_s, uint64_t now_ns);

#endif
