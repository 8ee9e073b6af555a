/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/phase.h"

#include "base/clock.h"
#include "core/reason.h"
#include "dns/answer.h"
#include "dns/name.h"
#include "dns/type.h"
#include "dns64/special.h"
#include "dns64/synth.h"
#include "engine/audit.h"
#include "engine/request.h"
#include "engine/respond.h"
#include "engine/svcb.h"
#include "policy/zonemap.h"

/* --- RELAY, SVCB, LOCAL --- */

/* Should addresses be added to this answer (RULES D18)? */
static bool
wants_addresses(struct queries *qs, struct query *q, const struct msg *m)
{
	enum policy_svcb svcb = query_policy(qs, q)->svcb;

	return type_row(q->req.qtype)->added == TYPE_ADDED_ADDRESSES &&
	    q->req.qclass == DNS_CLASS_IN && m->rcode == DNS_NOERROR && !q->req.do_bit &&
	    !q->req.signed_msg && svcb != POLICY_SVCB_OFF &&
	    (svcb == POLICY_SVCB_RESOLVE || qs->conf->cache != NULL);
}

/*
 * The reply to a question for AAAA without DNS64 is passed on: was it DNS64 that was lacking, or is
 * the reply an answer?
 */
static void
note_no_data(struct query *q, const struct msg *m)
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
	if (q->req.qtype == DNS_TYPE_AAAA)
		note_no_data(q, ev->msg);
	return ev->outcome == LOOKUP_REPLY && wants_addresses(qs, q, ev->msg) &&
	    svcb_begin(qs, q, ev->msg, ev->now_ns);
}

#define OVERLOOKED(type, number, form, check, kind, added) \
	+(TYPE_ADDED_##added != TYPE_ADDED_NOTHING && (number) < DNS_TYPE_AAAA)
/* pass_on looks closer at AAAA and higher numbers only, as most questions are for A. */
_Static_assert(0 TYPE_ROWS(OVERLOOKED) == 0,
    "a type with added addresses is below AAAA: lower pass_on's bound");

/* The reply is the answer. */
static size_t
pass_on(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->req.qtype >= DNS_TYPE_AAAA && q->state == QUERY_RELAY && look_closer(qs, q, ev))
		return 0;
	return respond_relay(qs, q, ev->msg, ev->out);
}

static size_t
give_added(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct msg m;

	svcb_view(qs, q, &m);
	return respond_relay(qs, q, &m, ev->out);
}

static size_t
give_local(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return respond_local(qs, q, ev->out);
}

/* --- HIDDEN: A from a client that may not see A records (RULES D17) --- */

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

static size_t
hide_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return respond_hidden(qs, q, ev->msg, ev->a, ev->out);
}

/* The reply has A records, but not at the end of the chain: leave them out. */
static size_t
hide_stray_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = REASON_HIDDEN_A;
	if (ev->outcome != LOOKUP_REPLY)
		return respond_error(qs, q, ev->rcode, ev->msg, ev->out);
	return ev->a->kind == ANSWER_BROKEN
	    ? respond_fail(qs, q, ev)
	    : respond_negative(qs, q, ev->msg, ev->a, query_negative_ttl(ev, ev->a), ev->out);
}

/* --- REVERSE --- */

static size_t
give_reverse(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return respond_reverse(qs, q, ev->msg, ev->a, ev->out);
}

/*
 * Without a PTR record a CNAME would be of no use (RFC 6147 section 5.3.1). The negative TTL is
 * upstream's.
 */
static size_t
give_reverse_none(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = REASON_REVERSE_NONE;
	return respond_empty(qs, q, ev->msg->rcode, query_negative_ttl(ev, ev->a), ev->out);
}

/* --- what the states that make DNS64 share --- */

/*
 * Append the reply's chain to the chain that Q follows (RULES D6). False: not possible, or a loop;
 * nothing changes.
 */
static bool
carry_chain(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct partial *p;
	struct answer whole;
	struct msg m;

	if (q->chain.n_steps == QUERY_MAX_STEPS)
		return false;
	p = partial_keep(&qs->partials, q->req.qname, q->chain.open, ev->msg, ev->a);
	if (p == NULL)
		return false;
	partial_view(p, ev->msg->qtype, &m, &whole);
	if (whole.kind == ANSWER_BROKEN) {
		query_drop_partial(qs, &p);
		return false;
	}
	if (UNLIKELY(q->chain.data != NULL) && q->chain.data->chain == NULL)
		q->chain.data->chain = q->chain.open;
	else
		query_drop_partial(qs, &q->chain.open);
	q->chain.open = p;
	q->chain.n_steps++;
	stats_inc(&qs->stats->chain_steps);
	return true;
}

