/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_CHOICE_H
#define DNS64D_CORE_CHOICE_H

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
#include "core/upstream.h"

/*
 * The lowest band: the cheapest, and those that cost up to twice that and this more. The others are
 * asked by a few questions in 256 only, to see what they cost now.
 */
#define CHOICE_BAND_NS (5 * NS_PER_MS)
#define CHOICE_EXPLORE 10
#define CHOICE_EQUAL_NS NS_PER_MS /* costs that differ by less are the same */

/* Limits on the choice of an attempt's upstream. */
struct choice_wish {
	uint64_t exhausted; /* bit per number: do not ask this upstream */
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
	 * than choice_best_wait_ns before another is asked too.
	 */
	bool exploring;
};

/* choice_among: choice_pick with several upstreams. */
MUST_USE struct choice choice_among(
    const struct upstreams *us, const struct choice_wish *wish, struct rng *rng);

/*
 * choice_pick: the upstream for the next attempt. One that is down, or that has no socket for lack
 * of local resources, is picked only when no other is left.
 */
MUST_USE static inline struct choice
choice_pick(const struct upstreams *us, const struct choice_wish *wish, struct rng *rng)
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
 * choice_best_wait_ns: how long the best of the other upstreams than U takes to be silent: the
 * shortest upstreams_wait_ns over UDP of those that are good. The setting timeout-time if there is
 * none.
 */
MUST_USE uint64_t choice_best_wait_ns(const struct upstreams *us, unsigned u);

/*
 * choice_on_failure: an attempt to U over OVER failed: no reply in time, or an error. Its cost
 * rises. SILENT: there was no reply.
 */
void choice_on_failure(
    struct upstreams *us, unsigned u, enum upstream_over over, bool silent, uint64_t now_ns);

#endif
