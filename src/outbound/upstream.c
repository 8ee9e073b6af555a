/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/upstream.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"

#define SLOTS_FIRST 64 /* slots for sockets at first */

_Static_assert(UPSTREAM_MAX_SOCKETS % SLOTS_FIRST == 0, "slots are doubled");

static void
clear(struct upstream *u)
{
	u->conf = (struct conf_upstream){ .ordered = CONF_UP };
	u->active = false;
	u->down = false;
	u->in_doubt = false;
	u->watched = true;
	u->starved = false;
	u->failures.n_primary_silent = 0;
	ways_init(&u->ways);
	u->failures.n = 0;
	u->failures.since_ns = 0;
	u->revived_ns = 0;
	u->heard_ns = 0;
	memset(u->times, 0, sizeof(u->times));
	u->cost = (struct times_cost){ .ns = 0 };
	u->tally = (struct upstream_tally){ .sends = 0 };
	u->errors.n = 0;
	u->errors.logged = false;
	u->edns.off_until_ns = 0;
	u->edns.refused_on = UPSTREAM_NONE;
	u->edns.spoken = false;
	u->suspicion = (struct suspicion){ .state = SUSPICION_NONE };
	u->case_guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie.guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie.len = 0;
	u->n_sockets = 0;
	for (unsigned i = 0; i < TXID_MAX_SPACES; i++)
		u->socket[i] = -1;
	tcp_pool_init(u->tcp);
	u->tcp_yield = TCP_CONN_ENDLESS;
	wheel_timer_init(&u->probe, WHEEL_UPSTREAM);
	shared_health_init(&u->alone);
	u->shared = &u->alone;
	u->probe_way = WAY_AS_LEARNED;
}

void
upstreams_init(struct upstreams *us)
{
	us->selection = CONF_RANDOM;
	us->best_ns = 0;
	us->hedge = false;
	us->options = false;
	us->some_no_aaaa = false;
	us->hedge_credit = 0;
	us->logonce = NULL;
	us->logged_all_down = false;
	us->health_table = NULL;
	us->wheel = NULL;
	us->timeout_ns = NS_PER_SEC;
	us->n_order = 0;
	us->n_listed = 0;
	us->taken = 0;
	us->current = 0;
	us->n_sockets = 0;
	us->n_slots = SLOTS_FIRST;
	us->next_socket = 0;
	us->most_waiting = UINT32_MAX;
	for (unsigned i = 0; i < UPSTREAM_MAX; i++) {
		clear(&us->table[i]);
		us->table[i].n_waiting = 0;
	}
	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		us->sockets[i] = (struct upstream_socket){ .upstream = UPSTREAM_NONE };
}

/*
 * The number of the upstream at ADDR; a new one gets a free number. UPSTREAM_NONE: all are taken.
 */
static uint16_t
number_of(struct upstreams *us, const struct netaddr *addr)
{
	uint16_t vacant = UPSTREAM_NONE;

	for (uint16_t i = 0; i < UPSTREAM_MAX; i++) {
		struct upstream *u = &us->table[i];

		if (u->conf.addr.family == NETADDR_NONE) {
			if (vacant == UPSTREAM_NONE)
				vacant = i;
		} else if (netaddr_equal(&u->conf.addr, addr)) {
			return i;
		}
	}
	if (vacant != UPSTREAM_NONE)
		us->table[vacant].conf.addr = *addr;
	return vacant;
}

/* What it changes for the cache if U is TRUSTED from now on or not: UPSTREAMS_DISTRUST or 0. */
static unsigned
distrust_of(const struct upstream *u, bool trusted)
{
	return u->conf.trusted && !trusted ? UPSTREAMS_DISTRUST : 0;
}

/* The trouble that is logged of an upstream that replies by WAY only, which is not WAY_FULL. */
static enum logonce_kind
way_kind(enum way way)
{
	return way == WAY_PLAIN ? LOGONCE_WAY_PLAIN
	    : way == WAY_BARE   ? LOGONCE_WAY_BARE
				: LOGONCE_WAY_TCP;
}

