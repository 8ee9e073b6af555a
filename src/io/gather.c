/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/gather.h"

#include <string.h>

#include "core/conf.h"

/* The delay that BATCH_DELAY permits with many datagrams. */
static uint64_t
permitted(uint16_t batch_delay, uint64_t fastest_ns)
{
	uint64_t most_ns = fastest_ns / GATHER_PART;

	if (batch_delay != CONF_BATCH_AUTO)
		return batch_delay * UINT64_C(1000);
	if (most_ns < GATHER_LEAST_NS)
		return 0;
	return most_ns < GATHER_MOST_NS ? most_ns : GATHER_MOST_NS;
}

void
gather_look(struct gather *g, uint64_t now_ns, uint16_t batch_delay, uint64_t fastest_ns)
{
	bool many = g->n * NS_PER_MS >= GATHER_PER_MS * (now_ns - g->since_ns);
	int n_ports = 0;

	for (unsigned i = 0; i < GATHER_BITS / 64; i++)
		n_ports += __builtin_popcountll(g->ports[i]);
	memset(g->ports, 0, sizeof(g->ports));
	g->many_ports = n_ports > GATHER_OPEN;
	g->delay_ns = many ? permitted(batch_delay, fastest_ns) : 0;
	g->n = 0;
	g->since_ns = now_ns;
}
