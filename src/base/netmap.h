/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NETMAP_H
#define DNS64D_BASE_NETMAP_H

/*
 * netmap: a map from networks to numbers, searched by longest prefix match.
 *
 * One hash table, probed once for each prefix length in use (for IPv4: in use under the address's
 * first byte), longest first. So a search does not get slower with more networks. The families are
 * separate: neither ::/0 nor ::ffff:0:0/96 matches an IPv4 address. The hash is not keyed, as the
 * operator fills the table: from a configuration, or in dns64bench from a recording. One thread
 * fills it, then any thread may read it. Every room may include it.
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
	uint64_t hi;  /* mask of an address's first 8 bytes */
	uint64_t lo;  /* mask of its last 8 bytes */
	uint64_t tag; /* family and length; 0 marks the end of the list */
};

struct netmap {
	struct netmap_entry *table; /* owned: 2^k entries, at most a third in use; NULL if empty */
	uint32_t mask;              /* 2^k - 1 */
	uint32_t shift;             /* 64 - k */
	uint32_t n;                 /* networks in it */
	uint32_t n_v6;              /* used of v6, without its end */
	uint64_t *v4; /* owned: for each first byte of an address the prefix lengths in use there,
			 bit 32 - length; NULL without an IPv4 network */
	struct netmap_len *v6; /* owned: longest first; NULL without an IPv6 network */
};

/* netmap_init: make M empty. It owns no memory before the first netmap_add or netmap_set. */
void netmap_init(struct netmap *m);

/* netmap_fini: free what M owns; M is empty afterwards. */
void netmap_fini(struct netmap *m);

/*
 * netmap_add: map NET to VALUE. Returns 0, -EEXIST if NET itself has a value already, which stays,
 * or -ENOMEM.
 */
MUST_USE int netmap_add(struct netmap *m, const struct net *net, uint32_t value);

/* netmap_set: map NET to VALUE, in place of the value that it has. Returns 0 or -ENOMEM. */
MUST_USE int netmap_set(struct netmap *m, const struct net *net, uint32_t value);

/* netmap_get: the value of NET itself, not of longer or shorter networks; FALLBACK if none. */
MUST_USE uint32_t netmap_get(const struct netmap *m, const struct net *net, uint32_t fallback);

/*
 * netmap_search4: the slow part of netmap_find4, for maps that have IPv4 networks under ADDR's
 * first byte.
 */
MUST_USE uint32_t netmap_search4(
    const struct netmap *m, const uint8_t addr[static 4], uint32_t fallback);

/* netmap_search6: the slow part of netmap_find6, for maps that have IPv6 networks. */
MUST_USE uint32_t netmap_search6(
    const struct netmap *m, const uint8_t addr[static 16], uint32_t fallback);

/*
 * netmap_find4: the value of the longest network that ADDR (4 bytes, network order) is in; FALLBACK
 * if it is in none.
 */
MUST_USE static inline uint32_t
netmap_find4(const struct netmap *m, const uint8_t addr[static 4], uint32_t fallback)
{
	if (m->v4 == NULL || m->v4[addr[0]] == 0)
		return fallback;
	return netmap_search4(m, addr, fallback);
}

/* netmap_find6: the same for IPv6; ADDR has 16 bytes, network order. */
MUST_USE static inline uint32_t
netmap_find6(const struct netmap *m, const uint8_t addr[static 16], uint32_t fallback)
{
	return m->v6 != NULL ? netmap_search6(m, addr, fallback) : fallback;
}

/* netmap_find: the same for an address of either family; FALLBACK for NETADDR_NONE. */
MUST_USE static inline uint32_t
netmap_find(const struct netmap *m, const struct netaddr *a, uint32_t fallback)
{
	if (a->family == NETADDR_IPV4)
		return netmap_find4(m, a->addr, fallback);
	return a->family == NETADDR_IPV6 ? netmap_find6(m, a->addr, fallback) : fallback;
}

/* net_holds: is ADDR in NET? It has NET's family: 4 or 16 bytes, network order. */
MUST_USE bool net_holds(const struct net *net, const uint8_t *addr);

#endif
