/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_PREFIX_CHANGE_H
#define DNS64D_CONFIG_PREFIX_CHANGE_H

/*
 * prefix_change: one change to the prefixes of settings that are in force, as if the configuration
 * said so: in their policy_lines, from which new policies are made, which share with those in force
 * what the change does not touch (config/policies).
 *
 * A prefix is changed wherever it is: outside of client blocks, in blocks with prefixes of their
 * own, and where only map lines name it. If the change names a block only that one has it; without
 * prefixes of its own it gets those from outside of blocks first. A prefix is added outside of
 * blocks, or in the block that is named.
 */

#include <stdbool.h>
#include <time.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/policy_lines.h"
#include "config/settings.h"

enum prefix_change_what {
	PREFIX_CHANGE_ADD, /* active, behind the others */
	PREFIX_CHANGE_DEL,
	PREFIX_CHANGE_ACTIVE,
	PREFIX_CHANGE_DRAIN,
	PREFIX_CHANGE_DOWN
};

/* What the operator wants; texts are borrowed. */
struct prefix_change {
	enum prefix_change_what what;
	const char *prefix;
	const char *client; /* a network in the head of a client block; NULL: wherever it is */
	bool save;          /* prefixes of changed blocks, as they are then, go to prefix-file */
};

/* What a block had before. */
struct prefix_change_block {
	struct policy_lines *lines; /* borrowed: the block */
	struct array prefixes;
	struct array saved;
	struct array vias;
	struct array saved_vias;
	time_t told;
};

/* A change that was made, and how to take it back. */
struct prefix_change_made {
	struct array blocks; /* struct prefix_change_block: those that were changed, in order */
};

/* prefix_change_word: how the operator writes it, "add". */
const char *prefix_change_word(enum prefix_change_what what);

/*
 * prefix_change_make: change the policy_lines of S at time NOW (seconds since 1970) as C says.
 * True: the caller ends *m with prefix_change_keep or prefix_change_undo. False, with an error to
 * D, if it cannot be: nothing is changed.
 */
MUST_USE bool prefix_change_make(const struct settings *s, const struct prefix_change *c,
    time_t now, struct prefix_change_made *m, struct diag *d);

/*
 * prefix_change_policies: new policies for S, in whose policy_lines C was made since its present
 * ones; the caller has one reference. NULL, with an error to D, if that cannot be.
 */
MUST_USE struct policies *prefix_change_policies(
    const struct settings *s, const struct prefix_change *c, struct diag *d);

/* prefix_change_keep: the change holds. If it was one to save, the file was written. */
void prefix_change_keep(const struct settings *s, struct prefix_change_made *m);

/* prefix_change_undo: take the change back. */
void prefix_change_undo(struct prefix_change_made *m);

#endif
