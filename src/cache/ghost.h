/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_GHOST_H
#define DNS64D_CACHE_GHOST_H

/*
 * ghost: the keys that the cache has evicted lately, a fingerprint of 16 bits for each. An entry
 * that is put again while its fingerprint is known was evicted too early (S3-FIFO's ghost queue).
 *
 * A row of 16 words holds 15 fingerprints and their hand, the place of the newest one; a new one
 * takes the place of the oldest in its row. Two keys may have the same fingerprint: then one of
 * them enters the main ring earlier than it should.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define GHOST_ROW 16               /* words of 16 bits in a row: the hand, then fingerprints */
#define GHOST_KEPT (GHOST_ROW - 1) /* fingerprints in a row */

#define GHOST_HALF (GHOST_ROW / 2 * sizeof(uint16_t)) /* bytes of half a row */

typedef uint16_t ghost_words __attribute__((vector_size(GHOST_HALF), may_alias));
typedef uint64_t ghost_halves __attribute__((vector_size(GHOST_HALF)));

struct ghost {
	uint16_t (*row)[GHOST_ROW]; /* borrowed: n_rows of them, aligned to 32; all zero at first */
	uint32_t n_rows;
};

/* ghost_row: the row of GHOST_ROW words for a key with HASH; the lower 32 bits decide. */
MUST_USE static inline uint16_t *
ghost_row(const struct ghost *g, uint64_t hash)
{
	return g->row[(hash & UINT32_MAX) * g->n_rows >> 32];
}

/* ghost_print: the fingerprint that is stored for PRINT. It is odd, as 0 means a free place. */
MUST_USE static inline uint16_t
ghost_print(unsigned print)
{
	return (uint16_t)(print | 1);
}

/* ghost_add: note that an entry was evicted whose key has HASH and PRINT (its bucket_tag). */
static inline void
ghost_add(struct ghost *g, uint64_t hash, unsigned print)
{
	uint16_t *row = ghost_row(g, hash);
	unsigned at = row[0] < GHOST_KEPT ? row[0] + 1U : 1U;

	row[at] = ghost_print(print);
	row[0] = (uint16_t)at;
}

/*
 * ghost_forget: the slow part of ghost_take: take PRINT out of ROW. False: it is not in ROW (the
 * hand looked like it).
 */
MUST_USE bool ghost_forget(uint16_t *row, uint16_t print);

/*
 * ghost_take: was an entry with this HASH and PRINT evicted lately? If so its fingerprint is taken
 * out.
 */
MUST_USE static inline bool
ghost_take(struct ghost *g, uint64_t hash, unsigned print)
{
	uint16_t *row = ghost_row(g, hash);
	const ghost_words *half = (const ghost_words *)(const void *)row;
	ghost_halves same = (ghost_halves)(half[0] == ghost_print(print)) |
	    (ghost_halves)(half[1] == ghost_print(print));

	return UNLIKELY((same[0] | same[1]) != 0) && ghost_forget(row, ghost_print(print));
}

#endif
