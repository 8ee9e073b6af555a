/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/upstream.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/told.h"

static void
clear(struct upstream *u)
{
	memset(&u->addr, 0, sizeof(u->addr));
	u->active = false;
	u->down = false;
	u->watched = true;
	u->starved = false;
	u->trusted = false;
	u->n_failures = 0;
	u->probing = false;
	u->failing_ns = 0;
	u->probed_ns = 0;
	u->revived_ns = 0;
	u->heard_ns = 0;
	memset(u->times, 0, sizeof(u->times));
	u->cost = (struct times_cost){ .ns = 0 };
	u->tally = (struct upstream_tally){ .sends = 0 };
	u->n_errors = 0;
	u->erring = false;
	u->no_edns_until_ns = 0;
	u->no_edns_on = UPSTREAM_NONE;
	u->case_guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie_guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie_len = 0;
	u->n_sockets = 0;
	u->n_tcp = 0;
	for (unsigned i = 0; i < TXID_MAX_SPACES; i++)
		u->socket[i] = -1;
	list_init(&u->tcp);
	wheel_timer_init(&u->probe, WHEEL_UPSTREAM);
}

void
upstreams_init(struct upstreams *us)
{
	us->selection = CONF_RANDOM;
	us->told = NULL;
	us->timeout_ns = NS_PER_SEC;
	us->n_order = 0;
	us->current = 0;
	us->next_socket = 0;
	for (unsigned i = 0; i < UPSTREAM_MAX; i++)
		clear(&us->table[i]);
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

		if (u->addr.family == NETADDR_NONE) {
			if (vacant == UPSTREAM_NONE)
				vacant = i;
		} else if (netaddr_equal(&u->addr, addr)) {
			return i;
		}
	}
	if (vacant != UPSTREAM_NONE)
		us->table[vacant].addr = *addr;
	return vacant;
}

/* Set u->trusted. Returns UPSTREAMS_DISTRUST or 0. */
static unsigned
set_trusted(struct upstream *u, bool trusted)
{
	bool was = u->trusted;

	u->trusted = trusted;
	return was && !trusted ? UPSTREAMS_DISTRUST : 0;
}

/* This loop asks U no more: end what it has reported about U, without a message. */
static void
tell_nothing(struct upstreams *us, struct upstream *u)
{
	if (u->down)
		(void)told_end(us->told, TOLD_DOWN, &u->addr);
	if (u->erring)
		(void)told_over(us->told, TOLD_ERRORS, &u->addr);
	if (u->case_guard.logged)
		(void)told_end(us->told, TOLD_NO_CASE, &u->addr);
	if (u->cookie_guard.logged)
		(void)told_end(us->told, TOLD_NO_COOKIES, &u->addr);
	u->n_errors = 0;
	u->erring = false;
	u->case_guard.logged = false;
	u->cookie_guard.logged = false;
}

unsigned
upstreams_configure(struct upstreams *us, const struct conf_core *conf, struct wheel *wheel)
{
	bool keep[UPSTREAM_MAX] = { false };
	unsigned changed = 0;

	us->selection = conf->selection;
	us->told = conf->told;
	us->timeout_ns = conf->timeout_ms * NS_PER_MS;
	us->n_order = 0;
	us->current = 0;
	for (size_t i = 0; i < conf->n_upstreams; i++) {
		uint16_t n = number_of(us, &conf->upstreams[i]);

		if (n == UPSTREAM_NONE || keep[n])
			continue;
		keep[n] = true;
		us->order[us->n_order++] = n;
		if (!us->table[n].active)
			changed |= UPSTREAMS_NEW;
		us->table[n].active = true;
		us->table[n].watched = true; /* the settings may have switched guards on */
		changed |= set_trusted(&us->table[n], conf->trusted >> i & 1);
	}
	for (unsigned i = 0; i < UPSTREAM_MAX; i++) {
		if (keep[i] || us->table[i].addr.family == NETADDR_NONE)
			continue;
		us->table[i].active = false;
		tell_nothing(us, &us->table[i]);
		us->table[i].down = false;
		changed |= set_trusted(&us->table[i], false);
		us->table[i].probing = false;
		wheel_clear(wheel, &us->table[i].probe);
		upstreams_release(us, i);
	}
	return changed;
}

