/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_GHOST_H
#define DNS64D_CACHE_GHOST_H

/*
 * ghost: what was thrown out of a cache lately, as 16 bits of each key. Whatever comes back
 * while it is remembered here was thrown out too early.
 *
 * Lines of 15 and a hand; in a line the newest takes the place of the oldest. Two keys may look the
 * same: then one of them gets a better place than it would have got.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"

#define GHOST_LINE 16               /* words of 16 bits in a line: the hand, then fingerprints */
#define GHOST_KEPT (GHOST_LINE - 1) /* fingerprints in a line */

typedef uint16_t ghost_words __attribute__((vector_size(GHOST_LINE), may_alias));
typedef uint64_t ghost_halves __attribute__((vector_size(GHOST_LINE)));

struct ghost {
	uint16_t (*line)[GHOST_LINE]; /* borrowed: n_lines, aligned to 32; all zero at first */
	uint32_t n_lines;
};

/* ghost_line: of the key with HASH, of which the lower half counts. */
MUST_USE static inline uint16_t *
ghost_line(const struct ghost *g, uint64_t hash)
{
	return g->line[(hash & UINT32_MAX) * g->n_lines >> 32];
}

/* ghost_print: what is kept of PRINT; 0 is a free place. */
MUST_USE static inline uint16_t
ghost_print(unsigned print)
{
	return (uint16_t)(print | 1);
}

/* ghost_add: the key with HASH, told from others in its line by PRINT, was thrown out. */
static inline void
ghost_add(struct ghost *g, uint64_t hash, unsigned print)
{
	uint16_t *line = ghost_line(g, hash);
	unsigned at = line[0] < GHOST_KEPT ? line[0] + 1U : 1U;

	line[at] = ghost_print(print);
	line[0] = (uint16_t)at;
}

/* ghost_forget: the rest of ghost_take: false when it was the hand that looks like PRINT. */
MUST_USE bool ghost_forget(uint16_t *line, uint16_t print);

/* ghost_take: was it, lately? Then it is forgotten here. */
MUST_USE static inline bool
ghost_take(struct ghost *g, uint64_t hash, unsigned print)
{
	uint16_t *line = ghost_line(g, hash);
	const ghost_words *half = (const ghost_words *)(const void *)line;
	ghost_halves same = (ghost_halves)(half[0] == ghost_print(print)) |
	    (ghost_halves)(half[1] == ghost_print(print));

	return UNLIKELY((same[0] | same[1]) != 0) && ghost_forget(line, ghost_print(print));
}

#endif
