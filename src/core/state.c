/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/state.h"

#include "base/clock.h"
#include "core/respond.h"
#include "dns/answer.h"
#include "dns/name.h"
#include "dns64/synth.h"

/* --- what the states share --- */

/* One event: the outcome at hand and where the answer goes. */
struct event {
	enum lookup_outcome outcome;
	uint16_t rcode;
	const struct msg *msg; /* NULL without a reply */
	const struct query_out *out;
	uint64_t now_ns;
};

/* SERVFAIL. Extended errors say which trouble with upstream it is (RFC 8914 section 4). */
static size_t
fail(struct queries *qs, struct query *q, const struct event *ev)
{
	struct respond_reason why = { .ede = DNS_EDE_NETWORK_ERROR, .msg = ev->msg };

	if (ev->outcome == LOOKUP_SILENT)
		why.ede = DNS_EDE_NO_REACHABLE_AUTHORITY;
	return respond_error(qs, q, DNS_SERVFAIL, &why, ev->out);
}

/* The best error of all upstreams, as it came if it is at hand. */
static size_t
give_error(struct queries *qs, struct query *q, const struct event *ev)
{
	/* A reply about another name or type cannot be passed on as it is. */
	bool same = ev->msg != NULL && ev->msg->qtype == q->qtype && q->chain == NULL &&
		    q->state != QUERY_REVERSE;
	const struct respond_reason why = { .ede = DNS_EDE_NONE, .msg = ev->msg };

	if (same)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_error(qs, q, ev->rcode, &why, ev->out);
}

static size_t
give_bogus(struct queries *qs, struct query *q, const struct event *ev)
{
	stats_inc(&qs->stats->bogus);
	return ev->msg != NULL ? give_error(qs, q, ev) : fail(qs, q, ev);
}

/* Go on with the chain of the reply at hand as what is followed. False: it cannot be carried. */
static bool
carry_chain(struct queries *qs, struct query *q, const struct event *ev, const struct answer *a)
{
	struct remnant *r;

	if (q->n_steps == QUERY_MAX_STEPS)
		return false;
	r = remnant_keep(&qs->remnants, q->qname, q->chain, ev->msg, a);
	if (r == NULL)
		return false;
	query_drop_remnant(qs, &q->chain);
	q->chain = r;
	q->n_steps++;
	stats_inc(&qs->stats->chain_steps);
	return true;
}

/* --- the states --- */

static size_t
on_relay(struct queries *qs, struct query *q, const struct event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
	case LOOKUP_TRUNCATED:
		return respond_relay(qs, q, ev->msg, ev->out);
	case LOOKUP_ERROR:
		return give_error(qs, q, ev);
	case LOOKUP_BOGUS:
		return ev->msg != NULL ? respond_relay(qs, q, ev->msg, ev->out) : fail(qs, q, ev);
	case LOOKUP_SILENT:
		break;
	}
	return fail(qs, q, ev);
}

/* The AAAA phase is over: ask for A of the client's name (rules.md D6). */
static size_t
ask_a(
    struct queries *qs, struct query *q, enum query_aaaa end, uint32_t ttl, const struct event *ev)
{
	q->aaaa_end = (uint8_t)end;
	q->empty_ttl = ttl;
	q->empty_at_ns = ev->now_ns;
	query_drop_remnant(qs, &q->chain);
	q->state = QUERY_A;
	query_ask(qs, q, q->qname, DNS_TYPE_A, ev->now_ns);
	return 0;
}

/* There is no AAAA, and A is not asked for. */
static size_t
give_nodata(struct queries *qs, struct query *q, const struct event *ev, uint32_t ttl, bool down)
{
	const struct policy *p = query_policy(qs, q);
	struct respond_reason why = { .ede = DNS_EDE_NONE, .msg = ev->msg };

	if (down) {
		stats_inc(&qs->stats->no_prefix);
		why.ede = DNS_EDE_OTHER;
		why.text = "no NAT64 prefix is active";
		if (p->servfail_without_prefix)
			return respond_error(qs, q, DNS_SERVFAIL, &why, ev->out);
	}
	return respond_nodata(qs, q, &why, ttl, ev->out);
}

/* No usable AAAA: keep what a negative answer may need (rules.md D2). */
static size_t
on_aaaa_empty(struct queries *qs, struct query *q, const struct event *ev, const struct answer *a,
    uint32_t excluded_ttl)
{
	const struct policy *p = query_policy(qs, q);
	uint32_t ttl = a->has_soa ? a->negative_ttl : SYNTH_NO_SOA_TTL;
	bool down = p->active_bits == 0;

	if (excluded_ttl < UINT32_MAX)
		q->insecure = true; /* nobody vouches for what we leave out */
	if (excluded_ttl < ttl)
		ttl = excluded_ttl;
	q->aaaa = remnant_keep(&qs->remnants, q->qname, q->chain, ev->msg, a);
	if (down || !(p->triggers & POLICY_ON_NODATA))
		return give_nodata(qs, q, ev, ttl, down);
	return ask_a(qs, q, QUERY_AAAA_EMPTY, ttl, ev);
}

