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
#include "outbound/penalty.h"
#include "outbound/trace.h"

#define LISTEN_MS 250 /* between looks at whether an upstream is back */
#define KNOCK_MS 250  /* before the third attempt at one that refuses; doubled for the next */
#define AT_ONCE 2     /* attempts that a silent upstream gets before the rest of them is spread */
#define MOMENT_MS 500 /* of a fault that takes what is sent meanwhile: see heard_due_ns */

/* --- Whom to ask ------------------------------------------------------------------------------ */

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
	    attempt_silent(l->tried.silent[UPSTREAM_PRIMARY], most);

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next)
		bits |= a->silent ? 0 : 1ULL << a->upstream; /* its reply is awaited */
	if (l->stream.plan == LOOKUP_STREAM_KEPT)
		bits |= attempt_silent(l->tried.silent[UPSTREAM_FALLBACK], most);
	if (l->stream.plan == LOOKUP_STREAM_HERE &&
	    attempt_timeouts(l, UPSTREAM_FALLBACK, l->upstream) >= most)
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

/* --- By which transport, with which ID -------------------------------------------------------- */

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
take_id(struct lookups *ls, struct lookup *l, unsigned space, enum upstream_over over,
    enum transport transport, uint16_t socket)
{
	_Static_assert(UPSTREAM_MAX <= UINT8_MAX, "an owner has room for the upstream's number");
	const struct txid_owner owner = { .lookup = l->number,
		.socket = socket,
		.transport = (uint8_t)transport,
		.upstream = (uint8_t)l->upstream };

	if (!txid_take(&ls->spaces[space], ls->rng, &owner, &l->now.id))
		return false;
	ls->upstreams->table[l->upstream].n_waiting++;
	l->now.space = (uint8_t)space;
	l->now.socket = socket;
	l->now.over = (uint8_t)over;
	l->now.transport = (uint8_t)transport;
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
go_by_datagram(struct lookups *ls, struct lookup *l)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];
	unsigned space = find_space(ls, up);

	while (UNLIKELY(space == ls->n_spaces) && up->socket[0] >= 0 && lookup_drop_oldest(ls))
		space = find_space(ls, up);
	if (UNLIKELY(space == ls->n_spaces) ||
	    !take_id(ls, l, space, UPSTREAM_PRIMARY, TRANSPORT_UDP, (uint16_t)up->socket[space]))
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

	if (!take_id(ls, l, 0, over, upstream_transport(up, over), (uint16_t)k))
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

/* L's question found no ID or, if OVER is no stream, no socket: it waits, or ends. */
static __attribute__((noinline)) void
stay(struct lookups *ls, struct lookup *l, enum upstream_over over, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	lookup_set_wait(ls, l, LOOKUP_AWAITS, now_ns + ATTEMPT_UNSENT_MS * NS_PER_MS);
	if (over == UPSTREAM_FALLBACK && l->tried.n_silent > 0 && !lookup_needs_stream(l))
		return; /* TCP was a last resort: what went over UDP may be answered yet */
	if (up->socket[0] >= 0 || transport_is_stream(upstream_transport(up, over))) {
		/* We have no free ID: another attempt would only add to the load. */
		stats_inc(&ls->stats->ids_exhausted);
		end_without_room(ls, l, now_ns);
	} else if (up->starved) {
		stats_inc(&ls->stats->sockets_exhausted);
		end_without_room(ls, l, now_ns);
	}
}

/* No connection has room for L's question. Does it go as a datagram after all? */
static bool
leaves_stream(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (l->stream.plan == LOOKUP_STREAM_KEPT || !antispoof_without_tcp(ls, l, now_ns))
		return false;
	lookup_plan(l, LOOKUP_NO_STREAM); /* nor as it was learned (outbound/ways) */
	return !upstream_has_stream(&ls->upstreams->table[l->upstream]);
}

/* Take an ID for L's question over connection K; TCP_POOL_SIZE: none. False: it stays. */
static __attribute__((noinline)) bool
go_in_stream(struct lookups *ls, struct lookup *l, unsigned k, uint64_t now_ns)
{
	if (k == TCP_POOL_SIZE)
		lookup_tcp_wait(ls, l, now_ns);
	else if (go_by_stream(ls, l, lookup_over(l), k))
		return true;
	else
		stay(ls, l, lookup_over(l), now_ns);
	return false;
}

