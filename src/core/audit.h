/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_AUDIT_H
#define DNS64D_CORE_AUDIT_H

/*
 * audit: is nobody forgotten?
 *
 * What must be true of an engine's objects between any two calls. An engine built with
 * ENGINE_AUDIT, as the one of all tests is, asserts it after every call; the daemon's does not.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "core/query.h"

/* more queries at a time are not counted: each call would cost too much */
#define AUDIT_MOST 2048

/*
 * audit: each query is either ready, or waits in a lookup with a timer of its own set, or waits for
 * the timer alone (RULES D18); each lookup is on the list of those to be asked or has a timer;
 * those who wait for a lookup are as many as it says. NULL, or what is not so. Allocates nothing.
 */
MUST_USE const char *audit(const struct queries *qs);

/* audit_message: is there a ready query that has yet to read the message of the lookup that ended
 * last? */
MUST_USE bool audit_message(const struct queries *qs);

#endif
