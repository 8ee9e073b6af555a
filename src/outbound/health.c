/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/health.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"

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
health_on_error(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	choice_on_failure(us, u, over, false, now_ns);
	if (up->errors.n++ == 0) {
		up->errors.since_ns = now_ns;
		up->errors.good_ns = up->heard_ns;
	}
	if (up->errors.logged || !up->active || up->conf.ordered != CONF_UP ||
	    up->errors.n < HEALTH_ERRORS ||
	    now_ns - up->errors.since_ns < HEALTH_ERRORS_MS * NS_PER_MS)
		return;
	up->errors.logged = true;
	if (logonce_begin(us->logonce, LOGONCE_ERRORS, &up->conf.addr))
		log_warn(LOG_UPSTREAM, "%s: every reply for %u s was an error (last %s)",
		    netaddr_format(&up->conf.addr, text), clock_s(now_ns - up->errors.since_ns),
		    rcode_text(rcode));
}

void
health_on_good(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	up->errors.n = 0;
	if (!up->errors.logged)
		return;
	up->errors.logged = false;
	if (logonce_over(us->logonce, LOGONCE_ERRORS, &up->conf.addr))
		log_notice(LOG_UPSTREAM, "%s: replies without error again",
		    netaddr_format(&up->conf.addr, text));
}

/* --- silence and probes ----------------------------------------------------------------------- */

/* UP is good again. Returns whether it was down. */
static bool
recover(struct upstreams *us, struct upstream *up, uint64_t now_ns)
{
	bool was_down = up->down;
	char text[NETADDR_TEXT];

	up->failures.n = 0;
	up->in_doubt = false;
	ways_heard(&up->ways);
	up->down = false;
	wheel_clear(us->wheel, &up->probe);
	if (!was_down)
		return false;
	up->cost.ns = 0; /* what it cost before says nothing any more */
	up->revived_ns = now_ns;
	if (logonce_end(us->logonce, LOGONCE_DOWN, &up->conf.addr))
		log_notice(LOG_UPSTREAM, "%s: replies again", netaddr_format(&up->conf.addr, text));
	upstreams_tell_all_down(us, true);
	return true;
}

bool
health_recover(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	shared_health_heard(up->shared, up->ways.now, now_ns);
	return recover(us, up, now_ns);
}

static void
count_failure(struct upstream *up, uint64_t now_ns)
{
	if (up->failures.n == 0)
		up->failures.since_ns = now_ns;
	up->failures.n++;
}

static void
doubt(struct upstreams *us, struct upstream *up, uint64_t now_ns)
{
	/* Who is not asked is not probed either: only the operator brings it back. */
	if (!up->active || up->conf.ordered != CONF_UP || up->in_doubt)
		return;
	up->in_doubt = true;
	wheel_set(us->wheel, &up->probe, now_ns);
}

static void
count_silence(struct upstreams *us, struct upstream *up, uint64_t now_ns)
{
	count_failure(up, now_ns);
	/* Another loop's probes go unanswered already: then one silence is enough. */
	if (up->failures.n >= HEALTH_SILENCES || shared_health_since_ns(up->shared) != 0)
		doubt(us, up, now_ns);
}

void
health_on_silence(struct upstreams *us, unsigned u, enum upstream_over over, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	choice_on_failure(us, u, over, true, now_ns);
	if (over == UPSTREAM_FALLBACK)
		return;
	count_silence(us, up, now_ns);
}

void
health_on_overtaken(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	choice_on_overtaken(us, u, now_ns);
	count_silence(us, &us->table[u], now_ns);
}

void
health_on_refused(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	choice_on_failure(us, u, UPSTREAM_PRIMARY, true, now_ns);
	count_failure(up, now_ns);
	shared_health_refused(up->shared);
	doubt(us, up, now_ns);
}

void
health_on_probe_sent(struct upstreams *us, unsigned u)
{
	shared_health_sent(us->table[u].shared);
}

void
health_on_probe_unsent(struct upstreams *us, unsigned u)
{
	shared_health_unsent(us->table[u].shared);
}

void
health_on_no_tcp(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	if (upstream_has_stream(&us->table[u]))
		health_on_refused(us, u, now_ns);
	else
		choice_on_failure(us, u, UPSTREAM_FALLBACK, false, now_ns);
}

uint64_t
health_lost_ns(const struct upstreams *us, unsigned u)
{
	uint64_t wait = 2 * upstreams_wait_ns(us, u, UPSTREAM_PRIMARY, 0);

	return wait > HEALTH_LOST_MS * NS_PER_MS ? wait : HEALTH_LOST_MS * NS_PER_MS;
}

