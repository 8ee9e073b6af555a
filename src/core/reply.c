/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/reply.h"

#include "base/clock.h"
#include "cache/cache.h"
#include "core/antispoof.h"
#include "core/attempt.h"
#include "core/health.h"
#include "dns/answer.h"
#include "dns/header.h"
#include "dns/name.h"

/* --- what came back --------------------------------------------------------------------------- */

/*
 * Is M a referral: NOERROR with NS, but neither answer nor SOA? A resolver gives none (RULES D1).
 */
static bool
is_lame(const struct msg *m)
{
	return m->ns && !m->soa && m->rcode == DNS_NOERROR && m->count[MSG_ANSWER] == 0;
}

/*
 * Must SERVFAIL to L be checked (RULES D3)? Yes for every AAAA, whoever waits, so that the entry in
 * the cache means the same to all.
 */
static bool
is_checked(const struct lookup *l)
{
	return l->qtype == DNS_TYPE_AAAA && l->qclass == DNS_CLASS_IN;
}

/* Handle SERVFAIL to a question without CD: the data is bogus, or the upstream is in trouble. */
static bool
on_servfail(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	if (msg_ede_dnssec(msg) != DNS_EDE_NONE)
		return attempt_finish(ls, l, result, LOOKUP_BOGUS, msg);
	if (is_checked(l)) {
		l->check = LOOKUP_CHECK_CD;
		return attempt_again(ls, l, l->upstream);
	}
	return attempt_failed(ls, l, result, DNS_SERVFAIL, msg);
}

/*
 * Handle the reply to the question with CD. Data in it means that it does not validate, or that the
 * upstream's trouble is over. Repeating the first question shows which; the data itself is not
 * used.
 */
static bool
on_checked(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	if (msg->rcode != DNS_NOERROR && msg->rcode != DNS_NXDOMAIN)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	l->check = LOOKUP_CHECK_AGAIN;
	return attempt_again(ls, l, l->upstream);
}

/*
 * Does M say that the upstream does not support EDNS (RFC 6891 section 7)? Then the question goes
 * out again without EDNS; that does not count as a retry.
 */
static bool
rejects_edns(const struct lookup *l, const struct msg *m)
{
	return (m->rcode == DNS_FORMERR || m->rcode == DNS_NOTIMP) && !m->edns.present &&
	    l->now.edns && !l->do_bit;
}

static bool
ask_without_edns(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	upstreams_on_no_edns(ls->upstreams, l->upstream, l->now.socket, now_ns);
	l->no_edns = true;
	stats_inc(&ls->stats->upstream_no_edns);
	return attempt_again(ls, l, l->upstream);
}

/* Does the truncated reply M have real AAAA? Then nothing may be synthesized. */
static bool
has_real_aaaa(const struct lookup *l, const struct msg *m)
{
	struct answer a;

	if (l->qtype != DNS_TYPE_AAAA || l->qclass != DNS_CLASS_IN || m->rcode != DNS_NOERROR)
		return false;
	answer_scan(m, DNS_TYPE_AAAA, &a);
	return a.kind == ANSWER_DATA;
}

static bool
on_truncated(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	stats_inc(&ls->stats->upstream_truncated);
	if (l->progress == LOOKUP_ASKED_TCP)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (!l->whole)
		return attempt_finish(ls, l, result, LOOKUP_TRUNCATED, msg);
	if (has_real_aaaa(l, msg))
		lookup_keep_truncated(ls, l, msg);
	l->tcp_only = true;
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
	l->tcp_only = l->tcp_only || l->cookie_bad;
	attempt_again(ls, l, l->upstream);
	l->cookie_bad = true;
	return true;
}

/*
 * The reply is L's, but its framing or an RDATA is malformed (RULES D25). Returns whether L goes
 * on.
 */
static bool
on_malformed(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	stats_inc(&ls->stats->upstream_malformed);
	return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
}

