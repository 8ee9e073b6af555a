/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/attempt.h"

#include <string.h>

#include "base/clock.h"
#include "dns/build.h"
#include "dns/header.h"
#include "dns/name.h"
#include "outbound/antispoof.h"
#include "outbound/budget.h"
#include "outbound/choice.h"
#include "outbound/health.h"
#include "outbound/id_attack.h"
#include "outbound/trace.h"

/* --- sending ---------------------------------------------------------------------------------- */

/* The upstreams that need not be asked L's question, as they are silent to AAAA (RULES D5). */
static inline uint64_t
without_aaaa(const struct lookups *ls, const struct lookup *l)
{
	return UNLIKELY(ls->upstreams->some_no_aaaa) && l->key.qtype == DNS_TYPE_AAAA
	    ? upstreams_no_aaaa(ls->upstreams)
	    : 0;
}

/* The upstream for the first attempt; UPSTREAM_NONE when there is none. */
static inline uint16_t
pick_first(struct lookups *ls, struct lookup *l)
{
	const struct choice_wish wish = {
		.exhausted = without_aaaa(ls, l), .last = UPSTREAM_NONE, .prefer = l->upstream
	};
	struct choice choice = choice_pick(ls->upstreams, &wish, ls->rng);

	l->exploring = choice.exploring;
	return choice.upstream;
}

/* The upstreams that L may not ask: an error excludes who gave it (RULES D3). */
static uint64_t
exhausted(const struct lookups *ls, const struct lookup *l)
{
	unsigned most = ls->conf->upstream_tries;
	uint64_t bits = without_aaaa(ls, l) | l->tried.errored | l->tried.gone |
	    attempt_silent(l->tried.silent[UPSTREAM_USUAL], most);

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next)
		bits |= a->silent ? 0 : 1ULL << a->upstream; /* its reply is awaited */
	if (l->stream.plan == LOOKUP_STREAM_KEPT)
		bits |= attempt_silent(l->tried.silent[UPSTREAM_STREAM], most);
	if (l->stream.plan == LOOKUP_STREAM_HERE &&
	    attempt_timeouts(l, UPSTREAM_STREAM, l->upstream) >= most)
		bits |= 1ULL << l->upstream;
	return bits;
}

/* After an error only upstreams that are alive are asked (RULES D3). */
uint16_t
attempt_pick_next(struct lookups *ls, const struct lookup *l, bool alive)
{
	const struct choice_wish wish = { .exhausted = exhausted(ls, l),
		.silent = (const uint64_t(*)[2])l->tried.silent,
		.last = l->upstream,
		.prefer = UPSTREAM_NONE,
		.alive = alive || l->tried.best_rcode != DNS_NOERROR };

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
	txid_init(&ls->spaces[ls->n_spaces++]);
}

static inline bool
take_id(
    struct lookups *ls, struct lookup *l, unsigned space, enum upstream_over over, uint16_t socket)
{
	_Static_assert(UPSTREAM_MAX <= UINT8_MAX, "an owner has room for the upstream's number");
	uint8_t transport = (uint8_t)upstream_transport(over);
	const struct txid_owner owner = { .lookup = l->number,
		.socket = socket,
		.transport = transport,
		.upstream = (uint8_t)l->upstream };

	if (!txid_take(&ls->spaces[space], ls->rng, &owner, &l->now.id))
		return false;
	ls->upstreams->table[l->upstream].n_waiting++;
	l->now.space = (uint8_t)space;
	l->now.socket = socket;
	l->now.over = (uint8_t)over;
	l->now.transport = transport;
	l->now.upstream = (uint8_t)l->upstream;
	l->now.check = l->check;
	l->now.silent = false;
	l->now.refused = false;
	l->now.displaced = false;
	l->now.edns = false;
	l->now.cookie = false;
	l->now.cases = 0;
	return true;
}

/* The lowest space with a socket to upstream UP and a free ID; ls->n_spaces: there is none. */
static inline unsigned
find_space(const struct lookups *ls, const struct upstream *up)
{
	uint32_t reserved = LOOKUP_TCP_IDS;
	unsigned space = 0;

	while (space < ls->n_spaces &&
	    (up->socket[space] < 0 || txid_room(&ls->spaces[space]) <= reserved)) {
		reserved = 0;
		space++;
	}
	return space;
}

