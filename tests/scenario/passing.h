/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_PASSING_H
#define DNS64D_TESTS_SCENARIO_PASSING_H

/*
 * passing: the lines of a scenario that let time pass. check_scenarios.c describes the language.
 */

#include "scenario/stage.h"

/* passing_pass: play "pass MS". */
void passing_pass(struct run *r, char **w, unsigned n);

/* passing_mute: play "mute MS [type=T] [as=Q] [uN=COUNT...]". */
void passing_mute(struct run *r, char **w, unsigned n);

#endif
