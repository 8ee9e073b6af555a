/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_SNAPSHOT_H
#define DNS64D_IO_SNAPSHOT_H

/* snapshot: one checked configuration, shared by all loops until the next reload. */

#include <stdatomic.h>

#include "base/attr.h"
#include "core/conf.h"

/* One checked configuration, immutable and shared by all loops. The last unref frees it. */
struct snapshot {
	atomic_uint refs;
	struct conf conf;
};

/*
 * snapshot_new: copy CONF to the heap, and take a reference to its policies. Returns the snapshot
 * with one reference, the caller's; NULL without memory.
 */
MUST_USE struct snapshot *snapshot_new(const struct conf *conf);

/* snapshot_ref: take one more reference to S. Returns S. Any thread. */
struct snapshot *snapshot_ref(struct snapshot *s);

/* snapshot_unref: give one reference back; the last one frees S. S may be NULL. Any thread. */
void snapshot_unref(struct snapshot *s);

#endif