/* The way of U that this loop has reported is not the present one any more. True: log its end. */
static bool
end_way(struct upstreams *us, struct upstream *u)
{
	uint8_t logged = u->ways.logged;

	u->ways.logged = WAY_FULL;
	return logged != WAY_FULL &&
	    logonce_end(us->logonce, way_kind((enum way)logged), &u->conf.addr);
}

/* This loop asks U no more: end what it has reported about U, without a message. */
static void
tell_nothing(struct upstreams *us, struct upstream *u)
{
	if (u->down)
		(void)logonce_end(us->logonce, LOGONCE_DOWN, &u->conf.addr);
	if (u->errors.logged)
		(void)logonce_over(us->logonce, LOGONCE_ERRORS, &u->conf.addr);
	if (u->case_guard.logged)
		(void)logonce_end(us->logonce, LOGONCE_NO_CASE, &u->conf.addr);
	(void)end_way(us, u);
	if (ways_small(&u->ways))
		(void)logonce_end(us->logonce, LOGONCE_SMALL, &u->conf.addr);
	if (ways_no_aaaa(&u->ways))
		(void)logonce_end(us->logonce, LOGONCE_NO_AAAA, &u->conf.addr);
	ways_init(&u->ways);
	if (u->cookie.guard.logged)
		(void)logonce_end(us->logonce, LOGONCE_NO_COOKIES, &u->conf.addr);
	u->errors.n = 0;
	u->errors.logged = false;
	u->case_guard.logged = false;
	u->cookie.guard.logged = false;
}

/* U is asked from now on. Returns UPSTREAMS_NEW. */
static unsigned
take_shared(struct upstreams *us, struct upstream *u)
{
	struct shared_health *shared = health_table_take(us->health_table, &u->conf.addr);

	if (shared != NULL)
		u->shared = shared;
	return UPSTREAMS_NEW;
}

/* U is asked no more. */
static void
give_shared(struct upstreams *us, struct upstream *u)
{
	if (u->shared != &u->alone)
		health_table_give(us->health_table, u->shared);
	u->shared = &u->alone;
	shared_health_init(u->shared);
}

/*
 * How many questions may be in flight to one upstream. Unless the settings say, one of several gets
 * three quarters of the room: if it is silent, that leaves enough to the others.
 */
static uint32_t
most_waiting(const struct conf_core *conf)
{
	if (conf->max_waiting_per_upstream != 0)
		return conf->max_waiting_per_upstream;
	return conf->n_upstreams > 1 ? conf->max_queries - conf->max_queries / 4 : UINT32_MAX;
}

/* U is not asked from now on: nothing is reported of its health, and no probe leaves. */
static void
rest(struct upstreams *us, struct upstream *u)
{
	tell_nothing(us, u);
	give_shared(us, u);
	u->down = false;
	u->in_doubt = false;
	u->failures.n = 0;
	wheel_clear(us->wheel, &u->probe);
}

/* The upstream with number N is configured as C. Returns UPSTREAMS_ bits. */
static unsigned
take_conf(struct upstreams *us, uint16_t n, const struct conf_upstream *c)
{
	struct upstream *u = &us->table[n];
	bool was_asked = u->active && u->conf.ordered == CONF_UP;
	unsigned changed = distrust_of(u, c->trusted);

	us->listed[us->n_listed++] = n;
	if (c->ordered == CONF_DOWN && u->active)
		us->taken |= UINT64_C(1) << n;
	u->active = c->ordered != CONF_DOWN;
	u->conf = *c;
	u->watched = true; /* the settings may have switched guards on */
	if (c->ordered != CONF_UP) {
		rest(us, u);
		return changed;
	}
	us->order[us->n_order++] = n;
	if (was_asked)
		return changed;
	u->failures.n = 0; /* of what was finished while it was drained */
	changed |= take_shared(us, u);
	return changed;
}

