/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "core/antispoof.h"
#include "dns/build.h"
#include "dns/header.h"
#include "dns/name.h"

/* --- sending ---------------------------------------------------------------------------------- */

/* The upstream for the first attempt; UPSTREAM_NONE when there is none. */
static inline uint16_t
pick_first(struct lookups *ls, const struct lookup *l)
{
	const struct choice_wish wish = { .last = UPSTREAM_NONE, .prefer = l->upstream };

	return choice_pick(ls->upstreams, &wish, ls->rng).upstream;
}

/*
 * The upstream for the next attempt; UPSTREAM_NONE when none is left. After an error only upstreams
 * that are alive are asked, each once (RULES D3).
 */
static uint16_t
pick_next(struct lookups *ls, const struct lookup *l)
{
	bool error = l->best_rcode != DNS_NOERROR;
	const struct choice_wish wish = {
		.exhausted = error ? l->errored | l->silent[0] | l->silent[1] : l->errored,
		.last = l->upstream,
		.prefer = UPSTREAM_NONE,
		.alive = error,
	};

	return choice_pick(ls->upstreams, &wish, ls->rng).upstream;
}

/*
 * Open the next ID space before the last one is full, so that the shell can open its sockets in
 * time.
 */
static void
grow_spaces(struct lookups *ls)
{
	if (ls->n_spaces == TXID_MAX_SPACES ||
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

	if (!txid_take(&ls->spaces[space], ls->rng, &owner, &l->now.id))
		return false;
	l->now.space = (uint8_t)space;
	l->now.socket = socket;
	l->now.upstream = l->upstream;
	l->now.check = l->check;
	l->now.silent = false;
	return true;
}

/* Take an ID and a socket of the lowest space that has both. */
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
		l->progress = LOOKUP_ASKED_UDP;
		list_push(&ls->upstreams->sockets[l->now.socket].open, &l->now.link);
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
	l->progress = LOOKUP_ASKED_TCP;
	list_push(&up->tcp, &l->now.link);
	up->n_tcp++;
	stats_inc(&ls->stats->upstream_tcp);
	return true;
}

/* L's question cannot be sent: L ends at the next tick. */
static void
give_up(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->hopeless = true;
	wheel_set(ls->wheel, &l->timer, now_ns);
}

/* L ends because we have no room to send its question; no upstream is blamed (RULES D26). */
static void
end_without_room(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->no_room = true;
	give_up(ls, l, now_ns);
}

/*
 * L asks an upstream that is down, as there is no other (RULES D5), or has a truncated reply to
 * fall back on: it waits for ATTEMPT_DOWN_MS at most.
 */
static void
shorten(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (ls->upstreams->timeout_ns > ATTEMPT_DOWN_MS * NS_PER_MS)
		wheel_set(ls->wheel, &l->timer, now_ns + ATTEMPT_DOWN_MS * NS_PER_MS);
}

static bool
goes_by_tcp(const struct lookup *l)
{
	return l->tcp || l->tcp_only || l->tcp_kept;
}

/* The upstream to be asked again is no longer configured: pick another one and start over. */
static uint16_t
move(struct lookups *ls, struct lookup *l)
{
	l->check = LOOKUP_CHECK_NONE;
	l->tcp_only = false;
	antispoof_forget(l);
	return pick_next(ls, l);
}

/*
 * Take an upstream, a transport and an ID for the next attempt. False: nothing can be sent, and L
 * waits for its timeout.
 */
static bool
begin(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	/*
	 * An upstream that is no longer configured gets no new questions, and its number may be
	 * free.
	 */
	bool stay = l->pinned && ls->upstreams->table[l->upstream].active;
	uint16_t u = l->upstream;

	l->pinned = false;
	if (!stay && l->probe) /* a probe is for this upstream only */
		u = UPSTREAM_NONE;
	else if (!stay)
		u = l->n_sends == 0 ? pick_first(ls, l) : move(ls, l);
	if (l->n_sends < UINT8_MAX)
		l->n_sends++;
	l->progress = LOOKUP_UNSENT;
	wheel_set(ls->wheel, &l->timer, now_ns + ls->upstreams->timeout_ns);
	if (u == UPSTREAM_NONE) {
		give_up(ls, l, now_ns);
		return false;
	}
	if (UNLIKELY(ls->upstreams->table[u].down || l->truncated != NULL))
		shorten(ls, l, now_ns);
	l->upstream = u;
	if (goes_by_tcp(l) ? go_tcp(ls, l) : go_udp(ls, l))
		return true;
	if (ls->upstreams->table[u].socket[0] >= 0 || goes_by_tcp(l)) {
		/* We have no free ID: another attempt would only add to the load. */
		stats_inc(&ls->stats->ids_exhausted);
		end_without_room(ls, l, now_ns);
	} else if (ls->upstreams->table[u].starved) {
		stats_inc(&ls->stats->sockets_exhausted);
		end_without_room(ls, l, now_ns);
	}
	return false;
}

