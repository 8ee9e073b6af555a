/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_SHARD_H
#define DNS64D_CACHE_SHARD_H

/*
 * shard: one part of the cache: messages by key, in a block of fixed size.
 *
 * What stays is decided as by S3-FIFO (Yang et al., SOSP 2023). A new entry goes to the small ring,
 * a tenth of the block, or to the main ring as long as that has room to spare. At the small ring's
 * end an entry that was asked for again moves to the main ring; any other is evicted, and its
 * fingerprint is kept (cache/ghost): if it is put again soon it goes to the main ring at once. At
 * the main ring's end an entry that was asked for since goes round again. So names that are asked
 * for once never push out names that are asked for often.
 *
 * The index is a hash table of buckets with 8 slots; each name has two buckets, which hold all its
 * entries. A slot's number is its bucket's number times BUCKET_SLOTS, plus its own number in the
 * bucket. A place is an entry's offset in the shard's data, which is the small ring, then the main
 * one. Find, put and evict take bounded work (struct shard_work); nothing sweeps. Not thread-safe:
 * the caller locks. Time is in seconds that the caller gives, which may wrap.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/ghost.h"
#include "cache/question.h"
#include "cache/ring.h"

#define SHARD_MIN (1U << 20) /* bytes of the smallest shard */
#define SHARD_MAX (1U << 30) /* bytes of the largest one */
#define SHARD_MSG_MAX 16384  /* bytes of the longest message that is stored */
#define SHARD_ANY_TYPE 0     /* type of a key that stands for all types: the name does not exist */
#define SHARD_COPIES 8       /* entries that one put moves at most */
#define SHARD_DROPS 40       /* entries that one put throws out at most */
#define SHARD_HEAD 32        /* bytes stored in front of each message */
#define SHARD_CUT_DEPTHS 16  /* names of so many labels or more have no entries that cut */

/* Flags in struct entry_meta. */
#define ENTRY_CUT 0x01    /* there is nothing below its name either (RFC 8020) */
#define ENTRY_OWNERS 0x3e /* bits that mean something to the shard's owner only */
#define ENTRY_CD 0x40     /* the key's CD; stored only */
#define ENTRY_DO 0x80     /* the key's DO; stored only */

/* What is stored beside a message. */
struct entry_meta {
	uint32_t stored_s;   /* when it came, in seconds of the cache's clock */
	uint32_t ttl_s;      /* how long it is fresh */
	uint16_t generation; /* the owner's */
	uint16_t retry;      /* the owner's */
	uint16_t ede;        /* the owner's */
	uint8_t kind;        /* the owner's */
	uint8_t flags;       /* ENTRY_CUT, ENTRY_OWNERS */
};

_Static_assert((ENTRY_CUT | ENTRY_OWNERS) == 0x3f, "ENTRY_DO and ENTRY_CD are the key's");

/* entry_age: seconds from STORED_S to NOW_S; 0 if STORED_S is later (a clock a little ahead). */
MUST_USE static inline uint32_t
entry_age(uint32_t stored_s, uint32_t now_s)
{
	uint32_t age_s = now_s - stored_s;

	return age_s <= INT32_MAX ? age_s : 0;
}

/*
 * bucket: 8 slots of a shard's index in 64 bytes, one line of the processor's cache. A slot holds
 * the place of an entry, how often it was asked for lately, and a tag of its key that few other
 * keys share. Tags are compared 8 at a time.
 *
 * Of a name's hash the lowest bits choose the shard, bits 0 to 31 the first bucket, bits 16 to 47
 * the second one; the tag is bits 48 to 63 mixed with type, class, DO and CD.
 */
#define BUCKET_SLOTS 8
#define BUCKET_UNIT 8U      /* bytes: every place is a multiple of it */
#define BUCKET_ASKED_MAX 3U /* an entry's asked goes no higher */

typedef uint16_t bucket_tags __attribute__((vector_size(2 * BUCKET_SLOTS)));
typedef uint64_t bucket_halves __attribute__((vector_size(2 * BUCKET_SLOTS)));

struct bucket {
	_Alignas(64) bucket_tags tag; /* 0: the slot is free */
	uint32_t place[BUCKET_SLOTS]; /* offsets in the shard's data, in BUCKET_UNIT bytes */
	uint8_t asked[BUCKET_SLOTS];  /* up to BUCKET_ASKED_MAX */
};

_Static_assert(sizeof(struct bucket) == 64, "one line of the processor's cache");

/* bucket_number: the first (WHICH 0) or second (1) bucket of a name with HASH, among N buckets. */
MUST_USE static inline uint32_t
bucket_number(uint64_t hash, unsigned which, uint32_t n)
{
	return (uint32_t)(((hash >> (which == 0 ? 0 : 16)) & UINT32_MAX) * n >> 32);
}

/* bucket_tag: the tag of the entry for KEY, but of type QTYPE; never 0, which marks a free slot. */
MUST_USE static inline uint16_t
bucket_tag(const struct question *key, uint16_t qtype)
{
	unsigned flags = (unsigned)key->do_bit << 3 | (unsigned)key->cd << 2;
	unsigned rest = ((unsigned)qtype ^ (unsigned)key->qclass << 7) << 4 ^ flags;

	return (uint16_t)((unsigned)(key->hash >> 48) ^ rest) | 1;
}

