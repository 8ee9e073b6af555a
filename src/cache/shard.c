/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/shard.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "dns/header.h"
#include "dns/name.h"
#include "dns/type.h"

#define NO_SLOT UINT32_MAX /* instead of a slot's number */
#define NO_ROOM SIZE_MAX   /* instead of a place: making room would be too much work */

#define FETCH_AHEAD 8 /* slots that a visit of all entries fetches before it needs them */
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

/* --- An entry --------------------------------------------------------------------------------- */

/* What lies in the rings: this, then the message, whose question holds the key's name and class. */
struct entry {
	uint32_t len;           /* bytes of the whole entry; the ring writes it */
	uint32_t slot;          /* the slot that points here */
	uint32_t hash;          /* lower half of the name's hash */
	uint16_t msg_len;       /* bytes; 0: replaced or removed, no slot points here */
	uint16_t qtype;         /* the key's */
	struct entry_meta meta; /* its flags have the key's ENTRY_DO and ENTRY_CD too */
};

_Static_assert(sizeof(struct entry) == SHARD_HEAD, "what is in front of a message");

/* E's message, E->msg_len bytes. */
static inline const uint8_t *
entry_msg(const struct entry *e)
{
	return (const uint8_t *)(e + 1);
}

/* The name in the message's question, not compressed. */
static inline const uint8_t *
entry_name(const struct entry *e)
{
	return header_qname(entry_msg(e));
}

/* DO and CD of KEY as ENTRY_DO and ENTRY_CD. */
static inline uint8_t
entry_key_flags(const struct question *key)
{
	return (uint8_t)((unsigned)key->do_bit << 7 | (unsigned)key->cd << 6);
}

/* Is E an entry of KEY's name? Compares hash and octets: names are in lower case. */
static inline bool
entry_of_name(const struct entry *e, const struct question *key)
{
	return e->hash == (uint32_t)key->hash &&
	    header_question_end(key->qname_len) <= e->msg_len &&
	    memcmp(entry_name(e), key->qname, key->qname_len) == 0;
}

/* Is E an entry for KEY, but of whatever type? */
static inline bool
entry_of_key(const struct entry *e, const struct question *key)
{
	return (e->meta.flags & (ENTRY_DO | ENTRY_CD)) == entry_key_flags(key) &&
	    entry_of_name(e, key) && header_qclass(entry_msg(e), key->qname_len) == key->qclass;
}

/* Is E not removed, and fresh or stale for less than STALE_S? */
static inline bool
entry_of_use(const struct entry *e, uint32_t stale_s, uint32_t now_s)
{
	uint32_t age_s = entry_age(e->meta.stored_s, now_s);

	return e->msg_len > 0 && (age_s < e->meta.ttl_s || age_s - e->meta.ttl_s < stale_s);
}

/* The key of E, its hash 0; the name is borrowed from E. */
static inline struct question
entry_key(const struct entry *e)
{
	const uint8_t *name = entry_name(e);
	size_t len = name_len(name);

	return (struct question){ .qname = name,
		.qname_len = len,
		.qtype = e->qtype,
		.qclass = header_qclass(entry_msg(e), len),
		.do_bit = (e->meta.flags & ENTRY_DO) != 0,
		.cd = (e->meta.flags & ENTRY_CD) != 0 };
}

/* --- The index -------------------------------------------------------------------------------- */

/* The entry at PLACE. */
static inline struct entry *
entry_at(const struct shard *s, size_t place)
{
	return (struct entry *)(void *)(s->data + place);
}

/* The bucket that SLOT is in. */
static inline struct bucket *
bucket_of(const struct shard *s, uint32_t slot)
{
	return &s->buckets[slot / BUCKET_SLOTS];
}

/* How often SLOT's entry was asked for lately, up to BUCKET_ASKED_MAX. */
static inline unsigned
asked_of(const struct shard *s, uint32_t slot)
{
	return bucket_of(s, slot)->asked[slot % BUCKET_SLOTS];
}

