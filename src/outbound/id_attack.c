/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/id_attack.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"

enum event {
	SIGN,
	SIGN_NO_TCP, /* a sign, and TCP was found not to work less than ID_ATTACK_NO_TCP_NS ago */
	TCP_FAILS,
	TIME_OVER, /* ID_ATTACK_WARY_NS without a sign */
	EVENTS
};

static const uint8_t next_state[SUSPICION_STATES][EVENTS] = {
	[SUSPICION_NONE] = { [SIGN] = SUSPICION_BY_TCP,
	    [SIGN_NO_TCP] = SUSPICION_BY_PORTS,
	    [TCP_FAILS] = SUSPICION_NONE,
	    [TIME_OVER] = SUSPICION_NONE },
	[SUSPICION_BY_TCP] = { [SIGN] = SUSPICION_BY_TCP,
	    [SIGN_NO_TCP] = SUSPICION_BY_PORTS,
	    [TCP_FAILS] = SUSPICION_BY_PORTS,
	    [TIME_OVER] = SUSPICION_NONE },
	[SUSPICION_BY_PORTS] = { [SIGN] = SUSPICION_BY_TCP,
	    [SIGN_NO_TCP] = SUSPICION_BY_PORTS,
	    [TCP_FAILS] = SUSPICION_BY_PORTS,
	    [TIME_OVER] = SUSPICION_NONE },
};

#define BY_PORTS_TEXT "each question leaves by a port of its own, as TCP does not work"

static void
happen(struct suspicion *sp, enum event event)
{
	uint8_t before = sp->state;

	sp->state = next_state[before][event];
	if (sp->state != before)
		sp->vain = 0;
}

/* UP's suspicion as of NOW_NS. */
static enum suspicion_state
state_of(struct upstream *up, uint64_t now_ns)
{
	if (up->suspicion.until_ns <= now_ns)
		happen(&up->suspicion, TIME_OVER);
	return (enum suspicion_state)up->suspicion.state;
}

/* Somebody guesses at UP's questions. */
static void
on_sign(struct lookups *ls, struct upstream *up, uint64_t now_ns)
{
	struct suspicion *sp = &up->suspicion;
	char text[NETADDR_TEXT], more[LOGONCE_MORE];
	uint64_t n =
	    logonce_now(ls->upstreams->logonce, LOGONCE_GUESSED, &up->conf.addr, 1, now_ns);
	bool no_tcp = sp->no_tcp_ns != 0 && now_ns - sp->no_tcp_ns < ID_ATTACK_NO_TCP_NS;

	happen(sp, no_tcp ? SIGN_NO_TCP : SIGN);
	sp->until_ns = now_ns + ID_ATTACK_WARY_NS;
	sp->n_guesses = 0;
	if (n > 0)
		log_warn(LOG_UPSTREAM, "%s: somebody sends forged replies from this address: %s%s",
		    netaddr_format(&up->conf.addr, text),
		    sp->state == SUSPICION_BY_PORTS ? BY_PORTS_TEXT
						    : "questions with little to guess go over TCP",
		    logonce_more(more, n));
}

/* How many guesses are a sign? Few of the replies are so late that their ID looks like one. */
static uint64_t
sign_of(const struct upstream *up)
{
	uint64_t n = (uint64_t)ID_ATTACK_EACH * up->n_sockets;

	return (n > ID_ATTACK_UPSTREAM ? n : ID_ATTACK_UPSTREAM) +
	    (up->tally.replies - up->suspicion.from_replies) / ID_ATTACK_REPLIES;
}

void
id_attack_note(struct lookups *ls, unsigned slot, uint64_t now_ns)
{
	struct upstream_socket *s = &ls->upstreams->sockets[slot];
	struct suspicion *sp;
	struct upstream *up;

	if (s->upstream == UPSTREAM_NONE || id_attack_given_up(s))
		return;
	up = &ls->upstreams->table[s->upstream];
	sp = &up->suspicion;
	(void)state_of(up, now_ns);
	if (sp->n_guesses == 0 || now_ns - sp->from_ns >= ID_ATTACK_WINDOW_NS) {
		sp->n_guesses = 0;
		sp->from_ns = now_ns;
		sp->from_replies = up->tally.replies;
	}
	s->n_guesses++;
	sp->n_guesses++;
	if (id_attack_given_up(s))
		stats_inc(&ls->stats->upstream_guessed);
	if (id_attack_given_up(s) || sp->n_guesses >= sign_of(up))
		on_sign(ls, up, now_ns);
}

/* --- does TCP work? --------------------------------------------------------------------------- */

