/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/inflight.h"

#include <string.h>

#include "outbound/attempt.h"

#define BUCKETS 4096  /* of the table of networks, in one slice at most */
#define LOOKED_AT 500 /* questions, in one slice, before the next bucket */

/* The upstreams that L was sent to and that may reply yet, bit per number. */
static uint64_t
awaited(const struct lookup *l)
{
	uint64_t bits = lookup_in_flight(l) && !l->now.silent ? UINT64_C(1) << l->now.upstream : 0;

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next)
		bits |= a->silent ? 0 : UINT64_C(1) << a->upstream;
	return bits;
}

/* What came of upstreams, bit per number. */
struct outcomes {
	uint64_t asked, waiting, errored;
};

/* Add what came of those that L was sent to, and that *o does not have yet. */
static void
add(struct outcomes *o, const struct lookup *l)
{
	uint64_t errored = l->tried.errored, waiting = awaited(l) & ~errored;
	uint64_t asked = waiting | errored;

	for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
		asked |= attempt_silent(l->tried.silent[over], 1);
	o->waiting |= waiting & ~o->asked;
	o->errored |= errored & ~o->asked;
	o->asked |= asked;
}

/* Put the upstreams of BITS, of which REPLY came, on the list, as far as there is room. */
static void
put(const struct upstreams *us, uint64_t bits, enum inflight_reply reply,
    struct inflight_question *to)
{
	for (; bits != 0; bits &= bits - 1) {
		const struct netaddr *a = &us->table[__builtin_ctzll(bits)].conf.addr;

		if (a->family == NETADDR_NONE)
			continue;
		if (to->n_tried < INFLIGHT_TRIED)
			to->tried[to->n_tried++] =
			    (struct inflight_tried){ .upstream = *a, .reply = reply };
		else
			to->n_more++;
	}
}

/* Whom Q's questions went to: that of the lookup that it waits for, and of the one it watches. */
static void
note_tried(const struct upstreams *us, const struct query *q, struct inflight_question *to)
{
	struct outcomes o = { .asked = 0 };

	if (q->lookup != NULL) {
		to->n_sends = q->lookup->n_sends;
		add(&o, q->lookup);
	}
	if (q->watch.lookup != NULL)
		add(&o, q->watch.lookup);
	put(us, o.waiting, INFLIGHT_WAITING, to);
	put(us, o.errored, INFLIGHT_ERROR, to);
	put(us, o.asked & ~o.waiting & ~o.errored, INFLIGHT_SILENT, to);
}

static void
copy(const struct queries *qs, const struct query *q, struct inflight_question *to)
{
	*to = (struct inflight_question){ .came_ns = query_came_ns(q),
		.client = *query_client(q),
		.qtype = q->req.qtype,
		.state = q->state,
		.transport = q->from.transport };
	memcpy(to->qname, q->req.qname, q->req.qname_len);
	note_tried(qs->lookups->upstreams, q, to);
}

static void
find_youngest(struct inflight *f)
{
	f->youngest = 0;
	for (unsigned i = 1; i < f->n; i++) {
		if (f->q[i].came_ns > f->q[f->youngest].came_ns)
			f->youngest = i;
	}
}

/* Q waits: keep it if it is among the oldest. */
static void
keep(const struct queries *qs, const struct query *q, struct inflight *f)
{
	if (q->explained)
		return;
	if (f->n < INFLIGHT_MOST)
		copy(qs, q, &f->q[f->n++]);
	else if (query_came_ns(q) < f->q[f->youngest].came_ns)
		copy(qs, q, &f->q[f->youngest]);
	else
		return;
	if (f->n == INFLIGHT_MOST)
		find_youngest(f);
}

/* The oldest of C, which are at the head of its list. Returns how many were looked at. */
static unsigned
keep_client(const struct queries *qs, const struct fair_client *c, struct inflight *f)
{
	const struct list *waiting = &c->own.of[FAIR_WAITING];
	unsigned n = 0;

	for (struct list *link = waiting->next; link != waiting && n < INFLIGHT_MOST;
	     link = link->next, n++)
		keep(qs, LIST_OBJECT(link, struct query, place.link), f);
	return n;
}

bool
inflight_slice(const struct queries *qs, struct inflight *f)
{
	uint32_t n = qs->fair.row;
	uint32_t end = n - f->at < BUCKETS ? n : f->at + BUCKETS;
	unsigned looked_at = 0;

	for (; f->at < end && looked_at < LOOKED_AT; f->at++) {
		for (const struct fair_client *c = qs->fair.buckets[f->at]; c != NULL; c = c->next)
			looked_at += keep_client(qs, c, f);
	}
	f->n_all = qs->pool.n_used;
	return f->at < n;
}

const char *
inflight_reply_text(enum inflight_reply r)
{
	static const char *const texts[] = { [INFLIGHT_WAITING] = "waiting",
		[INFLIGHT_SILENT] = "silent",
		[INFLIGHT_ERROR] = "error" };

	return texts[r];
}
