/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns64/synth.h"

#include <string.h>

#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"

#define TTL_MAX 604800 /* s: a larger one counts as this (rules.md D22) */
#define A_LEN 4        /* RDLENGTH of A (RFC 1035 section 3.4.1) */
#define AAAA_LEN 16    /* RDLENGTH of AAAA (RFC 3596 section 2.2) */
#define POINTER 0xc000 /* a compression pointer's upper bits (RFC 1035 section 4.1.4) */

static inline uint32_t
min_ttl(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool
net6_covers(const struct net6 *net, const uint8_t v6[static 16])
{
	size_t whole = net->len / 8;
	unsigned rest = net->len % 8;

	if (memcmp(net->addr, v6, whole) != 0)
		return false;
	return rest == 0 || (net->addr[whole] ^ v6[whole]) >> (8 - rest) == 0;
}

bool
synth_excluded(const struct synth_policy *p, const uint8_t v6[static 16])
{
	for (size_t i = 0; i < p->n_excluded; i++) {
		if (net6_covers(&p->excluded[i], v6))
			return true;
	}
	return false;
}

/* Is RR an address of the chain's last name? Those of other names answer nothing. */
static inline bool
is_data(
    const struct msg *m, const struct answer *a, const struct rr *rr, uint16_t type, uint16_t rdlen)
{
	if (rr->type != type || rr->rdlen != rdlen || rr->class != DNS_CLASS_IN)
		return false;
	/* Mostly the owner is a pointer to where the name was last seen. */
	if (a->target_at != 0 && wire_u16(m->bytes + rr->at) == (POINTER | a->target_at))
		return true;
	return name_equal_at(m->bytes, m->len, rr->at, a->target);
}

/* Is RR one of the CNAME and DNAME records that the chain went through? */
static inline bool
is_link(const struct answer *a, const struct rr *rr)
{
	for (unsigned i = 0; i < a->n_links; i++) {
		if (a->link[i].at == rr->at)
			return true;
	}
	return false;
}

void
synth_count_usable(const struct synth_policy *p, const struct msg *m, const struct answer *a,
    struct synth_usable *u)
{
	uint16_t n = m->count[MSG_ANSWER];
	struct rr rr;

	*u = (struct synth_usable){ .excluded_ttl = UINT32_MAX };
	for (bool more = msg_first(m, MSG_ANSWER, &rr); more; more = --n > 0 && msg_next(m, &rr)) {
		if (!is_data(m, a, &rr, DNS_TYPE_AAAA, AAAA_LEN))
			continue;
		if (!synth_excluded(p, m->bytes + rr.rdata)) {
			u->n_usable++;
			continue;
		}
		u->n_excluded++;
		u->excluded_ttl = min_ttl(u->excluded_ttl, min_ttl(rr.ttl, TTL_MAX));
	}
}

static bool
maps_anywhere(const struct synth_policy *p, const uint8_t v4[static 4])
{
	for (size_t i = 0; i < p->n_prefixes; i++) {
		if (pref64_maps(&p->prefixes[i], v4))
			return true;
	}
	return false;
}

bool
synth_can_map(const struct synth_policy *p, const struct msg *m, const struct answer *a)
{
	uint16_t n = m->count[MSG_ANSWER];
	struct rr rr;

	for (bool more = msg_first(m, MSG_ANSWER, &rr); more; more = --n > 0 && msg_next(m, &rr)) {
		if (is_data(m, a, &rr, DNS_TYPE_A, A_LEN) && maps_anywhere(p, m->bytes + rr.rdata))
			return true;
	}
	return false;
}

/* Append one AAAA per prefix that maps A record RR; returns how many there was room for. */
static unsigned
put_mapped(struct build *b, const struct synth_policy *p, const struct msg *m, const struct rr *rr,
    uint32_t ttl_cap)
{
	/* RFC 6147 section 5.1.7: the smaller of the A's TTL and the SOA's. */
	uint32_t ttl = min_ttl(min_ttl(rr->ttl, TTL_MAX), ttl_cap);
	const uint8_t *v4 = m->bytes + rr->rdata;
	unsigned n = 0;

	for (size_t i = 0; i < p->n_prefixes; i++) {
		uint8_t v6[16];

		if (!pref64_maps(&p->prefixes[i], v4))
			continue;
		pref64_embed(&p->prefixes[i], v4, v6);
		if (!build_copy_as(b, MSG_ANSWER, m, rr, DNS_TYPE_AAAA, ttl, v6, AAAA_LEN))
			break;
		n++;
	}
	return n;
}

unsigned
synth_answer(struct build *b, const struct synth_policy *p, const struct msg *m,
    const struct answer *a, uint32_t ttl_cap)
{
	uint16_t n = m->count[MSG_ANSWER];
	unsigned made = 0;
	struct rr rr;

	for (bool more = msg_first(m, MSG_ANSWER, &rr); more && !b->w.full;
	     more = --n > 0 && msg_next(m, &rr)) {
		if (is_data(m, a, &rr, DNS_TYPE_A, A_LEN))
			made += put_mapped(b, p, m, &rr, ttl_cap);
		else if (is_link(a, &rr) && !build_copy(b, MSG_ANSWER, m, &rr, rr.ttl))
			continue; /* no room, or a DNAME that its CNAME spares reading */
	}
	return made;
}

/* May this AAAA record be handed out? */
static bool
is_good(const struct synth_policy *p, const struct msg *m, const struct rr *rr)
{
	return rr->rdlen == AAAA_LEN && !synth_excluded(p, m->bytes + rr->rdata);
}

static bool
all_good(const struct synth_policy *p, const struct msg *m)
{
	uint16_t n = m->count[MSG_ANSWER];
	struct rr rr;

	for (bool more = msg_first(m, MSG_ANSWER, &rr); more; more = --n > 0 && msg_next(m, &rr)) {
		if (rr.type == DNS_TYPE_AAAA && !is_good(p, m, &rr))
			return false;
	}
	return true;
}

/* Is RR a signature over AAAA, or one of which this cannot be told? */
static bool
signs_aaaa(const struct msg *m, const struct rr *rr)
{
	return rr->type == DNS_TYPE_RRSIG &&
	       (rr->rdlen < 2 || wire_u16(m->bytes + rr->rdata) == DNS_TYPE_AAAA);
}

unsigned
synth_filtered(
    struct build *b, const struct synth_policy *p, const struct msg *m, const struct answer *a)
{
	bool whole = all_good(p, m);
	uint16_t n = m->count[MSG_ANSWER];
	unsigned kept = 0;
	struct rr rr;

	for (bool more = msg_first(m, MSG_ANSWER, &rr); more && !b->w.full;
	     more = --n > 0 && msg_next(m, &rr)) {
		if (rr.type == DNS_TYPE_AAAA && !is_good(p, m, &rr))
			continue;
		/* A signature does not match what is left of its set (rules.md D8). */
		if (!whole && signs_aaaa(m, &rr))
			continue;
		if (build_copy(b, MSG_ANSWER, m, &rr, rr.ttl))
			kept += is_data(m, a, &rr, DNS_TYPE_AAAA, AAAA_LEN);
	}
	return kept;
}

bool
synth_chain(struct build *b, const struct msg *m, const struct answer *a)
{
	uint16_t n = m->count[MSG_ANSWER];
	struct rr rr;

	for (bool more = a->n_links > 0 && msg_first(m, MSG_ANSWER, &rr); more;
	     more = --n > 0 && msg_next(m, &rr)) {
		if (is_link(a, &rr) && !build_copy(b, MSG_ANSWER, m, &rr, rr.ttl) && b->w.full)
			return false;
	}
	return true;
}

/* Does RR concern one hop (RFC 6891 section 6.1.1, RFC 8945), or vouch for what is changed? */
static bool
is_void(const struct msg *m, enum msg_section s, const struct rr *rr)
{
	if (rr->type == DNS_TYPE_OPT || rr->type == DNS_TYPE_TSIG)
		return true;
	if (m->signature && rr->end == m->len) /* SIG(0) */
		return true;
	return s == MSG_AUTHORITY && (rr->type == DNS_TYPE_RRSIG || rr->type == DNS_TYPE_NSEC ||
					 rr->type == DNS_TYPE_NSEC3);
}

static void
put_section(struct build *b, const struct msg *m, enum msg_section s)
{
	uint16_t n = m->count[s];
	struct rr rr;

	for (bool more = msg_first(m, s, &rr); more; more = --n > 0 && msg_next(m, &rr)) {
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
synth_soa(struct build *b, const struct msg *m, uint32_t ttl)
{
	uint16_t n = m->count[MSG_AUTHORITY];
	struct rr rr;

	for (bool more = msg_first(m, MSG_AUTHORITY, &rr); more;
	     more = --n > 0 && msg_next(m, &rr)) {
		if (rr.type == DNS_TYPE_SOA)
			return build_copy(b, MSG_AUTHORITY, m, &rr, ttl);
	}
	return false;
}
