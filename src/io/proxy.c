/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/proxy.h"

#include <endian.h>
#include <string.h>

#include "base/netmap.h"
#include "dns/wire.h"

#define FIXED_LEN 16  /* bytes: signature, version and command, family, length of the rest */
#define VERSION 0x20  /* in the upper half of its byte; the command in the lower */
#define UNSPECIFIED 0 /* family and protocol: the sender names nobody */

enum command { LOCAL = 0, PROXY = 1 };

/* The addresses of a family: that of the client, that it asked, both ports. */
struct family {
	uint8_t family; /* enum netaddr_family */
	uint8_t addr;   /* bytes of an address */
	uint8_t all;    /* bytes of all that */
};

/*
 * By the byte with family and protocol: stream or datagram, as the client asked the proxy, which
 * may ask us by the other one. AF_UNIX, which version 2 has too, is no family of clients.
 */
static const struct family families[] = { [0x11] = { NETADDR_IPV4, 4, 12 },
	[0x12] = { NETADDR_IPV4, 4, 12 },
	[0x21] = { NETADDR_IPV6, 16, 36 },
	[0x22] = { NETADDR_IPV6, 16, 36 } };

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

static uint64_t
half_of(const uint8_t *addr)
{
	uint64_t half;

	memcpy(&half, addr, sizeof(half));
	return be64toh(half);
}

/* Is HOST, in host byte order, an address of one host? */
static bool
is_host4(uint32_t host)
{
	return host != 0 && host >> 28 != 14 && host != UINT32_MAX;
}

/*
 * Read the client from the addresses of family F at P; an IPv4-mapped one as IPv4. False: no host
 * has that address.
 */
static bool
read_client(const uint8_t *p, const struct family *f, struct netaddr *client)
{
	*client = (struct netaddr){ .family = f->family, .port = wire_u16(p + 2 * f->addr) };
	if (f->family == NETADDR_IPV6) {
		uint64_t low = half_of(p + 8);

		if (half_of(p) != 0 || low >> 32 != 0xffff) {
			memcpy(client->addr, p, 16);
			return p[0] != 0xff && (half_of(p) | low) != 0;
		}
		client->family = NETADDR_IPV4;
		p += 12;
	}
	memcpy(client->addr, p, 4);
	return is_host4(wire_u32(p));
}

/* The first bytes of a header, which has REST more: is it well-formed? *F: of whom it names. */
static bool
is_well_formed(const uint8_t *p, size_t rest, const struct family **f)
{
	*f = NULL;
	if (FIXED_LEN + rest > PROXY_MAX)
		return false;
	if (p[12] == (VERSION | LOCAL))
		return true;
	if (p[12] != (VERSION | PROXY))
		return false;
	if (p[13] == UNSPECIFIED)
		return true;
	if (p[13] >= N_FAMILIES || families[p[13]].family == NETADDR_NONE)
		return false;
	*f = &families[p[13]];
	return rest >= (*f)->all;
}

enum proxy_verdict
proxy_parse(const uint8_t *p, size_t len, struct proxy_header *h)
{
	const struct family *f;
	size_t rest;

	if (UNLIKELY(len < FIXED_LEN)) {
		size_t n = len < PROXY_SIGNATURE_LEN ? len : PROXY_SIGNATURE_LEN;

		return memcmp(p, PROXY_SIGNATURE, n) == 0 ? PROXY_PARTIAL : PROXY_MISSING;
	}
	if (!proxy_begins(p, len))
		return PROXY_MISSING;
	rest = wire_u16(p + 14);
	if (!is_well_formed(p, rest, &f))
		return PROXY_MALFORMED;
	if (len < FIXED_LEN + rest)
		return PROXY_PARTIAL;
	h->len = FIXED_LEN + rest;
	if (f == NULL)
		return PROXY_SENDER;
	return read_client(p + FIXED_LEN, f, &h->client) ? PROXY_CLIENT : PROXY_MALFORMED;
}

/* Does NET hold A? It is asked for each datagram, so by halves: net_holds has a call for it. */
static bool
holds(const struct net *net, const struct netaddr *a)
{
	uint64_t differ;

	if (net->family != a->family)
		return false;
	differ = half_of(net->addr) ^ half_of(a->addr);
	if (net->len == 0)
		return true;
	if (net->len <= 64)
		return differ >> (64 - net->len) == 0;
	return differ == 0 &&
	    (half_of(net->addr + 8) ^ half_of(a->addr + 8)) >> (128 - net->len) == 0;
}

bool
proxy_is(const struct conf_io *conf, const struct netaddr *sender)
{
	for (size_t i = 0; i < conf->n_proxies; i++) {
		if (holds(&conf->proxies[i], sender))
			return true;
	}
	return false;
}

const char *
proxy_reason(enum proxy_verdict verdict)
{
	switch (verdict) {
	case PROXY_CLIENT:
	case PROXY_SENDER:
		break;
	case PROXY_PARTIAL:
		return "its PROXY header is cut";
	case PROXY_MISSING:
		return "it has no PROXY header of version 2";
	case PROXY_MALFORMED:
		return "its PROXY header is malformed";
	case PROXY_UNEXPECTED:
		return "it has a PROXY header where none may be";
	}
	return "";
}
