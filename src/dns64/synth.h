/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64_SYNTH_H
#define DNS64D_DNS64_SYNTH_H

/*
 * synth: make AAAA answers from A answers (RFC 6147 section 5.1), and tell usable AAAA
 * records from excluded ones (section 5.1.4). Pure functions over messages.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netmap.h"
#include "dns/answer.h"
#include "dns/build.h"
#include "dns/msg.h"
#include "dns64/pref64.h"

/* s: cap without an SOA in the negative AAAA reply (RFC 6147 section 5.1.7) */
#define SYNTH_NO_SOA_TTL 600
#define SYNTH_FAILED_TTL 60 /* s: cap after an AAAA error or silence (RULES D2) */

#define SYNTH_MAX_PREFIXES 32 /* of one policy */

/* What may become of an IPv4 address: the low SYNTH_V4_BITS of values in struct synth_policy. */
enum synth_v4 {
	SYNTH_NEVER, /* represented under no prefix */
	SYNTH_OWN,   /* under any prefix but the Well-Known one (RFC 6052 section 3.1) */
	SYNTH_ANY,   /* under any prefix: what no network of the map says otherwise of */
	SYNTH_VIA    /* SYNTH_VIA + i: under prefix i only (RFC 6147 section 5.1.7) */
};

#define SYNTH_V4_BITS 6
_Static_assert(SYNTH_VIA + SYNTH_MAX_PREFIXES < 1 << SYNTH_V4_BITS, "all values fit");

/* What shapes all answers that a client gets; made once, when the configuration is read. */
struct synth_policy {
	/* The bits of a value above SYNTH_V4_BITS are a note of whoever made the map. */
	const struct netmap *v4;       /* IPv4 network to enum synth_v4; NULL: all are SYNTH_ANY */
	const struct netmap *excluded; /* IPv6 network to 1: never handed out; NULL: none is */
	uint32_t active_bits;          /* bit i: prefixes[i] may be synthesized under */
	uint16_t max;                  /* AAAA made for one answer; 0: no limit */
	bool one; /* one general prefix per answer; else each (prefix-selection) */
	uint8_t n_prefixes;
	uint8_t n_general;
	/* General are the active prefixes that serve what no map line does: places in prefixes. */
	uint8_t general[SYNTH_MAX_PREFIXES];
	struct pref64 prefixes[SYNTH_MAX_PREFIXES]; /* those of map lines included */
};

/* What is chosen for one answer. */
struct synth_choice {
	uint32_t ttl_cap; /* s: bound of every AAAA's TTL (RFC 6147 section 5.1.7) */
	unsigned first;   /* policy.one: place in general of the prefix to begin with; below
			     n_general. The next one that maps the address is taken. */
	unsigned rotate;  /* policy.max > 0: the first ROTATE of the A records come last */
	size_t limit;   /* policy.max > 0: bytes, the most that the message may have; 0: no limit */
	uint32_t *used; /* bit i is set if an AAAA is made under prefixes[i]; NULL: no need */
};

/* A network that RULES D14 treats apart, whatever the configuration. */
struct synth_range {
	struct net net;
	enum synth_v4 v4;
};

/* synth_ranges: return the table of D14, static; *N becomes the number of its rows. */
const struct synth_range *synth_ranges(size_t *n);

/*
 * synth_excluded: return whether P excludes the AAAA address V6, in network byte order (RFC 6147
 * section 5.1.4).
 */
MUST_USE bool synth_excluded(const struct synth_policy *p, const uint8_t v6[static 16]);

struct synth_usable {
	unsigned n_usable;     /* AAAA at the end of the chain that are not excluded */
	unsigned n_excluded;   /* AAAA that are, at any name */
	uint32_t excluded_ttl; /* s: smallest TTL of the excluded ones at the end of the chain, at
				  most 604,800 (D22); UINT32_MAX without any */
};

/*
 * synth_count_usable: count the AAAA records of reply M, whose chain is A, by whether P excludes
 * them, and write the counts to *U. Records with an RDLENGTH other than 16 are not counted.
 */
