/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_SPECIAL_H
#define DNS64D_DNS64_SPECIAL_H

/*
 * special: names that are answered here, whatever upstream would say (RULES D15, D17).
 *
 * ipv4only.arpa and the reverse names of its addresses (RFC 8880), which tell hosts the NAT64
 * prefix; resolver.arpa (RFC 9462); localhost and invalid (RFC 6761); and, if wanted, the reverse
 * zones of RFC 6303. Pure functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/build.h"
#include "dns64/pref64.h"

#define SPECIAL_TTL 600      /* s, of ipv4only.arpa's addresses (RULES D15) */
#define SPECIAL_SOA_TTL 3600 /* s, of the local zones' SOA (RULES D17) */
#define SPECIAL_MINIMUM 600  /* s, its MINIMUM */

enum special {
	SPECIAL_IPV4ONLY,  /* ipv4only.arpa */
	SPECIAL_WKA,       /* 170.0.0.192.in-addr.arpa, 171.0.0.192.in-addr.arpa */
	SPECIAL_RESOLVER,  /* resolver.arpa */
	SPECIAL_LOCALHOST, /* localhost */
	SPECIAL_INVALID,   /* invalid */
	SPECIAL_LOCAL_ZONE /* those of RFC 6303, only if configured */
};

struct special_zone {
	const char *name; /* as text */
	enum special kind;
};

/* special_zones: the table of them; *N becomes the number of rows. */
const struct special_zone *special_zones(size_t *n);

/* What is said about a name in a special zone. */
enum special_answer {
	SPECIAL_ASK, /* nothing: upstream knows (DS of ipv4only.arpa) */
	SPECIAL_NODATA,
	SPECIAL_NXDOMAIN,
	SPECIAL_ADDRESSES, /* 192.0.0.170 and .171, for AAAA under each prefix */
	SPECIAL_LOOPBACK,  /* 127.0.0.1 or ::1 */
	SPECIAL_NAME,      /* PTR ipv4only.arpa */
	SPECIAL_SOA        /* the zone's SOA is the answer */
};

/* special_decide: the answer to QTYPE at the zone's own name (APEX) or below it. */
MUST_USE enum special_answer special_decide(enum special kind, bool apex, uint16_t qtype);

/* The prefixes that ipv4only.arpa is told under; places of PREFIXES that count. */
struct special_prefixes {
	const struct pref64 *prefixes;
	const uint8_t *places;
	unsigned n;
};

/*
 * special_records: append to B, started with the client's question about QNAME (a name), the
 * records of ANSWER; none for SPECIAL_NODATA and SPECIAL_NXDOMAIN. Returns how many.
 */
unsigned special_records(struct build *b, enum special_answer answer, const uint8_t *qname,
    uint16_t qtype, const struct special_prefixes *p);

/*
 * special_soa: append to section S the SOA of a local zone (RULES D17):
 * <zone> TTL localhost. nobody.invalid. 1 3600 1200 604800 MINIMUM, both in s. False when it does
 * not fit.
 */
bool special_soa(
    struct build *b, enum msg_section s, const uint8_t *zone, uint32_t ttl, uint32_t minimum);

/* special_is_wka: is this one of ipv4only.arpa's addresses (RFC 7050)? */
MUST_USE bool special_is_wka(const uint8_t v4[static 4]);

/* special_ipv4only: the name ipv4only.arpa. */
const uint8_t *special_ipv4only(void);

#endif
