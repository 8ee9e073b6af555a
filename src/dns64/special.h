/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_SPECIAL_H
#define DNS64D_DNS64_SPECIAL_H

/*
 * special: names that are answered here, whatever upstream would say (RULES D15, D17).
 *
 * ipv4only.arpa and the reverse names of its addresses (RFC 8880), which tell hosts the NAT64
 * prefix; resolver.arpa (RFC 9462); localhost and invalid (RFC 6761); onion (RFC 7686) and alt (RFC
 * 9476), whose names are not of the DNS; and, if wanted, the reverse zones of RFC 6303. test and
 * home.arpa are upstream's, which may serve them. Pure functions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/build.h"
#include "dns64/pref64.h"

#define SPECIAL_TTL 600      /* s, of ipv4only.arpa's addresses, at most (RULES D15) */
#define SPECIAL_SOA_TTL 3600 /* s, of the local zones' SOA (RULES D17) */
#define SPECIAL_MINIMUM 600  /* s, its MINIMUM */

enum special {
	SPECIAL_IPV4ONLY,  /* ipv4only.arpa */
	SPECIAL_WKA,       /* 170.0.0.192.in-addr.arpa, 171.0.0.192.in-addr.arpa */
	SPECIAL_RESOLVER,  /* resolver.arpa */
	SPECIAL_LOCALHOST, /* localhost */
	SPECIAL_INVALID,   /* invalid, onion, alt: no such names */
	SPECIAL_LOCAL_ZONE /* those of RFC 6303, only if configured */
};

struct special_zone {
	const char *name; /* as text */
	enum special kind;
};

/* special_zones: return the table of special zones, static; *N becomes the number of its rows. */
const struct special_zone *special_zones(size_t *n);

/* What is said about a name in a special zone. */
enum special_answer {
	SPECIAL_ASK, /* no answer from here: upstream is asked (DS of ipv4only.arpa) */
	SPECIAL_NODATA,
	SPECIAL_NXDOMAIN,
	SPECIAL_ADDRESSES, /* 192.0.0.170 and .171, for AAAA under each prefix */
	SPECIAL_LOOPBACK,  /* 127.0.0.1 or ::1 */
	SPECIAL_NAME,      /* PTR ipv4only.arpa */
	SPECIAL_SOA        /* the zone's SOA is the answer */
};

/*
 * special_decide: return what is answered to a question for QTYPE in a zone of KIND. APEX: the
 * question's name is the zone's own, not one below it.
 */
MUST_USE enum special_answer special_decide(enum special kind, bool apex, uint16_t qtype);

/* The prefixes that addresses of ipv4only.arpa are embedded in: prefixes[places[0]] to
 * prefixes[places[n - 1]]. All borrowed. */
struct special_prefixes {
	const struct pref64 *prefixes;
	const uint8_t *places;
	unsigned n;
	uint32_t ttl; /* s, of these addresses and of the IPv4 ones */
};

/*
 * special_records: append the records of ANSWER to B, which was started with the client's question
 * for QTYPE of QNAME, a checked name; SPECIAL_NODATA and SPECIAL_NXDOMAIN have none. Returns the
 * number of records.
 */
unsigned special_records(struct build *b, enum special_answer answer, const uint8_t *qname,
    uint16_t qtype, const struct special_prefixes *p);

/*
 * special_soa: append to section S of B the SOA of a local zone, the checked name ZONE (RULES D17):
 * localhost. nobody.invalid. 1 3600 1200 604800 MINIMUM. TTL and MINIMUM are in seconds. False when
 * it does not fit.
 */
bool special_soa(
    struct build *b, enum msg_section s, const uint8_t *zone, uint32_t ttl, uint32_t minimum);

/*
 * special_is_wka: return whether V4, in network byte order, is one of the addresses of
 * ipv4only.arpa (RFC 7050 section 8.2).
 */
MUST_USE bool special_is_wka(const uint8_t v4[static 4]);

/* special_ipv4only: return the name ipv4only.arpa, static. */
const uint8_t *special_ipv4only(void);

#endif
