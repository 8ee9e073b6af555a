/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_NAT64_PREFIXCHECK_H
#define DNS64D_NAT64_PREFIXCHECK_H

/*
 * prefixcheck: asks the targets of prefix-check under all prefixes, round by round, and reports to
 * nat64/prefixes, which is to be settled after each turn of the base, which work. It never waits,
 * and no question of a client waits for it. Main thread only.
 */

#include <event2/event.h>
#include <stdbool.h>

#include "base/attr.h"
#include "nat64/prefixes.h"

struct prefixcheck;

/*
 * prefixcheck_new: ask by the settings of P, from the next turn of BASE on; both are borrowed.
 * NULL without memory.
 */
MUST_USE struct prefixcheck *prefixcheck_new(struct event_base *base, struct prefixes *p);

/* prefixcheck_free: end the round. C may be NULL. */
void prefixcheck_free(struct prefixcheck *c);

/*
 * prefixcheck_renew: prefixes, lines of prefix-check or the keywords beside it may have changed.
 * What is still asked keeps what is known of it; a round under way is finished as it began. C may
 * be NULL.
 */
void prefixcheck_renew(struct prefixcheck *c);

#endif
