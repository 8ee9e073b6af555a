/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/state.h"

#include <string.h>

#include "engine/explain.h"
#include "engine/phase.h"

#define TAKE_EVENT (QUERY_HIT - 1) /* instead of the length of an answer */

/* What becomes of the addresses of a reply to what Q asks for now. */
static enum explain_use
use_of(const struct query *q)
{
	switch ((enum query_state)q->state) {
	case QUERY_A:
		return EXPLAIN_MADE;
	case QUERY_HIDDEN:
		return EXPLAIN_TAKEN;
	case QUERY_AAAA:
	case QUERY_TARGET:
	case QUERY_NATIVE:
		return EXPLAIN_FILTERED;
	case QUERY_RELAY:
	case QUERY_SVCB:
	case QUERY_REVERSE:
	case QUERY_LOCAL:
		break;
	}
	return EXPLAIN_PASSED;
}

/* Note the event for the trace, with the addresses that the reply brings. */
static __attribute__((noinline, cold)) void
note_event(struct queries *qs, struct query *q, const struct lookup_result *result, bool cached,
    uint64_t now_ns)
{
	struct trace_step *s = trace_add(&qs->explanation->trace, TRACE_EVENT, now_ns);
	const struct msg *m = q->came.with_msg ? result->msg : NULL;

	if (s == NULL)
		return;
	s->state = q->state;
	s->outcome = q->came.outcome;
	s->rcode = m != NULL ? m->rcode : q->came.rcode;
	if (q->state == QUERY_SVCB) {
		s->late = q->svcb->late;
		s->n_added =
		    (uint16_t)(header_get(q->svcb->bytes, HEADER_ARCOUNT) - q->svcb->n_before);
		return; /* what the targets' questions came to is not its outcome */
	}
	s->cached = cached;
	if (cached) {
		s->stale = qs->fetch->stale;
		s->due = qs->fetch->entry.due;
		s->age_s = qs->fetch->entry.age_s;
		s->ttl_s = qs->fetch->entry.ttl_s;
	}
	if (m == NULL)
		return;
	s->with_reply = true;
	s->type = m->qtype;
	memcpy(s->name, msg_qname(m), m->qname_len);
	if (result->upstream < UPSTREAM_MAX)
		s->addr = qs->lookups->upstreams->table[result->upstream].conf.addr;
	explain_addresses(qs->explanation, m, use_of(q), &query_policy(qs, q)->synth, now_ns);
}

/*
 * Q runs for what seldom comes before its event. Returns as phase_take does, or TAKE_EVENT: the
 * event is to be taken.
 */
static __attribute__((noinline)) size_t
run_before(struct queries *qs, struct query *q, uint64_t now_ns)
{
	bool asks = q->next == QUERY_ASKS;
	size_t hit;

	q->next = QUERY_TAKES_EVENT;
	if (asks)
		return query_ask(qs, q, now_ns);
	return query_fetch_stale(qs, q, &hit, now_ns) ? hit : TAKE_EVENT;
}

/* TRACED: somebody wants to know of one query, which may be Q. */
static inline __attribute__((always_inline)) size_t
run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns, bool explained)
{
	size_t len = TAKE_EVENT;

	if (q->next == QUERY_STARTS) {
		q->next = QUERY_TAKES_EVENT;
		len = query_start(qs, q, now_ns);
	} else if (UNLIKELY(q->next != QUERY_TAKES_EVENT)) {
		len = run_before(qs, q, now_ns);
	}
	if (len == TAKE_EVENT) {
		if (explained && q->explained)
			note_event(qs, q, result, false, now_ns);
		len = phase_take(qs, q, result, false, out, now_ns);
	}
	while (len == QUERY_HIT) { /* that is the next event, at once */
		qs->cached = true;
		if (explained && q->explained)
			note_event(qs, q, &qs->fetch->result, true, now_ns);
		len = phase_take(qs, q, &qs->fetch->result, qs->fetch->stale, out, now_ns);
	}
	return len;
}

static __attribute__((noinline, cold)) size_t
run_traced(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	bool uncounted = q->explained || (q->parent != NULL && q->parent->explained);
	struct stats *counters = qs->stats;
	const struct lookup *l;
	size_t len;

	if (uncounted) /* nobody asked */
		qs->stats = &qs->explanation->uncounted;
	len = run(qs, q, result, out, now_ns, true);
	qs->stats = counters;
	l = q->lookup;

	if (q->explained && l != NULL)
		explain_question(qs->explanation, l->key.qname, l->key.qtype,
		    l->n_sends > 0 || l->waiters.n > 1, now_ns);
	return len;
}

size_t
state_run(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	qs->cached = false;
	qs->refreshed = false;
	if (UNLIKELY(qs->explanation != NULL))
		return run_traced(qs, q, result, out, now_ns);
	return run(qs, q, result, out, now_ns, false);
}

const char *
query_state_name(enum query_state state)
{
	static const char *const names[] = { [QUERY_RELAY] = "relay",
		[QUERY_AAAA] = "aaaa",
		[QUERY_A] = "a",
		[QUERY_TARGET] = "target",
		[QUERY_NATIVE] = "native",
		[QUERY_HIDDEN] = "hidden",
		[QUERY_SVCB] = "svcb",
		[QUERY_REVERSE] = "reverse",
		[QUERY_LOCAL] = "local" };

	return names[state];
}