/* The chain ends at a special name, about which is known here what to say (RULES D17). */
static size_t
give_special(struct queries *qs, struct query *q, const struct query_event *ev)
{
	enum special kind = (enum special)ev->special;
	enum special_answer answer = special_decide(kind, ev->zone_at == 0, q->req.qtype);

	q->reason = (uint8_t)request_special_reason(kind);
	return respond_special_end(qs, q, ev, ev->a, answer, ev->zone_at);
}

/* The real AAAA are the answer; if the reply was truncated, some of them and TC. */
static size_t
give_usable(struct queries *qs, struct query *q, const struct query_event *ev)
{
	stats_inc(&qs->stats->aaaa_native);
	q->reason = REASON_NATIVE;
	if (UNLIKELY(ev->usable.n_excluded > 0)) {
		q->reason = REASON_NATIVE_FILTERED;
		stats_inc(&qs->stats->aaaa_filtered);
	}
	if (ev->usable.n_excluded == 0 && q->chain.open == NULL)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_native(qs, q, ev->msg, ev->a, ev->out);
}

/* --- AAAA --- */

/* A was of no use, and then AAAA, which was waited for, failed too (RULES D2). */
static __attribute__((noinline)) size_t
give_up(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct query_event last = *ev;

	last.outcome = (enum lookup_outcome)q->aaaa.a_outcome;
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
	q->stale = q->aaaa.how == QUERY_AAAA_EMPTY;
	if (q->stale && ev->stale)
		q->aaaa.empty_ttl = FETCH_STALE_TTL;
}

/* The AAAA phase ended with END, which is WHY there may be synthesis: ask for A (RULES D6). */
static inline __attribute__((always_inline)) size_t
ask_a_after(struct queries *qs, struct query *q, enum query_aaaa end, enum reason why, uint32_t ttl,
    const struct query_event *ev)
{
	bool empty = end == QUERY_AAAA_EMPTY;

	if (UNLIKELY(q->aaaa.fallback != QUERY_NO_FALLBACK || q->aaaa.late != LATE_NONE)) {
		if (q->aaaa.fallback == QUERY_STALE_NXDOMAIN_FINAL) /* A has been asked already */
			return respond_fail(qs, q, ev);
		if (q->aaaa.late == LATE_AWAITED) {
			query_take_late(qs, q, empty ? LATE_ON_EMPTY : LATE_ON_FAILED);
			if (!empty)
				return give_up(qs, q, ev);
		}
	}
	q->reason = (uint8_t)why;
	q->aaaa.how = (uint8_t)end;
	q->aaaa.empty_ttl = ttl;
	q->aaaa.empty_at_ns = ev->now_ns;
	q->chain.n_steps = 0;
	if (UNLIKELY(q->stale))
		rest_on_stale(q, ev);
	if (UNLIKELY(q->chain.open != NULL))
		query_drop_partial(qs, &q->chain.open);
	q->state = QUERY_A;
	return query_ask(qs, q, ev->now_ns);
}

/*
 * AAAA is empty and A is not asked: NODATA. TTL: s, of its SOA. NO_PREFIX: no prefix is active
 * (RULES D15), for which policy may want SERVFAIL.
 */
static size_t
give_nodata(
    struct queries *qs, struct query *q, const struct query_event *ev, uint32_t ttl, bool no_prefix)
{
	const struct policy *p = query_policy(qs, q);