/*
 * Take an ID and a socket of the lowest space that has both. An attempt that was given up must not
 * keep a question from being sent; but if it is a socket that lacks, its ID is of no use.
 */
static inline bool
go_by_datagram(struct lookups *ls, struct lookup *l, enum upstream_over over)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];
	unsigned space = find_space(ls, up);

	while (UNLIKELY(space == ls->n_spaces) && up->socket[0] >= 0 && lookup_drop_oldest(ls))
		space = find_space(ls, up);
	if (UNLIKELY(space == ls->n_spaces) ||
	    !take_id(ls, l, space, over, (uint16_t)up->socket[space]))
		return false;
	l->progress = LOOKUP_ASKED_DATAGRAM;
	list_push(&ls->upstreams->sockets[l->now.socket].open, &l->now.link);
	stats_inc(&ls->stats->upstream_udp);
	grow_spaces(ls);
	return true;
}

/* The index of the connection for L's question; TCP_POOL_SIZE: none has room. */
static __attribute__((noinline)) unsigned
pick_conn(const struct lookups *ls, const struct lookup *l)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	return tcp_pool_pick(up->tcp, l->probe.is ? TCP_CONN_ENDLESS : up->tcp_yield);
}

/* Take an ID for L's question over connection K. False: there is none. */
static __attribute__((noinline)) bool
go_by_stream(struct lookups *ls, struct lookup *l, enum upstream_over over, unsigned k)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];

	if (!take_id(ls, l, 0, over, (uint16_t)k))
		return false;
	l->progress = LOOKUP_ASKED_STREAM;
	tcp_conn_add(&up->tcp[k], &l->now.link);
	stats_inc(&ls->stats->upstream_tcp);
	up->tally.sends_tcp++;
	return true;
}

/* L's question cannot be sent: L ends at the next tick. */
static void
give_up(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	lookup_set_wait(ls, l, LOOKUP_HOPELESS, now_ns);
}

/* L ends because we have no room to send its question; no upstream is blamed (RULES D26). */
static void
end_without_room(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->excuse.no_room = true;
	give_up(ls, l, now_ns);
}

/* L asks another upstream than it was to ask again: it starts over. */
static void
start_over(struct lookup *l)
{
	l->check = LOOKUP_CHECK_NONE;
	lookup_plan(l, LOOKUP_ELSEWHERE);
	antispoof_forget(l);
}

/*
 * As many wait for upstream BUSY as may: another one for L; UPSTREAM_NONE: none (RULES D26).
 * Without a setting the ceiling is there for the others only: if none of them can be asked, it does
 * not hold, so that whose questions give way is decided among all that wait (engine/query_room).
 */
static __attribute__((cold)) uint16_t
go_elsewhere(struct lookups *ls, struct lookup *l, uint16_t busy)
{
	uint16_t u = choice_under_ceiling(ls->upstreams, exhausted(ls, l), ls->rng);

	if (u == UPSTREAM_NONE && ls->conf->max_waiting_per_upstream == 0)
		return busy;
	stats_inc(&ls->stats->upstream_ceiling);
	start_over(l);
	if (l->n_sends > 0)
		lookup_plan(l, LOOKUP_NO_STREAM); /* that was the last resort for BUSY */
	l->excuse.at_ceiling = u == UPSTREAM_NONE;
	l->excuse.no_room = l->excuse.no_room || l->excuse.at_ceiling;
	return u;
}

/* L begins: set when it ends without a reply. */
static inline void
set_life(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	uint64_t life_ns = LOOKUP_LIFE_MS * NS_PER_MS;

	if (UNLIKELY(l->probe.is))
		life_ns = health_lost_ns(ls->upstreams, l->upstream);
	l->born_ns = now_ns;
	l->end_ns = now_ns + life_ns;
}

