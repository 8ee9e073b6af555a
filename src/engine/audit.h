/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_AUDIT_H
#define DNS64D_ENGINE_AUDIT_H

/*
 * audit: check, in tests, that no query and no lookup is forgotten, and that steps are in the
 * table.
 *
 * These are the invariants of an engine's objects between two calls. An engine built with
 * ENGINE_AUDIT asserts them after every call, or after some where much is in flight or the run is
 * long. All tests use such an engine; the daemon does not.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "engine/query.h"

/* with more queries in flight audit checks nothing: each call would cost too much */
#define AUDIT_MOST 2048

/*
 * audit: each query is either ready, or waits for a lookup and has its own timer set, or waits for
 * its timer alone (RULES D18). Each lookup is on the list of attempts to be sent, or of those
 * that end with a truncated reply, or has its timer set. The number of waiters of each lookup is
 * its waiters.n; its attempts that were given up have their IDs. Each client's query that waits is
 * known to its network, which is in the class of its number; each lookup that waits for an upstream
 * is known to that. Returns NULL, or a string constant that says what is wrong. Allocates nothing.
 */
MUST_USE const char *audit(const struct queries *qs);

/*
 * audit_message: is there a ready query that has not yet read the message of the lookup that ended
 * last?
 */
MUST_USE bool audit_message(const struct queries *qs);

/*
 * audit_step: in state FROM, EVENT led to TO, one bit of enum state_to. Prints and aborts if no row
 * of engine/state_rows.h says so; LOCAL is allowed where a row leads to any state. Any thread. It
 * is in tests/support/walked.c: the daemon has no such function.
 */
void audit_step(enum query_state from, enum state_event event, unsigned to);

/* audit_late: EVENT was in state FROM of the late AAAA. Aborts likewise without a row. */
void audit_late(enum query_late from, enum late_event event);

#endif
