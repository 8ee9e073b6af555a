/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/loss.h"

#include "base/clock.h"
#include "outbound/antispoof.h"
#include "outbound/attempt.h"
#include "outbound/choice.h"
#include "outbound/health.h"
#include "outbound/id_attack.h"
#include "outbound/penalty.h"

#define UNSENT_MOST 14 /* times a question did not leave, after which its pauses do not grow */
#define SENDS_MOST 32  /* sends of a lookup, after which no lost connection is made anew for it */

/* --- silence ---------------------------------------------------------------------------------- */

/* Is L's timer for an attempt that is to be sent, or for the end when there is none? */
static bool
waits_to_send(const struct lookup *l)
{
	return l->wait == LOOKUP_PAUSED || l->wait == LOOKUP_HELD || l->wait == LOOKUP_SPENT;
}

/* L's attempt is waited for no longer: its timer fires at the next tick. */
static void
hurry(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	bool early = l->wait == LOOKUP_EARLY || l->wait == LOOKUP_PLACED;

	lookup_set_wait(ls, l, early ? LOOKUP_AWAITS : (enum lookup_wait)l->wait, now_ns);
}

/*
 * The wait of A, which went over TCP, is over. If its connection is stuck by that
 * (outbound/tcp_pool), the other questions open on it are waited for no longer either: their timers
 * fire at the next tick.
 */
static void
check_conn(struct lookups *ls, const struct attempt *a, uint64_t now_ns)
{
	struct tcp_conn *c = lookup_conn(ls, a);

	if (!tcp_conn_silent(c, a->sent_ns))
		return;
	stats_inc(&ls->stats->tcp_upstream_stuck);
	for (struct list *link = c->open.next; link != &c->open; link = link->next) {
		struct attempt *other = LIST_OBJECT(link, struct attempt, link);
		struct lookup *l = lookup_of(ls, other);

		if (other != &l->now)
			continue;
		if (l->wait == LOOKUP_PLACED || l->timer.due * WHEEL_TICK_NS > now_ns)
			hurry(ls, l, now_ns);
	}
}

/*
 * L's upstream is slower than it usually is, or than others are: another one is asked beside it,
 * and the first that replies is right. If there is none, L waits on; so it does without room to
 * keep its attempt.
 */
static bool
go_beside(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	uint16_t u = UPSTREAM_NONE;

	if (lookup_may_shelve(ls, l))
		u = choice_beside(
		    ls->upstreams, l->upstream, l->exploring, l->tried.errored, ls->rng);
	if (u == UPSTREAM_NONE) {
		attempt_set_wait(ls, l);
		return true;
	}
	if (l->exploring) {
		penalty_count(ls, l, &l->now, UPSTREAM_LOST_TIMEOUT);
		health_on_overtaken(ls->upstreams, l->upstream, now_ns);
	} else {
		stats_inc(&ls->stats->upstream_hedges);
	}
	lookup_shelve(ls, l);
	return attempt_go_to(ls, l, u);
}

/*
 * Did L's question go over TCP on a suspicion only, and wait for that as long as it may
 * (outbound/id_attack)? Then it goes over UDP beside it, and the upstream is not blamed (RULES
 * D21).
 */
static bool
suspicious_in_vain(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (l->now.silent || !antispoof_without_tcp(ls, l, now_ns))
		return false;
	penalty_earlier(ls, l, now_ns);
	l->now.silent = true;
	lookup_shelve(ls, l);
	return true;
}

