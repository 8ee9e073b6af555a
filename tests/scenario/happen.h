/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_HAPPEN_H
#define DNS64D_TESTS_SCENARIO_HAPPEN_H

/*
 * happen: the lines of a scenario that make something happen.
 */

#include "scenario/stage.h"

/* happen: play the event in the N words at W. False: it is another kind of line. */
bool happen(struct run *r, char **w, unsigned n);

#endif
