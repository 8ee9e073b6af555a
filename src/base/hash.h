/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_HASH_H
#define DNS64D_BASE_HASH_H

/*
 * hash: keyed hashing for tables that strangers fill (a binding to xxHash).
 * The seed comes from the rng and never leaves the process.
 */

#include <stddef.h>
#include <stdint.h>

/* hash_bytes: 64 bits for LEN bytes at DATA under SEED. */
uint64_t hash_bytes(const void *data, size_t len, uint64_t seed);

#endif
