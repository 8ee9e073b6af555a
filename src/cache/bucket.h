/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_BUCKET_H
#define DNS64D_CACHE_BUCKET_H

/*
 * bucket: 8 slots of a shard's index in 64 bytes, one line of the processor's cache. A slot holds
 * the place of an entry, how often it was asked for lately, and a tag of its key that few other
 * keys share. Tags are compared 8 at a time.
 *
 * Each name has two buckets. Of its hash the lowest bits choose the shard, bits 0 to 31 the first
 * bucket, bits 16 to 47 the second one; the tag is bits 48 to 63 mixed with type, class, DO and CD.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/question.h"

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

/* bucket_has: has any slot of B the tag TAG or the tag OTHER? */
MUST_USE static inline bool
bucket_has(const struct bucket *b, uint16_t tag, uint16_t other)
{
	bucket_halves same = (bucket_halves)(b->tag == tag) | (bucket_halves)(b->tag == other);

	return (same[0] | same[1]) != 0;
}

#endif
