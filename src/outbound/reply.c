/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/reply.h"

#include "dns/answer.h"
#include "dns/header.h"
#include "dns/name.h"
#include "outbound/antispoof.h"
#include "outbound/attempt.h"
#include "outbound/id_attack.h"
#include "outbound/loss.h"
#include "outbound/match.h"
#include "outbound/trace.h"

/* --- what came back --------------------------------------------------------------------------- */

/* Handle SERVFAIL to a question without CD: the data is bogus, or the upstream is in trouble. */
static bool
on_servfail(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    const struct msg *msg, uint64_t now_ns)
{
	if (msg_ede_dnssec(msg) != DNS_EDE_NONE)
		return attempt_finish(ls, l, result, LOOKUP_BOGUS, msg);
	if (match_is_checked(l)) {
		l->check = LOOKUP_CHECK_CD;
		return attempt_again(ls, l, l->upstream);
	}
	return attempt_failed(ls, l, result, DNS_SERVFAIL, msg, now_ns);
}

/*
 * Handle the reply to the question with CD. Data in it means that it does not validate, or that the
 * upstream's trouble is over. Repeating the first question shows which; the data itself is not
 * used.
 */
static bool
on_checked(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    const struct msg *msg, uint64_t now_ns)
{
	if (match_is_error(msg))
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	l->check = LOOKUP_CHECK_AGAIN;
	return attempt_again(ls, l, l->upstream);
}

static bool
ask_without_edns(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	upstreams_on_no_edns(
	    ls->upstreams, l->upstream, (enum transport)l->now.transport, l->now.socket, now_ns);
	l->here.no_edns = true;
	stats_inc(&ls->stats->upstream_no_edns);
	return attempt_again(ls, l, l->upstream);
}

/* Does the truncated reply M have real AAAA? Then nothing may be synthesized. */
static bool
has_real_aaaa(const struct lookup *l, const struct msg *m)
{
	struct answer a;

	if (l->key.qtype != DNS_TYPE_AAAA || l->key.qclass != DNS_CLASS_IN ||
	    m->rcode != DNS_NOERROR)
		return false;
	answer_scan(m, DNS_TYPE_AAAA, &a);
	return a.kind == ANSWER_DATA;
}

/*
 * A small reply to L was asked for, as large ones do not get through: a client is given the whole,
 * as before. A probe for the same large reply shows now and then whether that still holds.
 */
static __attribute__((cold)) void
on_small(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->waiters.whole = true;
	if (ways_large_due(&ls->upstreams->table[l->upstream].ways, now_ns))
		lookup_start_large(ls, l);
}

static bool
on_truncated(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    const struct msg *msg, uint64_t now_ns)
{
	stats_inc(&ls->stats->upstream_truncated);
	if (l->progress == LOOKUP_ASKED_STREAM)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	if (UNLIKELY(ways_small(&ls->upstreams->table[l->upstream].ways)))
		on_small(ls, l, now_ns);
	if (!l->waiters.whole)
		return attempt_finish(ls, l, result, LOOKUP_TRUNCATED, msg);
	if (UNLIKELY(l->check == LOOKUP_CHECK_AGAIN))
		attempt_end_check(l);
	if (has_real_aaaa(l, msg))
		lookup_keep_truncated(ls, l, msg);
	lookup_plan(l, LOOKUP_NEEDS_STREAM);
	return attempt_again(ls, l, l->upstream);
}

/*
 * Ask again with the server cookie of the BADCOOKIE reply; after a second BADCOOKIE over TCP,
 * without cookies (RFC 7873 section 5.3).
 */
static bool
on_badcookie(struct lookups *ls, struct lookup *l)
{
	stats_inc(&ls->stats->upstream_badcookie);
	if (l->here.cookie_bad)
		lookup_plan(l, LOOKUP_NEEDS_STREAM);
	attempt_again(ls, l, l->upstream);
	l->here.cookie_bad = true;
	return true;
}

