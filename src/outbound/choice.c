/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/choice.h"

/* The upstreams that may be asked and of which none is in a worse state than another. */
struct candidates {
	unsigned n;
	uint16_t at[CONF_MAX_UPSTREAMS];
};

#define LEVELS 16 /* of each state */

/* How much N is to be avoided; 0: not at all. */
static unsigned
level(const struct upstreams *us, uint16_t n, const struct choice_wish *wish)
{
	const struct upstream *up = &us->table[n];
	unsigned state = upstream_is_down(up) ? 2 : up->in_doubt ? 1 : 0, silences = 0;

	for (unsigned over = 0; wish->silent != NULL && over < UPSTREAM_OVERS; over++)
		silences += (unsigned)((wish->silent[over][0] >> n & 1) |
		    (wish->silent[over][1] >> n & 1) << 1);
	return LEVELS * state + 2 * silences + (n == wish->last);
}

static void
gather(const struct upstreams *us, const struct choice_wish *wish, struct candidates *c)
{
	unsigned first = us->selection == CONF_ROUND_ROBIN ? us->current : 0;
	unsigned least = LEVELS * (wish->alive ? 2 : 3) - 1;

	c->n = 0;
	for (unsigned i = 0; i < us->n_order; i++) {
		unsigned place = first + i < us->n_order ? first + i : first + i - us->n_order;
		uint16_t n = us->order[place];
		unsigned l = level(us, n, wish);

		if (l > least || wish->exhausted >> n & 1)
			continue;
		if (l < least)
			c->n = 0;
		least = l;
		c->at[c->n++] = n;
	}
}

/* Keep of C those whose cost is from LEAST to MOST. */
static void
keep(const struct upstreams *us, struct candidates *c, uint64_t least, uint64_t most)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++) {
		uint64_t cost = us->table[c->at[i]].cost.ns;

		if (cost >= least && cost <= most)
			c->at[n++] = c->at[i];
	}
	c->n = n;
}

/* The lowest cost that is known in C; 0: none is. */
static uint64_t
lowest(const struct upstreams *us, const struct candidates *c)
{
	uint64_t best = 0;

	for (unsigned i = 0; i < c->n; i++) {
		uint64_t cost = us->table[c->at[i]].cost.ns;

		if (cost != 0 && (best == 0 || cost < best))
			best = cost;
	}
	return best;
}

/* One of C by 12 bits of CHANCE. */
static uint16_t
draw(const struct candidates *c, uint32_t chance)
{
	return c->at[(chance & 0xfff) * c->n >> 12];
}

/*
 * Power of two choices: the cheaper of two of the lowest band, each drawn from all. Nothing but the
 * drawing keeps equal ones even, and whoever is dearer still gets a share, which measures it.
 */
static uint16_t
draw_cheaper(const struct upstreams *us, const struct candidates *c, uint32_t chance)
{
	uint16_t a = draw(c, chance);
	uint16_t b = draw(c, chance >> 12);
	uint64_t cost = us->table[b].cost.ns;

	return cost != 0 && cost + CHOICE_EQUAL_NS < us->table[a].cost.ns ? b : a;
}

/* Pick by cost. What is not known yet costs 0: it is among the best, but not preferred. */
static struct choice
by_cost(struct upstreams *us, const struct choice_wish *wish, struct candidates *c, uint32_t chance)
{
	uint64_t best = lowest(us, c);
	uint64_t most = us->selection == CONF_FASTEST ? best : 2 * best + CHOICE_BAND_NS;
	uint16_t n;

	if (wish->last == UPSTREAM_NONE && wish->exhausted == 0)
		us->best_ns = best;
	if (UNLIKELY(chance >> 24 < CHOICE_EXPLORE) && wish->last == UPSTREAM_NONE) {
		struct candidates others = *c;

		keep(us, &others, most + 1, UINT64_MAX);
		if (others.n > 0)
			return (
			    struct choice){ .upstream = draw(&others, chance), .exploring = true };
	}
	keep(us, c, 0, most);
	n = draw_cheaper(us, c, chance);
	return (
	    struct choice){ .upstream = n, .exploring = best != 0 && us->table[n].cost.ns == 0 };
}

