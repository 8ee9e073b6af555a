/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_IMAGE_H
#define DNS64D_TESTS_FUZZ_IMAGE_H

/*
 * image: an engine and its cache, taken when they are new and put back after each input, so that
 * no input sees what another one left. To make them anew would take a thousand times as long.
 *
 * What is in the engine's own block and in the cache comes back byte for byte; the order of the IDs
 * that were taken too. Pools, and the tables that lead to their objects, are empty by then, or
 * image_restore aborts: an engine at rest keeps nothing. There may be one image in a process.
 * Link with --wrap=pool_init, by which it knows of all pools.
 */

#include <stdint.h>

#include "engine/engine.h"

struct image;

/* image_take: keep how E and its cache are now. */
struct image *image_take(struct engine *e, struct cache *cache);

/* image_sent: a question left with this ID (host byte order). */
void image_sent(struct image *im, uint16_t id);

/* image_repeated: answers may have been kept to be repeated (engine/packetcache). */
void image_repeated(struct image *im);

/* image_restore: make engine and cache as they were. The engine is at rest. */
void image_restore(struct image *im);

#endif
