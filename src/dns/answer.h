/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_ANSWER_H
#define DNS64D_DNS_ANSWER_H

/*
 * answer: what a reply says about a name and type, along its CNAME/DNAME chain.
 *
 * Only what answers the question counts: records owned by a name off the chain are not
 * seen (RFC 2181 section 5.4.1 in spirit), so records that a reply has unasked do no harm. The
 * order of the records does not matter. Work is bounded by ANSWER_CHAIN_MAX passes, and that of
 * telling names apart by ANSWER_WORK: 64 KiB can hold thousands of owners that differ in the last
 * of 127 labels.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/msg.h"

#define ANSWER_CHAIN_MAX 16                     /* CNAME/DNAME steps followed within one message */
#define ANSWER_LINKS_MAX (2 * ANSWER_CHAIN_MAX) /* CNAME and DNAME records there may be */

/* Labels compared, and bytes of names expanded: what names that are spelled in full can need. */
#define ANSWER_WORK 32768

enum answer_kind {
	ANSWER_DATA,   /* the chain ends at a name with at least one record of the type */
	ANSWER_NODATA, /* the chain ends without such a record; there is an SOA in authority */
	ANSWER_OPEN,   /* it ends without such a record and without SOA: upstream left it open if
			  n_steps > 0 */
	ANSWER_BROKEN  /* a loop, too many steps, a malformed name on the way, two CNAMEs at one
			  owner, data where the chain goes on (RFC 1034 section 3.6.2), or more than
			  ANSWER_WORK */
};

/* A CNAME or DNAME record that the chain went through. */
struct answer_link {
	uint16_t at;   /* offset of its owner in the message */
	uint16_t type; /* DNS_TYPE_CNAME or DNS_TYPE_DNAME */
};

struct answer {
	enum answer_kind kind;
	unsigned n_steps;      /* names walked through: CNAME or DNAME substitutions */
	unsigned n_data;       /* records of the type at the end of the chain */
	uint32_t ttl;          /* s: smallest TTL of chain and data; UINT32_MAX without any */
	bool has_soa;          /* a sound SOA in authority, at the last name or above it */
	bool has_ns;           /* an NS in authority: if the rest is empty, a referral */
	uint32_t negative_ttl; /* s: min(SOA TTL, MINIMUM) (RFC 2308 section 5); 0 without SOA */
	uint16_t soa_at;       /* offset of that SOA's record in the message */
	uint16_t target_at;    /* offset of a spelling of target in the message, 0: it has none */
	uint16_t also_at;      /* of another one, which owners point to; 0 */
	uint16_t n_links;      /* used of link */
	struct answer_link link[ANSWER_LINKS_MAX]; /* what the chain is made of */
	uint8_t target[DNS_NAME_MAX]; /* its last name, the question's if n_steps is 0; always a
					 sound name, if broken that of the last good step */
};

/*
 * answer_scan: follow the chain of QTYPE from the question of M, a reply that was MSG_OK with a
 * question, in the question's class, and write what is found to *A. For QTYPE CNAME and ANY nothing
 * is followed. From a name with a CNAME the chain goes on at its target; from a name without one,
 * by the closest DNAME above it (RFC 6672 section 3.2). The rcode is not looked at. TTLs over
 * 604,800 s count as 604,800 s (RULES D22).
 */
void answer_scan(const struct msg *m, uint16_t qtype, struct answer *a);

/* answer_owns_slowly: compare the owner of record RR with a->target by name, for answer_owns. */
MUST_USE bool answer_owns_slowly(const struct msg *m, const struct answer *a, const struct rr *rr);

/*
 * answer_owns: return whether a->target owns record RR of the answer section of M. To ask this of
 * all records of the scanned type takes no more than ANSWER_WORK.
 */
MUST_USE static inline bool
answer_owns(const struct msg *m, const struct answer *a, const struct rr *rr)
{
	/* Mostly the owner is a pointer to where the name was last seen. */
	if (a->target_at != 0 && msg_owner_points_to(m, rr, a->target_at))
		return true;
	return answer_owns_slowly(m, a, rr);
}

#endif
