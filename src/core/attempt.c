/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "dns/build.h"
#include "dns/name.h"

/* --- sending --- */

/* Put L back on the list of attempts to be sent, to upstream U. Always true: L goes on. */
static bool
ask_again(struct lookups *ls, struct lookup *l, uint16_t u)
{
	lookup_stop_attempt(ls, l);
	l->upstream = u;
	l->pinned = true;
	l->phase = LOOKUP_TO_ASK;
	list_push(&ls->to_ask, &l->link);
	return true;
}

/* Whom the next attempt goes to; UPSTREAM_NONE when all have given an error. */
static uint16_t
pick(struct lookups *ls, const struct lookup *l)
{
	bool first = l->n_sends == 0;
	const struct upstream_wish wish = {
		.errored = l->errored,
		.last = first ? UPSTREAM_NONE : l->upstream,
		.prefer = first ? l->upstream : UPSTREAM_NONE,
	};

	return upstreams_pick(ls->upstreams, &wish, ls->rng);
}

/* Begin the next ID space before the last one is full, so that the shell can open its sockets. */
static void
grow_spaces(struct lookups *ls)
{
	if (ls->n_spaces == ENGINE_MAX_SPACES ||
	    txid_room(&ls->spaces[ls->n_spaces - 1]) > TXID_COUNT / 8)
		return;
	txid_init(&ls->spaces[ls->n_spaces]);
	ls->n_spaces++;
}

static bool
take_id(struct lookups *ls, struct lookup *l, unsigned space, uint16_t socket)
{
	const struct txid_owner owner = {
		.lookup = l->number, .socket = socket, .upstream = l->upstream
	};

	if (!txid_take(&ls->spaces[space], ls->rng, &owner, &l->id))
		return false;
	l->space = (uint8_t)space;
	l->socket = socket;
	return true;
}

/* An ID and a socket of the lowest space that has both. */
static bool
go_udp(struct lookups *ls, struct lookup *l)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	for (unsigned s = 0; s < ls->n_spaces; s++) {
		uint32_t reserved = s == 0 ? LOOKUP_TCP_IDS : 0;

		if (up->socket[s] < 0 || txid_room(&ls->spaces[s]) <= reserved)
			continue;
		if (!take_id(ls, l, s, (uint16_t)up->socket[s]))
			continue;
		l->phase = LOOKUP_ASKED_UDP;
		ls->upstreams->sockets[l->socket].n_open++;
		stats_inc(&ls->stats->upstream_udp);
		grow_spaces(ls);
		return true;
	}
	return false;
}

static bool
go_tcp(struct lookups *ls, struct lookup *l)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	if (!take_id(ls, l, 0, TXID_TCP))
		return false;
	l->phase = LOOKUP_ASKED_TCP;
	list_push(&up->tcp, &l->link);
	up->n_tcp++;
	stats_inc(&ls->stats->upstream_tcp);
	return true;
}

/* L cannot be asked: it ends at the next tick. */
static void
give_up(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->n_silent = UINT8_MAX;
	wheel_set(ls->wheel, &l->timer, now_ns);
}

/*
 * Repeating a question to one that is down would only add to its load and ours: the probe tells
 * when it is back, and the attempt after that is sent.
 */
static bool
is_in_vain(const struct lookups *ls, const struct lookup *l, uint16_t u)
{
	return l->n_silent > 0 && l->upstream == u && ls->upstreams->table[u].down;
}

/* Take upstream, transport and ID for the next attempt. False: it waits for its timeout unsent. */
static bool
begin(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	/* One that is no longer configured gets no new questions, and its number may be gone. */
	bool stay = l->pinned && ls->upstreams->table[l->upstream].active;
	uint16_t u = stay ? l->upstream : pick(ls, l);

	l->pinned = false;
	l->checking = l->checking && stay;
	if (l->n_sends < UINT8_MAX)
		l->n_sends++;
	l->phase = LOOKUP_UNSENT;
	wheel_set(ls->wheel, &l->timer, now_ns + ls->upstreams->timeout_ns);
	if (u == UPSTREAM_NONE) {
		give_up(ls, l, now_ns);
		return false;
	}
	if (is_in_vain(ls, l, u))
		return false;
	l->upstream = u;
	if (l->tcp || l->tcp_only ? go_tcp(ls, l) : go_udp(ls, l))
		return true;
	if (ls->upstreams->table[u].socket[0] >= 0 || l->tcp || l->tcp_only) {
		/* Not the network's fault: trying again later would only add to the load. */
		stats_inc(&ls->stats->ids_exhausted);
		give_up(ls, l, now_ns);
	}
	return false;
}

