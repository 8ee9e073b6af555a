/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_TXID_H
#define DNS64D_CORE_TXID_H

/*
 * txid: unpredictable transaction IDs without a search (RFC 5452 section 9.2).
 *
 * One permutation of all 65,536 IDs. Those in flight stand in front of a border, the
 * free ones behind it. To take one, a uniformly drawn free place is swapped to the
 * border and the border moves up; to give one back it is swapped behind the border. So
 * every draw is uniform over all free IDs, no ID is twice in flight, and both cost O(1).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"

#define TXID_COUNT 65536U
#define TXID_MAX_SPACES 4 /* permutations, each for sockets of its own */

/* What an ID in flight belongs to; kept after the ID was given back, to know a late reply. */
struct txid_owner {
	uint32_t lookup; /* number of the lookup; meaningless when the ID is free */
	uint16_t socket; /* slot of the upstream socket it went out by, TXID_TCP over TCP */
	uint16_t upstream;
};

#define TXID_TCP 0xffff

struct txid {
	uint32_t n_used;            /* the border */
	uint16_t ids[TXID_COUNT];   /* the permutation */
	uint16_t place[TXID_COUNT]; /* place[ids[i]] == i */
	struct txid_owner owner[TXID_COUNT];
};

/* txid_init: all IDs free. */
void txid_init(struct txid *t);

/* txid_take: a free ID, now in flight for OWNER, to *id. False when none is free. */
MUST_USE bool txid_take(
    struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id);

/* txid_give: an ID in flight is free again. */
void txid_give(struct txid *t, uint16_t id);

/* txid_in_flight: is this ID out? */
static inline bool
txid_in_flight(const struct txid *t, uint16_t id)
{
	return t->place[id] < t->n_used;
}

/* txid_room: how many IDs are free. */
static inline uint32_t
txid_room(const struct txid *t)
{
	return TXID_COUNT - t->n_used;
}

#endif