/* Does an AAAA phase that ended so make us ask for A (rules.md D3)? */
static bool
triggers(struct queries *qs, struct query *q, enum policy_trigger trigger)
{
	const struct policy *p = query_policy(qs, q);

	return p->active_bits != 0 && p->triggers & trigger;
}

static size_t
on_aaaa_data(struct queries *qs, struct query *q, const struct event *ev, const struct answer *a)
{
	struct synth_usable usable;

	respond_count_usable(qs, q, ev->msg, a, &usable);
	if (usable.n_usable == 0)
		return on_aaaa_empty(qs, q, ev, a, usable.excluded_ttl);
	stats_inc(&qs->stats->aaaa_native);
	if (usable.n_excluded > 0)
		stats_inc(&qs->stats->aaaa_filtered);
	if (usable.n_excluded == 0 && q->chain == NULL)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_native(qs, q, ev->msg, a, ev->out);
}

static size_t
on_aaaa_reply(struct queries *qs, struct query *q, const struct event *ev)
{
	struct answer a;

	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	if (ev->msg->rcode == DNS_NXDOMAIN) {
		/* The name does not exist: no A either (RFC 6147 section 5.1.2). */
		if (q->chain == NULL)
			return respond_relay(qs, q, ev->msg, ev->out);
		return respond_negative(qs, q, ev->msg, &a, DNS_NXDOMAIN, ev->out);
	}
	switch (a.kind) {
	case ANSWER_DATA:
		return on_aaaa_data(qs, q, ev, &a);
	case ANSWER_NODATA:
		return on_aaaa_empty(qs, q, ev, &a, UINT32_MAX);
	case ANSWER_OPEN:
		if (a.n_steps == 0)
			return on_aaaa_empty(qs, q, ev, &a, UINT32_MAX);
		if (!carry_chain(qs, q, ev, &a))
			break;
		query_ask(qs, q, a.target, DNS_TYPE_AAAA, ev->now_ns);
		return 0;
	case ANSWER_BROKEN:
		break;
	}
	if (!triggers(qs, q, POLICY_ON_ERROR))
		return fail(qs, q, ev);
	return ask_a(qs, q, QUERY_AAAA_FAILED, SYNTH_FAILED_TTL, ev);
}

/* An error or silence counts as empty (RFC 6147 sections 5.1.2 and 5.1.3), if policy wants. */
static size_t
on_aaaa(struct queries *qs, struct query *q, const struct event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
		return on_aaaa_reply(qs, q, ev);
	case LOOKUP_BOGUS:
		return give_bogus(qs, q, ev);
	case LOOKUP_ERROR:
		if (!triggers(qs, q, POLICY_ON_ERROR))
			return give_error(qs, q, ev);
		break;
	case LOOKUP_SILENT:
	case LOOKUP_TRUNCATED:
		if (!triggers(qs, q, POLICY_ON_TIMEOUT))
			return fail(qs, q, ev);
		break;
	}
	return ask_a(qs, q, QUERY_AAAA_FAILED, SYNTH_FAILED_TTL, ev);
}

/* What remains of the AAAA phase's TTL after the time that A took. */
static uint32_t
remaining_ttl(const struct query *q, uint64_t now_ns)
{
	uint64_t gone = (now_ns - q->empty_at_ns) / NS_PER_SEC;

	return gone < q->empty_ttl ? q->empty_ttl - (uint32_t)gone : 0;
}

/* AAAA was ignored, but A is of no use: the real AAAA are the answer (rules.md D13). */
static size_t
ask_native(struct queries *qs, struct query *q, const struct event *ev)
{
	query_drop_remnant(qs, &q->chain);
	q->state = QUERY_NATIVE;
	query_ask(qs, q, q->qname, DNS_TYPE_AAAA, ev->now_ns);
	return 0;
}