bool
loss_on_timer(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	bool in_flight = lookup_in_flight(l);

	if (l->wait == LOOKUP_PLACED) {
		attempt_leave_place(ls, l);
		return false;
	}
	/* One that refuses over UDP and is silent over TCP does refuse. */
	l->refused = l->refused &&
	    (waits_to_send(l) ||
		(l->progress == LOOKUP_ASKED_STREAM && l->stream.plan != LOOKUP_STREAM_HERE));
	if (l->progress == LOOKUP_TO_ASK) { /* no TCP connection had room */
		l->excuse.no_room = true;
		/* With others a wish for TCP goes on to the next; the only one is asked as usual.
		 */
		if (ls->upstreams->n_order == 1)
			lookup_plan(l, LOOKUP_NO_REPLY);
		lookup_stop_attempt(ls, l);
		l->progress = LOOKUP_UNSENT;
	}
	if (UNLIKELY(l->excuse.hurried) && !upstreams_all_down(ls->upstreams)) {
		/* One is back: it is asked, and L lives on (RULES D5). */
		l->excuse.hurried = false;
		l->end_ns = l->born_ns + LOOKUP_LIFE_MS * NS_PER_MS;
	}
	if (l->wait == LOOKUP_EARLY)
		return !go_beside(ls, l, now_ns);
	if (l->progress == LOOKUP_ASKED_STREAM && suspicious_in_vain(ls, l, now_ns))
		return !attempt_again(ls, l, l->upstream);
	if (l->progress == LOOKUP_ASKED_STREAM)
		check_conn(ls, &l->now, now_ns);
	if (in_flight && !l->now.silent) {
		penalty_earlier(ls, l, now_ns);
		penalty_silent(ls, l, &l->now, now_ns);
	}
	if (in_flight)
		lookup_shelve(ls, l);
	if (waits_to_send(l))
		return !attempt_send_now(ls, l, result, now_ns);
	return !attempt_go_on(ls, l, result, false, now_ns);
}

void
loss_ask_again(struct lookups *ls, unsigned u, uint64_t probe_ns, uint64_t now_ns)
{
	for (unsigned slot = 0; slot < ls->upstreams->n_slots; slot++) {
		struct upstream_socket *s = &ls->upstreams->sockets[slot];

		if (s->upstream != u)
			continue;
		for (struct list *link = s->open.next; link != &s->open; link = link->next) {
			struct lookup *l = lookup_of(ls, LIST_OBJECT(link, struct attempt, link));
			bool awaits = lookup_in_flight(l)
			    ? l->upstream == u && l->now.sent_ns <= probe_ns
			    : waits_to_send(l);

			if (!l->probe.is && awaits && l->wait != LOOKUP_SPENT)
				hurry(ls, l, now_ns);
		}
	}
}

/* --- refused ---------------------------------------------------------------------------------- */

void
loss_on_refused(struct lookups *ls, unsigned slot)
{
	struct upstream_socket *s = &ls->upstreams->sockets[slot];

	if (list_empty(&s->open))
		return;
	for (struct list *link = s->open.next; link != &s->open; link = link->next) {
		LIST_OBJECT(link, struct attempt, link)->refused = true;
		s->n_refused++;
	}
	list_move(&ls->refused, &s->open);
	ls->more = true;
}

/* L's attempt was refused. */
static bool
on_refused(struct lookups *ls, struct lookup *l, struct lookup_result *result, uint64_t now_ns)
{
	l->refused = true;
	penalty_count(ls, l, &l->now, UPSTREAM_LOST_UNREACHABLE);
	lookup_shelve(ls, l); /* ICMP may be forged: a reply is taken still */
	if (attempt_resume(ls, l)) {
		l->refused = false;
		return true;
	}
	return attempt_go_on(ls, l, result, false, now_ns);
}

struct lookup *
loss_next_refused(struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns)
{
	struct list *link;

	while (*most > 0 && (link = list_pop(&ls->refused)) != NULL) {
		struct attempt *a = LIST_OBJECT(link, struct attempt, link);
		struct upstream_socket *s = &ls->upstreams->sockets[a->socket];
		struct lookup *l = lookup_of(ls, a);

		--*most;
		a->refused = false;
		s->n_refused--;
		list_push(&s->open, link);
		if (a->silent)
			continue;
		if (a != &l->now) /* given up early */
			penalty_count(ls, l, a, UPSTREAM_LOST_UNREACHABLE);
		else if (!on_refused(ls, l, result, now_ns))
			return l;
	}
	return NULL;
}

