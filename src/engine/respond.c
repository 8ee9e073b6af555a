/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/respond.h"

#include <string.h>

#include "dns/build.h"
#include "dns/edit.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "dns64/reverse.h"
#include "dns64/special.h"
#include "engine/fetch.h"

/* labels that may be compared: more than uncompressed names have in 64 KiB */
#define SEARCH_WORK 32768
#define HIDDEN_TTL 600 /* s: largest TTL of the SOA for hidden A records (RULES D17) */

/*
 * The largest answer for this client, in bytes: over UDP the smaller of its limit and ours, or 512
 * without EDNS (RFC 6891 section 6.2.3).
 */
static size_t
limit_of(const struct queries *qs, const struct query *q)
{
	size_t theirs = q->req.edns ? q->req.bufsize : DNS_UDP_MIN;

	if (transport_traits[q->from.transport].whole)
		return DNS_MSG_MAX;
	return theirs < qs->conf->udp_size_client ? theirs : qs->conf->udp_size_client;
}

/* Does the policy allow this extended error? */
static inline bool
may_say(const struct policy *p, uint16_t ede)
{
	if (ede == DNS_EDE_SYNTHESIZED)
		return p->ede & POLICY_EDE_SYNTHESIZED;
	switch (ede) {
	case DNS_EDE_STALE:
	case DNS_EDE_BOGUS:
	case DNS_EDE_STALE_NXDOMAIN:
	case DNS_EDE_NO_REACHABLE_AUTHORITY:
	case DNS_EDE_NETWORK_ERROR:
		return p->ede & POLICY_EDE_UPSTREAM;
	default:
		return p->ede & POLICY_EDE_POLICY;
	}
}

/* No prefix of P is active: because of what, for the client. */
static const char *
no_prefix_text(const struct policy *p)
{
	for (uint8_t i = 0; i < p->synth.n_prefixes; i++) {
		if (p->causes[i] == POLICY_OPERATOR && !p->mapped_only[i])
			return "no NAT64 prefix is active, by the operator";
	}
	return reason_row(REASON_NO_PREFIX)->text;
}

/* The text that goes along with this extended error to Q, of P; NULL: none. */
static inline const char *
text_of(const struct queries *qs, const struct policy *p, const struct query *q, uint16_t ede)
{
	if (ede == DNS_EDE_OTHER)
		return q->reason == REASON_NO_PREFIX ? no_prefix_text(p)
						     : reason_row((enum reason)q->reason)->text;
	return UNLIKELY(ede == DNS_EDE_NOT_READY) ? qs->unready : NULL;
}

/*
 * The OPT of the answer, which comes of the reply FROM (NULL: of none); a question without an OPT
 * gets none (RFC 6891 section 7).
 */
static struct build_opt
opt_of(const struct queries *qs, struct query *q, const struct msg *from, uint16_t rcode)
{
	const struct policy *p = query_policy(qs, q);
	uint16_t ede;
	bool said;

	if (UNLIKELY(q->stale)) /* RFC 8767 section 7 by RFC 8914 sections 4.4, 4.20 */
		q->reason = (uint8_t)reason_stale((enum reason)q->reason, rcode);
	ede = reason_ede((enum reason)q->reason);
	said = ede != DNS_EDE_NONE && may_say(p, ede);
	return (struct build_opt){ .present = q->req.edns,
		.do_bit = q->req.do_bit,
		.bufsize = qs->conf->udp_size_client,
		.ede = said ? ede : DNS_EDE_NONE,
		.ede_text = text_of(qs, p, q, ede),
		.ede_from = p->ede & POLICY_EDE_RELAY ? from : NULL,
		.cookie_len = q->cookie.len,
		.cookie = q->cookie.bytes };
}

/* --- what answers share ----------------------------------------------------------------------- */

static void
start(struct build *b, const struct query *q, const struct query_out *out)
{
	const struct build_question question = { .id = q->req.id,
		.flags = DNS_QR | DNS_RA | (q->req.flags & (DNS_OPCODE | DNS_RD | DNS_CD)),
		.qname = q->req.qname_len > 0 ? q->req.qname : NULL,
		.qtype = q->req.qtype,
		.qclass = q->req.qclass,
		.qname_len = q->req.qname_len };

	build_start(b, out->buf, out->cap, &question);
}

static size_t
finish(struct queries *qs, struct query *q, struct build *b, const struct msg *from)
{
	const struct build_opt opt = opt_of(qs, q, from, b->rcode);

	return build_finish(b, limit_of(qs, q), &opt);
}

