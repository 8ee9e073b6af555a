/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/phase.h"

#include "base/clock.h"
#include "core/phase_parts.h"
#include "core/respond.h"
#include "dns/answer.h"
#include "dns64/synth.h"

bool
phase_carry_chain(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	struct partial *p;
	struct answer whole;
	struct msg m;

	if (q->n_steps == QUERY_MAX_STEPS)
		return false;
	p = partial_keep(&qs->partials, q->qname, q->chain, ev->msg, a);
	if (p == NULL)
		return false;
	partial_view(p, ev->msg->qtype, &m, &whole);
	if (whole.kind == ANSWER_BROKEN) {
		query_drop_partial(qs, &p);
		return false;
	}
	if (UNLIKELY(q->data != NULL) && q->data->chain == NULL)
		q->data->chain = q->chain;
	else
		query_drop_partial(qs, &q->chain);
	q->chain = p;
	q->n_steps++;
	stats_inc(&qs->stats->chain_steps);
	return true;
}

/* A was of no use, and then AAAA, which was waited for, failed too (RULES D2). */
static __attribute__((noinline)) size_t
give_up(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct query_event last = *ev;

	last.outcome = (enum lookup_outcome)q->a_outcome;
	last.msg = NULL;
	if (last.outcome == LOOKUP_BOGUS)
		return respond_bogus(qs, q, &last);
	if (last.outcome == LOOKUP_NO_ROOM)
		return respond_no_room(qs, q, &last);
	if (last.outcome == LOOKUP_REPLY) {
		stats_inc(&qs->stats->synth_none);
		q->reason = REASON_AAAA_FAILED;
	}
	return respond_fail(qs, q, &last);
}

/* Q has used a stale entry. After a failure the answer does not rest on the AAAA phase. */
static __attribute__((noinline)) void
rest_on_stale(struct query *q, const struct query_event *ev)
{
	q->stale = q->aaaa_end == QUERY_AAAA_EMPTY;
	if (q->stale && ev->stale)
		q->empty_ttl = FETCH_STALE_TTL;
}

/* The AAAA phase ended with END, which is WHY there may be synthesis: ask for A (RULES D6). */
static inline __attribute__((always_inline)) size_t
ask_a_after(struct queries *qs, struct query *q, enum query_aaaa end, enum reason why, uint32_t ttl,
    const struct query_event *ev)
{
	bool empty = end == QUERY_AAAA_EMPTY;

	if (UNLIKELY(q->fallback != QUERY_NO_FALLBACK)) {
		if (q->fallback == QUERY_STALE_NXDOMAIN_FINAL) /* A has been asked already */
			return respond_fail(qs, q, ev);
		if (q->fallback == QUERY_LATE_AAAA && !empty)
			return give_up(qs, q, ev);
	}
	q->reason = (uint8_t)why;
	q->aaaa_end = (uint8_t)end;
	q->empty_ttl = ttl;
	q->empty_at_ns = ev->now_ns;
	q->n_steps = 0;
	if (UNLIKELY(q->stale))
		rest_on_stale(q, ev);
	if (UNLIKELY(q->chain != NULL))
		query_drop_partial(qs, &q->chain);
	q->state = QUERY_A;
	query_ask(qs, q, ev->now_ns);
	return 0;
}

/* Answer NODATA: there is no AAAA, and A is not asked. */
static size_t
give_nodata(
    struct queries *qs, struct query *q, const struct query_event *ev, uint32_t ttl, bool down)
{
	const struct policy *p = query_policy(qs, q);

	q->reason = down ? REASON_NO_PREFIX : REASON_NOT_ON_NODATA;
	if (down) {
		stats_inc(&qs->stats->no_prefix);
		if (p->servfail_without_prefix)
			return respond_error(qs, q, DNS_SERVFAIL, ev->msg, ev->out);
	}
	if (UNLIKELY(ev->stale))
		ttl = FETCH_STALE_TTL;
	return respond_nodata(qs, q, ev->msg, ttl, ev->out);
}