/* Forget the upstream with the number N, which is configured no more. Returns UPSTREAMS_ bits. */
static unsigned
drop(struct upstreams *us, unsigned n)
{
	struct upstream *u = &us->table[n];
	unsigned changed = distrust_of(u, false);

	u->active = false;
	u->conf.ordered = CONF_UP;
	u->conf.trusted = false;
	rest(us, u);
	upstreams_release(us, n);
	return changed;
}

unsigned
upstreams_configure(struct upstreams *us, const struct conf_core *conf, struct wheel *wheel)
{
	bool keep[UPSTREAM_MAX] = { false };
	unsigned changed = 0;

	us->selection = conf->selection;
	us->hedge = conf->hedge;
	us->options = conf->cookies.upstream;
	us->logonce = conf->logonce;
	us->health_table = conf->health_table;
	us->wheel = wheel;
	us->timeout_ns = conf->timeout_ms * NS_PER_MS;
	us->most_waiting = most_waiting(conf);
	us->n_order = 0;
	us->n_listed = 0;
	us->current = 0;
	us->taken = 0;
	for (size_t i = 0; i < conf->n_upstreams; i++) {
		uint16_t n = number_of(us, &conf->upstreams[i].addr);

		if (n == UPSTREAM_NONE || keep[n])
			continue;
		keep[n] = true;
		changed |= take_conf(us, n, &conf->upstreams[i]);
	}
	for (unsigned i = 0; i < UPSTREAM_MAX; i++) {
		if (!keep[i] && us->table[i].conf.addr.family != NETADDR_NONE)
			changed |= drop(us, i);
	}
	upstreams_tell_all_down(us, false);
	return changed;
}

bool
upstreams_all_down(const struct upstreams *us)
{
	for (unsigned i = 0; i < us->n_order; i++) {
		if (!us->table[us->order[i]].down)
			return false;
	}
	return true;
}

void
upstreams_watch(struct upstreams *us)
{
	for (unsigned i = 0; i < us->n_order; i++)
		us->table[us->order[i]].watched = true;
}

void
upstreams_tell_all_down(struct upstreams *us, bool aloud)
{
	bool down = us->n_order > 0 && upstreams_all_down(us);

	if (down == us->logged_all_down)
		return;
	us->logged_all_down = down;
	if (down && logonce_begin(us->logonce, LOGONCE_ALL_DOWN, NULL))
		log_error(LOG_UPSTREAM,
		    "no upstream replies: clients get what the cache still has, else SERVFAIL");
	else if (!down && logonce_end(us->logonce, LOGONCE_ALL_DOWN, NULL) && aloud)
		log_notice(LOG_UPSTREAM, "upstreams reply again");
}

/* Tell the operator which way questions to UP go, which is not WAY_FULL. */
static void
tell_way(struct upstreams *us, struct upstream *up)
{
	enum way way = (enum way)up->ways.now;
	char text[NETADDR_TEXT];

	if (up->ways.logged == WAY_FULL &&
	    logonce_begin(us->logonce, way_kind(way), &up->conf.addr))
		log_warn(LOG_UPSTREAM,
		    "%s: replies only to questions %s: asked so; others are tried now and then",
		    netaddr_format(&up->conf.addr, text), way_text(way));
	up->ways.logged = (uint8_t)way;
}

void
upstreams_learn_way(struct upstreams *us, unsigned u, enum way way, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool logged = up->ways.logged != WAY_FULL && up->ways.logged != way, ended;
	char text[NETADDR_TEXT];

	ways_learn(&up->ways, way, now_ns);
	up->failures.n_primary_silent = 0;
	if (!logged)
		return;
	ended = end_way(us, up);
	if (way != WAY_FULL)
		tell_way(us, up); /* what the log has is not true any more */
	else if (ended)
		log_notice(LOG_UPSTREAM, "%s: replies to questions %s again",
		    netaddr_format(&up->conf.addr, text), way_text(way));
}

