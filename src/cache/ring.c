/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/ring.h"

void
ring_init(struct ring *r, uint8_t *mem, uint32_t size)
{
	*r = (struct ring){ .mem = mem, .size = size };
}

static void
set_len(struct ring *r, uint32_t at, uint32_t len)
{
	memcpy(r->mem + at, &len, sizeof(len));
}

static uint32_t
take(struct ring *r, uint32_t len)
{
	uint32_t at = r->head;

	set_len(r, at, len);
	r->used += len;
	r->head = at + len < r->size ? at + len : 0;
	return at;
}

uint32_t
ring_add(struct ring *r, uint32_t len)
{
	if (r->used == 0)
		r->head = r->tail = 0;
	if (r->used > 0 && r->head <= r->tail) /* the block's end is in use */
		return len <= r->tail - r->head ? take(r, len) : RING_FULL;
	uint32_t left = r->size - r->head;
	if (len <= left)
		return take(r, len);
	if (len > r->tail)
		return RING_FULL;
	set_len(r, r->head, left | RING_UNUSED);
	r->used += left;
	r->head = 0;
	return take(r, len);
}

uint32_t
ring_skip(struct ring *r)
{
	ring_drop(r);
	return r->used > 0 ? r->tail : RING_FULL;
}
