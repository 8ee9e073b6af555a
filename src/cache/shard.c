/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/shard.h"

#include <assert.h>
#include <string.h>

#include "cache/entry.h"
#include "dns/name.h"
#include "dns/wire.h"

#define SMALL_PART 10 /* the small ring is this part of both */
#define BYTES_PER_SLOT \
	80 /* of the block: two thirds of the slots are taken at most, but by tiny ones */
#define NOWHERE SIZE_MAX /* instead of a place in the data */
#define NO_SLOT UINT32_MAX

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
	s->n_lines = (uint32_t)(size / BYTES_PER_SLOT / SHARD_LINE);
	s->lines = (struct bucket *)(void *)mem;
	size_t index = s->n_lines * sizeof(*s->lines);
	s->ghost.n_lines = s->n_lines * SHARD_LINE / GHOST_LINE;
	s->ghost.line = (uint16_t(*)[GHOST_LINE])(void *)(mem + index);
	size_t ghosts = (size_t)s->ghost.n_lines * sizeof(*s->ghost.line);
	s->data = mem + index + ghosts;
	size_t data = align(size - index - ghosts, RING_ALIGN);
	size_t small = align(data / SMALL_PART, RING_ALIGN);
	ring_init(&s->small, s->data, (uint32_t)small);
	ring_init(&s->main, s->data + small, (uint32_t)(data - small));
}

static struct entry *
entry_at(const struct shard *s, size_t place)
{
	return (struct entry *)(void *)(s->data + place);
}

/* --- The index -------------------------------------------------------------------------------- */

/* A slot is its line's number and its own there, together. */
static struct bucket *
bucket_of(const struct shard *s, uint32_t slot)
{
	return &s->lines[slot / BUCKET_SLOTS];
}

static unsigned
asked_of(const struct shard *s, uint32_t slot)
{
	return bucket_of(s, slot)->asked[slot % BUCKET_SLOTS];
}

static size_t
place_of(const struct shard *s, uint32_t slot)
{
	return (size_t)bucket_of(s, slot)->place[slot % BUCKET_SLOTS] * BUCKET_UNIT;
}

static struct entry *
entry_of(const struct shard *s, uint32_t slot)
{
	return entry_at(s, place_of(s, slot));
}

/* Where a key's entries are. */
struct places {
	uint32_t type; /* slot, NO_SLOT */
	uint32_t any;  /* of SHARD_ANY_TYPE; for a key of that type there is only the other */
};

/* In a line that has one of the tags: they are compared, then entries. */
static inline void
look_in(const struct shard *s, const struct question *key, uint32_t line, struct places *p)
{
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);
	const struct bucket *l = &s->lines[line];

	for (uint32_t i = 0; i < BUCKET_SLOTS; i++) {
		if (l->tag[i] != type && l->tag[i] != any)
			continue;
		const struct entry *e = entry_at(s, (size_t)l->place[i] * BUCKET_UNIT);
		if (l->tag[i] == type && entry_of_key(e, key, key->qtype))
			p->type = line * BUCKET_SLOTS + i;
		else if (l->tag[i] == any && entry_of_key(e, key, SHARD_ANY_TYPE))
			p->any = line * BUCKET_SLOTS + i;
	}
}

static struct places
look_closely(const struct shard *s, const struct question *key)
{
	uint16_t type = bucket_tag(key, key->qtype), any = bucket_tag(key, SHARD_ANY_TYPE);
	struct places p = { .type = NO_SLOT, .any = NO_SLOT };

	for (unsigned which = 0; which < 2; which++) {
		uint32_t line = bucket_number(key->hash, which, s->n_lines);

		if (bucket_has(&s->lines[line], type, any))
			look_in(s, key, line, &p);
	}
	return p;
}

static inline struct places
places_of(struct shard *s, const struct question *key)
{
	s->work = (struct shard_work){ .lines = 2 };
	if (!shard_may_have(s, key))
		return (struct places){ .type = NO_SLOT, .any = NO_SLOT };
	return look_closely(s, key);
}

