/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_WALKED_H
#define DNS64D_TESTS_SUPPORT_WALKED_H

/*
 * walked: which rows of engine/state_rows.h the engine of the tests has gone through
 * (engine/audit).
 */

#include <stdbool.h>

#include "base/attr.h"
#include "engine/state_rows.h"

/* walked_row: where EVENT in state FROM may lead, in bits of enum state_to; 0: there is no row. */
MUST_USE unsigned walked_row(enum query_state from, enum state_event event);

/* walked_seen: where it has led so far in this process, in bits of enum state_to, LOCAL included.
 * Any thread. */
MUST_USE unsigned walked_seen(enum query_state from, enum state_event event);

/* walked_late: has EVENT been in state FROM of the late AAAA in this process? Any thread. */
MUST_USE bool walked_late(enum query_late from, enum late_event event);

#endif
