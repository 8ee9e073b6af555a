/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ARRAY_H
#define DNS64D_CONFIG_ARRAY_H

/*
 * array: as many items of one kind as there is memory for. All zero is an empty one.
 *
 * Items move when one is added.
 */

#include <stddef.h>

#include "base/attr.h"

struct array {
	void *items; /* owned */
	size_t n;
	size_t cap;
};

/* array_add: one more item of SIZE bytes (the same for all of A), all zero; NULL without memory. */
MUST_USE void *array_add(struct array *a, size_t size);

/* array_fini: what is left is an empty one. */
void array_fini(struct array *a);

#endif
