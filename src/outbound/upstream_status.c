/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/upstream_status.h"

#include "base/clock.h"
#include "outbound/id_attack.h"

/* The state of UP on its loop, and since when, to *v. */
static void
set_state(struct upstream_status *v, const struct upstream *up)
{
	if (up->down)
		v->state = UPSTREAM_STATUS_DOWN;
	else if (up->starved)
		v->state = UPSTREAM_STATUS_STARVED;
	else if (up->errors.logged)
		v->state = UPSTREAM_STATUS_ERRING;
	else if (up->in_doubt)
		v->state = UPSTREAM_STATUS_IN_DOUBT;
	else
		v->state = UPSTREAM_STATUS_GOOD;
	if (v->state == UPSTREAM_STATUS_GOOD)
		v->since_ns = up->revived_ns;
	else if (v->state == UPSTREAM_STATUS_ERRING)
		v->since_ns = up->errors.since_ns;
	else if (v->state != UPSTREAM_STATUS_STARVED)
		v->since_ns = up->failures.since_ns;
}

/* When UP was last of use to its loop, and since when it is not, to *v, whose state is set. */
static void
set_use(struct upstream_status *v, const struct upstream *up)
{
	v->good_ns = up->errors.n > 0 ? up->errors.good_ns : up->heard_ns;
	if (v->state == UPSTREAM_STATUS_STARVED)
		v->unanswering_ns = up->heard_ns + 1; /* nobody knows more */
	else if (v->state >= UPSTREAM_STATUS_ERRING)
		v->unanswering_ns = v->since_ns;
}

static void
set_learned(struct upstream_status *v, const struct ways *w)
{
	v->n_learned[UPSTREAM_STATUS_NO_OPTIONS] = w->now == WAY_PLAIN;
	v->n_learned[UPSTREAM_STATUS_NO_EDNS] = w->now == WAY_BARE;
	v->n_learned[UPSTREAM_STATUS_NO_UDP] = w->now == WAY_TCP;
	v->n_learned[UPSTREAM_STATUS_NO_LARGE] = ways_small(w);
	v->n_learned[UPSTREAM_STATUS_NO_AAAA] = ways_no_aaaa(w);
}

size_t
upstream_status_all(
    const struct upstreams *us, struct upstream_status out[static CONF_MAX_UPSTREAMS])
{
	for (unsigned i = 0; i < us->n_listed; i++) {
		const struct upstream *up = &us->table[us->listed[i]];
		struct upstream_status *v = &out[i];

		*v = (struct upstream_status){ .addr = up->conf.addr,
			.ordered = (enum conf_order)up->conf.ordered,
			.n_loops = 1,
			.n_so = 1,
			.heard_ns = up->heard_ns,
			.tally = up->tally,
			.off_until_ns = { [UPSTREAM_STATUS_CASE] = up->case_guard.off_until_ns,
			    [UPSTREAM_STATUS_COOKIE] = up->cookie.guard.off_until_ns,
			    [UPSTREAM_STATUS_EDNS] = up->edns.off_until_ns,
			    [UPSTREAM_STATUS_IDS] = up->suspicion.until_ns },
			.has_cookie = up->cookie.len > DNS_COOKIE_CLIENT,
			.sockets = up->n_sockets,
			.in_flight = up->n_waiting };
		set_state(v, up);
		set_use(v, up);
		set_learned(v, &up->ways);
		for (unsigned over = 0; over < UPSTREAM_OVERS; over++) {
			const struct times *t = &up->times[over];

			v->rtt[over].transport = (uint8_t)upstream_transport(up, over);
			if (!times_known(t))
				continue;
			v->rtt[over].srtt_ns = t->srtt_ns;
			v->rtt[over].var_ns = t->var_ns;
			v->rtt[over].weight = up->tally.replies;
		}
	}
	return us->n_listed;
}

/* The mean of A and B by the weights WA and WB, which are not both 0. */
static uint64_t
mean(uint64_t a, uint64_t wa, uint64_t b, uint64_t wb)
{
	/* Not as integers: a product of nanoseconds and replies may be over 64 bits. */
	return (uint64_t)(((double)a * (double)wa + (double)b * (double)wb) / (double)(wa + wb));
}

static void
merge_rtt(struct upstream_status_rtt *to, const struct upstream_status_rtt *from)
{
	if (from->weight == 0)
		return;
	to->srtt_ns = mean(to->srtt_ns, to->weight, from->srtt_ns, from->weight);
	to->var_ns = mean(to->var_ns, to->weight, from->var_ns, from->weight);
	to->weight += from->weight;
}

/* The state of FROM is that of TO too: since when for both? */
static uint64_t
since_both(const struct upstream_status *to, const struct upstream_status *from)
{
	if (to->since_ns == 0 || from->since_ns == 0)
		return to->since_ns + from->since_ns;
	if ((to->since_ns < from->since_ns) == (to->state == UPSTREAM_STATUS_GOOD))
		return from->since_ns;
	return to->since_ns;
}

static void
merge_state(struct upstream_status *to, const struct upstream_status *from)
{
	to->n_loops += from->n_loops;
	if (from->state > to->state) {
		to->state = from->state;
		to->since_ns = from->since_ns;
		to->n_so = from->n_so;
	} else if (from->state == to->state) {
		to->since_ns = since_both(to, from);
		to->n_so += from->n_so;
	}
}

