/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_PEERS_H
#define DNS64D_IO_PEERS_H

/*
 * peers: how many connections each client address has, so that one cannot take them all.
 * A chained hash table of fixed size with a secret seed. One thread.
 */

#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define PEERS_NONE UINT32_MAX

struct peer {
	struct netaddr addr; /* port 0 */
	uint32_t n;          /* connections; 0: free */
	uint32_t next;       /* in its chain or among the free ones; PEERS_NONE at the end */
};

struct peers {
	struct peer *peers; /* owned: cap */
	uint32_t *chains;   /* owned: mask + 1 */
	uint32_t cap;
	uint32_t mask;
	uint32_t free;
	uint64_t seed;
};

/* peers_init: for CAP connections at most. Returns 0 or -errno. */
MUST_USE int peers_init(struct peers *p, uint32_t cap, uint64_t seed);
void peers_fini(struct peers *p);

/*
 * peers_take: count one more connection of ADDR (its port does not matter), if it has fewer
 * than MAX. Returns a number for peers_give, or PEERS_NONE when it may have no more.
 */
MUST_USE uint32_t peers_take(struct peers *p, const struct netaddr *addr, uint32_t max);

/* peers_give: a connection counted under NUMBER has ended. */
void peers_give(struct peers *p, uint32_t number);

#endif
