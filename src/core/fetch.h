/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_FETCH_H
#define DNS64D_CORE_FETCH_H

/*
 * fetch: what the cache has for a question, as the outcome of a lookup that was never made.
 *
 * A hit decides exactly as a miss (RULES D22): the message has its OPT's extended error again, its
 * TTLs are counted down. One hit at a time, in memory of our own.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/conf.h"
#include "core/lookup.h"
#include "core/stats.h"
#include "dns/msg.h"

#define FETCH_STALE_TTL 30 /* s: of all records of a stale answer (RFC 8767 section 4) */

struct fetch {
	struct lookup_result result; /* of the last hit */
	struct msg msg;
	bool stale;        /* it is past its end */
	bool failing;      /* and could not be refreshed a moment ago */
	uint32_t rotation; /* where in the round addresses are, if they are to take turns */
	uint8_t bytes[LOOKUP_KEPT];
};

/* What is a hit beside what has not come to its end. */
enum fetch_take {
	FETCH_UNEXPIRED, /* nothing */
	FETCH_FAILING,   /* what could not be refreshed a moment ago; it counts as asking for the
			     entry */
	FETCH_RECORDS,   /* that, and whatever is stale but an NXDOMAIN (RULES D5) */
	FETCH_ALL        /* that too: upstream has failed or is late */
};

enum fetch_found {
	FETCH_NOTHING,
	FETCH_HIT,  /* in the struct */
	FETCH_DUE,  /* the same, and the caller is to have it refreshed; with FETCH_FAILING only */
	FETCH_STALE /* there is something stale, which may help if upstream does not; not in the
			struct */
};

/* fetch_find: what there is for KEY that TAKE takes. There must be a cache. */
MUST_USE enum fetch_found fetch_find(struct fetch *r, const struct conf_core *conf,
    struct stats *stats, const struct question *key, enum fetch_take take, uint64_t now_ns);

/* fetch_exists: would FETCH_ALL find anything? Counts nothing; what was in the struct is gone. */
MUST_USE bool fetch_exists(
    struct fetch *r, const struct conf_core *conf, const struct question *key, uint64_t now_ns);

#endif
