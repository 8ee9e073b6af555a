/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_NETADDR_H
#define DNS64D_BASE_NETADDR_H

/*
 * netaddr: an IPv4 or IPv6 address with port, as a plain value without holes. Unused bytes are
 * zero. Every room may include it.
 */

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
 * A client network, that is the addresses that belong to one client as far as limits are concerned:
 * an IPv6 /64, that of a link-local address on its interface, or an IPv4 address. Without holes.
 */
struct netaddr_block {
	uint64_t prefix; /* the first 8 bytes of struct netaddr.addr */
	uint64_t kind;   /* family and scope */
};

/* netaddr_block: the client network of A. Its port does not matter. */
MUST_USE static inline struct netaddr_block
netaddr_block(const struct netaddr *a)
{
	struct netaddr_block b = { .kind = (uint64_t)a->scope << 8 | a->family };

	memcpy(&b.prefix, a->addr, sizeof(b.prefix)); /* of IPv4 the rest is zero */
	return b;
}

/* netaddr_block_first: the first address of the client network B, an IPv6 /64 or an IPv4 address.
 */
MUST_USE static inline struct netaddr
netaddr_block_first(const struct netaddr_block *b)
{
	struct netaddr a = { .family = (uint8_t)b->kind, .scope = (uint32_t)(b->kind >> 8) };

	memcpy(a.addr, &b->prefix, sizeof(b->prefix));
	return a;
}

/* netaddr_block_equal: are A and B the same client network? */
MUST_USE static inline bool
netaddr_block_equal(const struct netaddr_block *a, const struct netaddr_block *b)
{
	return a->prefix == b->prefix && a->kind == b->kind;
}

#endif
