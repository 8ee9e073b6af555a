/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include <stdatomic.h>

#include "base/hash.h"
#include "cache/cache_parts.h"

/* The numbers of flushes have wrapped: no entry with an old one may be left. */
static void
clear_all(struct cache *c)
{
	for (uint32_t i = 0; i < c->n_shards; i++) {
		lock_take(&c->part[i].lock);
		shard_clear(&c->part[i].shard);
		lock_give(&c->part[i].lock);
	}
}

uint32_t
cache_flushes(const struct cache *c)
{
	return atomic_load_explicit(&c->flushes.now, memory_order_acquire) +
	    atomic_load_explicit(&c->names_flushed, memory_order_acquire);
}

void
cache_flush_all(struct cache *c)
{
	if (flushes_all(&c->flushes))
		clear_all(c);
}

void
cache_limit(struct cache *c, uint32_t most_s, uint32_t most_negative_s)
{
	/* Before the number, under whose lock they are found to be new. */
	atomic_store_explicit(&c->most_s, most_s, memory_order_relaxed);
	atomic_store_explicit(&c->most_negative_s, most_negative_s, memory_order_relaxed);
	if (flushes_limit(&c->flushes))
		clear_all(c);
}

unsigned
cache_flush_name(struct cache *c, const uint8_t *name, size_t len)
{
	struct question k = {
		.qname = name, .qname_len = len, .hash = hash_bytes(name, len, c->seed)
	};
	struct cache_part *g = cache_part_of(c, k.hash);

	lock_take(&g->lock);
	unsigned n = shard_remove_name(&g->shard, &k);
	lock_give(&g->lock);
	/* Last: who has read the number before may have got an entry that is gone now. */
	atomic_fetch_add_explicit(&c->names_flushed, 1, memory_order_release);
	return n;
}

unsigned
cache_flush_type(struct cache *c, const uint8_t *name, size_t len, uint16_t type)
{
	struct question k = { .qname = name,
		.qname_len = len,
		.hash = hash_bytes(name, len, c->seed),
		.qtype = type };
	struct cache_part *g = cache_part_of(c, k.hash);

	lock_take(&g->lock);
	unsigned n = shard_remove_type(&g->shard, &k);
	lock_give(&g->lock);
	atomic_fetch_add_explicit(&c->names_flushed, 1, memory_order_release);
	return n;
}

void
cache_flush_below(struct cache *c, const uint8_t *name, size_t len, uint32_t now_s)
{
	if (flushes_below(&c->flushes, name, len, now_s, c->life_s))
		clear_all(c);
}

void
cache_counts(struct cache *c, struct shard_counts *sum)
{
	*sum = (struct shard_counts){ .n = 0 };
	for (uint32_t i = 0; i < c->n_shards; i++) {
		struct cache_part *g = &c->part[i];

		lock_take(&g->lock);
		const struct shard_counts *s = &g->shard.counts;
		sum->n += s->n;
		sum->bytes += s->bytes;
		sum->put += s->put;
		sum->refused += s->refused;
		sum->evicted += s->evicted;
		sum->comebacks += s->comebacks;
		lock_give(&g->lock);
	}
}