/* Have the probes of U shown that it does not reply? */
static bool
is_lost(const struct upstreams *us, unsigned u, uint64_t now_ns)
{
	const struct shared_health *p = us->table[u].shared;
	uint64_t since_ns = shared_health_since_ns(p);
	unsigned n_sent = shared_health_n_sent(p);

	if (since_ns == 0 || since_ns > now_ns)
		return false;
	if (n_sent >= HEALTH_REFUSED_PROBES && shared_health_only_refused(p))
		return now_ns - since_ns >= HEALTH_REFUSED_MS * NS_PER_MS;
	return n_sent >= HEALTH_LOST_PROBES && now_ns - since_ns >= health_lost_ns(us, u);
}

static void
go_down(struct upstreams *us, struct upstream *up)
{
	char text[NETADDR_TEXT];

	up->down = true;
	if (logonce_begin(us->logonce, LOGONCE_DOWN, &up->conf.addr))
		log_warn(LOG_UPSTREAM,
		    "%s: no reply to %u questions in a row, nor to probes: asked only if no other "
		    "is left",
		    netaddr_format(&up->conf.addr, text), up->failures.n);
	upstreams_tell_all_down(us, true);
}

/* The time to the next probe but one. */
static uint64_t
interval_ns(const struct upstream *up, struct rng *rng, uint64_t now_ns)
{
	uint64_t since_ns = shared_health_since_ns(up->shared);
	uint64_t ms = HEALTH_DOUBT_MS;

	if (up->down) {
		ms = since_ns < now_ns ? (now_ns - since_ns) / 8 / NS_PER_MS : 0;
		ms = ms < HEALTH_LEAST_MS ? HEALTH_LEAST_MS : ms;
		ms = ms > HEALTH_MOST_MS ? HEALTH_MOST_MS : ms;
	}
	return (ms * 4 / 5 + rng_below(rng, (uint32_t)(ms * 2 / 5))) * NS_PER_MS;
}

/* Look again when a probe is due, and before at what other loops know. */
static void
look_again(struct upstreams *us, struct upstream *up, uint64_t now_ns)
{
	uint64_t next_ns = now_ns + HEALTH_LOOK_MS * NS_PER_MS;
	uint64_t due_ns = shared_health_due_ns(up->shared);

	if (due_ns > now_ns && due_ns < next_ns)
		next_ns = due_ns;
	if (up->ways.search != WAYS && up->ways.search_ns < next_ns)
		next_ns = up->ways.search_ns;
	wheel_set(us->wheel, &up->probe, next_ns);
}

/* Probe number N, from 0, is sent by this loop: is another way searched for with it? */
static bool
is_for_search(int n)
{
	return n == 0 || (n >= HEALTH_TCP_EACH && (n & (n - 1)) == 0);
}

enum ways_found
health_on_way(struct upstreams *us, unsigned u, enum way way, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	enum ways_found found = ways_found(&up->ways, way, up->failures.n > 0, now_ns);

	if (found == WAYS_LEARNED)
		upstreams_learn_way(us, u, way, now_ns);
	return found;
}

enum health_due
health_on_timer(struct upstreams *us, unsigned u, struct rng *rng, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	enum way way = ways_step(&up->ways, us->options, now_ns);
	bool fallback = upstream_has_fallback(up);
	int turn;

	if (way == WAY_TCP && !fallback)
		way = WAYS; /* the search ends before it */

	/* What another loop gets by another way than ours is no reply to us. */
	if (shared_health_heard_ns(up->shared) > up->failures.since_ns &&
	    shared_health_way(up->shared) == up->ways.now) {
		recover(us, up, now_ns);
		return HEALTH_NOTHING;
	}
	if (!up->down && is_lost(us, u, now_ns)) {
		go_down(us, up);
		look_again(us, up, now_ns);
		return HEALTH_WENT_DOWN;
	}
	turn = shared_health_turn(up->shared, now_ns, interval_ns(up, rng, now_ns));
	look_again(us, up, now_ns);
	if (turn < 0) {
		up->probe_way = (uint8_t)way;
		return way != WAYS ? HEALTH_PROBE : HEALTH_NOTHING;
	}
	up->probe_way =
	    fallback && turn % HEALTH_TCP_EACH == HEALTH_TCP_EACH - 1 ? WAY_TCP : WAY_AS_LEARNED;
	if (is_for_search(turn)) {
		ways_begin(&up->ways, us->options, now_ns);
		look_again(us, up, now_ns);
	}
	return HEALTH_PROBE;
}
