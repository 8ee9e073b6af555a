/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_CACHE_H
#define DNS64D_CACHE_CACHE_H

/*
 * cache: what upstream has said, for all loops. One block of fixed size in shards (cache/shard),
 * each with a lock that is held for a search and a copy only.
 *
 * It holds upstream's messages without their OPT, never what was made of them: synthesis is done
 * when answering, so one entry serves every client whatever its prefixes (RULES D22). What is kept
 * of a reply and how it becomes an answer again is core/store's; here are keys, ages and flushes.
 * Time is in whole seconds of one clock of all loops, which may wrap. Any thread may call anything
 * here.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/question.h"
#include "cache/shard.h"

#define CACHE_MIN SHARD_MIN /* bytes of the smallest */
#define CACHE_SHARDS_MAX 4096
#define CACHE_RETRY_S 30  /* between attempts to refresh what could not be (RFC 8767 section 5) */
#define CACHE_POPULAR 2   /* asked for so often an entry is worth a refresh before its end */
#define CACHE_DUE_PART 10 /* in the last tenth of its time it is due */

struct cache;

enum cache_kind {
	CACHE_POSITIVE,
	CACHE_NODATA,
	CACHE_NXDOMAIN,
	CACHE_ERROR,  /* an rcode, remembered for a while (RFC 9520) */
	CACHE_SILENT, /* no upstream replied; no longer true once one that was down does */
	CACHE_BOGUS   /* validation failed (RULES D3) */
};

#define CACHE_CUT ENTRY_CUT /* nothing is below the name either (RFC 8020) */
#define CACHE_TRUSTED 0x02  /* every upstream on the way was trusted (RULES D9) */
#define CACHE_WITH_MSG 0x04 /* its message came from upstream, and is more than the question */

/* What the one who looks takes. */
struct cache_want {
	uint32_t now_s;
	uint32_t stale_s; /* entries so long past their end (RFC 8767); 0: fresh ones only */
	bool ask;         /* it counts as asking for the entry, which may make it due */
};

struct cache_entry {
	enum cache_kind kind;
	uint8_t flags;  /* CACHE_CUT, CACHE_TRUSTED, CACHE_WITH_MSG */
	uint16_t ede;   /* info code, DNS_EDE_NONE */
	uint32_t age_s; /* since it came */
	uint32_t ttl_s; /* how long it was fresh from then on, > 0 */
	size_t len;     /* bytes of its message */
	bool due;       /* the caller is to refresh it: it ends soon and is popular */
	bool failing; /* stale, and the attempt to refresh it failed less than CACHE_RETRY_S ago */
};

/* cache_fresh: has E not come to its end? */
static inline bool
cache_fresh(const struct cache_entry *e)
{
	return e->age_s < e->ttl_s;
}

/*
 * cache_new: SIZE bytes in all (CACHE_MIN at least), touched as they are used; SEED: keys the hash;
 * entries are of use for STALE_S after their end. NULL without memory; errno tells.
 */
MUST_USE struct cache *cache_new(size_t size, uint32_t stale_s, uint64_t seed);
void cache_free(struct cache *c); /* C may be NULL */

/* cache_size: bytes. cache_shards: how many parts. */
MUST_USE size_t cache_size(const struct cache *c);
MUST_USE unsigned cache_shards(const struct cache *c);

/* cache_seed: what questions' hashes are keyed with. */
MUST_USE uint64_t cache_seed(const struct cache *c);

/*
 * cache_get: what there is for KEY: of its type, or that the name does not exist; fresh before
 * stale, then what came last. A failure is there as long as it is fresh. Its message is copied to
 * the CAP bytes at BUF. False: there is none that WANT takes, it was flushed, or it does not fit.
 */
MUST_USE bool cache_get(struct cache *c, const struct question *key, const struct cache_want *want,
    uint8_t *buf, size_t cap, struct cache_entry *out);

/*
 * cache_get_above: an entry with CACHE_CUT for a name above KEY's, fresh (RFC 8020 section 2); its
 * message, about that name, is copied. Costs nothing as long as there are none.
 */
MUST_USE bool cache_get_above(struct cache *c, const struct question *key, uint32_t now_s,
    uint8_t *buf, size_t cap, struct cache_entry *out);

/*
 * cache_put: keep MSG, whose question has KEY's name and class, with what E says (len, due and
 * failing are not looked at) in place of what KEY had.
 */
void cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s);

/* cache_remove: forget the entry for KEY, and the NXDOMAIN for all types of its name. */
void cache_remove(struct cache *c, const struct question *key);

/*
 * cache_put_failure: E is a failure (CACHE_ERROR, CACHE_SILENT, CACHE_BOGUS), E->ttl_s how long it
 * is remembered the first time; doubled each time it comes back at once, up to MOST_S. What is
 * still of use, stale for at most STALE_S, stays instead and is not refreshed for CACHE_RETRY_S;
 * only CACHE_BOGUS takes the place of a stale one.
 */
void cache_put_failure(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, const struct cache_want *want, uint32_t most_s);

/*
 * cache_revived: an upstream replies again that had failed since FROM_S and was down: what silence
 * was remembered since is true no more; what was remembered before stays, and what will be.
 */
void cache_revived(struct cache *c, uint32_t from_s, uint32_t now_s);

/*
 * cache_distrust: an upstream that was trusted is so no more: entries that came up to now have no
 * CACHE_TRUSTED any more, whoever said them.
 */
void cache_distrust(struct cache *c, uint32_t now_s);

/* cache_flushes: counts the calls of the three below. */
MUST_USE uint32_t cache_flushes(const struct cache *c);

/* cache_flush_all: nothing that is there now is found any more. O(1). */
void cache_flush_all(struct cache *c);

/* cache_flush_name: the same for all types of NAME (a name, in lower case); how many there were. */
unsigned cache_flush_name(struct cache *c, const uint8_t *name, size_t len);

/*
 * cache_flush_below: the same for NAME and all names below it. When too many of these are
 * remembered all is flushed.
 */
void cache_flush_below(struct cache *c, const uint8_t *name, size_t len, uint32_t now_s);

/* cache_counts: of all shards together. */
void cache_counts(struct cache *c, struct shard_counts *sum);

/*
 * cache_walk: call VISIT for each entry of SHARD (below cache_shards) that cache_get may find,
 * until it returns false. The shard is locked meanwhile; KEY (without its hash), E and MSG are
 * borrowed. False: VISIT wanted no more.
 */
typedef bool cache_visit(
    void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg);
bool cache_walk(struct cache *c, unsigned shard, uint32_t now_s, cache_visit *visit, void *arg);

#endif
