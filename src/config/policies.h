/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_POLICIES_H
#define DNS64D_CONFIG_POLICIES_H

/*
 * policies: make the policies that the engine works from, out of the configuration's lines (RULES
 * D13).
 *
 * The lines outside of any client block make policy 0. A block's policy is that, with the block's
 * own lines in place of those of the same keyword, whichever stands first in the file. What a block
 * does not change it shares with policy 0, so many blocks take little memory.
 *
 * A block's own lines about a network or a zone go before those from outside; in one block, or
 * outside, there may be one line for each.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/settings.h"
#include "policy/policy.h"

/*
 * policies_make: the policies of S, after complete_settings; the caller has one reference. Errors,
 * lack of memory too, go to D; then it returns NULL.
 */
MUST_USE struct policies *policies_make(const struct settings *s, struct diag *d);

/*
 * policies_change_prefixes: as policies_make, if since BEFORE was made only prefixes and their
 * states have changed in the lines of S. What does not depend on these is shared with BEFORE: zones
 * and networks of clients are not put into maps again.
 */
MUST_USE struct policies *policies_change_prefixes(
    const struct settings *s, const struct policies *before, struct diag *d);

/*
 * policies_change_states: likewise, if only states of prefixes and what is ordered (config/orders)
 * have changed; all but these is shared with BEFORE. NULL without memory.
 */
MUST_USE struct policies *policies_change_states(
    const struct settings *s, const struct policies *before);

#endif
