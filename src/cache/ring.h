/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_RING_H
#define DNS64D_CACHE_RING_H

/*
 * ring: entries of any length in one block, in the order of their coming: new ones at the head,
 * room is made at the tail. An entry is whole: it never goes over the block's end.
 *
 * Lengths and offsets are bytes, multiples of RING_ALIGN. The first 4 bytes of an entry are its
 * length, written by the ring; the rest is the owner's.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

#define RING_ALIGN 8U
#define RING_FULL UINT32_MAX    /* instead of an offset */
#define RING_UNUSED 0x80000000U /* in a length: nothing is there, up to the end of the block */

struct ring {
	uint8_t *mem; /* borrowed: size bytes, aligned to RING_ALIGN */
	uint32_t size;
	uint32_t head; /* where the next entry begins */
	uint32_t tail; /* where the oldest one does */
	uint32_t used; /* bytes from tail to head, the unused end of the block included */
};

/* ring_init: empty, in SIZE bytes (a multiple of RING_ALIGN, under 2 GiB) at MEM. */
void ring_init(struct ring *r, uint8_t *mem, uint32_t size);

/* ring_is_full: can it be told at a glance that there is no room for LEN bytes? */
MUST_USE static inline bool
ring_is_full(const struct ring *r, uint32_t len)
{
	return r->size - r->used < len;
}

/* ring_add: room for an entry of LEN bytes at the head; its offset, or RING_FULL. */
MUST_USE uint32_t ring_add(struct ring *r, uint32_t len);

/* ring_skip: at the tail is no entry but the block's unused end; the rest of ring_oldest. */
MUST_USE uint32_t ring_skip(struct ring *r);

/* ring_oldest: the offset of the entry at the tail; RING_FULL when there is none. */
MUST_USE static inline uint32_t
ring_oldest(struct ring *r)
{
	uint32_t len;

	if (r->used == 0)
		return RING_FULL;
	memcpy(&len, r->mem + r->tail, sizeof(len));
	return UNLIKELY((len & RING_UNUSED) != 0) ? ring_skip(r) : r->tail;
}

/* ring_len: bytes of the entry at offset AT. */
MUST_USE static inline uint32_t
ring_len(const struct ring *r, uint32_t at)
{
	uint32_t len;

	memcpy(&len, r->mem + at, sizeof(len));
	return len & ~RING_UNUSED;
}

/* ring_drop: the entry at the tail is gone. Its bytes stay until ring_add gives them away. */
static inline void
ring_drop(struct ring *r)
{
	uint32_t len = ring_len(r, r->tail), tail = r->tail + len;

	r->used -= len;
	r->tail = tail < r->size ? tail : 0;
}

#endif