/* TCP to UP does not work: without it, as long as that is known. */
static void
without_tcp(struct lookups *ls, struct upstream *up, uint64_t now_ns)
{
	char text[NETADDR_TEXT], more[LOGONCE_MORE];
	bool tried = state_of(up, now_ns) == SUSPICION_BY_TCP;
	uint64_t n;

	up->suspicion.no_tcp_ns = now_ns;
	happen(&up->suspicion, TCP_FAILS);
	if (!tried)
		return;
	n = logonce_now(ls->upstreams->logonce, LOGONCE_GUESSED_UDP, &up->conf.addr, 1, now_ns);
	if (n > 0)
		log_notice(LOG_UPSTREAM, "%s: forged replies: " BY_PORTS_TEXT "%s",
		    netaddr_format(&up->conf.addr, text), logonce_more(more, n));
}

void
id_attack_on_no_tcp(struct lookups *ls, unsigned u, uint64_t now_ns)
{
	without_tcp(ls, &ls->upstreams->table[u], now_ns);
}

void
id_attack_on_vain(struct lookups *ls, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[u];

	if (state_of(up, now_ns) != SUSPICION_BY_TCP)
		return;
	up->suspicion.vain += ID_ATTACK_GOOD_EACH;
	if (up->suspicion.vain >= ID_ATTACK_VAIN * ID_ATTACK_GOOD_EACH)
		without_tcp(ls, up, now_ns);
}

/* The longest time over TCP that does not count as vain: some times that over UDP. */
static uint64_t
most_ns(const struct upstream *up)
{
	const struct times *t = &up->times[UPSTREAM_PRIMARY];
	uint64_t ns = ID_ATTACK_SLOWER * t->srtt_ns;

	if (!times_known(t))
		return TIMES_LEAST_NS;
	return ns > ID_ATTACK_LEAST_NS ? ns : ID_ATTACK_LEAST_NS;
}

uint64_t
id_attack_wait_ns(const struct upstream *up)
{
	uint64_t ns = most_ns(up);

	return ns > 2 * WHEEL_TICK_NS ? ns : 2 * WHEEL_TICK_NS;
}

void
id_attack_on_tcp_reply(struct lookups *ls, const struct attempt *a, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[a->upstream];

	uint64_t slow_ns = most_ns(up);

	/* If its wait was over it was counted then. */
	if (a->silent || up->suspicion.state != SUSPICION_BY_TCP)
		return;
	slow_ns -= slow_ns / 16; /* neither was measured to the nanosecond */
	if (now_ns - a->sent_ns >= slow_ns)
		id_attack_on_vain(ls, a->upstream, now_ns);
	else if (up->suspicion.vain > 0)
		up->suspicion.vain--;
}

/* --- questions -------------------------------------------------------------------------------- */

bool
id_attack_leaves_udp(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	if (!id_attack_may_tcp(l) ||
	    state_of(&ls->upstreams->table[l->upstream], now_ns) == SUSPICION_BY_PORTS)
		return false;
	id_attack_by_tcp(l);
	stats_inc(&ls->stats->upstream_id_attack_tcp);
	return true;
}

/* Has L's name ID_ATTACK_LETTERS letters, in whose case 0x20 hides as many bits? */
static bool
has_letters(const struct lookup *l)
{
	unsigned n = 0;

	/* The bytes of length are under 64, and so no letters. */
	for (unsigned i = 0; i < l->key.qname_len && n < ID_ATTACK_LETTERS; i++)
		n += l->key.qname[i] >= 'a' && l->key.qname[i] <= 'z';
	return n == ID_ATTACK_LETTERS;
}

void
id_attack_beware(struct lookups *ls, struct lookup *l, uint64_t now_ns)
{
	struct upstream *up = &ls->upstreams->table[l->upstream];
	bool cookie, cases;

	if (state_of(up, now_ns) != SUSPICION_BY_TCP || l->stream.plan != LOOKUP_AS_USUAL ||
	    !id_attack_may_tcp(l))
		return;
	cookie = ls->conf->cookies.upstream && up->cookie.len > DNS_COOKIE_CLIENT &&
	    up->edns.off_until_ns <= now_ns && !l->here.no_edns && up->ways.now == WAY_FULL &&
	    upstream_guarded(&up->cookie.guard, now_ns);
	cases = ls->conf->case_randomization && upstream_guarded(&up->case_guard, now_ns);
	if (cookie || (cases && has_letters(l)))
		return;
	id_attack_by_tcp(l);
	stats_inc(&ls->stats->upstream_id_attack_tcp);
}
