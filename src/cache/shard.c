/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/shard.h"

#include <assert.h>
#include <string.h>

#include "cache/entry.h"
#include "cache/shard_room.h"
#include "dns/name.h"
#include "dns/wire.h"

#define SMALL_PART 10 /* the small ring is this part of both */
/* Of the block, per slot. Two thirds of the slots are taken at most, unless messages are tiny. */
#define BYTES_PER_SLOT 80

_Static_assert(BUCKET_UNIT == RING_ALIGN, "every place fits in a slot");

static size_t
align(size_t n, size_t to)
{
	return n / to * to;
}

void
shard_init(struct shard *s, uint8_t *mem, size_t size, uint32_t stale_s, atomic_uint *cuts)
{
	assert(size >= SHARD_MIN && size <= SHARD_MAX);
	memset(s, 0, sizeof(*s));
	s->stale_s = stale_s;
	s->cuts = cuts;
	s->n_buckets = (uint32_t)(size / BYTES_PER_SLOT / BUCKET_SLOTS);
	s->buckets = (struct bucket *)(void *)mem;
	size_t index = s->n_buckets * sizeof(*s->buckets);
	s->ghost.n_rows = s->n_buckets * BUCKET_SLOTS / GHOST_ROW;
	s->ghost.row = (uint16_t(*)[GHOST_ROW])(void *)(mem + index);
	size_t ghosts = (size_t)s->ghost.n_rows * sizeof(*s->ghost.row);
	s->data = mem + index + ghosts;
	size_t data = align(size - index - ghosts, RING_ALIGN);
	size_t small = align(data / SMALL_PART, RING_ALIGN);
	ring_init(&s->small, s->data, (uint32_t)small);
	ring_init(&s->main, s->data + small, (uint32_t)(data - small));
}

/* --- The index -------------------------------------------------------------------------------- */

/* The slots of a key's entries, each a slot's number or SHARD_NO_SLOT. */
struct places {
	uint32_t type; /* of the key's type */
	uint32_t any;  /* of SHARD_ANY_TYPE; none if that is the key's type */
};

/* Search a bucket that has one of the tags: compare tag by tag, then the entries themselves. */
static inline void
look_in(const struct shard *s, const struct question *key, uint32_t number, struct places *p)
{
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);
	const struct bucket *b = &s->buckets[number];

	for (uint32_t i = 0; i < BUCKET_SLOTS; i++) {
		if (b->tag[i] != type && b->tag[i] != any)
			continue;
		const struct entry *e = shard_entry_at(s, (size_t)b->place[i] * BUCKET_UNIT);
		if (b->tag[i] == type && entry_of_key(e, key, key->qtype))
			p->type = number * BUCKET_SLOTS + i;
		else if (b->tag[i] == any && entry_of_key(e, key, SHARD_ANY_TYPE))
			p->any = number * BUCKET_SLOTS + i;
	}
}

static struct places
look_closely(const struct shard *s, const struct question *key)
{
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);
	struct places p = { .type = SHARD_NO_SLOT, .any = SHARD_NO_SLOT };

	for (unsigned which = 0; which < 2; which++) {
		uint32_t number = bucket_number(key->hash, which, s->n_buckets);

		if (bucket_has(&s->buckets[number], type, any))
			look_in(s, key, number, &p);
	}
	return p;
}

static inline struct places
places_of(struct shard *s, const struct question *key)
{
	s->work = (struct shard_work){ .buckets = 2 };
	if (!shard_may_have(s, key))
		return (struct places){ .type = SHARD_NO_SLOT, .any = SHARD_NO_SLOT };
	return look_closely(s, key);
}

static void
set_slot(struct shard *s, uint32_t slot, uint16_t tag, size_t place, unsigned asked)
{
	struct bucket *b = shard_bucket_of(s, slot);
	unsigned i = slot % BUCKET_SLOTS;

	b->tag[i] = tag;
	b->place[i] = (uint32_t)(place / BUCKET_UNIT);
	b->asked[i] = (uint8_t)asked;
}

static void
forget(struct shard *s, uint32_t slot)
{
	if (slot != SHARD_NO_SLOT)
		shard_drop_slot(s, slot, shard_entry_of(s, slot));
}