/*
 * The reply is L's, but its framing or an RDATA is malformed (RULES D25). Returns whether L goes
 * on.
 */
static bool
on_malformed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	stats_inc(&ls->stats->upstream_malformed);
	return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
}

/* A probe of a certain way, L, got its reply. */
static __attribute__((cold)) void
on_way(struct lookups *ls, const struct lookup *l, uint64_t now_ns)
{
	switch (health_on_way(ls->upstreams, l->upstream, (enum way)l->probe.way, now_ns)) {
	case WAYS_NOTHING:
		break;
	case WAYS_ONCE_MORE: /* whose reply comes first? */
		lookup_start_probe(ls, l->upstream, WAY_AS_LEARNED, DNS_TYPE_NS);
		lookup_start_probe(ls, l->upstream, l->probe.way, DNS_TYPE_NS);
		break;
	case WAYS_LEARNED:
		match_revive(ls, l->upstream, now_ns);
		loss_ask_again(ls, l->upstream, l->now.sent_ns, now_ns);
		break;
	}
}

/* The reply is L's: act on it. Returns whether L goes on. */
static inline __attribute__((always_inline)) bool
judge(struct lookups *ls, struct lookup *l, const struct msg *msg, struct lookup_result *result,
    uint64_t now_ns)
{
	if (UNLIKELY(l->probe.is)) {
		if (l->probe.way < WAYS)
			on_way(ls, l, now_ns);
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	}
	if (UNLIKELY(l->message.bytes != NULL)) /* the client judges the reply (RULES D20) */
		return attempt_finish(ls, l, result, LOOKUP_REPLY, msg);
	if (match_rejects_edns(l, msg))
		return ask_without_edns(ls, l, now_ns);
	if (msg->rcode == DNS_BADCOOKIE && l->now.cookie)
		return on_badcookie(ls, l);
	/* BADVERS and BADCOOKIE concern our own hop and are never relayed (RULES D1). */
	if (msg->rcode == DNS_BADVERS || msg->rcode == DNS_BADCOOKIE)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	if (l->check == LOOKUP_CHECK_CD)
		return on_checked(ls, l, result, msg, now_ns);
	if (l->check == LOOKUP_CHECK_AGAIN && msg->rcode == DNS_SERVFAIL)
		return attempt_finish(ls, l, result, LOOKUP_BOGUS, NULL);
	if (msg->flags & DNS_TC)
		return on_truncated(ls, l, result, msg, now_ns);
	if (msg->rcode == DNS_SERVFAIL && !l->key.cd)
		return on_servfail(ls, l, result, msg, now_ns);
	if (match_is_lame(msg)) {
		stats_inc(&ls->stats->upstream_lame);
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	}
	if (match_is_error(msg))
		return attempt_failed(ls, l, result, msg->rcode, msg, now_ns);
	return attempt_finish(ls, l, result, LOOKUP_REPLY, msg);
}

/* --- is it right? ----------------------------------------------------------------------------- */

/* The reply is right except for SUSPECT: ask again, unless near misses agree. */
static enum antispoof_stopped
stop(struct lookups *ls, struct lookup *l, enum lookup_suspect suspect, const struct msg *msg,
    uint64_t now_ns)
{
	enum antispoof_stopped stopped = antispoof_stop(ls, l, suspect, msg, now_ns);

	if (stopped == ANTISPOOF_STOPPED)
		attempt_again(ls, l, l->upstream);
	return stopped;
}

/*
 * The ID is right, but not the question or cookie: a forger may be guessing. The right reply may
 * still come, so a wrong one must not end the lookup (the TuDoor attack).
 */
