/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/usage.h"

static uint16_t
counter_of(struct usage *u, uint64_t networks)
{
	size_t i = 1;

	while (i <= u->n && u->networks[i] != networks)
		i++;
	if (i > u->n && i < USAGE_SHARED) {
		u->networks[i] = networks;
		u->n = i;
	}
	return (uint16_t)i;
}

void
usage_give(struct usage *u, struct policies *ps)
{
	for (size_t i = 1; i < ps->n; i++) {
		uint16_t counter = counter_of(u, ps->table[i].networks);

		if (ps->table[i].counter != counter)
			ps->table[i].counter = counter;
	}
}