/* Take an ID and a socket or connection for L's question. False: there are none now. */
static inline bool
go(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	if (UNLIKELY(lookup_over(l) == UPSTREAM_FALLBACK || upstream_has_stream(up))) {
		unsigned k = pick_conn(ls, l);

		if (k < TCP_POOL_SIZE || !leaves_stream(ls, l, now_ns))
			return go_in_stream(ls, l, k, now_ns);
	}
	if (go_by_datagram(ls, l))
		return true;
	stay(ls, l, UPSTREAM_PRIMARY, now_ns);
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
	if (!l->here.no_tcp && attempt_timeouts(l, UPSTREAM_FALLBACK, l->upstream) == 0 &&
	    (now == WAY_TCP || (now == WAY_BARE && l->key.do_bit)))
		lookup_plan(l, LOOKUP_WISHES_STREAM);
}

/* --- How long to wait ------------------------------------------------------------------------- */

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
		lookup_shorten(l, now_ns);
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

	if (l->probe.is || l->now.over != UPSTREAM_PRIMARY || l->message.bytes != NULL ||
	    early_ns >= upstreams_wait_ns(ls->upstreams, l->upstream, UPSTREAM_PRIMARY, 0))
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

/* --- It is sent ------------------------------------------------------------------------------- */

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
	if (UNLIKELY(ls->traced.anybody))
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
		.qclass = l->key.qclass,
		.qname_len = l->key.qname_len };

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

/* --- The lookup ends, or waits on ------------------------------------------------------------- */

bool
attempt_again(struct lookups *ls, struct lookup *l, uint16_t u)
{
	if (u != l->upstream) {
		antispoof_forget(l);
		/* A wish for a stream, of another upstream, does not exceed rule 34 here. */
		if (attempt_timeouts(l, UPSTREAM_FALLBACK, u) >= ls->conf->upstream_tries)
			lookup_plan(l, LOOKUP_NO_REPLY);
	}
	lookup_ask(ls, l);
	l->upstream = u;
	return true;
}

/* L ends with its truncated reply, better than none, when attempt_next_truncated comes to it. */
static bool
end_with_truncated(struct lookups *ls, struct lookup *l)
{
	lookup_stop_attempt(ls, l);
	l->wait = LOOKUP_AWAITS; /* as it has no timer */
	l->progress = LOOKUP_ENDING;
	list_push(&ls->ending, &l->link);
	ls->more = true;
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
	memcpy(ls->reply, l->truncated.bytes, l->truncated.len);
	if (msg_parse(&ls->truncated, ls->reply, l->truncated.len) == MSG_OK)
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

	if (UNLIKELY(failed && l->truncated.bytes != NULL))
		return end_with_truncated(ls, l);
	lookup_stop_attempt(ls, l);
	result->outcome = outcome;
	result->rcode = msg != NULL ? msg->rcode : l->tried.best_rcode;
	result->upstream = l->upstream;
	result->trusted =
	    l->upstream != UPSTREAM_NONE && ls->upstreams->table[l->upstream].conf.trusted;
	result->msg = msg;
	if (failed && !l->probe.is)
		stats_inc(&ls->stats->lookups_failed);
	return false;
}

__attribute__((noinline)) bool
attempt_resume(struct lookups *ls, struct lookup *l)
{
	const struct attempt *a = l->earlier;

	while (a != NULL && (a->silent || l->tried.errored >> a->upstream & 1))
		a = a->next;
	if (a == NULL)
		return false;
	if (a->upstream != l->upstream)
		antispoof_forget(l);
	lookup_stop_attempt(ls, l);
	lookup_recall(ls, l, a->space, a->id);
	attempt_set_wait(ls, l);
	return true;
}

/*
 * L ends without a reply: its time is over, or nobody is left to ask. False: it has ended; true: it
 * ends with its truncated reply.
 */
static bool
finish(struct lookups *ls, struct lookup *l, struct lookup_result *result)
{
	const struct upstreams *us = ls->upstreams;

	/* One that was down meanwhile and is up again was not silent about this name. */
	if (l->upstream != UPSTREAM_NONE)
		l->excuse.hindered = us->table[l->upstream].revived_ns >= l->born_ns;
	if (lookup_lacks_room(l))
		return attempt_finish(ls, l, result, LOOKUP_NO_ROOM, NULL);
	if (l->tried.best_rcode == DNS_NOERROR)
		l->tried.best_rcode = l->tried.late_rcode;
	return attempt_finish(
	    ls, l, result, l->tried.best_rcode == DNS_NOERROR ? LOOKUP_SILENT : LOOKUP_ERROR, NULL);
}