/* The reply is L's: act on it. Returns whether L goes on. */
static inline __attribute__((always_inline)) bool
judge(struct lookups *ls, struct lookup *l, const struct msg *msg, struct lookup_result *result,
    uint64_t now_ns)
{
	if (l->probe)
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	if (UNLIKELY(l->message != NULL)) /* the client judges the reply (RULES D20) */
		return attempt_finish(ls, l, result, LOOKUP_REPLY, msg);
	if (rejects_edns(l, msg))
		return ask_without_edns(ls, l, now_ns);
	if (msg->rcode == DNS_BADCOOKIE && l->now.cookie)
		return on_badcookie(ls, l);
	/* BADVERS and BADCOOKIE concern our own hop and are never relayed (RULES D1). */
	if (msg->rcode == DNS_BADVERS || msg->rcode == DNS_BADCOOKIE)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->check == LOOKUP_CHECK_CD)
		return on_checked(ls, l, result, msg);
	if (l->check == LOOKUP_CHECK_AGAIN && msg->rcode == DNS_SERVFAIL)
		return attempt_finish(ls, l, result, LOOKUP_BOGUS, NULL);
	if (msg->flags & DNS_TC)
		return on_truncated(ls, l, result, msg);
	if (msg->rcode == DNS_SERVFAIL && !l->cd)
		return on_servfail(ls, l, result, msg);
	if (is_lame(msg)) {
		stats_inc(&ls->stats->upstream_lame);
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	}
	if (msg->rcode != DNS_NOERROR && msg->rcode != DNS_NXDOMAIN)
		return attempt_failed(ls, l, result, msg->rcode, msg);
	return attempt_finish(ls, l, result, LOOKUP_REPLY, msg);
}

/* --- is it ours? (RFC 5452 section 9.1) ------------------------------------------------------- */

/* Find the lookup by the reply's socket and ID. NULL: none; counted. */
static struct lookup *
match_id(struct lookups *ls, const struct packet_in *in, const struct msg *msg, uint64_t now_ns)
{
	bool udp = in->way == PACKET_UPSTREAM_UDP;
	const struct upstream_socket *socket = udp ? &ls->upstreams->sockets[in->sock] : NULL;
	const struct txid *space = &ls->spaces[udp ? socket->space : 0];
	const struct txid_owner *owner = &space->owner[msg->id];

	if (!udp)
		channel_heard(upstreams_channel(ls->upstreams, in->sock), now_ns);
	if (udp ? owner->socket != in->sock : !lookup_went_by(owner, in->sock)) {
		stats_inc(&ls->stats->upstream_unknown_id);
		return NULL;
	}
	if (!txid_in_flight(space, msg->id)) {
		stats_inc(&ls->stats->upstream_late);
		return NULL;
	}
	return lookup_at(ls, owner->lookup);
}

/* Is the reply with ID, which came by IN, one to an attempt that L gave up? */
static inline bool
is_late(const struct lookups *ls, const struct lookup *l, const struct packet_in *in, uint16_t id)
{
	unsigned space =
	    in->way == PACKET_UPSTREAM_UDP ? ls->upstreams->sockets[in->sock].space : 0;

	return !lookup_in_flight(l) || id != l->now.id || space != l->now.space;
}

static enum antispoof_match
match_question(const struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	if (m->qname_len == 0)
		/* An upstream that does not support EDNS may omit the question (RULES D1). */
		return m->qdcount == 0 && rejects_edns(l, m) ? ANTISPOOF_SAME : ANTISPOOF_OTHER;
	if (m->qname_len != l->qname_len || m->qtype != l->qtype || m->qclass != l->qclass)
		return ANTISPOOF_OTHER;
	return antispoof_name(ls, l, msg_qname(m));
}

/* Is M the reply to L's present attempt, by its question and its cookie? */
static inline enum antispoof_match
match_attempt(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	enum antispoof_match match = match_question(ls, l, m);

	if (match == ANTISPOOF_SAME && l->now.cookie && !antispoof_cookie_right(ls, l, m))
		return ANTISPOOF_SUSPECT_COOKIE;
	return match;
}

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
	stats_inc(&ls->stats->upstream_mismatch);
	if (match == ANTISPOOF_SUSPECT_CASE)
		return stop(ls, l, LOOKUP_SUSPECT_CASE, msg, now_ns);
	if (match == ANTISPOOF_SUSPECT_COOKIE)
		return stop(ls, l, LOOKUP_SUSPECT_COOKIE, msg, now_ns);
	if (l->progress == LOOKUP_ASKED_UDP && l->message == NULL &&
	    ++l->n_near_misses >= LOOKUP_NEAR_MISSES) {
		l->tcp_only = true;
		attempt_again(ls, l, l->upstream);
	}
	return ANTISPOOF_STOPPED;
}