/* Write the chain that was followed before the current reply. */
static void
put_followed(struct build *b, const struct query *q)
{
	struct answer a;
	struct msg m;

	if (q->chain.open == NULL)
		return;
	partial_view(q->chain.open, q->req.qtype, &m, &a);
	(void)synth_chain(b, &m, &a); /* if it does not fit, b is full and TC is set */
}

/* --- answers ---------------------------------------------------------------------------------- */

/* A search for records at the question's name in the answer section. */
struct search {
	struct msg_walk walk;
	unsigned left; /* labels that may still be compared */
	struct rr rr;  /* the last one found */
};

static struct search
start_search(const struct msg *m)
{
	return (struct search){ .walk = msg_walk(m, MSG_ANSWER), .left = SEARCH_WORK };
}

static bool
is_at_name(const struct query *q, const struct msg *m, struct search *s)
{
	return msg_owner_is_question(m, &s->rr) ||
	    name_equal_within(m->bytes, m->len, s->rr.at, q->req.qname, &s->left);
}

/* Find the next record. False: there is none, or the limit of work is reached. */
static bool
next_at_name(const struct query *q, const struct msg *m, struct search *s)
{
	while (s->left > 0 && msg_walk_next(&s->walk, &s->rr)) {
		if (is_at_name(q, m, s))
			return true;
	}
	return false;
}

/*
 * ANY over UDP mostly serves amplification attacks, so one RRset is enough for an answer (RULES
 * D19). Returns its type; 0: the answer is relayed whole.
 */
static uint16_t
one_type(const struct queries *qs, struct query *q, const struct msg *m)
{
	struct search s = start_search(m);

	if (!query_policy(qs, q)->any_minimal || transport_traits[q->from.transport].proven ||
	    q->req.hands_off || m->rcode != DNS_NOERROR)
		return 0;
	while (next_at_name(q, m, &s)) {
		if (s.rr.type != DNS_TYPE_RRSIG)
			return s.rr.type;
	}
	return 0;
}

/* One RRset of the answer, with its signatures if DO is set (RFC 8482 section 4.1). */
static size_t
respond_any(struct queries *qs, struct query *q, const struct msg *m, uint16_t type,
    const struct query_out *out)
{
	struct search s = start_search(m);
	struct build b;

	q->reason = REASON_ANY_MINIMAL;
	start(&b, q, out);
	while (next_at_name(q, m, &s)) {
		const struct rr *rr = &s.rr;
		bool signature =
		    q->req.do_bit && rr->type == DNS_TYPE_RRSIG && msg_rrsig_covers(m, rr) == type;

		if ((rr->type == type || signature) && !build_copy(&b, MSG_ANSWER, m, rr, rr->ttl))
			break; /* b is full, and TC is set */
	}
	if (s.walk.left > 0) /* the search stopped early, so there may be more: TC */
		b.w.full = true;
	return finish(qs, q, &b, m);
}

/*
 * RD and CD are copied from the client's question, not from the reply (RFC 1035 section 4.1.1, RFC
 * 4035 section 3.2.2, RULES D24). AD is only for clients that asked for it (RFC 6840 section 5.8,
 * RULES D9).
 */
static uint16_t
relayed_flags(const struct query *q, const struct msg *m)
{
	uint16_t theirs = DNS_RD | DNS_CD;
	uint16_t clear = q->req.do_bit || q->req.flags & DNS_AD ? theirs : theirs | DNS_AD;

	return (uint16_t)((m->flags & ~clear) | (q->req.flags & theirs));
}

size_t
respond_relay(struct queries *qs, struct query *q, const struct msg *m, const struct query_out *out)
{
	const struct build_opt opt = opt_of(qs, q, m, m->rcode);
	const struct build_question question = {
		.id = q->req.id, .flags = relayed_flags(q, m), .qname = q->req.qname
	};
	uint16_t type = 0;

	stats_inc(&qs->stats->relayed);
	if (UNLIKELY(q->req.signed_msg))
		return build_relay_signed(out->buf, limit_of(qs, q), m, q->req.id, &opt);
	if (UNLIKELY(q->req.qtype == DNS_TYPE_ANY))
		type = one_type(qs, q, m);
	if (UNLIKELY(type != 0))
		return respond_any(qs, q, m, type, out);
	return build_relay(out->buf, limit_of(qs, q), m, &question, &opt);
}

