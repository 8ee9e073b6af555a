/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_BUCKET_H
#define DNS64D_CACHE_BUCKET_H

/*
 * bucket: 8 slots of a shard's index in 64 bytes. A slot tells where an entry is, how often it was
 * asked for lately, and a tag of its key that most others do not have.
 *
 * The name's hash: its lowest bits choose the shard, bits up to 31 the name's first line, up to 47
 * the second one; the tag is what is above, and the type, class, DO and CD. Tags are compared 8 at
 * a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/question.h"

#define BUCKET_SLOTS 8
#define BUCKET_UNIT 8U /* places are multiples of it */
#define BUCKET_ASKED_MAX 3U

typedef uint16_t bucket_tags __attribute__((vector_size(2 * BUCKET_SLOTS)));
typedef uint64_t bucket_halves __attribute__((vector_size(2 * BUCKET_SLOTS)));

struct bucket {
	_Alignas(64) bucket_tags tag; /* 0: the slot is free */
	uint32_t place[BUCKET_SLOTS]; /* in units of BUCKET_UNIT */
	uint8_t asked[BUCKET_SLOTS];  /* up to BUCKET_ASKED_MAX */
};

_Static_assert(sizeof(struct bucket) == 64, "one line of the processor's cache");

/* bucket_number: of the first or second line of a name, of N. */
MUST_USE static inline uint32_t
bucket_number(uint64_t hash, unsigned which, uint32_t n)
{
	return (uint32_t)(((hash >> (which == 0 ? 0 : 16)) & UINT32_MAX) * n >> 32);
}

/* bucket_tag: of the entry of type QTYPE that KEY's name has; never 0. */
MUST_USE static inline uint16_t
bucket_tag(const struct question *key, uint16_t qtype)
{
	unsigned flags = (unsigned)key->do_bit << 3 | (unsigned)key->cd << 2;
	unsigned rest = ((unsigned)qtype ^ (unsigned)key->qclass << 7) << 4 ^ flags;

	return (uint16_t)((unsigned)(key->hash >> 48) ^ rest) | 1;
}

/* bucket_has: does a slot have one of the tags? */
MUST_USE static inline bool
bucket_has(const struct bucket *l, uint16_t tag, uint16_t other)
{
	bucket_halves same = (bucket_halves)(l->tag == tag) | (bucket_halves)(l->tag == other);

	return (same[0] | same[1]) != 0;
}

#endif
