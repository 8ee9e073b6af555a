/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_HAPPEN_H
#define DNS64D_TESTS_SCENARIO_HAPPEN_H

/*
 * happen: the lines of a scenario that set something or let something happen.
 */

#include "scenario/stage.h"

/* happen_setting, happen: play the line of N words. False: it is no such line. */
bool happen_setting(struct run *r, char **w, unsigned n);
bool happen(struct run *r, char **w, unsigned n);

#endif
