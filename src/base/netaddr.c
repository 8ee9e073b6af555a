/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/netaddr.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Link-local, fe80::/10 (RFC 4291 section 2.5.6): ambiguous without an interface. */
static bool
is_link_local(const uint8_t addr[static 16])
{
	return addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80;
}

/* The index of the interface with this name or number; 0 if there is none. */
static uint32_t
parse_scope(const char *text)
{
	char name[IF_NAMESIZE];
	unsigned index = if_nametoindex(text);
	uint64_t v;

	if (index != 0)
		return index;
	if (!number_parse(text, strlen(text), UINT32_MAX, &v) ||
	    if_indextoname((unsigned)v, name) == NULL)
		return 0;
	return (uint32_t)v;
}

static bool
parse_ipv6(const char *text, struct netaddr *a)
{
	char addr[INET6_ADDRSTRLEN];
	size_t len = strcspn(text, "%");

	if (len >= sizeof(addr))
		return false;
	memcpy(addr, text, len);
	addr[len] = '\0';
	if (inet_pton(AF_INET6, addr, a->addr) != 1)
		return false;
	a->family = NETADDR_IPV6;
	if (text[len] == '\0')
		return true;
	a->scope = is_link_local(a->addr) ? parse_scope(text + len + 1) : 0;
	return a->scope != 0;
}

bool
netaddr_parse(const char *text, uint16_t port, struct netaddr *a)
{
	struct netaddr v = { .port = port, .family = NETADDR_IPV4 };

	if (inet_pton(AF_INET, text, v.addr) != 1 && !parse_ipv6(text, &v))
		return false;
	*a = v;
	return true;
}

/* Write "%eth0" or, if the interface is gone, "%" and its number. Returns the length. */
static size_t
format_scope(uint32_t scope, char *to, size_t cap)
{
	char name[IF_NAMESIZE];
	int n;

	if (if_indextoname(scope, name) != NULL)
		n = snprintf(to, cap, "%%%s", name);
	else
		n = snprintf(to, cap, "%%%u", (unsigned)scope);
	return n > 0 ? (size_t)n : 0;
}

char *
netaddr_format(const struct netaddr *a, char text[static NETADDR_TEXT])
{
	size_t n;

	if (a->family == NETADDR_NONE)
		return strcpy(text, "none");
	(void)inet_ntop(
	    a->family == NETADDR_IPV4 ? AF_INET : AF_INET6, a->addr, text, NETADDR_TEXT);
	n = strlen(text);
	if (a->scope != 0)
		n += format_scope(a->scope, text + n, NETADDR_TEXT - n);
	if (a->port != 0)
		(void)snprintf(text + n, NETADDR_TEXT - n, "#%u", (unsigned)a->port);
	return text;
}

bool
netaddr_from_sockaddr(const struct sockaddr *sa, struct netaddr *a)
{
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;

	/* Copied, because the bytes may be unaligned, as in a control message. */
	if (sa->sa_family == AF_INET) {
		memcpy(&sin, sa, sizeof(sin));
		*a = (struct netaddr){ .port = ntohs(sin.sin_port), .family = NETADDR_IPV4 };
		memcpy(a->addr, &sin.sin_addr, 4);
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	memcpy(&sin6, sa, sizeof(sin6));
	*a = (struct netaddr){ .port = ntohs(sin6.sin6_port), .family = NETADDR_IPV6 };
	memcpy(a->addr, &sin6.sin6_addr, 16);
	if (is_link_local(a->addr))
		a->scope = sin6.sin6_scope_id;
	return true;
}

socklen_t
netaddr_to_sockaddr(const struct netaddr *a, struct sockaddr_storage *ss)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(a->port) };
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = htons(a->port) };

	if (a->family == NETADDR_IPV4) {
		memcpy(&sin.sin_addr, a->addr, 4);
		memcpy(ss, &sin, sizeof(sin));
		return sizeof(sin);
	}
	if (a->family != NETADDR_IPV6)
		return 0;
	memcpy(&sin6.sin6_addr, a->addr, 16);
	sin6.sin6_scope_id = a->scope;
	memcpy(ss, &sin6, sizeof(sin6));
	return sizeof(sin6);
}

bool
netaddr_equal(const struct netaddr *a, const struct netaddr *b)
{
	/* No holes: memcmp can compare values. */
	_Static_assert(sizeof(*a) == 16 + 4 + 2 + 1 + 1, "struct netaddr has a hole");
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool
netaddr_in_list(const struct netaddr *list, size_t n, const struct netaddr *a)
{
	for (size_t i = 0; i < n; i++) {
		if (netaddr_equal(&list[i], a))
			return true;
	}
	return false;
}

bool
netaddr_is_wildcard(const struct netaddr *a)
{
	static const uint8_t zero[16];

	return a->family != NETADDR_NONE && memcmp(a->addr, zero, sizeof(zero)) == 0;
}

bool
netaddr_lacks_scope(const struct netaddr *a)
{
	return a->family == NETADDR_IPV6 && is_link_local(a->addr) && a->scope == 0;
}

bool
netaddr_is_group(const struct netaddr *a)
{
	static const uint8_t broadcast[4] = { 255, 255, 255, 255 };

	if (a->family == NETADDR_IPV6)
		return a->addr[0] == 0xff;
	return a->family == NETADDR_IPV4 &&
	    ((a->addr[0] & 0xf0) == 224 || memcmp(a->addr, broadcast, sizeof(broadcast)) == 0);
}

bool
netaddr_is_loopback(const struct netaddr *a)
{
	static const uint8_t one[16] = { [15] = 1 };

	if (a->family == NETADDR_IPV4)
		return a->addr[0] == 127;
	return a->family == NETADDR_IPV6 && memcmp(a->addr, one, sizeof(one)) == 0;
}

struct netaddr
netaddr_network(const struct netaddr *a, unsigned bytes)
{
	struct netaddr first = { .family = a->family, .scope = a->scope };

	memcpy(first.addr, a->addr, bytes);
	return first;
}