static size_t
write_question(struct lookups *ls, struct lookup *l, uint8_t *buf, uint64_t now_ns)
{
	const struct build_opt opt = { .do_bit = l->do_bit,
		.bufsize = ls->conf->udp_size_upstream,
		.ede = DNS_EDE_NONE,
		/* DO cannot be said without an OPT, even to one that is bad at it. */
		.present =
		    l->do_bit || ls->upstreams->table[l->upstream].no_edns_until_ns <= now_ns };

	l->edns = opt.present;
	return build_query(
	    buf, ENGINE_UDP_CAP, l->id, l->qname, l->qtype, l->qclass, l->cd || l->checking, &opt);
}

bool
attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct engine_send *send, uint64_t now_ns)
{
	struct list *link;

	while ((link = list_pop(&ls->to_ask)) != NULL) {
		struct lookup *l = LIST_OBJECT(link, struct lookup, link);
		bool by_tcp;

		if (!begin(ls, l, now_ns))
			continue;
		by_tcp = l->phase == LOOKUP_ASKED_TCP;
		send->way = by_tcp ? ENGINE_UPSTREAM_TCP : ENGINE_UPSTREAM_UDP;
		send->sock = by_tcp ? l->upstream : l->socket;
		send->gen = 0;
		send->len = write_question(ls, l, by_tcp ? tcp : udp, now_ns);
		return true;
	}
	return false;
}

/* --- what came back --- */

static bool
finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg)
{
	bool failed = outcome == LOOKUP_ERROR || outcome == LOOKUP_SILENT;

	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->best_rcode;
	result->upstream = l->upstream;
	result->msg = msg;
	if (failed && !l->probe)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

/*
 * This upstream gave RCODE, which is no answer: the next one, each once (rules.md D4). MSG: the
 * reply if it may be passed on. Returns whether L goes on.
 */
static bool
on_error(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
    const struct msg *msg)
{
	uint16_t next;

	stats_inc(&ls->stats->upstream_errors);
	l->errored |= 1ULL << l->upstream;
	l->checking = false;
	l->tcp_only = false;
	/* Of several errors any other says more than SERVFAIL. */
	if (l->best_rcode == DNS_NOERROR || l->best_rcode == DNS_SERVFAIL)
		l->best_rcode = rcode;
	next = pick(ls, l);
	if (next != UPSTREAM_NONE)
		return ask_again(ls, l, next);
	return finish(ls, l, result, LOOKUP_ERROR, rcode == l->best_rcode ? msg : NULL);
}

/* An attempt ended without any reply. Returns whether L goes on. */
static bool
on_silence(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	uint32_t most = LOOKUP_SENDS_EACH * ls->upstreams->n_order;
	uint16_t next;

	if (l->checking)
		return on_error(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->n_silent < UINT8_MAX)
		l->n_silent++;
	/* A TCP client's question falls back to UDP if TCP cannot be had (rules.md D11). */
	l->tcp = false;
	if (!l->probe && l->n_silent <= ls->conf->resend_attempts && l->n_silent < most) {
		next = pick(ls, l);
		l->tcp_only = l->tcp_only && next == l->upstream;
		if (next != UPSTREAM_NONE)
			return ask_again(ls, l, next);
	}
	return finish(
	    ls, l, result, l->best_rcode == DNS_NOERROR ? LOOKUP_SILENT : LOOKUP_ERROR, NULL);
}

/* NOERROR with neither answer nor SOA but NS: a referral, which a resolver does not give (rules.md
 * D1). */
static bool
is_lame(const struct msg *m)
{
	uint16_t n = m->count[MSG_AUTHORITY];
	bool ns = false;
	struct rr rr;

	if (m->rcode != DNS_NOERROR || m->count[MSG_ANSWER] > 0)
		return false;
	for (bool more = msg_first(m, MSG_AUTHORITY, &rr); more;
	     more = --n > 0 && msg_next(m, &rr)) {
		if (rr.type == DNS_TYPE_SOA)
			return false;
		ns = ns || rr.type == DNS_TYPE_NS;
	}
	return ns;
}

/* Extended errors that say "it did not validate" (rules.md D3). */
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
		return finish(ls, l, result, LOOKUP_BOGUS, msg);
	if (l->check) {
		l->checking = true;
		return ask_again(ls, l, l->upstream);
	}
	return on_error(ls, l, result, DNS_SERVFAIL, msg);
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
	return ask_again(ls, l, l->upstream);
}

