/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "base/secret.h"
#include "cache/cache_parts.h"
#include "dns/edit.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/proto.h"

#define HUGE_MIN ((size_t)1 << 30) /* bytes from which a cache asks for huge pages */
#define RETRY_UNIT 16              /* s: the unit of meta.retry, counted from when the entry came */
#define REFRESH_LOST 0x20          /* in meta.flags: the last attempt to refresh it failed */

_Static_assert((REFRESH_LOST & ENTRY_OWNERS & ~(unsigned)CACHE_TRUSTED) != 0, "a flag of its own");

/* The part for names with HASH. */
static inline struct cache_part *
part_of(struct cache *c, uint64_t hash)
{
	return &c->part[hash & (c->n_shards - 1)];
}

/* --- Life ------------------------------------------------------------------------------------- */

static uint32_t
shards_for(size_t size)
{
	uint32_t n = 1;

	while (n < CACHE_SHARDS_MAX && size / (2 * n) >= SHARD_MIN)
		n *= 2;
	return n;
}

static void
init_parts(struct cache *c, uint32_t stale_s)
{
	size_t each = c->size / c->n_shards / 64 * 64;

	for (uint32_t i = 0; i < c->n_shards; i++) {
		lock_init(&c->part[i].lock);
		shard_init(&c->part[i].shard, c->mem + i * each, each, stale_s, c->cuts);
	}
}