/* Is N good? */
static bool
is_good(const struct upstreams *us, uint16_t n)
{
	return !us->table[n].in_doubt && !upstream_is_down(&us->table[n]);
}

/* Is N good, may it be asked, and is it not the last? */
static inline bool
is_wanted(const struct upstreams *us, const struct choice_wish *wish, uint16_t n)
{
	return is_good(us, n) && n != wish->last && !(wish->exhausted >> n & 1);
}

/*
 * The same as gather and by_cost for the most part of the questions: two of all are drawn, and if
 * one is in the lowest band, as that was when it was found last, that is it. UPSTREAM_NONE: none
 * is.
 */
static struct choice
quick(const struct upstreams *us, const struct choice_wish *wish, uint32_t chance)
{
	uint64_t most = 2 * us->best_ns + CHOICE_BAND_NS;
	uint16_t a = us->order[(chance & 0xfff) * us->n_order >> 12];
	uint16_t b = us->order[(chance >> 12 & 0xfff) * us->n_order >> 12];
	uint64_t a_ns = us->table[a].cost.ns;
	uint64_t b_ns = us->table[b].cost.ns;
	bool a_may = is_wanted(us, wish, a) && a_ns <= most;
	bool b_may = is_wanted(us, wish, b) && b_ns <= most;

	if (b_may && (!a_may || (b_ns != 0 && b_ns + CHOICE_EQUAL_NS < a_ns))) {
		a = b;
		a_ns = b_ns;
	} else if (!a_may) {
		return (struct choice){ .upstream = UPSTREAM_NONE };
	}
	return (struct choice){ .upstream = a, .exploring = a_ns == 0 && us->best_ns != 0 };
}

/* Pick after a look at all of them. */
static __attribute__((noinline)) struct choice
thorough(struct upstreams *us, const struct choice_wish *wish, uint32_t chance)
{
	struct candidates c;

	gather(us, wish, &c);
	if (c.n == 0)
		return (struct choice){ .upstream = UPSTREAM_NONE };
	if (c.n == 1 || us->selection == CONF_ROUND_ROBIN || us->selection == CONF_IN_ORDER)
		return (struct choice){ .upstream = c.at[0] };
	return by_cost(us, wish, &c, chance);
}

unsigned
choice_likely(const struct upstreams *us, uint16_t at[static CONF_MAX_UPSTREAMS])
{
	const struct choice_wish wish = { .last = UPSTREAM_NONE, .prefer = UPSTREAM_NONE };
	bool in_turn = us->selection == CONF_ROUND_ROBIN || us->selection == CONF_IN_ORDER;
	struct candidates c;

	gather(us, &wish, &c);
	if (us->selection == CONF_FASTEST)
		keep(us, &c, 0, lowest(us, &c));
	for (unsigned i = 0; i < c.n; i++)
		at[i] = c.at[i];
	return in_turn && c.n > 1 ? 1 : c.n;
}

struct choice
choice_among(struct upstreams *us, const struct choice_wish *wish, struct rng *rng)
{
	struct choice found = { .upstream = UPSTREAM_NONE };
	uint32_t chance = 0;
	uint16_t first;

	if (us->n_order == 0)
		return found;
	if (us->hedge && wish->last == UPSTREAM_NONE &&
	    us->hedge_credit < CHOICE_HEDGE_EACH * CHOICE_HEDGE_SAVED)
		us->hedge_credit++;
	if (wish->prefer != UPSTREAM_NONE && us->table[wish->prefer].active &&
	    us->table[wish->prefer].conf.ordered == CONF_UP && is_wanted(us, wish, wish->prefer))
		return (struct choice){ .upstream = wish->prefer };
	if (us->selection == CONF_RANDOM || us->selection == CONF_FASTEST) {
		chance = rng_u32(rng);
		if (us->selection == CONF_RANDOM && wish->silent == NULL &&
		    chance >> 24 >= CHOICE_EXPLORE + CHOICE_LOOK)
			found = quick(us, wish, chance);
	} else if (wish->silent == NULL) {
		first = us->order[us->selection == CONF_ROUND_ROBIN ? us->current : 0];
		if (is_wanted(us, wish, first))
			found.upstream = first;
	}
	return found.upstream != UPSTREAM_NONE ? found : thorough(us, wish, chance);
}