/* There is no usable AAAA: keep what a negative answer may need (RULES D2). */
static size_t
on_aaaa_empty(struct queries *qs, struct query *q, const struct query_event *ev,
    const struct answer *a, uint32_t excluded_ttl)
{
	const struct policy *p = query_policy(qs, q);
	uint32_t ttl = a->has_soa ? a->negative_ttl : SYNTH_NO_SOA_TTL;
	bool down = p->synth.active_bits == 0;
	enum reason why = REASON_SYNTH_NO_AAAA;

	if (excluded_ttl < UINT32_MAX) {
		q->insecure = true; /* leaving records out invalidates AD */
		why = REASON_SYNTH_EXCLUDED;
	}
	if (excluded_ttl < ttl)
		ttl = excluded_ttl;
	q->aaaa = partial_keep(&qs->partials, q->qname, q->chain, ev->msg, a);
	if (down || !(p->triggers & POLICY_ON_NODATA))
		return give_nodata(qs, q, ev, ttl, down);
	return ask_a_after(qs, q, QUERY_AAAA_EMPTY, why, ttl, ev);
}

/* It failed, which is WHY. */
static __attribute__((noinline)) size_t
ask_a(struct queries *qs, struct query *q, enum reason why, const struct query_event *ev)
{
	return ask_a_after(qs, q, QUERY_AAAA_FAILED, why, SYNTH_FAILED_TTL, ev);
}

/* Does an AAAA phase that ended by TRIGGER lead to A (RULES D3)? */
static bool
triggers(struct queries *qs, struct query *q, enum policy_trigger trigger)
{
	const struct policy *p = query_policy(qs, q);

	return p->synth.active_bits != 0 && p->triggers & trigger;
}

static size_t
on_aaaa_data(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	struct synth_usable usable;

	synth_count_usable(&query_policy(qs, q)->synth, ev->msg, a, &usable);
	if (usable.n_usable == 0)
		return on_aaaa_empty(qs, q, ev, a, usable.excluded_ttl);
	stats_inc(&qs->stats->aaaa_native);
	q->reason = REASON_NATIVE;
	if (UNLIKELY(usable.n_excluded > 0)) {
		q->reason = REASON_NATIVE_FILTERED;
		stats_inc(&qs->stats->aaaa_filtered);
	}
	if (usable.n_excluded == 0 && q->chain == NULL)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_native(qs, q, ev->msg, a, ev->out);
}

/* The name does not exist, so it has no A either (RFC 6147 section 5.1.2). */
static size_t
on_aaaa_nxdomain(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	/* A stale NXDOMAIN is the answer only if A fails too (RULES D5). */
	if (UNLIKELY(ev->stale) && q->fallback != QUERY_STALE_NXDOMAIN_FINAL &&
	    triggers(qs, q, POLICY_ON_ERROR)) {
		if (q->fallback == QUERY_NO_FALLBACK)
			q->fallback = QUERY_STALE_NXDOMAIN;
		return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
	}
	q->reason = REASON_NXDOMAIN;
	if (q->chain == NULL)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_negative(qs, q, ev->msg, a, query_negative_ttl(ev, a), ev->out);
}

static size_t
on_aaaa_reply(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct answer a;
	size_t len;

	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	if (UNLIKELY(a.n_steps > 0) && (len = phase_at_special(qs, q, ev, &a)) > 0)
		return len;
	if (ev->msg->rcode == DNS_NXDOMAIN)
		return on_aaaa_nxdomain(qs, q, ev, &a);
	switch (a.kind) {
	case ANSWER_DATA:
		return on_aaaa_data(qs, q, ev, &a);
	case ANSWER_NODATA:
		return on_aaaa_empty(qs, q, ev, &a, UINT32_MAX);
	case ANSWER_OPEN:
		if (a.n_steps == 0)
			return on_aaaa_empty(qs, q, ev, &a, UINT32_MAX);
		if (!phase_carry_chain(qs, q, ev, &a))
			break;
		query_ask(qs, q, ev->now_ns);
		return 0;
	case ANSWER_BROKEN:
		break;
	}
	if (!triggers(qs, q, POLICY_ON_ERROR))
		return respond_fail(qs, q, ev);
	return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
}

bool
phase_has_usable(const struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct synth_usable usable;
	struct answer a;

	if (ev->msg == NULL || ev->msg->rcode != DNS_NOERROR)
		return false;
	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	if (a.kind != ANSWER_DATA)
		return false;
	synth_count_usable(&query_policy(qs, q)->synth, ev->msg, &a, &usable);
	return usable.n_usable > 0;
}

size_t
phase_give_usable(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct answer a;

	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	return on_aaaa_data(qs, q, ev, &a);
}

