/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_NAT64_TARGETS_H
#define DNS64D_NAT64_TARGETS_H

/*
 * targets: which targets are asked under which prefixes (keyword prefix-check), and what follows
 * from a round of answers. No sockets here, nor clocks.
 *
 * A group has the targets of one set of prefix-check lines, and all prefixes of the policies for
 * which these count. Each round asks all its targets under all its prefixes. A prefix whose round
 * has one answer has answered. Where no target has any, under no prefix, they have failed rather
 * than all translators at once: nothing changes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/policy_lines.h"
#include "config/settings.h"
#include "nat64/health.h"
#include "policy/prefix_states.h"

/* Targets under prefixes, in all groups; those beyond are not asked. */
#define TARGETS_MOST 1024

struct targets_target {
	struct policy_lines_check check;
	struct health health; /* down: it answers under no prefix */
};

struct targets_prefix {
	struct pref64 prefix;
	struct health health;
	bool answered;               /* in this round, for one target at least */
	bool unasked;                /* in this round, by one target at least */
	char why[PREFIX_STATES_WHY]; /* why the last target that did not answer did not */
};

struct targets_group {
	uint64_t key; /* policy_lines_group */
	struct targets_target targets[POLICY_LINES_CHECKS];
	size_t n_targets;
	bool seen[POLICY_LINES_CHECKS]; /* the target has answered in this round */
	struct targets_prefix prefixes[POLICY_MAX_PREFIXES];
	size_t n_prefixes;
};

struct targets {
	struct targets_group *groups; /* owned */
	size_t n;
	size_t n_pairs; /* of a target and a prefix, in all groups */
	bool cut;       /* there would be more than TARGETS_MOST */
};

/*
 * targets_make: *t, which has groups or is all zero, becomes what is asked under S; what is still
 * asked keeps its health, and a prefix that failed stays down where others are to be asked under
 * it. False without memory: nothing is changed.
 */
MUST_USE bool targets_make(struct targets *t, const struct settings *s);

/* targets_fini: free what T owns; it is all zero then. */
void targets_fini(struct targets *t);

/* targets_find: the group of KEY; NULL: none. Borrowed until the next targets_make. */
MUST_USE struct targets_group *targets_find(const struct targets *t, uint64_t key);

/* targets_find_prefix: the index of PREFIX, its suffix not compared, in G; -1: it has it not. */
MUST_USE int targets_find_prefix(const struct targets_group *g, const struct pref64 *prefix);

/* targets_answer: in this round target I of G has answered under prefix K. */
void targets_answer(struct targets_group *g, size_t i, size_t k);

/* targets_skip: it was not asked; whether the prefix works is not known then. */
void targets_skip(struct targets_group *g, size_t k);

/* targets_fail: it has not, for the reason ERROR in words. */
void targets_fail(struct targets_group *g, size_t i, size_t k, const char *error);

/* What comes of a round. */
struct targets_tell {
	/* target I of G has begun to answer, or does so under no prefix any more */
	void (*target)(void *arg, const struct targets_group *g, size_t i);
	/* prefix K of G is up now, or down */
	void (*prefix)(void *arg, const struct targets_group *g, size_t k);
	void *arg; /* borrowed */
};

/* targets_end_round: the round of G is over at NOW_NS; what changes goes to TELL. */
void targets_end_round(struct targets_group *g, const struct health_rules *r, uint64_t now_ns,
    const struct targets_tell *tell);

#endif
