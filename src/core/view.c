/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/view.h"

#include "base/clock.h"
#include "core/guess.h"

/* The state of UP on its loop, and since when, to *v. */
static void
set_state(struct view *v, const struct upstream *up)
{
	if (up->down)
		v->state = VIEW_DOWN;
	else if (up->starved)
		v->state = VIEW_STARVED;
	else if (up->erring)
		v->state = VIEW_ERRING;
	else if (up->doubted)
		v->state = VIEW_DOUBTED;
	else
		v->state = VIEW_GOOD;
	if (v->state == VIEW_GOOD)
		v->since_ns = up->revived_ns;
	else if (v->state == VIEW_ERRING)
		v->since_ns = up->errors_ns;
	else if (v->state != VIEW_STARVED)
		v->since_ns = up->failing_ns;
}

/* When UP was last of use to its loop, and since when it is not, to *v, whose state is set. */
static void
set_use(struct view *v, const struct upstream *up)
{
	v->good_ns = up->n_errors > 0 ? up->good_ns : up->heard_ns;
	if (v->state == VIEW_STARVED)
		v->useless_ns = up->heard_ns + 1; /* nobody knows more */
	else if (v->state >= VIEW_ERRING)
		v->useless_ns = v->since_ns;
}

static void
set_learned(struct view *v, const struct ways *w)
{
	v->n_learned[VIEW_NO_OPTIONS] = w->now == WAY_PLAIN;
	v->n_learned[VIEW_NO_EDNS] = w->now == WAY_BARE;
	v->n_learned[VIEW_NO_UDP] = w->now == WAY_TCP;
	v->n_learned[VIEW_NO_LARGE] = ways_small(w);
	v->n_learned[VIEW_NO_AAAA] = ways_no_aaaa(w);
}

size_t
views_of(const struct upstreams *us, struct view out[static CONF_MAX_UPSTREAMS])
{
	for (unsigned i = 0; i < us->n_listed; i++) {
		const struct upstream *up = &us->table[us->listed[i]];
		struct view *v = &out[i];

		*v = (struct view){ .addr = up->addr,
			.ordered = (enum conf_order)up->ordered,
			.n_loops = 1,
			.n_so = 1,
			.heard_ns = up->heard_ns,
			.tally = up->tally,
			.off_until_ns = { [VIEW_CASE] = up->case_guard.off_until_ns,
			    [VIEW_COOKIE] = up->cookie_guard.off_until_ns,
			    [VIEW_EDNS] = up->no_edns_until_ns,
			    [VIEW_IDS] = up->suspicion.until_ns },
			.has_cookie = up->cookie_len > DNS_COOKIE_CLIENT,
			.sockets = up->n_sockets,
			.in_flight = up->n_waiting };
		set_state(v, up);
		set_use(v, up);
		set_learned(v, &up->ways);
		for (unsigned over = 0; over < UPSTREAM_TRANSPORTS; over++) {
			if (times_known(&up->times[over]))
				v->rtt[over] = (struct view_rtt){ up->times[over].srtt_ns,
					up->times[over].var_ns, up->tally.replies };
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
merge_rtt(struct view_rtt *to, const struct view_rtt *from)
{
	if (from->weight == 0)
		return;
	to->srtt_ns = mean(to->srtt_ns, to->weight, from->srtt_ns, from->weight);
	to->var_ns = mean(to->var_ns, to->weight, from->var_ns, from->weight);
	to->weight += from->weight;
}

/* The state of FROM is that of TO too: since when for both? */
static uint64_t
since_both(const struct view *to, const struct view *from)
{
	if (to->since_ns == 0 || from->since_ns == 0)
		return to->since_ns + from->since_ns;
	if ((to->since_ns < from->since_ns) == (to->state == VIEW_GOOD))
		return from->since_ns;
	return to->since_ns;
}

static void
merge_state(struct view *to, const struct view *from)
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
merge_guards(struct view *to, const struct view *from)
{
	for (unsigned g = 0; g < VIEW_GUARDS; g++) {
		if (from->off_until_ns[g] > to->off_until_ns[g])
			to->off_until_ns[g] = from->off_until_ns[g];
	}
	for (unsigned i = 0; i < VIEW_LEARNED; i++)
		to->n_learned[i] += from->n_learned[i];
	to->has_cookie |= from->has_cookie;
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void
merge(struct view *to, const struct view *from)
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
	to->useless_ns = later(to->useless_ns, from->useless_ns);
	for (unsigned over = 0; over < UPSTREAM_TRANSPORTS; over++)
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
views_merge(struct view all[static UPSTREAM_MAX], size_t *n_all, const struct view *more, size_t n)
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
view_rcode(const struct view *v, unsigned rcode)
{
	uint64_t rest = v->tally.replies;

	if (rcode != DNS_NOERROR)
		return v->tally.rcodes[rcode];
	for (unsigned i = 0; i < UPSTREAM_RCODES; i++)
		rest -= v->tally.rcodes[i];
	return rest;
}

double
view_share(const struct view *v, const struct view *all, size_t n)
{
	uint64_t sends = 0;

	for (size_t i = 0; i < n; i++)
		sends += all[i].tally.sends;
	return sends == 0 ? 0 : 100 * (double)v->tally.sends / (double)sends;
}

uint64_t
view_off_ns(const struct view *v, enum view_guard g, uint64_t now_ns)
{
	static const uint64_t spans_ns[] = { [VIEW_CASE] = UPSTREAM_UNGUARDED_MS * NS_PER_MS,
		[VIEW_COOKIE] = UPSTREAM_UNGUARDED_MS * NS_PER_MS,
		[VIEW_EDNS] = UPSTREAM_NO_EDNS_MS * NS_PER_MS,
		[VIEW_IDS] = GUESS_WARY_NS };
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
	return then_ns + VIEW_FRESH_NS > now_ns;
}

bool
view_answers(const struct view *v, uint64_t now_ns)
{
	if (v->useless_ns == 0 || (v->state == VIEW_ERRING && !is_fresh(v->heard_ns, now_ns)))
		return true;
	return v->good_ns > v->useless_ns && is_fresh(v->good_ns, now_ns);
}

const char *
view_state_text(enum view_state state)
{
	static const char *const texts[] = { [VIEW_GOOD] = "good",
		[VIEW_DOUBTED] = "in doubt",
		[VIEW_ERRING] = "only errors",
		[VIEW_STARVED] = "without a socket",
		[VIEW_DOWN] = "down" };

	return texts[state];
}

const char *
view_learned_text(enum view_learned what)
{
	static const char *const texts[] = { [VIEW_NO_OPTIONS] = "EDNS options",
		[VIEW_NO_EDNS] = "EDNS",
		[VIEW_NO_UDP] = "UDP",
		[VIEW_NO_LARGE] = "large replies over UDP",
		[VIEW_NO_AAAA] = "AAAA" };

	return texts[what];
}

bool
view_has_learned(const struct view *v)
{
	for (unsigned i = 0; i < VIEW_LEARNED; i++)
		if (v->n_learned[i] > 0)
			return true;
	return false;
}
