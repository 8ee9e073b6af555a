/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_OUTAGES_H
#define DNS64D_CACHE_OUTAGES_H

/*
 * outages: when upstreams were down lately. A silence that a loop remembered during an outage that
 * is over is not true any more (RULES D22); silences from before and after stay.
 *
 * Each loop sees its upstreams itself and notes an outage with times of its own: outages that
 * overlap are united. Times are in seconds of the cache's clock, which may wrap. Thread-safe.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"

#define OUTAGES_MAX 8 /* remembered at a time; more are united with the last one */
#define OUTAGES_LIFE_S \
	300 /* s: no silence is remembered for longer, so older outages are forgotten */

struct outage {
	uint32_t from_s; /* its first failure */
	uint32_t to_s;   /* the reply that ended it */
};

struct outages {
	struct lock lock;
	unsigned n; /* used of outage */
	struct outage outage[OUTAGES_MAX];
};

/* outages_init: no outage is known. */
void outages_init(struct outages *o);

/* outages_note: note that an upstream was down from FROM_S to TO_S. */
void outages_note(struct outages *o, uint32_t from_s, uint32_t to_s);

/* outages_have: was AT_S during an outage that is over, its ends included? */
MUST_USE bool outages_have(struct outages *o, uint32_t at_s);

#endif