/* L's last attempt, if it has made one since it began anew, is not counted: it was none. */
static void
uncount(struct lookup *l)
{
	if (l->n_sends > 0)
		l->n_sends--;
}

/* --- not sent --------------------------------------------------------------------------------- */

/* L, which is in flight, ends at the next tick. */
static void
give_up(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	lookup_stop_attempt(ls, l);
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_HOPELESS, now_ns);
}

/* Another upstream than L's, for a question that did not leave; UPSTREAM_NONE. */
static uint16_t
pick_elsewhere(struct lookups *ls, const struct lookup *l)
{
	uint16_t u = l->probe.is ? UPSTREAM_NONE : attempt_pick_next(ls, l, true);

	return u == l->upstream ? UPSTREAM_NONE : u;
}

/* L's question, which did not leave, is sent again in a while. */
static void
send_later(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	lookup_stop_attempt(ls, l);
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_HELD, now_ns + ((WHEEL_TICK_NS / 2) << (l->n_unsent / 2)));
}

/* L's question did not leave: it is sent elsewhere, or later. */
static void
send_again(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	uint16_t u = l->n_unsent % 2 == 0 ? pick_elsewhere(ls, l) : UPSTREAM_NONE;

	if (u == UPSTREAM_NONE)
		send_later(ls, l, now_ns);
	else
		(void)attempt_go_to(ls, l, u);
	if (l->n_unsent < UNSENT_MOST)
		l->n_unsent++;
	else if (u != UPSTREAM_NONE) /* a pause is next, as before: it never goes round without */
		l->n_unsent--;
}

void
loss_on_unsent(struct lookups *ls, unsigned slot, uint16_t id, bool away, uint64_t now_ns)
{
	unsigned space = ls->upstreams->sockets[slot].space;
	const struct txid_owner *owner = &ls->spaces[space].owner[id];
	struct lookup *l;
	struct attempt *a;

	if (!txid_in_flight(&ls->spaces[space], id) || owner->socket != slot ||
	    transport_is_stream(owner->transport))
		return;
	l = lookup_at(ls, owner->lookup);
	if (!lookup_in_flight(l) || l->now.id != id || l->now.space != space) {
		for (a = l->earlier; a != NULL && (a->id != id || a->space != space);)
			a = a->next;
		if (a != NULL) /* given up already */
			lookup_drop(ls, l, a);
		return;
	}
	uncount(l); /* it did not leave */
	if (!away && lookup_counts_as_probe(l))
		health_on_probe_unsent(ls->upstreams, l->upstream);
	l->refused = away;
	if (l->probe.is && away)
		give_up(ls, l, now_ns); /* that is all it was to find out */
	else
		send_again(ls, l, now_ns);
}

/* --- its socket was given up ------------------------------------------------------------------ */

/*
 * A forger makes L's question leave once more: that is no try, and its client does not pay for it
 * (RULES D21, D28). The first time it leaves at once; then later and later, lest he makes us send
 * as fast as he does.
 */
static void
move(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	uncount(l); /* free of charge */
	if (id_attack_leaves_udp(ls, l, now_ns)) {
		lookup_ask(ls, l);
	} else if (l->n_unsent == 0) {
		l->n_unsent++;
		lookup_ask(ls, l);
	} else {
		send_again(ls, l, now_ns);
	}
}

/* A, an attempt of L that was silent, is not answered any more. */
static void
forget(struct lookups *ls, struct lookup *l, struct attempt *a, uint64_t now_ns)
{
	lookup_drop(ls, l, a);
	if (l->wait != LOOKUP_SPENT || l->earlier != NULL)
		return;
	uncount(l); /* it was the last that is answered yet: another one takes its place */
	wheel_set(ls->wheel, &l->timer, now_ns);
}