/* The slot with the least popular entry in a name's two buckets, none of whose slots is free. */
static uint32_t
least_asked(const struct shard *s, uint32_t first, uint32_t second)
{
	uint32_t least = first * BUCKET_SLOTS;

	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot =
		    (i < BUCKET_SLOTS ? first : second) * BUCKET_SLOTS + i % BUCKET_SLOTS;

		if (shard_asked_of(s, slot) < shard_asked_of(s, least))
			least = slot;
	}
	return least;
}

/*
 * A slot for a new entry: the first one that is free in either of the name's buckets, mostly in the
 * emptier one. If both are full the least popular entry is evicted.
 */
static inline uint32_t
free_slot(struct shard *s, uint64_t hash)
{
	uint32_t first = bucket_number(hash, 0, s->n_buckets),
		 second = bucket_number(hash, 1, s->n_buckets);
	const struct bucket *a = &s->buckets[first], *b = &s->buckets[second];

	for (uint32_t i = 0; i < BUCKET_SLOTS; i++) {
		if (a->tag[i] == 0)
			return first * BUCKET_SLOTS + i;
		if (b->tag[i] == 0)
			return second * BUCKET_SLOTS + i;
	}
	uint32_t slot = least_asked(s, first, second);
	s->counts.evicted++;
	forget(s, slot);
	return slot;
}

/* --- Entries ---------------------------------------------------------------------------------- */

static inline void
view(const struct shard *s, uint32_t slot, struct shard_entry *out)
{
	const struct entry *e;

	out->msg = NULL;
	if (slot == SHARD_NO_SLOT)
		return;
	e = shard_entry_of(s, slot);
	out->meta = e->meta;
	out->meta.flags &= ENTRY_CUT | ENTRY_OWNERS;
	out->msg = entry_msg(e);
	out->len = e->msg_len;
	out->asked = shard_asked_of(s, slot);
	out->slot = slot;
}

bool
shard_find(struct shard *s, const struct question *key, struct shard_found *out)
{
	s->work = (struct shard_work){ .buckets = 2 };
	struct places p = look_closely(s, key);

	if ((p.type & p.any) == SHARD_NO_SLOT)
		return false;
	view(s, p.type, &out->type);
	view(s, p.any, &out->any);
	return true;
}

void
shard_ask(struct shard *s, const struct shard_entry *e)
{
	/* No write at the maximum: a popular entry's line of the processor's cache stays clean. */
	if (shard_asked_of(s, e->slot) < BUCKET_ASKED_MAX)
		shard_bucket_of(s, e->slot)->asked[e->slot % BUCKET_SLOTS]++;
}

void
shard_set_meta(struct shard *s, const struct shard_entry *e, const struct entry_meta *meta)
{
	struct entry *at = shard_entry_of(s, e->slot);
	unsigned kept = at->meta.flags & ~(unsigned)ENTRY_OWNERS;

	at->meta = *meta;
	at->meta.flags = (uint8_t)((meta->flags & ENTRY_OWNERS) | kept);
}

void
shard_drop(struct shard *s, const struct shard_entry *e)
{
	forget(s, e->slot);
}

uint8_t *
shard_message(struct shard *s, const struct shard_entry *e)
{
	return (uint8_t *)(shard_entry_of(s, e->slot) + 1);
}

static inline void
enter(struct shard *s, struct entry *e, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len)
{
	e->hash = (uint32_t)key->hash;
	e->msg_len = (uint16_t)len;
	e->qtype = key->qtype;
	e->meta = *meta;
	e->meta.flags |= entry_key_flags(key);
	memcpy(e + 1, msg, len);
	s->work.moved += len;
	s->counts.n++;
	s->counts.bytes += len;
	s->counts.put++;
	if (UNLIKELY(meta->flags & ENTRY_CUT))
		atomic_fetch_add_explicit(shard_cut_count(s, e), 1, memory_order_relaxed);
}