/* By policy an error or silence counts as empty (RFC 6147 sections 5.1.2 and 5.1.3). */
size_t
phase_aaaa(struct queries *qs, struct query *q, const struct query_event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
		return on_aaaa_reply(qs, q, ev);
	case LOOKUP_BOGUS:
		return respond_bogus(qs, q, ev);
	case LOOKUP_ERROR:
		if (!triggers(qs, q, POLICY_ON_ERROR))
			return respond_upstream_error(qs, q, ev);
		break;
	case LOOKUP_TRUNCATED:
		if (phase_has_usable(qs, q, ev))
			return phase_give_usable(qs, q, ev);
		if (!triggers(qs, q, POLICY_ON_ERROR))
			return respond_fail(qs, q, ev);
		break;
	case LOOKUP_SILENT:
		if (triggers(qs, q, POLICY_ON_TIMEOUT))
			return ask_a(qs, q, REASON_SYNTH_TIMEOUT, ev);
		if (!query_watches(q))
			return respond_fail(qs, q, ev);
		query_wait_on(qs, q);
		return 0;
	case LOOKUP_NO_ROOM: /* the name may have real AAAA */
		return respond_no_room(qs, q, ev);
	}
	return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
}

uint32_t
phase_remaining_ttl(const struct query *q, uint64_t now_ns)
{
	uint32_t gone = clock_s(now_ns - q->empty_at_ns);

	return gone < q->empty_ttl ? q->empty_ttl - gone : 0;
}

/* A is of no use, but AAAA is only late: wait for it (RULES D5). False: it is not. */
static inline bool
wait_for_aaaa(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (!query_watches(q) || ev->now_ns >= q->deadline_ns)
		return false;
	q->fallback = QUERY_LATE_AAAA;
	q->a_outcome = (uint8_t)ev->outcome;
	query_wait_on(qs, q);
	return true;
}

/* Why the reply to A gives nothing to synthesize from. */
static enum reason
why_useless(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	const struct synth_policy *p = &query_policy(qs, q)->synth;

	if (ev->msg->rcode == DNS_NXDOMAIN)
		return q->aaaa_end == QUERY_AAAA_FAILED ? REASON_NXDOMAIN : REASON_A_NXDOMAIN;
	if (a->kind != ANSWER_DATA)
		return REASON_NO_A;
	switch (synth_first(p, ev->msg, a)) {
	case SYNTH_NEVER:
		return REASON_A_EXCLUDED;
	case SYNTH_OWN:
		return REASON_A_PRIVATE;
	case SYNTH_ANY:
		return p->n_general == 0 ? REASON_NO_PREFIX : REASON_NO_A;
	default:
		return REASON_A_UNMAPPED;
	}
}

/* The same where AAAA was ignored or failed: upstream did not say that there is none. */
static size_t
on_both_useless(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	bool gone = ev->msg->rcode == DNS_NXDOMAIN;

	/* A name that does not exist has no AAAA either. */
	if (!gone && wait_for_aaaa(qs, q, ev))
		return 0;
	q->reason = (uint8_t)why_useless(qs, q, ev, a);
	if (q->aaaa_end == QUERY_AAAA_IGNORED)
		return phase_ask_native(qs, q, ev);
	stats_inc(&qs->stats->synth_none);
	if (gone)
		return respond_negative(qs, q, ev->msg, a, query_negative_ttl(ev, a), ev->out);
	q->reason = REASON_AAAA_FAILED; /* NODATA would be a guess */
	return respond_fail(qs, q, ev);
}

/* A gave nothing to synthesize from: all columns of RULES D2 but the first. */
static size_t
on_a_useless(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	uint32_t ttl = phase_remaining_ttl(q, ev->now_ns), least = ttl;

	if (q->aaaa_end != QUERY_AAAA_EMPTY)
		return on_both_useless(qs, q, ev, a);
	q->reason = (uint8_t)why_useless(qs, q, ev, a);
	stats_inc(&qs->stats->synth_none);
	/* Its proof was too long to keep: mostly the cache has the whole of it (RULES D8). */
	if (UNLIKELY(q->do_bit) && q->aaaa != NULL && q->aaaa->cut)
		return phase_ask_native(qs, q, ev);
	if (a->kind == ANSWER_DATA)
		least = a->ttl;
	else if (a->has_soa)
		least = query_negative_ttl(ev, a);
	return respond_nodata(qs, q, ev->msg, least < ttl ? least : ttl, ev->out);
}

