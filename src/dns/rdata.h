/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_RDATA_H
#define DNS64D_DNS_RDATA_H

/*
 * rdata: can the RDATA of a record be (RULES D25)?
 *
 * Whoever gets a record is to be able to read it: an address has its length, names are whole, their
 * pointers lead to where there is a name, and nothing is left over. Known are A and AAAA, SRV, SVCB
 * and HTTPS of class IN, which has them, and CNAME, DNAME, NS, PTR, MX and SOA of any class. All
 * others are opaque (RFC 3597).
 *
 * Pure; the work for one message is bounded (RFC 9267).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/msg.h"
#include "dns/proto.h"

/* Labels and pointers looked at in one message. No honest one comes near: 16 for each of 4,096
 * names, those not counted that end in the same place as the one before or in the question. */
#define RDATA_STEPS_MAX 65536
#define RDATA_NOWHERE SIZE_MAX /* no pointer leads there */

/* What was found out while the records of one message are checked in turn. */
struct rdata_known {
	size_t at;  /* a name begins there; RDATA_NOWHERE at first */
	size_t len; /* bytes of that name, uncompressed */
	unsigned n_steps;
};

/* rdata_names_sound: the same as rdata_sound for the types that have names. */
MUST_USE bool rdata_names_sound(
    const struct msg *m, const struct rr *rr, struct rdata_known *known);

/* rdata_has_names: is TYPE one of those known that have names in their RDATA? */
MUST_USE static inline bool
rdata_has_names(uint16_t type)
{
	const uint64_t types = UINT64_C(1) << DNS_TYPE_NS | UINT64_C(1) << DNS_TYPE_CNAME |
	    UINT64_C(1) << DNS_TYPE_SOA | UINT64_C(1) << DNS_TYPE_PTR | UINT64_C(1) << DNS_TYPE_MX |
	    UINT64_C(1) << DNS_TYPE_SRV | UINT64_C(1) << DNS_TYPE_DNAME;

	return type < 64 ? types >> type & 1 : type <= DNS_TYPE_HTTPS;
}

/*
 * rdata_sound: can the RDATA of RR be? M: a message whose question, if there is one, is sound, and
 * RR one of its records, well-framed. KNOWN: see above.
 */
MUST_USE static inline bool
rdata_sound(const struct msg *m, const struct rr *rr, struct rdata_known *known)
{
	if (rr->type == DNS_TYPE_A)
		return rr->rdlen == 4 || rr->class != DNS_CLASS_IN;
	if (rr->type == DNS_TYPE_AAAA)
		return rr->rdlen == 16 || rr->class != DNS_CLASS_IN;
	return !rdata_has_names(rr->type) || rdata_names_sound(m, rr, known);
}

#endif
