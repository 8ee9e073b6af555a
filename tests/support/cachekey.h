/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_CACHEKEY_H
#define DNS64D_SUPPORT_CACHEKEY_H

/* cachekey: the key of a name's entry in a cache. */

#include <stdint.h>

#include "cache/cache.h"

/*
 * cachekey_make: the key for QTYPE of NAME, a text, in a cache of SEED; its question is written to
 * MSG behind a header of zeros. The key borrows from MSG.
 */
struct question cachekey_make(uint8_t *msg, const char *name, uint16_t qtype, uint64_t seed);

#endif
