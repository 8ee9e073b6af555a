/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ARRAY_H
#define DNS64D_CONFIG_ARRAY_H

/*
 * array: a growing array of items of one size. All zero is an empty one. Items move when one is
 * added.
 */

#include <stddef.h>

#include "base/attr.h"

struct array {
	void *items; /* owned */
	size_t n;    /* items there are */
	size_t cap;  /* items there is room for */
};

/*
 * array_add: append a zeroed item of SIZE bytes, the same for all of A. Returns it; NULL without
 * memory.
 */
MUST_USE void *array_add(struct array *a, size_t size);

/* array_fini: free all items; A is empty afterwards. */
void array_fini(struct array *a);

#endif
