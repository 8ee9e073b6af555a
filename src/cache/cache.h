/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_CACHE_H
#define DNS64D_CACHE_CACHE_H

/*
 * cache: what upstream has said, for all loops: one block of fixed size in shards (cache/shard),
 * each with a lock that is held for one search and copy.
 *
 * It stores upstream's messages without their OPT, never synthesized answers: synthesis is done for
 * each answer, so one entry serves every client whatever its prefixes (RULES D22). What of a reply
 * is stored, and how an entry becomes an answer again, is for engine/store and engine/fetch; here
 * are keys, ages and flushes. Time is in whole seconds of one clock of all loops, which may wrap.
 * Thread-safe.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/question.h"
#include "cache/shard.h"

#define CACHE_MIN SHARD_MIN   /* bytes of the smallest cache */
#define CACHE_SHARDS_MAX 4096 /* shards of the largest one */
#define CACHE_RETRY_S 30  /* s, from a failed refresh to the next attempt (RFC 8767 section 5) */
#define CACHE_POPULAR 2   /* an entry asked for so often is refreshed before its end */
#define CACHE_DUE_PART 10 /* an entry is due in this part of its time, the last tenth */

struct cache;

/* What an entry says. */
enum cache_kind {
	CACHE_POSITIVE,
	CACHE_NODATA,
	CACHE_NXDOMAIN,
	CACHE_ERROR,  /* upstream failed with an rcode (RFC 9520) */
	CACHE_SILENT, /* no upstream replied; void once an upstream that was down replies */
	CACHE_BOGUS   /* validation failed (RULES D3) */
};

#define CACHE_CUT ENTRY_CUT /* there is nothing below the name either (RFC 8020) */
#define CACHE_TRUSTED 0x02  /* every upstream on the way was trusted (RULES D9) */
#define CACHE_WITH_MSG 0x04 /* the message is upstream's, not just the question */
#define CACHE_PLAIN 0x08    /* msg_plain describes the message (dns/msg) */

/* Which entries a search accepts. */
struct cache_want {
	uint32_t now_s;
	uint32_t
	    stale_s; /* stale entries for so long after their end (RFC 8767); 0: fresh ones only */
	bool ask;    /* count the search as asking for the entry, which may make it due */
};

/* What the cache says of an entry, beside its message. */
struct cache_entry {
	enum cache_kind kind;
	uint8_t flags;  /* CACHE_CUT, CACHE_TRUSTED, CACHE_WITH_MSG, CACHE_PLAIN */
	uint16_t ede;   /* info code, DNS_EDE_NONE */
	uint32_t age_s; /* since it came */
	uint32_t ttl_s; /* how long it is fresh from then on, > 0 */
	size_t len;     /* bytes of its message */
	bool due;       /* the caller must refresh it: it ends soon and is popular */
	bool failing; /* stale, and the attempt to refresh it failed less than CACHE_RETRY_S ago */
	uint32_t took_s; /* a failure to be stored: how long it took to come */
};

/* cache_fresh: is E fresh, that is, younger than its TTL? */
static inline bool
cache_fresh(const struct cache_entry *e)
{
	return e->age_s < e->ttl_s;
}

/*
 * cache_new: an empty cache of SIZE bytes (at least CACHE_MIN), which are reserved at once and
 * touched as entries come, from 1 GiB on in huge pages if the kernel has them. Entries are of use
 * for STALE_S after their end. SEED is the key of the hashes in struct question. NULL without
 * memory; errno says why.
 */
MUST_USE struct cache *cache_new(size_t size, uint32_t stale_s, uint64_t seed);

/* cache_free: free C, which no thread uses any more and which may be NULL. */
void cache_free(struct cache *c);

/* cache_size: SIZE of cache_new, in bytes. */
MUST_USE size_t cache_size(const struct cache *c);

/* cache_shards: the number of shards, a power of two. */
MUST_USE unsigned cache_shards(const struct cache *c);

/* cache_seed: the seed for hashes of questions. */
MUST_USE uint64_t cache_seed(const struct cache *c);

/*
 * cache_get: search the entry for KEY: that of its type, or the NXDOMAIN for all types of its name.
 * A fresh entry goes before a stale one, then the newer one counts; failures are found while fresh.
 * Its message is copied to the CAP bytes at BUF, the rest goes to *out. False: there is none that
 * WANT accepts and no flush has removed, or its message is longer than CAP.
 */
MUST_USE bool cache_get(struct cache *c, const struct question *key, const struct cache_want *want,
    uint8_t *buf, size_t cap, struct cache_entry *out);

/*
 * cache_get_above: search a fresh entry with CACHE_CUT for a name above KEY's (RFC 8020 section 2).
 * Its message, about that name, is copied to the CAP bytes at BUF. Without such entries it is
 * cheap.
 */
MUST_USE bool cache_get_above(struct cache *c, const struct question *key, uint32_t now_s,
    uint8_t *buf, size_t cap, struct cache_entry *out);

/*
 * cache_put: store the LEN bytes of MSG, whose question has KEY's name in lower case and class,
 * with what E says (len, due and failing are not read). It replaces the entry for KEY and the
 * NXDOMAIN for all types of its name. It may be dropped for lack of room.
 */
void cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s);

/* cache_remove: remove the entry for KEY and the NXDOMAIN for all types of its name. */
void cache_remove(struct cache *c, const struct question *key);

