/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_FLUSHES_H
#define DNS64D_CACHE_FLUSHES_H

/*
 * flushes: which entries of the cache were flushed. Flushes, and changes of the limits of TTLs, are
 * numbered alike; an entry has the number of the last one before it came. An entry with the number
 * of the newest flush was not flushed, which takes one comparison to see. One with an older number
 * is compared with each flush that is remembered; if none of them concerns it, it gets the last
 * number.
 *
 * Numbers have 16 bits in an entry: before they wrap the cache removes everything. Thread-safe.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"
#include "dns/proto.h"

#define FLUSHES_MAX 64 /* flushes of a name and all below it that are remembered at a time */

/* Entries at NAME and below it with a smaller number than NUMBER were flushed. */
struct flush {
	uint8_t name[DNS_NAME_MAX];
	uint16_t number;
	uint32_t time_s; /* when, in seconds of the cache's clock */
};

struct flushes {
	atomic_uint now;  /* the number of the last flush, in the lower 16 bits */
	struct lock lock; /* of the rest */
	uint16_t all;     /* all entries with a smaller number were flushed */
	uint16_t limited; /* those with a smaller number were stored under other limits of TTLs */
	unsigned n;       /* used of below */
	struct flush below[FLUSHES_MAX];
};

/* flushes_init: nothing was flushed. */
void flushes_init(struct flushes *f);

/* flushes_now: the number for an entry that comes now. */
MUST_USE static inline uint16_t
flushes_now(const struct flushes *f)
{
	return (uint16_t)atomic_load_explicit(&f->now, memory_order_relaxed);
}

/* flushes_all: flush everything. True: numbers have wrapped, the caller must remove all entries. */
MUST_USE bool flushes_all(struct flushes *f);

/*
 * flushes_below: flush NAME (LEN bytes, in lower case) and all names below it, at NOW_S. No entry
 * is older than LIFE_S, so flushes before that are forgotten. If FLUSHES_MAX are remembered
 * everything is flushed. Returns as flushes_all.
 */
MUST_USE bool flushes_below(
    struct flushes *f, const uint8_t *name, size_t len, uint32_t now_s, uint32_t life_s);

/* flushes_limit: the limits of TTLs have changed. Returns as flushes_all. */
MUST_USE bool flushes_limit(struct flushes *f);

/*
 * flushes_spare: has no flush concerned an entry of NAME with the number *number? Then *number
 * becomes that of the last flush, and *older says whether the entry was stored before the last
 * flushes_limit.
 */
MUST_USE bool flushes_spare(struct flushes *f, const uint8_t *name, uint16_t *number, bool *older);

#endif
