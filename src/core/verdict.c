/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/verdict.h"

#include "base/clock.h"
#include "core/attempt.h"
#include "core/cache.h"
#include "core/sieve.h"
#include "dns/name.h"
#include "dns/wire.h"

/* --- what came back --- */

/* NOERROR with neither answer nor SOA but NS: a referral, which a resolver does not give (RULES
 * D1). */
static bool
is_lame(const struct msg *m)
{
	return m->ns && !m->soa && m->rcode == DNS_NOERROR && m->count[MSG_ANSWER] == 0;
}

/* Extended errors that say "it did not validate" (RULES D3). */
static bool
is_dnssec_ede(uint16_t ede)
{
	return ede == DNS_EDE_UNSUPPORTED_DNSKEY || ede == DNS_EDE_UNSUPPORTED_DS ||
	       (ede >= DNS_EDE_INDETERMINATE && ede <= DNS_EDE_NSEC_MISSING) ||
	       ede == DNS_EDE_NSEC3_ITERATIONS;
}

/* SERVFAIL to a question without CD: is the data bogus, or the upstream in trouble? */
static bool
on_servfail(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	if (is_dnssec_ede(msg_ede(msg)))
		return attempt_finish(ls, l, result, LOOKUP_BOGUS, msg);
	if (l->check) {
		l->checking = true;
		return attempt_again(ls, l, l->upstream);
	}
	return attempt_failed(ls, l, result, DNS_SERVFAIL, msg);
}

/* An upstream that does not know EDNS (RFC 6891 section 7): the question again without, not a new
 * try. */
static bool
rejects_edns(const struct lookup *l, const struct msg *m)
{
	return (m->rcode == DNS_FORMERR || m->rcode == DNS_NOTIMP) && !m->edns.present && l->edns &&
	       !l->do_bit;
}

static bool
ask_without_edns(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	ls->upstreams->table[l->upstream].no_edns_until_ns =
	    now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS;
	stats_inc(&ls->stats->upstream_no_edns);
	return attempt_again(ls, l, l->upstream);
}

static bool
on_truncated(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	stats_inc(&ls->stats->upstream_truncated);
	if (l->phase == LOOKUP_ASKED_TCP)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (!l->whole)
		return attempt_finish(ls, l, result, LOOKUP_TRUNCATED, msg);
	l->tcp_only = true;
	return attempt_again(ls, l, l->upstream);
}

/* Again with the cookie that came with it, then by TCP, where there are none (RFC 7873
 * section 5.3). */
static bool
on_badcookie(struct lookups *ls, struct lookup *l)
{
	stats_inc(&ls->stats->upstream_badcookie);
	l->tcp_only = l->tcp_only || l->cookie_bad;
	attempt_again(ls, l, l->upstream);
	l->cookie_bad = true;
	return true;
}

/* The reply is ours. Returns whether L goes on. */
static bool
judge(struct lookups *ls, struct lookup *l, const struct msg *msg, struct lookup_result *result,
    uint64_t now_ns)
{
	if (l->probe)
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	if (UNLIKELY(l->message != NULL)) /* whatever it says is for the client (RULES D20) */
		return attempt_finish(ls, l, result, LOOKUP_REPLY, msg);
	if (rejects_edns(l, msg))
		return ask_without_edns(ls, l, now_ns);
	if (msg->rcode == DNS_BADCOOKIE && l->cookie)
		return on_badcookie(ls, l);
	/* BADVERS and BADCOOKIE concern our own hop and are never passed on (RULES D1). */
	if (msg->rcode == DNS_BADVERS || msg->rcode == DNS_BADCOOKIE)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->checking) {
		if (msg->rcode == DNS_NOERROR || msg->rcode == DNS_NXDOMAIN)
			return attempt_finish(ls, l, result, LOOKUP_BOGUS, NULL);
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	}
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

/* --- is it ours? (RFC 5452 section 9.1) --- */

/* The lookup whose attempt this reply's socket and ID belong to; NULL: none, counted. */
static struct lookup *
match_id(struct lookups *ls, const struct engine_in *in, const struct msg *msg)
{
	bool udp = in->way == ENGINE_UPSTREAM_UDP;
	const struct upstream_socket *socket = udp ? &ls->upstreams->sockets[in->sock] : NULL;
	const struct txid *space = &ls->spaces[udp ? socket->space : 0];
	const struct txid_owner *owner = &space->owner[msg->id];

	if (udp ? owner->socket != in->sock
		: owner->socket != TXID_TCP || owner->upstream != in->sock) {
		stats_inc(&ls->stats->upstream_unknown_id);
		return NULL;
	}
	if (!txid_in_flight(space, msg->id)) {
		stats_inc(&ls->stats->upstream_late);
		return NULL;
	}
	return lookup_at(ls, owner->lookup);
}

