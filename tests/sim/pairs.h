/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_PAIRS_H
#define DNS64D_TESTS_SIM_PAIRS_H

/*
 * pairs: a story of two upstreams that each do one thing from beginning to end, one for every pair
 * of what upstreams do, alone and beside one that answers, in each selection mode, for each type.
 * A name that some upstream answers within 2 s is resolved, and one that has AAAA is not
 * synthesized (RULES D3, D4, D5).
 */

#include "sim/sim.h"

/* pairs_count: how many such stories there are. Their seeds are 0 to one less. */
uint64_t pairs_count(void);

/* pairs_draw: draw settings and acts of S, whose seed says which pair it is. */
void pairs_draw(struct sim *s);

/* pairs_say: which pair SEED is, to TEXT (CAP bytes). */
void pairs_say(uint64_t seed, char *text, size_t cap);

/* What is not the right answer. */
enum pairs_answer { PAIRS_ERROR, PAIRS_SYNTHESIZED, PAIRS_TRUNCATED };

/* pairs_may: may K, of the story of S, get ANSWER? Counts those that are bad luck. */
bool pairs_may(struct sim *s, const struct ask *k, enum pairs_answer answer);

#endif
