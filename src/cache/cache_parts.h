/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_CACHE_PARTS_H
#define DNS64D_CACHE_CACHE_PARTS_H

/*
 * cache_parts: what the cache is made of. For cache.c and cache_flush.c only.
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"
#include "cache/flushes.h"
#include "cache/outages.h"
#include "cache/shard.h"

/* A shard and its lock, which is in a line of the processor's cache that a search needs anyway. */
struct cache_part {
	_Alignas(64) struct lock lock;
	struct shard shard;
};

struct cache {
	uint8_t *mem; /* owned: size bytes, anonymous mapping */
	size_t size;
	uint64_t seed;
	uint32_t n_shards;         /* a power of two */
	uint32_t life_s;           /* no entry is of use for longer, in s */
	atomic_uint names_flushed; /* calls of cache_flush_name, _type and _below */
	struct outages outages;    /* times when an upstream was down */
	atomic_uint distrusted_s;  /* the last cache_distrust; 0: none */
	atomic_uint most_s;        /* the limits of the last cache_limit */
	atomic_uint most_negative_s;
	struct flushes flushes; /* every entry has its number in meta.generation */
	/* entries with ENTRY_CUT, by the number of labels of their names */
	_Alignas(64) atomic_uint cuts[SHARD_CUT_DEPTHS];
	struct cache_part part[]; /* n_shards */
};

/* cache_part_of: the part for names with HASH. */
MUST_USE static inline struct cache_part *
cache_part_of(struct cache *c, uint64_t hash)
{
	return &c->part[hash & (c->n_shards - 1)];
}

/*
 * cache_drop_those: remove each entry of which WHICH, called with ARG and the entry's message of
 * LEN bytes, says so; entries that were flushed already are not there. One shard after the other is
 * locked. Returns how many there were.
 */
unsigned cache_drop_those(struct cache *c,
    bool (*which)(const void *arg, const uint8_t *msg, size_t len), const void *arg);

#endif
