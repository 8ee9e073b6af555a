/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_CHOICE_H
#define DNS64D_OUTBOUND_CHOICE_H

/*
 * choice: which upstream gets the next attempt (keyword selection-mode, RULES D27).
 *
 * In every mode those that are good come before those in doubt, and these before those that are
 * down; a retry goes to another upstream if there is one as good. Among them "random" and "fastest"
 * go by what a question to each costs at present (struct times_cost), round-robin and in-order by
 * the configured order. With one upstream there is nothing to choose.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/rng.h"
#include "outbound/upstream.h"

/*
 * The lowest band: the cheapest, and those that cost up to twice that and this more. The others are
 * asked by a few questions only, to see what they cost now.
 */
#define CHOICE_BAND_NS (5 * NS_PER_MS)
#define CHOICE_EXPLORE 10               /* of 256: ask one outside the lowest band */
#define CHOICE_LOOK 6                   /* of 256: look anew which is the cheapest */
#define CHOICE_EQUAL_NS NS_PER_MS       /* costs that differ by less are the same */
#define CHOICE_HEDGE_NS (8 * NS_PER_MS) /* no question is hedged earlier */
#define CHOICE_HEDGE_EACH 20            /* of so many questions one may be hedged, */
#define CHOICE_HEDGE_SAVED 10           /* and this many in a row after quiet times */

/* Limits on the choice of an attempt's upstream. */
struct choice_wish {
	uint64_t exhausted; /* bit per number: do not ask this upstream */
	/*
	 * struct lookup_tried.silent: of those in the same state who was silent least is asked;
	 * borrowed; NULL: none was
	 */
	const uint64_t (*silent)[2];
	/* number of the upstream asked last: ask another one if there is one; UPSTREAM_NONE */
	uint16_t last;
	/* number of the upstream to ask first if it is good and may be asked; UPSTREAM_NONE */
	uint16_t prefer;
	bool alive; /* do not ask an upstream that is down */
};

struct choice {
	uint16_t upstream; /* its number; UPSTREAM_NONE: none may be asked */
	/*
	 * Others are known to be better: it is asked to measure it, so the attempt waits no longer
	 * than they take (choice_early_ns) before one of them is asked too.
	 */
	bool exploring;
};

/* choice_among: choice_pick with several upstreams. */
MUST_USE struct choice choice_among(
    struct upstreams *us, const struct choice_wish *wish, struct rng *rng);

/*
 * choice_pick: the upstream for the next attempt. One that is down, or that has no socket for lack
 * of local resources, is picked only when no other is left.
 */
MUST_USE static inline struct choice
choice_pick(struct upstreams *us, const struct choice_wish *wish, struct rng *rng)
{
	uint16_t only;

	if (us->n_order != 1)
		return choice_among(us, wish, rng);
	only = us->order[0];
	if (wish->exhausted >> only & 1 || (wish->alive && upstream_is_down(&us->table[only])))
		only = UPSTREAM_NONE;
	return (struct choice){ .upstream = only };
}

/*
 * choice_under_ceiling: an upstream that is not down, not one of EXHAUSTED (bit per number), and to
 * which fewer questions are in flight than may be; UPSTREAM_NONE: there is none.
 */
MUST_USE uint16_t choice_under_ceiling(struct upstreams *us, uint64_t exhausted, struct rng *rng);

/*
 * choice_likely: write to AT the numbers of those of which one would be asked first now, if nothing
 * speaks for another one. Returns how many they are.
 */
MUST_USE unsigned choice_likely(const struct upstreams *us, uint16_t at[static CONF_MAX_UPSTREAMS]);

/* choice_early: choice_early_ns with several upstreams. */
MUST_USE uint64_t choice_early(const struct upstreams *us, unsigned u, bool exploring);

/*
 * choice_early_ns: how long the first attempt of a question, to U over UDP, waits before another
 * upstream is asked beside it (choice_beside). EXPLORING is what choice_pick said: as long as the
 * best of the others takes to be silent. Else, with "hedge yes": longer than 19 of 20 replies of U
 * take, if another one is as good. UINT64_MAX: no other is asked before U is silent.
 */
MUST_USE static inline uint64_t
choice_early_ns(const struct upstreams *us, unsigned u, bool exploring)
{
	return us->n_order == 1 ? UINT64_MAX : choice_early(us, u, exploring);
}

/*
 * choice_beside: choice_early_ns is over without a reply: the good upstream that is asked beside U,
 * not one of EXHAUSTED (bit per number). A hedge is counted and comes out of the budget.
 * UPSTREAM_NONE: none; U's reply is waited for.
 */
MUST_USE uint16_t choice_beside(
    struct upstreams *us, unsigned u, bool exploring, uint64_t exhausted, struct rng *rng);

/*
 * choice_on_failure: an attempt to U over OVER failed: no reply in time, or an error. Its cost
 * rises. SILENT: there was no reply.
 */
void choice_on_failure(
    struct upstreams *us, unsigned u, enum upstream_over over, bool silent, uint64_t now_ns);

/*
 * choice_on_overtaken: an attempt to U that was exploring got no reply in choice_early_ns: its cost
 * rises to what that would cost, if it was lower.
 */
void choice_on_overtaken(struct upstreams *us, unsigned u, uint64_t now_ns);

#endif