/* The place of SLOT's entry. */
static inline size_t
place_of(const struct shard *s, uint32_t slot)
{
	return (size_t)bucket_of(s, slot)->place[slot % BUCKET_SLOTS] * BUCKET_UNIT;
}

/* SLOT's entry; the slot must not be free. */
static inline struct entry *
entry_of(const struct shard *s, uint32_t slot)
{
	return entry_at(s, place_of(s, slot));
}

/* The count of entries with ENTRY_CUT that E, which has it, belongs to. */
static inline atomic_uint *
cut_count(struct shard *s, const struct entry *e)
{
	return &s->cuts[name_labels(entry_name(e)) % SHARD_CUT_DEPTHS];
}

/* E, the entry of SLOT, is found no more, and the slot is free. */
static inline void
drop_slot(struct shard *s, uint32_t slot, struct entry *e)
{
	s->counts.n--;
	s->counts.bytes -= e->msg_len;
	if (UNLIKELY(e->meta.flags & ENTRY_CUT))
		atomic_fetch_sub_explicit(cut_count(s, e), 1, memory_order_relaxed);
	e->msg_len = 0;
	bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] = 0;
}

/* The slots of a key's entries, each a slot's number or NO_SLOT. */
struct places {
	uint32_t type; /* of the key's type */
	uint32_t any;  /* of SHARD_ANY_TYPE; none if that is the key's type */
};

/* Compare the entries of T with KEY itself. */
static struct places
look_closely(const struct shard *s, const struct question *key, const struct shard_tagged *t)
{
	struct places p = { .type = NO_SLOT, .any = NO_SLOT };

	for (unsigned bits = t->slots; bits != 0; bits &= bits - 1) {
		unsigned i = (unsigned)__builtin_ctz(bits);
		uint32_t slot = t->bucket[i / BUCKET_SLOTS] * BUCKET_SLOTS + i % BUCKET_SLOTS;
		const struct entry *e = entry_of(s, slot);

		if (e->qtype != key->qtype && e->qtype != SHARD_ANY_TYPE)
			continue;
		if (!entry_of_key(e, key))
			continue;
		if (e->qtype == key->qtype)
			p.type = slot;
		else
			p.any = slot;
	}
	return p;
}

static inline struct places
places_of(struct shard *s, const struct question *key)
{
	struct shard_tagged t = shard_tagged(s, key);

	s->work = (struct shard_work){ .buckets = 2 };
	if (t.slots == 0)
		return (struct places){ .type = NO_SLOT, .any = NO_SLOT };
	return look_closely(s, key, &t);
}

static void
set_slot(struct shard *s, uint32_t slot, uint16_t tag, size_t place, unsigned asked)
{
	struct bucket *b = bucket_of(s, slot);
	unsigned i = slot % BUCKET_SLOTS;

	b->tag[i] = tag;
	b->place[i] = (uint32_t)(place / BUCKET_UNIT);
	b->asked[i] = (uint8_t)asked;
}

static void
forget(struct shard *s, uint32_t slot)
{
	if (slot != NO_SLOT)
		drop_slot(s, slot, entry_of(s, slot));
}

/* The slot with the least popular entry in a name's two buckets, none of whose slots is free. */
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

/* The first free slot in either of a name's buckets, mostly in the emptier one; or NO_SLOT. */
static inline uint32_t
unused_slot(const struct shard *s, uint64_t hash)
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
	return NO_SLOT;
}

/* A slot for a new entry. If there is none the least popular entry of both buckets is evicted. */
static inline uint32_t
free_slot(struct shard *s, uint64_t hash)
{
	uint32_t slot = unused_slot(s, hash);

	if (slot != NO_SLOT)
		return slot;
	slot = least_asked(
	    s, bucket_number(hash, 0, s->n_buckets), bucket_number(hash, 1, s->n_buckets));
	s->counts.evicted++;
	forget(s, slot);
	return slot;
}

