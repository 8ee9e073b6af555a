/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NETADDR_H
#define DNS64D_BASE_NETADDR_H

/*
 * netaddr: an IPv4 or IPv6 address with port, as a plain value without holes. Unused bytes are
 * zero. Every room may include it.
 */

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/attr.h"

enum netaddr_family { NETADDR_NONE = 0, NETADDR_IPV4 = 4, NETADDR_IPV6 = 6 };

struct netaddr {
	uint8_t addr[16]; /* network order; IPv4 in the first 4 bytes, the rest zero */
	uint32_t scope;   /* interface index of a link-local IPv6 address, else 0 */
	uint16_t port;    /* host order */
	uint8_t family;   /* enum netaddr_family */
	uint8_t zero;     /* keeps the struct without holes */
};

/* Longest text of netaddr_format: address, %scope, "#port" and the final zero. */
#define NETADDR_TEXT 72

/*
 * netaddr_parse: read "192.0.2.1", "2001:db8::1" or "fe80::1%eth0" (zero-terminated).
 * The port becomes PORT (host order). A scope, by name or number, is taken for link-local addresses
 * only (RFC 4007 section 11). False if TEXT is no such address or the interface does not exist; *a
 * is untouched then.
 */
MUST_USE bool netaddr_parse(const char *text, uint16_t port, struct netaddr *a);

/*
 * netaddr_format: write "address#port", or "address" when the port is 0, to TEXT; returns TEXT.
 * NETADDR_NONE is written as "none".
 */
char *netaddr_format(const struct netaddr *a, char text[static NETADDR_TEXT]);

/*
 * netaddr_from_sockaddr: the address in *SA, which may be unaligned but must be complete for its
 * family. False if the family is neither AF_INET nor AF_INET6; *a is untouched then.
 */
MUST_USE bool netaddr_from_sockaddr(const struct sockaddr *sa, struct netaddr *a);

/*
 * netaddr_to_sockaddr: write *a to *ss as a sockaddr_in or sockaddr_in6. Returns its length in
 * bytes, for bind, connect and sendmsg; 0 for NETADDR_NONE.
 */
socklen_t netaddr_to_sockaddr(const struct netaddr *a, struct sockaddr_storage *ss);

/* netaddr_equal: have A and B the same family, address, scope and port? */
MUST_USE bool netaddr_equal(const struct netaddr *a, const struct netaddr *b);

/* netaddr_in_list: is any of the N addresses at LIST equal to A? */
MUST_USE bool netaddr_in_list(const struct netaddr *list, size_t n, const struct netaddr *a);

/* netaddr_is_wildcard: is it 0.0.0.0 or ::? */
MUST_USE bool netaddr_is_wildcard(const struct netaddr *a);

/* netaddr_is_loopback: is it in 127.0.0.0/8, or ::1? */
MUST_USE bool netaddr_is_loopback(const struct netaddr *a);

/* netaddr_lacks_scope: is it link-local (fe80::/10) with scope 0, that is, of no interface? */
MUST_USE bool netaddr_lacks_scope(const struct netaddr *a);

/* netaddr_is_group: is it a multicast address or 255.255.255.255? */
MUST_USE bool netaddr_is_group(const struct netaddr *a);

/*
 * Client networks: what counts as one client where clients have limits (RULES D30). An address is
 * one; so that many addresses are not many clients, so are the shorter prefixes around it, each
 * with a multiple of what one address may have. Whatever limits clients takes them from here.
 */
#define NETADDR_LEVELS 3

struct netaddr_level {
	uint8_t bytes;     /* of the prefix */
	uint8_t doublings; /* it may have 2^doublings times what one address may */
};

/*
 * netaddr_levels: the levels of A's family, the address itself first; *n of them, NETADDR_LEVELS at
 * most. A shorter prefix has 8 bytes at most.
 */
MUST_USE static inline const struct netaddr_level *
netaddr_levels(const struct netaddr *a, unsigned *n)
{
	static const struct netaddr_level v4[] = { { 4, 0 }, { 3, 4 } };
	static const struct netaddr_level v6[] = { { 16, 0 }, { 8, 4 }, { 7, 6 } };
	bool six = a->family == NETADDR_IPV6;

	_Static_assert(sizeof(v6) / sizeof(v6[0]) == NETADDR_LEVELS, "the most of a family");
	*n = six ? sizeof(v6) / sizeof(v6[0]) : sizeof(v4) / sizeof(v4[0]);
	return six ? v6 : v4;
}

/* netaddr_network: the first address of the network of A with BYTES bytes, without a port. */
MUST_USE struct netaddr netaddr_network(const struct netaddr *a, unsigned bytes);

/* netaddr_head: the first BYTES bytes of A's address, 1 to 8, as a number. */
MUST_USE static inline uint64_t
netaddr_head(const struct netaddr *a, unsigned bytes)
{
	uint64_t head;

	memcpy(&head, a->addr, sizeof(head));
	return le64toh(head) & UINT64_MAX >> (64 - 8 * bytes);
}

/* netaddr_tail: its last 8 bytes; 0 for IPv4. */
MUST_USE static inline uint64_t
netaddr_tail(const struct netaddr *a)
{
	uint64_t tail;

	memcpy(&tail, a->addr + sizeof(tail), sizeof(tail));
	return le64toh(tail);
}

#endif
