/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/upstream.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"

static void
clear(struct upstream *u)
{
	memset(&u->addr, 0, sizeof(u->addr));
	u->active = false;
	u->down = false;
	u->trusted = false;
	u->n_failures = 0;
	u->last_reply_ns = 0;
	u->no_edns_until_ns = 0;
	u->case_guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie_guard = (struct upstream_guard){ .n_same = 0 };
	u->cookie_len = 0;
	u->n_sockets = 0;
	u->n_tcp = 0;
	for (unsigned i = 0; i < ENGINE_MAX_SPACES; i++)
		u->socket[i] = -1;
	list_init(&u->tcp);
	wheel_timer_init(&u->probe, WHEEL_UPSTREAM);
}

void
upstreams_init(struct upstreams *us)
{
	us->selection = CONF_RANDOM;
	us->timeout_ns = NS_PER_SEC;
	us->n_order = 0;
	us->current = 0;
	us->next_socket = 0;
	for (unsigned i = 0; i < ENGINE_MAX_UPSTREAMS; i++)
		clear(&us->table[i]);
	for (unsigned i = 0; i < ENGINE_MAX_SOCKETS; i++)
		us->sockets[i] = (struct upstream_socket){ .upstream = UPSTREAM_NONE };
}

/* The number of an address, or a free one given to it; UPSTREAM_NONE when all are taken. */
static uint16_t
number_of(struct upstreams *us, const struct netaddr *addr)
{
	uint16_t vacant = UPSTREAM_NONE;

	for (uint16_t i = 0; i < ENGINE_MAX_UPSTREAMS; i++) {
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

/* Returns UPSTREAMS_DISTRUST or 0. */
static unsigned
set_trusted(struct upstream *u, bool trusted)
{
	bool was = u->trusted;

	u->trusted = trusted;
	return was && !trusted ? UPSTREAMS_DISTRUST : 0;
}

unsigned
upstreams_configure(
    struct upstreams *us, const struct conf_core *conf, struct wheel *wheel, uint64_t now_ns)
{
	bool keep[ENGINE_MAX_UPSTREAMS] = { false };
	unsigned changed = 0;

	us->selection = conf->selection;
	us->timeout_ns = conf->timeout_ms * NS_PER_MS;
	us->n_order = 0;
	us->current = 0;
	for (size_t i = 0; i < conf->n_upstreams; i++) {
		uint16_t n = number_of(us, &conf->upstreams[i]);

		if (n == UPSTREAM_NONE || keep[n])
			continue;
		keep[n] = true;
		us->order[us->n_order++] = n;
		if (!us->table[n].active) {
			us->table[n].last_reply_ns = now_ns;
			changed |= UPSTREAMS_NEW;
		}
		us->table[n].active = true;
		changed |= set_trusted(&us->table[n], conf->trusted >> i & 1);
	}
	for (unsigned i = 0; i < ENGINE_MAX_UPSTREAMS; i++) {
		if (keep[i] || us->table[i].addr.family == NETADDR_NONE)
			continue;
		us->table[i].active = false;
		us->table[i].down = false;
		changed |= set_trusted(&us->table[i], false);
		wheel_clear(wheel, &us->table[i].probe);
		upstreams_release(us, i);
	}
	return changed;
}

/* May this one get the next attempt? The passes go from strict to lenient. */
static bool
eligible(const struct upstreams *us, uint16_t n, const struct upstream_wish *wish, unsigned pass)
{
	if (wish->errored >> n & 1)
		return false;
	if (pass < 2 && us->table[n].down)
		return false;
	return pass % 2 == 1 || n != wish->last;
}

/* From which place in order[] the search begins. */
static unsigned
first_place(struct upstreams *us, const struct upstream_wish *wish, struct rng *rng)
{
	switch (us->selection) {
	case CONF_RANDOM:
		return us->n_order > 1 ? rng_below(rng, us->n_order) : 0;
	case CONF_ROUND_ROBIN:
		/* mtd64-ng: the next one if the current one does not reply in time. */
		if (us->order[us->current] == wish->last)
			us->current = (us->current + 1) % us->n_order;
		return us->current;
	case CONF_IN_ORDER:
		return 0;
	}
	return 0;
}

uint16_t
upstreams_pick(struct upstreams *us, const struct upstream_wish *wish, struct rng *rng)
{
	unsigned first;

	if (us->n_order == 0)
		return UPSTREAM_NONE;
	if (wish->prefer != UPSTREAM_NONE && us->table[wish->prefer].active &&
	    eligible(us, wish->prefer, wish, 0))
		return wish->prefer;
	first = first_place(us, wish, rng);
	/* Alive and another; alive; another; any. */
	for (unsigned pass = 0; pass < 4; pass++) {
		for (unsigned i = 0; i < us->n_order; i++) {
			uint16_t n = us->order[(first + i) % us->n_order];

			if (eligible(us, n, wish, pass))
				return n;
		}
	}
	return UPSTREAM_NONE;
}

bool
upstreams_on_reply(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool was_down = up->down;
	char text[NETADDR_TEXT];

	up->n_failures = 0;
	up->last_reply_ns = now_ns;
	if (UNLIKELY(was_down)) {
		up->down = false;
		wheel_clear(wheel, &up->probe);
		log_notice("upstream", "%s: replies again", netaddr_format(&up->addr, text));
	}
	return was_down;
}

bool
upstreams_on_failure(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	up->n_failures++;
	/* A burst that expires in one tick is one failure of the network, not many. */
	if (up->down || !up->active || up->n_failures < UPSTREAM_FAILURES ||
	    now_ns - up->last_reply_ns < us->timeout_ns)
		return false;
	up->down = true;
	wheel_set(wheel, &up->probe, now_ns + UPSTREAM_PROBE_MS * NS_PER_MS);
	log_warn("upstream",
	    "%s: no reply to %u questions in a row: asked only if no other is left",
	    netaddr_format(&up->addr, text), up->n_failures);
	return true;
}

bool
upstreams_on_confirmed(struct upstreams *us, unsigned u, struct upstream_guard *g, const char *what,
    bool same, uint64_t now_ns)
{
	char text[NETADDR_TEXT];

	g->n_same = same ? (uint8_t)(g->n_same + 1) : 0;
	if (g->n_same < UPSTREAM_SAME)
		return false;
	g->n_same = 0;
	g->off_until_ns = now_ns + UPSTREAM_UNGUARDED_MS * NS_PER_MS;
	if (!g->logged)
		log_notice("upstream", "%s: does not return %s: asked without, tried again hourly",
		    netaddr_format(&us->table[u].addr, text), what);
	g->logged = true;
	return true;
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
	for (unsigned i = 0; i < ENGINE_MAX_SOCKETS; i++) {
		unsigned slot = (us->next_socket + i) % ENGINE_MAX_SOCKETS;

		if (us->sockets[slot].upstream != UPSTREAM_NONE)
			continue;
		us->sockets[slot] =
		    (struct upstream_socket){ .upstream = (uint16_t)u, .space = (uint16_t)space };
		us->table[u].n_sockets++;
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
