/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_CONF_LOCATION_H
#define DNS64D_CONTROL_CONF_LOCATION_H

/*
 * conf_location: where a line of the configuration stands, in JSON; and which clients a block is
 * for.
 */

#include <jansson.h>

#include "base/attr.h"
#include "config/policy_lines.h"
#include "config/settings.h"

/*
 * conf_location_put: tell in the object J where LINE of S, numbered as in config/places, stands:
 * "line", and "file" if it is not the configuration itself but a file that it includes. 0: "line"
 * is 0.
 */
void conf_location_put(json_t *j, const struct settings *s, unsigned line);

/* conf_location_block: likewise "block", the line of the head of a client block; 0: nothing. */
void conf_location_block(json_t *j, const struct settings *s, unsigned line);

/* conf_location_networks: the networks of block L, a list of texts, the caller's; NULL without
 * memory. */
MUST_USE json_t *conf_location_networks(const struct policy_lines *l);

#endif