	q->reason = no_prefix ? REASON_NO_PREFIX : REASON_NOT_ON_NODATA;
	if (no_prefix) {
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
end_empty(struct queries *qs, struct query *q, const struct query_event *ev)
{
	const struct policy *p = query_policy(qs, q);
	uint32_t ttl = ev->a->has_soa ? ev->a->negative_ttl : SYNTH_NO_SOA_TTL;
	bool no_prefix = p->synth.active_bits == 0;
	enum reason why = REASON_SYNTH_NO_AAAA;

	if (ev->usable.excluded_ttl < UINT32_MAX) {
		q->insecure = true; /* leaving records out invalidates AD */
		why = REASON_SYNTH_EXCLUDED;
	}
	if (ev->usable.excluded_ttl < ttl)
		ttl = ev->usable.excluded_ttl;
	q->aaaa.reply = partial_keep(&qs->partials, q->req.qname, q->chain.open, ev->msg, ev->a);
	if (no_prefix || !(p->triggers & POLICY_ON_NODATA))
		return give_nodata(qs, q, ev, ttl, no_prefix);
	return ask_a_after(qs, q, QUERY_AAAA_EMPTY, why, ttl, ev);
}

/* AAAA failed, and is not known to be empty: A is asked for. WHY: the reason. */
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

/* An error or a truncated reply counts as empty, unless policy says otherwise (RULES D3). */
static size_t
end_failed(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (!triggers(qs, q, POLICY_ON_ERROR))
		return respond_fail(qs, q, ev);
	return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
}

static size_t
end_error(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (!triggers(qs, q, POLICY_ON_ERROR))
		return respond_upstream_error(qs, q, ev);
	return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
}

/*
 * Silence counts as a failure, unless policy says otherwise (RULES D3): then a late AAAA is waited
 * for.
 */
static size_t
end_silent(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (triggers(qs, q, POLICY_ON_TIMEOUT))
		return ask_a(qs, q, REASON_SYNTH_TIMEOUT, ev);
	if (!query_watches(q))
		return respond_fail(qs, q, ev);
	query_take_late(qs, q, LATE_ON_FORBIDDEN);
	return 0;
}

static size_t
follow_aaaa(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return carry_chain(qs, q, ev) ? query_ask(qs, q, ev->now_ns) : end_failed(qs, q, ev);
}

/* The name does not exist, so it has no A either (RFC 6147 section 5.1.2). */
static size_t
end_nxdomain(struct queries *qs, struct query *q, const struct query_event *ev)
{
	/* A stale NXDOMAIN is the answer only if A fails too (RULES D5). */
	if (UNLIKELY(ev->stale) && q->aaaa.fallback != QUERY_STALE_NXDOMAIN_FINAL &&
	    triggers(qs, q, POLICY_ON_ERROR)) {
		if (q->aaaa.fallback == QUERY_NO_FALLBACK)
			q->aaaa.fallback = QUERY_STALE_NXDOMAIN;
		return ask_a(qs, q, REASON_SYNTH_FAILED, ev);
	}
	q->reason = REASON_NXDOMAIN;
	if (q->chain.open == NULL)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_negative(qs, q, ev->msg, ev->a, query_negative_ttl(ev, ev->a), ev->out);
}

/* --- NATIVE --- */

/*
 * A gives nothing to map, and what upstream says of AAAA was ignored, or not kept: ask for the real
 * AAAA (RULES D8, D13), which are the answer, whatever they are.
 */
static size_t
ask_native(struct queries *qs, struct query *q, const struct query_event *ev)
{
	query_drop_partial(qs, &q->chain.open);
	q->state = QUERY_NATIVE;
	return query_ask(qs, q, ev->now_ns);
}

static size_t
give_native_none(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return respond_negative(qs, q, ev->msg, ev->a, query_negative_ttl(ev, ev->a), ev->out);
}

static size_t
give_native_nxdomain(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = REASON_NXDOMAIN;
	return respond_relay(qs, q, ev->msg, ev->out);
}

/* --- A --- */

/* The TTL of the AAAA phase, less the s since its end. */
static uint32_t
remaining_ttl(const struct query *q, uint64_t now_ns)
{
	uint32_t gone = clock_s(now_ns - q->aaaa.empty_at_ns);

	return gone < q->aaaa.empty_ttl ? q->aaaa.empty_ttl - gone : 0;
}

/* A is of no use, but AAAA is only late: wait for it (RULES D5). False: it is not late, or Q's time
 * is up. */
static inline bool
wait_for_aaaa(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (!query_watches(q) || ev->now_ns >= q->deadline_ns)
		return false;
	q->aaaa.fallback = QUERY_NO_FALLBACK; /* what A gave is */
	q->aaaa.a_outcome = (uint8_t)ev->outcome;
	query_take_late(qs, q, LATE_ON_USELESS);
	return true;
}

/* Why the reply to A gives nothing to synthesize from. */
static enum reason
why_unusable(struct queries *qs, struct query *q, const struct query_event *ev)
{
	const struct synth_policy *p = &query_policy(qs, q)->synth;

	if (ev->msg->rcode == DNS_NXDOMAIN)
		return q->aaaa.how == QUERY_AAAA_FAILED ? REASON_NXDOMAIN : REASON_A_NXDOMAIN;
	if (ev->a->kind != ANSWER_DATA)
		return REASON_NO_A;
	switch (synth_first(p, ev->msg, ev->a)) {
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

/*
 * A gave nothing to synthesize from, and AAAA was ignored or failed: nobody said that there is none
 * (RULES D2).
 */
static size_t
find_neither(struct queries *qs, struct query *q, const struct query_event *ev)
{
	bool gone = ev->msg->rcode == DNS_NXDOMAIN;

	/* A name that does not exist has no AAAA either. */
	if (!gone && wait_for_aaaa(qs, q, ev))
		return 0;
	q->reason = (uint8_t)why_unusable(qs, q, ev);
	if (q->aaaa.how == QUERY_AAAA_IGNORED)
		return ask_native(qs, q, ev);
	stats_inc(&qs->stats->synth_none);
	if (gone)
		return respond_negative(
		    qs, q, ev->msg, ev->a, query_negative_ttl(ev, ev->a), ev->out);
	q->reason = REASON_AAAA_FAILED; /* NODATA would be a guess */
	return respond_fail(qs, q, ev);
}

/* A gave nothing to synthesize from: the answer depends on how AAAA ended (RULES D2). */
static size_t
find_none(struct queries *qs, struct query *q, const struct query_event *ev)
{
	const struct answer *a = ev->a;
	uint32_t ttl = remaining_ttl(q, ev->now_ns), least = ttl;

	if (q->aaaa.how != QUERY_AAAA_EMPTY)
		return find_neither(qs, q, ev);
	q->reason = (uint8_t)why_unusable(qs, q, ev);
	stats_inc(&qs->stats->synth_none);
	/* The proof of AAAA's NODATA was too long to keep; the cache mostly has all of it (RULES
	 * D8). */
	if (UNLIKELY(q->req.do_bit) && q->aaaa.reply != NULL && q->aaaa.reply->cut)
		return ask_native(qs, q, ev);
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
	    q->aaaa.how == QUERY_AAAA_IGNORED ? SYNTH_NO_SOA_TTL : remaining_ttl(q, now_ns);

	if (UNLIKELY(q->chain.data != NULL)) {
		uint32_t gone = clock_s(now_ns - q->chain.data->at_ns);
		uint32_t left = gone < a->ttl ? a->ttl - gone : 0;

		ttl = left < ttl ? left : ttl;
	}
	return ttl;
}

/* Do the chains of the AAAA and the A reply end at different names (RULES D6)? */
static bool
ends_elsewhere(const struct query *q, const struct answer *a)
{
	struct answer kept;
	struct msg m;

	partial_view(q->aaaa.reply, DNS_TYPE_AAAA, &m, &kept);
	return kept.kind != ANSWER_BROKEN && !name_equal(kept.target, a->target);
}

/*
 * If the chains of the AAAA and the A reply end at different names (RULES D6), keep the A records:
 * AAAA of the A chain's last name is to be asked. False: the same name, TARGET was tried already,
 * or no room.
 */
static bool
begins_target(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct partial_data *d;

	if (q->chain.targeted || q->aaaa.how != QUERY_AAAA_EMPTY || q->aaaa.reply == NULL ||
	    !ends_elsewhere(q, ev->a))
		return false;
	d = partial_keep_data(&qs->data, ev->msg, ev->a, ev->now_ns);
	q->chain.targeted = true;
	q->chain.n_steps = 0;
	if (d == NULL)
		return false;
	if (!carry_chain(qs, q, ev)) {
		pool_give(&qs->data, d);
		return false;
	}
	q->chain.data = d;
	q->state = QUERY_TARGET;
	return true;
}

/* Synthesize from the A records of the reply, or begin TARGET. */
static size_t
use_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	const struct answer *a = ev->a;
	bool chained = a->n_steps > 0 || q->chain.open != NULL;
	size_t len;

	if (UNLIKELY(chained) && begins_target(qs, q, ev))
		return query_ask(qs, q, ev->now_ns);
	len = respond_synth(qs, q, ev->msg, a, synthesized_ttl(q, a, ev->now_ns), ev->out);
	if (len == 0)
		return find_none(qs, q, ev);
	if (UNLIKELY(q->aaaa.how == QUERY_AAAA_FAILED))
		stats_inc(&qs->stats->synthesized_failed);
	if (UNLIKELY(q->stale))
		stats_inc(&qs->stats->synthesized_stale);
	return len;
}

/* A has data. If AAAA is late but may still come, the answer is held for a tick (RULES D5). */
static size_t
take_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (query_watches(q)) {
		query_note_late(qs, q, ev->now_ns);
		if (query_hold(qs, q, ev->a->ttl, ev->now_ns))
			return 0;
	}
	return use_a(qs, q, ev);
}

static size_t
take_a_broken(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->aaaa.how == QUERY_AAAA_IGNORED) {
		q->reason = REASON_A_FAILED;
		return ask_native(qs, q, ev);
	}
	return wait_for_aaaa(qs, q, ev) ? 0 : respond_fail(qs, q, ev);
}

static size_t
follow_a(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return carry_chain(qs, q, ev) ? query_ask(qs, q, ev->now_ns) : take_a_broken(qs, q, ev);
}

/* AAAA and A have both failed: the stale NXDOMAIN is the answer (RULES D5). */
static size_t
fall_back(struct queries *qs, struct query *q, const struct query_event *ev)
{
	size_t hit;

	q->aaaa.fallback = QUERY_STALE_NXDOMAIN_FINAL;
	q->chain.n_steps = 0;
	query_drop_partial(qs, &q->chain.open);
	q->state = QUERY_AAAA;
	return query_fetch_stale(qs, q, &hit, ev->now_ns) ? hit : respond_fail(qs, q, ev);
}

static size_t
take_a_failed(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (UNLIKELY(q->aaaa.fallback == QUERY_STALE_NXDOMAIN))
		return fall_back(qs, q, ev);
	if (wait_for_aaaa(qs, q, ev))
		return 0;
	if (q->aaaa.how != QUERY_AAAA_IGNORED)
		return respond_fail(qs, q, ev);
	q->reason = REASON_A_FAILED;
	q->aaaa.how = QUERY_AAAA_FAILED; /* AAAA would fail too */
	return ask_native(qs, q, ev);
}

/* Upstream's error for A is the answer if there is no AAAA; else A has failed (RULES D2). */
static size_t
take_a_error(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->aaaa.how != QUERY_AAAA_EMPTY || UNLIKELY(q->aaaa.fallback == QUERY_STALE_NXDOMAIN))
		return take_a_failed(qs, q, ev);
	return wait_for_aaaa(qs, q, ev) ? 0 : respond_upstream_error(qs, q, ev);
}

