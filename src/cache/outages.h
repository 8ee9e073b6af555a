/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_OUTAGES_H
#define DNS64D_CACHE_OUTAGES_H

/*
 * outages: when upstreams were down lately, as far as the cache must know it. A silence that was
 * remembered during an outage that is over was the outage's, whichever loop remembered it, and is
 * true no more (RULES D22); what was remembered before and after stays.
 *
 * Each loop has its own view of its upstreams, so one outage is told of several times, a little
 * different each time: what overlaps becomes one. Times are in seconds of the cache's clock, which
 * may wrap. Any thread may call anything here.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"

#define OUTAGES_MAX 8 /* remembered at a time; if there are more the last one grows */
#define OUTAGES_LIFE_S \
	300 /* no silence is remembered for longer: then its outage may be forgotten */

struct outage {
	uint32_t from_s; /* the first failure of the row */
	uint32_t to_s;   /* the reply that ended it */
};

struct outages {
	struct lock lock;
	unsigned n;
	struct outage outage[OUTAGES_MAX];
};

/* outages_init: there were none. */
void outages_init(struct outages *o);

/* outages_note: an upstream replies again at TO_S that had failed since FROM_S. */
void outages_note(struct outages *o, uint32_t from_s, uint32_t to_s);

/* outages_have: was there one at AT_S, both its ends included, that is over? */
MUST_USE bool outages_have(struct outages *o, uint32_t at_s);

#endif
