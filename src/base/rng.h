/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_RNG_H
#define DNS64D_BASE_RNG_H

/*
 * rng: random numbers for IDs, ports and choices.
 *
 * Numbers come from the kernel (getrandom(2)), a block at a time, so a draw takes a few
 * instructions. With a seed the sequence is the same each time: for tests and replays only. One
 * thread per struct.
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

/* rng_init: numbers from the kernel. A draw aborts the process if the kernel has none. */
void rng_init(struct rng *r);

/* rng_init_seeded: numbers that SEED determines; NOT for use on a network. */
void rng_init_seeded(struct rng *r, uint64_t seed);

/* rng_refill: fetch the next block, dropping what is left of this one. For rng_draw only. */
void rng_refill(struct rng *r);

/* rng_fill: write LEN random bytes to OUT. */
void rng_fill(struct rng *r, void *out, size_t len);

/* rng_draw: write N <= 8 random bytes to OUT and wipe them from the block. */
static inline void
rng_draw(struct rng *r, void *out, size_t n)
{
	if (UNLIKELY(n > RNG_BLOCK - r->used))
		rng_refill(r);
	memcpy(out, r->block + r->used, n);
	memset(r->block + r->used, 0, n);
	r->used += n;
}

/* rng_u16: a random number of 16 bits, each value equally likely. */
MUST_USE static inline uint16_t
rng_u16(struct rng *r)
{
	uint16_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

/* rng_u32: a random number of 32 bits, each value equally likely. */
MUST_USE static inline uint32_t
rng_u32(struct rng *r)
{
	uint32_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

/* rng_u64: a random number of 64 bits, each value equally likely. */
MUST_USE static inline uint64_t
rng_u64(struct rng *r)
{
	uint64_t v;

	rng_draw(r, &v, sizeof(v));
	return v;
}

/*
 * rng_below: a number in [0, n), n > 0, each exactly as likely. It is the upper half of n times 32
 * random bits; the few lower halves that would make some numbers likelier are drawn again (Lemire,
 * "Fast Random Integer Generation in an Interval", 2019).
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