static size_t
take_a_bogus(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (UNLIKELY(q->aaaa.fallback == QUERY_STALE_NXDOMAIN))
		return fall_back(qs, q, ev);
	return wait_for_aaaa(qs, q, ev) ? 0 : respond_bogus(qs, q, ev);
}

static size_t
take_a_no_room(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return wait_for_aaaa(qs, q, ev) ? 0 : respond_no_room(qs, q, ev);
}

/* --- TARGET: AAAA of the last name of A's chain, else the kept A (RULES D6) --- */

/* Synthesize from the A records that were kept when TARGET began. */
static size_t
use_a_at_hand(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct query_event kept = *ev;
	struct answer a;
	struct msg m;

	partial_view_data(q->chain.data, &m);
	answer_scan(&m, DNS_TYPE_A, &a);
	if (q->chain.data->chain != NULL) {
		query_drop_partial(qs, &q->chain.open);
		q->chain.open = q->chain.data->chain;
		q->chain.data->chain = NULL;
	}
	kept.outcome = LOOKUP_REPLY;
	kept.msg = &m;
	kept.a = &a;
	q->state = QUERY_A;
	return use_a(qs, q, &kept);
}

/* TARGET found no AAAA, which holds for TTL s. */
static size_t
end_target(struct queries *qs, struct query *q, const struct query_event *ev, uint32_t ttl)
{
	if (ttl < remaining_ttl(q, ev->now_ns)) {
		q->aaaa.empty_ttl = ttl;
		q->aaaa.empty_at_ns = ev->now_ns;
	}
	return use_a_at_hand(qs, q, ev);
}

