/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_PACKETCACHE_H
#define DNS64D_CORE_PACKETCACHE_H

/*
 * packetcache: finished answers to what is asked again within the same second.
 *
 * The same octets but for the ID, from a client under the same policy, get the same octets but for
 * the ID, as long as the second lasts, no setting has changed and nothing was flushed: TTLs count
 * in seconds. Only what came whole from the cache is kept, and only when it is asked for the second
 * time in a second; names that are asked for less often cost a glance. Whatever the first answer
 * counted its repetitions count too.
 *
 * One thread; a loop has its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/stats.h"

#define PACKETCACHE_SLOTS 4096
#define PACKETCACHE_QUESTION 96 /* bytes behind the ID of the longest question */
#define PACKETCACHE_ANSWER 192  /* bytes of the longest answer */
#define PACKETCACHE_COUNTS 12   /* counters that an answer may have moved */

/* What an answer depends on, beside the octets of the question. */
struct packetcache_ask {
	const uint8_t *msg; /* borrowed until the answer was written or kept */
	size_t len;
	uint32_t now_s;
	uint32_t flushes; /* cache_flushes before anything was looked up */
	uint32_t conf_gen;
	uint16_t policy;
	uint8_t family; /* the client's: enum netaddr_family */
};

struct packetcache;

/* packetcache_new: nothing is kept; SEED keys the hash. NULL without memory. */
MUST_USE struct packetcache *packetcache_new(uint64_t seed);
void packetcache_free(struct packetcache *f); /* F may be NULL */

/*
 * packetcache_glance: was the question of LEN bytes at MSG asked in this second already? Remembers
 * that it was now. Nothing else of it is read but its octets.
 */
bool packetcache_glance(struct packetcache *f, const uint8_t *msg, size_t len, uint32_t now_s);

/*
 * packetcache_find: after packetcache_glance said yes: is there an answer? If not the counters S
 * are remembered as they are before this question, for packetcache_keep.
 */
MUST_USE bool packetcache_find(
    struct packetcache *f, const struct packetcache_ask *ask, const struct stats *s);

/* packetcache_write: the answer that packetcache_find found, to OUT; counts in S. Returns its
 * length. */
MUST_USE size_t packetcache_write(
    const struct packetcache *f, uint8_t out[static PACKETCACHE_ANSWER], struct stats *s);

/*
 * packetcache_keep: the answer to what packetcache_find did not find is the LEN bytes at ANSWER; S
 * has counted all of it. What is too long, or moved too many counters, is not kept.
 */
void packetcache_keep(
    struct packetcache *f, const uint8_t *answer, size_t len, const struct stats *s);

#endif