/* --- Room for an entry, and which are evicted for it ------------------------------------------ */

/* Log, at level debug, that E is evicted. */
static __attribute__((cold, noinline)) void
tell_evicted(struct entry *e)
{
	char name[NAME_TEXT], type[TYPE_TEXT];

	log_debug(LOG_CACHE, "evicted %s %s, to make room",
	    name_to_text(header_qname(entry_msg(e)), name),
	    e->qtype == SHARD_ANY_TYPE ? "of all types" : type_to_text(e->qtype, type));
}

/* Evict E, the entry of SLOT. If it was still of USE its fingerprint is kept. */
static inline void
evict(struct shard *s, uint32_t slot, struct entry *e, bool use)
{
	if (use) {
		ghost_add(&s->ghost, e->hash, bucket_of(s, slot)->tag[slot % BUCKET_SLOTS]);
		s->counts.evicted++;
		if (log_debugs(LOG_CACHE))
			tell_evicted(e);
	}
	drop_slot(s, slot, e);
}

/*
 * Copy SLOT's entry to the place TO, where the ring has written its length already. In the same
 * ring the two may overlap: the length that was written is outside of the old entry or has the same
 * bytes.
 */
static void
move(struct shard *s, uint32_t slot, size_t to, unsigned asked)
{
	struct bucket *b = bucket_of(s, slot);
	size_t from = place_of(s, slot);
	uint32_t len;

	memcpy(&len, s->data + to, sizeof(len));
	memmove(s->data + to + sizeof(len), s->data + from + sizeof(len), len - sizeof(len));
	s->work.moved += len;
	b->place[slot % BUCKET_SLOTS] = (uint32_t)(to / BUCKET_UNIT);
	b->asked[slot % BUCKET_SLOTS] = (uint8_t)asked;
}

/*
 * The oldest entry of the main ring: keep it, as the newest one, if it was asked for; else evict
 * it.
 */
static void
evict_from_main(struct shard *s, uint32_t now_s)
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

/* Evict from the main ring until LEN bytes fit. Their offset in the ring, or RING_FULL. */
static uint32_t
room_in_main(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at;

	while ((at = ring_add(&s->main, len)) == RING_FULL && s->work.drops < SHARD_DROPS)
		evict_from_main(s, now_s);
	return at;
}

/* The same, but drop only what is of no use any more. */
static inline uint32_t
room_to_spare(struct shard *s, uint32_t len, uint32_t now_s)
{
	while (ring_is_full(&s->main, len) && s->work.drops < SHARD_DROPS) {
		if (entry_of_use(
			entry_at(s, s->small.size + ring_oldest(&s->main)), s->stale_s, now_s))
			return RING_FULL;
		evict_from_main(s, now_s);
	}
	return ring_add(&s->main, len);
}

/*
 * The oldest entry of the small ring: move it to the main ring if it was asked for; else evict it.
 */
static void
evict_from_small(struct shard *s, uint32_t now_s)
{
	uint32_t at = ring_oldest(&s->small), to = RING_FULL;
	struct entry *e = entry_at(s, at);

	s->work.drops++;
	if (e->msg_len > 0) {
		uint32_t slot = e->slot;
		bool use = entry_of_use(e, s->stale_s, now_s);

		if (asked_of(s, slot) > 0 && use && s->work.copies < SHARD_COPIES) {
			s->work.copies++; /* counted before those that making room moves */
			to = room_in_main(s, ring_len(&s->small, at), now_s);
		}
		if (to != RING_FULL)
			move(s, slot, s->small.size + to, 0);
		else
			evict(s, slot, e, use);
	}
	ring_drop(&s->small);
}

/*
 * Room in the main ring, for an entry that replaces or comes back to one there. Its place or
 * NO_ROOM.
 */
static size_t
room_for_old(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at = room_in_main(s, len, now_s);

	return at != RING_FULL ? s->small.size + at : NO_ROOM;
}