static size_t
take_no_target(struct queries *qs, struct query *q, const struct query_event *ev)
{
	uint32_t ttl = ev->a->has_soa ? query_negative_ttl(ev, ev->a) : SYNTH_NO_SOA_TTL;

	if (ev->usable.excluded_ttl < ttl)
		ttl = ev->usable.excluded_ttl;
	return end_target(qs, q, ev, ttl);
}

static size_t
follow_target(struct queries *qs, struct query *q, const struct query_event *ev)
{
	return carry_chain(qs, q, ev) ? query_ask(qs, q, ev->now_ns) : take_no_target(qs, q, ev);
}

static size_t
miss_target(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->insecure = true; /* the absence of AAAA is not validated (RULES D9) */
	return end_target(qs, q, ev, SYNTH_FAILED_TTL);
}

/* --- which event it is, and what it does --- */

typedef size_t step(struct queries *qs, struct query *q, const struct query_event *ev);

#define STEP(STATE, EVENT, function, to, words) [QUERY_##STATE][EVENT_##EVENT] = function,
/* Where there is no row it is SERVFAIL: filled in here, as a test for each event would cost. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Wpedantic"
static step *const steps[QUERY_N_STATES][STATE_EVENTS_CAP] = {
	[0 ... QUERY_N_STATES - 1] = { [0 ... STATE_EVENTS_CAP - 1] = respond_fail },
	STATE_ROWS(STEP)
};
#pragma GCC diagnostic pop

/* What comes of a lookup is an event by itself, unless its reply says more. */
_Static_assert((int)EVENT_REPLY == (int)LOOKUP_REPLY && (int)EVENT_CUT == (int)LOOKUP_TRUNCATED &&
	(int)EVENT_ERROR == (int)LOOKUP_ERROR && (int)EVENT_BOGUS == (int)LOOKUP_BOGUS &&
	(int)EVENT_SILENT == (int)LOOKUP_SILENT && (int)EVENT_NO_ROOM == (int)LOOKUP_NO_ROOM,
    "outcomes are the first events");