/* Find the lookup that the message is a reply to. NULL: none; counted. */
static struct lookup *
match_lookup(struct lookups *ls, const struct packet_in *in, const struct msg *msg,
    enum msg_verdict verdict, uint64_t now_ns)
{
	if (verdict == MSG_SHORT) {
		stats_inc(&ls->stats->upstream_short);
		return NULL;
	}
	if (!(msg->flags & DNS_QR) || (msg->flags & DNS_OPCODE) != 0) {
		stats_inc(&ls->stats->upstream_not_reply);
		return NULL;
	}
	return match_id(ls, in, msg, now_ns);
}

/* Update what is known of the upstream's guards and EDNS from a right reply. */
static __attribute__((noinline)) void
learn(struct lookups *ls, const struct lookup *l, const struct msg *msg)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	if (msg->edns.present)
		up->no_edns_on = UPSTREAM_NONE;
	up->watched = antispoof_right(ls, l, msg) || up->no_edns_on != UPSTREAM_NONE;
}

/* Note what MSG, which passed all guards, says of L's upstream. */
static inline __attribute__((always_inline)) void
note_reply(struct lookups *ls, struct lookup *l, const struct msg *msg, enum msg_verdict verdict,
    uint64_t now_ns)
{
	struct upstreams *us = ls->upstreams;
	enum upstream_over over = lookup_over(&l->now);

	stats_inc(&ls->stats->upstream_replies);
	if (UNLIKELY(l->now.silent)) {
		stats_inc(&ls->stats->upstream_overdue);
		us->table[l->upstream].tally.late++;
	}
	/* A reply with CD says nothing about replies without it. */
	if (l->check != LOOKUP_CHECK_CD)
		health_on_rcode(
		    us, l->upstream, over, verdict == MSG_OK ? msg->rcode : UINT16_MAX, now_ns);
	upstreams_learn(us, l->upstream, over, now_ns - l->now.sent_ns, now_ns);
	if (UNLIKELY(health_on_reply(us, l->upstream, now_ns)) && ls->conf->cache != NULL)
		cache_revived(
		    ls->conf->cache, clock_s(us->table[l->upstream].failing_ns), clock_s(now_ns));
}

/* Take MSG, which passed all guards, as the reply to L. Returns whether L goes on. */
static inline __attribute__((always_inline)) bool
take(struct lookups *ls, struct lookup *l, struct msg *msg, enum msg_verdict verdict,
    struct lookup_result *result, uint64_t now_ns)
{
	note_reply(ls, l, msg, verdict, now_ns);
	if (UNLIKELY(verdict != MSG_OK))
		return on_malformed(ls, l, result);
	if (UNLIKELY(l->suspect != LOOKUP_NO_SUSPECT))
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

	if (UNLIKELY(match != ANTISPOOF_SAME))
		stopped = on_near_miss(ls, l, match, verdict == MSG_OK ? msg : NULL, now_ns);
	else if (UNLIKELY(ls->upstreams->table[l->upstream].watched))
		learn(ls, l, msg);
	if (stopped == ANTISPOOF_STOPPED)
		return NULL;
	if (stopped == ANTISPOOF_HOPELESS)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL) ? NULL : l;
	return take(ls, l, msg, verdict, result, now_ns) ? NULL : l;
}

/* Does MSG, a right reply to L's present attempt, end L with nothing more to be asked? */
static bool
is_final(const struct lookup *l, const struct msg *msg, enum msg_verdict verdict)
{
	if (l->probe || l->message != NULL)
		return true;
	return verdict == MSG_OK && l->check != LOOKUP_CHECK_CD && !(msg->flags & DNS_TC) &&
	    (msg->rcode == DNS_NOERROR || msg->rcode == DNS_NXDOMAIN) && !is_lame(msg);
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
	if (msg->flags & DNS_TC || rejects_edns(l, msg))
		return true;
	if (msg->rcode == DNS_BADCOOKIE) /* once, or two attempts would lead on in turn for ever */
		return l->now.cookie && !l->cookie_bad;
	return msg->rcode == DNS_SERVFAIL && !l->cd &&
	    (is_checked(l) || msg_ede_dnssec(msg) != DNS_EDE_NONE);
}

/* L's upstream gave an error while another one is awaited: it counts if that one is silent. */
static void
note_error(struct lookup *l, uint16_t rcode)
{
	if (rcode == DNS_NOERROR || rcode == DNS_BADVERS || rcode == DNS_BADCOOKIE)
		rcode = DNS_SERVFAIL;
	if (l->late_rcode == DNS_NOERROR || l->late_rcode == DNS_SERVFAIL)
		l->late_rcode = rcode;
	l->errored |= UINT64_C(1) << l->upstream;
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
	l->progress = b->progress;
	l->upstream = b->upstream;
	l->check = b->check;
	list_push(b->progress == LOOKUP_TO_ASK ? &ls->to_ask : &ls->ending, &l->link);
}