static size_t
write_question(struct lookups *ls, struct lookup *l, uint8_t *buf, uint64_t now_ns)
{
	bool cd = l->cd || l->check == LOOKUP_CHECK_CD;
	size_t len;
	struct build_opt opt = { .do_bit = l->do_bit,
		.bufsize = ls->conf->udp_size_upstream,
		.ede = DNS_EDE_NONE,
		.present = ls->upstreams->table[l->upstream].no_edns_until_ns <= now_ns };
	const struct build_question question = { .id = l->now.id,
		.flags = cd ? DNS_CD : 0,
		.qname = l->qname,
		.qtype = l->qtype,
		.qclass = l->qclass };

	if (UNLIKELY(l->no_edns))
		opt.present = false;
	/* DO needs an OPT, even if the upstream does not support EDNS. */
	if (l->do_bit)
		opt.present = true;
	l->now.edns = opt.present;
	antispoof_cookie(ls, l, &opt, now_ns);
	len = build_query(buf, PACKET_UDP_CAP, &question, &opt);
	antispoof_mix(ls, l, header_put_qname(buf), now_ns);
	return len;
}

/* Write the client's own message: its signature covers every octet but the ID (RULES D20). */
static size_t
write_signed(const struct lookup *l, uint8_t *buf)
{
	memcpy(buf, l->message, l->message_len);
	header_set_id(buf, l->now.id);
	return l->message_len;
}

bool
attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns)
{
	struct list *link;

	while ((link = list_pop(&ls->to_ask)) != NULL) {
		struct lookup *l = LIST_OBJECT(link, struct lookup, link);
		bool by_tcp;

		if (!begin(ls, l, now_ns))
			continue;
		by_tcp = l->progress == LOOKUP_ASKED_TCP;
		send->way = by_tcp ? PACKET_UPSTREAM_TCP : PACKET_UPSTREAM_UDP;
		send->sock = by_tcp ? l->upstream : l->now.socket;
		send->gen = 0;
		if (UNLIKELY(l->message != NULL))
			send->len = write_signed(l, by_tcp ? tcp : udp);
		else
			send->len = write_question(ls, l, by_tcp ? tcp : udp, now_ns);
		return true;
	}
	return false;
}

/* --- how it goes on --------------------------------------------------------------------------- */

bool
attempt_again(struct lookups *ls, struct lookup *l, uint16_t u)
{
	lookup_stop_attempt(ls, l);
	if (u != l->upstream)
		antispoof_forget(l);
	l->upstream = u;
	l->pinned = true;
	l->progress = LOOKUP_TO_ASK;
	list_push(&ls->to_ask, &l->link);
	return true;
}

/* L ends with its truncated reply, which is better than none, when attempt_next_truncated comes to
 * it. */
static bool
end_with_truncated(struct lookups *ls, struct lookup *l)
{
	lookup_stop_attempt(ls, l);
	l->progress = LOOKUP_ENDING;
	list_push(&ls->ending, &l->link);
	return true;
}

struct lookup *
attempt_next_truncated(struct lookups *ls, struct lookup_result *result)
{
	struct list *link = list_pop(&ls->ending);
	struct lookup *l;

	if (link == NULL)
		return NULL;
	l = LIST_OBJECT(link, struct lookup, link);
	l->progress = LOOKUP_DONE;
	memcpy(ls->reply, l->truncated, l->truncated_len);
	if (msg_parse(&ls->truncated, ls->reply, l->truncated_len) == MSG_OK)
		(void)attempt_finish(ls, l, result, LOOKUP_TRUNCATED, &ls->truncated);
	else /* impossible: it was parsed before */
		(void)attempt_finish(ls, l, result, LOOKUP_BOGUS, NULL);
	return l;
}

bool
attempt_finish(struct lookups *ls, struct lookup *l, struct lookup_result *result,
    enum lookup_outcome outcome, const struct msg *msg)
{
	bool failed =
	    outcome == LOOKUP_ERROR || outcome == LOOKUP_SILENT || outcome == LOOKUP_NO_ROOM;

	if (UNLIKELY(failed && l->truncated != NULL))
		return end_with_truncated(ls, l);
	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->best_rcode;
	result->upstream = l->upstream;
	result->trusted = l->upstream != UPSTREAM_NONE && ls->upstreams->table[l->upstream].trusted;
	result->msg = msg;
	if (failed && l->probe)
		ls->upstreams->table[l->upstream].probing = false;
	else if (failed)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

bool
attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
    const struct msg *msg)
{
	uint16_t next;

	if (l->probe) /* the upstream is alive: that is all a probe asks */
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	stats_inc(&ls->stats->upstream_errors);
	l->errored |= 1ULL << l->upstream;
	l->check = LOOKUP_CHECK_NONE;
	l->tcp_only = false;
	/* Any other error is more telling than SERVFAIL. */
	if (l->best_rcode == DNS_NOERROR || l->best_rcode == DNS_SERVFAIL)
		l->best_rcode = rcode;
	next = pick_next(ls, l);
	if (next != UPSTREAM_NONE)
		return attempt_again(ls, l, next);
	return attempt_finish(ls, l, result, LOOKUP_ERROR, rcode == l->best_rcode ? msg : NULL);
}