/* The event that a whole reply is: by its rcode and by what the end of its chain has. */
static inline enum state_event
event_of_end(const struct query_event *ev)
{
	static const uint8_t of_kind[] = { [ANSWER_DATA] = EVENT_DATA,
		[ANSWER_NODATA] = EVENT_NODATA,
		[ANSWER_OPEN] = EVENT_NODATA,
		[ANSWER_BROKEN] = EVENT_BROKEN };

	if (UNLIKELY(ev->msg->rcode == DNS_NXDOMAIN))
		return EVENT_NXDOMAIN;
	if (UNLIKELY(ev->a->n_steps > 0) && ev->a->kind == ANSWER_OPEN)
		return EVENT_CHAIN;
	return (enum state_event)of_kind[ev->a->kind];
}

/*
 * Does the chain of the reply end at a name that is answered here (RULES D17)? At ipv4only.arpa
 * whatever upstream says of it, at others if upstream says nothing.
 */
static __attribute__((noinline)) bool
ends_special(struct queries *qs, struct query_event *ev)
{
	const struct answer *a = ev->a;
	struct zonemap_path path;

	zonemap_path(&path, a->target, name_len(a->target));
	ev->special = zonemap_find(qs->conf->policies->common.special, &path, &ev->zone_at);
	return ev->special != ZONEMAP_NONE && ev->special != SPECIAL_LOCAL_ZONE &&
	    a->kind != ANSWER_BROKEN &&
	    (ev->special == SPECIAL_IPV4ONLY ||
		(a->kind == ANSWER_OPEN && ev->msg->rcode == DNS_NOERROR));
}

/* The reply has AAAA: EVENT, or EVENT_EXCLUDED if it is EVENT_DATA and policy excludes them all. */
static enum state_event
less_excluded(struct queries *qs, struct query *q, struct query_event *ev, enum state_event event)
{
	synth_count_usable(&query_policy(qs, q)->synth, ev->msg, ev->a, &ev->usable);
	return event == EVENT_DATA && ev->usable.n_usable == 0 ? EVENT_EXCLUDED : event;
}

/* A reply that is truncated or an error: its outcome, or EVENT_PART if it is cut and has usable
 * AAAA. */
static __attribute__((noinline)) enum state_event
event_of_failure(const struct query_event *ev, enum state_event event)
{
	if (ev->outcome == LOOKUP_TRUNCATED && event == EVENT_DATA && ev->msg->rcode == DNS_NOERROR)
		return EVENT_PART;
	return (enum state_event)ev->outcome;
}

/*
 * The event that a reply is in AAAA, TARGET or NATIVE. Fills in *A, ev->usable and, for
 * EVENT_SPECIAL, ev->special and zone_at.
 */
