/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SEEN_H
#define DNS64D_FAKEDNS_SEEN_H

/*
 * fake_seen: when a name was first asked for. It remembers a bounded number of names and forgets
 * that which came first; a forgotten name is new when it is asked for again.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct fake_seen;

/* fake_seen_new: remembers CAP names, a power of two; NULL without memory. */
MUST_USE struct fake_seen *fake_seen_new(uint32_t cap);

/* fake_seen_free: free S; NULL is fine. */
void fake_seen_free(struct fake_seen *s);

/*
 * fake_seen_first: when NAME, LEN bytes in wire form and in lower case, was first asked for; that
 * is NOW_NS if it is new. Two names with the same hash of 64 bits are taken for one.
 */
MUST_USE uint64_t fake_seen_first(
    struct fake_seen *s, const uint8_t *name, size_t len, uint64_t now_ns);

#endif