static enum antispoof_stopped
on_near_miss(struct lookups *ls, struct lookup *l, enum antispoof_match match,
    const struct msg *msg, uint64_t now_ns)
{
	antispoof_count(ls->stats, match);
	if (match == ANTISPOOF_SUSPECT_CASE)
		return stop(ls, l, LOOKUP_SUSPECT_CASE, msg, now_ns);
	if (match == ANTISPOOF_SUSPECT_COOKIE)
		return stop(ls, l, LOOKUP_SUSPECT_COOKIE, msg, now_ns);
	if (match == ANTISPOOF_SUSPECT_EDNS) {
		id_attack_by_tcp(l);
		attempt_again(ls, l, l->upstream);
		return ANTISPOOF_STOPPED;
	}
	/* Without TCP the right reply is waited for. */
	if (l->progress == LOOKUP_ASKED_DATAGRAM && id_attack_may_tcp(l) &&
	    ++l->n_near_misses >= LOOKUP_NEAR_MISSES) {
		id_attack_by_tcp(l);
		attempt_again(ls, l, l->upstream);
	}
	return ANTISPOOF_STOPPED;
}

/* Take MSG, which passed all guards, as the reply to L. Returns whether L goes on. */
static inline __attribute__((always_inline)) bool
take(struct lookups *ls, struct lookup *l, struct msg *msg, enum msg_verdict verdict,
    struct lookup_result *result, uint64_t now_ns)
{
	match_note(ls, l, msg, verdict, now_ns);
	if (UNLIKELY(verdict != MSG_OK))
		return on_malformed(ls, l, result, now_ns);
	if (UNLIKELY(l->here.suspect != LOOKUP_NO_SUSPECT))
		antispoof_confirm(ls, l, msg, now_ns);
	antispoof_unmix(ls, l, msg);
	return judge(ls, l, msg, result, now_ns);
}

/* MSG has the ID of L's present attempt. Returns L if that ends it. */
static inline __attribute__((always_inline)) struct lookup *
hear(struct lookups *ls, struct lookup *l, struct msg *msg, enum msg_verdict verdict,
    struct lookup_result *result, uint64_t now_ns)
{
	enum antispoof_stopped stopped = ANTISPOOF_AGREED;
	enum antispoof_match match = match_attempt(ls, l, msg);

	if (UNLIKELY(match != ANTISPOOF_SAME)) {
		stopped = on_near_miss(ls, l, match, verdict == MSG_OK ? msg : NULL, now_ns);
		if (stopped == ANTISPOOF_AGREED && ls->traced.anybody)
			trace_reply(ls, l, msg, now_ns);
	} else if (UNLIKELY(ls->upstreams->table[l->upstream].watched)) {
		match_learn(ls, l, msg, now_ns);
	}
	if (stopped == ANTISPOOF_STOPPED)
		return NULL;
	if (stopped == ANTISPOOF_HOPELESS)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns) ? NULL : l;
	return take(ls, l, msg, verdict, result, now_ns) ? NULL : l;
}

/* The same, where speed does not count. */
static __attribute__((noinline)) struct lookup *
hear_seldom(struct lookups *ls, struct lookup *l, struct msg *msg, enum msg_verdict verdict,
    struct lookup_result *result, uint64_t now_ns)
{
	return hear(ls, l, msg, verdict, result, now_ns);
}

/* --- to an attempt that was given up (RULES D27) ---------------------------------------------- */

/*
 * While another attempt is in its wait or about to be sent, a reply that ends its lookup or leads
 * on counts, and that attempt stands by; but none leads away from one that confirms or checks a
 * reply. Of an error is noted whose it is.
 */

/* Does MSG, a right reply to L's present attempt, end L with nothing more to be asked? */
static bool
is_final(const struct lookup *l, const struct msg *msg, enum msg_verdict verdict)
{
	if (l->probe.is || l->message.bytes != NULL)
		return true;
	if (verdict != MSG_OK || l->check == LOOKUP_CHECK_CD)
		return false;
	if (l->check == LOOKUP_CHECK_AGAIN && msg->rcode == DNS_SERVFAIL)
		return true; /* the data is bogus */
	return !(msg->flags & DNS_TC) && !match_is_error(msg) && !match_is_lame(msg);
}

