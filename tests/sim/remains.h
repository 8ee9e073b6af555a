/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_REMAINS_H
#define DNS64D_TESTS_SIM_REMAINS_H

/* remains: what may be left of questions when all is over: nothing. */

#include "sim/sim.h"

/* remains_check: fail if any object, ID, socket or question is still in use. */
void remains_check(struct sim *s);

#endif
