/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PEERS_H
#define DNS64D_IO_PEERS_H

/*
 * peers: count the TCP connections of each client address, so that one client cannot take them all.
 * A chained hash table of fixed size with a secret seed. One thread.
 */

#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define PEERS_NONE UINT32_MAX /* no entry */

/* One client address. */
struct peer {
	struct netaddr addr; /* port 0 */
	uint32_t n;          /* its connections; 0: the entry is free */
	uint32_t next;       /* next entry of its chain, or next free one; PEERS_NONE at the end */
};

struct peers {
	struct peer *peers; /* owned: cap entries */
	uint32_t *chains;   /* owned: first entry of each chain, mask + 1 of them */
	uint32_t cap;
	uint32_t mask;
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
 * peers_take: count one more connection of ADDR (its port does not matter) if it has fewer than
 * MAX. Returns a number for peers_give, or PEERS_NONE when ADDR has MAX already or the table is
 * full.
 */
MUST_USE uint32_t peers_take(struct peers *p, const struct netaddr *addr, uint32_t max);

/* peers_give: count one connection less for NUMBER, which peers_take returned. */
void peers_give(struct peers *p, uint32_t number);

#endif
