/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_ZONEMAP_H
#define DNS64D_POLICY_ZONEMAP_H

/*
 * zonemap: a map from zones to numbers, with longest-match search: the longest zone that a name is
 * equal to or below counts.
 *
 * The map is a tree of names, from the top-level labels down, with its nodes in one hash table. A
 * search follows a name's labels from the last one on, one probe each, to the first that is not in
 * the tree: mostly one or two. Its cost does not grow with the number of zones. One thread fills
 * the map once; then all threads read it. Case does not matter (RFC 4343).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/proto.h"

struct zonemap;

/* zonemap_new: an empty map; NULL without memory. */
MUST_USE struct zonemap *zonemap_new(void);

/* zonemap_free: free Z, which may be NULL. */
void zonemap_free(struct zonemap *z);

/*
 * zonemap_add: give ZONE (a name, copied; the root contains all names) VALUE, which is not
 * ZONEMAP_NONE. Returns 0, -EEXIST when this zone has a value already (which stays), or -ENOMEM.
 */
#define ZONEMAP_NONE UINT32_MAX
MUST_USE int zonemap_add(struct zonemap *z, const uint8_t *zone, uint32_t value);

/* zonemap_count: how many zones have a value. */
MUST_USE size_t zonemap_count(const struct zonemap *z);

/* A name prepared for a search, in any number of maps. */
struct zonemap_path {
	const uint8_t *name; /* borrowed */
	size_t len;
	uint64_t hash;                /* hash of the top-level label */
	unsigned depth;               /* labels, without the root */
	uint8_t at[DNS_NAME_MAX / 2]; /* offsets of the labels, in their order */
};

/* zonemap_path: fill in PATH for NAME (a name of LEN bytes, in any case), which PATH borrows. */
void zonemap_path(struct zonemap_path *path, const uint8_t *name, size_t len);

/*
 * zonemap_find: the value of the longest zone that PATH's name is in; *at is the offset in the name
 * where that zone begins. ZONEMAP_NONE: the name is in no zone, and *at is unchanged.
 */
MUST_USE uint32_t zonemap_find(
    const struct zonemap *z, const struct zonemap_path *path, size_t *at);

#endif
