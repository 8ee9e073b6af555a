/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_RARE_H
#define DNS64D_TESTS_SIM_RARE_H

/*
 * rare: what core seldom meets has a probability of its own: pools that say full, IDs that are
 * said to be all in use, a cache that has nothing or keeps nothing, slices of one, turns whose work
 * was done before.
 *
 * The linker puts these functions between core and those it calls (--wrap). What happens at all is
 * drawn for each seed.
 */

#include "sim/sim.h"

/* rare_begin: from now on, until NS, what is rare happens in S; NULL: it does not. */
void rare_begin(struct sim *s, uint64_t ns);

/* rare_turn: a message is about to come in: most of the turn's work may have been done before. */
void rare_turn(struct sim *s);

#endif
