/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 4

void *
array_add(struct array *a, size_t size)
{
	unsigned char *items = a->items;

	if (a->n == a->cap) {
		size_t cap = a->cap == 0 ? FIRST_ITEMS : 2 * a->cap;

		items = reallocarray(items, cap, size);
		if (items == NULL)
			return NULL;
		a->items = items;
		a->cap = cap;
	}
	return memset(items + a->n++ * size, 0, size);
}

void
array_fini(struct array *a)
{
	free(a->items);
	*a = (struct array){ .items = NULL };
}
