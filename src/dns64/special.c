/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/special.h"

#include <string.h>

#include "dns/proto.h"
#include "dns/wire.h"

static const uint8_t ipv4only_arpa[] = "\10ipv4only\4arpa";
static const uint8_t loopback4[4] = { 127, 0, 0, 1 };
static const uint8_t loopback6[16] = { [15] = 1 };
static const uint8_t addresses[2][4] = { { 192, 0, 0, 170 }, { 192, 0, 0, 171 } };

/* Mname, rname, serial, refresh, retry, expire, minimum of a local zone (RULES D17). */
static const uint8_t local_soa[] = "\011localhost\0"
				   "\006nobody\007invalid\0"
				   "\0\0\0\001"
				   "\0\0\016\020"
				   "\0\0\004\260"
				   "\0\011\072\200"
				   "\0\0\002\130";

static const struct special_zone zones[] = {
	{ "ipv4only.arpa", SPECIAL_IPV4ONLY },
	{ "170.0.0.192.in-addr.arpa", SPECIAL_WKA },
	{ "171.0.0.192.in-addr.arpa", SPECIAL_WKA },
	{ "resolver.arpa", SPECIAL_RESOLVER },
	{ "localhost", SPECIAL_LOCALHOST },
	{ "invalid", SPECIAL_INVALID },
	{ "onion", SPECIAL_INVALID },
	{ "alt", SPECIAL_INVALID },
	/* RFC 6303 sections 4.1 to 4.6. */
	{ "10.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "16.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "17.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "18.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "19.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "20.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "21.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "22.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "23.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "24.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "25.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "26.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "27.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "28.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "29.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "30.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "31.172.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "168.192.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "0.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "127.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "254.169.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "2.0.192.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "100.51.198.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "113.0.203.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "255.255.255.255.in-addr.arpa", SPECIAL_LOCAL_ZONE },
	{ "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa",
	    SPECIAL_LOCAL_ZONE },
	{ "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa",
	    SPECIAL_LOCAL_ZONE },
	{ "d.f.ip6.arpa", SPECIAL_LOCAL_ZONE },
	{ "8.e.f.ip6.arpa", SPECIAL_LOCAL_ZONE },
	{ "9.e.f.ip6.arpa", SPECIAL_LOCAL_ZONE },
	{ "a.e.f.ip6.arpa", SPECIAL_LOCAL_ZONE },
	{ "b.e.f.ip6.arpa", SPECIAL_LOCAL_ZONE },
	{ "8.b.d.0.1.0.0.2.ip6.arpa", SPECIAL_LOCAL_ZONE },
};

const struct special_zone *
special_zones(size_t *n)
{
	*n = sizeof(zones) / sizeof(zones[0]);
	return zones;
}

static bool
is_address(uint16_t qtype)
{
	return qtype == DNS_TYPE_A || qtype == DNS_TYPE_AAAA;
}

enum special_answer
special_decide(enum special kind, bool apex, uint16_t qtype)
{
	switch (kind) {
	case SPECIAL_IPV4ONLY:
	case SPECIAL_WKA:
		/* The parent zones say that they are not signed (RFC 8880 section 7). */
		if (apex && qtype == DNS_TYPE_DS)
			return SPECIAL_ASK;
		if (!apex)
			return SPECIAL_NXDOMAIN;
		if (kind == SPECIAL_IPV4ONLY)
			return is_address(qtype) ? SPECIAL_ADDRESSES : SPECIAL_NODATA;
		return qtype == DNS_TYPE_PTR ? SPECIAL_NAME : SPECIAL_NODATA;
	case SPECIAL_RESOLVER:
		return SPECIAL_NODATA;
	case SPECIAL_LOCALHOST:
		/* Names below it too (RFC 6761 section 6.3). */
		return is_address(qtype) ? SPECIAL_LOOPBACK : SPECIAL_NODATA;
	case SPECIAL_INVALID:
		return SPECIAL_NXDOMAIN;
	case SPECIAL_LOCAL_ZONE:
		if (!apex)
			return SPECIAL_NXDOMAIN;
		return qtype == DNS_TYPE_SOA ? SPECIAL_SOA : SPECIAL_NODATA;
	}
	return SPECIAL_ASK;
}

/* Append 192.0.0.170 and .171, for A as they are, for AAAA under each prefix. */
static unsigned
put_addresses(
    struct build *b, const uint8_t *qname, uint16_t qtype, const struct special_prefixes *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < 2 && qtype == DNS_TYPE_A; i++)
		n += build_rr(b, MSG_ANSWER, qname, qtype, DNS_CLASS_IN, p->ttl, addresses[i],
		    sizeof(addresses[i]));
	for (size_t i = 0; i < 2 * p->n && qtype == DNS_TYPE_AAAA; i++) {
		uint8_t v6[16];

		pref64_embed(&p->prefixes[p->places[i / 2]], addresses[i % 2], v6);
		n += build_rr(b, MSG_ANSWER, qname, qtype, DNS_CLASS_IN, p->ttl, v6, sizeof(v6));
	}
	return n;
}

unsigned
special_records(struct build *b, enum special_answer answer, const uint8_t *qname, uint16_t qtype,
    const struct special_prefixes *p)
{
	bool v4 = qtype == DNS_TYPE_A;

	switch (answer) {
	case SPECIAL_ADDRESSES:
		return put_addresses(b, qname, qtype, p);
	case SPECIAL_LOOPBACK:
		return build_rr(b, MSG_ANSWER, qname, qtype, DNS_CLASS_IN, SPECIAL_SOA_TTL,
		    v4 ? loopback4 : loopback6, v4 ? sizeof(loopback4) : sizeof(loopback6));
	case SPECIAL_NAME:
		return build_rr_name(
		    b, MSG_ANSWER, qname, DNS_TYPE_PTR, DNS_CLASS_IN, SPECIAL_TTL, ipv4only_arpa);
	case SPECIAL_SOA:
		return special_soa(b, MSG_ANSWER, qname, SPECIAL_SOA_TTL, SPECIAL_MINIMUM);
	case SPECIAL_ASK:
	case SPECIAL_NODATA:
	case SPECIAL_NXDOMAIN:
		break;
	}
	return 0;
}

bool
special_soa(
    struct build *b, enum msg_section s, const uint8_t *zone, uint32_t ttl, uint32_t minimum)
{
	uint8_t soa[sizeof(local_soa) - 1];

	memcpy(soa, local_soa, sizeof(soa));
	wire_set_u32(soa + sizeof(soa) - 4, minimum);
	return build_rr(b, s, zone, DNS_TYPE_SOA, DNS_CLASS_IN, ttl, soa, sizeof(soa));
}

bool
special_is_wka(const uint8_t v4[static 4])
{
	return memcmp(v4, addresses[0], 4) == 0 || memcmp(v4, addresses[1], 4) == 0;
}

const uint8_t *
special_ipv4only(void)
{
	return ipv4only_arpa;
}