static inline __attribute__((always_inline)) enum state_event
read_aaaa(struct queries *qs, struct query *q, struct query_event *ev, struct answer *a)
{
	enum state_event event;

	answer_scan(ev->msg, DNS_TYPE_AAAA, a);
	ev->usable.excluded_ttl = UINT32_MAX;
	event = event_of_end(ev);
	if (a->kind == ANSWER_DATA)
		event = less_excluded(qs, q, ev, event);
	if (UNLIKELY(ev->outcome != LOOKUP_REPLY))
		return event_of_failure(ev, event);
	if (UNLIKELY(a->n_steps > 0) && q->state != QUERY_NATIVE && ends_special(qs, ev))
		return EVENT_SPECIAL;
	return event;
}

/* The event that a reply is in A; *A is its chain. */
static inline __attribute__((always_inline)) enum state_event
read_a(struct queries *qs, struct query_event *ev, struct answer *a)
{
	answer_scan(ev->msg, DNS_TYPE_A, a);
	if (UNLIKELY(ev->outcome != LOOKUP_REPLY))
		return (enum state_event)ev->outcome;
	if (UNLIKELY(a->n_steps > 0) && ends_special(qs, ev))
		return EVENT_SPECIAL;
	return event_of_end(ev);
}

/* The event that a reply is in REVERSE. */
static __attribute__((noinline)) enum state_event
read_ptr(struct query_event *ev, struct answer *a)
{
	answer_scan(ev->msg, DNS_TYPE_PTR, a);
	return ev->outcome == LOOKUP_REPLY ? event_of_end(ev) : (enum state_event)ev->outcome;
}

/* The event that a reply is in HIDDEN. */
static __attribute__((noinline)) enum state_event
read_hidden(struct query_event *ev, struct answer *a)
{
	answer_scan(ev->msg, DNS_TYPE_A, a);
	if (a->kind == ANSWER_DATA && ev->msg->rcode == DNS_NOERROR)
		return EVENT_DATA;
	return has_any_a(ev->msg) ? EVENT_STRAY : (enum state_event)ev->outcome;
}

/* The event that the reply in EV is. Scans it into *A, which EV borrows. */
static inline __attribute__((always_inline)) enum state_event
read_event(struct queries *qs, struct query *q, struct query_event *ev, struct answer *a)
{
	ev->a = a;
	switch ((enum query_state)q->state) {
	case QUERY_AAAA:
	case QUERY_TARGET:
	case QUERY_NATIVE:
		return read_aaaa(qs, q, ev, a);
	case QUERY_A:
		return read_a(qs, ev, a);
	case QUERY_HIDDEN:
		return read_hidden(ev, a);
	case QUERY_REVERSE:
		return read_ptr(ev, a);
	case QUERY_RELAY:
	case QUERY_SVCB:
	case QUERY_LOCAL:
		break;
	}
	return (enum state_event)ev->outcome;
}

/* Call the function of the row. With ENGINE_AUDIT (tests) audit_step checks where it led. */
static inline size_t
make_step(struct queries *qs, struct query *q, const struct query_event *ev, enum state_event event)
{
	enum query_state from = (enum query_state)q->state;
	size_t len = steps[from][event](qs, q, ev);

#ifdef ENGINE_AUDIT
	audit_step(from, event, len > 0 ? TO_ANSWER : 1u << q->state);
#endif
	return len;
}

size_t
phase_take(struct queries *qs, struct query *q, const struct lookup_result *result, bool stale,
    const struct query_out *out, uint64_t now_ns)
{
	enum state_event event = (enum state_event)q->came.outcome;
	struct query_event ev;
	struct answer a;

	/* a, usable, special and zone_at are set by read_event, for events that a reply gives. */
	ev.outcome = q->came.outcome;
	ev.rcode = q->came.rcode;
	ev.msg = q->came.with_msg ? result->msg : NULL;
	ev.out = out;
	ev.now_ns = now_ns;
	ev.stale = stale;
	if (ev.msg != NULL) {
		if (!(result->trusted && ev.msg->flags & DNS_AD))
			q->insecure = true;
		if (q->state == QUERY_AAAA && ev.outcome == LOOKUP_REPLY)
			q->aaaa.upstream = result->upstream;
		if (q->state != QUERY_RELAY)
			event = read_event(qs, q, &ev, &a);
	}
	return make_step(qs, q, &ev, event);
}