/* L sends nothing before DUE_NS, but a reply to what it sent is taken. Always true. */
static bool
pause_until(struct lookups *ls, struct lookup *l, uint64_t due_ns)
{
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_PAUSED, due_ns);
	return true;
}

/* --- What comes next -------------------------------------------------------------------------- */

/* Has upstream U replied to anybody since L began? */
static bool
was_heard(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	return ls->upstreams->table[u].heard_ns > l->born_ns;
}

/* Does U refuse what L sends? Then it is away, perhaps for a moment, whatever it replied before. */
static bool
is_refusing(const struct lookup *l, unsigned u)
{
	return l->refused && u == l->upstream;
}

/*
 * The upstream to be asked over TCP: at best one that answers others, which is asked so once. LEFT:
 * another upstream may be asked over UDP yet, but answers nobody: then only one that answers others
 * and has lost L's question as often as UDP may be tried. Else, as each was silent so often, any
 * that is not known to be down, as its UDP may be blocked. UPSTREAM_NONE: there is none, or TCP is
 * not allowed.
 */
static uint16_t
pick_for_stream(const struct lookups *ls, const struct lookup *l, bool left)
{
	const struct upstreams *us = ls->upstreams;
	unsigned most = ls->conf->upstream_tries;
	uint16_t found = UPSTREAM_NONE;

	if (l->message.bytes != NULL || ls->conf->upstream_tries == 1 ||
	    txid_room(&ls->spaces[0]) == 0)
		return UPSTREAM_NONE;
	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t u = us->order[i];
		unsigned n = attempt_timeouts(l, UPSTREAM_FALLBACK, u);

		if (l->tried.errored >> u & 1 || us->table[u].down || n >= most ||
		    !upstream_has_fallback(&us->table[u]))
			continue;
		if (is_refusing(l, u) || !was_heard(ls, l, u))
			found = left ? UPSTREAM_NONE : u;
		else if (n == 0 && (!left || attempt_timeouts(l, UPSTREAM_PRIMARY, u) >= most))
			return u;
	}
	return found;
}

/* The upstream for the next attempt of L; UPSTREAM_NONE. *OVER: the fallback for a last resort. */
static uint16_t
pick(struct lookups *ls, struct lookup *l, enum upstream_over *over)
{
	uint16_t u, last;

	penalty_forgive(ls, l);
	if (l->probe.is) /* there is another one in a while */
		return UPSTREAM_NONE;
	/* A is asked beside AAAA, and used: no more than a late reply is expected. */
	if (UNLIKELY(ls->upstreams->some_no_aaaa) && l->late.a_asked &&
	    upstreams_no_aaaa_ns(ls->upstreams) > 0)
		return UPSTREAM_NONE;
	u = attempt_pick_next(ls, l, true);
	if (u != UPSTREAM_NONE && was_heard(ls, l, u))
		return u;
	last = pick_for_stream(ls, l, u != UPSTREAM_NONE);
	if (last != UPSTREAM_NONE) {
		*over = UPSTREAM_FALLBACK;
		return last;
	}
	return u != UPSTREAM_NONE ? u : attempt_pick_next(ls, l, false); /* one that is down */
}

/* How many attempts L has left, about: not each upstream may be asked over TCP. */
static unsigned
n_left(const struct lookups *ls, const struct lookup *l)
{
	unsigned all = ls->conf->upstream_tries * ls->upstreams->n_order * UPSTREAM_OVERS;
	unsigned done = 0;

	for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
		done += (unsigned)(__builtin_popcountll(l->tried.silent[over][0]) +
		    2 * __builtin_popcountll(l->tried.silent[over][1]));
	return done < all ? all - done : 0;
}

/* How long A, an attempt of L that was silent, was waited for. */
static uint64_t
wait_of(const struct lookups *ls, const struct lookup *l, const struct attempt *a)
{
	unsigned n = attempt_timeouts(l, a->over, a->upstream);

	return upstreams_wait_ns(ls->upstreams, a->upstream, a->over, n > 0 ? n - 1 : 0);
}

/* The last attempt of L at U over UPSTREAM_PRIMARY without a reply; NULL: none is kept. */
static const struct attempt *
last_primary(const struct lookup *l, unsigned u)
{
	const struct attempt *last = NULL;

	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (a->upstream == u && a->over == UPSTREAM_PRIMARY &&
		    (last == NULL || a->sent_ns > last->sent_ns))
			last = a;
	}
	return last;
}

