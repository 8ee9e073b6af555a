/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_HEAVY_H
#define DNS64D_BASE_HEAVY_H

/*
 * heavy: which keys occur most often in a stream, in bounded memory ("space-saving").
 *
 * HEAVY_N keys have a counter each. A key without one takes that of the lowest count, goes on from
 * there, and keeps that count as its error: it occurred at most count times, and at least count -
 * error times. Of N occurrences no error is above N / HEAVY_N, and each key that occurred more
 * often than that has a counter. The table is keyed by a secret, as strangers choose the keys.
 *
 * A struct heavy has no pointers, so it may be copied.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

#define HEAVY_N 512
#define HEAVY_KEY 258 /* bytes of the longest key */
#define HEAVY_BUCKETS 1024

struct heavy_item {
	uint64_t count;
	uint64_t error;
	uint64_t hash;
	uint16_t len;
	uint16_t next;  /* same bucket: index + 1; 0: none */
	uint16_t place; /* in heap */
	uint8_t key[HEAVY_KEY];
};

struct heavy {
	uint64_t seed;
	uint64_t n_all;         /* occurrences */
	uint32_t n;             /* items in use */
	uint16_t heap[HEAVY_N]; /* indices; none has a lower count than its parent, (i - 1) / 2 */
	uint16_t buckets[HEAVY_BUCKETS]; /* index + 1 of the first item; 0: none */
	struct heavy_item items[HEAVY_N];
};

/* heavy_init: count nothing yet; the table is keyed by SEED. */
void heavy_init(struct heavy *h, uint64_t seed);

/* heavy_add: the key of LEN bytes at KEY, HEAVY_KEY at most, occurred once more. */
void heavy_add(struct heavy *h, const void *key, size_t len);

/* heavy_unseen: how often a key without a counter may have occurred at most. */
MUST_USE uint64_t heavy_unseen(const struct heavy *h);

/* A key, as several streams together have it. */
struct heavy_sum {
	uint64_t count;                /* at most */
	uint64_t error;                /* how much less it may be */
	const struct heavy_item *item; /* borrowed: its key */
};

/*
 * heavy_merge: the keys of the N sketches at EACH, NULL for one that is missing, with the most
 * frequent first; *N_OUT: how many. The bounds hold for all streams together. The caller frees
 * the table; NULL without memory, or without a key.
 */
MUST_USE struct heavy_sum *heavy_merge(const struct heavy *const *each, size_t n, size_t *n_out);

#endif
