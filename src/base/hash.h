/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_HASH_H
#define DNS64D_BASE_HASH_H

/*
 * hash: keyed hashing, by XXH3, for hash tables whose keys strangers choose. The seed is drawn from
 * base/rng and must not leave the process.
 */

#include <stddef.h>
#include <stdint.h>

/* hash_bytes: the 64-bit hash of the LEN bytes at DATA, under SEED. */
uint64_t hash_bytes(const void *data, size_t len, uint64_t seed);

#endif
