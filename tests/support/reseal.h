/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_RESEAL_H
#define DNS64D_TESTS_SUPPORT_RESEAL_H

/* reseal: an image of the cache that was changed gets the length and checksum of what it is now. */

#include <stddef.h>
#include <stdint.h>

/* reseal: the LEN bytes at IMAGE; nothing is done to one that has no head. */
void reseal(uint8_t *image, size_t len);

#endif