void
upstreams_large_lost(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	if (!ways_large_lost(&up->ways, now_ns))
		return;
	if (logonce_begin(us->logonce, LOGONCE_SMALL, &up->conf.addr))
		log_warn(LOG_UPSTREAM,
		    "%s: replies over UDP of more than %u bytes do not get through: small ones are "
		    "asked for, and large ones over TCP",
		    netaddr_format(&up->conf.addr, text), WAYS_SMALL);
}

void
upstreams_large_came(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];
	bool learned = ways_small(&up->ways);
	char text[NETADDR_TEXT];

	up->ways.n_large = 0;
	if (learned && logonce_end(us->logonce, LOGONCE_SMALL, &up->conf.addr))
		log_notice(LOG_UPSTREAM, "%s: large replies over UDP get through again",
		    netaddr_format(&up->conf.addr, text));
}

void
upstreams_aaaa_lost(struct upstreams *us, unsigned u, uint64_t sent_ns, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	if (!ways_aaaa_lost(&up->ways, up->heard_ns > sent_ns, now_ns))
		return;
	us->some_no_aaaa = true;
	if (logonce_begin(us->logonce, LOGONCE_NO_AAAA, &up->conf.addr))
		log_warn(LOG_UPSTREAM,
		    "%s: no reply to any question for AAAA: A is asked at the same time, and its "
		    "addresses are synthesized from; AAAA is tried every minute",
		    netaddr_format(&up->conf.addr, text));
}

void
upstreams_aaaa_came(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];
	bool learned = ways_no_aaaa(&up->ways);
	char text[NETADDR_TEXT];

	up->ways.n_aaaa = 0;
	if (learned && logonce_end(us->logonce, LOGONCE_NO_AAAA, &up->conf.addr))
		log_notice(LOG_UPSTREAM, "%s: replies to questions for AAAA again",
		    netaddr_format(&up->conf.addr, text));
	us->some_no_aaaa = false;
	for (unsigned i = 0; i < UPSTREAM_MAX; i++)
		us->some_no_aaaa = us->some_no_aaaa || ways_no_aaaa(&us->table[i].ways);
}

uint64_t
upstreams_no_aaaa(const struct upstreams *us)
{
	uint64_t bits = 0;
	bool other = false;

	for (unsigned i = 0; i < us->n_order; i++) {
		const struct upstream *up = &us->table[us->order[i]];

		if (ways_no_aaaa(&up->ways))
			bits |= UINT64_C(1) << us->order[i];
		else
			other = other || !up->down;
	}
	return other ? bits : 0;
}

uint64_t
upstreams_no_aaaa_ns(const struct upstreams *us)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t u = us->order[i];
		enum upstream_over over =
		    us->table[u].ways.now == WAY_TCP ? UPSTREAM_FALLBACK : UPSTREAM_PRIMARY;
		uint64_t wait_ns = upstreams_wait_ns(us, u, over, 0);

		if (us->table[u].down)
			continue;
		if (!ways_no_aaaa(&us->table[u].ways))
			return 0;
		most = wait_ns > most ? wait_ns : most;
	}
	return most;
}

void
upstreams_forget_way(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];

	up->ways.now = WAY_FULL;
	(void)end_way(us, up);
}

enum way
upstreams_retry_way(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	enum way way = ways_retry(&up->ways, us->options, now_ns);

	if (way != WAYS && up->ways.tries > 1)
		tell_way(us, up); /* it was tried before, and is again */
	return way;
}

void
upstreams_on_near_miss(struct upstreams *us, unsigned u, struct upstream_guard *g)
{
	us->table[u].watched = true;
	g->settled = false;
	if (g->n_right < UPSTREAM_PROVEN)
		g->n_right = 0;
}

