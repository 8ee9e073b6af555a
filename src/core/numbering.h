/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_NUMBERING_H
#define DNS64D_CORE_NUMBERING_H

/*
 * numbering: a number for each NAT64 prefix, by which the loops count its answers.
 *
 * A prefix keeps its number for the life of the process, also when it goes and comes back, so its
 * counter is never reset. There are only so many: prefixes that come when all are given share
 * number 0. Two that differ in their suffix only have the same. The main thread's only.
 */

#include <stddef.h>

#include "base/attr.h"

#define NUMBERING_MAX 64 /* numbers, the one of all others included */
#define NUMBERING_OTHERS 0

struct policies;
struct pref64;
struct numbering;

/* numbering_new: with no prefix yet. NULL without memory. */
MUST_USE struct numbering *numbering_new(void);

/* numbering_free: N may be NULL. */
void numbering_free(struct numbering *n);

/*
 * numbering_give: fill in the numbers of all policies of PS. What has the right one already is not
 * written to, so loops may work with PS.
 */
void numbering_give(struct numbering *n, struct policies *ps);

/* numbering_end: above all numbers that were given. N may be NULL: only NUMBERING_OTHERS is. */
MUST_USE size_t numbering_end(const struct numbering *n);

/* numbering_prefix: the prefix that has number I, from 1 to numbering_end - 1. Borrowed. */
MUST_USE const struct pref64 *numbering_prefix(const struct numbering *n, size_t i);

#endif
