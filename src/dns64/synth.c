/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/synth.h"

#include <limits.h>

#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define SEEN_MAX 64 /* addresses remembered to leave out repeated ones */

static inline uint32_t
min_ttl(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The documentation ranges are missing on purpose: RFC 6147's own examples map them. */
static const struct synth_range ranges[] = {
	/* Of one host or link, or of a group: under no prefix. */
	{ { { 0 }, 8, NETADDR_IPV4 }, SYNTH_NEVER },
	{ { { 127 }, 8, NETADDR_IPV4 }, SYNTH_NEVER },
	{ { { 169, 254 }, 16, NETADDR_IPV4 }, SYNTH_NEVER },
	{ { { 224 }, 4, NETADDR_IPV4 }, SYNTH_NEVER },
	{ { { 240 }, 4, NETADDR_IPV4 }, SYNTH_NEVER },
	/* Not global (RFC 6890): not under the Well-Known Prefix (RFC 6052 section 3.1). */
	{ { { 10 }, 8, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 100, 64 }, 10, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 172, 16 }, 12, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 192, 0, 0 }, 24, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 192, 88, 99 }, 24, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 192, 168 }, 16, NETADDR_IPV4 }, SYNTH_OWN },
	{ { { 198, 18 }, 15, NETADDR_IPV4 }, SYNTH_OWN },
	/* Global ones among them: RFC 7723, RFC 8155, RFC 7050. */
	{ { { 192, 0, 0, 9 }, 32, NETADDR_IPV4 }, SYNTH_ANY },
	{ { { 192, 0, 0, 10 }, 32, NETADDR_IPV4 }, SYNTH_ANY },
	{ { { 192, 0, 0, 170 }, 32, NETADDR_IPV4 }, SYNTH_ANY },
	{ { { 192, 0, 0, 171 }, 32, NETADDR_IPV4 }, SYNTH_ANY },
};

const struct synth_range *
synth_ranges(size_t *n)
{
	*n = sizeof(ranges) / sizeof(ranges[0]);
	return ranges;
}

bool
synth_excluded(const struct synth_policy *p, const uint8_t v6[static 16])
{
	return p->excluded != NULL && netmap_find6(p->excluded, v6, 0) != 0;
}

/* Is RR an address of the last name of the chain? Addresses of other names are no answer. */
static inline bool
is_data(
    const struct msg *m, const struct answer *a, const struct rr *rr, uint16_t type, uint16_t rdlen)
{
	return rr->type == type && rr->rdlen == rdlen && rr->class == DNS_CLASS_IN &&
	    answer_owns(m, a, rr);
}

void
synth_count_usable(const struct synth_policy *p, const struct msg *m, const struct answer *a,
    struct synth_usable *u)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	*u = (struct synth_usable){ .excluded_ttl = UINT32_MAX };
	while (msg_walk_next(&w, &rr)) {
		bool excluded = rr.type == DNS_TYPE_AAAA && rr.rdlen == DNS_AAAA_LEN &&
		    synth_excluded(p, m->bytes + rr.rdata);

		/* Excluded addresses of other names are left out of the answer too. */
		u->n_excluded += excluded;
		if (!is_data(m, a, &rr, DNS_TYPE_AAAA, DNS_AAAA_LEN))
			continue;
		u->n_usable += !excluded;
		if (excluded)
			u->excluded_ttl = min_ttl(u->excluded_ttl, min_ttl(rr.ttl, DNS_TTL_MAX));
	}
}

uint32_t
synth_first(const struct synth_policy *p, const struct msg *m, const struct answer *a)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (is_data(m, a, &rr, DNS_TYPE_A, DNS_A_LEN))
			return synth_verdict(p, m->bytes + rr.rdata);
	}
	return SYNTH_ANY;
}

/* Write the places of the prefixes that map V4 to PLACES, in order. Returns how many. */
static inline unsigned
prefixes_of(const struct synth_policy *p, const struct synth_choice *c, const uint8_t v4[static 4],
    uint8_t places[static SYNTH_MAX_PREFIXES])
{
	uint32_t verdict = synth_verdict(p, v4);
	unsigned at = p->one ? c->first : 0;
	unsigned n = 0;

	if (verdict == SYNTH_NEVER)
		return 0;
	if (verdict >= SYNTH_VIA) {
		places[0] = (uint8_t)(verdict - SYNTH_VIA);
		return p->active_bits >> places[0] & 1;
	}
	for (unsigned left = p->n_general; left > 0 && !(p->one && n > 0); left--) {
		uint8_t place = p->general[at];

		at = at + 1 < p->n_general ? at + 1 : 0;
		if (verdict == SYNTH_ANY || !p->prefixes[place].well_known)
			places[n++] = place;
	}
	return n;
}