bool
shard_put(struct shard *s, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len, bool there, uint32_t now_s)
{
	uint32_t whole = (uint32_t)align(sizeof(struct entry) + len + RING_ALIGN - 1, RING_ALIGN);
	uint16_t tag = bucket_tag(key, key->qtype);
	unsigned asked = 0;
	size_t place = SHARD_NO_ROOM;
	bool in_main;

	__builtin_prefetch(ghost_row(&s->ghost, key->hash));
	__builtin_prefetch(shard_entry_at(s, s->small.tail));
	struct places p = places_of(s, key);
	if (there)
		forget(s, p.any);
	if (p.type != SHARD_NO_SLOT) { /* the new one goes to the same ring, and is as popular */
		in_main = shard_place_of(s, p.type) >= s->small.size;
		asked = shard_asked_of(s, p.type);
		forget(s, p.type);
	} else {
		in_main = ghost_take(&s->ghost, key->hash, tag);
		s->counts.ghost_hits += in_main;
	}
	if (len <= SHARD_MSG_MAX)
		place =
		    in_main ? shard_room_main(s, whole, now_s) : shard_room_new(s, whole, now_s);
	if (place == SHARD_NO_ROOM) {
		s->counts.refused++;
		return false;
	}
	uint32_t slot = p.type != SHARD_NO_SLOT ? p.type : free_slot(s, key->hash);
	set_slot(s, slot, tag, place, asked);
	shard_entry_at(s, place)->slot = slot;
	enter(s, shard_entry_at(s, place), key, meta, msg, len);
	return true;
}

void
shard_remove(struct shard *s, const struct question *key)
{
	struct places p = places_of(s, key);

	forget(s, p.type);
	forget(s, p.any);
}

/*
 * The I-th of the 2 * BUCKET_SLOTS slots that may have an entry of KEY's name; RING_FULL: it has
 * none.
 */
static uint32_t
slot_of_name(struct shard *s, const struct question *key, uint32_t i)
{
	uint32_t number = bucket_number(key->hash, i / BUCKET_SLOTS, s->n_buckets);
	uint32_t slot = number * BUCKET_SLOTS + i % BUCKET_SLOTS;

	if (s->buckets[number].tag[i % BUCKET_SLOTS] == 0 ||
	    !entry_of_name(shard_entry_of(s, slot), key))
		return RING_FULL;
	return slot;
}

/* Remove the entries of KEY's name; TYPED: those for its type alone, or for any. Returns their
 * number. */
static unsigned
forget_named(struct shard *s, const struct question *key, bool typed)
{
	unsigned n = 0;

	s->work = (struct shard_work){ .buckets = 2 };
	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot = slot_of_name(s, key, i);

		if (slot == RING_FULL)
			continue;
		const struct entry *e = shard_entry_of(s, slot);
		if (typed && e->qtype != key->qtype && e->qtype != SHARD_ANY_TYPE)
			continue;
		forget(s, slot);
		n++;
	}
	return n;
}

unsigned
shard_remove_name(struct shard *s, const struct question *key)
{
	return forget_named(s, key, false);
}

unsigned
shard_remove_type(struct shard *s, const struct question *key)
{
	return forget_named(s, key, true);
}

void
shard_clear(struct shard *s)
{
	for (uint32_t slot = 0; slot < s->n_buckets * BUCKET_SLOTS; slot++) {
		if (shard_bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] != 0)
			forget(s, slot);
	}
	memset(s->ghost.row, 0, (size_t)s->ghost.n_rows * sizeof(*s->ghost.row));
	ring_init(&s->small, s->small.mem, s->small.size);
	ring_init(&s->main, s->main.mem, s->main.size);
}

/* Visit the entries of RING, from its tail to its head. False: VISIT wants no more. */
static bool
each_in(struct shard *s, const struct ring *ring,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	struct ring r = *ring;
	uint32_t at;

	for (; (at = ring_oldest(&r)) != RING_FULL; ring_drop(&r)) {
		size_t place = (size_t)(r.mem - s->data) + at;
		struct shard_entry e;

		if (shard_entry_at(s, place)->msg_len == 0)
			continue;
		view(s, shard_entry_at(s, place)->slot, &e);
		struct question key = entry_key(shard_entry_at(s, place));
		if (!visit(arg, &key, &e))
			return false;
	}
	return true;
}

void
shard_each_of_name(struct shard *s, const struct question *key,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot = slot_of_name(s, key, i);
		struct shard_entry e;

		if (slot == RING_FULL)
			continue;
		view(s, slot, &e);
		struct question k = entry_key(shard_entry_of(s, slot));
		if (!visit(arg, &k, &e))
			return;
	}
}

void
shard_each(struct shard *s,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	if (each_in(s, &s->small, visit, arg))
		(void)each_in(s, &s->main, visit, arg);
}
