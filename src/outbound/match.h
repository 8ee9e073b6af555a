/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_MATCH_H
#define DNS64D_OUTBOUND_MATCH_H

/*
 * match: whose reply a message from upstream is (RFC 5452 section 9.1), and what it tells of that
 * upstream.
 *
 * A reply has the ID of an attempt in flight, comes by the attempt's socket or connection, and has
 * its question and cookie; outbound/antispoof compares the name's case and the cookie.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "cache/cache.h"
#include "core/packet.h"
#include "dns/msg.h"
#include "outbound/antispoof.h"
#include "outbound/health.h"
#include "outbound/id_attack.h"
#include "outbound/lookup.h"

/*
 * match_lookup: the lookup with an attempt that MSG, come by IN, has the ID of. NULL: none;
 * counted.
 */
MUST_USE struct lookup *match_lookup(struct lookups *ls, const struct packet_in *in,
    const struct msg *msg, enum msg_verdict verdict, uint64_t now_ns);

/*
 * match_sent_ns: does what came by IN, short or malformed as it may be, have the ID of an attempt
 * in flight, or of one that may still be answered? *SENT_NS gets when that was sent. Nothing is
 * counted, nothing changes.
 */
MUST_USE bool match_sent_ns(
    const struct lookups *ls, const struct packet_in *in, uint64_t *sent_ns);

/* match_space: the ID space of what came by IN. */
MUST_USE static inline unsigned
match_space(const struct lookups *ls, const struct packet_in *in)
{
	return transport_is_stream(in->from.transport)
	    ? 0
	    : ls->upstreams->sockets[in->from.sock].space;
}

/* match_is_late: is the reply with ID, which came by IN, one to an attempt that L gave up? */
MUST_USE static inline bool
match_is_late(
    const struct lookups *ls, const struct lookup *l, const struct packet_in *in, uint16_t id)
{
	return !lookup_in_flight(l) || id != l->now.id || match_space(ls, in) != l->now.space;
}

/*
 * match_rejects_edns: does M say that the upstream does not support EDNS (RFC 6891 section 7)? Then
 * the question goes out again without EDNS; that does not count as a retry.
 */
MUST_USE static inline bool
match_rejects_edns(const struct lookup *l, const struct msg *m)
{
	return (m->rcode == DNS_FORMERR || m->rcode == DNS_NOTIMP) && !m->edns.present &&
	    l->now.edns && !l->key.do_bit;
}

/* match_is_error: has M another rcode than NOERROR and NXDOMAIN? */
MUST_USE static inline bool
match_is_error(const struct msg *m)
{
	return m->rcode != DNS_NOERROR && m->rcode != DNS_NXDOMAIN;
}

/*
 * match_is_lame: is M a referral: NOERROR with NS, but neither answer nor SOA? A resolver gives
 * none (RULES D1).
 */
MUST_USE static inline bool
match_is_lame(const struct msg *m)
{
	return m->ns && !m->soa && m->rcode == DNS_NOERROR && m->count[MSG_ANSWER] == 0;
}

/*
 * match_is_checked: must SERVFAIL to L be checked (RULES D3)? Yes for every AAAA, whoever waits, so
 * that the entry in the cache means the same to all.
 */
MUST_USE static inline bool
match_is_checked(const struct lookup *l)
{
	return l->key.qtype == DNS_TYPE_AAAA && l->key.qclass == DNS_CLASS_IN;
}

/*
 * match_learn: update what is known of the upstream's guards and EDNS from M, a right reply to L.
 */
void match_learn(struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns);

/*
 * match_forgets_edns: does M, over UDP, refuse the EDNS of an upstream that speaks EDNS? To forge
 * that takes no more than port and ID: only TCP can confirm it, if it is to be had.
 */
MUST_USE bool match_forgets_edns(
    const struct lookups *ls, const struct lookup *l, const struct msg *m);

/* match_question: is M the reply to L's present attempt, by its question? */
MUST_USE static inline enum antispoof_match
match_question(const struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	if (m->qname_len == 0)
		/* An upstream that does not support EDNS may omit the question (RULES D1). */
		return m->qdcount == 0 && match_rejects_edns(l, m) ? ANTISPOOF_SAME
								   : ANTISPOOF_OTHER;
	if (m->qname_len != l->key.qname_len || m->qtype != l->key.qtype ||
	    m->qclass != l->key.qclass)
		return ANTISPOOF_OTHER;
	return antispoof_name(ls, l, msg_qname(m));
}

/* match_attempt: is M the reply to L's present attempt, by its question and its cookie? */
MUST_USE static inline enum antispoof_match
match_attempt(struct lookups *ls, const struct lookup *l, const struct msg *m)
{
	enum antispoof_match match = match_question(ls, l, m);

	if (match == ANTISPOOF_SAME && l->now.cookie && !antispoof_cookie_right(ls, l, m))
		return ANTISPOOF_SUSPECT_COOKIE;
	if (match == ANTISPOOF_SAME &&
	    UNLIKELY(m->rcode == DNS_FORMERR || m->rcode == DNS_NOTIMP) &&
	    match_forgets_edns(ls, l, m))
		return ANTISPOOF_SUSPECT_EDNS;
	return match;
}

/* match_ways: what MSG, the reply to L, shows of what gets through to L's upstream. */
void match_ways(struct lookups *ls, const struct lookup *l, const struct msg *msg, uint64_t now_ns);

/* match_revive: upstream U replies, and perhaps did not before. */
static inline void
match_revive(struct lookups *ls, unsigned u, uint64_t now_ns)
{
	if (UNLIKELY(health_on_reply(ls->upstreams, u, now_ns)) && ls->conf->cache != NULL)
		cache_revived(ls->conf->cache, clock_s(ls->upstreams->table[u].failures.since_ns),
		    clock_s(now_ns));
}

/* match_note: note what MSG, which passed all guards, says of L's upstream. */
static inline __attribute__((always_inline)) void
match_note(struct lookups *ls, struct lookup *l, const struct msg *msg, enum msg_verdict verdict,
    uint64_t now_ns)
{
	struct upstreams *us = ls->upstreams;
	enum upstream_over over = l->now.over;

	stats_inc(&ls->stats->upstream_replies);
	if (UNLIKELY(transport_is_stream(l->now.transport))) {
		tcp_conn_served(lookup_conn(ls, &l->now));
		id_attack_on_tcp_reply(ls, &l->now, now_ns);
	}
	if (UNLIKELY(l->now.silent)) {
		stats_inc(&ls->stats->upstream_overdue);
		us->table[l->upstream].tally.late++;
	}
	if (UNLIKELY(verdict != MSG_OK || msg->rcode != DNS_NOERROR))
		upstreams_on_rcode(
		    &us->table[l->upstream], verdict == MSG_OK ? msg->rcode : UINT16_MAX);
	/* A reply with CD says nothing about replies without it. */
	if (l->check != LOOKUP_CHECK_CD)
		health_on_rcode(
		    us, l->upstream, over, verdict == MSG_OK ? msg->rcode : UINT16_MAX, now_ns);
	us->table[l->upstream].edns.spoken |= msg->edns.present;
	upstreams_learn(us, l->upstream, over, now_ns - l->now.sent_ns, now_ns);
	if (UNLIKELY(
		(us->table[l->upstream].ways.n_large | us->table[l->upstream].ways.n_aaaa) != 0 ||
		over == UPSTREAM_FALLBACK))
		match_ways(ls, l, msg, now_ns);
	/* A probe by another way than questions go shows nothing of that. */
	if (!l->probe.is || l->probe.way >= WAYS)
		match_revive(ls, l->upstream, now_ns);
}

#endif