void synth_count_usable(const struct synth_policy *p, const struct msg *m, const struct answer *a,
    struct synth_usable *u);

/* synth_verdict: what P says of the IPv4 address V4 (network order), as an enum synth_v4. */
MUST_USE static inline uint32_t
synth_verdict(const struct synth_policy *p, const uint8_t v4[static 4])
{
	uint32_t value = p->v4 != NULL ? netmap_find4(p->v4, v4, SYNTH_ANY) : SYNTH_ANY;

	return value & ((1U << SYNTH_V4_BITS) - 1);
}

/* synth_maps: does P make AAAA from V4 (network order), now that its prefixes are as they are? */
MUST_USE bool synth_maps(const struct synth_policy *p, const uint8_t v4[static 4]);

/*
 * synth_first: what P says of the first address of reply M, whose chain is A, as an enum synth_v4.
 * SYNTH_ANY if there is none.
 */
MUST_USE uint32_t synth_first(
    const struct synth_policy *p, const struct msg *m, const struct answer *a);

/*
 * synth_answer: append the answer section for reply M (to an A question) to B, which was started
 * with the client's AAAA question: the chain as it is, each A at its end turned into one AAAA per
 * prefix that maps it (owner of the A, class IN, RFC 6147 section 5.1.7), or fewer if P and C say
 * so. RRSIG and NSEC are left out (RULES D8); so is all that is not on the chain. C's ttl_cap
 * bounds every AAAA's TTL, and so does 604,800 s (D22). The chain comes first and in order,
 * whatever the order in M; addresses keep theirs, but for C's rotate, and none comes twice. Returns
 * the number of AAAA written; 0 with b->w.full clear: no address is mapped. It stops early, without
 * error, when the buffer is full (build_finish then sets TC, because b->w.full is left set).
 */
MUST_USE unsigned synth_answer(struct build *b, const struct synth_policy *p,
    const struct synth_choice *c, const struct msg *m, const struct answer *a);

/*
 * synth_filtered: append to B the answer section of M, the reply to an AAAA question, whose chain
 * is A, without AAAA records that P excludes (RFC 6147 section 5.1.4) or whose RDLENGTH is not 16.
 * If there are any, RRSIG records over AAAA are left out too: the set they sign is changed (RULES
 * D8). All other records stay as they are. Returns the number of AAAA records at the end of the
 * chain that were written; when the buffer is full it stops early, b->w.full is set, and
 * build_finish sets TC.
 */
unsigned synth_filtered(
    struct build *b, const struct synth_policy *p, const struct msg *m, const struct answer *a);

/*
 * synth_chain: append the CNAME and DNAME records of chain A of reply M to B, in the order of the
 * chain. False when they do not fit.
 */
bool synth_chain(struct build *b, const struct msg *m, const struct answer *a);

/*
 * synth_rest: append the authority and the additional section of M to B, an answer that was
 * changed. OPT, TSIG and SIG(0) are left out, and so are RRSIG, NSEC and NSEC3 in authority, which
 * no longer prove anything. What does not fit is left out; TC is set only for the authority section
 * of an empty answer (dns/build).
 */
void synth_rest(struct build *b, const struct msg *m);

/*
 * synth_soa: append the SOA that A names in the authority section of M to B, with TTL in seconds,
 * which is what is left of the negative TTL. False when A has none or it does not fit.
 */
bool synth_soa(struct build *b, const struct msg *m, const struct answer *a, uint32_t ttl);

/*
 * synth_signatures: append the RRSIG over CNAME and DNAME in the answer section of M to B, for the
 * chain that synth_chain has copied, as far as they fit.
 */
void synth_signatures(struct build *b, const struct msg *m);

/*
 * synth_proof: append what proves the negative reply M to B: NSEC, NSEC3 and the RRSIG over these
 * and SOA from its authority section (RFC 4035 section 3.1.3), each with TTL seconds at most, as
 * the SOA that synth_soa has copied (RFC 9077), as far as they fit.
 */
void synth_proof(struct build *b, const struct msg *m, uint32_t ttl);

#endif