static void
set_slot(struct shard *s, uint32_t slot, uint16_t tag, size_t place, unsigned asked)
{
	struct bucket *l = bucket_of(s, slot);
	unsigned i = slot % BUCKET_SLOTS;

	l->tag[i] = tag;
	l->place[i] = (uint32_t)(place / BUCKET_UNIT);
	l->asked[i] = (uint8_t)asked;
}

/* The depth that an entry which cuts is counted at. */
static atomic_uint *
cut_of(struct shard *s, const struct entry *e)
{
	return &s->cuts[name_labels(entry_name(e)) % SHARD_CUT_DEPTHS];
}

/* What the slot has, E, is there no more. */
static inline void
forget_entry(struct shard *s, uint32_t slot, struct entry *e)
{
	s->counts.n--;
	s->counts.bytes -= e->msg_len;
	if (UNLIKELY(e->meta.flags & SHARD_CUT))
		atomic_fetch_sub_explicit(cut_of(s, e), 1, memory_order_relaxed);
	e->msg_len = 0;
	bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] = 0;
}

static void
forget(struct shard *s, uint32_t slot)
{
	if (slot != NO_SLOT)
		forget_entry(s, slot, entry_of(s, slot));
}

/*
 * Of all slots in the two lines of a name, none of which is free, the one that was asked for least.
 */
static uint32_t
least_asked(const struct shard *s, uint32_t first, uint32_t second)
{
	uint32_t least = first * BUCKET_SLOTS;

	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot =
		    (i < BUCKET_SLOTS ? first : second) * BUCKET_SLOTS + i % BUCKET_SLOTS;

		if (asked_of(s, slot) < asked_of(s, least))
			least = slot;
	}
	return least;
}

/*
 * A slot for a new entry: the first that is free in either line, which is in the emptier one
 * mostly; if both are full what was asked for least gives way.
 */
