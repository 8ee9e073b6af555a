/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_CENSUS_H
#define DNS64D_CORE_CENSUS_H

/*
 * census: what all loops have measured of the upstreams, for the operator.
 *
 * The main thread makes one with a reference for each loop and hands it to all. Each loop adds its
 * figures when it comes to it, and gives its reference back; the last one logs the sums, a line for
 * each upstream, and frees the census. Nobody waits.
 */

#include "base/attr.h"

struct upstreams;
struct census;

/* census_new: an empty census with N references; NULL without memory. */
MUST_USE struct census *census_new(unsigned n);

/* census_add: add the figures of US, the calling loop's. Thread-safe. */
void census_add(struct census *c, const struct upstreams *us);

/* census_give: give a reference to C back, which may be NULL. The last one logs. Thread-safe. */
void census_give(struct census *c);

#endif