static bool
on_truncated(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, const struct msg *msg)
{
	stats_inc(&ls->stats->upstream_truncated);
	if (l->phase == LOOKUP_ASKED_TCP)
		return on_error(ls, l, result, DNS_SERVFAIL, NULL);
	if (!l->whole)
		return finish(ls, l, result, LOOKUP_TRUNCATED, msg);
	l->tcp_only = true;
	return ask_again(ls, l, l->upstream);
}

/* The reply is ours. Returns whether L goes on. */
static bool
judge(struct lookups *ls, struct lookup *l, const struct msg *msg, struct lookup_result *result,
    uint64_t now_ns)
{
	if (l->probe)
		return finish(ls, l, result, LOOKUP_SILENT, NULL);
	if (rejects_edns(l, msg))
		return ask_without_edns(ls, l, now_ns);
	/* BADVERS and BADCOOKIE concern our own hop and are never passed on (rules.md D1). */
	if (msg->rcode == DNS_BADVERS || msg->rcode == DNS_BADCOOKIE)
		return on_error(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->checking) {
		if (msg->rcode == DNS_NOERROR || msg->rcode == DNS_NXDOMAIN)
			return finish(ls, l, result, LOOKUP_BOGUS, NULL);
		return on_error(ls, l, result, DNS_SERVFAIL, NULL);
	}
	if (msg->flags & DNS_TC)
		return on_truncated(ls, l, result, msg);
	if (msg->rcode == DNS_SERVFAIL && !l->cd)
		return on_servfail(ls, l, result, msg);
	if (is_lame(msg)) {
		stats_inc(&ls->stats->upstream_lame);
		return on_error(ls, l, result, DNS_SERVFAIL, NULL);
	}
	if (msg->rcode != DNS_NOERROR && msg->rcode != DNS_NXDOMAIN)
		return on_error(ls, l, result, msg->rcode, msg);
	return finish(ls, l, result, LOOKUP_REPLY, msg);
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

static bool
same_question(const struct lookup *l, const struct msg *m)
{
	if (m->qname_len == 0)
		/* One that did not understand us may say so without the question (rules.md D1). */
		return m->qdcount == 0 && rejects_edns(l, m);
	return m->qname_len == l->qname_len && m->qtype == l->qtype && m->qclass == l->qclass &&
	       name_equal(msg_qname(m), l->qname);
}

/* The ID but not the question: somebody guesses. The right reply may still come (reliability:
 * TuDoor). */
static void
on_near_miss(struct lookups *ls, struct lookup *l)
{
	stats_inc(&ls->stats->upstream_mismatch);
	if (l->phase != LOOKUP_ASKED_UDP || ++l->n_near_misses < LOOKUP_NEAR_MISSES)
		return;
	l->tcp_only = true;
	ask_again(ls, l, l->upstream);
}

struct lookup *
attempt_on_message(struct lookups *ls, const struct engine_in *in, struct msg *msg,
    struct lookup_result *result, uint64_t now_ns)
{
	enum msg_verdict verdict = msg_parse(msg, in->msg, in->len);
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
	if (!same_question(l, msg)) {
		on_near_miss(ls, l);
		return NULL;
	}
	stats_inc(&ls->stats->upstream_replies);
	upstreams_on_reply(ls->upstreams, l->upstream, ls->wheel, now_ns);
	if (UNLIKELY(verdict != MSG_OK)) {
		stats_inc(&ls->stats->upstream_malformed);
		goes_on = on_error(ls, l, result, DNS_SERVFAIL, NULL);
	} else {
		goes_on = judge(ls, l, msg, result, now_ns);
	}
	return goes_on ? NULL : l;
}

/* --- silence --- */

bool
attempt_on_timeout(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	stats_inc(&ls->stats->upstream_timeouts);
	if (l->n_silent != UINT8_MAX &&
	    upstreams_on_failure(ls->upstreams, l->upstream, ls->wheel, now_ns))
		stats_inc(&ls->stats->upstream_down);
	return !on_silence(ls, l, result);
}

struct lookup *
attempt_on_tcp_lost(struct lookups *ls, unsigned u, bool established, struct lookup_result *result)
{
	struct upstream *up = &ls->upstreams->table[u];

	while (!list_empty(&up->tcp)) {
		struct lookup *l = LIST_OBJECT(up->tcp.next, struct lookup, link);

		if (established && !l->tcp_again) {
			/* A server may close at any time (RFC 7766 section 6.2.4): once more over a
			 * new one. */
			l->tcp_again = true;
			ask_again(ls, l, l->upstream);
		} else if (!l->tcp_only) {
			l->tcp = false;
			ask_again(ls, l, l->upstream);
		} else if (!on_silence(ls, l, result)) {
			return l;
		}
	}
	return NULL;
}

void
attempt_prefetch(const struct lookups *ls, const struct engine_in *in, size_t n)
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
