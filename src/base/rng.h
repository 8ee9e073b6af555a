/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_RNG_H
#define DNS64D_BASE_RNG_H

/*
 * rng: random numbers for IDs, ports and choices.
 *
 * The system source is the kernel's (getrandom), read a block at a time so that a
 * draw costs a few instructions. The seeded source gives the same sequence for the
 * same seed and is for tests and replays only. One thread per struct.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/attr.h"

#define RNG_BLOCK 2048 /* bytes fetched at once */

struct rng {
	size_t used;    /* bytes of block already handed out; they are wiped */
	bool seeded;    /* true: state, not the kernel, fills the block */
	uint64_t state; /* of the seeded source */
	unsigned char block[RNG_BLOCK];
};

/* rng_init: draw from the kernel. Aborts only if the kernel has no random numbers at all. */
void rng_init(struct rng *r);

/* rng_init_seeded: a reproducible sequence, NOT for use on a network. */
void rng_init_seeded(struct rng *r, uint64_t seed);

/* rng_refill: fetch the next block, dropping what is left of this one. Used by the draws. */
void rng_refill(struct rng *r);

/* rng_fill: LEN random bytes to OUT. */
void rng_fill(struct rng *r, void *out, size_t len);

/* rng_draw: N <= 8 random bytes to OUT; they are wiped from the block. Used by the draws. */
static inline void
rng_draw(struct rng *r, void *out, size_t n)
{
	if (UNLIKELY(n > RNG_BLOCK - r->used))
		rng_refill(r);
	memcpy(out, r->block + r->used, n);
	memset(r->block + r->used, 0, n);
	r->used += n;
}

/* rng_u16, rng_u32, rng_u64: a uniform number of that width. */
MUST_USE static inline uint16_t
rng_u16(struct rng *r)
{
	uint16_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

MUST_USE static inline uint32_t
rng_u32(struct rng *r)
{
	uint32_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

MUST_USE static inline uint64_t
rng_u64(struct rng *r)
{
	uint64_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

/*
 * rng_below: a number in [0, n), every one exactly as likely. n > 0. The upper half of a product
 * with 32 random bits is the number; the few lower halves that would favour some are drawn again
 * (Lemire, "Fast Random Integer Generation in an Interval", 2019).
 */
MUST_USE static inline uint32_t
rng_below(struct rng *r, uint32_t n)
{
	uint64_t product = (uint64_t)rng_u32(r) * n;

	if (UNLIKELY((uint32_t)product < n)) {
		uint32_t favoured = (uint32_t)(0 - n) % n;

		while ((uint32_t)product < favoured)
			product = (uint64_t)rng_u32(r) * n;
	}
	return (uint32_t)(product >> 32);
}

#endif
