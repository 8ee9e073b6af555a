/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/state.h"

#include <string.h>

#include "core/phase.h"
#include "core/respond.h"
#include "core/svcb.h"
#include "core/trace.h"
#include "dns/answer.h"

/* Should addresses be added to this answer (RULES D18)? */
static bool
wants_addresses(struct queries *qs, struct query *q, const struct msg *m)
{
	enum policy_svcb svcb = query_policy(qs, q)->svcb;

	return (q->qtype == DNS_TYPE_SVCB || q->qtype == DNS_TYPE_HTTPS) &&
	    q->qclass == DNS_CLASS_IN && m->rcode == DNS_NOERROR && !q->do_bit && !q->signed_msg &&
	    svcb != POLICY_SVCB_OFF && (svcb == POLICY_SVCB_RESOLVE || qs->conf->cache != NULL);
}

/*
 * The reply to a question for AAAA without DNS64 is passed on: was it DNS64 that was lacking, or is
 * the reply an answer?
 */
static void
note_lack(struct query *q, const struct msg *m)
{
	struct answer a;

	if (reason_row((enum reason)q->reason)->kind != REASON_NOT_MAKING)
		return;
	answer_scan(m, DNS_TYPE_AAAA, &a);
	if (m->rcode == DNS_NXDOMAIN)
		q->reason = REASON_NXDOMAIN;
	else if (a.kind == ANSWER_DATA)
		q->reason = REASON_NATIVE;
}

/*
 * A reply is there that is passed on, and is of type AAAA or a newer one: is it more than that?
 * True: Q waits for addresses.
 */
static __attribute__((noinline)) bool
look_closer(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->qtype == DNS_TYPE_AAAA)
		note_lack(q, ev->msg);
	return ev->outcome == LOOKUP_REPLY && wants_addresses(qs, q, ev->msg) &&
	    svcb_begin(qs, q, ev->msg, ev->now_ns);
}

static size_t
on_relay(struct queries *qs, struct query *q, const struct query_event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
	case LOOKUP_TRUNCATED:
		if (q->qtype >= DNS_TYPE_AAAA && look_closer(qs, q, ev))
			return 0;
		return respond_relay(qs, q, ev->msg, ev->out);
	case LOOKUP_ERROR:
		return respond_upstream_error(qs, q, ev);
	case LOOKUP_BOGUS:
		return respond_bogus(qs, q, ev);
	case LOOKUP_NO_ROOM:
		return respond_no_room(qs, q, ev);
	case LOOKUP_SILENT:
		break;
	}
	return respond_fail(qs, q, ev);
}

/* Is there an A record in any section? */
static bool
has_any_a(const struct msg *m)
{
	struct msg_walk w = msg_walk_all(m);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_A)
			return true;
	}
	return false;
}

/* Handle a question for A from a client that may not see A records (RULES D17). */
static size_t
on_hidden(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct answer a;

	if (ev->msg == NULL)
		return on_relay(qs, q, ev);
	answer_scan(ev->msg, DNS_TYPE_A, &a);
	if (a.kind == ANSWER_DATA && ev->msg->rcode == DNS_NOERROR)
		return respond_hidden(qs, q, ev->msg, &a, ev->out);
	if (!has_any_a(ev->msg))
		return on_relay(qs, q, ev);
	/* The reply has A records, but not at the end of the chain: leave them out. */
	q->reason = REASON_HIDDEN_A;
	if (ev->outcome != LOOKUP_REPLY)
		return respond_error(qs, q, ev->rcode, ev->msg, ev->out);
	return a.kind == ANSWER_BROKEN
	    ? respond_fail(qs, q, ev)
	    : respond_negative(qs, q, ev->msg, &a, query_negative_ttl(ev, &a), ev->out);
}

static size_t
on_svcb(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct msg m;

	svcb_view(qs, q, &m);
	return respond_relay(qs, q, &m, ev->out);
}

static size_t
on_reverse(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct answer a;

	switch (ev->outcome) {
	case LOOKUP_REPLY:
		answer_scan(ev->msg, DNS_TYPE_PTR, &a);
		if (a.kind == ANSWER_BROKEN && ev->msg->rcode != DNS_NXDOMAIN)
			return respond_fail(qs, q, ev);
		if (a.kind == ANSWER_DATA && ev->msg->rcode != DNS_NXDOMAIN)
			return respond_reverse(qs, q, ev->msg, &a, ev->out);
		/*
		 * Without a PTR record a CNAME would be of no use (RFC 6147 section 5.3.1). The
		 * negative TTL is upstream's.
		 */
		q->reason = REASON_REVERSE_NONE;
		return respond_empty(qs, q, ev->msg->rcode, query_negative_ttl(ev, &a), ev->out);
	case LOOKUP_ERROR:
		return respond_upstream_error(qs, q, ev);
	case LOOKUP_NO_ROOM:
		return respond_no_room(qs, q, ev);
	case LOOKUP_BOGUS:
		return respond_bogus(qs, q, ev);
	case LOOKUP_SILENT:
	case LOOKUP_TRUNCATED:
		break;
	}
	return respond_fail(qs, q, ev);
}

/* What becomes of the addresses of a reply to what Q asks for now. */
static enum trace_use
use_of(const struct query *q)
{
	switch ((enum query_state)q->state) {
	case QUERY_A:
		return TRACE_MADE;
	case QUERY_HIDDEN:
		return TRACE_TAKEN;
	case QUERY_AAAA:
	case QUERY_TARGET:
	case QUERY_NATIVE:
		return TRACE_FILTERED;
	case QUERY_RELAY:
	case QUERY_SVCB:
	case QUERY_REVERSE:
	case QUERY_LOCAL:
		break;
	}
	return TRACE_PASSED;
}

