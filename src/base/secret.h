/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_SECRET_H
#define DNS64D_BASE_SECRET_H

/*
 * secret: memory with what must not leave the process: secrets of cookies, random bytes that were
 * drawn in advance, keys of hash tables.
 */

#include <stddef.h>

/*
 * secret_lock: keep the pages of the N bytes at P in memory and off the swap (mlock), as far as
 * RLIMIT_MEMLOCK permits; that it does not is no error. They stay so until the process ends.
 */
void secret_lock(const void *p, size_t n);

/* secret_wipe: overwrite the N bytes at P, which are not used any more, with zeros. */
void secret_wipe(void *p, size_t n);

#endif