/* May upstream N get the next attempt? The passes go from strict to lenient. */
static bool
eligible(const struct upstreams *us, uint16_t n, const struct upstream_wish *wish, unsigned pass)
{
	if (wish->errored >> n & 1)
		return false;
	if (pass < 2 && (us->table[n].down || us->table[n].starved))
		return false;
	return pass % 2 == 1 || n != wish->last;
}

/* The index in order[] where the search begins. */
static unsigned
first_place(const struct upstreams *us, struct rng *rng)
{
	switch (us->selection) {
	case CONF_RANDOM:
		return us->n_order > 1 ? rng_below(rng, us->n_order) : 0;
	case CONF_ROUND_ROBIN:
		return us->current;
	case CONF_IN_ORDER:
		return 0;
	}
	return 0;
}

uint16_t
upstreams_pick(struct upstreams *us, const struct upstream_wish *wish, struct rng *rng)
{
	unsigned n_passes = wish->alive ? 2 : 4;
	unsigned first;

	if (us->n_order == 0)
		return UPSTREAM_NONE;
	if (wish->prefer != UPSTREAM_NONE && us->table[wish->prefer].active &&
	    eligible(us, wish->prefer, wish, 0))
		return wish->prefer;
	first = first_place(us, rng);
	/* The passes: alive and not the last; alive; not the last; any. */
	for (unsigned pass = 0; pass < n_passes; pass++) {
		for (unsigned i = 0; i < us->n_order; i++) {
			uint16_t n = us->order[(first + i) % us->n_order];

			if (eligible(us, n, wish, pass))
				return n;
		}
	}
	return UPSTREAM_NONE;
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

bool
upstreams_recover(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool was_down = up->down;
	char text[NETADDR_TEXT];

	up->n_failures = 0;
	up->probing = false;
	if (was_down) {
		up->down = false;
		up->revived_ns = now_ns;
		wheel_clear(wheel, &up->probe);
		if (told_end(us->told, TOLD_DOWN, &up->addr))
			log_notice(
			    "upstream", "%s: replies again", netaddr_format(&up->addr, text));
	}
	return was_down;
}

/* The name of RCODE for the log. */
static const char *
rcode_text(uint16_t rcode)
{
	switch (rcode) {
	case DNS_FORMERR:
		return "FORMERR";
	case DNS_SERVFAIL:
		return "SERVFAIL";
	case DNS_NOTIMP:
		return "NOTIMP";
	case DNS_REFUSED:
		return "REFUSED";
	default:
		return "another error";
	}
}

void
upstreams_on_error(struct upstreams *us, unsigned u, uint16_t rcode, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	if (up->n_errors++ == 0)
		up->errors_ns = now_ns;
	if (up->erring || !up->active || up->n_errors < UPSTREAM_ERRORS ||
	    now_ns - up->errors_ns < UPSTREAM_ERRORS_MS * NS_PER_MS)
		return;
	up->erring = true;
	if (told_begin(us->told, TOLD_ERRORS, &up->addr))
		log_warn("upstream", "%s: every reply for %u s was an error (last %s)",
		    netaddr_format(&up->addr, text), clock_s(now_ns - up->errors_ns),
		    rcode_text(rcode));
}

void
upstreams_on_good(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	up->n_errors = 0;
	if (!up->erring)
		return;
	up->erring = false;
	if (told_over(us->told, TOLD_ERRORS, &up->addr))
		log_notice(
		    "upstream", "%s: replies without error again", netaddr_format(&up->addr, text));
}

enum upstream_health
upstreams_on_failure(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	/*
	 * Round-robin as in mtd64-ng: go to the next upstream if the current one does not reply in
	 * time.
	 */
	if (us->n_order > 0 && us->order[us->current] == u)
		us->current = (us->current + 1) % us->n_order;
	if (up->n_failures == 0)
		up->failing_ns = now_ns;
	up->n_failures++;
	/* At most one probe per timeout. */
	if (!up->active || up->down || up->n_failures < UPSTREAM_FAILURES ||
	    now_ns - up->probed_ns < us->timeout_ns)
		return UPSTREAM_AS_BEFORE;
	up->probing = true;
	up->probed_ns = now_ns;
	return UPSTREAM_IN_DOUBT;
}

static enum upstream_health
go_down(struct upstreams *us, struct upstream *up, struct wheel *wheel, uint64_t now_ns)
{
	char text[NETADDR_TEXT];

	up->down = true;
	up->probing = false;
	wheel_set(wheel, &up->probe, now_ns + UPSTREAM_PROBE_MS * NS_PER_MS);
	if (told_begin(us->told, TOLD_DOWN, &up->addr))
		log_warn("upstream",
		    "%s: no reply to %u questions in a row, nor to a probe: asked only if no other "
		    "is left",
		    netaddr_format(&up->addr, text), up->n_failures);
	return UPSTREAM_WENT_DOWN;
}

enum upstream_health
upstreams_on_refused(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool probing = up->probing;
	enum upstream_health health = upstreams_on_failure(us, u, now_ns);

	return probing && up->active ? go_down(us, up, wheel, now_ns) : health;
}

enum upstream_health
upstreams_on_probe_lost(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool probing = up->probing;

	up->probing = false;
	return probing && up->active ? go_down(us, up, wheel, now_ns) : UPSTREAM_AS_BEFORE;
}

void
upstreams_on_near_miss(struct upstreams *us, unsigned u, struct upstream_guard *g, uint16_t socket)
{
	us->table[u].watched = true;
	g->settled = false;
	if (g->n_right < UPSTREAM_PROVEN)
		g->n_right = 0;
	for (unsigned i = 0; i < g->n_seen; i++) {
		if (g->seen[i] == socket)
			return;
	}
	if (g->n_seen < UPSTREAM_SEEN)
		g->seen[g->n_seen++] = socket;
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
	    (g->n_right == UPSTREAM_PROVEN && g->n_seen < UPSTREAM_SEEN))
		return false;
	g->n_same = 0;
	g->n_right = 0;
	g->n_seen = 0;
	g->off_until_ns = now_ns + UPSTREAM_UNGUARDED_MS * NS_PER_MS;
	if (!g->logged &&
	    told_begin(us->told, g == &us->table[u].case_guard ? TOLD_NO_CASE : TOLD_NO_COOKIES,
		&us->table[u].addr))
		log_notice("upstream", "%s: does not return %s: asked without, tried again hourly",
		    netaddr_format(&us->table[u].addr, text), what);
	g->logged = true;
	return true;
}

void
upstreams_on_no_edns(struct upstreams *us, unsigned u, uint16_t socket, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	if (socket != TXID_TCP && (up->no_edns_on == UPSTREAM_NONE || up->no_edns_on == socket)) {
		up->no_edns_on = socket;
		up->watched = true;
		return;
	}
	up->no_edns_on = UPSTREAM_NONE;
	up->no_edns_until_ns = now_ns + UPSTREAM_NO_EDNS_MS * NS_PER_MS;
}

void
upstreams_release(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];

	if (!up->active && up->n_sockets == 0 && up->n_tcp == 0)
		clear(up);
}

int
upstreams_socket_add(struct upstreams *us, unsigned u, unsigned space)
{
	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++) {
		unsigned slot = (us->next_socket + i) % UPSTREAM_MAX_SOCKETS;

		if (us->sockets[slot].upstream != UPSTREAM_NONE)
			continue;
		us->sockets[slot] =
		    (struct upstream_socket){ .upstream = (uint16_t)u, .space = (uint16_t)space };
		us->table[u].n_sockets++;
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
	us->table[u].n_sockets--;
	upstreams_release(us, u);
}
