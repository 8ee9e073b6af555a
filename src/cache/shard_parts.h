/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_SHARD_PARTS_H
#define DNS64D_CACHE_SHARD_PARTS_H

/*
 * shard_parts: what a shard is made of. The functions here are for cache/shard and cache/shard_room
 * only.
 *
 * A slot's number is its bucket's number times BUCKET_SLOTS, plus its own number in the bucket. A
 * place is an entry's offset in the shard's data, which is the small ring, then the main one.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/bucket.h"
#include "cache/entry.h"
#include "cache/ghost.h"
#include "cache/ring.h"
#include "dns/name.h"

#define SHARD_COPIES 8           /* entries that one put moves at most */
#define SHARD_DROPS 40           /* entries that one put throws out at most */
#define SHARD_CUT_DEPTHS 16      /* names of so many labels or more have no entries that cut */
#define SHARD_NO_SLOT UINT32_MAX /* instead of a slot's number */

/* What one call did, for the tests that bound it. */
struct shard_work {
	unsigned buckets; /* searched */
	unsigned copies;  /* entries moved */
	unsigned drops;   /* entries taken from the end of a ring */
	size_t moved;     /* bytes of the entries moved, and of the message that was put */
};

struct shard_counts {
	uint64_t n;          /* entries that can be found */
	uint64_t put;        /* entries stored since the start */
	uint64_t bytes;      /* of the messages that can be found */
	uint64_t refused;    /* not stored: no room within the bounds, or too long a message */
	uint64_t evicted;    /* thrown out while still of use */
	uint64_t ghost_hits; /* put while their fingerprint was still known */
};

struct shard {
	/* What a search needs, together. */
	struct bucket *buckets; /* borrowed: n_buckets of them */
	uint8_t *data;          /* borrowed: the small ring, then the main one */
	uint32_t n_buckets;
	uint32_t stale_s; /* an entry is of use for so long after its end */
	struct shard_work work;
	/* What a put needs too. */
	struct ghost ghost;
	struct ring small;
	struct ring main;
	/* borrowed, shared with other shards: entries with ENTRY_CUT by their names' labels */
	atomic_uint *cuts;
	struct shard_counts counts;
};

/* shard_entry_at: the entry at PLACE. */
MUST_USE static inline struct entry *
shard_entry_at(const struct shard *s, size_t place)
{
	return (struct entry *)(void *)(s->data + place);
}

/* shard_bucket_of: the bucket that SLOT is in. */
MUST_USE static inline struct bucket *
shard_bucket_of(const struct shard *s, uint32_t slot)
{
	return &s->buckets[slot / BUCKET_SLOTS];
}

/* shard_asked_of: how often SLOT's entry was asked for lately, up to BUCKET_ASKED_MAX. */
MUST_USE static inline unsigned
shard_asked_of(const struct shard *s, uint32_t slot)
{
	return shard_bucket_of(s, slot)->asked[slot % BUCKET_SLOTS];
}

/* shard_place_of: the place of SLOT's entry. */
MUST_USE static inline size_t
shard_place_of(const struct shard *s, uint32_t slot)
{
	return (size_t)shard_bucket_of(s, slot)->place[slot % BUCKET_SLOTS] * BUCKET_UNIT;
}

/* shard_entry_of: SLOT's entry; the slot must not be free. */
MUST_USE static inline struct entry *
shard_entry_of(const struct shard *s, uint32_t slot)
{
	return shard_entry_at(s, shard_place_of(s, slot));
}

/* shard_cut_count: the count of entries with ENTRY_CUT that E, which has it, belongs to. */
MUST_USE static inline atomic_uint *
shard_cut_count(struct shard *s, const struct entry *e)
{
	return &s->cuts[name_labels(entry_name(e)) % SHARD_CUT_DEPTHS];
}

/* shard_drop_slot: E, the entry of SLOT, is found no more, and the slot is free. */
static inline void
shard_drop_slot(struct shard *s, uint32_t slot, struct entry *e)
{
	s->counts.n--;
	s->counts.bytes -= e->msg_len;
	if (UNLIKELY(e->meta.flags & ENTRY_CUT))
		atomic_fetch_sub_explicit(shard_cut_count(s, e), 1, memory_order_relaxed);
	e->msg_len = 0;
	shard_bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] = 0;
}

#endif