/* The upper bound of the TTLs of records synthesized now. */
static uint32_t
synthesized_ttl(const struct query *q, const struct answer *a, uint64_t now_ns)
{
	uint32_t ttl =
	    q->aaaa_end == QUERY_AAAA_IGNORED ? SYNTH_NO_SOA_TTL : phase_remaining_ttl(q, now_ns);

	if (UNLIKELY(q->data != NULL)) {
		uint32_t gone = clock_s(now_ns - q->data->at_ns);
		uint32_t left = gone < a->ttl ? a->ttl - gone : 0;

		ttl = left < ttl ? left : ttl;
	}
	return ttl;
}

size_t
phase_a_data(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	bool chained = a->n_steps > 0 || q->chain != NULL;
	size_t len;

	if (UNLIKELY(chained) && phase_ask_target(qs, q, ev, a))
		return 0;
	len = respond_synth(qs, q, ev->msg, a, synthesized_ttl(q, a, ev->now_ns), ev->out);
	if (len == 0)
		return on_a_useless(qs, q, ev, a);
	if (UNLIKELY(q->aaaa_end == QUERY_AAAA_FAILED))
		stats_inc(&qs->stats->synthesized_failed);
	if (UNLIKELY(q->stale))
		stats_inc(&qs->stats->synthesized_stale);
	return len;
}

static size_t
on_a_reply(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct answer a;
	size_t len;

	answer_scan(ev->msg, DNS_TYPE_A, &a);
	if (UNLIKELY(a.n_steps > 0) && (len = phase_at_special(qs, q, ev, &a)) > 0)
		return len;
	if (ev->msg->rcode == DNS_NXDOMAIN)
		return on_a_useless(qs, q, ev, &a);
	switch (a.kind) {
	case ANSWER_DATA:
		if (query_watches(q)) {
			query_note_late(qs, q, ev->now_ns);
			if (query_hold(qs, q, a.ttl, ev->now_ns))
				return 0;
		}
		return phase_a_data(qs, q, ev, &a);
	case ANSWER_OPEN:
		if (a.n_steps == 0)
			return on_a_useless(qs, q, ev, &a);
		if (!phase_carry_chain(qs, q, ev, &a))
			break;
		query_ask(qs, q, ev->now_ns);
		return 0;
	case ANSWER_NODATA:
		return on_a_useless(qs, q, ev, &a);
	case ANSWER_BROKEN:
		break;
	}
	if (q->aaaa_end == QUERY_AAAA_IGNORED) {
		q->reason = REASON_A_FAILED;
		return phase_ask_native(qs, q, ev);
	}
	return wait_for_aaaa(qs, q, ev) ? 0 : respond_fail(qs, q, ev);
}

/* AAAA and A have both failed: the stale NXDOMAIN is the answer (RULES D5). */
static size_t
on_gone(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->fallback = QUERY_STALE_NXDOMAIN_FINAL;
	q->n_steps = 0;
	query_drop_partial(qs, &q->chain);
	q->state = QUERY_AAAA;
	return query_fetch_stale(qs, q, ev->now_ns) ? 0 : respond_fail(qs, q, ev);
}

size_t
phase_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (ev->outcome == LOOKUP_REPLY)
		return on_a_reply(qs, q, ev);
	if (ev->outcome != LOOKUP_NO_ROOM && UNLIKELY(q->fallback == QUERY_STALE_NXDOMAIN))
		return on_gone(qs, q, ev);
	if (wait_for_aaaa(qs, q, ev))
		return 0;
	if (ev->outcome == LOOKUP_NO_ROOM)
		return respond_no_room(qs, q, ev);
	if (ev->outcome == LOOKUP_BOGUS)
		return respond_bogus(qs, q, ev);
	if (q->aaaa_end == QUERY_AAAA_IGNORED) {
		q->reason = REASON_A_FAILED;
		q->aaaa_end = QUERY_AAAA_FAILED; /* neither is AAAA to be had while all are down */
		return phase_ask_native(qs, q, ev);
	}
	if (ev->outcome == LOOKUP_ERROR && q->aaaa_end == QUERY_AAAA_EMPTY)
		return respond_upstream_error(qs, q, ev);
	return respond_fail(qs, q, ev);
}
