/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_STATE_JSON_H
#define DNS64D_CONTROL_STATE_JSON_H

/*
 * state_json: the facts as JSON, for the page and for whoever draws one of their own. No client and
 * no name that was asked for is in it.
 */

#include <jansson.h>

#include "base/attr.h"
#include "figures/facts.h"

/* state_json: F as an object, the caller's; NULL without memory. */
MUST_USE json_t *state_json(const struct facts *f);

#endif
