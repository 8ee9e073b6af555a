/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_POLICIES_H
#define DNS64D_DAEMON_POLICIES_H

/*
 * policies: what the configuration says of clients, as the engine wants it.
 */

#include "base/attr.h"
#include "core/policy.h"
#include "daemon/settings.h"

/* policies_make: the policies of S, with one reference; NULL without memory. */
MUST_USE struct policies *policies_make(const struct settings *s);

#endif
