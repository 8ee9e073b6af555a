/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_EXPECT_H
#define DNS64D_TESTS_SCENARIO_EXPECT_H

/*
 * expect: the lines of a scenario that say what the engine must send.
 */

#include "scenario/stage.h"

/* expect: compare the line of N words at W with what was sent; a difference fails the test. False:
 * it is another kind of line. */
bool expect(struct run *r, char **w, unsigned n);

#endif
