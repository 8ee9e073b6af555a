/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_RDATA_H
#define DNS64D_DNS_RDATA_H

/*
 * rdata: the check of RDATA (RULES D25).
 *
 * RDATA is sound when whoever gets the record can read it: an address has its length, names are
 * whole, their pointers lead to where there is a name, and nothing is left over. Known are A and
 * AAAA, SRV, SVCB and HTTPS of class IN, which has them, and CNAME, DNAME, NS, PTR, MX and SOA of
 * any class. All others are opaque (RFC 3597).
 *
 * Pure; the work for one message is bounded (RFC 9267). It knows bytes and records, not struct msg:
 * dns/msg calls it while it parses.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"
#include "dns/rr.h"

/* Labels and pointers looked at in one message. No honest one comes near: 16 for each of 4,096
 * names, those not counted that end in the same place as the one before or in the question. */
#define RDATA_STEPS_MAX 65536

/* The records of one message, checked in turn. */
struct rdata_scan {
	const uint8_t *bytes; /* borrowed: the message */
	size_t len;           /* bytes of it */
	size_t qname_len; /* bytes of the question's name, which is sound; 0 without a question */
	size_t known_at;  /* offset of a name that is known to be sound; SIZE_MAX at first */
	size_t known_len; /* bytes of that name, uncompressed */
	unsigned n_steps; /* of RDATA_STEPS_MAX */
};

/*
 * rdata_begin: return a scan of the message of LEN bytes at BYTES, which it borrows. QNAME_LEN:
 * bytes of the question's name, which is sound; 0 without a question.
 */
MUST_USE static inline struct rdata_scan
rdata_begin(const uint8_t *bytes, size_t len, size_t qname_len)
{
	return (struct rdata_scan){
		.bytes = bytes, .len = len, .qname_len = qname_len, .known_at = SIZE_MAX
	};
}

/*
 * rdata_names_sound: check the RDATA of record RR as rdata_sound does; for the types that have
 * names.
 */
MUST_USE bool rdata_names_sound(struct rdata_scan *scan, const struct rr *rr);

/* rdata_has_names: return whether TYPE is one of those known here whose RDATA has names. */
MUST_USE static inline bool
rdata_has_names(uint16_t type)
{
	const uint64_t types = UINT64_C(1) << DNS_TYPE_NS | UINT64_C(1) << DNS_TYPE_CNAME |
	    UINT64_C(1) << DNS_TYPE_SOA | UINT64_C(1) << DNS_TYPE_PTR | UINT64_C(1) << DNS_TYPE_MX |
	    UINT64_C(1) << DNS_TYPE_SRV | UINT64_C(1) << DNS_TYPE_DNAME;

	return type < 64 ? types >> type & 1 : type <= DNS_TYPE_HTTPS;
}

/*
 * rdata_sound: return whether the RDATA of record RR is sound. RR is a record of the scan's
 * message, its owner and RDLENGTH checked. False too once the scan has taken more than
 * RDATA_STEPS_MAX steps.
 */
MUST_USE static inline bool
rdata_sound(struct rdata_scan *scan, const struct rr *rr)
{
	if (rr->type == DNS_TYPE_A)
		return rr->rdlen == DNS_A_LEN || rr->class != DNS_CLASS_IN;
	if (rr->type == DNS_TYPE_AAAA)
		return rr->rdlen == DNS_AAAA_LEN || rr->class != DNS_CLASS_IN;
	return !rdata_has_names(rr->type) || rdata_names_sound(scan, rr);
}

#endif