size_t
respond_error(struct queries *qs, struct query *q, uint16_t rcode, const struct msg *m,
    const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	/* Without an OPT the upper bits of the rcode cannot be sent (RFC 6891 section 6.1.3). */
	b.rcode = !q->req.edns && rcode > DNS_RCODE ? DNS_SERVFAIL : rcode;
	if (rcode == DNS_SERVFAIL)
		stats_inc(&qs->stats->answers_servfail);
	return finish(qs, q, &b, m);
}

size_t
respond_truncated(struct queries *qs, struct query *q, const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	b.w.full = true; /* TC is set */
	return finish(qs, q, &b, NULL);
}

/* Count an answer for the prefix of P, or for each whose place is a bit in USED. */
static inline void
count_prefixes(struct stats *s, const struct policy *p, uint32_t used)
{
	if (p->synth.n_prefixes == 1) {
		stats_inc(&s->prefixes[p->numbers[0]]);
		return;
	}
	for (; used != 0; used &= used - 1)
		stats_inc(&s->prefixes[p->numbers[__builtin_ctz(used)]]);
}

/* AD of an answer that is made here of all replies to Q (RFC 6147 section 5.5, RULES D9). */
static inline uint16_t
made_flags(const struct query *q)
{
	return q->req.do_bit && !(q->req.flags & DNS_CD) && !q->insecure ? DNS_AD : 0;
}

size_t
respond_synth(struct queries *qs, struct query *q, const struct msg *m, const struct answer *a,
    uint32_t ttl_cap, const struct query_out *out)
{
	const struct policy *p = query_policy(qs, q);
	struct synth_choice choice = { .ttl_cap = policy_limit_ttl(p, ttl_cap),
		.first = prefix_choice_place(&p->choice, &p->synth, query_client(q), qs->n_chosen),
		.rotate = qs->n_chosen };
	struct build b;
	uint32_t used = 0;

	if (p->synth.n_prefixes > 1)
		choice.used = &used;
	if (p->synth.max > 0 && !transport_traits[q->from.transport].whole) {
		const struct build_opt opt = opt_of(qs, q, m, DNS_NOERROR);

		choice.limit = limit_of(qs, q) - build_opt_len(&opt);
	}
	start(&b, q, out);
	if (q->aaaa.how == QUERY_AAAA_EMPTY)
		b.flags |= made_flags(q);
	put_followed(&b, q);
	if (synth_answer(&b, &p->synth, &choice, m, a) == 0 && !b.w.full)
		return 0;
	count_prefixes(qs->stats, p, used);
	qs->n_chosen++;
	synth_rest(&b, m);
	return finish(qs, q, &b, m);
}

size_t
respond_native(struct queries *qs, struct query *q, const struct msg *m, const struct answer *a,
    const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	b.flags |= m->flags & DNS_TC; /* the reply was truncated */
	put_followed(&b, q);
	(void)synth_filtered(&b, &query_policy(qs, q)->synth, m, a);
	synth_rest(&b, m);
	return finish(qs, q, &b, m);
}

/*
 * Write what M, whose chain is A, says of the client's name: chain, SOA with SOA_TTL and, with DO,
 * the proof that there is nothing (RFC 4035 section 3.2.1). False: there is no SOA.
 */
static bool
put_negative(struct build *b, const struct query *q, const struct msg *m, const struct answer *a,
    uint32_t soa_ttl)
{
	bool proof = q->req.do_bit && a->kind != ANSWER_DATA, soa;

	(void)synth_chain(b, m, a);
	if (UNLIKELY(proof))
		synth_signatures(b, m);
	soa = synth_soa(b, m, a, soa_ttl);
	if (UNLIKELY(proof))
		synth_proof(b, m, soa_ttl);
	return soa;
}

size_t
respond_negative(struct queries *qs, struct query *q, const struct msg *m, const struct answer *a,
    uint32_t soa_ttl, const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	b.rcode = m->rcode;
	put_followed(&b, q);
	(void)put_negative(&b, q, m, a, soa_ttl);
	return finish(qs, q, &b, m);
}

size_t
respond_nodata(struct queries *qs, struct query *q, const struct msg *m, uint32_t soa_ttl,
    const struct query_out *out)
{
	bool at_hand = m != NULL && m->qtype == DNS_TYPE_AAAA; /* all of it, not what was kept */
	struct answer a;
	struct build b;
	bool soa = false;

	start(&b, q, out);
	b.flags |= made_flags(q);
	if (q->aaaa.reply != NULL && !at_hand) {
		struct msg kept;

		partial_view(q->aaaa.reply, q->req.qtype, &kept, &a);
		soa = put_negative(&b, q, &kept, &a, soa_ttl);
	}
	if (!soa && m != NULL) {
		answer_scan(m, m->qtype, &a);
		if (q->aaaa.reply == NULL || at_hand) {
			put_followed(&b, q); /* the AAAA chain was too long to keep */
			(void)put_negative(&b, q, m, &a, soa_ttl);
		} else {
			(void)synth_soa(&b, m, &a, soa_ttl);
		}
	}
	return finish(qs, q, &b, m);
}