/*
 * When L's next attempt is due at U, which replies to others: at once. But where no reply ever came
 * over TCP the last attempt over UDP may be all that is left: unless it goes by another way than
 * those before it, it waits until what took them, a full buffer or a stall, has had its moment.
 */
static uint64_t
heard_due_ns(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	const struct upstream *up = &ls->upstreams->table[u];
	const struct attempt *a;

	if (attempt_timeouts(l, UPSTREAM_PRIMARY, u) + 1 != ls->conf->upstream_tries ||
	    times_known(&up->times[UPSTREAM_FALLBACK]) || lookup_needs_stream(l))
		return 0;
	a = last_primary(l, u);
	return a != NULL && a->way == up->ways.now ? a->sent_ns + MOMENT_MS * NS_PER_MS : 0;
}

/*
 * When L's next attempt is due, to upstream U: at once, or a while after the last one, as U may be
 * away for a moment. It is back when it replies to somebody.
 */
static uint64_t
due_ns(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	unsigned n = attempt_timeouts(l, UPSTREAM_PRIMARY, u);
	uint64_t last_ns = l->now.sent_ns;

	if (n < AT_ONCE)
		return 0;
	if (is_refusing(l, u))
		return last_ns +
		    (KNOCK_MS * NS_PER_MS
			<< (n - AT_ONCE + attempt_timeouts(l, UPSTREAM_FALLBACK, u)));
	if (was_heard(ls, l, u))
		return heard_due_ns(ls, l, u);
	last_ns += wait_of(ls, l, &l->now);
	return last_ns + (l->end_ns - last_ns) / (n_left(ls, l) + 1);
}

/* Send L's question to U next. */
bool
attempt_go_to(struct lookups *ls, struct lookup *l, uint16_t u)
{
	l->check = LOOKUP_CHECK_NONE; /* the first question, not one of another's check */
	if (u != l->upstream)
		lookup_plan(l, LOOKUP_ELSEWHERE);
	l->refused = is_refusing(l, u);
	return attempt_again(ls, l, u);
}

/*
 * All upstreams are down: nothing is sent until one is back. L listens on if it began before that
 * was known, and else has had its second, or what is sent is refused (RULES D5). Returns whether L
 * goes on.
 */
static bool
listen_on(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	if (l->excuse.hurried || l->tried.best_rcode != DNS_NOERROR || l->earlier == NULL)
		return finish(ls, l, result);
	return pause_until(ls, l, now_ns + LISTEN_MS * NS_PER_MS);
}

/*
 * May upstream A->upstream, which is not down, reply yet to A, an attempt of L? An upstream that
 * gave an error does so only to the last question of a check, which is whether that was one.
 */
static bool
is_open(const struct lookups *ls, const struct lookup *l, const struct attempt *a)
{
	return !ls->upstreams->table[a->upstream].down &&
	    (a->check == LOOKUP_CHECK_AGAIN || !(l->tried.errored >> a->upstream & 1));
}

/* Is an attempt of L open? If one is that tells whether the data is bogus, the check goes on. */
static bool
any_open(const struct lookups *ls, struct lookup *l)
{
	bool any = false;

	l->check = LOOKUP_CHECK_NONE; /* if none is */
	for (const struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (!is_open(ls, l, a))
			continue;
		any = true;
		if (a->check == LOOKUP_CHECK_AGAIN)
			l->check =
			    LOOKUP_CHECK_AGAIN; /* so that A is not taken beside it (RULES D5) */
	}
	return any;
}

/*
 * Nothing is left to be sent for L. What is open is awaited; beside an error only where it may be
 * answered yet, which is looked at now and then (RULES D3). Returns whether L goes on.
 */
static bool
spend(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	bool error = (l->tried.best_rcode | l->tried.late_rcode) != DNS_NOERROR;

	if (l->earlier == NULL || (error && !any_open(ls, l)))
		return finish(ls, l, result);
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_SPENT, error ? now_ns + LISTEN_MS * NS_PER_MS : l->end_ns);
	return true;
}

/*
 * Is U, which was silent to L over UDP, one that has replied over TCP only so far? Until that is
 * known to be its way (outbound/ways) it would be asked over UDP twice more.
 */
static bool
answers_by_stream(const struct lookups *ls, const struct lookup *l, unsigned u)
{
	const struct upstream *up = &ls->upstreams->table[u];

	return !times_known(&up->times[UPSTREAM_PRIMARY]) &&
	    times_known(&up->times[UPSTREAM_FALLBACK]) && l->message.bytes == NULL &&
	    attempt_timeouts(l, UPSTREAM_PRIMARY, u) > 0 &&
	    attempt_timeouts(l, UPSTREAM_FALLBACK, u) == 0;
}

