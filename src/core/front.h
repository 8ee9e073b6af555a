/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_FRONT_H
#define DNS64D_CORE_FRONT_H

/*
 * front: finished answers to what is asked again within the same second.
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

#define FRONT_SLOTS 4096
#define FRONT_QUESTION 96 /* bytes behind the ID of the longest question */
#define FRONT_ANSWER 192  /* bytes of the longest answer */
#define FRONT_COUNTS 12   /* counters that an answer may have moved */

/* What an answer depends on, beside the octets of the question. */
struct front_ask {
	const uint8_t *msg; /* borrowed until the answer was written or kept */
	size_t len;
	uint32_t now_s;
	uint32_t flushes; /* cache_flushes before anything was looked up */
	uint32_t conf_turn;
	uint16_t policy;
	uint8_t family; /* the client's: enum netaddr_family */
};

struct front;

/* front_new: nothing is kept; SEED keys the hash. NULL without memory. */
MUST_USE struct front *front_new(uint64_t seed);
void front_free(struct front *f); /* F may be NULL */

/*
 * front_glance: was the question of LEN bytes at MSG asked in this second already? Remembers that
 * it was now. Nothing else of it is read but its octets.
 */
bool front_glance(struct front *f, const uint8_t *msg, size_t len, uint32_t now_s);

/*
 * front_find: after front_glance said yes: is there an answer? If not the counters S are remembered
 * as they are before this question, for front_keep.
 */
MUST_USE bool front_find(struct front *f, const struct front_ask *ask, const struct stats *s);

/* front_write: the answer that front_find found, to OUT; counts in S. Returns its length. */
MUST_USE size_t front_write(
    const struct front *f, uint8_t out[static FRONT_ANSWER], struct stats *s);

/*
 * front_keep: the answer to what front_find did not find is the LEN bytes at ANSWER; S has counted
 * all of it. What is too long, or moved too many counters, is not kept.
 */
void front_keep(struct front *f, const uint8_t *answer, size_t len, const struct stats *s);

#endif
