/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures: pcap (draft-ietf-opsawg-pcap) and pcapng (draft-ietf-opsawg-pcapng). */
#include "bench/load/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "dns/wire.h"

#define HEADER 24        /* bytes of a pcap file's */
#define RECORD 16        /* bytes before a packet */
#define LINK_MASK 0xffff /* of a pcap file's type of link: the rest is about checksums */
#define PACKET_MAX (1U << 20)

#define BLOCK_SECTION 0x0a0d0d0a
#define BLOCK_INTERFACE 1
#define BLOCK_PACKET_OLD 2
#define BLOCK_PACKET_SIMPLE 3
#define BLOCK_PACKET 6
#define BLOCK_LEAST 12       /* bytes: type, length, and the length again */
#define BLOCK_PACKET_HEAD 28 /* bytes before the packet */
#define OPTION_RESOLUTION 9  /* if_tsresol */
#define RESOLUTION_USUAL 6   /* microseconds */
#define INTERFACES_MAX 256

/* Types of links */
#define LINK_NULL 0 /* of BSD's loopback: a protocol family of the host, */
#define LINK_ETHERNET 1
#define LINK_RAW_BSD 12
#define LINK_RAW_OPENBSD 14
#define LINK_RAW 101
#define LINK_LOOP 108 /* the same in network order */
#define LINK_COOKED 113
#define LINK_IPV4 228
#define LINK_IPV6 229
#define LINK_COOKED2 276

#define ETHER_IPV4 0x0800
#define ETHER_IPV6 0x86dd
#define ETHER_VLAN 0x8100
#define ETHER_VLAN_OUTER 0x88a8
#define VLANS_MAX 4

#define PROTO_UDP 17
#define IPV4_MORE 0x2000 /* fragments follow */
#define IPV4_OFFSET 0x1fff
#define IPV6_MORE 0x0001
#define IPV6_OFFSET 0xfff8
#define IPV6_HOP_BY_HOP 0
#define IPV6_ROUTING 43
#define IPV6_FRAGMENT 44
#define IPV6_DESTINATION 60
#define EXTENSIONS_MAX 8 /* headers of IPv6 before UDP's */

/* Questions to everybody on a link are no one's to forward. */
#define PORT_MDNS 5353
#define PORT_LLMNR 5355

struct interface {
	unsigned link;
	uint8_t resolution; /* of times: 10^-N s, with the highest bit 2^-N s */
};

struct capture {
	struct bench_input *in;
	bool swapped; /* numbers have their lowest byte first */
	struct interface interfaces[INTERFACES_MAX];
	uint32_t n_interfaces;
};

static uint32_t
u32(const struct capture *c, size_t at)
{
	const uint8_t *p = c->in->bytes + at;

	return c->swapped ? (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0]
			  : wire_u32(p);
}

static uint16_t
u16(const struct capture *c, size_t at)
{
	const uint8_t *p = c->in->bytes + at;

	return c->swapped ? (uint16_t)(p[1] << 8 | p[0]) : wire_u16(p);
}

/* --- Links ------------------------------------------------------------------------------------ */

/* To the packet behind the header of Ethernet, tags of VLANs included. */
static bool
skip_ethernet(struct wire_reader *r)
{
	wire_skip(r, 12);
	uint16_t type = wire_get_u16(r);
	for (unsigned i = 0; i < VLANS_MAX && (type == ETHER_VLAN || type == ETHER_VLAN_OUTER);
	     i++) {
		wire_skip(r, 2);
		type = wire_get_u16(r);
	}
	return type == ETHER_IPV4 || type == ETHER_IPV6;
}

static bool
knows_link(unsigned link)
{
	return link == LINK_NULL || link == LINK_ETHERNET || link == LINK_RAW_BSD ||
	    link == LINK_RAW_OPENBSD || link == LINK_RAW || link == LINK_LOOP ||
	    link == LINK_COOKED || link == LINK_IPV4 || link == LINK_IPV6 || link == LINK_COOKED2;
}