bool
synth_maps(const struct synth_policy *p, const uint8_t v4[static 4])
{
	const struct synth_choice first = { .first = 0 };
	uint8_t places[SYNTH_MAX_PREFIXES];

	return prefixes_of(p, &first, v4, places) > 0;
}

/* The answer that is being made. */
struct making {
	struct build *b;
	const struct synth_policy *p;
	const struct synth_choice *c;
	const struct msg *m;
	const struct answer *a;
	unsigned made; /* AAAA written so far */
	unsigned n_seen;
	uint32_t seen[SEEN_MAX]; /* the first n_seen different IPv4 addresses */
};

/* Bytes of an AAAA record whose owner is a compression pointer. */
#define AAAA_RR_LEN (NAME_POINTER_LEN + DNS_RR_FIXED + DNS_AAAA_LEN)

/* Has the client as many AAAA as it is to get, or as fit into its datagram? It always gets one. */
static bool
is_enough(const struct making *k)
{
	size_t limit = k->c->limit;

	if (k->p->max == 0 || k->made == 0)
		return false;
	return k->made >= k->p->max || (limit > 0 && k->b->w.len + AAAA_RR_LEN > limit);
}

/* Append the AAAA records for A record RR. False when there is no room. */
static bool
put_mapped(struct making *k, const struct rr *rr)
{
	/* RFC 6147 section 5.1.7: the smaller of the A's TTL and the SOA's. */
	uint32_t ttl = min_ttl(min_ttl(rr->ttl, DNS_TTL_MAX), k->c->ttl_cap);
	const uint8_t *v4 = k->m->bytes + rr->rdata;
	uint8_t places[SYNTH_MAX_PREFIXES];
	unsigned n = prefixes_of(k->p, k->c, v4, places);

	for (unsigned i = 0; i < n && !is_enough(k); i++) {
		uint8_t v6[16];

		pref64_embed(&k->p->prefixes[places[i]], v4, v6);
		if (!build_aaaa(k->b, k->m, rr, ttl, v6))
			return false;
		if (UNLIKELY(k->c->used != NULL))
			*k->c->used |= UINT32_C(1) << places[i];
		k->made++;
	}
	return true;
}

/* Did an A record with address V4 come before? Some servers repeat records. */
static bool
is_repeated(struct making *k, const uint8_t v4[static 4])
{
	uint32_t addr = wire_u32(v4);

	for (unsigned i = 0; i < k->n_seen; i++) {
		if (k->seen[i] == addr)
			return true;
	}
	if (k->n_seen < SEEN_MAX)
		k->seen[k->n_seen++] = addr;
	return false;
}

/* Append AAAA records for the A records FROM to TO - 1, counted from 0. */
static void
put_addresses(struct making *k, unsigned from, unsigned to)
{
	const struct msg *m = k->m;
	unsigned number = 0;
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (!k->b->w.full && msg_walk_next(&w, &rr)) {
		if (!is_data(m, k->a, &rr, DNS_TYPE_A, DNS_A_LEN))
			continue;
		if (number >= from && number < to && !is_repeated(k, m->bytes + rr.rdata) &&
		    !put_mapped(k, &rr))
			return;
		number++;
	}
}

unsigned
synth_answer(struct build *b, const struct synth_policy *p, const struct synth_choice *c,
    const struct msg *m, const struct answer *a)
{
	struct making k;
	unsigned last = p->max > 0 && a->n_data > 0 ? c->rotate % a->n_data : 0;

	k.b = b;
	k.p = p;
	k.c = c;
	k.m = m;
	k.a = a;
	k.made = 0;
	k.n_seen = 0;
	if (!synth_chain(b, m, a))
		return 0;
	put_addresses(&k, last, UINT_MAX);
	if (last > 0)
		put_addresses(&k, 0, last);
	return k.made;
}

/* May this AAAA record be handed out? */
static bool
is_good(const struct synth_policy *p, const struct msg *m, const struct rr *rr)
{
	return rr->rdlen == DNS_AAAA_LEN && !synth_excluded(p, m->bytes + rr->rdata);
}

