/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_WALKED_H
#define DNS64D_TESTS_SUPPORT_WALKED_H

/*
 * walked: which rows of core/state_rows.h the engine of the tests has gone through (core/audit).
 */

#include "core/state_rows.h"

/* walked_row: where EVENT in state FROM may lead, in bits of enum state_to; 0: there is no row. */
unsigned walked_row(enum query_state from, enum state_event event);

/* walked_seen: where it has led in this process so far. */
unsigned walked_seen(enum query_state from, enum state_event event);

#endif
