/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_PACKETCACHE_H
#define DNS64D_ENGINE_PACKETCACHE_H

/*
 * packetcache: finished answers to questions that are repeated within the same second.
 *
 * A question with the same octets, except the ID, from a client under the same policy gets the same
 * answer, except the ID, while the second lasts, no setting has changed and nothing was flushed:
 * TTLs count in seconds. An answer is kept only if it came wholly from the cache, and only when its
 * question comes the second time in a second; a question that is rarer costs one look. Each
 * repetition increments the counters that the first answer incremented.
 *
 * One thread per struct; each loop has its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/stats.h"

#define PACKETCACHE_SLOTS 4096
#define PACKETCACHE_QUESTION 96 /* bytes: longest question, without the ID */
#define PACKETCACHE_ANSWER 192  /* bytes: longest answer */
#define PACKETCACHE_COUNTS 10   /* counters that an answer may have incremented */

/* What an answer depends on: the octets of the question, and the rest. */
struct packetcache_ask {
	const uint8_t *msg; /* borrowed until packetcache_write or packetcache_keep */
	size_t len;
	uint32_t now_s;
	uint32_t flushes; /* cache_flushes, read before any lookup in the cache */
	uint32_t conf_gen;
	uint16_t policy;
	uint8_t family; /* the client's: enum netaddr_family */
};

/* What is known of an answer besides. */
struct packetcache_why {
	enum reason reason;
	uint32_t age_s; /* of the cache's entry that it was made of */
	unsigned asked; /* the question's place in stats.asked */
};

struct packetcache;

/* packetcache_new: an empty packet cache; SEED keys the hash. NULL without memory. */
MUST_USE struct packetcache *packetcache_new(uint64_t seed);

/* packetcache_free: free P, which may be NULL. */
void packetcache_free(struct packetcache *p);

/*
 * packetcache_glance: did the question of LEN bytes at MSG come in this second already? Remembers
 * that it came now. MSG is hashed, not parsed, and 16 bits are compared: a false yes is
 * possible.
 */
bool packetcache_glance(struct packetcache *p, const uint8_t *msg, size_t len, uint32_t now_s);

/*
 * packetcache_find: is there an answer to ASK, whose msg packetcache_glance has just found? If not,
 * the values of the counters S before this question are remembered for packetcache_keep.
 */
MUST_USE bool packetcache_find(
    struct packetcache *p, const struct packetcache_ask *ask, const struct stats *s);

/* packetcache_why: what is known of the answer that packetcache_find found. */
MUST_USE struct packetcache_why packetcache_why(const struct packetcache *p);

/*
 * packetcache_write: write the answer that packetcache_find found to OUT, and count it in S.
 * Returns its length in bytes.
 */
MUST_USE size_t packetcache_write(
    const struct packetcache *p, uint8_t out[static PACKETCACHE_ANSWER], struct stats *s);

/*
 * packetcache_keep: keep the LEN bytes at ANSWER, given for WHY, as the answer that
 * packetcache_find did not find; S has counted all of it. An answer that is too long, or
 * incremented too many counters, is not kept.
 */
void packetcache_keep(struct packetcache *p, const uint8_t *answer, size_t len,
    const struct packetcache_why *why, const struct stats *s);

#endif
