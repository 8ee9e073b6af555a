/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PEERS_H
#define DNS64D_IO_PEERS_H

/*
 * peers: the TCP connections of each client network, how many they are and which of them gives way
 * to a new one. A network is that of struct netaddr_block. A chained hash table of fixed size with
 * a secret seed. One thread.
 *
 * Networks with equally many connections are on one list, their "rank", those that have been silent
 * longest first. Each network has its connections on two lists, those with questions open ("busy")
 * apart from the others. So whom a new connection displaces takes the same time however many there
 * are.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"

#define PEERS_NONE UINT32_MAX /* no entry */

/* One client network with connections. */
struct peer {
	struct netaddr_block net;
	uint32_t n;       /* its connections; 0: the entry is free */
	uint32_t next;    /* next entry of its chain, or next free one; PEERS_NONE at the end */
	struct list rank; /* on peers.ranks[n] */
	struct list idle; /* seats of connections, the one silent for longest first */
	struct list busy; /* likewise, those with questions open */
};

struct peers {
	struct peer *peers; /* owned: cap entries */
	uint32_t *chains;   /* owned: first entry of each chain, mask + 1 of them */
	struct list *ranks; /* owned: networks by their number of connections, up to cap */
	uint32_t cap;
	uint32_t mask;
	uint32_t most; /* the largest number of connections that a network has */
	uint32_t free; /* first free entry, or PEERS_NONE */
	uint64_t seed; /* of the hash, secret */
};

/*
 * peers_init: an empty table for up to CAP connections; SEED is the secret seed of the hash.
 * Returns 0, or -ENOMEM, and then peers_fini is not needed.
 */
MUST_USE int peers_init(struct peers *p, uint32_t cap, uint64_t seed);

/* peers_fini: free the memory of the table. */
void peers_fini(struct peers *p);

/*
 * peers_take: count one more connection, of the client ADDR (its port does not matter). Returns the
 * number of its network, or PEERS_NONE when there are cap connections already.
 */
MUST_USE uint32_t peers_take(struct peers *p, const struct netaddr *addr);

/*
 * peers_seat: the connection with the link SEAT, of the network NUMBER, has just been active; BUSY:
 * it has questions open. SEAT is moved, wherever it was.
 */
void peers_seat(struct peers *p, uint32_t number, struct list *seat, bool busy);

/* peers_give: count one connection less for NUMBER, whose link SEAT leaves its list. */
void peers_give(struct peers *p, uint32_t number, struct list *seat);

/* peers_count: how many connections the network of the client ADDR has. */
MUST_USE uint32_t peers_count(struct peers *p, const struct netaddr *addr);

/*
 * peers_idlest: the seat of that connection of the network of ADDR which has been silent longest
 * and has no question open; NULL: there is none.
 */
MUST_USE struct list *peers_idlest(struct peers *p, const struct netaddr *addr);

/*
 * peers_yielding: the seat of the connection that gives way to another one of a network that has N:
 * of the networks that have most, one that has been silent long, and of it the idlest connection.
 * One with questions open gives way only if its network keeps as many as the other then has. NULL:
 * none gives way.
 */
MUST_USE struct list *peers_yielding(struct peers *p, uint32_t n);

#endif