static void
merge_guards(struct upstream_status *to, const struct upstream_status *from)
{
	for (unsigned g = 0; g < UPSTREAM_STATUS_GUARDS; g++) {
		if (from->off_until_ns[g] > to->off_until_ns[g])
			to->off_until_ns[g] = from->off_until_ns[g];
	}
	for (unsigned i = 0; i < UPSTREAM_STATUS_LEARNED; i++)
		to->n_learned[i] += from->n_learned[i];
	to->has_cookie |= from->has_cookie;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void
merge(struct upstream_status *to, const struct upstream_status *from)
{
	merge_state(to, from);
	merge_guards(to, from);
	if (from->ordered > to->ordered)
		to->ordered = from->ordered;
	to->sockets += from->sockets;
	to->connections += from->connections;
	to->in_flight += from->in_flight;
	to->waiting += from->waiting;
	to->heard_ns = later(to->heard_ns, from->heard_ns);
	to->good_ns = later(to->good_ns, from->good_ns);
	to->unanswering_ns = later(to->unanswering_ns, from->unanswering_ns);
	for (unsigned over = 0; over < UPSTREAM_OVERS; over++)
		merge_rtt(&to->rtt[over], &from->rtt[over]);
	to->tally.sends += from->tally.sends;
	to->tally.sends_tcp += from->tally.sends_tcp;
	to->tally.replies += from->tally.replies;
	to->tally.late += from->tally.late;
	to->tally.hedges += from->tally.hedges;
	for (unsigned i = 0; i < UPSTREAM_LOST_N; i++)
		to->tally.lost[i] += from->tally.lost[i];
	for (unsigned i = 0; i < UPSTREAM_RCODES; i++)
		to->tally.rcodes[i] += from->tally.rcodes[i];
	latency_merge(&to->tally.rtt, &from->tally.rtt);
}

void
upstream_status_merge(struct upstream_status all[static UPSTREAM_MAX], size_t *n_all,
    const struct upstream_status *more, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;

		while (at < *n_all && !netaddr_equal(&all[at].addr, &more[i].addr))
			at++;
		if (at < *n_all)
			merge(&all[at], &more[i]);
		else if (at < UPSTREAM_MAX)
			all[(*n_all)++] = more[i];
	}
}

uint64_t
upstream_status_rcode(const struct upstream_status *v, unsigned rcode)
{
	uint64_t rest = v->tally.replies;

	if (rcode != DNS_NOERROR)
		return v->tally.rcodes[rcode];
	for (unsigned i = 0; i < UPSTREAM_RCODES; i++)
		rest -= v->tally.rcodes[i];
	return rest;
}

double
upstream_status_share(const struct upstream_status *v, const struct upstream_status *all, size_t n)
{
	uint64_t sends = 0;

	for (size_t i = 0; i < n; i++)
		sends += all[i].tally.sends;
	return sends == 0 ? 0 : 100 * (double)v->tally.sends / (double)sends;
}

uint64_t
upstream_status_off_ns(
    const struct upstream_status *v, enum upstream_status_guard g, uint64_t now_ns)
{
	static const uint64_t spans_ns[] = { [UPSTREAM_STATUS_CASE] =
						 UPSTREAM_UNGUARDED_MS * NS_PER_MS,
		[UPSTREAM_STATUS_COOKIE] = UPSTREAM_UNGUARDED_MS * NS_PER_MS,
		[UPSTREAM_STATUS_EDNS] = UPSTREAM_NO_EDNS_MS * NS_PER_MS,
		[UPSTREAM_STATUS_IDS] = ID_ATTACK_WARY_NS };
	uint64_t until_ns = v->off_until_ns[g];

	if (until_ns <= now_ns)
		return 0;
	/* A loop's clock may have been read a little later. */
	return until_ns - now_ns < spans_ns[g] ? now_ns + spans_ns[g] - until_ns : 1;
}

/* Was THEN_NS, which may be a little ahead, lately? */
static bool
is_fresh(uint64_t then_ns, uint64_t now_ns)
{
	return then_ns + UPSTREAM_STATUS_FRESH_NS > now_ns;
}

bool
upstream_status_answers(const struct upstream_status *v, uint64_t now_ns)
{
	if (v->unanswering_ns == 0 ||
	    (v->state == UPSTREAM_STATUS_ERRING && !is_fresh(v->heard_ns, now_ns)))
		return true;
	return v->good_ns > v->unanswering_ns && is_fresh(v->good_ns, now_ns);
}

const char *
upstream_status_state_text(enum upstream_status_state state)
{
	static const char *const texts[] = { [UPSTREAM_STATUS_GOOD] = "good",
		[UPSTREAM_STATUS_IN_DOUBT] = "in doubt",
		[UPSTREAM_STATUS_ERRING] = "only errors",
		[UPSTREAM_STATUS_STARVED] = "without a socket",
		[UPSTREAM_STATUS_DOWN] = "down" };

	return texts[state];
}

const char *
upstream_status_learned_text(enum upstream_status_learned what)
{
	static const char *const texts[] = { [UPSTREAM_STATUS_NO_OPTIONS] = "EDNS options",
		[UPSTREAM_STATUS_NO_EDNS] = "EDNS",
		[UPSTREAM_STATUS_NO_UDP] = "UDP",
		[UPSTREAM_STATUS_NO_LARGE] = "large replies over UDP",
		[UPSTREAM_STATUS_NO_AAAA] = "AAAA" };

	return texts[what];
}

bool
upstream_status_has_learned(const struct upstream_status *v)
{
	for (unsigned i = 0; i < UPSTREAM_STATUS_LEARNED; i++)
		if (v->n_learned[i] > 0)
			return true;
	return false;
}
