/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures: pcap (draft-ietf-opsawg-pcap). */
#include "bench/load/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"

#define HEADER 24 /* bytes of a pcap file's */
#define RECORD 16 /* bytes before a packet */
#define LINK_AT 20
#define LINK_MASK 0xffff /* of a pcap file's type of link: the rest is about checksums */
#define PACKET_MAX (1U << 20)

#define ETHERNET 1
#define ETHER_IPV4 0x0800
#define ETHER_IPV6 0x86dd
#define ETHER_VLAN 0x8100
#define ETHER_VLAN_OUTER 0x88a8
#define VLANS_MAX 4

#define PROTO_UDP 17
#define IPV4_FRAGMENT (0x2000 | 0x1fff) /* bits of "more follow" and of the offset */
#define IPV6_FRAGMENT 0xfff9
#define IPV6_FRAGMENT_HEADER 44
#define EXTENSIONS_MAX 8 /* headers of IPv6 before UDP's */

/* Questions to everybody on a link are no one's to forward. */
#define PORT_MDNS 5353
#define PORT_LLMNR 5355

/* Types of links (https://www.tcpdump.org/linktypes.html). What is behind is known by its version.
 */
static const struct link {
	uint16_t type;
	uint8_t head; /* bytes before IP, or before the type of Ethernet */
} links[] = {
	{ 0, 4 },                                                 /* BSD's loopback */
	{ ETHERNET, 12 },                                         /* its tags of VLANs follow */
	{ 12, 0 }, { 14, 0 }, { 101, 0 }, { 228, 0 }, { 229, 0 }, /* raw */
	{ 108, 4 },                                               /* OpenBSD's loopback */
	{ 113, 16 }, { 276, 20 },                                 /* Linux cooked */
};

struct capture {
	struct bench_input *in;
	bool swapped; /* numbers have their lowest byte first */
};

static uint32_t
u32(const struct capture *c, size_t at)
{
	uint32_t v = wire_u32(c->in->bytes + at);

	return c->swapped ? __builtin_bswap32(v) : v;
}

static bool
fail(struct capture *c, size_t at, const char *what)
{
	return bench_input_fail(c->in, "offset %zu: %s", at, what);
}

/* --- Packets: IP and UDP ---------------------------------------------------------------------- */

/* The next LEN bytes; NULL: there are not so many. */
static const uint8_t *
look(struct wire_reader *r, size_t len)
{
	return wire_can_read(r, len) ? r->buf + r->pos : NULL;
}

/* R ends LEN bytes behind its place; padding of the link may follow. 0: it is not known. */
static void
end_behind(struct wire_reader *r, size_t len)
{
	/* The network card was to set it (segmentation offload). */
	if (len > 0 && len < r->len - r->pos)
		r->len = r->pos + len;
}

/* To the packet behind the link's header. False: it is not IP. */
static bool
skip_link(struct wire_reader *r, const struct link *link)
{
	wire_skip(r, link->head);
	if (link->type != ETHERNET)
		return !r->bad;
	uint16_t type = wire_get_u16(r);
	for (unsigned i = 0; i < VLANS_MAX && (type == ETHER_VLAN || type == ETHER_VLAN_OUTER);
	     i++) {
		wire_skip(r, 2);
		type = wire_get_u16(r);
	}
	return type == ETHER_IPV4 || type == ETHER_IPV6;
}

/* To what is behind the header of a packet of IPv4. False: that is not UDP, or a fragment. */
static bool
skip_ipv4(struct wire_reader *r, struct netaddr *from)
{
	const uint8_t *p = look(r, 20);

	if (p == NULL || (p[0] & 0xf) < 5 || (wire_u16(p + 6) & IPV4_FRAGMENT) != 0 ||
	    p[9] != PROTO_UDP)
		return false;
	*from = (struct netaddr){ .family = NETADDR_IPV4 };
	memcpy(from->addr, p + 12, 4);
	end_behind(r, wire_u16(p + 2));
	wire_skip(r, 4 * (size_t)(p[0] & 0xf));
	return true;
}

