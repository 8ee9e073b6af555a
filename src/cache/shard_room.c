/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/shard_room.h"

#include <string.h>

#include "base/log.h"
#include "cache/entry.h"
#include "dns/type.h"

/* Log, at level debug, that E is evicted. */
static __attribute__((cold, noinline)) void
tell_evicted(struct entry *e)
{
	char name[NAME_TEXT], type[TYPE_TEXT];

	log_debug(LOG_CACHE, "evicted %s %s, to make room",
	    name_to_text(header_qname(entry_msg(e)), name),
	    e->qtype == 0 ? /* SHARD_ANY_TYPE */ "of all types" : type_to_text(e->qtype, type));
}

/* Evict E, the entry of SLOT. If it was still of USE its fingerprint is kept. */
static inline void
evict(struct shard *s, uint32_t slot, struct entry *e, bool use)
{
	if (use) {
		ghost_add(&s->ghost, e->hash, shard_bucket_of(s, slot)->tag[slot % BUCKET_SLOTS]);
		s->counts.evicted++;
		if (log_debugs(LOG_CACHE))
			tell_evicted(e);
	}
	shard_drop_slot(s, slot, e);
}

/*
 * Copy SLOT's entry to the place TO, where the ring has written its length already. In the same
 * ring the two may overlap: the length that was written is outside of the old entry or has the same
 * bytes.
 */
static void
move(struct shard *s, uint32_t slot, size_t to, unsigned asked)
{
	struct bucket *b = shard_bucket_of(s, slot);
	size_t from = shard_place_of(s, slot);
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
	struct entry *e = shard_entry_at(s, place);

	s->work.drops++;
	ring_drop(&s->main);
	if (e->msg_len == 0)
		return;
	uint32_t slot = e->slot, to = RING_FULL;
	unsigned asked = shard_asked_of(s, slot);
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
static uint32_t
room_to_spare(struct shard *s, uint32_t len, uint32_t now_s)
{
	while (ring_is_full(&s->main, len) && s->work.drops < SHARD_DROPS) {
		if (entry_of_use(shard_entry_at(s, s->small.size + ring_oldest(&s->main)),
			s->stale_s, now_s))
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
	struct entry *e = shard_entry_at(s, at);

	s->work.drops++;
	if (e->msg_len > 0) {
		uint32_t slot = e->slot;
		bool use = entry_of_use(e, s->stale_s, now_s);

		if (shard_asked_of(s, slot) > 0 && use && s->work.copies < SHARD_COPIES) {
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

size_t
shard_room_main(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at = room_in_main(s, len, now_s);

	return at != RING_FULL ? s->small.size + at : SHARD_NO_ROOM;
}

size_t
shard_room_new(struct shard *s, uint32_t len, uint32_t now_s)
{
	uint32_t at;

	if (!ring_is_full(&s->small, len) && (at = ring_add(&s->small, len)) != RING_FULL)
		return at;
	at = room_to_spare(s, len, now_s);
	if (at != RING_FULL)
		return s->small.size + at;
	do {
		if (s->work.drops >= SHARD_DROPS)
			return SHARD_NO_ROOM;
		evict_from_small(s, now_s);
	} while (ring_is_full(&s->small, len) || (at = ring_add(&s->small, len)) == RING_FULL);
	return at;
}