static inline uint32_t
free_slot(struct shard *s, uint64_t hash)
{
	uint32_t first = bucket_number(hash, 0, s->n_lines),
		 second = bucket_number(hash, 1, s->n_lines);
	const struct bucket *a = &s->lines[first], *b = &s->lines[second];

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

/* --- Room ------------------------------------------------------------------------------------- */

/* Throw out what the slot has, E; a fingerprint stays if it was still of USE. */
static inline void
evict(struct shard *s, uint32_t slot, struct entry *e, bool use)
{
	if (use) {
		ghost_add(&s->ghost, e->hash, bucket_of(s, slot)->tag[slot % BUCKET_SLOTS]);
		s->counts.evicted++;
	}
	forget_entry(s, slot, e);
}

/*
 * Copy the slot's entry to the place TO, which its length was written to already. When the ring is
 * the same the two may overlap; what was written there is no part of the other, or the same bytes.
 */
static void
move(struct shard *s, uint32_t slot, size_t to, unsigned asked)
{
	struct bucket *l = bucket_of(s, slot);
	size_t from = place_of(s, slot);
	uint32_t len;

	memcpy(&len, s->data + to, sizeof(len));
	memmove(s->data + to + sizeof(len), s->data + from + sizeof(len), len - sizeof(len));
	s->work.moved += len;
	l->place[slot % BUCKET_SLOTS] = (uint32_t)(to / BUCKET_UNIT);
	l->asked[slot % BUCKET_SLOTS] = (uint8_t)asked;
}

/* What is at the main ring's end goes round again if it was asked for, or out. */
static void
turn_main(struct shard *s, uint32_t now_s)
{
	uint32_t at = ring_oldest(&s->main), len = ring_len(&s->main, at);
	size_t place = s->small.size + at;
	struct entry *e = entry_at(s, place);

	s->work.drops++;
	ring_drop(&s->main);
	if (e->msg_len == 0)
		return;
	uint32_t slot = e->slot, to = RING_FULL;
	unsigned asked = asked_of(s, slot);
	bool use = entry_of_use(e, s->stale_s, now_s);
	if (asked > 0 && use && s->work.copies < SHARD_COPIES) {
		s->work.copies++;
		to = ring_add(&s->main, len);
	}
	if (to != RING_FULL)
		move(s, slot, s->small.size + to, asked - 1);
	else
		evict(s, slot, e, use);
}

static uint32_t
room_in_main(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at;

	while ((at = ring_add(&s->main, len)) == RING_FULL && s->work.drops < SHARD_DROPS)
		turn_main(s, now_s);
	return at;
}

/* The same at the cost of nothing that is of use. */
static uint32_t
room_to_spare(struct shard *s, uint32_t len, uint32_t now_s)
{
	while (ring_is_full(&s->main, len) && s->work.drops < SHARD_DROPS) {
		if (entry_of_use(
			entry_at(s, s->small.size + ring_oldest(&s->main)), s->stale_s, now_s))
			return RING_FULL;
		turn_main(s, now_s);
	}
	return ring_add(&s->main, len);
}

/* What is at the small ring's end goes to the main one if it was asked for again, or out. */
static void
turn_small(struct shard *s, uint32_t now_s)
{
	uint32_t at = ring_oldest(&s->small), to = RING_FULL;
	struct entry *e = entry_at(s, at);

	s->work.drops++;
	if (e->msg_len > 0) {
		uint32_t slot = e->slot;
		bool use = entry_of_use(e, s->stale_s, now_s);

		if (asked_of(s, slot) > 0 && use && s->work.copies < SHARD_COPIES) {
			s->work.copies++; /* before those that making room takes */
			to = room_in_main(s, ring_len(&s->small, at), now_s);
		}
		if (to != RING_FULL)
			move(s, slot, s->small.size + to, 0);
		else
			evict(s, slot, e, use);
	}
	ring_drop(&s->small);
}

/* Places for an entry of LEN bytes; NOWHERE: making one would be too much work. */
static size_t
place_in_main(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at = room_in_main(s, len, now_s);

	return at != RING_FULL ? s->small.size + at : NOWHERE;
}

static size_t
place_for_new(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at;

	if (!ring_is_full(&s->small, len) && (at = ring_add(&s->small, len)) != RING_FULL)
		return at;
	at = room_to_spare(s, len, now_s);
	if (at != RING_FULL)
		return s->small.size + at;
	do {
		if (s->work.drops >= SHARD_DROPS)
			return NOWHERE;
		turn_small(s, now_s);
	} while (ring_is_full(&s->small, len) || (at = ring_add(&s->small, len)) == RING_FULL);
	return at;
}

/* --- Entries ---------------------------------------------------------------------------------- */

static inline void
view(const struct shard *s, uint32_t slot, struct shard_entry *out)
{
	const struct entry *e;

	out->msg = NULL;
	if (slot == NO_SLOT)
		return;
	e = entry_of(s, slot);
	out->meta = e->meta;
	out->meta.flags &= SHARD_CUT | SHARD_OWNERS;
	out->msg = entry_msg(e);
	out->len = e->msg_len;
	out->asked = asked_of(s, slot);
	out->slot = slot;
}

bool
shard_find(struct shard *s, const struct question *key, struct shard_found *out)
{
	s->work = (struct shard_work){ .lines = 2 };
	struct places p = look_closely(s, key);

	if ((p.type & p.any) == NO_SLOT)
		return false;
	view(s, p.type, &out->type);
	view(s, p.any, &out->any);
	return true;
}

void
shard_ask(struct shard *s, const struct shard_entry *e)
{
	/* Written only as long as it counts up: a popular entry's line stays clean. */
	if (asked_of(s, e->slot) < SHARD_ASKED_MAX)
		bucket_of(s, e->slot)->asked[e->slot % BUCKET_SLOTS]++;
}

void
shard_set_meta(struct shard *s, const struct shard_entry *e, const struct shard_meta *meta)
{
	struct entry *at = entry_of(s, e->slot);
	unsigned kept = at->meta.flags & ~(unsigned)SHARD_OWNERS;

	at->meta = *meta;
	at->meta.flags = (uint8_t)((meta->flags & SHARD_OWNERS) | kept);
}

static inline void
enter(struct shard *s, struct entry *e, const struct question *key, const struct shard_meta *meta,
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
	if (UNLIKELY(meta->flags & SHARD_CUT))
		atomic_fetch_add_explicit(cut_of(s, e), 1, memory_order_relaxed);
}

bool
shard_put(struct shard *s, const struct question *key, const struct shard_meta *meta,
    const uint8_t *msg, size_t len, bool there, uint32_t now_s)
{
	uint32_t whole = (uint32_t)align(sizeof(struct entry) + len + RING_ALIGN - 1, RING_ALIGN);
	uint16_t tag = bucket_tag(key, key->qtype);
	unsigned asked = 0;
	size_t place = NOWHERE;
	bool in_main;

	__builtin_prefetch(ghost_line(&s->ghost, key->hash));
	__builtin_prefetch(entry_at(s, s->small.tail));
	struct places p = places_of(s, key);
	if (there)
		forget(s, p.any);
	if (p.type != NO_SLOT) { /* its successor belongs where it was, and is as popular */
		in_main = place_of(s, p.type) >= s->small.size;
		asked = asked_of(s, p.type);
		forget(s, p.type);
	} else {
		in_main = ghost_take(&s->ghost, key->hash, tag);
		s->counts.comebacks += in_main;
	}
	if (len <= SHARD_MSG_MAX)
		place = in_main ? place_in_main(s, whole, now_s) : place_for_new(s, whole, now_s);
	if (place == NOWHERE) {
		s->counts.refused++;
		return false;
	}
	uint32_t slot = p.type != NO_SLOT ? p.type : free_slot(s, key->hash);
	set_slot(s, slot, tag, place, asked);
	entry_at(s, place)->slot = slot;
	enter(s, entry_at(s, place), key, meta, msg, len);
	return true;
}

void
shard_remove(struct shard *s, const struct question *key)
{
	struct places p = places_of(s, key);

	forget(s, p.type);
	forget(s, p.any);
}

unsigned
shard_remove_name(struct shard *s, const struct question *key)
{
	unsigned n = 0;

	s->work = (struct shard_work){ .lines = 2 };
	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t line = bucket_number(key->hash, i / BUCKET_SLOTS, s->n_lines);
		uint32_t slot = line * BUCKET_SLOTS + i % BUCKET_SLOTS;

		if (s->lines[line].tag[i % BUCKET_SLOTS] == 0 ||
		    !entry_of_name(entry_of(s, slot), key))
			continue;
		forget(s, slot);
		n++;
	}
	return n;
}

void
shard_clear(struct shard *s)
{
	for (uint32_t slot = 0; slot < s->n_lines * BUCKET_SLOTS; slot++) {
		if (bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] != 0)
			forget(s, slot);
	}
	memset(s->ghost.line, 0, (size_t)s->ghost.n_lines * sizeof(*s->ghost.line));
	ring_init(&s->small, s->small.mem, s->small.size);
	ring_init(&s->main, s->main.mem, s->main.size);
}

/* The entries of a ring are those from its tail to its head, the block's unused end left out. */
static bool
each_in(struct shard *s, const struct ring *ring,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	struct ring r = *ring;
	uint32_t at;

	for (; (at = ring_oldest(&r)) != RING_FULL; ring_drop(&r)) {
		size_t place = (size_t)(r.mem - s->data) + at;
		struct shard_entry e;

		if (entry_at(s, place)->msg_len == 0)
			continue;
		view(s, entry_at(s, place)->slot, &e);
		struct question key = entry_key(entry_at(s, place));
		if (!visit(arg, &key, &e))
			return false;
	}
	return true;
}

void
shard_each(struct shard *s,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	if (each_in(s, &s->small, visit, arg))
		(void)each_in(s, &s->main, visit, arg);
}
