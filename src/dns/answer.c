/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/answer.h"

#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"

#define TYPE_KEY 25 /* DNSSEC's first key type, for RFC 2181 section 10.1 only */

/* The state of one answer_scan. */
struct scan {
	const struct msg *m;
	struct answer *a;
	uint16_t qtype;
	unsigned left; /* of ANSWER_WORK */
	unsigned n_alias;
	struct rr alias[ANSWER_LINKS_MAX]; /* all CNAME and DNAME of the class in the answer */
};

enum step { STEP_END, STEP_ON, STEP_BROKEN };

static uint32_t
capped_ttl(uint32_t ttl)
{
	return ttl < DNS_TTL_MAX ? ttl : DNS_TTL_MAX;
}

static void
lower_ttl(struct answer *a, uint32_t ttl)
{
	if (capped_ttl(ttl) < a->ttl)
		a->ttl = capped_ttl(ttl);
}

static bool
class_fits(const struct msg *m, const struct rr *rr)
{
	return rr->class == m->qclass || m->qclass == DNS_CLASS_ANY;
}

static bool
type_fits(uint16_t qtype, const struct rr *rr)
{
	return rr->type == qtype || qtype == DNS_TYPE_ANY;
}

/* Does a question for QTYPE not follow a CNAME at the name? */
static bool
asks_name_itself(uint16_t qtype)
{
	return qtype == DNS_TYPE_CNAME || qtype == DNS_TYPE_ANY;
}

/* May records of this type stand beside a CNAME (RFC 4034 sections 3 and 4, RFC 2181 10.1)? */
static bool
beside_cname(uint16_t type)
{
	return type == DNS_TYPE_RRSIG || type == DNS_TYPE_NSEC || type == DNS_TYPE_SIG ||
	    type == DNS_TYPE_NXT || type == TYPE_KEY;
}

bool
answer_owns_slowly(const struct msg *m, const struct answer *a, const struct rr *rr)
{
	size_t to = name_sole_pointer(m->bytes + rr->at);

	if (to != 0 && to == a->also_at)
		return true;
	return name_equal_at(m->bytes, m->len, rr->at, a->target);
}

/*
 * Compare the owner of RR, a sole pointer to TO or not one (0), with the last name of the chain.
 * The first pointer that turns out to lead to that name is noted in also_at, so that the owners
 * that repeat it are told by its value, here and in answer_owns. No second one is noted: then what
 * was quick to compare here is quick in answer_owns.
 */
static __attribute__((noinline)) bool
compare_owner(struct scan *s, const struct rr *rr, size_t to)
{
	if (to != 0 && to == s->a->also_at)
		return true;
	if (!name_equal_within(s->m->bytes, s->m->len, rr->at, s->a->target, &s->left))
		return false;
	if (s->a->also_at == 0)
		s->a->also_at = (uint16_t)to;
	return true;
}

static inline bool
owned_by_target(struct scan *s, const struct rr *rr)
{
	size_t to = name_sole_pointer(s->m->bytes + rr->at);

	return (to != 0 && to == s->a->target_at) || compare_owner(s, rr, to);
}

/* Expand the owner of RR. Returns its length, 0 when it is malformed or no work is left. */
static size_t
read_owner(struct scan *s, const struct rr *rr, uint8_t out[static DNS_NAME_MAX])
{
	size_t len = s->left > 0 ? msg_owner(s->m, rr, out) : 0;
	unsigned work = len > 0 ? (unsigned)len : DNS_NAME_MAX;

	s->left -= work < s->left ? work : s->left;
	return len;
}

static void
add_link(struct answer *a, const struct rr *rr)
{
	struct answer_link *link = &a->link[a->n_links++];

	link->at = (uint16_t)rr->at;
	link->type = rr->type;
	lower_ttl(a, rr->ttl);
}

/*
 * First pass: count the data at the question's own name, in most answers all there is, and collect
 * the CNAME and DNAME records. False: there are more of those than a chain can have.
 */
static bool
scan_answer(struct scan *s)
{
	bool follow = !asks_name_itself(s->qtype);
	struct msg_walk w = msg_walk(s->m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (!class_fits(s->m, &rr))
			continue;
		if (type_fits(s->qtype, &rr) && owned_by_target(s, &rr)) {
			s->a->n_data++;
			lower_ttl(s->a, rr.ttl);
		}
		if (!follow || (rr.type != DNS_TYPE_CNAME && rr.type != DNS_TYPE_DNAME))
			continue;
		if (s->n_alias == ANSWER_LINKS_MAX)
			return false;
		s->alias[s->n_alias++] = rr;
	}
	return true;
}

