/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_EXPECT_H
#define DNS64D_TESTS_SCENARIO_EXPECT_H

/*
 * expect: the lines of a scenario that say what is sent.
 */

#include "scenario/stage.h"

/* expect: compare the line of N words with what was sent. False: it is no such line. */
bool expect(struct run *r, char **w, unsigned n);

#endif
