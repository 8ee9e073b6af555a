/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_DISCOVER_H
#define DNS64D_DNS64_DISCOVER_H

/*
 * discover: which NAT64 prefixes a DNS64 works with, as its AAAA records of ipv4only.arpa show (RFC
 * 7050 section 3): 192.0.0.170 and 192.0.0.171 stand in them, at the place that one of the six
 * lengths of RFC 6052 has for the IPv4 address. Pure functions.
 *
 * An address in which they stand at more than one place is ambiguous. The right prefix is the one
 * under which both of them are among the addresses, if there is exactly one.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/msg.h"
#include "dns64/pref64.h"

#define DISCOVER_MAX 32       /* prefixes that are found at most: as many as a policy can have */
#define DISCOVER_ADDRESSES 64 /* addresses that are looked at, the first ones */

enum discover_verdict {
	DISCOVER_FOUND,     /* there is a prefix or more */
	DISCOVER_NO_DNS64,  /* no AAAA record, as ipv4only.arpa has none where there is no DNS64 */
	DISCOVER_FOREIGN,   /* none of the addresses has a well-known address in it */
	DISCOVER_AMBIGUOUS, /* some have, each at more than one place, and no prefix has both */
	DISCOVER_FAILED     /* only of a reply: truncated, an error, or a broken chain of names */
};

struct discover {
	unsigned n;                           /* used of prefixes */
	struct pref64 prefixes[DISCOVER_MAX]; /* each once, as the addresses stand; no suffixes */
	uint32_t ttl;         /* s: when to ask again, at most 604,800; 0 if nothing was found */
	unsigned n_foreign;   /* addresses without a well-known address */
	unsigned n_ambiguous; /* that were of no use therefore */
	bool more;            /* there were more addresses, or prefixes, than are looked at */
};

/*
 * discover_addresses: the prefixes in the N addresses ADDRS, in network byte order, the AAAA
 * records of ipv4only.arpa, whose TTL is TTL seconds, to *D.
 */
MUST_USE enum discover_verdict discover_addresses(
    const uint8_t (*addrs)[16], size_t n, uint32_t ttl, struct discover *d);

/*
 * discover_reply: likewise those of M, a reply that is MSG_OK to the question for AAAA of
 * ipv4only.arpa, which it has.
 */
MUST_USE enum discover_verdict discover_reply(const struct msg *m, struct discover *d);

#endif