/*
 * cache_put_failure: store failure E (CACHE_ERROR, CACHE_SILENT, CACHE_BOGUS) with MSG as cache_put
 * does. It lasts for E->ttl_s; if the last failure for KEY has just ended, for twice as long as
 * that one, at most MOST_S (RFC 9520 section 3.2); E->took_s says when it was asked again. An entry
 * with an answer that WANT accepts stays instead, and is not due for CACHE_RETRY_S; a failure is
 * replaced, and CACHE_BOGUS replaces a stale answer all the same. A stale NXDOMAIN for all types
 * stays too, but E is stored beside it, for CACHE_RETRY_S at least, as it may be used for other
 * types.
 */
void cache_put_failure(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, const struct cache_want *want, uint32_t most_s);

/* What became of an entry that was to be put back. */
enum cache_restored {
	CACHE_RESTORED,
	CACHE_SUPERSEDED, /* what is there is newer, and stays */
	CACHE_NO_ROOM     /* something of use would have to leave for it */
};

/*
 * cache_restore_begin: entries of an earlier time are put back, by cache_restore, until
 * cache_restore_end, while others use C. They count as put now: cache_flush_all, cache_flush_below
 * and cache_limit from now on concern them. cache_flush_name and cache_flush_type do not: put all
 * back before. These three are for one thread.
 */
void cache_restore_begin(struct cache *c);

/* cache_restore_end: all entries were put back. */
void cache_restore_end(struct cache *c);

/* cache_restoring: are entries being put back? */
MUST_USE bool cache_restoring(const struct cache *c);

/*
 * cache_restore: put back an entry with an answer, as cache_put does with E->len bytes of MSG; but
 * answers that came later, and failed validation, stay. It takes the place of other failures:
 * with the entry there they would not have been stored.
 */
MUST_USE enum cache_restored cache_restore(struct cache *c, const struct question *key,
    const struct cache_entry *e, const uint8_t *msg, uint32_t now_s);

/*
 * cache_revived: an upstream that was down since FROM_S replies again at NOW_S. Entries of kind
 * CACHE_SILENT from that time are not found any more.
 */
void cache_revived(struct cache *c, uint32_t from_s, uint32_t now_s);

/*
 * cache_distrust: an upstream that was trusted is so no more. All entries that came up to NOW_S
 * lose CACHE_TRUSTED, whichever upstream they are from.
 */
void cache_distrust(struct cache *c, uint32_t now_s);

/*
 * cache_limit: no entry lasts longer than MOST_S from now on, nor has a record with a larger TTL;
 * NODATA and NXDOMAIN no longer than MOST_NEGATIVE_S. What is there already is cut when it is next
 * found; larger limits do not lengthen it. What is put later is the caller's to cut. O(1) mostly,
 * as cache_flush_all.
 */
void cache_limit(struct cache *c, uint32_t most_s, uint32_t most_negative_s);

/*
 * cache_flushes: a number that grows with each call of the functions below. An answer that
 * was made from the cache before it grew may be flushed since.
 */
MUST_USE uint32_t cache_flushes(const struct cache *c);

/*
 * cache_flush_all: no entry that is there now is found any more. O(1) mostly (see cache/flushes).
 */
void cache_flush_all(struct cache *c);

/*
 * cache_flush_name: remove all entries of NAME (LEN bytes, in lower case), whatever their type.
 * What leads to NAME goes with it: entries of other names whose answer goes through it by CNAME, or
 * that have records of NAME in their answer or additional section. For this the whole cache is
 * looked through, one shard after the other. Returns how many entries there were.
 */
unsigned cache_flush_name(struct cache *c, const uint8_t *name, size_t len);

/*
 * cache_flush_type: the same for the entries of TYPE, and those that say that there is nothing of
 * any type; and those that lead there: answers of TYPE through NAME, and records of NAME and TYPE.
 */
unsigned cache_flush_type(struct cache *c, const uint8_t *name, size_t len, uint16_t type);

/*
 * cache_flush_below: no entry of NAME (LEN bytes, in lower case) or a name below it that is there
 * now is found any more, and none that leads there, as with cache_flush_name. With FLUSHES_MAX such
 * names at a time everything is flushed. Returns how many entries of other names there were.
 */
unsigned cache_flush_below(struct cache *c, const uint8_t *name, size_t len, uint32_t now_s);

/* cache_counts: write the sums of all shards' counts to *sum. */
void cache_counts(struct cache *c, struct shard_counts *sum);

/*
 * cache_visit: called by cache_walk for one entry. KEY, whose hash is 0, E and MSG are borrowed
 * until it returns. The shard is locked: it must not call the cache. False: no more entries.
 */
typedef bool cache_visit(
    void *arg, const struct question *key, const struct cache_entry *e, const uint8_t *msg);

/*
 * cache_walk: call VISIT with ARG for each entry of SHARD (below cache_shards), fresh or stale,
 * but those that were flushed and the CACHE_SILENT that cache_revived has made void. False: VISIT
 * returned false.
 */
bool cache_walk(struct cache *c, unsigned shard, uint32_t now_s, cache_visit *visit, void *arg);

/*
 * cache_try_walk: the same, unless another thread has SHARD: false, and VISIT is not called.
 */
MUST_USE bool cache_try_walk(
    struct cache *c, unsigned shard, uint32_t now_s, cache_visit *visit, void *arg);

/* cache_walk_name: the same for the entries of NAME (LEN bytes, in lower case), of every type. */
void cache_walk_name(struct cache *c, const uint8_t *name, size_t len, uint32_t now_s,
    cache_visit *visit, void *arg);

#endif
