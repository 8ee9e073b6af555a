/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_RDATA_H
#define DNS64D_DNS_RDATA_H

/*
 * rdata: the check of RDATA (RULES D25).
 *
 * RDATA is sound when whoever gets the record can read it: an address has its length, names are
 * whole, their pointers lead to where there is a name, and nothing is left over. The row of the
 * type (dns/type_rows.h) says whether and how it is checked. All others are opaque (RFC 3597).
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
#include "dns/type.h"

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

/* rdata_parts_sound: check RR as rdata_sound does; for checked types other than A and AAAA. */
MUST_USE bool rdata_parts_sound(struct rdata_scan *scan, const struct rr *rr);

/* rdata_is_checked: is the RDATA of TYPE checked? For low numbers, the common ones, a bit tells. */
MUST_USE static inline bool
rdata_is_checked(uint16_t type)
{
#define RDATA_BIT(type, number, form, check, kind, added) \
	+((uint64_t)(TYPE_CHECK_##check != TYPE_CHECK_NEVER && (number) < 64) << (number) % 64)
	const uint64_t checked = 0 TYPE_ROWS(RDATA_BIT);
#undef RDATA_BIT

	return type < 64 ? checked >> type & 1 : type_row(type)->check != TYPE_CHECK_NEVER;
}

/*
 * rdata_first_name: the offset of what stands behind the bytes and strings that begin the RDATA of
 * RR, a record of the message at BYTES, by PARTS. RR's end or more: the RDATA ends there, or
 * before.
 */
MUST_USE static inline size_t
rdata_first_name(const uint8_t *bytes, const struct rr *rr, const struct type_parts *parts)
{
	size_t at = rr->rdata + parts->before;

	for (unsigned i = 0; i < parts->strings && at < rr->end; i++)
		at += (size_t)bytes[at] + 1;
	return at;
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
	return !rdata_is_checked(rr->type) || rdata_parts_sound(scan, rr);
}

#endif