/* How long L's attempt is waited for, in the rare cases. */
static __attribute__((noinline)) uint64_t
seldom_wait(struct lookups *ls, struct lookup *l, uint64_t wait_ns, uint64_t now_ns)
{
	if (l->probe.is)
		return l->end_ns - now_ns;
	/* Every upstream is down: a short life, and one attempt (RULES D5). */
	if (upstreams_all_down(ls->upstreams)) {
		if (l->end_ns > now_ns + LOOKUP_DOWN_MS * NS_PER_MS)
			l->end_ns = now_ns + LOOKUP_DOWN_MS * NS_PER_MS;
		l->excuse.hurried = true;
		wait_ns = LOOKUP_DOWN_MS * NS_PER_MS;
	}
	if (l->here.suspect != LOOKUP_NO_SUSPECT && l->progress == LOOKUP_ASKED_STREAM) {
		uint64_t most_ns = id_attack_wait_ns(&ls->upstreams->table[l->upstream]);

		wait_ns = wait_ns < most_ns ? wait_ns : most_ns;
	}
	return wait_ns;
}

/* How long L's attempt is waited for by what was measured. */
static inline uint64_t
measured_wait(const struct lookups *ls, const struct lookup *l)
{
	enum upstream_over over = l->now.over;
	unsigned n = l->tried.n_silent > 0 ? attempt_timeouts(l, over, l->upstream) : 0;

	return upstreams_wait_ns(ls->upstreams, l->upstream, over, n);
}

/* Set L's timer to the end of the wait for its attempt, which is in flight. */
static inline void
set_wait(struct lookups *ls, struct lookup *l)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];
	uint64_t wait_ns = measured_wait(ls, l);

	if (UNLIKELY(up->down || l->probe.is || l->here.suspect != LOOKUP_NO_SUSPECT))
		wait_ns = seldom_wait(ls, l, wait_ns, l->now.sent_ns);
	lookup_set_wait(ls, l, LOOKUP_AWAITS, l->now.sent_ns + wait_ns);
}

void
attempt_set_wait(struct lookups *ls, struct lookup *l)
{
	set_wait(ls, l);
}

/* Set L's timer earlier, if another upstream is to be asked before its first attempt is silent. */
static __attribute__((noinline)) void
set_early(struct lookups *ls, struct lookup *l)
{
	uint64_t early_ns = choice_early_ns(ls->upstreams, l->upstream, l->exploring);

	if (l->probe.is || l->now.over != UPSTREAM_USUAL || l->message.bytes != NULL ||
	    early_ns >= upstreams_wait_ns(ls->upstreams, l->upstream, UPSTREAM_USUAL, 0))
		return;
	lookup_set_wait(ls, l, LOOKUP_EARLY, l->now.sent_ns + early_ns);
}

/* When the wait for L's attempt ends, which went over TCP to an upstream that was not down. */
static uint64_t
tcp_due_ns(const struct lookups *ls, const struct lookup *l)
{
	return l->probe.is ? l->end_ns : l->now.sent_ns + measured_wait(ls, l);
}

/*
 * L's question went over TCP. Where connections end after a few replies it keeps its place on one
 * for as long as a reply usually takes: a name that the upstream is mute for keeps nobody waiting.
 */
static __attribute__((noinline)) void
set_place(struct lookups *ls, struct lookup *l)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];
	uint64_t place_end_ns = l->now.sent_ns + times_usual_ns(&up->times[l->now.over]);

	if (up->tcp_yield == TCP_CONN_ENDLESS || up->down || l->here.suspect != LOOKUP_NO_SUSPECT ||
	    place_end_ns >= tcp_due_ns(ls, l))
		return;
	lookup_set_wait(ls, l, LOOKUP_PLACED, place_end_ns);
}

void
attempt_leave_place(struct lookups *ls, struct lookup *l)
{
	lookup_tcp_leave(ls, l);
	lookup_set_wait(ls, l, LOOKUP_AWAITS, tcp_due_ns(ls, l));
}

