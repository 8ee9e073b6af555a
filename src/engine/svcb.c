/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/svcb.h"

#include <string.h>

#include "base/clock.h"
#include "dns/edit.h"
#include "dns/name.h"
#include "engine/request.h"

/* labels that may be compared: each target with each address in the reply */
#define TARGETS_WORK 8192

/* The target names to look up. */
struct targets {
	unsigned n;
	unsigned left; /* of TARGETS_WORK */
	uint8_t name[QUERY_SVCB_TARGETS][DNS_NAME_MAX];
};

/*
 * Is there an AAAA of NAME in the additional section already? *left: labels that may still be
 * compared.
 */
static bool
has_addresses(const struct msg *m, const uint8_t *name, unsigned *left)
{
	struct msg_walk w = msg_walk(m, MSG_ADDITIONAL);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_AAAA &&
		    name_equal_within(m->bytes, m->len, rr.at, name, left))
			return true;
	}
	return false;
}

static void
add_target(struct targets *t, const struct msg *m, const struct rr *rr)
{
	uint8_t *name = t->name[t->n];

	if (msg_target(m, rr, name) <= 1 || has_addresses(m, name, &t->left) || t->left == 0)
		return;
	for (unsigned i = 0; i < t->n; i++) {
		if (name_equal(t->name[i], name))
			return;
	}
	t->n++;
}

static void
find_targets(struct targets *t, const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	t->n = 0;
	t->left = TARGETS_WORK;
	while (t->n < QUERY_SVCB_TARGETS && t->left > 0 && msg_walk_next(&w, &rr)) {
		if (rr.type == m->qtype && rr.class == DNS_CLASS_IN)
			add_target(t, m, &rr);
	}
}

/* A child query for AAAA of NAME, under the client's policy. NULL: no room. */
static struct query *
new_child(struct queries *qs, struct query *q, const uint8_t *name)
{
	struct query *child;

	/* No network has children counted as waiting: half of the room is not for them. */
	child = pool_room(&qs->pool) > qs->pool.cap / 2 ? query_new(qs) : NULL;
	if (child == NULL)
		return NULL;
	child->child = true;
	child->parent = q;
	child->from.peer = *query_client(q);
	child->req.flags = q->req.flags & DNS_CD;
	/* Without RD only the cache is asked. */
	if (query_policy(qs, q)->svcb == POLICY_SVCB_RESOLVE) {
		child->req.flags |= q->req.flags & DNS_RD;
		child->dry = q->dry;
	}
	child->req.qtype = DNS_TYPE_AAAA;
	child->req.qclass = DNS_CLASS_IN;
	child->req.edns = true;
	child->req.bufsize = QUERY_SVCB_ROOM;
	if (query_set_name(qs, child, name, name_len(name)))
		return child;
	query_free(qs, child);
	return NULL;
}

/* Any failure leads to an answer without added addresses, never to an error (RULES D18). */
bool
svcb_begin(struct queries *qs, struct query *q, const struct msg *m, uint64_t now_ns)
{
	uint64_t until_ns;
	struct targets t;
	struct query_svcb *s;

	if (m->len > QUERY_SVCB_MAX || m->signature)
		return false;
	find_targets(&t, m);
	s = t.n > 0 ? pool_take(&qs->svcbs) : NULL;
	if (s == NULL)
		return false;
	memset(s, 0, offsetof(struct query_svcb, bytes));
	memcpy(s->bytes, m->bytes, m->len);
	s->len = s->len_before = m->len;
	s->n_before = m->count[MSG_ADDITIONAL];
	s->conf_gen = qs->conf_gen;
	s->reason = q->reason;
	q->svcb = s;
	for (unsigned i = 0; i < t.n; i++) {
		s->child[i] = new_child(qs, q, t.name[i]);
		s->n_waiting += s->child[i] != NULL;
	}
	if (s->n_waiting == 0) {
		query_drop_svcb(qs, q);
		return false;
	}
	q->state = QUERY_SVCB;
	for (unsigned i = 0; i < t.n; i++) {
		if (s->child[i] == NULL)
			continue;
		s->child[i]->budget.left = (uint8_t)(q->budget.left / s->n_waiting);
		request_sort(qs, s->child[i]);
		query_start_soon(qs, s->child[i]);
	}
	until_ns = now_ns + SVCB_MS * NS_PER_MS;
	wheel_set(qs->wheel, &q->timer, until_ns < q->deadline_ns ? until_ns : q->deadline_ns);
	return true;
}

/*
 * Take away what was appended to the reply of Q under settings before the present ones: no answer
 * has addresses of two sets of prefixes, nor one of them that is not in force any more.
 */
static void
drop_outdated(const struct queries *qs, struct query *q)
{
	struct query_svcb *s = q->svcb;

	if (s->conf_gen == qs->conf_gen)
		return;
	s->conf_gen = qs->conf_gen;
	s->len = s->len_before;
	header_set(s->bytes, HEADER_ARCOUNT, s->n_before);
	q->reason = s->reason;
}

/*
 * Append the AAAA records of the target itself. Those behind a chain are left out: clients do not
 * follow chains in the additional section.
 */
static void
keep_addresses(
    struct queries *qs, struct query_svcb *s, const struct query *child, const struct msg *m)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_AAAA || rr.rdlen != DNS_AAAA_LEN ||
		    !name_equal_at(m->bytes, m->len, rr.at, child->req.qname))
			continue;
		const struct edit_rr address = { .owner = child->req.qname,
			.type = DNS_TYPE_AAAA,
			.class = DNS_CLASS_IN,
			.ttl = rr.ttl,
			.rdata = m->bytes + rr.rdata,
			.rdlen = DNS_AAAA_LEN };
		size_t len = edit_append(s->bytes, s->len, sizeof(s->bytes), &address);

		if (len == 0)
			return; /* no room */
		s->len = len;
		stats_inc(&query_stats(qs, child->parent)->svcb_addresses);
		child->parent->reason = REASON_SVCB_ADDRESSES;
	}
}

void
svcb_take(struct queries *qs, struct query *child, const uint8_t *msg, size_t len)
{
	struct query *q = child->parent;
	struct msg m;

	if (q == NULL)
		return; /* the answer did not wait any longer */
	drop_outdated(qs, q);
	/* With TC there may be records missing. */
	if (msg_parse(&m, msg, len) == MSG_OK && m.rcode == DNS_NOERROR && !(m.flags & DNS_TC))
		keep_addresses(qs, q->svcb, child, &m);
	for (unsigned i = 0; i < QUERY_SVCB_TARGETS; i++) {
		if (q->svcb->child[i] == child)
			q->svcb->child[i] = NULL;
	}
	q->svcb->n_waiting--;
	if (q->svcb->n_waiting == 0)
		query_ready(qs, q);
}

void
svcb_view(const struct queries *qs, struct query *q, struct msg *m)
{
	drop_outdated(qs, q);
	/* The reply was parsed before, and the appended records are sound. */
	if (msg_parse(m, q->svcb->bytes, q->svcb->len) != MSG_OK)
		m->count[MSG_ANSWER] = 0;
}