/*
 * Room for an entry of LEN bytes for which nothing of use has to leave: in the small ring, or in
 * the main one. Its place or NO_ROOM.
 */
static inline size_t
room_unused(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at;

	if (!ring_is_full(&s->small, len) && (at = ring_add(&s->small, len)) != RING_FULL)
		return at;
	at = room_to_spare(s, len, now_s);
	return at != RING_FULL ? s->small.size + at : NO_ROOM;
}

/*
 * Room for an entry of LEN bytes (a multiple of RING_ALIGN) whose key has not been here lately: in
 * the small ring or, as long as nothing of use is lost by it, in the main one. It drops SHARD_DROPS
 * entries and moves SHARD_COPIES at most, counted in s->work. Its place or NO_ROOM.
 */
static size_t
room_for_new(struct shard *s, uint32_t len, uint32_t now_s)
{
	size_t place = room_unused(s, len, now_s);
	uint32_t at = RING_FULL;

	if (place != NO_ROOM)
		return place;
	do {
		if (s->work.drops >= SHARD_DROPS)
			return NO_ROOM;
		evict_from_small(s, now_s);
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
	out->meta.flags &= ENTRY_CUT | ENTRY_OWNERS;
	out->msg = entry_msg(e);
	out->len = e->msg_len;
	out->asked = asked_of(s, slot);
	out->slot = slot;
}

bool
shard_find(struct shard *s, const struct question *key, const struct shard_tagged *t,
    struct shard_found *out)
{
	struct places p = look_closely(s, key, t);

	s->work = (struct shard_work){ .buckets = 2 };

	if ((p.type & p.any) == NO_SLOT)
		return false;
	view(s, p.type, &out->type);
	view(s, p.any, &out->any);
	return true;
}

void
shard_ask(struct shard *s, const struct shard_entry *e)
{
	/* No write at the maximum: a popular entry's line of the processor's cache stays clean. */
	if (asked_of(s, e->slot) < BUCKET_ASKED_MAX)
		bucket_of(s, e->slot)->asked[e->slot % BUCKET_SLOTS]++;
}

void
shard_set_meta(struct shard *s, const struct shard_entry *e, const struct entry_meta *meta)
{
	struct entry *at = entry_of(s, e->slot);
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
	return (uint8_t *)(entry_of(s, e->slot) + 1);
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
		atomic_fetch_add_explicit(cut_count(s, e), 1, memory_order_relaxed);
}

/* The bytes of an entry with a message of LEN. */
static inline uint32_t
entry_whole(size_t len)
{
	return (uint32_t)align(SHARD_HEAD + len + RING_ALIGN - 1, RING_ALIGN);
}

bool
shard_put(struct shard *s, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len, bool there, uint32_t now_s)
{
	uint32_t whole = entry_whole(len);
	uint16_t tag = bucket_tag(key, key->qtype);
	unsigned asked = 0;
	size_t place = NO_ROOM;
	bool in_main;

	__builtin_prefetch(ghost_row(&s->ghost, key->hash));
	__builtin_prefetch(entry_at(s, s->small.tail));
	struct places p = places_of(s, key);
	if (there)
		forget(s, p.any);
	if (p.type != NO_SLOT) { /* the new one goes to the same ring, and is as popular */
		in_main = place_of(s, p.type) >= s->small.size;
		asked = asked_of(s, p.type);
		forget(s, p.type);
	} else {
		in_main = ghost_take(&s->ghost, key->hash, tag);
		s->counts.ghost_hits += in_main;
	}
	if (len <= SHARD_MSG_MAX)
		place = in_main ? room_for_old(s, whole, now_s) : room_for_new(s, whole, now_s);
	if (place == NO_ROOM) {
		s->counts.refused++;
		return false;
	}
	uint32_t slot = p.type != NO_SLOT ? p.type : free_slot(s, key->hash);
	set_slot(s, slot, tag, place, asked);
	entry_at(s, place)->slot = slot;
	enter(s, entry_at(s, place), key, meta, msg, len);
	return true;
}

bool
shard_put_spare(struct shard *s, const struct question *key, const struct entry_meta *meta,
    const uint8_t *msg, size_t len, uint32_t now_s)
{
	uint32_t slot = unused_slot(s, key->hash);
	size_t place = NO_ROOM;

	s->work = (struct shard_work){ .buckets = 2 };
	if (slot != NO_SLOT && len <= SHARD_MSG_MAX)
		place = room_unused(s, entry_whole(len), now_s);
	if (place == NO_ROOM) {
		s->counts.refused++;
		return false;
	}
	set_slot(s, slot, bucket_tag(key, key->qtype), place, 0);
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

/*
 * The I-th of the 2 * BUCKET_SLOTS slots that may have an entry of KEY's name; RING_FULL: it has
 * none.
 */
static uint32_t
slot_of_name(struct shard *s, const struct question *key, uint32_t i)
{
	uint32_t number = bucket_number(key->hash, i / BUCKET_SLOTS, s->n_buckets);
	uint32_t slot = number * BUCKET_SLOTS + i % BUCKET_SLOTS;

	if (s->buckets[number].tag[i % BUCKET_SLOTS] == 0 || !entry_of_name(entry_of(s, slot), key))
		return RING_FULL;
	return slot;
}

unsigned
shard_remove_name(struct shard *s, const struct question *key, bool typed)
{
	unsigned n = 0;

	s->work = (struct shard_work){ .buckets = 2 };
	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot = slot_of_name(s, key, i);

		if (slot == RING_FULL)
			continue;
		const struct entry *e = entry_of(s, slot);
		if (typed && e->qtype != key->qtype && e->qtype != SHARD_ANY_TYPE)
			continue;
		forget(s, slot);
		n++;
	}
	return n;
}

void
shard_clear(struct shard *s)
{
	for (uint32_t slot = 0; slot < s->n_buckets * BUCKET_SLOTS; slot++) {
		if (bucket_of(s, slot)->tag[slot % BUCKET_SLOTS] != 0)
			forget(s, slot);
	}
	memset(s->ghost.row, 0, (size_t)s->ghost.n_rows * sizeof(*s->ghost.row));
	ring_init(&s->small, s->small.mem, s->small.size);
	ring_init(&s->main, s->main.mem, s->main.size);
}

/* Drop the oldest entry of R, a copy of a ring, if there is one, and fetch its slot. */
static inline void
fetch_slot(const struct shard *s, struct ring *r)
{
	uint32_t at = ring_oldest(r);

	if (at == RING_FULL)
		return;
	__builtin_prefetch(bucket_of(s, entry_at(s, (size_t)(r->mem - s->data) + at)->slot));
	ring_drop(r);
}

/* Visit the entries of RING, from its tail to its head. False: VISIT wants no more. */
static bool
each_in(struct shard *s, const struct ring *ring,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	struct ring r = *ring, ahead = *ring;
	uint32_t at;

	for (unsigned i = 0; i < FETCH_AHEAD; i++)
		fetch_slot(s, &ahead);
	for (; (at = ring_oldest(&r)) != RING_FULL; ring_drop(&r)) {
		size_t place = (size_t)(r.mem - s->data) + at;
		struct shard_entry e;

		fetch_slot(s, &ahead);
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
shard_each_of_name(struct shard *s, const struct question *key,
    bool (*visit)(void *arg, const struct question *key, const struct shard_entry *e), void *arg)
{
	for (uint32_t i = 0; i < 2 * BUCKET_SLOTS; i++) {
		uint32_t slot = slot_of_name(s, key, i);
		struct shard_entry e;

		if (slot == RING_FULL)
			continue;
		view(s, slot, &e);
		struct question k = entry_key(entry_of(s, slot));
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
