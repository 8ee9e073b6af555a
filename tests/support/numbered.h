/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_NUMBERED_H
#define DNS64D_SUPPORT_NUMBERED_H

/*
 * numbered: entries of a cache by number. That of N is for nM.example A, M being N / 4; the lowest
 * two bits of N are DO and CD.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/cache.h"

#define NUMBERED_CAP 512 /* bytes of its message at most */

struct numbered {
	uint8_t msg[NUMBERED_CAP]; /* the question */
	size_t len;
	struct question key;
};

/* numbered_make: the key of N in C, and its question. */
void numbered_make(struct numbered *o, const struct cache *c, unsigned n);

/* numbered_put: put entry E for N, whose address is N. */
void numbered_put(struct cache *c, unsigned n, const struct cache_entry *e, uint32_t now_s);

/* numbered_get: get the entry for N, whose address must be N, as cache_get does. */
bool numbered_get(
    struct cache *c, unsigned n, const struct cache_want *want, struct cache_entry *e);

#endif