uint16_t
choice_under_ceiling(struct upstreams *us, uint64_t exhausted, struct rng *rng)
{
	struct choice_wish wish = { .exhausted = exhausted,
		.last = UPSTREAM_NONE,
		.prefer = UPSTREAM_NONE,
		.alive = true };

	for (unsigned i = 0; i < us->n_order; i++) {
		if (us->table[us->order[i]].n_waiting >= us->most_waiting)
			wish.exhausted |= UINT64_C(1) << us->order[i];
	}
	return choice_pick(us, &wish, rng).upstream;
}

/* The shortest wait over UPSTREAM_PRIMARY of the good upstreams other than U; UINT64_MAX: there is
 * none. */
static uint64_t
best_wait_ns(const struct upstreams *us, unsigned u)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t n = us->order[i];
		uint64_t wait;

		if (n == u || !is_good(us, n))
			continue;
		wait = upstreams_wait_ns(us, n, UPSTREAM_PRIMARY, 0);
		best = wait < best ? wait : best;
	}
	return best;
}

/* May a question to U be hedged: is another one good, and costs no more than the lowest band? */
static bool
may_hedge(const struct upstreams *us, unsigned u)
{
	uint64_t most = 2 * us->table[u].cost.ns + CHOICE_BAND_NS;

	if (us->hedge_credit < CHOICE_HEDGE_EACH)
		return false;
	for (unsigned i = 0; i < us->n_order; i++) {
		uint16_t n = us->order[i];
		uint64_t cost = us->table[n].cost.ns;

		if (n != u && is_good(us, n) && cost != 0 && cost <= most)
			return true;
	}
	return false;
}

uint64_t
choice_early(const struct upstreams *us, unsigned u, bool exploring)
{
	const struct times *t = &us->table[u].times[UPSTREAM_PRIMARY];

	if (exploring)
		return best_wait_ns(us, u);
	if (!us->hedge || !times_known(t) || !may_hedge(us, u))
		return UINT64_MAX;
	return t->p95_ns > CHOICE_HEDGE_NS ? t->p95_ns : CHOICE_HEDGE_NS;
}

uint16_t
choice_beside(struct upstreams *us, unsigned u, bool exploring, uint64_t exhausted, struct rng *rng)
{
	const struct choice_wish wish = { .exhausted = exhausted | UINT64_C(1) << u,
		.last = (uint16_t)u,
		.prefer = UPSTREAM_NONE,
		.alive = true };
	uint16_t n;

	if (!exploring && !may_hedge(us, u))
		return UPSTREAM_NONE;
	n = choice_among(us, &wish, rng).upstream;
	if (n == UPSTREAM_NONE || !is_good(us, n))
		return UPSTREAM_NONE;
	if (!exploring) {
		us->hedge_credit -= CHOICE_HEDGE_EACH;
		us->table[n].tally.hedges++;
	}
	return n;
}

void
choice_on_failure(
    struct upstreams *us, unsigned u, enum upstream_over over, bool silent, uint64_t now_ns)
{
	/*
	 * Round-robin as in mtd64-ng: go to the next upstream if the current one does not reply in
	 * time.
	 */
	if (silent && us->n_order > 0 && us->order[us->current] == u)
		us->current = us->current + 1 < us->n_order ? us->current + 1 : 0;
	/* A failure costs the wait, and then the question is asked elsewhere. */
	if (us->n_order > 1)
		times_charge_failure(
		    &us->table[u].cost, 2 * upstreams_wait_ns(us, u, over, 0), now_ns);
}

void
choice_on_overtaken(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	uint64_t wait = best_wait_ns(us, u);

	if (wait < UINT64_MAX)
		times_charge_failure(&us->table[u].cost, 2 * wait, now_ns);
}
