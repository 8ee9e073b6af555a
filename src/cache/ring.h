/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_RING_H
#define DNS64D_CACHE_RING_H

/*
 * ring: a FIFO of entries of any length in one block of memory: entries are added at the head and
 * dropped at the tail. An entry is contiguous: it never wraps at the block's end, where some bytes
 * may stay unused.
 *
 * Lengths and offsets are in bytes, multiples of RING_ALIGN. The first 4 bytes of an entry are its
 * length, which the ring writes; the rest is the owner's.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

#define RING_ALIGN 8U
#define RING_FULL UINT32_MAX    /* instead of an offset: no room, or no entry */
#define RING_UNUSED 0x80000000U /* flag in a length: unused bytes up to the block's end */

struct ring {
	uint8_t *mem; /* borrowed: size bytes, aligned to RING_ALIGN */
	uint32_t size;
	uint32_t head; /* where the next entry begins */
	uint32_t tail; /* where the oldest entry begins */
	uint32_t used; /* bytes from tail to head, the unused end of the block included */
};

/* ring_init: make R empty, in SIZE bytes (a multiple of RING_ALIGN, under 2 GiB) at MEM. */
void ring_init(struct ring *r, uint8_t *mem, uint32_t size);

/*
 * ring_is_full: are fewer than LEN bytes free? If not, ring_add may fail all the same, as the free
 * bytes may not be contiguous.
 */
MUST_USE static inline bool
ring_is_full(const struct ring *r, uint32_t len)
{
	return r->size - r->used < len;
}

/* ring_add: add an entry of LEN bytes at the head, its length written. Its offset, or RING_FULL. */
MUST_USE uint32_t ring_add(struct ring *r, uint32_t len);

/* ring_skip: the slow part of ring_oldest: skip the unused bytes at the tail. */
MUST_USE uint32_t ring_skip(struct ring *r);

/* ring_oldest: the offset of the entry at the tail; RING_FULL if the ring is empty. */
MUST_USE static inline uint32_t
ring_oldest(struct ring *r)
{
	uint32_t len;

	if (r->used == 0)
		return RING_FULL;
	memcpy(&len, r->mem + r->tail, sizeof(len));
	return UNLIKELY((len & RING_UNUSED) != 0) ? ring_skip(r) : r->tail;
}

/* ring_len: the length of the entry at offset AT. */
MUST_USE static inline uint32_t
ring_len(const struct ring *r, uint32_t at)
{
	uint32_t len;

	memcpy(&len, r->mem + at, sizeof(len));
	return len & ~RING_UNUSED;
}

/*
 * ring_drop: drop the entry at the tail; there must be one. Its bytes stay until ring_add reuses
 * them.
 */
static inline void
ring_drop(struct ring *r)
{
	uint32_t len = ring_len(r, r->tail), tail = r->tail + len;

	r->used -= len;
	r->tail = tail < r->size ? tail : 0;
}

#endif