/*
 * Does MSG, a right reply to L's present attempt, lead to a further question, or say that the data
 * is bogus? Then it is more than a failure of its upstream.
 */
static bool
leads_on(const struct lookup *l, const struct msg *msg, enum msg_verdict verdict)
{
	if (verdict != MSG_OK)
		return false;
	if (msg->flags & DNS_TC || match_rejects_edns(l, msg))
		return true;
	if (msg->rcode == DNS_BADCOOKIE) /* once, or two attempts would lead on in turn for ever */
		return l->now.cookie && !l->here.cookie_bad;
	return msg->rcode == DNS_SERVFAIL && !l->key.cd &&
	    (match_is_checked(l) || msg_ede_dnssec(msg) != DNS_EDE_NONE);
}

/* L's upstream gave an error while another one is awaited: it counts if that one is silent. */
static void
note_error(struct lookup *l, uint16_t rcode)
{
	if (rcode == DNS_NOERROR || rcode == DNS_BADVERS || rcode == DNS_BADCOOKIE)
		rcode = DNS_SERVFAIL;
	if (l->tried.late_rcode == DNS_NOERROR || l->tried.late_rcode == DNS_SERVFAIL)
		l->tried.late_rcode = rcode;
	l->tried.errored |= UINT64_C(1) << l->upstream;
}

/* What L was about before lookup_recall made an attempt that was given up its present one. */
struct before {
	uint8_t space; /* of the attempt that was in flight */
	uint16_t id;
	uint16_t upstream;
	uint8_t progress;
	uint8_t check;
	bool queued; /* to be sent, or to end with its truncated reply, when no input is left */
};

/* Undo lookup_recall: L goes on with what it was about. DROP: the attempt recalled has ended. */
static void
put_back(struct lookups *ls, struct lookup *l, const struct before *b, bool drop)
{
	struct attempt *a;

	if (!b->queued) {
		a = lookup_recall(ls, l, b->space, b->id);
		if (drop)
			lookup_drop(ls, l, a);
		return;
	}
	if (drop)
		lookup_stop_attempt(ls, l);
	else
		lookup_shelve(ls, l);
	wheel_clear(ls->wheel, &l->timer); /* it may have waited for a TCP connection */
	l->progress = b->progress;
	l->upstream = b->upstream;
	l->check = b->check;
	list_push(b->progress == LOOKUP_TO_ASK ? &ls->unsent.now : &ls->ending, &l->link);
}

/*
 * Was L about to get a reply to the very question of a check that MSG replies to? Not one that is
 * to confirm what is suspect, nor the second BADCOOKIE (see leads_on).
 */
static bool
is_awaited(const struct lookup *l, const struct before *b, const struct msg *msg)
{
	if (l->check != b->check || l->upstream != b->upstream || b->progress == LOOKUP_ENDING)
		return false;
	return l->check != LOOKUP_CHECK_NONE && l->here.suspect == LOOKUP_NO_SUSPECT &&
	    (msg->rcode != DNS_BADCOOKIE || !l->here.cookie_bad);
}

/* Is MSG an error? Neither what CD brings is one, nor that TCP or a cookie is to be used. */
static bool
is_late_error(const struct lookup *l, const struct msg *msg)
{
	if (!match_is_error(msg) &&
	    (l->check == LOOKUP_CHECK_CD ||
		(msg->flags & DNS_TC && l->progress == LOOKUP_ASKED_DATAGRAM)))
		return false;
	return msg->rcode != DNS_BADCOOKIE || !l->now.cookie;
}

/*
 * MSG, come by IN, has the ID of an attempt of L that was given up (match_is_late). True: that
 * attempt is L's present one now, and MSG is to be taken as the reply to it. False: L goes on as
 * before, and what MSG says of its upstream has been noted.
 */