void
loss_on_given_up(struct lookups *ls, unsigned slot, uint64_t now_ns)
{
	struct list *open = &ls->upstreams->sockets[slot].open;

	upstreams_socket_retire(ls->upstreams, slot);
	while (!list_empty(open)) {
		struct attempt *a = LIST_OBJECT(open->next, struct attempt, link);
		struct lookup *l = lookup_of(ls, a);

		if (a == &l->now)
			move(ls, l, now_ns);
		else
			forget(ls, l, a, now_ns);
	}
}

/* --- taken down ------------------------------------------------------------------------------- */

/* The attempts on the list OPEN are waited for no longer: their lookups go on at the next tick. */
static void
hurry_all(struct lookups *ls, const struct list *open, uint64_t now_ns)
{
	for (struct list *link = open->next; link != open; link = link->next) {
		struct attempt *a = LIST_OBJECT(link, struct attempt, link);
		struct lookup *l = lookup_of(ls, a);

		if (a != &l->now)
			continue;
		if (ls->upstreams->n_order > 0)
			hurry(ls, l, now_ns);
		else /* without another upstream there is nothing to wait for */
			lookup_set_wait(ls, l, LOOKUP_HOPELESS, now_ns);
	}
}

void
loss_on_taken(struct lookups *ls, unsigned u, uint64_t now_ns)
{
	const struct upstreams *us = ls->upstreams;

	for (unsigned slot = 0; slot < us->n_slots; slot++) {
		if (us->sockets[slot].upstream == u)
			hurry_all(ls, &us->sockets[slot].open, now_ns);
	}
	for (unsigned k = 0; k < TCP_POOL_SIZE; k++)
		hurry_all(ls, &us->table[u].tcp[k].open, now_ns);
}

/* --- TCP -------------------------------------------------------------------------------------- */

/*
 * The connection C of L's attempt ended. L asks again at once over a new connection if this one had
 * been up, as a server may close at any time (RFC 7766 section 6.2.4). If that is no use, as the
 * new connection ended too and without any reply, or if C could not be made, L goes on as after
 * silence. Returns whether it goes on.
 */
static bool
on_lost(struct lookups *ls, struct lookup *l, const struct tcp_conn *c,
    struct lookup_result *result, uint64_t now_ns)
{
	/* What others overtake is charged for, or it could be sent without end (rule 34). */
	bool fruitful = c->lost_fruitful && !l->now.displaced;
	bool again = fruitful ? l->n_sends < SENDS_MOST : !l->stream.again;

	l->refused = l->refused && !c->lost_established && l->stream.plan != LOOKUP_STREAM_HERE;
	/* What was asked on a suspicion does not wait for a second connection (RULES D21). */
	if (l->here.suspect != LOOKUP_NO_SUSPECT && !fruitful)
		again = false;
	if (c->lost_established && again) {
		if (!fruitful) {
			l->stream.again = true;
			if (ls->conf->upstream_tries == CONF_MOST_TRIES) /* else one more may be */
				penalty_use_up(l, &l->now);
		}
		return attempt_again(ls, l, l->upstream);
	}
	if (antispoof_without_tcp(ls, l, now_ns))
		return attempt_again(ls, l, l->upstream);
	penalty_count(ls, l, &l->now, UPSTREAM_LOST_DISCONNECTED);
	/* Of one that could not be made the upstream knows already (health_on_no_tcp). */
	if (l->now.over == UPSTREAM_PRIMARY && c->lost_established && !l->probe.is)
		health_on_silence(ls->upstreams, l->upstream, UPSTREAM_PRIMARY, now_ns);
	if (attempt_resume(ls, l)) {
		lookup_plan(l, LOOKUP_ELSEWHERE);
		return true;
	}
	if (l->truncated.bytes != NULL) /* that is all this upstream has to give */
		l->tried.errored |= UINT64_C(1) << l->upstream;
	lookup_stop_attempt(ls, l);
	return attempt_go_on(ls, l, result, c->lost_established, now_ns);
}