/* The same, where speed does not count. */
static __attribute__((noinline)) struct lookup *
hear_seldom(struct lookups *ls, struct lookup *l, struct msg *msg, enum msg_verdict verdict,
    struct lookup_result *result, uint64_t now_ns)
{
	return hear(ls, l, msg, verdict, result, now_ns);
}

/*
 * MSG has the ID of an attempt of L that was given up, by which L goes on if it may. While another
 * attempt is in its wait or about to be sent, a reply that ends L or leads on counts, and that
 * attempt stands by; but none leads away from one that confirms or checks a reply. Of an error is
 * noted whose it is.
 */
static __attribute__((noinline)) struct lookup *
hear_late(struct lookups *ls, struct lookup *l, const struct packet_in *in, struct msg *msg,
    enum msg_verdict verdict, struct lookup_result *result, uint64_t now_ns)
{
	bool udp = in->way == PACKET_UPSTREAM_UDP;
	const struct before before = { .space = l->now.space,
		.id = l->now.id,
		.upstream = l->upstream,
		.progress = l->progress,
		.check = l->check,
		.queued = l->progress == LOOKUP_TO_ASK || l->progress == LOOKUP_ENDING };
	bool awaited = (lookup_in_flight(l) && !l->now.silent) || before.queued;
	bool bound = l->suspect != LOOKUP_NO_SUSPECT || l->check != LOOKUP_CHECK_NONE ||
	    l->tcp_only || l->progress == LOOKUP_ENDING;

	(void)lookup_recall(ls, l, udp ? ls->upstreams->sockets[in->sock].space : 0, msg->id);
	if (l->lingers &&
	    (match_attempt(ls, l, msg) != ANTISPOOF_SAME || !is_final(l, msg, verdict))) {
		lookup_shelve(ls, l); /* nobody waits: nothing is asked for it any more */
		return NULL;
	}
	if (!awaited)
		return hear_seldom(ls, l, msg, verdict, result, now_ns);
	if (match_attempt(ls, l, msg) != ANTISPOOF_SAME) {
		stats_inc(&ls->stats->upstream_mismatch);
		put_back(ls, l, &before, false);
		return NULL;
	}
	if (is_final(l, msg, verdict) || (!bound && leads_on(l, msg, verdict))) {
		antispoof_forget(l); /* another upstream's near miss is of no interest now */
		return hear_seldom(ls, l, msg, verdict, result, now_ns);
	}
	note_reply(ls, l, msg, verdict, now_ns);
	if (verdict != MSG_OK || msg->rcode != DNS_BADCOOKIE || !l->now.cookie)
		note_error(l, verdict == MSG_OK ? msg->rcode : DNS_SERVFAIL);
	put_back(ls, l, &before, true);
	return NULL;
}

struct lookup *
reply_on_message(struct lookups *ls, const struct packet_in *in, struct msg *msg,
    struct lookup_result *result, uint64_t now_ns)
{
	enum msg_verdict verdict = msg_parse_reply(msg, in->msg, in->len);
	struct lookup *l = match_lookup(ls, in, msg, verdict, now_ns);

	if (l == NULL)
		return NULL;
	/* RDATA of a signed message is not checked: the client judges it (RULES D20). */
	if (UNLIKELY(verdict == MSG_UNSOUND && l->message != NULL))
		verdict = MSG_OK;
	if (UNLIKELY(is_late(ls, l, in, msg->id)))
		return hear_late(ls, l, in, msg, verdict, result, now_ns);
	return hear(ls, l, msg, verdict, result, now_ns);
}

void
reply_warm(const struct lookups *ls, const struct packet_in *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i].way != PACKET_UPSTREAM_UDP || in[i].len < DNS_HEADER_LEN)
			continue;
		__builtin_prefetch(&ls->spaces[ls->upstreams->sockets[in[i].sock].space]
					.owner[header_id(in[i].msg)]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct txid_owner *owner;

		if (in[i].way != PACKET_UPSTREAM_UDP || in[i].len < DNS_HEADER_LEN)
			continue;
		owner = &ls->spaces[ls->upstreams->sockets[in[i].sock].space]
			     .owner[header_id(in[i].msg)];
		if (owner->socket == in[i].sock)
			__builtin_prefetch(lookup_at(ls, owner->lookup));
	}
}
