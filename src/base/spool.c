/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/spool.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN 8U                /* bytes; the length of a record stands before it */
#define TO_THE_START UINT64_MAX /* instead of a length: what follows is at the beginning */

bool
spool_init(struct spool *s, size_t cap)
{
	memset(s, 0, sizeof(*s));
	s->bytes = aligned_alloc(64, cap);
	s->cap = cap;
	return s->bytes != NULL;
}

void
spool_fini(struct spool *s)
{
	free(s->bytes);
	s->bytes = NULL;
}

static size_t
room_of(uint64_t len)
{
	return ALIGN + (size_t)((len + ALIGN - 1) & ~(uint64_t)(ALIGN - 1));
}

/* The place of the bytes that stand at AT of all that were ever written. */
static uint8_t *
place(const struct spool *s, uint64_t at)
{
	return s->bytes + (at & (s->cap - 1));
}

static void
put_length(const struct spool *s, uint64_t at, uint64_t len)
{
	memcpy(place(s, at), &len, sizeof(len));
}

void *
spool_begin(struct spool *s, size_t len)
{
	uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
	uint64_t to_end = s->cap - (head & (s->cap - 1));
	size_t need = room_of(len);
	uint64_t at = need <= to_end ? head : head + to_end;

	if (at + need - s->tail_seen > s->cap) {
		s->tail_seen = atomic_load_explicit(&s->tail, memory_order_acquire);
		if (at + need - s->tail_seen > s->cap)
			return NULL;
	}
	if (at != head)
		put_length(s, head, TO_THE_START);
	put_length(s, at, len);
	s->begun = at + need;
	return place(s, at) + ALIGN;
}

void
spool_end(struct spool *s)
{
	atomic_store_explicit(&s->head, s->begun, memory_order_release);
}

/* The length at TAIL, which is before the head. */
static uint64_t
length_at(const struct spool *s, uint64_t tail)
{
	uint64_t len;

	memcpy(&len, place(s, tail), sizeof(len));
	return len;
}

const void *
spool_next(struct spool *s, size_t *len)
{
	uint64_t head = atomic_load_explicit(&s->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);

	if (tail == head)
		return NULL;
	if (length_at(s, tail) == TO_THE_START) {
		tail += s->cap - (tail & (s->cap - 1));
		atomic_store_explicit(&s->tail, tail, memory_order_release);
	}
	*len = (size_t)length_at(s, tail);
	return place(s, tail) + ALIGN;
}

void
spool_drop(struct spool *s)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);

	tail += room_of(length_at(s, tail));
	atomic_store_explicit(&s->tail, tail, memory_order_release);
}