/* bucket_tagged: the slots of B with the tag TAG or the tag OTHER, as a bit each, slot 0 the
 * lowest. */
MUST_USE static inline unsigned
bucket_tagged(const struct bucket *b, uint16_t tag, uint16_t other)
{
	const bucket_tags bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
	bucket_tags same = (b->tag == tag) | (b->tag == other);
	bucket_halves bits = (bucket_halves)(same & bit);
	uint64_t sum = bits[0] | bits[1];

	if (sum == 0)
		return 0;
	sum |= sum >> 32;
	return (unsigned)((sum | sum >> 16) & 0xff);
}

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

/* An entry that was found; borrowed until the next put, remove or clear. */
struct shard_entry {
	struct entry_meta meta;
	const uint8_t *msg; /* NULL: there is none */
	size_t len;         /* bytes of msg */
	unsigned asked;     /* how often it was asked for lately, up to BUCKET_ASKED_MAX */
	uint32_t slot;      /* the shard's */
};

/* What is stored for a key. */
struct shard_found {
	struct shard_entry type; /* of the key's type */
	struct shard_entry any;  /* of SHARD_ANY_TYPE */
};

/*
 * shard_init: an empty shard in the SIZE bytes (SHARD_MIN to SHARD_MAX) at MEM, which are zero,
 * aligned to 64 and borrowed; it uses no other memory. STALE_S: an entry is of use for so long
 * after its end. CUTS: SHARD_CUT_DEPTHS counters, borrowed, which several shards may share.
 */
void shard_init(struct shard *s, uint8_t *mem, size_t size, uint32_t stale_s, atomic_uint *cuts);

/*
 * The slots whose tags are those of a key, of its type or of all types: there are its entries, and
 * seldom others.
 */
struct shard_tagged {
	uint32_t bucket[2];
	unsigned slots; /* bit I: slot I % BUCKET_SLOTS of bucket[I / BUCKET_SLOTS] */
};

/*
 * shard_tagged: compare KEY's tags only. No slots: shard_find would return false; it is cheaper
 * than that where most keys are not there.
 */
MUST_USE static inline struct shard_tagged
shard_tagged(const struct shard *s, const struct question *key)
{
	struct shard_tagged t = { { bucket_number(key->hash, 0, s->n_buckets),
				      bucket_number(key->hash, 1, s->n_buckets) },
		0 };
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);

	__builtin_prefetch(&s->buckets[t.bucket[1]]);
	t.slots = bucket_tagged(&s->buckets[t.bucket[0]], type, any) |
	    bucket_tagged(&s->buckets[t.bucket[1]], type, any) << BUCKET_SLOTS;
	return t;
}

/*
 * shard_find: the entries for KEY, fresh or not, to *out. T: of shard_tagged, nothing having
 * changed since. False: there is none.
 */
MUST_USE bool shard_find(struct shard *s, const struct question *key, const struct shard_tagged *t,
    struct shard_found *out);

/* shard_ask: count that E, found before, was asked for. */
void shard_ask(struct shard *s, const struct shard_entry *e);

/*
 * shard_set_meta: store META beside E's message; ENTRY_CUT and the key's flags stay as they were.
 */
void shard_set_meta(struct shard *s, const struct shard_entry *e, const struct entry_meta *meta);

/* shard_drop: E is found no more. */
void shard_drop(struct shard *s, const struct shard_entry *e);

/* shard_message: E's message, whose TTLs may be changed where they stand. */
MUST_USE uint8_t *shard_message(struct shard *s, const struct shard_entry *e);

/*
 * shard_put: store the LEN bytes of MSG, whose question has KEY's name, octet for octet, and class
 * at offset 12. It replaces the entry for KEY and, if THERE (the name exists after all), that for
 * all types of the name too. NOW_S decides which entries in its way are of no use any more. False:
 * it is not stored, for lack of room or because LEN is over SHARD_MSG_MAX; what KEY had is gone all
 * the same.
 */
bool shard_put(struct shard *s, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len, bool there, uint32_t now_s);

/*
 * shard_put_spare: store the same for a KEY that has no entry, unless an entry of use would have to
 * leave for it. False: it is not stored.
 */
bool shard_put_spare(struct shard *s, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len, uint32_t now_s);

/* shard_remove: remove the entry for KEY and that for all types of its name. */
void shard_remove(struct shard *s, const struct question *key);

/*
 * shard_remove_name: remove all entries of KEY's name, whatever their class, DO and CD; TYPED: only
 * those of KEY's type, and those for all types. Of KEY only name, hash and, if TYPED, type are
 * read. Returns how many there were.
 */
unsigned shard_remove_name(struct shard *s, const struct question *key, bool typed);

/* shard_clear: remove all entries and fingerprints. */
void shard_clear(struct shard *s);

/*
 * shard_each: call VISIT for each entry that can be found until it returns false: the small ring
 * first, in each ring the oldest first. KEY, whose hash is 0, and E are borrowed until VISIT
 * returns; VISIT must not change the shard but by shard_set_meta, shard_message and
 * shard_drop of E.
 */
void shard_each(struct shard *s,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg);

/*
 * shard_each_of_name: the same for the entries of KEY's name, whatever their type and class, DO and
 * CD; of KEY only name and hash are read.
 */
void shard_each_of_name(struct shard *s, const struct question *key,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg);

#endif
