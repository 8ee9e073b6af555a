/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_CONF_DECISION_H
#define DNS64D_CONFIG_CONF_DECISION_H

/*
 * conf_decision: which line of the configuration decides about a client, a zone or an address, for
 * who asks why. It goes by what was read (config/origin) and by the rules of config/policies and
 * config/access; the tests hold it against the policies that these make.
 *
 * A policy is given by its number in the set (policy/policy).
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "config/origin.h"

/* What decides; LINE is borrowed. */
struct conf_decision {
	const struct origin_line *line; /* NULL: no line does */
	const char *rule;               /* then the rule that is built in; NULL: nothing decides */
};

/* conf_decision_block: the head of the client block of policy POLICY; NULL: policy 0, or it is
 * unknown. */
MUST_USE const struct origin_line *conf_decision_block(const struct origin *o, unsigned policy);

/* conf_decision_keyword: the line that sets NAME for policy POLICY, the last of several; or the
 * default. */
MUST_USE struct conf_decision conf_decision_keyword(
    const struct origin *o, unsigned policy, const char *name);

/* conf_decision_zone: the line of never-synthesize or ignore-aaaa, NAME, that has the zone ZONE
 * itself. */
MUST_USE struct conf_decision conf_decision_zone(
    const struct origin *o, unsigned policy, const char *name, const uint8_t *zone);

/* conf_decision_a: what decides under which prefix the IPv4 address V4 (network order) is mapped.
 */
MUST_USE struct conf_decision conf_decision_a(
    const struct origin *o, unsigned policy, const uint8_t v4[static 4]);

/* conf_decision_aaaa: what excludes the IPv6 address V6 (network order). */
MUST_USE struct conf_decision conf_decision_aaaa(
    const struct origin *o, unsigned policy, const uint8_t v6[static 16]);

/* conf_decision_deny: the deny line by which CLIENT may not ask. */
MUST_USE struct conf_decision conf_decision_deny(
    const struct origin *o, const struct netaddr *client);

/* conf_decision_allow: the allow line that CLIENT may ask by. */
MUST_USE struct conf_decision conf_decision_allow(
    const struct origin *o, const struct netaddr *client);

#endif
