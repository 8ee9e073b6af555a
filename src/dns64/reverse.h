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
 * reverse_find: find out what NAME, a checked name, is to the N prefixes at PREFIXES, and write it
 * to *R. The zone of a prefix is the ip6.arpa name of its nibbles; of several zones that NAME is
 * in, the longest prefix's counts. *R points into PREFIXES.
 */
void reverse_find(const uint8_t *name, const struct pref64 *prefixes, size_t n, struct reverse *r);

/*
 * reverse_name: write the name of the IPv4 address V4 (network byte order) below in-addr.arpa to
 * OUT: for 192.0.2.33 33.2.0.192.in-addr.arpa (RFC 1035 section 3.5). Returns its length.
 */
size_t reverse_name(const uint8_t v4[static 4], uint8_t out[static DNS_NAME_MAX]);

/*
 * reverse_zone: write the ip6.arpa name of prefix *P, the owner of the local SOA, to OUT (RFC 3596
 * section 2.5). Returns its length.
 */
size_t reverse_zone(const struct pref64 *p, uint8_t out[static DNS_NAME_MAX]);

/*
 * reverse_answer: append to B, which was started with the client's PTR question QNAME, a CNAME and
 * the PTR records of M, the reply to the question for the in-addr.arpa name, whose chain A ends in
 * data (RFC 6147 section 5.3.1). The CNAME points to the end of that chain; its TTL is the smallest
 * of REVERSE_CNAME_TTL and the TTLs of chain and PTR records. False when they do not fit or a PTR
 * record is malformed.
 */
bool reverse_answer(
    struct build *b, const uint8_t *qname, const struct msg *m, const struct answer *a);

#endif