static __attribute__((noinline)) bool
recall(struct lookups *ls, struct lookup *l, const struct packet_in *in, const struct msg *msg,
    enum msg_verdict verdict, uint64_t now_ns)
{
	const struct before before = { .space = l->now.space,
		.id = l->now.id,
		.upstream = l->upstream,
		.progress = l->progress,
		.check = l->check,
		.queued = l->progress == LOOKUP_TO_ASK || l->progress == LOOKUP_ENDING };
	enum antispoof_match match;
	bool awaited = (lookup_in_flight(l) && !l->now.silent) || before.queued;
	bool bound = l->here.suspect != LOOKUP_NO_SUSPECT || l->check != LOOKUP_CHECK_NONE ||
	    l->stream.plan == LOOKUP_STREAM_HERE || l->progress == LOOKUP_ENDING;

	(void)lookup_recall(ls, l, match_space(ls, in), msg->id);
	if (l->wait == LOOKUP_LINGERS &&
	    (match_attempt(ls, l, msg) != ANTISPOOF_SAME || !is_final(l, msg, verdict))) {
		lookup_shelve(ls, l); /* nobody waits: nothing is asked for it any more */
		return false;
	}
	if (!awaited)
		return true;
	match = match_attempt(ls, l, msg);
	if (match != ANTISPOOF_SAME) {
		antispoof_count(ls->stats, match);
		put_back(ls, l, &before, false);
		return false;
	}
	if (is_final(l, msg, verdict) || (!bound && leads_on(l, msg, verdict)) ||
	    is_awaited(l, &before, msg)) {
		if (l->upstream != before.upstream)
			antispoof_forget(l);
		return true;
	}
	match_note(ls, l, msg, verdict, now_ns);
	if (UNLIKELY(ls->traced.anybody))
		trace_reply(ls, l, msg, now_ns);
	if (verdict != MSG_OK || is_late_error(l, msg))
		note_error(l, verdict == MSG_OK ? msg->rcode : DNS_SERVFAIL);
	put_back(ls, l, &before, true);
	return false;
}

/* --- all that comes --------------------------------------------------------------------------- */

bool
reply_spoilt(const struct lookups *ls, const struct packet_in *in)
{
	return !transport_is_stream(in->from.transport) &&
	    id_attack_given_up(&ls->upstreams->sockets[in->from.sock]);
}

struct lookup *
reply_on_message(struct lookups *ls, const struct packet_in *in, struct msg *msg,
    struct lookup_result *result, uint64_t now_ns)
{
	enum msg_verdict verdict = msg_parse_reply(msg, in->msg, in->len);
	struct lookup *l = match_lookup(ls, in, msg, verdict, now_ns);

	if (l == NULL) {
		if (UNLIKELY(reply_spoilt(ls, in)))
			loss_on_given_up(ls, in->from.sock, now_ns);
		return NULL;
	}
	/* RDATA of a signed message is not checked: the client judges it (RULES D20). */
	if (UNLIKELY(verdict == MSG_UNSOUND && l->message.bytes != NULL))
		verdict = MSG_OK;
	if (UNLIKELY(match_is_late(ls, l, in, msg->id)))
		return recall(ls, l, in, msg, verdict, now_ns)
		    ? hear_seldom(ls, l, msg, verdict, result, now_ns)
		    : NULL;
	return hear(ls, l, msg, verdict, result, now_ns);
}

void
reply_warm(const struct lookups *ls, const struct packet_in *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i].len < DNS_HEADER_LEN)
			continue;
		__builtin_prefetch(&ls->spaces[ls->upstreams->sockets[in[i].from.sock].space]
					.owner[header_id(in[i].msg)]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct txid_owner *owner;

		if (in[i].len < DNS_HEADER_LEN)
			continue;
		owner = &ls->spaces[ls->upstreams->sockets[in[i].from.sock].space]
			     .owner[header_id(in[i].msg)];
		if (owner->socket == in[i].from.sock)
			__builtin_prefetch(lookup_at(ls, owner->lookup));
	}
}