size_t
respond_hidden(struct queries *qs, struct query *q, const struct msg *m, const struct answer *a,
    const struct query_out *out)
{
	struct build b;

	stats_inc(&qs->stats->hidden_a);
	q->reason = REASON_HIDDEN_A;
	start(&b, q, out);
	(void)synth_chain(&b, m, a);
	(void)special_soa(&b, MSG_AUTHORITY, a->target, a->ttl < HIDDEN_TTL ? a->ttl : HIDDEN_TTL,
	    SPECIAL_MINIMUM);
	return finish(qs, q, &b, m);
}

size_t
respond_reverse(struct queries *qs, struct query *q, const struct msg *m, const struct answer *a,
    const struct query_out *out)
{
	struct build b;

	q->reason = REASON_REVERSE;
	start(&b, q, out);
	(void)reverse_answer(&b, q->req.qname, m, a);
	return finish(qs, q, &b, m);
}

/* --- answers from here ------------------------------------------------------------------------ */

/* The SOA of ZONE, by which an answer counts for MOST seconds at most. */
static void
put_soa(struct build *b, const uint8_t *zone, uint32_t most)
{
	uint32_t ttl = most < SPECIAL_SOA_TTL ? most : SPECIAL_SOA_TTL;
	uint32_t minimum = most < SPECIAL_MINIMUM ? most : SPECIAL_MINIMUM;

	(void)special_soa(b, MSG_AUTHORITY, zone, ttl, minimum);
}

static void
put_zone_soa(struct build *b, const struct query *q, uint32_t most)
{
	if (q->local.zone_at != QUERY_NO_ZONE)
		put_soa(b, q->req.qname + q->local.zone_at, most);
}

size_t
respond_empty(
    struct queries *qs, struct query *q, uint16_t rcode, uint32_t most, const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	b.rcode = rcode;
	put_zone_soa(&b, q, most);
	return finish(qs, q, &b, NULL);
}

/* A client without DNS64 sees no prefixes (RULES D15). */
static struct special_prefixes
prefixes_of(const struct policy *p, const struct query *q)
{
	return (struct special_prefixes){ .prefixes = p->synth.prefixes,
		.places = p->synth.general,
		.n = policy_serves(p, query_client(q)) ? p->synth.n_general : 0,
		.ttl = policy_limit_ttl(p, SPECIAL_TTL) };
}

/* How long ANSWER may say that there is nothing: of prefixes no longer than of their addresses. */
static uint32_t
most_empty(const struct policy *p, enum special_answer answer)
{
	return answer == SPECIAL_ADDRESSES ? policy_limit_ttl(p, SPECIAL_SOA_TTL) : SPECIAL_SOA_TTL;
}

static void
put_special(const struct queries *qs, struct query *q, struct build *b)
{
	const struct policy *p = query_policy(qs, q);
	const struct special_prefixes prefixes = prefixes_of(p, q);
	enum special_answer answer = (enum special_answer)q->local.special;

	if (special_records(b, answer, q->req.qname, q->req.qtype, &prefixes) == 0)
		put_zone_soa(b, q, most_empty(p, answer));
}

size_t
respond_special_end(struct queries *qs, struct query *q, const struct query_event *ev,
    const struct answer *a, enum special_answer answer, size_t zone_at)
{
	const struct policy *p = query_policy(qs, q);
	const struct special_prefixes prefixes = prefixes_of(p, q);
	struct build b;
	size_t len;

	start(&b, q, ev->out);
	put_followed(&b, q);
	(void)synth_chain(&b, ev->msg, a);
	b.rcode = answer == SPECIAL_NXDOMAIN ? DNS_NXDOMAIN : DNS_NOERROR;
	if (special_records(&b, answer, a->target, q->req.qtype, &prefixes) == 0)
		put_soa(&b, a->target + zone_at, most_empty(p, answer));
	len = finish(qs, q, &b, ev->msg);
	if (UNLIKELY(ev->stale))
		edit_limit_ttls(ev->out->buf, len, FETCH_STALE_TTL);
	return len;
}