/* A gave nothing to synthesize from: rules.md D2, all but its first column. */
static size_t
on_a_useless(struct queries *qs, struct query *q, const struct event *ev, const struct answer *a)
{
	const struct respond_reason why = { .ede = DNS_EDE_NONE, .msg = ev->msg };
	uint32_t ttl = remaining_ttl(q, ev->now_ns);

	if (q->aaaa_end == QUERY_AAAA_IGNORED)
		return ask_native(qs, q, ev);
	stats_inc(&qs->stats->synth_none);
	if (q->aaaa_end == QUERY_AAAA_FAILED) {
		if (ev->msg->rcode == DNS_NXDOMAIN)
			return respond_negative(qs, q, ev->msg, a, DNS_NXDOMAIN, ev->out);
		/* "No AAAA" was never said: NODATA would be a guess. */
		return fail(qs, q, ev);
	}
	if (a->kind == ANSWER_DATA && a->ttl < ttl)
		ttl = a->ttl;
	else if (a->kind != ANSWER_DATA && a->has_soa && a->negative_ttl < ttl)
		ttl = a->negative_ttl;
	return respond_nodata(qs, q, &why, ttl, ev->out);
}

/* Do the chains of the AAAA and the A reply end at different names (rules.md D6)? */
static bool
ends_elsewhere(const struct query *q, const struct answer *a)
{
	struct answer kept;
	struct msg m;

	bool chained = a->n_steps > 0 || q->chain != NULL;

	if (!chained || q->targeted || q->aaaa_end != QUERY_AAAA_EMPTY || q->aaaa == NULL)
		return false;
	remnant_view(q->aaaa, DNS_TYPE_AAAA, &m, &kept);
	return kept.kind != ANSWER_BROKEN && !name_equal(kept.target, a->target);
}

static size_t
on_a_data(struct queries *qs, struct query *q, const struct event *ev, const struct answer *a)
{
	uint32_t ttl = q->aaaa_end == QUERY_AAAA_IGNORED ? SYNTH_NO_SOA_TTL
							 : remaining_ttl(q, ev->now_ns);

	if (ends_elsewhere(q, a)) {
		q->targeted = true;
		if (carry_chain(qs, q, ev, a)) {
			q->state = QUERY_TARGET;
			query_ask(qs, q, a->target, DNS_TYPE_AAAA, ev->now_ns);
			return 0;
		}
	}
	if (!respond_can_map(qs, q, ev->msg, a))
		return on_a_useless(qs, q, ev, a);
	stats_inc(&qs->stats->synthesized);
	if (q->aaaa_end == QUERY_AAAA_FAILED)
		stats_inc(&qs->stats->synthesized_failed);
	return respond_synth(qs, q, ev->msg, a, ttl, ev->out);
}

static size_t
on_a_reply(struct queries *qs, struct query *q, const struct event *ev)
{
	struct answer a;

	answer_scan(ev->msg, DNS_TYPE_A, &a);
	if (ev->msg->rcode == DNS_NXDOMAIN)
		return on_a_useless(qs, q, ev, &a);
	switch (a.kind) {
	case ANSWER_DATA:
		return on_a_data(qs, q, ev, &a);
	case ANSWER_OPEN:
		if (a.n_steps == 0)
			return on_a_useless(qs, q, ev, &a);
		if (!carry_chain(qs, q, ev, &a))
			break;
		query_ask(qs, q, a.target, DNS_TYPE_A, ev->now_ns);
		return 0;
	case ANSWER_NODATA:
		return on_a_useless(qs, q, ev, &a);
	case ANSWER_BROKEN:
		break;
	}
	return q->aaaa_end == QUERY_AAAA_IGNORED ? ask_native(qs, q, ev) : fail(qs, q, ev);
}

static size_t
on_a(struct queries *qs, struct query *q, const struct event *ev)
{
	if (ev->outcome == LOOKUP_REPLY)
		return on_a_reply(qs, q, ev);
	if (ev->outcome == LOOKUP_BOGUS)
		return give_bogus(qs, q, ev);
	if (q->aaaa_end == QUERY_AAAA_IGNORED)
		return ask_native(qs, q, ev);
	if (ev->outcome == LOOKUP_ERROR && q->aaaa_end == QUERY_AAAA_EMPTY)
		return give_error(qs, q, ev);
	return fail(qs, q, ev);
}

static size_t
on_native_reply(struct queries *qs, struct query *q, const struct event *ev)
{
	struct synth_usable usable;
	struct answer a;

	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	if (a.kind != ANSWER_DATA || ev->msg->rcode == DNS_NXDOMAIN)
		return respond_relay(qs, q, ev->msg, ev->out);
	respond_count_usable(qs, q, ev->msg, &a, &usable);
	if (usable.n_usable == 0)
		return respond_negative(qs, q, ev->msg, &a, DNS_NOERROR, ev->out);
	return on_aaaa_data(qs, q, ev, &a);
}

