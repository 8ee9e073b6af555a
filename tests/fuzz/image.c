/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/image.h"

#include <string.h>

#include "cache/cache_parts.h"
#include "engine/engine_parts.h"
#include "fuzz/fuzz.h"

#define POOLS 64
#define IDS 2048 /* questions whose IDs are remembered; after more all IDs are made anew */

struct image {
	struct engine *engine;
	struct engine *engine_then;
	struct cache *cache;
	struct cache *cache_then;
	size_t cache_size;
	bool repeated;  /* engine/packetcache was used */
	unsigned n_ids; /* up to IDS + 1 */
	uint16_t ids[IDS];
	struct pool live[POOLS];
};

static struct pool *pools[POOLS];
static unsigned n_pools;

int __real_pool_init(struct pool *p, size_t size, uint32_t cap);
int __wrap_pool_init(struct pool *p, size_t size, uint32_t cap);

int
__wrap_pool_init(struct pool *p, size_t size, uint32_t cap)
{
	FUZZ_CHECK(n_pools < POOLS);
	pools[n_pools++] = p;
	return __real_pool_init(p, size, cap);
}

static void *
copy_of(const void *from, size_t len)
{
	void *to = malloc(len);

	FUZZ_CHECK(to != NULL);
	memcpy(to, from, len);
	return to;
}

struct image *
image_take(struct engine *e, struct cache *cache)
{
	static struct image im;

	FUZZ_CHECK(im.engine == NULL);
	im.engine = e;
	im.cache = cache;
	im.cache_size = sizeof(*cache) + cache->n_shards * sizeof(cache->part[0]);
	im.engine_then = copy_of(e, sizeof(*e));
	im.cache_then = copy_of(cache, im.cache_size);
	return &im;
}

void
image_repeated(struct image *im)
{
	im->repeated = true;
}

void
image_sent(struct image *im, uint16_t id)
{
	if (im->n_ids < IDS)
		im->ids[im->n_ids] = id;
	im->n_ids += im->n_ids <= IDS;
}

/*
 * Each ID goes back to its place. Every exchange had one side below the most IDs that were in
 * flight at one time, so from there all that are elsewhere are found, circle by circle.
 */
static void
restore_ids(struct image *im)
{
	struct txid *t = &im->engine->lookups.spaces[0];

	FUZZ_CHECK(im->engine->lookups.n_spaces == 1 && t->n_used == 0);
	if (im->n_ids > IDS) {
		txid_init(t);
		im->n_ids = 0;
	}
	for (uint32_t at = 0; at < im->n_ids; at++) {
		while (t->ids[at] != at) {
			uint16_t id = t->ids[at];

			t->ids[at] = t->ids[id];
			t->ids[id] = id;
			t->place[id] = id;
			t->place[t->ids[at]] = (uint16_t)at;
		}
	}
	for (unsigned i = 0; i < im->n_ids; i++)
		t->owner[im->ids[i]] = (struct txid_owner){ .socket = TXID_NO_SOCKET };
	im->n_ids = 0;
}

/* The index forgets every entry; the entries themselves need not go. */
static void
restore_cache(struct image *im)
{
	for (uint32_t i = 0; i < im->cache->n_shards; i++) {
		struct shard *s = &im->cache->part[i].shard;

		if (s->counts.put > 0)
			memset(s->buckets, 0, (size_t)(s->data - (uint8_t *)s->buckets));
	}
	memcpy(im->cache, im->cache_then, im->cache_size);
}

/* It cannot be emptied, but it is little used. */
static struct packetcache *
restored_packetcache(struct image *im)
{
	struct packetcache *p = im->engine->packetcache;

	if (!im->repeated)
		return p;
	packetcache_free(p);
	p = packetcache_new(0);
	FUZZ_CHECK(p != NULL);
	im->repeated = false;
	return p;
}

/* All of it but the slots of sockets that are not in use yet. */
static void
restore_engine(struct image *im)
{
	uint8_t *now = (uint8_t *)im->engine, *then = (uint8_t *)im->engine_then;
	const struct upstreams *us = &im->engine->upstreams;
	size_t unused = (size_t)((const uint8_t *)&us->sockets[us->n_slots] - now);
	size_t behind = (size_t)((const uint8_t *)(us + 1) - now);

	FUZZ_CHECK(unused <= behind);
	memcpy(now, then, unused);
	memcpy(now + behind, then + behind, sizeof(*im->engine) - behind);
}

void
image_restore(struct image *im)
{
	struct engine *e = im->engine;
	struct packetcache *packetcache = restored_packetcache(im);

	restore_ids(im);
	restore_cache(im);
	for (unsigned i = 0; i < n_pools; i++) {
		FUZZ_CHECK(pools[i]->n_used == 0);
		im->live[i] = *pools[i];
	}
	restore_engine(im);
	for (unsigned i = 0; i < n_pools; i++)
		*pools[i] = im->live[i];
	e->packetcache = packetcache;
}
