/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_TXID_H
#define DNS64D_OUTBOUND_TXID_H

/*
 * txid: unpredictable transaction IDs without a search (RFC 5452 section 9.2).
 *
 * One permutation of all 65,536 IDs. The IDs in flight stand before a border, the free ones behind
 * it. To take an ID, a uniformly drawn free place is swapped to the border, and the border moves
 * up. To give an ID back, it is swapped behind the border. So every draw is uniform over all free
 * IDs, no ID is in flight twice, and both operations cost O(1).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"

#define TXID_COUNT 65536U
#define TXID_MAX_SPACES 4 /* permutations, each for its own sockets */
#define STALE_ID_EACH 512 /* so many questions leave by a socket (io/upstream_set) */

/*
 * What an ID in flight belongs to. It stays after the ID was given back, to recognise a late reply.
 */
struct txid_owner {
	uint32_t lookup; /* number of the lookup; meaningless when the ID is free */
	/* slot of the upstream socket that sent it; over TCP the index of the upstream's connection
	 */
	uint16_t socket;
	uint8_t transport; /* enum transport */
	uint8_t upstream;
};

#define TXID_NO_SOCKET UINT16_MAX /* of an ID that was never taken */

struct txid {
	uint32_t n_used;            /* the border */
	uint16_t ids[TXID_COUNT];   /* the permutation */
	uint16_t place[TXID_COUNT]; /* place[ids[i]] == i */
	struct txid_owner owner[TXID_COUNT];
};

/* txid_init: make all IDs free. */
void txid_init(struct txid *t);

/*
 * txid_take: take a random free ID for OWNER (copied) and write it to *id (host byte order). False:
 * none is free.
 */
MUST_USE bool txid_take(
    struct txid *t, struct rng *rng, const struct txid_owner *owner, uint16_t *id);

/* txid_give: give ID, which is in flight, back. */
void txid_give(struct txid *t, uint16_t id);

/* txid_in_flight: is this ID in flight? */
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

/*
 * The IDs by which a UDP socket's questions were known that were given up without a reply.
 *
 * Their replies may come yet, when the IDs are in use again on other sockets. That is no guess at
 * an ID (outbound/id_attack), however many come: an upstream that is slow gets each question more
 * than once, and answers all of them. Who does guess gains nothing by it, as none of these IDs is
 * open on the socket.
 */
struct stale_id {
	uint32_t n;                  /* questions given up; the last STALE_ID_EACH are in ids */
	uint16_t ids[STALE_ID_EACH]; /* host byte order */
};

/* stale_id_note: the question with ID was given up without a reply. */
static inline void
stale_id_note(struct stale_id *o, uint16_t id)
{
	o->ids[o->n++ % STALE_ID_EACH] = id;
}

/* stale_id_has: was a question with ID given up? */
MUST_USE bool stale_id_has(const struct stale_id *o, uint16_t id);

#endif