void
upstreams_on_seen(struct upstream_guard *g, uint16_t path)
{
	for (unsigned i = 0; i < g->n_seen; i++) {
		if (g->seen[i] == path)
			return;
	}
	if (g->n_seen < UPSTREAM_SEEN)
		g->seen[g->n_seen++] = path;
}

void
upstreams_on_right(struct upstream_guard *g)
{
	g->n_same = 0;
	g->n_seen = 0;
	if (g->n_right < UPSTREAM_PROVEN)
		g->n_right++;
	g->settled = g->n_right == UPSTREAM_PROVEN;
}

bool
upstreams_on_confirmed(struct upstreams *us, unsigned u, struct upstream_guard *g, const char *what,
    bool same, uint64_t now_ns)
{
	char text[NETADDR_TEXT];

	if (!same)
		g->n_same = 0;
	else if (g->n_same < UPSTREAM_SAME)
		g->n_same++;
	if (g->n_same < UPSTREAM_SAME ||
	    g->n_seen < (g->n_right == UPSTREAM_PROVEN ? UPSTREAM_SEEN : UPSTREAM_SAME))
		return false;
	g->n_same = 0;
	g->n_right = 0;
	g->n_seen = 0;
	g->off_until_ns = now_ns + UPSTREAM_UNGUARDED_MS * NS_PER_MS;
	if (!g->logged &&
	    logonce_begin(us->logonce,
		g == &us->table[u].case_guard ? LOGONCE_NO_CASE : LOGONCE_NO_COOKIES,
		&us->table[u].conf.addr))
		log_notice(LOG_UPSTREAM,
		    "%s: does not return %s: asked without, tried again hourly",
		    netaddr_format(&us->table[u].conf.addr, text), what);
	g->logged = true;
	return true;
}

void
upstreams_on_no_edns(
    struct upstreams *us, unsigned u, enum transport by, uint16_t socket, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	if (!transport_is_stream(by) &&
	    (up->edns.refused_on == UPSTREAM_NONE || up->edns.refused_on == socket)) {
		up->edns.refused_on = socket;
		up->watched = true;
		return;
	}
	up->edns.refused_on = UPSTREAM_NONE;
	up->edns.spoken = false;
	up->edns.off_until_ns = now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS;
}

void
upstreams_release(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];

	if (!up->active && up->conf.ordered == CONF_UP && up->n_sockets == 0 &&
	    tcp_pool_unused(up->tcp))
		clear(up);
}

int
upstreams_socket_add(struct upstreams *us, unsigned u, unsigned space)
{
	if (2 * us->n_sockets >= us->n_slots && us->n_slots < UPSTREAM_MAX_SOCKETS)
		us->n_slots *= 2;
	for (unsigned i = 0; i < us->n_slots; i++) {
		unsigned slot = (us->next_socket + i) % us->n_slots;

		if (us->sockets[slot].upstream != UPSTREAM_NONE)
			continue;
		us->sockets[slot] =
		    (struct upstream_socket){ .upstream = (uint16_t)u, .space = (uint8_t)space };
		us->table[u].n_sockets++;
		us->n_sockets++;
		list_init(&us->sockets[slot].open);
		us->next_socket = slot + 1;
		return (int)slot;
	}
	return -1;
}

void
upstreams_socket_retire(struct upstreams *us, unsigned slot)
{
	const struct upstream_socket *s = &us->sockets[slot];
	int32_t *in_use = &us->table[s->upstream].socket[s->space];

	if (*in_use == (int32_t)slot)
		*in_use = -1;
}

void
upstreams_socket_del(struct upstreams *us, unsigned slot)
{
	unsigned u = us->sockets[slot].upstream;

	upstreams_socket_retire(us, slot);
	us->sockets[slot].upstream = UPSTREAM_NONE;
	us->sockets[slot].n_guesses = 0;
	us->table[u].n_sockets--;
	us->n_sockets--;
	upstreams_release(us, u);
}