static bool
all_good(const struct synth_policy *p, const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_AAAA && !is_good(p, m, &rr))
			return false;
	}
	return true;
}

/* Is RR a signature over AAAA, or too short to say of what? */
static bool
signs_aaaa(const struct msg *m, const struct rr *rr)
{
	return rr->type == DNS_TYPE_RRSIG &&
	    (rr->rdlen < 2 || msg_rrsig_covers(m, rr) == DNS_TYPE_AAAA);
}

unsigned
synth_filtered(
    struct build *b, const struct synth_policy *p, const struct msg *m, const struct answer *a)
{
	bool whole = all_good(p, m);
	unsigned kept = 0;
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (!b->w.full && msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_AAAA && !is_good(p, m, &rr))
			continue;
		/* A signature does not match what is left of its set (RULES D8). */
		if (!whole && signs_aaaa(m, &rr))
			continue;
		if (build_copy(b, MSG_ANSWER, m, &rr, rr.ttl))
			kept += is_data(m, a, &rr, DNS_TYPE_AAAA, DNS_AAAA_LEN);
	}
	return kept;
}

/* Is the record of link I that of an earlier link? A DNAME may be followed more than once. */
static bool
is_known(const struct answer *a, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (a->link[k].at == a->link[i].at)
			return true;
	}
	return false;
}

bool
synth_chain(struct build *b, const struct msg *m, const struct answer *a)
{
	/* In the order of the chain, in which simple stubs read it (RFC 1034 section 5.3.3). */
	for (unsigned i = 0; i < a->n_links; i++) {
		struct rr rr;

		if (is_known(a, i))
			continue;
		/* What is left out is malformed, as a DNAME beside its CNAME may be. */
		if (msg_record(m, a->link[i].at, &rr) &&
		    !build_copy(b, MSG_ANSWER, m, &rr, rr.ttl) && b->w.full)
			return false;
	}
	return true;
}

/* Is RR for one hop only (RFC 6891 section 6.1.1, RFC 8945), or a proof of what is changed? */
static bool
is_void(const struct msg *m, enum msg_section s, const struct rr *rr)
{
	if (rr->type == DNS_TYPE_OPT || rr->type == DNS_TYPE_TSIG)
		return true;
	if (m->signature && rr->end == m->len) /* SIG(0) */
		return true;
	return s == MSG_AUTHORITY &&
	    (rr->type == DNS_TYPE_RRSIG || rr->type == DNS_TYPE_NSEC || rr->type == DNS_TYPE_NSEC3);
}

static void
put_section(struct build *b, const struct msg *m, enum msg_section s)
{
	struct msg_walk w = msg_walk(m, s);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (!is_void(m, s, &rr) && !build_copy(b, s, m, &rr, rr.ttl))
			continue; /* malformed, or no room */
	}
}

void
synth_rest(struct build *b, const struct msg *m)
{
	put_section(b, m, MSG_AUTHORITY);
	put_section(b, m, MSG_ADDITIONAL);
}

bool
synth_soa(struct build *b, const struct msg *m, const struct answer *a, uint32_t ttl)
{
	struct rr rr;

	return a->has_soa && msg_record(m, a->soa_at, &rr) &&
	    build_copy(b, MSG_AUTHORITY, m, &rr, ttl);
}

void
synth_signatures(struct build *b, const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		uint16_t type = rr.type == DNS_TYPE_RRSIG ? msg_rrsig_covers(m, &rr) : 0;

		if ((type == DNS_TYPE_CNAME || type == DNS_TYPE_DNAME) &&
		    !build_copy(b, MSG_ANSWER, m, &rr, rr.ttl))
			return;
	}
}

void
synth_proof(struct build *b, const struct msg *m, uint32_t ttl)
{
	struct msg_walk w = msg_walk(m, MSG_AUTHORITY);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		uint16_t type = rr.type == DNS_TYPE_RRSIG ? msg_rrsig_covers(m, &rr) : rr.type;
		bool proves = type == DNS_TYPE_NSEC || type == DNS_TYPE_NSEC3 ||
		    (type == DNS_TYPE_SOA && rr.type == DNS_TYPE_RRSIG);

		if (proves && !build_copy(b, MSG_AUTHORITY, m, &rr, rr.ttl < ttl ? rr.ttl : ttl))
			return;
	}
}
