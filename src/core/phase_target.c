/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * phase_target: the states that ask for AAAA once more after A: TARGET and NATIVE; and chains that
 * end at a name that nobody is asked for.
 */
#include "core/phase.h"

#include "core/phase_parts.h"
#include "core/reason.h"
#include "core/respond.h"
#include "core/zonemap.h"
#include "dns/answer.h"
#include "dns/name.h"
#include "dns64/special.h"
#include "dns64/synth.h"

size_t
phase_ask_native(struct queries *qs, struct query *q, const struct query_event *ev)
{
	query_drop_partial(qs, &q->chain);
	q->state = QUERY_NATIVE;
	query_ask(qs, q, ev->now_ns);
	return 0;
}

static size_t
on_native_reply(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct synth_usable usable;
	struct answer a;

	answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
	if (ev->msg->rcode == DNS_NXDOMAIN)
		q->reason = REASON_NXDOMAIN;
	if (a.kind != ANSWER_DATA || ev->msg->rcode == DNS_NXDOMAIN)
		return respond_relay(qs, q, ev->msg, ev->out);
	synth_count_usable(&query_policy(qs, q)->synth, ev->msg, &a, &usable);
	if (usable.n_usable == 0)
		return respond_negative(qs, q, ev->msg, &a, query_negative_ttl(ev, &a), ev->out);
	return phase_give_usable(qs, q, ev);
}

/* The real AAAA are the answer, whatever they are, as A gave nothing to map. */
size_t
phase_native(struct queries *qs, struct query *q, const struct query_event *ev)
{
	switch (ev->outcome) {
	case LOOKUP_REPLY:
		return on_native_reply(qs, q, ev);
	case LOOKUP_ERROR:
		return respond_upstream_error(qs, q, ev);
	case LOOKUP_BOGUS:
		return respond_bogus(qs, q, ev);
	case LOOKUP_NO_ROOM:
		return respond_no_room(qs, q, ev);
	case LOOKUP_TRUNCATED:
		if (phase_has_usable(qs, q, ev))
			return phase_give_usable(qs, q, ev);
		break;
	case LOOKUP_SILENT:
		break;
	}
	return respond_fail(qs, q, ev);
}

size_t
phase_at_special(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	struct zonemap_path path;
	enum special_answer answer;
	uint32_t kind;
	size_t at;

	zonemap_path(&path, a->target, name_len(a->target));
	kind = zonemap_find(qs->conf->policies->special, &path, &at);
	if (kind == ZONEMAP_NONE || kind == SPECIAL_LOCAL_ZONE || a->kind == ANSWER_BROKEN ||
	    (kind != SPECIAL_IPV4ONLY && (a->kind != ANSWER_OPEN || ev->msg->rcode != DNS_NOERROR)))
		return 0;
	answer = special_decide((enum special)kind, at == 0, q->qtype);
	q->reason = (uint8_t)reason_special((enum special)kind);
	return respond_special_end(qs, q, ev, a, answer, at);
}

/* Do the chains of the AAAA and the A reply end at different names (RULES D6)? */
static bool
ends_elsewhere(const struct query *q, const struct answer *a)
{
	struct answer kept;
	struct msg m;

	partial_view(q->aaaa, DNS_TYPE_AAAA, &m, &kept);
	return kept.kind != ANSWER_BROKEN && !name_equal(kept.target, a->target);
}

bool
phase_ask_target(
    struct queries *qs, struct query *q, const struct query_event *ev, const struct answer *a)
{
	struct partial_data *d;

	if (q->targeted || q->aaaa_end != QUERY_AAAA_EMPTY || q->aaaa == NULL ||
	    !ends_elsewhere(q, a))
		return false;
	d = partial_keep_data(&qs->data, ev->msg, a, ev->now_ns);
	q->targeted = true;
	q->n_steps = 0;
	if (d == NULL)
		return false;
	if (!phase_carry_chain(qs, q, ev, a)) {
		pool_give(&qs->data, d);
		return false;
	}
	q->data = d;
	q->state = QUERY_TARGET;
	query_ask(qs, q, ev->now_ns);
	return true;
}

/* Synthesize from the A records that were kept when TARGET began. */
static size_t
on_a_at_hand(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct query_event kept = *ev;
	struct answer a;
	struct msg m;

	partial_view_data(q->data, &m);
	answer_scan(&m, DNS_TYPE_A, &a);
	if (q->data->chain != NULL) {
		query_drop_partial(qs, &q->chain);
		q->chain = q->data->chain;
		q->data->chain = NULL;
	}
	kept.outcome = LOOKUP_REPLY;
	kept.msg = &m;
	q->state = QUERY_A;
	return phase_a_data(qs, q, &kept, &a);
}

/* AAAA of the A chain's last name, if usable; else the kept A records are mapped (RULES D6). */
size_t
phase_target(struct queries *qs, struct query *q, const struct query_event *ev)
{
	struct synth_usable usable = { .excluded_ttl = UINT32_MAX };
	uint32_t ttl = SYNTH_FAILED_TTL;
	struct answer a;
	size_t len;

	if (ev->outcome == LOOKUP_BOGUS)
		return respond_bogus(qs, q, ev);
	if (ev->outcome == LOOKUP_NO_ROOM)
		return respond_no_room(qs, q, ev);
	if (phase_has_usable(qs, q, ev))
		return phase_give_usable(qs, q, ev);
	if (ev->outcome == LOOKUP_REPLY) {
		answer_scan(ev->msg, DNS_TYPE_AAAA, &a);
		if (a.n_steps > 0 && (len = phase_at_special(qs, q, ev, &a)) > 0)
			return len;
		if (a.kind == ANSWER_DATA)
			synth_count_usable(&query_policy(qs, q)->synth, ev->msg, &a, &usable);
		if (UNLIKELY(a.kind == ANSWER_OPEN && a.n_steps > 0) &&
		    ev->msg->rcode == DNS_NOERROR && phase_carry_chain(qs, q, ev, &a)) {
			query_ask(qs, q, ev->now_ns);
			return 0;
		}
		ttl = a.has_soa ? query_negative_ttl(ev, &a) : SYNTH_NO_SOA_TTL;
	}
	if (ev->outcome != LOOKUP_REPLY)
		q->insecure = true; /* the absence of AAAA is not validated (RULES D9) */
	if (usable.excluded_ttl < ttl)
		ttl = usable.excluded_ttl;
	if (ttl < phase_remaining_ttl(q, ev->now_ns)) {
		q->empty_ttl = ttl;
		q->empty_at_ns = ev->now_ns;
	}
	return on_a_at_hand(qs, q, ev);
}
