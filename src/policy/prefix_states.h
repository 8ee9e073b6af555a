/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_PREFIX_STATES_H
#define DNS64D_POLICY_PREFIX_STATES_H

/*
 * prefix_states: what probes (and whoever else looks at translators) report of NAT64 prefixes,
 * beside the lines of the configuration, and the state that follows from both (RULES D15, D36).
 *
 * The state in force is the lower of the two: down, drain, active. But reports do not take the last
 * prefix from clients: of those that are active by the lines, the one that failed last stays. The
 * main thread's only; the same after a reload.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns64/pref64.h"
#include "policy/policy.h"

#define PREFIX_STATES_WHY 96 /* bytes of the text of an error, with its zero */

/* What is reported of a prefix. */
struct prefix_report {
	uint64_t group; /* of the policies that it is about (policy_lines_group); not 0 */
	struct pref64 prefix;
	enum policy_cause cause;
	enum policy_state state;
	uint64_t since;              /* seconds since 1970: in this state */
	uint64_t turn;               /* by prefix_states_put: a state reported later has more */
	char why[PREFIX_STATES_WHY]; /* the last error, in words; "": there was none */
};

struct prefix_states;

/* prefix_states_new: with no report yet. NULL without memory. */
MUST_USE struct prefix_states *prefix_states_new(void);

/* prefix_states_free: T may be NULL. */
void prefix_states_free(struct prefix_states *t);

/*
 * prefix_states_put: R, whose turn does not count, replaces what its cause has reported of its
 * prefix in its group. False without memory: nothing is changed.
 */
MUST_USE bool prefix_states_put(struct prefix_states *t, const struct prefix_report *r);

/*
 * prefix_states_find: what CAUSE reports of PREFIX, its suffix not compared, in GROUP; NULL:
 * nothing, or T is NULL. Borrowed until the next prefix_states_put or _drop.
 */
MUST_USE struct prefix_report *prefix_states_find(const struct prefix_states *t,
    enum policy_cause cause, uint64_t group, const struct pref64 *prefix);

/*
 * prefix_states_adopt: GROUP, of which CAUSE has reported nothing about PREFIX, has the report of
 * another group that it is down, if there is one. False without memory: nothing is changed.
 */
MUST_USE bool prefix_states_adopt(
    struct prefix_states *t, enum policy_cause cause, uint64_t group, const struct pref64 *prefix);

/* prefix_states_drop: forget the reports of CAUSE for which KEEP, called with ARG, is false. How
 * many. */
size_t prefix_states_drop(struct prefix_states *t, enum policy_cause cause,
    bool (*keep)(const void *arg, const struct prefix_report *r), const void *arg);

/*
 * prefix_states_lower: P, of GROUP, has the states and causes of the lines: let what T, which may
 * be NULL, has of its prefixes lower them; what it has of other groups if nothing of this one.
 * Prefixes of map lines only have no reports. Then policy_settle is due.
 */
void prefix_states_lower(const struct prefix_states *t, uint64_t group, struct policy *p);

#endif