struct cache *
cache_new(size_t size, uint32_t stale_s, uint64_t seed)
{
	uint32_t n = shards_for(size);
	size_t room = sizeof(struct cache) + n * sizeof(struct cache_part);
	struct cache *c = aligned_alloc(64, (room + 63) / 64 * 64);

	if (c == NULL)
		return NULL;
	memset(c, 0, room);
	c->mem = mmap(
	    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (c->mem == MAP_FAILED) {
		free(c);
		return NULL;
	}
	/*
	 * In so much memory each hit would wait for page tables, too. Less is left as it is, so
	 * that memory is used only as the cache fills.
	 */
	if (size >= HUGE_MIN)
		(void)madvise(c->mem, size, MADV_HUGEPAGE);
	c->size = size;
	c->seed = seed;
	secret_lock(&c->seed, sizeof(c->seed));
	c->n_shards = n;
	c->life_s = DNS_TTL_MAX + stale_s;
	c->most_s = DNS_TTL_MAX;
	c->most_negative_s = DNS_TTL_MAX;
	outages_init(&c->outages);
	flushes_init(&c->flushes);
	init_parts(c, stale_s);
	return c;
}

void
cache_free(struct cache *c)
{
	if (c == NULL)
		return;
	(void)munmap(c->mem, c->size);
	free(c);
}

size_t
cache_size(const struct cache *c)
{
	return c->size;
}

unsigned
cache_shards(const struct cache *c)
{
	return c->n_shards;
}

uint64_t
cache_seed(const struct cache *c)
{
	return c->seed;
}

/* --- What is there ---------------------------------------------------------------------------- */

/* Is it a silence of a time when an upstream was down that has replied again since? */
static bool
is_revived(struct cache *c, const struct entry_meta *m)
{
	return m->kind == CACHE_SILENT && outages_have(&c->outages, m->stored_s);
}

/* Cut E, which was stored under other limits, to the present ones; a failure has its own. */
static void
limit(const struct cache *c, struct shard *s, struct shard_entry *e)
{
	uint32_t most_s = atomic_load_explicit(&c->most_s, memory_order_relaxed);
	uint32_t negative_s = atomic_load_explicit(&c->most_negative_s, memory_order_relaxed);

	if (e->meta.kind >= CACHE_ERROR)
		return;
	if (e->meta.kind != CACHE_POSITIVE && negative_s < most_s)
		most_s = negative_s;
	if (e->meta.ttl_s > most_s)
		e->meta.ttl_s = most_s;
	edit_limit_ttls(shard_message(s, e), e->len, most_s);
}

/*
 * There were flushes or other limits since E came: has no flush concerned it? Then it gets the last
 * number, and obeys the limits.
 */
static __attribute__((noinline, cold)) bool
is_spared(struct cache *c, struct shard *s, const struct question *key, struct shard_entry *e)
{
	bool older;

	if (!flushes_spare(&c->flushes, key->qname, &e->meta.generation, &older))
		return false;
	if (older)
		limit(c, s, e);
	shard_set_meta(s, e, &e->meta);
	return true;
}

/* Is E there and not flushed, however old it is? */
static inline bool
exists(struct cache *c, struct shard *s, const struct question *key, struct shard_entry *e)
{
	return e->msg != NULL &&
	    (e->meta.generation == flushes_now(&c->flushes) || UNLIKELY(is_spared(c, s, key, e)));
}

static bool
is_fresh(const struct entry_meta *m, uint32_t now_s)
{
	return entry_age(m->stored_s, now_s) < m->ttl_s;
}

/* Does W accept it: is it fresh, or no failure and stale for less than W's stale_s? */
static bool
is_wanted(struct cache *c, const struct entry_meta *m, const struct cache_want *w)
{
	if (is_fresh(m, w->now_s))
		return !is_revived(c, m);
	return m->kind < CACHE_ERROR && entry_age(m->stored_s, w->now_s) - m->ttl_s < w->stale_s;
}

/* Is A, of one type, a better answer than B, for all types? Both are of use. */
static bool
goes_first(const struct shard_entry *a, const struct shard_entry *b, uint32_t now_s)
{
	bool fresh = is_fresh(&a->meta, now_s);

	if (fresh != is_fresh(&b->meta, now_s))
		return fresh;
	/* The newer one: the name has gone since A, or it has come back since B. */
	return (int32_t)(a->meta.stored_s - b->meta.stored_s) >= 0;
}

/*
 * Is TYPE a failure while ALL, for all types, is stale? Then ALL could not be refreshed as far as
 * that type goes.
 */
static bool
could_not_refresh(const struct shard_entry *type, const struct shard_entry *all, uint32_t now_s)
{
	return (type->meta.kind == CACHE_ERROR || type->meta.kind == CACHE_SILENT) &&
	    !is_fresh(&all->meta, now_s);
}

/* The better of the two entries found for KEY: fresh before stale, then new before old; or NULL. */
static const struct shard_entry *
choose(struct cache *c, struct shard *s, const struct question *key, const struct cache_want *w,
    struct shard_found *f)
{
	bool type = exists(c, s, key, &f->type) && is_wanted(c, &f->type.meta, w);
	bool any = exists(c, s, key, &f->any) && is_wanted(c, &f->any.meta, w);

	if (!type)
		return any ? &f->any : NULL;
	if (!any ||
	    (goes_first(&f->type, &f->any, w->now_s) &&
		!could_not_refresh(&f->type, &f->any, w->now_s)))
		return &f->type;
	return &f->any;
}

/* The meta.retry of an entry that is not to be refreshed for CACHE_RETRY_S. */
static uint16_t
retry_at(const struct entry_meta *m, uint32_t now_s)
{
	uint32_t units =
	    (entry_age(m->stored_s, now_s) + CACHE_RETRY_S + RETRY_UNIT - 1) / RETRY_UNIT;

	return units < UINT16_MAX ? (uint16_t)units : UINT16_MAX;
}

static bool
retry_is_over(const struct entry_meta *m, uint32_t now_s)
{
	return entry_age(m->stored_s, now_s) / RETRY_UNIT >= m->retry;
}

/* E is not due for CACHE_RETRY_S; WHY: 0, or REFRESH_LOST. */
static void
put_off(struct shard *s, const struct shard_entry *e, uint32_t now_s, unsigned why)
{
	struct entry_meta m = e->meta;

	m.retry = retry_at(&m, now_s);
	m.flags = (uint8_t)((m.flags & ~(unsigned)REFRESH_LOST) | why);
	shard_set_meta(s, e, &m);
}

/* Is E due: does it end soon, and is it popular? Only one caller gets true. */
static bool
falls_due(struct shard *s, const struct shard_entry *e, uint32_t now_s)
{
	uint32_t left = e->meta.ttl_s - entry_age(e->meta.stored_s, now_s);

	if (left > e->meta.ttl_s / CACHE_DUE_PART || e->asked < CACHE_POPULAR ||
	    e->meta.kind >= CACHE_ERROR || !retry_is_over(&e->meta, now_s))
		return false;
	put_off(s, e, now_s, 0);
	return true;
}

/* Did it come before the last cache_distrust? In the same second it counts as before. */
static bool
is_distrusted(const struct cache *c, const struct entry_meta *m)
{
	uint32_t at = atomic_load_explicit(&c->distrusted_s, memory_order_relaxed);

	return at != 0 && (int32_t)(at - m->stored_s) >= 0;
}

/* What the caller gets to know of E. */
static struct cache_entry
told(const struct cache *c, const struct shard_entry *e, uint32_t now_s)
{
	unsigned flags = e->meta.flags & ~(unsigned)REFRESH_LOST;

	if (UNLIKELY(flags & CACHE_TRUSTED) && is_distrusted(c, &e->meta))
		flags &= ~(unsigned)CACHE_TRUSTED;
	return (struct cache_entry){ .kind = (enum cache_kind)e->meta.kind,
		.flags = (uint8_t)flags,
		.ede = e->meta.ede,
		.age_s = entry_age(e->meta.stored_s, now_s),
		.ttl_s = e->meta.ttl_s,
		.len = e->len };
}

/* Where an entry that was found is copied to. */
struct copy {
	uint8_t *buf;
	size_t cap;
	struct cache_entry *entry;
};

/* E, of the entries F found for KEY, is stale: did the last attempt to refresh it fail just now? */
static bool
is_failing(struct cache *c, struct shard *s, const struct question *key, struct shard_found *f,
    const struct shard_entry *e, const struct cache_want *w)
{
	if (e == &f->any) /* types are refreshed separately (RULES D5) */
		return exists(c, s, key, &f->type) && is_wanted(c, &f->type.meta, w) &&
		    could_not_refresh(&f->type, e, w->now_s);
	return (e->meta.flags & REFRESH_LOST) != 0 && !retry_is_over(&e->meta, w->now_s);
}

static void
take(const struct cache *c, struct shard *s, const struct shard_entry *e,
    const struct cache_want *w, const struct copy *to)
{
	struct cache_entry *out = to->entry;

	memcpy(to->buf, e->msg, e->len);
	*out = told(c, e, w->now_s);
	if (!w->ask)
		return;
	shard_ask(s, e);
	if (cache_fresh(out))
		out->due = falls_due(s, e, w->now_s);
}

/* With the shard's lock held. */
static __attribute__((noinline)) bool
get(struct cache *c, struct shard *s, const struct question *key, const struct shard_tagged *t,
    const struct cache_want *want, const struct copy *out)
{
	const struct shard_entry *e;
	struct shard_found found;

	if (!shard_find(s, key, t, &found))
		return false;
	e = choose(c, s, key, want, &found);
	if (e == NULL || e->len > out->cap)
		return false;
	take(c, s, e, want, out);
	if (UNLIKELY(!cache_fresh(out->entry)))
		out->entry->failing = is_failing(c, s, key, &found, e, want);
	return true;
}

bool
cache_get(struct cache *c, const struct question *key, const struct cache_want *want, uint8_t *buf,
    size_t cap, struct cache_entry *out)
{
	struct cache_part *g = part_of(c, key->hash);
	bool found = false;

	lock_take(&g->lock);
	struct shard_tagged t = shard_tagged(&g->shard, key);
	if (t.slots != 0) {
		struct copy to = { .buf = buf, .cap = cap, .entry = out };

		found = get(c, &g->shard, key, &t, want, &to);
	}
	lock_give(&g->lock);
	return found;
}

static bool
get_cut(struct cache *c, struct question *key, const struct cache_want *want, uint8_t *buf,
    size_t cap, struct cache_entry *out)
{
	key->hash = hash_bytes(key->qname, key->qname_len, c->seed);
	return cache_get(c, key, want, buf, cap, out) && out->flags & CACHE_CUT;
}

bool
cache_get_above(struct cache *c, const struct question *key, uint32_t now_s, uint8_t *buf,
    size_t cap, struct cache_entry *out)
{
	const struct cache_want want = { .now_s = now_s };
	struct question above = *key;
	unsigned depth = name_labels(key->qname);

	above.qtype = SHARD_ANY_TYPE;
	while (depth > 1) {
		size_t label = above.qname[0] + 1u;

		depth--;
		above.qname += label;
		above.qname_len -= label;
		if (depth < SHARD_CUT_DEPTHS &&
		    atomic_load_explicit(&c->cuts[depth], memory_order_relaxed) > 0 &&
		    get_cut(c, &above, &want, buf, cap, out))
			return true;
	}
	return false;
}

/* --- What comes in ---------------------------------------------------------------------------- */

/* Called with the shard's lock held, so an entry has the number of the flushes before it. */
static struct entry_meta
meta_of(const struct cache *c, const struct cache_entry *e, uint32_t now_s)
{
	return (struct entry_meta){ .stored_s = now_s - e->age_s,
		.ttl_s = e->ttl_s,
		.generation = flushes_now(&c->flushes),
		.ede = e->ede,
		.kind = (uint8_t)e->kind,
		.flags = e->flags };
}

void
cache_put(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, uint32_t now_s)
{
	struct cache_part *g = part_of(c, key->hash);

	lock_take(&g->lock);
	struct entry_meta meta = meta_of(c, e, now_s);
	(void)shard_put(&g->shard, key, &meta, msg, len, true, now_s);
	lock_give(&g->lock);
}

void
cache_remove(struct cache *c, const struct question *key)
{
	struct cache_part *g = part_of(c, key->hash);

	lock_take(&g->lock);
	shard_remove(&g->shard, key);
	lock_give(&g->lock);
}

/*
 * How long failure E lasts that replaces OLD (NULL: nothing): twice as long as OLD if that is a
 * failure too, E->ttl_s otherwise, MOST_S at most (RFC 9520 section 3.2).
 */
static uint32_t
back_off(struct cache *c, const struct entry_meta *old, const struct cache_entry *e,
    uint32_t most_s, uint32_t now_s)
{
	uint32_t ttl_s = e->ttl_s;

	/* A failure that had ended for longer than it had lasted, when it was asked, is over. */
	if (old != NULL && old->kind >= CACHE_ERROR && !is_revived(c, old) &&
	    entry_age(old->stored_s, now_s) < 2 * old->ttl_s + e->took_s)
		ttl_s = 2 * old->ttl_s;
	return ttl_s < most_s ? ttl_s : most_s;
}

/* Is E stale and for all types? Upstream has failed for one type only. */
static bool
speaks_for_others(const struct shard_entry *e, const struct shard_found *f, uint32_t now_s)
{
	return e == &f->any && !is_fresh(&e->meta, now_s);
}

void
cache_put_failure(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, size_t len, const struct cache_want *want, uint32_t most_s)
{
	struct cache_part *g = part_of(c, key->hash);
	const struct shard_entry *kept = NULL;
	const struct entry_meta *old = NULL;
	struct cache_want w = *want;
	struct shard_found found;

	if (e->kind == CACHE_BOGUS)
		w.stale_s = 0;
	lock_take(&g->lock);
	struct entry_meta meta = meta_of(c, e, w.now_s);
	struct shard_tagged t = shard_tagged(&g->shard, key);
	if (shard_find(&g->shard, key, &t, &found)) {
		kept = choose(c, &g->shard, key, &w, &found);
		old = exists(c, &g->shard, key, &found.type) ? &found.type.meta : NULL;
	}
	bool helps = kept != NULL && kept->meta.kind < CACHE_ERROR;

	if (helps && !speaks_for_others(kept, &found, w.now_s)) {
		put_off(&g->shard, kept, w.now_s, REFRESH_LOST);
	} else {
		meta.ttl_s = back_off(c, old, e, most_s, w.now_s);
		if (helps && meta.ttl_s < CACHE_RETRY_S)
			meta.ttl_s = CACHE_RETRY_S; /* RFC 8767 section 5 */
		/* A bogus name is not answered with a stale NXDOMAIN either. */
		(void)shard_put(&g->shard, key, &meta, msg, len, e->kind == CACHE_BOGUS, w.now_s);
	}
	lock_give(&g->lock);
}

void
cache_revived(struct cache *c, uint32_t from_s, uint32_t now_s)
{
	outages_note(&c->outages, from_s, now_s);
}

void
cache_distrust(struct cache *c, uint32_t now_s)
{
	atomic_store_explicit(&c->distrusted_s, now_s != 0 ? now_s : 1, memory_order_relaxed);
}

/* --- What comes back -------------------------------------------------------------------------- */

void
cache_restore_begin(struct cache *c)
{
	c->restoring = true;
	c->restored = flushes_now(&c->flushes);
}

void
cache_restore_end(struct cache *c)
{
	c->restoring = false;
}

bool
cache_restoring(const struct cache *c)
{
	return c->restoring;
}

/* An entry that is to be put back. */
struct comeback {
	struct cache *c;
	struct shard *shard;
	const struct question *key;
	uint32_t stored_s;
	bool superseded; /* by what is there */
};

/* Does E stay, which is there for KEY, when B comes back? */
static bool
stays(const struct comeback *b, const struct question *key, struct shard_entry *e)
{
	if (!exists(b->c, b->shard, key, e))
		return false;
	if (e->meta.kind >= CACHE_ERROR)
		return e->meta.kind == CACHE_BOGUS;
	return (int32_t)(e->meta.stored_s - b->stored_s) >= 0;
}

/* Has the name another type since an NXDOMAIN that is to be put back? */
static bool
see_type(void *arg, const struct question *k, const struct shard_entry *e)
{
	struct comeback *b = arg;
	struct shard_entry found = *e;

	if (k->qclass == b->key->qclass && k->do_bit == b->key->do_bit && k->cd == b->key->cd &&
	    stays(b, k, &found))
		b->superseded = true;
	return !b->superseded;
}

/* Take out what B, which has come later, replaces. False: what is there stays. */
static bool
give_way(struct comeback *b)
{
	struct shard_tagged t;
	struct shard_found f;

	if (b->key->qtype == SHARD_ANY_TYPE)
		shard_each_of_name(b->shard, b->key, see_type, b);
	if (b->superseded)
		return false;
	t = shard_tagged(b->shard, b->key);
	if (t.slots == 0 || !shard_find(b->shard, b->key, &t, &f))
		return true;
	if (stays(b, b->key, &f.type) || stays(b, b->key, &f.any))
		return false;
	if (f.type.msg != NULL)
		shard_drop(b->shard, &f.type);
	if (f.any.msg != NULL)
		shard_drop(b->shard, &f.any);
	return true;
}

enum cache_restored
cache_restore(struct cache *c, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg, uint32_t now_s)
{
	struct cache_part *g = part_of(c, key->hash);
	struct comeback b = { c, &g->shard, key, now_s - e->age_s, false };
	enum cache_restored became = CACHE_SUPERSEDED;
	struct entry_meta meta;

	lock_take(&g->lock);
	meta = meta_of(c, e, now_s);
	meta.generation = c->restored;
	if (give_way(&b))
		became = shard_put_spare(&g->shard, key, &meta, msg, e->len, now_s) ? CACHE_RESTORED
										    : CACHE_NO_ROOM;
	lock_give(&g->lock);
	return became;
}

/* --- What it holds ---------------------------------------------------------------------------- */

struct walk {
	struct cache *c;
	struct shard *shard;
	uint32_t now_s;
	cache_visit *visit;
	void *arg;
	bool wanted;
};

static bool
visit_one(void *arg, const struct question *k, const struct shard_entry *e)
{
	struct walk *w = arg;
	struct shard_entry found = *e;

	if (exists(w->c, w->shard, k, &found) && !is_revived(w->c, &found.meta)) {
		struct cache_entry entry = told(w->c, &found, w->now_s);

		w->wanted = w->visit(w->arg, k, &entry, found.msg);
	}
	return w->wanted;
}

bool
cache_walk(struct cache *c, unsigned shard, uint32_t now_s, cache_visit *visit, void *arg)
{
	struct walk w = { c, &c->part[shard].shard, now_s, visit, arg, true };

	lock_take(&c->part[shard].lock);
	shard_each(&c->part[shard].shard, visit_one, &w);
	lock_give(&c->part[shard].lock);
	return w.wanted;
}

bool
cache_try_walk(struct cache *c, unsigned shard, uint32_t now_s, cache_visit *visit, void *arg)
{
	struct walk w = { c, &c->part[shard].shard, now_s, visit, arg, true };

	if (!lock_try(&c->part[shard].lock))
		return false;
	shard_each(&c->part[shard].shard, visit_one, &w);
	lock_give(&c->part[shard].lock);
	return true;
}

void
cache_walk_name(
    struct cache *c, const uint8_t *name, size_t len, uint32_t now_s, cache_visit *visit, void *arg)
{
	const struct question key = {
		.qname = name, .qname_len = len, .hash = hash_bytes(name, len, c->seed)
	};
	struct cache_part *g = part_of(c, key.hash);
	struct walk w = { c, &g->shard, now_s, visit, arg, true };

	lock_take(&g->lock);
	shard_each_of_name(&g->shard, &key, visit_one, &w);
	lock_give(&g->lock);
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

/* --- What is flushed -------------------------------------------------------------------------- */

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
is_led_there(const struct aim *a, const uint8_t *msg, size_t len)
{
	static const enum msg_section sections[] = { MSG_ANSWER, MSG_ADDITIONAL };
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

struct drop {
	struct cache *c;
	struct shard *shard;
	struct aim aim;
	unsigned n;
};

static bool
drop_one(void *arg, const struct question *k, const struct shard_entry *e)
{
	struct drop *d = arg;
	struct shard_entry found = *e;

	if (exists(d->c, d->shard, k, &found) && is_led_there(&d->aim, e->msg, e->len)) {
		shard_drop(d->shard, e);
		d->n++;
	}
	return true;
}

/* Remove what leads to A, one shard after the other. Returns how many entries there were. */
static unsigned
flush_aliases(struct cache *c, struct aim a)
{
	struct drop d = { .c = c, .aim = a };

	for (uint32_t i = 0; i < c->n_shards; i++) {
		d.shard = &c->part[i].shard;
		lock_take(&c->part[i].lock);
		shard_each(d.shard, drop_one, &d);
		lock_give(&c->part[i].lock);
	}
	/* Last: who has read the number before may have got what is gone now. */
	atomic_fetch_add_explicit(&c->names_flushed, 1, memory_order_release);
	return d.n;
}

unsigned
cache_flush_type(struct cache *c, const uint8_t *name, size_t len, uint16_t type)
{
	struct question k = { .qname = name,
		.qname_len = len,
		.hash = hash_bytes(name, len, c->seed),
		.qtype = type };
	struct cache_part *g = part_of(c, k.hash);

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
