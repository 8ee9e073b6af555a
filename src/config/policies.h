/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_POLICIES_H
#define DNS64D_CONFIG_POLICIES_H

/*
 * policies: from the drafts to what the engine works from (RULES D13).
 *
 * The draft outside of any block becomes policy 0; a block's is that with what the block itself
 * says in its place, keyword by keyword, whatever stands first in the file. What a block does not
 * change it shares with policy 0, so that many blocks take little memory.
 *
 * A block's own lines about a network or a zone go before those it has from outside; within one
 * draft nothing may be said twice.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/settings.h"
#include "core/policy.h"

/*
 * policies_make: the policies of S, whose listen addresses are complete, with one reference.
 * Contradictions are told to D; NULL if there are any errors, or no memory, which is told too.
 */
MUST_USE struct policies *policies_make(const struct settings *s, struct diag *d);

#endif