/* The real AAAA, after A was of no use: the answer whatever they are. */
static size_t
on_native(struct queries *qs, struct query *q, const struct event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
		return on_native_reply(qs, q, ev);
	case LOOKUP_ERROR:
		return give_error(qs, q, ev);
	case LOOKUP_BOGUS:
		return give_bogus(qs, q, ev);
	case LOOKUP_SILENT:
	case LOOKUP_TRUNCATED:
		break;
	}
	return fail(qs, q, ev);
}

/* A question for A of a client that is to see none (rules.md D17). */
static size_t
on_hidden(struct queries *qs, struct query *q, const struct event *ev)
{
	struct answer a;

	if (ev->outcome == LOOKUP_REPLY && ev->msg->rcode == DNS_NOERROR) {
		answer_scan(ev->msg, DNS_TYPE_A, &a);
		if (a.kind == ANSWER_DATA)
			return respond_hidden(qs, q, ev->msg, &a, ev->out);
		/* There may be A records in it that are off the chain. */
		if (a.kind == ANSWER_BROKEN)
			return fail(qs, q, ev);
	}
	return on_relay(qs, q, ev);
}

/* AAAA of the A chain's last name: usable ones are the answer, anything else leads to its A
 * (rules.md D6). */
static size_t
on_target(struct queries *qs, struct query *q, const struct event *ev)
{
	struct synth_usable usable = { .excluded_ttl = UINT32_MAX };
	uint32_t ttl = SYNTH_FAILED_TTL;
	struct answer a;
	struct msg kept;

	if (ev->outcome == LOOKUP_BOGUS)
		return give_bogus(qs, q, ev);
	if (ev->outcome == LOOKUP_REPLY) {
		answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
		if (a.kind == ANSWER_DATA)
			respond_count_usable(qs, q, ev->msg, &a, &usable);
		if (usable.n_usable > 0) {
			stats_inc(&qs->stats->aaaa_native);
			return respond_native(qs, q, ev->msg, &a, ev->out);
		}
		ttl = a.has_soa ? a.negative_ttl : SYNTH_NO_SOA_TTL;
	}
	if (usable.excluded_ttl < ttl)
		ttl = usable.excluded_ttl;
	if (ttl < remaining_ttl(q, ev->now_ns)) {
		q->empty_ttl = ttl;
		q->empty_at_ns = ev->now_ns;
	}
	q->state = QUERY_A;
	remnant_view(q->chain, DNS_TYPE_A, &kept, &a);
	query_ask(qs, q, a.target, DNS_TYPE_A, ev->now_ns);
	return 0;
}

static size_t
on_reverse(struct queries *qs, struct query *q, const struct event *ev)
{
	struct answer a;

	switch (ev->outcome) {
	case LOOKUP_REPLY:
		if (ev->msg->rcode == DNS_NXDOMAIN)
			return respond_empty(qs, q, DNS_NXDOMAIN, ev->out);
		answer_scan(ev->msg, DNS_TYPE_PTR, &a);
		if (a.kind == ANSWER_BROKEN)
			return fail(qs, q, ev);
		if (a.kind == ANSWER_DATA)
			return respond_reverse(qs, q, ev->msg, &a, ev->out);
		/* A CNAME without a PTR behind it would only be a longer way to nothing (RFC 6147
		 * section 5.3.1). */
		return respond_empty(qs, q, DNS_NOERROR, ev->out);
	case LOOKUP_ERROR:
		return give_error(qs, q, ev);
	case LOOKUP_BOGUS:
	case LOOKUP_SILENT:
	case LOOKUP_TRUNCATED:
		break;
	}
	return fail(qs, q, ev);
}

size_t
state_turn(struct queries *qs, struct query *q, const struct lookup_result *result,
    const struct query_out *out, uint64_t now_ns)
{
	const struct event ev = { .outcome = q->outcome,
		.rcode = q->rcode,
		.msg = q->with_msg ? result->msg : NULL,
		.out = out,
		.now_ns = now_ns };

	if (ev.msg != NULL && !(result->trusted && ev.msg->flags & DNS_AD))
		q->insecure = true;
	switch ((enum query_state)q->state) {
	case QUERY_RELAY:
		return on_relay(qs, q, &ev);
	case QUERY_AAAA:
		if (ev.outcome == LOOKUP_REPLY)
			q->upstream = result->upstream;
		return on_aaaa(qs, q, &ev);
	case QUERY_A:
		return on_a(qs, q, &ev);
	case QUERY_TARGET:
		return on_target(qs, q, &ev);
	case QUERY_NATIVE:
		return on_native(qs, q, &ev);
	case QUERY_HIDDEN:
		return on_hidden(qs, q, &ev);
	case QUERY_REVERSE:
		return on_reverse(qs, q, &ev);
	case QUERY_LOCAL:
		break;
	}
	return respond_local(qs, q, out);
}
