/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NETMAP_H
#define DNS64D_BASE_NETMAP_H

/*
 * netmap: networks to numbers; of those that hold an address the longest counts.
 *
 * One hash table, probed once for each prefix length in use (in IPv4: in use under the address's
 * first byte), longest first: what a search costs does not grow with the number of networks. The
 * families keep apart: neither ::/0 nor ::ffff:0:0/96 says anything of an IPv4 address. The hash
 * has no key, as it is the operator who fills the table. Filled once, by one thread; then read by
 * all. Open to every room.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

/* A network: the LEN leading bits of ADDR; the bits behind them are zero. */
struct net {
	uint8_t addr[16]; /* network order; IPv4 in the first 4 bytes, the rest zero */
	uint8_t len;      /* 0-32 or 0-128 */
	uint8_t family;   /* NETADDR_IPV4 or NETADDR_IPV6 */
};

struct netmap_entry;

/* A prefix length in use in IPv6. */
struct netmap_len {
	uint64_t hi;  /* what its networks keep of an address: of the first 8 bytes, */
	uint64_t lo;  /* and of the last 8 bytes */
	uint64_t tag; /* family and length; 0 behind the last one */
};

struct netmap {
	struct netmap_entry *table; /* owned: 2^k entries, a third of them in use at most; NULL */
	uint32_t mask;              /* 2^k - 1 */
	uint32_t shift;             /* 64 - k */
	uint32_t n;                 /* networks in it */
	uint32_t n_v6;              /* used of v6, but for the end */
	uint64_t *v4; /* owned: by an address's first byte, a bit per prefix length in use there:
			 bit 32 - length; NULL before there is an IPv4 network */
	struct netmap_len *v6; /* owned: longest first; NULL before there is an IPv6 network */
};

/*
 * netmap_init: an empty map, which needs no netmap_fini until netmap_add or netmap_set. netmap_fini
 * leaves such a map too.
 */
void netmap_init(struct netmap *m);
void netmap_fini(struct netmap *m);

/*
 * netmap_add: NET has VALUE. Returns 0, -EEXIST when this very network has a value already (which
 * stays), or -ENOMEM.
 */
MUST_USE int netmap_add(struct netmap *m, const struct net *net, uint32_t value);

/* netmap_set: as netmap_add, but a value that was there is replaced. Returns 0 or -ENOMEM. */
MUST_USE int netmap_set(struct netmap *m, const struct net *net, uint32_t value);

/* netmap_get: the value of this very network; FALLBACK if it has none. */
MUST_USE uint32_t netmap_get(const struct netmap *m, const struct net *net, uint32_t fallback);

/* What is behind the functions below: maps that have such networks, for IPv4 under ADDR's first
 * byte. */
MUST_USE uint32_t netmap_search4(
    const struct netmap *m, const uint8_t addr[static 4], uint32_t fallback);
MUST_USE uint32_t netmap_search6(
    const struct netmap *m, const uint8_t addr[static 16], uint32_t fallback);

/*
 * netmap_find4, netmap_find6: the value of the longest network that holds ADDR (4 or 16 bytes,
 * network order); FALLBACK if none does. netmap_find: the same for either family; FALLBACK for
 * NETADDR_NONE.
 */
MUST_USE static inline uint32_t
netmap_find4(const struct netmap *m, const uint8_t addr[static 4], uint32_t fallback)
{
	if (m->v4 == NULL || m->v4[addr[0]] == 0)
		return fallback;
	return netmap_search4(m, addr, fallback);
}

MUST_USE static inline uint32_t
netmap_find6(const struct netmap *m, const uint8_t addr[static 16], uint32_t fallback)
{
	return m->v6 != NULL ? netmap_search6(m, addr, fallback) : fallback;
}

MUST_USE static inline uint32_t
netmap_find(const struct netmap *m, const struct netaddr *a, uint32_t fallback)
{
	if (a->family == NETADDR_IPV4)
		return netmap_find4(m, a->addr, fallback);
	return a->family == NETADDR_IPV6 ? netmap_find6(m, a->addr, fallback) : fallback;
}

/* net_holds: is ADDR (of the same family as NET; 4 or 16 bytes) in NET? */
MUST_USE bool net_holds(const struct net *net, const uint8_t *addr);

#endif