/* The same for IPv6. */
static bool
skip_ipv6(struct wire_reader *r, struct netaddr *from)
{
	const uint8_t *p = look(r, 40);

	if (p == NULL)
		return false;
	uint8_t next = p[6];
	*from = (struct netaddr){ .family = NETADDR_IPV6 };
	memcpy(from->addr, p + 8, 16);
	wire_skip(r, 40);
	end_behind(r, wire_u16(p + 4));
	for (unsigned i = 0; i < EXTENSIONS_MAX && next != PROTO_UDP; i++) {
		bool fragment = next == IPV6_FRAGMENT_HEADER;

		/* else one for each hop, for routing, or for the destination */
		if ((!fragment && next != 0 && next != 43 && next != 60) ||
		    (p = look(r, 8)) == NULL ||
		    (fragment && (wire_u16(p + 2) & IPV6_FRAGMENT) != 0))
			return false;
		next = p[0];
		wire_skip(r, fragment ? 8 : 8 + 8 * (size_t)p[1]);
	}
	return next == PROTO_UDP;
}

static bool
skip_ip(struct wire_reader *r, struct netaddr *from)
{
	const uint8_t *p = look(r, 1);
	unsigned version = p != NULL ? p[0] >> 4 : 0;

	return version == 4 ? skip_ipv4(r, from) : version == 6 && skip_ipv6(r, from);
}

/* To the payload of UDP, with which R ends. False: none is whole, or it is of mDNS or LLMNR. */
static bool
skip_udp(struct wire_reader *r)
{
	const uint8_t *p = look(r, 8);

	if (p == NULL)
		return false;
	uint16_t port = wire_u16(p + 2), len = wire_u16(p + 4);
	if (len < 8 || look(r, len) == NULL || port == PORT_MDNS || port == PORT_LLMNR)
		return false;
	end_behind(r, len);
	wire_skip(r, 8);
	return true;
}

/* The packet of LEN bytes at AT, captured at WHEN_NS. */
static bool
take_packet(struct capture *c, const struct link *link, uint64_t when_ns, size_t at, size_t len)
{
	struct wire_reader r = { .buf = c->in->bytes + at, .len = len };
	char where[32];

	if (!skip_link(&r, link) || !skip_ip(&r, &c->in->client) || !skip_udp(&r)) {
		c->in->to->n_left_out++;
		return true;
	}
	(void)snprintf(where, sizeof(where), "offset %zu", at);
	return bench_input_message(c->in, where, when_ns, r.buf + r.pos, r.len - r.pos);
}

/* The link of the file; NULL: it is not known, which was told. */
static const struct link *
find_link(struct capture *c)
{
	unsigned type = u32(c, LINK_AT) & LINK_MASK;

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (links[i].type == type)
			return &links[i];
	}
	(void)bench_input_fail(c->in,
	    "offset %d: links of type %u are not known: Ethernet, Linux cooked, raw and loopback "
	    "are",
	    LINK_AT, type);
	return NULL;
}

/* --- The file --------------------------------------------------------------------------------- */

/* A file's first four bytes, and what follows for it. */
static const struct magic {
	uint32_t bytes;
	bool swapped;
	unsigned ns; /* of the small unit of times */
} magics[] = {
	{ 0xa1b2c3d4, false, 1000 },
	{ 0xd4c3b2a1, true, 1000 },
	{ 0xa1b23c4d, false, 1 },
	{ 0x4d3cb2a1, true, 1 },
};

static const struct magic *
find_magic(const struct bench_input *in)
{
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]) && in->len >= 4; i++) {
		if (wire_u32(in->bytes) == magics[i].bytes)
			return &magics[i];
	}
	return NULL;
}

static bool
read_packets(struct capture *c, unsigned unit_ns)
{
	size_t len = c->in->len;

	if (len < HEADER)
		return fail(c, 4, "the header of the file is cut off");
	const struct link *link = find_link(c);
	if (link == NULL)
		return false;
	for (size_t at = HEADER, packet_len; at < len; at += RECORD + packet_len) {
		if (len - at < RECORD)
			return fail(c, at, "the packet is cut off");
		packet_len = u32(c, at + 8);
		if (packet_len > PACKET_MAX)
			return bench_input_fail(
			    c->in, "offset %zu: no packet: it has %zu bytes", at, packet_len);
		if (packet_len > len - at - RECORD)
			return fail(c, at, "the packet is cut off");
		uint64_t when_ns = u32(c, at) * NS_PER_SEC + u32(c, at + 4) * (uint64_t)unit_ns;
		if (!take_packet(c, link, when_ns, at + RECORD, packet_len))
			return false;
	}
	return true;
}

bool
bench_input_is_pcap(const struct bench_input *in)
{
	return find_magic(in) != NULL;
}

bool
bench_input_pcap(struct bench_input *in)
{
	const struct magic *magic = find_magic(in);
	struct capture c = { .in = in, .swapped = magic->swapped };

	in->to->format = "pcap";
	return read_packets(&c, magic->ns);
}