void
loss_on_tcp_lost(struct lookups *ls, unsigned conn, bool established)
{
	struct tcp_conn *c = upstreams_conn(ls->upstreams, conn);
	struct upstream *up = &ls->upstreams->table[conn / TCP_POOL_SIZE];

	up->tcp_yield = tcp_conn_yield(c, up->tcp_yield);
	tcp_conn_closed(c, established);
	lookup_tcp_room(ls, conn / TCP_POOL_SIZE);
	if (list_empty(&c->lost))
		return;
	list_unlink(&c->link);
	list_push(&ls->lost, &c->link);
	ls->more = true;
}

struct lookup *
loss_next_lost(struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns)
{
	while (*most > 0 && !list_empty(&ls->lost)) {
		struct tcp_conn *c = LIST_OBJECT(ls->lost.next, struct tcp_conn, link);
		struct attempt *a = LIST_OBJECT(c->lost.next, struct attempt, link);
		struct lookup *l;

		if (list_empty(&c->lost)) {
			list_unlink(&c->link);
			upstreams_release(ls->upstreams, upstreams_of_conn(ls->upstreams, c));
			continue;
		}
		--*most;
		l = lookup_of(ls, a);
		if (a != &l->now && !a->silent) /* given up early: it was a try (rule 34) */
			penalty_use_up(l, a);
		penalty_lose(ls, a, UPSTREAM_LOST_DISCONNECTED);
		if (a != &l->now)
			lookup_drop(ls, l, a);
		else if (!on_lost(ls, l, c, result, now_ns))
			return l;
	}
	return NULL;
}

/*
 * L's attempt did not leave, and UDP has been tried as often as it may: L goes on as after silence,
 * at the next tick.
 */
static void
move_on(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	l->tried.silent[UPSTREAM_FALLBACK][0] |= UINT64_C(1) << l->upstream;
	l->tried.silent[UPSTREAM_FALLBACK][1] |= UINT64_C(1) << l->upstream;
	lookup_stop_attempt(ls, l);
	l->progress = LOOKUP_UNSENT;
	lookup_set_wait(ls, l, LOOKUP_AWAITS, now_ns);
}

/*
 * L's question, which must go over TCP, found no room. That may be for a moment: it is sent once
 * more (RULES D27). If there is no room again, L ends.
 */
static void
full_again(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (l->stream.full) {
		l->excuse.no_room = true;
		give_up(ls, l, now_ns);
		return;
	}
	l->stream.full = true;
	send_later(ls, l, now_ns);
}

void
loss_on_tcp_full(struct lookups *ls, unsigned conn, uint16_t id, uint64_t now_ns)
{
	const struct txid_owner *owner = &ls->spaces[0].owner[id];
	struct lookup *l;

	if (!txid_in_flight(&ls->spaces[0], id) || !lookup_went_by(owner, conn))
		return;
	l = lookup_at(ls, owner->lookup);
	stats_inc(&ls->stats->tcp_upstream_full);
	uncount(l);                                 /* no room: it did not leave */
	if (l->stream.plan == LOOKUP_STREAM_NEXT) { /* it may go as usual */
		lookup_plan(l, LOOKUP_NO_STREAM);
		l->here.no_tcp = true; /* though that is the way that was learned (outbound/ways) */
		if (attempt_timeouts(l, UPSTREAM_PRIMARY, l->upstream) >=
		    ls->conf->upstream_tries) {
			move_on(ls, l, now_ns);
			return;
		}
	} else if (!antispoof_without_tcp(ls, l, now_ns)) {
		full_again(ls, l, now_ns);
		return;
	}
	attempt_again(ls, l, l->upstream);
}
