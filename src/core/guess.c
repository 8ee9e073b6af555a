/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/guess.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/told.h"

/* From now on UP is wary. */
static void
beware_of(struct lookups *ls, struct upstream *up, uint64_t now_ns)
{
	char text[NETADDR_TEXT], more[TOLD_MORE];
	uint64_t n = told_now(ls->upstreams->told, TOLD_GUESSED, &up->addr, 1, now_ns);

	up->wary_until_ns = now_ns + GUESS_WARY_NS;
	if (n > 0)
		log_warn(LOG_UPSTREAM,
		    "%s: somebody sends forged replies from this address: questions with little to "
		    "guess go over TCP%s",
		    netaddr_format(&up->addr, text), told_more(more, n));
}

void
guess_note(struct lookups *ls, unsigned slot, uint64_t now_ns)
{
	struct upstream_socket *s = &ls->upstreams->sockets[slot];
	struct upstream *up;
	uint64_t over;

	if (s->upstream == UPSTREAM_NONE || guess_given_up(s))
		return;
	up = &ls->upstreams->table[s->upstream];
	over = (now_ns - up->guessed_ns) / GUESS_LEAK_NS +
	    (up->tally.replies - up->guessed_replies) / GUESS_REPLIES;
	if (over > 0) {
		up->n_guesses -= over < up->n_guesses ? (uint32_t)over : up->n_guesses;
		up->guessed_ns = now_ns;
		up->guessed_replies = up->tally.replies;
	}
	s->n_guesses++;
	if (up->n_guesses < GUESS_UPSTREAM)
		up->n_guesses++;
	if (guess_given_up(s))
		stats_inc(&ls->stats->upstream_guessed);
	if (guess_given_up(s) || up->n_guesses == GUESS_UPSTREAM)
		beware_of(ls, up, now_ns);
}

/* Can no TCP connection to UP be had, as far as is known? */
static inline bool
lacks_tcp(const struct upstream *up, uint64_t now_ns)
{
	return up->no_tcp_ns != 0 && now_ns - up->no_tcp_ns < GUESS_NO_TCP_NS;
}

/* L's attempt is on a socket that was given up. */
static void
move(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (guess_may_tcp(l) && !lacks_tcp(&ls->upstreams->table[l->upstream], now_ns)) {
		guess_by_tcp(l);
		stats_inc(&ls->stats->upstream_wary);
	}
	lookup_ask(ls, l);
}

void
guess_move(struct lookups *ls, unsigned slot, uint64_t now_ns)
{
	struct list *open = &ls->upstreams->sockets[slot].open;

	upstreams_socket_retire(ls->upstreams, slot);
	while (!list_empty(open)) {
		struct attempt *a = LIST_OBJECT(open->next, struct attempt, link);
		struct lookup *l = lookup_of(ls, a);

		if (a == &l->now) {
			move(ls, l, now_ns);
			continue;
		}
		lookup_drop(ls, l, a);
		if (l->spent && l->earlier == NULL) /* it has nothing to listen for any more */
			wheel_set(ls->wheel, &l->timer, now_ns);
	}
}

/* Has L's name GUESS_LETTERS letters, in whose case 0x20 hides as many bits? */
static bool
has_letters(const struct lookup *l)
{
	unsigned n = 0;

	/* The bytes of length are under 64, and so no letters. */
	for (unsigned i = 0; i < l->qname_len && n < GUESS_LETTERS; i++)
		n += l->qname[i] >= 'a' && l->qname[i] <= 'z';
	return n == GUESS_LETTERS;
}

void
guess_beware(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	const struct upstream *up = &ls->upstreams->table[l->upstream];
	bool cookie = ls->conf->upstream_cookies && up->cookie_len > DNS_COOKIE_CLIENT &&
	    up->no_edns_until_ns <= now_ns && !l->no_edns &&
	    upstream_guarded(&up->cookie_guard, now_ns);
	bool cases = ls->conf->case_randomization && upstream_guarded(&up->case_guard, now_ns);

	if (l->tcp || l->tcp_only || !guess_may_tcp(l) || lacks_tcp(up, now_ns))
		return;
	if (cookie || (cases && has_letters(l)))
		return;
	guess_by_tcp(l);
	stats_inc(&ls->stats->upstream_wary);
}