/* To the packet behind the link's header. What it is, is said by its version. */
static bool
skip_link(struct wire_reader *r, unsigned link)
{
	switch (link) {
	case LINK_ETHERNET:
		return skip_ethernet(r);
	case LINK_NULL:
	case LINK_LOOP:
		wire_skip(r, 4);
		break;
	case LINK_COOKED:
		wire_skip(r, 16);
		break;
	case LINK_COOKED2:
		wire_skip(r, 20);
		break;
	default:
		break;
	}
	return true;
}

/* --- Packets: IP and UDP ---------------------------------------------------------------------- */

/* R ends with the packet, of LEN bytes from BEGIN on; padding of the link may follow it. */
static void
end_at(struct wire_reader *r, size_t begin, size_t len)
{
	if (len < r->len - begin)
		r->len = begin + len;
	r->bad |= r->pos > r->len;
}

/* The address of FAMILY, of LEN bytes, at R's place, behind which it is then. */
static void
take_address(struct wire_reader *r, enum netaddr_family family, size_t len, struct netaddr *from)
{
	*from = (struct netaddr){ .family = (uint8_t)family };
	if (wire_can_read(r, len))
		memcpy(from->addr, r->buf + r->pos, len);
	wire_skip(r, len);
}

/*
 * To what is behind the header of an IPv4 packet, which is FROM there. False: that is not UDP, or a
 * fragment.
 */
static bool
skip_ipv4(struct wire_reader *r, struct netaddr *from)
{
	size_t begin = r->pos;
	size_t header_len = 4 * (size_t)(wire_get_u8(r) & 0xf);

	wire_skip(r, 1);
	uint16_t len = wire_get_u16(r);
	wire_skip(r, 2);
	uint16_t fragment = wire_get_u16(r);
	wire_skip(r, 1);
	uint8_t proto = wire_get_u8(r);
	if (r->bad || header_len < 20 || (fragment & (IPV4_MORE | IPV4_OFFSET)) != 0 ||
	    proto != PROTO_UDP)
		return false;
	wire_skip(r, 2);
	take_address(r, NETADDR_IPV4, 4, from);
	wire_skip(r, header_len - 16);
	/* 0: the network card was to set it (segmentation offload). */
	if (len > 0 && !r->bad)
		end_at(r, begin, len);
	return !r->bad;
}

/* The same for IPv6. */
static bool
skip_ipv6(struct wire_reader *r, struct netaddr *from)
{
	wire_skip(r, 4);
	uint16_t len = wire_get_u16(r);
	uint8_t next = wire_get_u8(r);
	wire_skip(r, 1);
	take_address(r, NETADDR_IPV6, 16, from);
	wire_skip(r, 16);
	if (r->bad)
		return false;
	if (len > 0)
		end_at(r, r->pos, len);
	for (unsigned i = 0; i < EXTENSIONS_MAX && next != PROTO_UDP; i++) {
		bool whole =
		    next == IPV6_HOP_BY_HOP || next == IPV6_ROUTING || next == IPV6_DESTINATION;

		if (!whole && next != IPV6_FRAGMENT)
			return false;
		bool fragment = next == IPV6_FRAGMENT;
		next = wire_get_u8(r);
		uint8_t more = wire_get_u8(r);
		uint16_t offset = wire_get_u16(r);
		wire_skip(r, fragment ? 4 : 4 + 8 * (size_t)more);
		if (r->bad || (fragment && (offset & (IPV6_OFFSET | IPV6_MORE)) != 0))
			return false;
	}
	return next == PROTO_UDP && !r->bad;
}

static bool
skip_ip(struct wire_reader *r, struct netaddr *from)
{
	if (!wire_can_read(r, 1))
		return false;
	switch (r->buf[r->pos] >> 4) {
	case 4:
		return skip_ipv4(r, from);
	case 6:
		return skip_ipv6(r, from);
	default:
		return false;
	}
}

/*
 * Of the packet of LEN bytes at BYTES, on a link of the type LINK
 * (https://www.tcpdump.org/linktypes.html), the UDP payload, and whom it is FROM. False: it is no
 * whole datagram, or one of mDNS or LLMNR.
 */
