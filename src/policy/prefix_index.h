/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_PREFIX_INDEX_H
#define DNS64D_POLICY_PREFIX_INDEX_H

/*
 * prefix_index: a number for each NAT64 prefix, by which the loops count its answers.
 *
 * A prefix keeps its number for the life of the process, also when it goes and comes back, so its
 * counter is never reset. There are only so many: prefixes that come when all are given share
 * number 0. Two that differ in their suffix only have the same. The main thread's only.
 */

#include <stddef.h>

#include "base/attr.h"

#define PREFIX_INDEX_OTHERS 0

struct policies;
struct pref64;
struct prefix_index;

/* prefix_index_new: with no prefix yet. NULL without memory. */
MUST_USE struct prefix_index *prefix_index_new(void);

/* prefix_index_free: N may be NULL. */
void prefix_index_free(struct prefix_index *n);

/*
 * prefix_index_give: fill in the numbers of all policies of PS, finished, and of its table. What
 * has the right one already is not written to, so loops may work with PS.
 */
void prefix_index_give(struct prefix_index *n, struct policies *ps);

/* prefix_index_end: above all numbers that were given. N may be NULL: only PREFIX_INDEX_OTHERS is.
 */
MUST_USE size_t prefix_index_end(const struct prefix_index *n);

/* prefix_index_prefix: the prefix that has number I, from 1 to prefix_index_end - 1. Borrowed. */
MUST_USE const struct pref64 *prefix_index_prefix(const struct prefix_index *n, size_t i);

#endif
