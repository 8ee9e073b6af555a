/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet as it was captured: from the link's header to what UDP carries. */
#include "bench/load/replay.h"

#include "dns/wire.h"

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

bool
bench_input_knows_link(unsigned link)
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

/* --- IP --------------------------------------------------------------------------------------- */

/* R ends with the packet, of LEN bytes from BEGIN on; padding of the link may follow it. */
static void
end_at(struct wire_reader *r, size_t begin, size_t len)
{
	if (len < r->len - begin)
		r->len = begin + len;
	r->bad |= r->pos > r->len;
}

/* To what is behind the header of an IPv4 packet. False: that is not UDP, or a fragment. */
static bool
skip_ipv4(struct wire_reader *r)
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
	wire_skip(r, header_len - 10);
	/* 0: the network card was to set it (segmentation offload). */
	if (len > 0 && !r->bad)
		end_at(r, begin, len);
	return !r->bad;
}

/* The same for IPv6. */
static bool
skip_ipv6(struct wire_reader *r)
{
	wire_skip(r, 4);
	uint16_t len = wire_get_u16(r);
	uint8_t next = wire_get_u8(r);
	wire_skip(r, 33);
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
skip_ip(struct wire_reader *r)
{
	if (!wire_can_read(r, 1))
		return false;
	switch (r->buf[r->pos] >> 4) {
	case 4:
		return skip_ipv4(r);
	case 6:
		return skip_ipv6(r);
	default:
		return false;
	}
}

bool
bench_input_packet(
    unsigned link, const uint8_t *bytes, size_t len, const uint8_t **payload, size_t *payload_len)
{
	struct wire_reader r = { .buf = bytes, .len = len };

	if (!skip_link(&r, link) || r.bad || !skip_ip(&r))
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
