/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/state.h"

#include "core/phase.h"
#include "core/respond.h"
#include "core/svcb.h"
#include "core/turn.h"
#include "dns/answer.h"

/* Are addresses to be added to this answer (RULES D18)? */
static bool
wants_addresses(struct queries *qs, struct query *q, const struct msg *m)
{
	enum policy_svcb svcb = query_policy(qs, q)->svcb;

	return (q->qtype == DNS_TYPE_SVCB || q->qtype == DNS_TYPE_HTTPS) &&
	    q->qclass == DNS_CLASS_IN && m->rcode == DNS_NOERROR && !q->do_bit && !q->signed_msg &&
	    svcb != POLICY_SVCB_OFF && (svcb == POLICY_SVCB_RESOLVE || qs->conf->cache != NULL);
}

static size_t
on_relay(struct queries *qs, struct query *q, const struct turn *t)
{
	switch (t->outcome) {
	case LOOKUP_REPLY:
		if (UNLIKELY(wants_addresses(qs, q, t->msg)) &&
		    svcb_begin(qs, q, t->msg, t->now_ns))
			return 0;
		return respond_relay(qs, q, t->msg, t->out);
	case LOOKUP_TRUNCATED:
		return respond_relay(qs, q, t->msg, t->out);
	case LOOKUP_ERROR:
		return turn_error(qs, q, t);
	case LOOKUP_BOGUS:
		return turn_bogus(qs, q, t);
	case LOOKUP_NO_ROOM:
		return turn_no_room(qs, q, t);
	case LOOKUP_SILENT:
		break;
	}
	return turn_fail(qs, q, t);
}

/* Is there an A record anywhere? */
static bool
has_any_a(const struct msg *m)
{
	struct rr rr = { .end = m->at[MSG_ANSWER] };

	while (rr.end < m->len && msg_next(m, &rr)) {
		if (rr.type == DNS_TYPE_A)
			return true;
	}
	return false;
}

/* A question for A of a client that is to see none (RULES D17). */
static size_t
on_hidden(struct queries *qs, struct query *q, const struct turn *t)
{
	const struct respond_reason why = { .ede = DNS_EDE_FILTERED, .msg = t->msg };
	struct answer a;

	if (t->msg == NULL)
		return on_relay(qs, q, t);
	answer_scan(t->msg, DNS_TYPE_A, &a);
	if (a.kind == ANSWER_DATA && t->msg->rcode == DNS_NOERROR)
		return respond_hidden(qs, q, t->msg, &a, t->out);
	if (!has_any_a(t->msg))
		return on_relay(qs, q, t);
	/* Those it has are off the chain, or where there should be none. */
	if (t->outcome != LOOKUP_REPLY)
		return respond_error(qs, q, t->rcode, &why, t->out);
	return a.kind == ANSWER_BROKEN ? turn_fail(qs, q, t)
				       : respond_negative(qs, q, t->msg, &a, t->msg->rcode, t->out);
}

static size_t
on_svcb(struct queries *qs, struct query *q, const struct turn *t)
{
	struct msg m;

	svcb_view(q, &m);
	return respond_relay(qs, q, &m, t->out);
}

static size_t
on_reverse(struct queries *qs, struct query *q, const struct turn *t)
{
	struct answer a;

	switch (t->outcome) {
	case LOOKUP_REPLY:
		answer_scan(t->msg, DNS_TYPE_PTR, &a);
		if (a.kind == ANSWER_BROKEN && t->msg->rcode != DNS_NXDOMAIN)
			return turn_fail(qs, q, t);
		if (a.kind == ANSWER_DATA && t->msg->rcode != DNS_NXDOMAIN)
			return respond_reverse(qs, q, t->msg, &a, t->out);
		/* A CNAME without a PTR behind it would only be a longer way to nothing (RFC 6147
		 * section 5.3.1). Nothing is there for as long as upstream says. */
		return respond_empty(qs, q, t->msg->rcode, a.negative_ttl, t->out);
	case LOOKUP_ERROR:
		return turn_error(qs, q, t);
	case LOOKUP_NO_ROOM:
		return turn_no_room(qs, q, t);
	case LOOKUP_BOGUS:
		return turn_bogus(qs, q, t);
	case LOOKUP_SILENT:
	case LOOKUP_TRUNCATED:
		break;
	}
	return turn_fail(qs, q, t);
}

static size_t
turn(struct queries *qs, struct query *q, const struct lookup_result *result, bool stale,
    const struct query_out *out, uint64_t now_ns)
{
	const struct turn t = { .outcome = q->outcome,
		.rcode = q->rcode,
		.msg = q->with_msg ? result->msg : NULL,
		.out = out,
		.now_ns = now_ns,
		.stale = stale };

	if (t.msg != NULL && !(result->trusted && t.msg->flags & DNS_AD))
		q->insecure = true;
	switch ((enum query_state)q->state) {
	case QUERY_RELAY:
		return on_relay(qs, q, &t);
	case QUERY_AAAA:
		if (t.outcome == LOOKUP_REPLY)
			q->upstream = result->upstream;
		return phase_aaaa(qs, q, &t);
	case QUERY_A:
		return phase_a(qs, q, &t);
	case QUERY_TARGET:
		return phase_target(qs, q, &t);
	case QUERY_NATIVE:
		return phase_native(qs, q, &t);
	case QUERY_HIDDEN:
		return on_hidden(qs, q, &t);
	case QUERY_SVCB:
		return on_svcb(qs, q, &t);
	case QUERY_REVERSE:
		return on_reverse(qs, q, &t);
	case QUERY_LOCAL:
		break;
	}
	return respond_local(qs, q, out);
}

size_t
state_turn(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	size_t len = 0;

	qs->hit = false;
	qs->refreshed = false;
	if (q->starting)
		query_start(qs, q, now_ns);
	else if (!UNLIKELY(q->stale_try) || !query_recall(qs, q, now_ns))
		len = turn(qs, q, result, false, out, now_ns);
	while (qs->hit) { /* each step of the way that is in the cache is taken at once */
		qs->hit = false;
		len = turn(qs, q, &qs->recall->result, qs->recall->stale, out, now_ns);
	}
	return len;
}
