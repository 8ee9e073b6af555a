/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/engine.h"

#include "engine/engine_parts.h"
#include "engine/inflight.h"
#include "outbound/id_attack.h"

const struct conf_upstream *
engine_upstream(const struct engine *e, unsigned upstream)
{
	const struct conf_upstream *c = &e->upstreams.table[upstream].conf;

	return c->addr.family == NETADDR_NONE ? NULL : c;
}

bool
engine_upstream_active(const struct engine *e, unsigned upstream)
{
	return e->upstreams.table[upstream].active;
}

bool
engine_upstream_good(const struct engine *e, unsigned upstream)
{
	return !e->upstreams.table[upstream].in_doubt && !e->upstreams.table[upstream].down;
}

uint64_t
engine_fastest_ns(const struct engine *e)
{
	uint64_t fastest_ns = 0;

	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		const struct upstream *up = &e->upstreams.table[u];
		uint64_t ns = up->times[UPSTREAM_PRIMARY].srtt_ns;

		if (up->active && ns != 0 && (fastest_ns == 0 || ns < fastest_ns))
			fastest_ns = ns;
	}
	return fastest_ns;
}

const struct latency *
engine_latency(const struct engine *e)
{
	return &e->waited;
}

uint32_t
engine_capacity(const struct engine *e)
{
	return e->queries.pool.cap;
}

uint32_t
engine_in_flight(const struct engine *e)
{
	return e->queries.pool.n_used;
}

bool
engine_inflight(const struct engine *e, struct inflight *f)
{
	return inflight_slice(&e->queries, f);
}

size_t
engine_upstreams(const struct engine *e, struct upstream_status out[static CONF_MAX_UPSTREAMS])
{
	const struct upstreams *us = &e->upstreams;
	size_t n = upstream_status_all(us, out);

	for (size_t i = 0; i < n; i++) {
		const struct list *head = &e->lookups.unsent.for_tcp[us->listed[i]];

		for (const struct list *l = head->next;
		     l != head && out[i].waiting < UPSTREAM_STATUS_MOST; l = l->next)
			out[i].waiting++;
	}
	return n;
}

unsigned
engine_spaces(const struct engine *e)
{
	return e->lookups.n_spaces;
}

int
engine_socket_add(struct engine *e, unsigned upstream, unsigned space)
{
	return upstreams_socket_add(&e->upstreams, upstream, space);
}

void
engine_socket_use(struct engine *e, unsigned slot)
{
	const struct upstream_socket *s = &e->upstreams.sockets[slot];

	e->upstreams.table[s->upstream].socket[s->space] = (int32_t)slot;
	e->upstreams.table[s->upstream].starved = false;
}

bool
engine_socket_each(const struct engine *e, unsigned upstream, uint64_t now_ns)
{
	return id_attack_needs_ports(&e->upstreams.table[upstream], now_ns);
}

void
engine_socket_none(struct engine *e, unsigned upstream)
{
	e->upstreams.table[upstream].starved = true;
}

void
engine_socket_retire(struct engine *e, unsigned slot)
{
	upstreams_socket_retire(&e->upstreams, slot);
}

bool
engine_socket_busy(const struct engine *e, unsigned slot)
{
	const struct upstream_socket *s = &e->upstreams.sockets[slot];

	return !list_empty(&s->open) || s->n_refused > 0;
}

void
engine_socket_del(struct engine *e, unsigned slot)
{
	lookup_orphan(&e->lookups, slot);
	upstreams_socket_del(&e->upstreams, slot);
}

/* The TCP connection with the number CONN. */
static const struct tcp_conn *
conn_at(const struct engine *e, unsigned conn)
{
	return &e->upstreams.table[conn / TCP_POOL_SIZE].tcp[conn % TCP_POOL_SIZE];
}

unsigned
engine_tcp_open(const struct engine *e, unsigned conn)
{
	return conn_at(e, conn)->n_open;
}

bool
engine_tcp_stuck(const struct engine *e, unsigned conn)
{
	return conn_at(e, conn)->stuck;
}
