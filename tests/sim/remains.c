/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/remains.h"

void
remains_check(struct sim *s)
{
	const struct engine *e = s->w.engine;

	if (s->n_open > 0)
		sim_fail(s, "%u questions without answer", s->n_open);
	if (e->queries.pool.n_used + e->queries.partials.n_used + e->queries.data.n_used +
		e->queries.svcbs.n_used + e->queries.long_names.n_used >
	    0)
		sim_fail(s, "something is left of queries");
	if (e->lookups.pool.n_used + e->lookups.long_names.n_used + e->lookups.messages.n_used +
		e->lookups.replies.n_used + e->lookups.attempts.n_used >
	    0)
		sim_fail(s, "something is left of lookups");
	for (unsigned i = 0; i < e->lookups.n_spaces; i++)
		if (e->lookups.spaces[i].n_used > 0)
			sim_fail(s, "an ID is left");
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		if (!tcp_pool_unused(e->upstreams.table[u].tcp))
			sim_fail(s, "something is left on a connection");
	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		if (e->upstreams.sockets[i].upstream != UPSTREAM_NONE && engine_socket_busy(e, i))
			sim_fail(s, "something is left on a socket");
}