/* L asks the next upstream, now or in a while. LOST: see attempt_go_on. Returns whether L goes on.
 */
static bool
ask_next(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, bool lost, uint64_t now_ns)
{
	uint64_t look_ns = now_ns + LISTEN_MS * NS_PER_MS, at_ns;
	enum upstream_over over = UPSTREAM_PRIMARY;
	uint16_t u = pick(ls, l, &over);

	if (u == UPSTREAM_NONE)
		return spend(ls, l, result, now_ns);
	at_ns = due_ns(ls, l, u);
	if (at_ns > now_ns)
		return pause_until(ls, l, at_ns < look_ns ? at_ns : look_ns);
	/* Where connections end under a load, the same again at once would only add to it. */
	if (lost && u == l->upstream && l->stream.plan == LOOKUP_STREAM_HERE)
		return pause_until(
		    ls, l, now_ns + upstreams_wait_ns(ls->upstreams, u, UPSTREAM_FALLBACK, 0));
	(void)attempt_go_to(ls, l, u);
	if (over == UPSTREAM_FALLBACK || answers_by_stream(ls, l, u))
		lookup_plan(l, LOOKUP_WISHES_STREAM);
	return true;
}

bool
attempt_go_on(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, bool lost, uint64_t now_ns)
{
	lookup_plan(l, LOOKUP_NO_REPLY);
	if (l->wait == LOOKUP_HOPELESS || now_ns >= l->end_ns)
		return finish(ls, l, result);
	if (upstreams_all_down(ls->upstreams) && !l->probe.is)
		return listen_on(ls, l, result, now_ns);
	if (l->check != LOOKUP_CHECK_NONE) {
		unsigned n = attempt_timeouts(l, UPSTREAM_PRIMARY, l->upstream) +
		    attempt_timeouts(l, UPSTREAM_FALLBACK, l->upstream);

		if (n < ls->conf->upstream_tries)
			return attempt_again(ls, l, l->upstream);
		return attempt_failed(ls, l, result, DNS_SERVFAIL, NULL, now_ns);
	}
	return ask_next(ls, l, result, lost, now_ns);
}

bool
attempt_send_now(
    struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	lookup_plan(l, LOOKUP_NO_REPLY);
	if (now_ns >= l->end_ns)
		return finish(ls, l, result);
	if (UNLIKELY(l->wait == LOOKUP_HELD))
		return attempt_again(ls, l, l->upstream);
	if (!l->excuse.hurried && upstreams_all_down(ls->upstreams))
		return listen_on(ls, l, result, now_ns);
	return ask_next(ls, l, result, false, now_ns);
}

void
attempt_end_check(struct lookup *l)
{
	for (struct attempt *a = l->earlier; a != NULL; a = a->next) {
		if (a->upstream == l->upstream && a->check == LOOKUP_CHECK_AGAIN)
			a->check = LOOKUP_CHECK_NONE;
	}
}

bool
attempt_failed(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint16_t rcode,
    const struct msg *msg, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];

	if (l->probe.is) /* the upstream is alive: that is all a probe asks */
		return attempt_finish(ls, l, result, LOOKUP_SILENT, NULL);
	stats_inc(&ls->stats->upstream_errors);
	l->tried.errored |= 1ULL << l->upstream;
	if (UNLIKELY(l->check == LOOKUP_CHECK_AGAIN) && lookup_in_flight(l))
		attempt_end_check(l);
	l->check = LOOKUP_CHECK_NONE;
	/* What was learned of this one is no wish of the client. */
	lookup_plan(l, up->ways.now != WAY_FULL ? LOOKUP_NO_STREAM : LOOKUP_ELSEWHERE);
	/* Any other error is more telling than SERVFAIL. */
	if (l->tried.best_rcode == DNS_NOERROR || l->tried.best_rcode == DNS_SERVFAIL)
		l->tried.best_rcode = rcode;
	if (UNLIKELY(l->earlier != NULL) && attempt_resume(ls, l))
		return true;
	lookup_stop_attempt(ls, l);
	if (ask_next(ls, l, result, false, now_ns))
		return true;
	if (result->outcome == LOOKUP_ERROR && rcode == l->tried.best_rcode)
		result->msg = msg;
	return false;
}
