/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/walked.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/audit.h"

#define ROW_LEADS(STATE, EVENT, function, to, words) [QUERY_##STATE][EVENT_##EVENT] = (to),
static const unsigned rows[QUERY_N_STATES][STATE_EVENTS_CAP] = { STATE_ROWS(ROW_LEADS) };
static _Atomic unsigned seen[QUERY_N_STATES][STATE_EVENTS_CAP];

unsigned
walked_row(enum query_state from, enum state_event event)
{
	return rows[from][event];
}

unsigned
walked_seen(enum query_state from, enum state_event event)
{
	return atomic_load_explicit(&seen[from][event], memory_order_relaxed);
}

#define LATE_ROW(STATE, EVENT, function, to, words) [LATE_##STATE][LATE_ON_##EVENT] = true,
static const bool late_rows[LATE_N_STATES][LATE_N_EVENTS] = { LATE_ROWS(LATE_ROW) };
static _Atomic bool late_seen[LATE_N_STATES][LATE_N_EVENTS];

bool
walked_late(enum query_late from, enum late_event event)
{
	return atomic_load_explicit(&late_seen[from][event], memory_order_relaxed);
}

void
audit_late(enum query_late from, enum late_event event)
{
	if (!late_rows[from][event]) {
		(void)fprintf(
		    stderr, "late AAAA: state %d, event %d: no row\n", (int)from, (int)event);
		abort();
	}
	atomic_store_explicit(&late_seen[from][event], true, memory_order_relaxed);
}

void
audit_step(enum query_state from, enum state_event event, unsigned to)
{
	unsigned may = rows[from][event];

	/* A question that may not be asked leads to LOCAL (RULES D10, D26). */
	if ((may & ~(unsigned)TO_ANSWER) != 0)
		may |= TO_LOCAL;
	if ((may & to) == 0) {
		(void)fprintf(
		    stderr, "state %d, event %d: no row leads to %x\n", (int)from, (int)event, to);
		abort();
	}
	atomic_fetch_or_explicit(&seen[from][event], to, memory_order_relaxed);
}
