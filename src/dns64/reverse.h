/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_REVERSE_H
#define DNS64D_DNS64_REVERSE_H

/*
 * reverse: PTR questions for addresses under a NAT64 prefix (RFC 6147 section 5.3.1,
 * RULES D16). Option (b) of the RFC: a CNAME into in-addr.arpa.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/answer.h"
#include "dns/build.h"
#include "dns/msg.h"
#include "dns64/pref64.h"

#define REVERSE_CNAME_TTL 600 /* s, at most (RULES D16) */

enum reverse_kind {
	REVERSE_NONE,    /* not under any prefix: resolve normally */
	REVERSE_ADDRESS, /* a whole address under a prefix: v4 is its IPv4 address */
	REVERSE_NODATA,  /* the apex of a prefix's zone or an empty non-terminal below it */
	REVERSE_NXDOMAIN /* under one, but no address: too long, bits 64-71 set, not nibbles */
};

struct reverse {
	enum reverse_kind kind;
	const struct pref64 *prefix; /* the one it is under; NULL for REVERSE_NONE */
	uint8_t v4[4];               /* for REVERSE_ADDRESS */
};

/*
 * reverse_find: what is NAME (a checked name) with respect to PREFIXES? The longest match
 * decides. The zone of a prefix is the ip6.arpa name of its nibbles.
 */
void reverse_find(const uint8_t *name, const struct pref64 *prefixes, size_t n, struct reverse *r);

/* reverse_name: "33.2.0.192.in-addr.arpa." in wire form for 192.0.2.33; returns its length. */
size_t reverse_name(const uint8_t v4[static 4], uint8_t out[static DNS_NAME_MAX]);

/* reverse_zone: the ip6.arpa name of a prefix: owner of the local SOA; returns its length. */
size_t reverse_zone(const struct pref64 *p, uint8_t out[static DNS_NAME_MAX]);

/*
 * reverse_answer: append to B, started with the client's PTR question QNAME, the CNAME and the
 * PTR records of reply M (to the in-addr.arpa question, chain A with data). Our CNAME points to
 * the end of M's chain; its TTL is the smallest of 600, the chain's and the PTR records' TTLs.
 * False when it does not fit or a PTR record is malformed.
 */
bool reverse_answer(
    struct build *b, const uint8_t *qname, const struct msg *m, const struct answer *a);

#endif
