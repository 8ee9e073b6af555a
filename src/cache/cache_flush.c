/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include <stdatomic.h>

#include "base/hash.h"
#include "cache/cache_parts.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/proto.h"

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

/* --- By name ---------------------------------------------------------------------------------- */

/* What a flush is of. */
struct aim {
	const uint8_t *name;
	bool below;    /* the names below it, too */
	uint16_t type; /* 0: every type */
};

static bool
is_of(const struct aim *a, const uint8_t *name)
{
	return a->below ? name_is_below(name, a->name) : name_equal(name, a->name);
}

/* Is RR a record of A's name, or does the answer go on there? */
static bool
leads_there(const struct aim *a, const struct msg *m, const struct rr *rr)
{
	uint8_t name[DNS_NAME_MAX];

	if ((a->type == 0 || a->type == rr->type) && !msg_owner_is_question(m, rr) &&
	    msg_owner(m, rr, name) > 0 && is_of(a, name))
		return true;
	return rr->type == DNS_TYPE_CNAME && (a->type == 0 || a->type == m->qtype) &&
	    msg_rdata_name(m, rr, 0, name) > 0 && is_of(a, name);
}

/* Not the authority section: its SOA would make a zone's name stand for all that is not there. */
static bool
is_led_there(const void *arg, const uint8_t *msg, size_t len)
{
	static const enum msg_section sections[] = { MSG_ANSWER, MSG_ADDITIONAL };
	const struct aim *a = arg;
	struct msg m;
	struct rr rr;

	if (msg_parse(&m, msg, len) != MSG_OK)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		struct msg_walk w = msg_walk(&m, sections[i]);

		while (msg_walk_next(&w, &rr)) {
			if (leads_there(a, &m, &rr))
				return true;
		}
	}
	return false;
}

/* Remove what leads to A. Last: who has read the number before may have got what is gone now. */
static unsigned
flush_aliases(struct cache *c, struct aim a)
{
	unsigned n = cache_drop_those(c, is_led_there, &a);

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
	unsigned n = shard_remove_name(&g->shard, &k, type != 0);
	lock_give(&g->lock);
	return n + flush_aliases(c, (struct aim){ .name = name, .type = type });
}

unsigned
cache_flush_name(struct cache *c, const uint8_t *name, size_t len)
{
	return cache_flush_type(c, name, len, 0);
}

unsigned
cache_flush_below(struct cache *c, const uint8_t *name, size_t len, uint32_t now_s)
{
	if (flushes_below(&c->flushes, name, len, now_s, c->life_s))
		clear_all(c);
	return flush_aliases(c, (struct aim){ .name = name, .below = true });
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
		sum->ghost_hits += s->ghost_hits;
		lock_give(&g->lock);
	}
}