static bool
find_payload(unsigned link, const uint8_t *bytes, size_t len, const uint8_t **payload,
    size_t *payload_len, struct netaddr *from)
{
	struct wire_reader r = { .buf = bytes, .len = len };

	if (!skip_link(&r, link) || r.bad || !skip_ip(&r, from))
		return false;
	wire_skip(&r, 2);
	uint16_t port = wire_get_u16(&r), udp_len = wire_get_u16(&r);
	wire_skip(&r, 2);
	if (r.bad || udp_len < 8 || !wire_can_read(&r, udp_len - 8u) || port == PORT_MDNS ||
	    port == PORT_LLMNR)
		return false;
	*payload = r.buf + r.pos;
	*payload_len = udp_len - 8u;
	return true;
}

/* --- What both formats have ------------------------------------------------------------------- */

/* The packet of LEN bytes at AT, captured at WHEN_NS. */
static bool
take_packet(struct capture *c, unsigned link, uint64_t when_ns, size_t at, size_t len)
{
	const uint8_t *message;
	size_t message_len;
	char where[32];

	if (!find_payload(link, c->in->bytes + at, len, &message, &message_len, &c->in->client)) {
		c->in->to->n_left_out++;
		return true;
	}
	(void)snprintf(where, sizeof(where), "offset %zu", at);
	return bench_input_message(c->in, where, when_ns, message, message_len);
}

static bool
check_link(struct capture *c, size_t at, unsigned link)
{
	return knows_link(link) ||
	    bench_input_fail(c->in,
		"offset %zu: links of type %u are not known: Ethernet, Linux cooked, raw and "
		"loopback are",
		at, link);
}

/* --- pcap ------------------------------------------------------------------------------------- */

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
read_pcap(struct capture *c, const struct magic *magic)
{
	size_t len = c->in->len;

	c->in->to->format = "pcap";
	c->swapped = magic->swapped;
	if (len < HEADER)
		return bench_input_fail(c->in, "offset 4: the header of the file is cut off");
	unsigned link = u32(c, 20) & LINK_MASK;
	if (!check_link(c, 20, link))
		return false;
	for (size_t at = HEADER, packet_len; at < len; at += RECORD + packet_len) {
		if (len - at < RECORD)
			return bench_input_fail(c->in, "offset %zu: the packet is cut off", at);
		packet_len = u32(c, at + 8);
		if (packet_len > PACKET_MAX)
			return bench_input_fail(
			    c->in, "offset %zu: no packet: it has %zu bytes", at, packet_len);
		if (packet_len > len - at - RECORD)
			return bench_input_fail(c->in, "offset %zu: the packet is cut off", at);
		uint64_t when_ns = u32(c, at) * NS_PER_SEC + u32(c, at + 4) * (uint64_t)magic->ns;
		if (!take_packet(c, link, when_ns, at + RECORD, packet_len))
			return false;
	}
	return true;
}

/* --- pcapng ----------------------------------------------------------------------------------- */

static uint64_t
ten_to(unsigned n)
{
	uint64_t v = 1;

	while (n-- > 0)
		v *= 10;
	return v;
}

/* A time in units of RESOLUTION, to *ns. False: it cannot be. */
static bool
read_time(uint64_t units, uint8_t resolution, uint64_t *ns)
{
	unsigned n = resolution & 0x7f;
	uint64_t seconds, rest;

	if ((resolution & 0x80) != 0) {
		if (n > 63)
			return false;
		seconds = units >> n;
		rest = units & ((UINT64_C(1) << n) - 1);
		/* The highest 34 bits of it: less than a nanosecond is left. */
		rest = n > 34 ? (rest >> (n - 34)) * NS_PER_SEC >> 34 : rest * NS_PER_SEC >> n;
	} else {
		if (n > 19)
			return false;
		seconds = units / ten_to(n);
		rest = units % ten_to(n);
		rest = n > 9 ? rest / ten_to(n - 9) : rest * ten_to(9 - n);
	}
	*ns = seconds * NS_PER_SEC + rest;
	return seconds <= BENCH_SECONDS_MAX;
}