/* Find the CNAME of the last name. STEP_BROKEN: the name has two. */
static enum step
find_cname(struct scan *s, const struct rr **found)
{
	*found = NULL;
	for (unsigned i = 0; i < s->n_alias; i++) {
		if (s->alias[i].type != DNS_TYPE_CNAME || !owned_by_target(s, &s->alias[i]))
			continue;
		if (*found != NULL)
			return STEP_BROKEN;
		*found = &s->alias[i];
	}
	return *found != NULL ? STEP_ON : STEP_END;
}

/*
 * Find the DNAME above the last name, the closest if there are several, and write its owner to
 * OWNER. STEP_BROKEN: one owner has two (RFC 6672 section 2.4).
 */
static enum step
find_dname(struct scan *s, const struct rr **found, uint8_t owner[static DNS_NAME_MAX])
{
	uint8_t name[DNS_NAME_MAX];
	size_t target_len = name_len(s->a->target);
	size_t best = 0;

	*found = NULL;
	for (unsigned i = 0; i < s->n_alias; i++) {
		size_t len;

		if (s->alias[i].type != DNS_TYPE_DNAME)
			continue;
		len = read_owner(s, &s->alias[i], name);
		/* A DNAME does not redirect its own owner (RFC 6672 section 2.3). */
		if (len == 0 || len < best || len >= target_len ||
		    !name_is_below(s->a->target, name))
			continue;
		if (len == best)
			return STEP_BROKEN;
		best = len;
		memcpy(owner, name, len);
		*found = &s->alias[i];
	}
	return *found != NULL ? STEP_ON : STEP_END;
}

/* Expand the name that is the whole RDATA of RR. Returns its length, 0 when it is malformed. */
static size_t
read_target(const struct msg *m, const struct rr *rr, uint8_t out[static DNS_NAME_MAX])
{
	size_t end;
	size_t len = name_expand(m->bytes, m->len, rr->rdata, out, &end);

	return len > 0 && end == rr->end ? len : 0;
}

/* Make NAME (LEN bytes) the last name of the chain. AT: its offset in the message; 0: nowhere. */
static void
set_target(struct answer *a, const uint8_t *name, size_t len, size_t at)
{
	memcpy(a->target, name, len);
	a->target_at = (uint16_t)at;
	a->also_at = 0;
}

static enum step
follow_cname(struct scan *s, const struct rr *rr)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = read_target(s->m, rr, name);
	size_t to;

	if (len == 0)
		return STEP_BROKEN;
	/* Compressed owners point to the target here, or to where it points itself. */
	to = rr->rdlen == 2 ? name_sole_pointer(s->m->bytes + rr->rdata) : 0;
	set_target(s->a, name, len, to != 0 ? to : rr->rdata);
	return STEP_ON;
}

static enum step
follow_dname(struct scan *s, const struct rr *rr, const uint8_t *owner)
{
	uint8_t suffix[DNS_NAME_MAX];
	uint8_t name[DNS_NAME_MAX];
	size_t len;

	if (read_target(s->m, rr, suffix) == 0)
		return STEP_BROKEN;
	len = name_substitute(s->a->target, owner, suffix, name);
	if (len == 0)
		return STEP_BROKEN;
	set_target(s->a, name, len, 0);
	return STEP_ON;
}

/* Follow the CNAME or DNAME of the last name. STEP_END: it has none. */
static enum step
take_step(struct scan *s)
{
	uint8_t owner[DNS_NAME_MAX];
	const struct rr *cname;
	const struct rr *dname;
	enum step by_cname = find_cname(s, &cname);
	enum step by_dname = find_dname(s, &dname, owner);

	if (by_cname == STEP_BROKEN || by_dname == STEP_BROKEN)
		return STEP_BROKEN;
	if (cname == NULL && dname == NULL)
		return STEP_END;
	if (s->a->n_steps == ANSWER_CHAIN_MAX)
		return STEP_BROKEN;
	s->a->n_steps++;
	if (dname != NULL)
		add_link(s->a, dname);
	if (cname == NULL)
		return follow_dname(s, dname, owner);
	/* A CNAME beside the DNAME was synthesized from it (RFC 6672 section 3.1). */
	add_link(s->a, cname);
	return follow_cname(s, cname);
}