static void
put_name(const struct queries *qs, struct query *q, struct build *b)
{
	const struct policy *p = query_policy(qs, q);
	const uint8_t *name = special_ipv4only();

	if (p->reverse == POLICY_REVERSE_LOCAL)
		name = p->reverse_name;
	if (!build_rr_name(
		b, MSG_ANSWER, q->req.qname, DNS_TYPE_PTR, DNS_CLASS_IN, SPECIAL_TTL, name))
		return; /* b is full, and TC is set */
}

static void
put_text(struct build *b, const struct query *q, const char *text)
{
	uint8_t rdata[1 + CONF_TEXT];
	size_t len = strlen(text);

	rdata[0] = (uint8_t)len;
	memcpy(rdata + 1, text, len);
	if (!build_rr(b, MSG_ANSWER, q->req.qname, DNS_TYPE_TXT, q->req.qclass, 0, rdata,
		(uint16_t)(1 + len)))
		return; /* b is full, and TC is set */
}

size_t
respond_local(struct queries *qs, struct query *q, const struct query_out *out)
{
	struct build b;

	if (q->local.kind == QUERY_LOCAL_TC)
		return respond_truncated(qs, q, out);
	if (q->local.kind == QUERY_LOCAL_ERROR)
		return respond_error(qs, q, q->came.rcode, NULL, out);
	stats_inc(&qs->stats->local);
	if (q->local.kind == QUERY_LOCAL_EMPTY)
		return respond_empty(qs, q, q->came.rcode, SPECIAL_SOA_TTL, out);
	start(&b, q, out);
	switch ((enum query_local)q->local.kind) {
	case QUERY_LOCAL_SPECIAL:
		put_special(qs, q, &b);
		break;
	case QUERY_LOCAL_NAME:
		put_name(qs, q, &b);
		break;
	case QUERY_LOCAL_VERSION:
		put_text(&b, q, qs->conf->chaos.version);
		break;
	case QUERY_LOCAL_ID:
		put_text(&b, q, qs->conf->chaos.server_id);
		break;
	case QUERY_LOCAL_HEALTH:
		put_text(&b, q, "ready");
		break;
	case QUERY_LOCAL_ERROR:
	case QUERY_LOCAL_TC:
	case QUERY_LOCAL_EMPTY:
		break;
	}
	return finish(qs, q, &b, NULL);
}

/* --- failures, in every state ----------------------------------------------------------------- */

/* Why no reply of use came of an event. */
static enum reason
reason_of(const struct queries *qs, const struct query *q, const struct query_event *ev)
{
	if (UNLIKELY(q->budget.used_up) && ev->msg == NULL)
		return REASON_BUDGET;
	switch (ev->outcome) {
	case LOOKUP_SILENT:
		return qs->cached ? REASON_OUTAGE : REASON_SILENT;
	case LOOKUP_BOGUS:
		return REASON_BOGUS_FOUND;
	case LOOKUP_REPLY:
		if (q->reason == REASON_AAAA_FAILED)
			return REASON_AAAA_FAILED;
		break;
	case LOOKUP_TRUNCATED:
	case LOOKUP_ERROR:
	case LOOKUP_NO_ROOM:
		break;
	}
	return REASON_UPSTREAM_FAILED;
}

size_t
respond_fail(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = (uint8_t)reason_of(qs, q, ev);
	return respond_error(qs, q, DNS_SERVFAIL, ev->msg, ev->out);
}

size_t
respond_no_room(struct queries *qs, struct query *q, const struct query_event *ev)
{
	q->reason = q->no_room_reason;
	stats_inc(&qs->stats->no_room);
	return respond_error(qs, q, DNS_SERVFAIL, NULL, ev->out);
}

size_t
respond_upstream_error(struct queries *qs, struct query *q, const struct query_event *ev)
{
	/* A reply about another name or type cannot be relayed. */
	bool same = ev->msg != NULL && ev->msg->qtype == q->req.qtype && q->chain.open == NULL &&
	    q->state != QUERY_REVERSE;

	q->reason = ev->outcome == LOOKUP_BOGUS ? REASON_BOGUS : REASON_UPSTREAM_ERROR;
	if (UNLIKELY(q->budget.used_up) && ev->msg == NULL)
		q->reason = REASON_BUDGET;
	if (same)
		return respond_relay(qs, q, ev->msg, ev->out);
	return respond_error(qs, q, ev->rcode, ev->msg, ev->out);
}

size_t
respond_bogus(struct queries *qs, struct query *q, const struct query_event *ev)
{
	if (q->req.qtype == DNS_TYPE_AAAA)
		stats_inc(&qs->stats->bogus);
	return ev->msg != NULL ? respond_upstream_error(qs, q, ev) : respond_fail(qs, q, ev);
}