static enum sieve_match
match_question(const struct lookup *l, const struct msg *m)
{
	if (m->qname_len == 0)
		/* One that did not understand us may say so without the question (RULES D1). */
		return m->qdcount == 0 && rejects_edns(l, m) ? SIEVE_SAME : SIEVE_OTHER;
	if (m->qname_len != l->qname_len || m->qtype != l->qtype || m->qclass != l->qclass)
		return SIEVE_OTHER;
	return sieve_name(l, msg_qname(m));
}

/* The ID but not the question: somebody guesses. The right reply may still come (reliability:
 * TuDoor). */
static void
on_near_miss(struct lookups *ls, struct lookup *l, enum sieve_match match, const struct msg *msg)
{
	stats_inc(&ls->stats->upstream_mismatch);
	if (match == SIEVE_SUSPECT_CASE || match == SIEVE_SUSPECT_COOKIE) {
		sieve_stop(ls, l,
		    match == SIEVE_SUSPECT_CASE ? LOOKUP_SUSPECT_CASE : LOOKUP_SUSPECT_COOKIE, msg);
		return;
	}
	if (l->phase != LOOKUP_ASKED_UDP || l->message != NULL ||
	    ++l->n_near_misses < LOOKUP_NEAR_MISSES)
		return;
	l->tcp_only = true;
	attempt_again(ls, l, l->upstream);
}

struct lookup *
verdict_on_message(struct lookups *ls, const struct engine_in *in, struct msg *msg,
    struct lookup_result *result, uint64_t now_ns)
{
	enum msg_verdict verdict = msg_parse_reply(msg, in->msg, in->len);
	enum sieve_match match;
	struct lookup *l;
	bool goes_on;

	if (verdict == MSG_SHORT) {
		stats_inc(&ls->stats->upstream_short);
		return NULL;
	}
	if (!(msg->flags & DNS_QR) || (msg->flags & DNS_OPCODE) != 0) {
		stats_inc(&ls->stats->upstream_not_reply);
		return NULL;
	}
	l = match_id(ls, in, msg);
	if (l == NULL)
		return NULL;
	/* Nobody looks into what is signed: it is for the client to judge (RULES D20). */
	if (UNLIKELY(verdict == MSG_UNSOUND && l->message != NULL))
		verdict = MSG_OK;
	match = match_question(l, msg);
	if (match == SIEVE_SAME && l->cookie && !sieve_cookie_right(ls, l, msg))
		match = SIEVE_SUSPECT_COOKIE;
	if (UNLIKELY(match != SIEVE_SAME)) {
		on_near_miss(ls, l, match, verdict == MSG_OK ? msg : NULL);
		return NULL;
	}
	stats_inc(&ls->stats->upstream_replies);
	if (UNLIKELY(upstreams_on_reply(ls->upstreams, l->upstream, ls->wheel, now_ns)) &&
	    ls->conf->cache != NULL)
		cache_revived(ls->conf->cache, 0, (uint32_t)(now_ns / NS_PER_SEC));
	if (UNLIKELY(verdict != MSG_OK)) {
		stats_inc(&ls->stats->upstream_malformed);
		goes_on = attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	} else {
		if (UNLIKELY(l->suspect != LOOKUP_NO_SUSPECT))
			sieve_confirm(ls, l, msg, now_ns);
		sieve_unmix(ls, l, msg);
		goes_on = judge(ls, l, msg, result, now_ns);
	}
	return goes_on ? NULL : l;
}

void
verdict_prefetch(const struct lookups *ls, const struct engine_in *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (in[i].way != ENGINE_UPSTREAM_UDP || in[i].len < DNS_HEADER_LEN)
			continue;
		__builtin_prefetch(&ls->spaces[ls->upstreams->sockets[in[i].sock].space]
					.owner[wire_u16(in[i].msg)]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct txid_owner *owner;

		if (in[i].way != ENGINE_UPSTREAM_UDP || in[i].len < DNS_HEADER_LEN)
			continue;
		owner = &ls->spaces[ls->upstreams->sockets[in[i].sock].space]
			     .owner[wire_u16(in[i].msg)];
		if (owner->socket == in[i].sock)
			__builtin_prefetch(lookup_at(ls, owner->lookup));
	}
}