/* Note the event for the trace, with the addresses that the reply brings. */
static __attribute__((noinline, cold)) void
note_event(struct queries *qs, struct query *q, const struct lookup_result *result, bool cached,
    uint64_t now_ns)
{
	struct trace_step *s = trace_add(qs->trace, TRACE_EVENT, now_ns);
	const struct msg *m = q->with_msg ? result->msg : NULL;

	if (s == NULL)
		return;
	s->state = q->state;
	s->outcome = q->outcome;
	s->rcode = m != NULL ? m->rcode : q->rcode;
	if (q->state == QUERY_SVCB) {
		s->late = q->svcb->late;
		s->n_added =
		    (uint16_t)(header_get(q->svcb->bytes, HEADER_ARCOUNT) - q->svcb->n_before);
		return; /* what the targets' questions came to is not its outcome */
	}
	s->cached = cached;
	if (cached) {
		s->stale = qs->fetch->stale;
		s->age_s = qs->fetch->entry.age_s;
		s->ttl_s = qs->fetch->entry.ttl_s;
	}
	if (m == NULL)
		return;
	s->with_reply = true;
	s->type = m->qtype;
	memcpy(s->name, msg_qname(m), m->qname_len);
	if (result->upstream < UPSTREAM_MAX)
		s->addr = qs->lookups->upstreams->table[result->upstream].addr;
	trace_addresses(qs->trace, m, use_of(q), &query_policy(qs, q)->synth, now_ns);
}

static size_t
on_event(struct queries *qs, struct query *q, const struct lookup_result *result, bool stale,
    const struct query_out *out, uint64_t now_ns)
{
	const struct query_event ev = { .outcome = q->outcome,
		.rcode = q->rcode,
		.msg = q->with_msg ? result->msg : NULL,
		.out = out,
		.now_ns = now_ns,
		.stale = stale };

	if (ev.msg != NULL && !(result->trusted && ev.msg->flags & DNS_AD))
		q->insecure = true;
	switch ((enum query_state)q->state) {
	case QUERY_RELAY:
		return on_relay(qs, q, &ev);
	case QUERY_AAAA:
		if (ev.outcome == LOOKUP_REPLY)
			q->upstream = result->upstream;
		return phase_aaaa(qs, q, &ev);
	case QUERY_A:
		return phase_a(qs, q, &ev);
	case QUERY_TARGET:
		return phase_target(qs, q, &ev);
	case QUERY_NATIVE:
		return phase_native(qs, q, &ev);
	case QUERY_HIDDEN:
		return on_hidden(qs, q, &ev);
	case QUERY_SVCB:
		return on_svcb(qs, q, &ev);
	case QUERY_REVERSE:
		return on_reverse(qs, q, &ev);
	case QUERY_LOCAL:
		break;
	}
	return respond_local(qs, q, out);
}

/* Q runs for what seldom comes before its event. Returns whether the event is not to be taken. */
static __attribute__((noinline)) bool
takes_no_event(struct queries *qs, struct query *q, uint64_t now_ns)
{
	enum query_next next = (enum query_next)q->next;

	q->next = QUERY_TAKES_EVENT;
	if (next == QUERY_FETCHES_STALE)
		return query_fetch_stale(qs, q, now_ns);
	query_ask(qs, q, now_ns); /* QUERY_HELD: for what the cache has */
	return true;
}

/* TRACED: somebody wants to know of one query, which may be Q. */
static inline __attribute__((always_inline)) size_t
run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns, bool traced)
{
	size_t len = 0;

	if (q->next == QUERY_STARTS) {
		q->next = QUERY_TAKES_EVENT;
		query_start(qs, q, now_ns);
	} else if (!UNLIKELY(q->next != QUERY_TAKES_EVENT && takes_no_event(qs, q, now_ns))) {
		if (traced && q->traced)
			note_event(qs, q, result, false, now_ns);
		len = on_event(qs, q, result, false, out, now_ns);
	}
	while (qs->hit) { /* an answer of the cache is the next event, at once */
		qs->hit = false;
		qs->cached = true;
		if (traced && q->traced)
			note_event(qs, q, &qs->fetch->result, true, now_ns);
		len = on_event(qs, q, &qs->fetch->result, qs->fetch->stale, out, now_ns);
	}
	return len;
}

static __attribute__((noinline, cold)) size_t
run_traced(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	bool uncounted = q->traced || (q->parent != NULL && q->parent->traced);
	struct stats *counters = qs->stats;
	const struct lookup *l;
	size_t len;

	if (uncounted) /* nobody asked */
		qs->stats = &qs->trace->uncounted;
	len = run(qs, q, result, out, now_ns, true);
	qs->stats = counters;
	l = q->lookup;

	if (q->traced && l != NULL)
		trace_question(qs->trace, l->key.qname, l->key.qtype,
		    l->n_sends > 0 || l->n_waiters > 1, now_ns);
	return len;
}

size_t
state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	qs->hit = false;
	qs->cached = false;
	qs->refreshed = false;
	if (UNLIKELY(qs->trace != NULL))
		return run_traced(qs, q, result, out, now_ns);
	return run(qs, q, result, out, now_ns, false);
}
