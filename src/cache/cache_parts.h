/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_CACHE_PARTS_H
#define DNS64D_CACHE_CACHE_PARTS_H

/*
 * cache_parts: what the cache is made of. For cache.c, and for tests that put a cache back.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	atomic_bool restoring;  /* between cache_restore_begin and _end */
	uint16_t restored;      /* the generation of what cache_restore puts */
	/* entries with ENTRY_CUT, by the number of labels of their names */
	_Alignas(64) atomic_uint cuts[SHARD_CUT_DEPTHS];
	struct cache_part part[]; /* n_shards */
};

#endif