/* The upstream for an attempt of L; UPSTREAM_NONE: none may be asked. */
static inline uint16_t
choose(struct lookups *ls, struct lookup *l)
{
	/* Not with one that is configured no more, whose number may be free, or was taken down. */
	bool stay = l->pinned && ls->upstreams->table[l->upstream].active;

	l->pinned = false;
	if (stay)
		return l->upstream;
	if (l->probe.is) /* a probe is for this upstream only */
		return UPSTREAM_NONE;
	if (l->n_sends == 0)
		return pick_first(ls, l);
	start_over(l);
	return attempt_pick_next(ls, l, false);
}

/* Take an ID and a socket or connection for L's question. False: there are none now. */
static bool
go(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	enum upstream_over over = lookup_over(l);
	bool stream = transport_is_stream(upstream_transport(over));
	unsigned k = UNLIKELY(stream) ? pick_conn(ls, l) : 0;

	if (UNLIKELY(k == TCP_POOL_SIZE) && l->stream.plan != LOOKUP_STREAM_KEPT &&
	    antispoof_without_tcp(ls, l, now_ns)) {
		lookup_plan(l, LOOKUP_NO_STREAM); /* nor as it was learned (outbound/ways) */
		over = UPSTREAM_USUAL;
		stream = false;
	} else if (UNLIKELY(k == TCP_POOL_SIZE)) {
		lookup_tcp_wait(ls, l, now_ns);
		return false;
	}
	if (stream ? go_by_stream(ls, l, over, k) : go_by_datagram(ls, l, over))
		return true;
	lookup_set_wait(ls, l, LOOKUP_AWAITS, now_ns + ATTEMPT_UNSENT_MS * NS_PER_MS);
	if (over == UPSTREAM_STREAM && l->tried.n_silent > 0 && !lookup_needs_stream(l))
		return false; /* TCP was a last resort: what went over UDP may be answered yet */
	if (ls->upstreams->table[l->upstream].socket[0] >= 0 || stream) {
		/* We have no free ID: another attempt would only add to the load. */
		stats_inc(&ls->stats->ids_exhausted);
		end_without_room(ls, l, now_ns);
	} else if (ls->upstreams->table[l->upstream].starved) {
		stats_inc(&ls->stats->sockets_exhausted);
		end_without_room(ls, l, now_ns);
	}
	return false;
}

/* Each minute a probe asks the upstreams that are silent to AAAA for it. */
static __attribute__((noinline)) void
retry_aaaa(struct lookups *ls, uint64_t now_ns)
{
	struct upstreams *us = ls->upstreams;

	for (unsigned i = 0; i < us->n_order; i++) {
		if (ways_aaaa_due(&us->table[us->order[i]].ways, now_ns))
			lookup_start_probe(ls, us->order[i], WAY_AS_LEARNED, DNS_TYPE_AAAA);
	}
}

/*
 * L's question goes to an upstream that does not get all that is sent: first by the way that is
 * known to get through, with a probe now and then by a fuller one. Without EDNS there is no DO: TCP
 * is the way for that.
 */
static __attribute__((noinline)) void
go_as_learned(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	enum way now = (enum way)ls->upstreams->table[l->upstream].ways.now;
	enum way way = upstreams_retry_way(ls->upstreams, l->upstream, now_ns);

	if (way != WAYS)
		lookup_start_probe(ls, l->upstream, way, DNS_TYPE_NS);
	if (!l->here.no_tcp && attempt_timeouts(l, UPSTREAM_STREAM, l->upstream) == 0 &&
	    (now == WAY_TCP || (now == WAY_BARE && l->key.do_bit)))
		lookup_plan(l, LOOKUP_WISHES_STREAM);
}

/*
 * Take an upstream, a transport and an ID for the next attempt. False: nothing can be sent, and L
 * waits for its timer.
 */