/* The options of an interface's block, from AT to END: one of them is of use. */
static uint8_t
resolution_of(const struct capture *c, size_t at, size_t end)
{
	while (end - at >= 4) {
		uint16_t option = u16(c, at), len = u16(c, at + 2);
		size_t padded = 4 + ((size_t)len + 3) / 4 * 4;

		if (option == OPTION_RESOLUTION && len == 1 && end - at > 4)
			return c->in->bytes[at + 4];
		if (option == 0 || padded > end - at)
			break;
		at += padded;
	}
	return RESOLUTION_USUAL;
}

static bool
take_interface(struct capture *c, size_t at, size_t len)
{
	if (len < BLOCK_LEAST + 8 || c->n_interfaces == INTERFACES_MAX)
		return bench_input_fail(
		    c->in, "offset %zu: no interface, or more than %d", at, INTERFACES_MAX);
	struct interface *i = &c->interfaces[c->n_interfaces++];
	*i = (struct interface){ u16(c, at + 8), resolution_of(c, at + 16, at + len - 4) };
	return check_link(c, at + 8, i->link);
}

static bool
take_packet_block(struct capture *c, size_t at, size_t len, bool old)
{
	uint32_t interface = old ? u16(c, at + 8) : u32(c, at + 8);
	uint64_t when_ns;

	if (len < BLOCK_PACKET_HEAD + 4 || u32(c, at + 20) > len - BLOCK_PACKET_HEAD - 4 ||
	    interface >= c->n_interfaces)
		return bench_input_fail(c->in, "offset %zu: no packet", at);
	const struct interface *i = &c->interfaces[interface];
	uint64_t units = (uint64_t)u32(c, at + 12) << 32 | u32(c, at + 16);
	if (!read_time(units, i->resolution, &when_ns))
		return bench_input_fail(c->in, "offset %zu: a time that cannot be", at);
	return take_packet(c, i->link, when_ns, at + BLOCK_PACKET_HEAD, u32(c, at + 20));
}

/* A block, of LEN bytes at AT. */
static bool
take_block(struct capture *c, size_t at, size_t len)
{
	switch (u32(c, at)) {
	case BLOCK_SECTION:
		c->n_interfaces = 0;
		return true;
	case BLOCK_INTERFACE:
		return take_interface(c, at, len);
	case BLOCK_PACKET:
		return take_packet_block(c, at, len, false);
	case BLOCK_PACKET_OLD:
		return take_packet_block(c, at, len, true);
	case BLOCK_PACKET_SIMPLE:
		return bench_input_fail(c->in, "offset %zu: a packet without its time", at);
	default:
		return true; /* names, statistics, ... */
	}
}

/* Each section has its own order of bytes, which is said behind its length. */
static bool
read_order(struct capture *c, size_t at)
{
	uint32_t order = wire_u32(c->in->bytes + at + 8);

	c->swapped = order == 0x4d3c2b1a;
	return c->swapped || order == 0x1a2b3c4d;
}

static bool
read_pcapng(struct capture *c)
{
	size_t len = c->in->len;

	c->in->to->format = "pcapng";
	for (size_t at = 0, block_len; at < len; at += block_len) {
		if (len - at < BLOCK_LEAST)
			return bench_input_fail(c->in, "offset %zu: the block is cut off", at);
		if (wire_u32(c->in->bytes + at) == BLOCK_SECTION && !read_order(c, at))
			return bench_input_fail(c->in, "offset %zu: no section", at);
		block_len = u32(c, at + 4);
		if (block_len < BLOCK_LEAST || block_len % 4 != 0)
			return bench_input_fail(
			    c->in, "offset %zu: no block: it has %zu bytes", at, block_len);
		if (block_len > len - at)
			return bench_input_fail(c->in, "offset %zu: the block is cut off", at);
		if (!take_block(c, at, block_len))
			return false;
	}
	return true;
}

/* --- Either ----------------------------------------------------------------------------------- */

bool
bench_input_is_pcap(const struct bench_input *in)
{
	return find_magic(in) != NULL || (in->len >= 4 && wire_u32(in->bytes) == BLOCK_SECTION);
}

bool
bench_input_pcap(struct bench_input *in)
{
	struct capture c = { .in = in };
	const struct magic *magic = find_magic(in);

	return magic != NULL ? read_pcap(&c, magic) : read_pcapng(&c);
}
