/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "core/sieve.h"
#include "dns/build.h"
#include "dns/name.h"

/* --- sending --- */

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

static bool
goes_by_tcp(const struct lookup *l)
{
	return l->tcp || l->tcp_only || l->tcp_kept;
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
	if (goes_by_tcp(l) ? go_tcp(ls, l) : go_udp(ls, l))
		return true;
	if (ls->upstreams->table[u].socket[0] >= 0 || goes_by_tcp(l)) {
		/* Not the network's fault: trying again later would only add to the load. */
		stats_inc(&ls->stats->ids_exhausted);
		give_up(ls, l, now_ns);
	}
	return false;
}

static size_t
write_question(struct lookups *ls, struct lookup *l, uint8_t *buf, uint64_t now_ns)
{
	size_t len;
	struct build_opt opt = { .do_bit = l->do_bit,
		.bufsize = ls->conf->udp_size_upstream,
		.ede = DNS_EDE_NONE,
		/* DO cannot be said without an OPT, even to one that is bad at it. */
		.present =
		    l->do_bit || ls->upstreams->table[l->upstream].no_edns_until_ns <= now_ns };

	l->edns = opt.present;
	sieve_cookie(ls, l, &opt, now_ns);
	len = build_query(
	    buf, ENGINE_UDP_CAP, l->id, l->qname, l->qtype, l->qclass, l->cd || l->checking, &opt);
	sieve_mix(ls, l, buf + DNS_HEADER_LEN, now_ns);
	return len;
}

/* The client's own message: a changed one would not be what it signed (RULES D20). */
static size_t
write_signed(const struct lookup *l, uint8_t *buf)
{
	memcpy(buf, l->message, l->message_len);
	wire_set_u16(buf, l->id);
	return l->message_len;
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
		if (UNLIKELY(l->message != NULL))
			send->len = write_signed(l, by_tcp ? tcp : udp);
		else
			send->len = write_question(ls, l, by_tcp ? tcp : udp, now_ns);
		return true;
	}
	return false;
}

/* --- how it goes on --- */

bool
attempt_again(struct lookups *ls, struct lookup *l, uint16_t u)
{
	lookup_stop_attempt(ls, l);
	if (u != l->upstream)
		sieve_forget(l);
	l->upstream = u;
	l->pinned = true;
	l->phase = LOOKUP_TO_ASK;
	list_push(&ls->to_ask, &l->link);
	return true;
}

bool
attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg)
{
	bool failed = outcome == LOOKUP_ERROR || outcome == LOOKUP_SILENT;

	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->best_rcode;
	result->upstream = l->upstream;
	result->trusted = l->upstream != UPSTREAM_NONE && ls->upstreams->table[l->upstream].trusted;
	result->msg = msg;
	if (failed && !l->probe)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

bool
attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
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
		return attempt_again(ls, l, next);
	return attempt_finish(ls, l, result, LOOKUP_ERROR, rcode == l->best_rcode ? msg : NULL);
}

/*
 * Count the silence of the upstream asked. After LOOKUP_SENDS_EACH of them it is asked no more,
 * whichever transport it was and whoever else was asked in between (RFC 9520 section 3.1).
 */
static void
count_silence(struct lookup *l)
{
	uint64_t bit = l->upstream < ENGINE_MAX_UPSTREAMS ? 1ULL << l->upstream : 0;
	uint64_t carry = l->silent[0] & bit;

	l->silent[0] ^= bit;
	l->silent[1] ^= carry;
	if (l->silent[0] & l->silent[1] & bit)
		l->errored |= bit;
}

/* An attempt ended without any reply. Returns whether L goes on. */
static bool
on_silence(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	uint32_t most = LOOKUP_SENDS_EACH * ls->upstreams->n_order;
	uint16_t next;

	if (l->checking)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->n_silent < UINT8_MAX)
		l->n_silent++;
	count_silence(l);
	/* A TCP client's question falls back to UDP if TCP cannot be had (RULES D11). */
	l->tcp = false;
	if (!l->probe && l->n_silent <= ls->conf->resend_attempts && l->n_silent < most) {
		next = pick(ls, l);
		l->tcp_only = l->tcp_only && next == l->upstream;
		if (next != UPSTREAM_NONE)
			return attempt_again(ls, l, next);
	}
	return attempt_finish(
	    ls, l, result, l->best_rcode == DNS_NOERROR ? LOOKUP_SILENT : LOOKUP_ERROR, NULL);
}

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
			attempt_again(ls, l, l->upstream);
		} else if (sieve_without_tcp(l)) {
			attempt_again(ls, l, l->upstream);
		} else if (!l->tcp_only && !l->tcp_kept) {
			l->tcp = false;
			attempt_again(ls, l, l->upstream);
		} else if (!on_silence(ls, l, result)) {
			return l;
		}
	}
	return NULL;
}
