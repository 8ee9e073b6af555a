/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_POOL_H
#define DNS64D_BASE_POOL_H

/*
 * pool: a fixed number of objects of one size.
 *
 * Address space for all of them is reserved at the start, and memory is touched as objects are
 * taken: an idle daemon stays small, and taking an object never calls the allocator. Objects never
 * move. The object given back last is taken first. One thread per pool. Under AddressSanitizer an
 * object given back is poisoned.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct pool {
	unsigned char *mem; /* owned: cap * stride bytes, anonymous mapping */
	size_t stride;      /* bytes from one object to the next, a multiple of 16 */
	void *free;         /* chain of objects given back, linked through their first bytes */
	uint32_t cap;       /* objects there can be */
	uint32_t n_touched; /* objects ever taken; memory behind them was never touched */
	uint32_t n_used;    /* objects out now */
};

/*
 * pool_init: reserve room for CAP objects of SIZE bytes (both > 0), aligned to 16.
 * Returns 0 or -errno; on failure *p needs no pool_fini.
 */
MUST_USE int pool_init(struct pool *p, size_t size, uint32_t cap);

/* pool_fini: give all memory back. No object may be used afterwards. P may be all zero. */
void pool_fini(struct pool *p);

/* pool_take: an object, its contents unspecified, until pool_give; NULL if all are out. */
MUST_USE void *pool_take(struct pool *p);

/* pool_give: give back OBJ, which came from pool_take of this pool. */
void pool_give(struct pool *p, void *obj);

static inline uint32_t
pool_room(const struct pool *p)
{
	return p->cap - p->n_used;
}

#endif
