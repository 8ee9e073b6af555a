/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_FLUSHES_H
#define DNS64D_CACHE_FLUSHES_H

/*
 * flushes: which of a cache's entries were flushed. Flushes are numbered; an entry has the number
 * of the last one before it came. So one that has the number of today was not flushed, which is
 * seen at a glance, and whoever is found spared by later flushes gets their number.
 *
 * Numbers are 16 bits in an entry: before they come round again the cache has to remove everything.
 * Any thread may call anything here.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"
#include "dns/proto.h"

#define FLUSHES_MAX 64 /* names below which all was flushed, remembered at a time */

/* All at NAME and below it that came before flush NUMBER was flushed then. */
struct mark {
	uint8_t name[DNS_NAME_MAX];
	uint16_t number;
	uint32_t time_s;
};

struct flushes {
	atomic_uint now;  /* the last flush */
	struct lock lock; /* of the rest */
	uint16_t all;     /* what came before this flush was flushed then */
	unsigned n;
	struct mark mark[FLUSHES_MAX];
};

/* flushes_init: nothing was flushed. */
void flushes_init(struct flushes *m);

/* flushes_now: the number for an entry that comes now. */
MUST_USE static inline uint16_t
flushes_now(const struct flushes *m)
{
	return (uint16_t)atomic_load_explicit(&m->now, memory_order_relaxed);
}

/* flushes_all: everything is flushed. True: the caller is to remove all entries, whatever their
 * number. */
MUST_USE bool flushes_all(struct flushes *m);

/*
 * flushes_below: the same for NAME (LEN bytes) and all below it, at NOW_S; of older entries than
 * LIFE_S there are none. With too many such names everything is flushed.
 */
MUST_USE bool flushes_below(
    struct flushes *m, const uint8_t *name, size_t len, uint32_t now_s, uint32_t life_s);

/*
 * flushes_spare: was an entry about NAME that has the number *number not flushed? Then it may have
 * that of today, which is written to *number.
 */
MUST_USE bool flushes_spare(struct flushes *m, const uint8_t *name, uint16_t *number);

#endif
