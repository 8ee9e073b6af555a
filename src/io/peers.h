/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PEERS_H
#define DNS64D_IO_PEERS_H

/*
 * peers: the TCP connections of each client network, how many they are and which of them gives way
 * to a new one. The networks are those of core/fair, with their multiples (RULES D30). One thread.
 *
 * Each address has its connections on two lists, those with questions open ("busy") apart from the
 * others, the one that was active longest ago first; networks of equal weight have that order, too.
 * So eviction takes the same time however many there are.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/fair.h"

struct peers {
	struct fair fair;
};

/*
 * peers_init: an empty table for up to CAP connections; SEED is the secret seed of the hash.
 * Returns 0, or -ENOMEM, and then peers_fini is not needed.
 */
MUST_USE int peers_init(struct peers *p, uint32_t cap, uint64_t seed);

/* peers_fini: free the memory of the table. */
void peers_fini(struct peers *p);

/*
 * peers_take: count one more connection, of the client ADDR (its port does not matter), and give it
 * its SEAT. There are fewer than CAP.
 */
void peers_take(struct peers *p, const struct netaddr *addr, struct fair_place *seat);

/* peers_seat: the connection with SEAT has just been active; BUSY: it has questions open. */
void peers_seat(struct peers *p, struct fair_place *seat, bool busy);

/* peers_give: the connection with SEAT is no more. */
void peers_give(struct peers *p, struct fair_place *seat);

/*
 * peers_full: has ADDR MOST connections, or a wider network of it its multiple of that? Returns the
 * prefix length, in bits, of the longest network that has; 0: none.
 */
MUST_USE unsigned peers_full(struct peers *p, const struct netaddr *addr, uint32_t most);

/*
 * peers_idlest: of the network of ADDR with BITS bits, or of the smallest one of ADDR that has such
 * a connection (0), the seat of one that has been silent long and has no question open; NULL: there
 * is none.
 */
MUST_USE struct fair_place *peers_idlest(
    struct peers *p, const struct netaddr *addr, unsigned bits);

/*
 * peers_yielding: the seat of the connection that gives way to another one of ADDR: of the heaviest
 * networks that ADDR is not in, one that has been silent long, and of it the idlest connection. It
 * gives way only to lighter networks, and with questions open only if its network is no lighter
 * afterwards than the other's then. NULL: none gives way.
 */
MUST_USE struct fair_place *peers_yielding(struct peers *p, const struct netaddr *addr);

#endif
