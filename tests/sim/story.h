/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_STORY_H
#define DNS64D_TESTS_SIM_STORY_H

/* story: what is to happen, and among which settings, drawn from the seed. */

#include "sim/sim.h"

/* story_draw: draw settings and acts of S, in the order of their times. */
void story_draw(struct sim *s);

/* story_add: add an act of KIND at AT_NS, to be filled in. */
struct act *story_add(struct sim *s, enum act_kind kind, uint64_t at_ns);

/* story_sort: bring all acts into the order of their times. */
void story_sort(struct sim *s);

/* story_say: tell act I in a line. */
void story_say(const struct sim *s, unsigned i);

/* story_line: the configuration gets more text. */
void story_line(struct sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* story_era: S->conf, that of this turn, becomes the configuration as reload WHAT changes it. */
void story_era(struct sim *s, uint8_t what);

#endif