static bool
begin(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	uint16_t before = l->upstream, u;

	if (UNLIKELY(l->n_sends >= l->waiters.allowed))
		return budget_stop(ls, l, now_ns);
	u = choose(ls, l);
	l->progress = LOOKUP_UNSENT;
	if (l->end_ns == 0)
		set_life(ls, l, now_ns);
	if (u != UPSTREAM_NONE && !l->probe.is &&
	    UNLIKELY(ls->upstreams->table[u].n_waiting >= ls->upstreams->most_waiting))
		u = go_elsewhere(ls, l, u);
	if (u == UPSTREAM_NONE) {
		if (!attempt_resume(ls, l))
			give_up(ls, l, now_ns);
		return false;
	}
	l->upstream = u;
	if (UNLIKELY(ls->upstreams->some_no_aaaa))
		retry_aaaa(ls, now_ns);
	if (UNLIKELY(ls->upstreams->table[u].ways.now != WAY_FULL) && !l->probe.is)
		go_as_learned(ls, l, now_ns);
	if (UNLIKELY(ls->upstreams->table[u].suspicion.state != SUSPICION_NONE))
		id_attack_beware(ls, l, now_ns);
	if (!go(ls, l, now_ns))
		return false;
	l->n_sends++;
	l->now.sent_ns = now_ns;
	ls->upstreams->table[u].tally.sends++;
	if (UNLIKELY(lookup_counts_as_probe(l)))
		health_on_probe_sent(ls->upstreams, u);
	if (UNLIKELY(ls->told.anybody))
		trace_asks(ls, l, before);
	set_wait(ls, l);
	if (ls->upstreams->n_order > 1 && l->n_sends == 1)
		set_early(ls, l);
	return true;
}

static size_t
write_question(struct lookups *ls, struct lookup *l, uint8_t *buf, uint64_t now_ns)
{
	bool cd = l->key.cd || l->check == LOOKUP_CHECK_CD;
	size_t len;
	struct build_opt opt = { .do_bit = l->key.do_bit,
		.bufsize = ls->conf->udp_size_upstream,
		.ede = DNS_EDE_NONE,
		.present = ls->upstreams->table[l->upstream].edns.off_until_ns <= now_ns };
	const struct build_question question = { .id = l->now.id,
		.flags = cd ? DNS_CD : 0,
		.qname = l->key.qname,
		.qtype = l->key.qtype,
		.qclass = l->key.qclass };

	l->now.way = ls->upstreams->table[l->upstream].ways.now;
	if (UNLIKELY(l->probe.is) && l->probe.way < WAYS)
		l->now.way = l->probe.way;
	if (UNLIKELY(ways_small(&ls->upstreams->table[l->upstream].ways)) && !l->probe.is)
		opt.bufsize = WAYS_SMALL;
	if (UNLIKELY(l->here.no_edns || l->now.way == WAY_BARE))
		opt.present = false;
	/* DO needs an OPT, even if the upstream does not support EDNS. */
	if (l->key.do_bit)
		opt.present = true;
	l->now.edns = opt.present;
	antispoof_cookie(ls, l, &opt, now_ns);
	len = build_query(buf, PACKET_UDP_CAP, &question, &opt);
	antispoof_mix(ls, l, header_put_qname(buf), now_ns);
	return len;
}

/* Write the client's own message: its signature covers every octet but the ID (RULES D20). */
static size_t
write_signed(struct lookup *l, uint8_t *buf)
{
	l->now.way = WAY_FULL; /* that is how it went, whatever was learned */
	memcpy(buf, l->message.bytes, l->message.len);
	header_set_id(buf, l->now.id);
	return l->message.len;
}

bool
attempt_next_question(
    struct lookups *ls, uint8_t *udp, uint8_t *tcp, struct packet_out *send, uint64_t now_ns)
{
	struct list *link;

	while ((link = lookup_next_to_ask(ls)) != NULL) {
		struct lookup *l = LIST_OBJECT(link, struct lookup, link);
		bool by_stream;

		if (!begin(ls, l, now_ns))
			continue;
		by_stream = l->progress == LOOKUP_ASKED_STREAM;
		send->to.side = PACKET_UPSTREAM;
		send->to.transport = l->now.transport;
		send->to.sock = l->now.socket;
		if (by_stream) {
			send->to.sock += (uint32_t)l->upstream * TCP_POOL_SIZE;
			set_place(ls, l);
		}
		send->to.gen = 0;
		if (UNLIKELY(l->message.bytes != NULL))
			send->len = write_signed(l, by_stream ? tcp : udp);
		else
			send->len = write_question(ls, l, by_stream ? tcp : udp, now_ns);
		return true;
	}
	return false;
}