/*
 * Count an attempt without a reply against its upstream. After LOOKUP_SENDS_EACH such attempts L
 * does not ask this upstream again, whatever the transports and whichever others were asked in
 * between (RFC 9520 section 3.1). An upstream that is down is not asked again after one attempt: a
 * probe shows when it is back.
 */
static void
count_silence(const struct lookups *ls, struct lookup *l)
{
	uint64_t bit = l->upstream < UPSTREAM_MAX ? 1ULL << l->upstream : 0;
	uint64_t carry = l->silent[0] & bit;

	l->silent[0] ^= bit;
	l->silent[1] ^= carry;
	if (bit != 0 &&
	    (l->silent[0] & l->silent[1] & bit || ls->upstreams->table[l->upstream].down))
		l->errored |= bit;
}

/* An attempt ended without a reply. Returns whether L goes on. */
static bool
on_silence(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	uint32_t most = LOOKUP_SENDS_EACH * ls->upstreams->n_order;
	bool sent = l->progress != LOOKUP_UNSENT;
	uint16_t next;

	if (l->check != LOOKUP_CHECK_NONE && sent)
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL);
	if (l->n_silent < UINT8_MAX)
		l->n_silent++;
	if (sent)
		count_silence(ls, l);
	/* A TCP client's question falls back to UDP if TCP gives no reply (RULES D11). */
	l->tcp = false;
	if (!l->probe && !l->hopeless && l->truncated == NULL &&
	    l->n_silent <= ls->conf->resend_attempts && l->n_silent < most &&
	    !upstreams_all_down(ls->upstreams)) {
		next = pick_next(ls, l);
		l->tcp_only = l->tcp_only && next == l->upstream;
		if (next != UPSTREAM_NONE)
			return attempt_again(ls, l, next);
	}
	if (l->no_room)
		return attempt_finish(ls, l, result, LOOKUP_NO_ROOM, NULL);
	return attempt_finish(
	    ls, l, result, l->best_rcode == DNS_NOERROR ? LOOKUP_SILENT : LOOKUP_ERROR, NULL);
}

void
attempt_heed(struct lookups *ls, unsigned u, enum health health)
{
	switch (health) {
	case HEALTH_AS_BEFORE:
		break;
	case HEALTH_IN_DOUBT:
		lookup_start_probe(ls, u);
		break;
	case HEALTH_WENT_DOWN:
		stats_inc(&ls->stats->upstream_down);
		break;
	}
}

/* Count the missing reply to L against its upstream's health. */
static void
blame(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	struct upstreams *us = ls->upstreams;
	enum health health;

	if (l->probe)
		health = health_on_probe_lost(us, l->upstream, ls->wheel, now_ns);
	else
		health = health_on_failure(us, l->upstream,
		    l->progress == LOOKUP_ASKED_TCP ? UPSTREAM_OVER_TCP : UPSTREAM_OVER_UDP,
		    now_ns);
	attempt_heed(ls, l->upstream, health);
	/*
	 * An upstream that was down during the attempt and is up again was not silent about this
	 * name.
	 */
	l->hindered = now_ns - us->table[l->upstream].revived_ns < us->timeout_ns;
}

bool
attempt_on_timeout(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	bool sent = l->progress != LOOKUP_UNSENT;

	if (sent)
		stats_inc(&ls->stats->upstream_timeouts);
	/* An upstream that does not answer over TCP is not blamed (RULES D21). */
	if (l->progress == LOOKUP_ASKED_TCP && antispoof_without_tcp(l))
		return !attempt_again(ls, l, l->upstream);
	if (sent)
		blame(ls, l, now_ns);
	return !on_silence(ls, l, result);
}

struct lookup *
attempt_on_tcp_lost(struct lookups *ls, unsigned u, bool established, struct lookup_result *result)
{
	struct upstream *up = &ls->upstreams->table[u];

	while (!list_empty(&up->tcp)) {
		struct lookup *l = lookup_of(ls, LIST_OBJECT(up->tcp.next, struct attempt, link));

		if (established && !l->tcp_again) {
			/*
			 * A server may close at any time (RFC 7766 section 6.2.4): send once more
			 * over a new connection.
			 */
			l->tcp_again = true;
			attempt_again(ls, l, l->upstream);
		} else if (antispoof_without_tcp(l)) {
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

void
attempt_on_tcp_full(struct lookups *ls, unsigned u, uint16_t id, uint64_t now_ns)
{
	const struct txid_owner *owner = &ls->spaces[0].owner[id];
	struct lookup *l;

	if (!txid_in_flight(&ls->spaces[0], id) || owner->socket != TXID_TCP ||
	    owner->upstream != u)
		return;
	l = lookup_at(ls, owner->lookup);
	stats_inc(&ls->stats->tcp_upstream_full);
	if (!l->tcp_only && !l->tcp_kept) {
		l->tcp = false;
	} else if (!antispoof_without_tcp(l)) {
		lookup_stop_attempt(ls, l);
		l->progress = LOOKUP_UNSENT;
		end_without_room(ls, l, now_ns);
		return;
	}
	attempt_again(ls, l, l->upstream);
}
