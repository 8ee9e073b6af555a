/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/policy_counters.h"

static uint16_t
counter_of(struct policy_counters *u, uint64_t networks)
{
	size_t i = 1;

	while (i <= u->n && u->networks[i] != networks)
		i++;
	if (i > u->n && i < POLICY_COUNTERS_SHARED) {
		u->networks[i] = networks;
		u->n = i;
	}
	return (uint16_t)i;
}

void
policy_counters_give(struct policy_counters *u, struct policies *ps)
{
	for (size_t i = 1; i < ps->n; i++) {
		uint16_t counter = counter_of(u, ps->table[i].networks);

		if (ps->table[i].counter != counter)
			ps->table[i].counter = counter;
	}
}
