/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ZONEMAP_H
#define DNS64D_CORE_ZONEMAP_H

/*
 * zonemap: zones to numbers; of those that a name is in (equal or below) the longest counts.
 *
 * A tree of names, from the top-level labels down, its nodes in one hash table. A search follows a
 * name's labels from the last one on, one probe each, to the first that is not there: mostly one or
 * two. What it costs does not grow with the number of zones. Filled once, by one thread; then read
 * by all. Case does not matter (RFC 4343).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

struct zonemap;

/* zonemap_new: an empty map; NULL without memory. zonemap_free: Z may be NULL. */
MUST_USE struct zonemap *zonemap_new(void);
void zonemap_free(struct zonemap *z);

/*
 * zonemap_add: ZONE (a name; the root is the zone of all) has VALUE, which is not ZONEMAP_NONE.
 * Returns 0, -EEXIST when this very zone has a value already (which stays), or -ENOMEM.
 */
#define ZONEMAP_NONE UINT32_MAX
MUST_USE int zonemap_add(struct zonemap *z, const uint8_t *zone, uint32_t value);

/* A name to be searched for, in as many maps as there are. */
struct zonemap_path {
	const uint8_t *name; /* borrowed */
	size_t len;
	uint64_t hash;                /* of the top-level label */
	unsigned depth;               /* labels, without the root */
	uint8_t at[DNS_NAME_MAX / 2]; /* where they begin, the first one first */
};

/* zonemap_path: fill in PATH, with NAME (a name of LEN bytes, in any case), which must stay. */
void zonemap_path(struct zonemap_path *path, const uint8_t *name, size_t len);

/*
 * zonemap_find: the value of the longest zone that PATH's name is in, and in *at the offset in the
 * name at which that zone begins; ZONEMAP_NONE if it is in none, *at untouched.
 */
MUST_USE uint32_t zonemap_find(
    const struct zonemap *z, const struct zonemap_path *path, size_t *at);

#endif
