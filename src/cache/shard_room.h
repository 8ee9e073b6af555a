/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CACHE_SHARD_ROOM_H
#define DNS64D_CACHE_SHARD_ROOM_H

/*
 * shard_room: room for an entry in one of the two rings, and which entries are evicted for it
 * (S3-FIFO, see cache/shard). One call drops SHARD_DROPS entries and moves SHARD_COPIES at most,
 * counted in s->work, which the caller sets to zero first.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/shard_parts.h"

#define SHARD_NO_ROOM SIZE_MAX /* instead of a place: making room would be too much work */

/*
 * shard_room_new: room for an entry of LEN bytes (a multiple of RING_ALIGN) whose key has not been
 * here lately: in the small ring or, as long as nothing of use is lost by it, in the main one.
 * Returns its place or SHARD_NO_ROOM.
 */
MUST_USE size_t shard_room_new(struct shard *s, uint32_t len, uint32_t now_s);

/*
 * shard_room_main: the same in the main ring, for an entry that replaces or comes back to one
 * there.
 */
MUST_USE size_t shard_room_main(struct shard *s, uint32_t len, uint32_t now_s);

#endif