/* Is NAME the owner of a CNAME that the chain went through? */
static bool
owns_cname(struct scan *s, const uint8_t *name)
{
	for (unsigned i = 0; i < s->a->n_links; i++) {
		const struct answer_link *link = &s->a->link[i];

		if (link->type == DNS_TYPE_CNAME &&
		    name_equal_within(s->m->bytes, s->m->len, link->at, name, &s->left))
			return true;
	}
	return false;
}

/* Second pass: count the data at the end of a chain. False: a name on the way there has data. */
static bool
count_data(struct scan *s)
{
	uint8_t owner[DNS_NAME_MAX];
	struct msg_walk w = msg_walk(s->m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (!class_fits(s->m, &rr) || !type_fits(s->qtype, &rr))
			continue;
		if (owned_by_target(s, &rr)) {
			s->a->n_data++;
			lower_ttl(s->a, rr.ttl);
		} else if (!beside_cname(s->qtype) && read_owner(s, &rr, owner) > 0 &&
		    owns_cname(s, owner)) {
			return false;
		}
	}
	return true;
}

/* Walk to the end of the chain. False: it is broken. */
static bool
walk_chain(struct scan *s)
{
	enum step step;

	/* A type that may stand beside a CNAME is not followed where it has data. */
	if (s->n_alias == 0 || (s->a->n_data > 0 && beside_cname(s->qtype)))
		return true;
	do
		step = take_step(s);
	while (step == STEP_ON);
	if (step == STEP_BROKEN)
		return false;
	if (s->a->n_steps == 0)
		return true;
	/* A CNAME is alone at its name (RFC 1034 section 3.6.2). */
	return s->a->n_data == 0 && count_data(s);
}

/* Is the owner of RR the last name of the chain or above it? */
static bool
is_above_target(struct scan *s, const struct rr *rr)
{
	uint8_t owner[DNS_NAME_MAX];

	/*
	 * Mostly the last name is the question's, and the owner a pointer to a label of it. That is
	 * looked for until something else was, so not in thousands of owners that are none.
	 */
	if (s->left == ANSWER_WORK && s->a->n_steps == 0 && msg_owner_in_question(s->m, rr))
		return true;
	return read_owner(s, rr, owner) > 0 && name_is_below(s->a->target, owner);
}

/* Note SOA record RR of the authority section if it is sound, at the last name or above it. */
static void
take_soa(struct scan *s, const struct rr *rr)
{
	struct answer *a = s->a;
	uint32_t ttl;

	if (!msg_soa(s->m, rr, &ttl) || !is_above_target(s, rr))
		return;
	a->has_soa = true;
	a->soa_at = (uint16_t)rr->at;
	a->negative_ttl = capped_ttl(ttl);
}

static void
scan_authority(struct scan *s)
{
	const struct msg *m = s->m;
	struct answer *a = s->a;
	struct msg_walk w = msg_walk(m, MSG_AUTHORITY);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (!class_fits(m, &rr))
			continue;
		if (rr.type == DNS_TYPE_NS)
			a->has_ns = true;
		else if (rr.type == DNS_TYPE_SOA && !a->has_soa)
			take_soa(s, &rr);
	}
}

static void
start(const struct msg *m, struct answer *a)
{
	a->kind = ANSWER_BROKEN;
	a->n_steps = 0;
	a->n_data = 0;
	a->ttl = UINT32_MAX;
	a->has_soa = false;
	a->soa_at = 0;
	a->has_ns = false;
	a->negative_ttl = 0;
	a->target_at = HEADER_QNAME;
	a->also_at = 0;
	a->n_links = 0;
	a->target[0] = 0;
	memcpy(a->target, msg_qname(m), m->qname_len);
}

void
answer_scan(const struct msg *m, uint16_t qtype, struct answer *a)
{
	struct scan s;

	s.m = m;
	s.a = a;
	s.qtype = qtype;
	s.left = ANSWER_WORK;
	s.n_alias = 0;
	start(m, a);
	if (m->qname_len == 0 || !scan_answer(&s) || !walk_chain(&s))
		return;
	if (qtype == DNS_TYPE_CNAME && a->n_data > 1)
		return;
	scan_authority(&s);
	if (UNLIKELY(s.left == 0)) {
		a->has_soa = false;
		return;
	}
	if (a->n_data > 0)
		a->kind = ANSWER_DATA;
	else
		a->kind = a->has_soa ? ANSWER_NODATA : ANSWER_OPEN;
}
