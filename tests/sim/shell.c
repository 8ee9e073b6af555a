/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/shell.h"

#include <assert.h>

#include "sim/history.h"

unsigned
shell_number(const struct sim *s, bool tcp, uint32_t sock)
{
	return tcp ? sock / TCP_POOL_SIZE : s->w.engine->upstreams.sockets[sock].upstream;
}

/* The upstreams have the addresses 192.0.2.1 and on. */
static unsigned
upstream_at(const struct sim *s, unsigned number)
{
	const struct conf_upstream *up = engine_upstream(s->w.engine, number);

	assert(up != NULL && up->addr.addr[3] >= 1 && up->addr.addr[3] <= SIM_UPSTREAMS);
	return up->addr.addr[3] - 1u;
}

unsigned
shell_upstream(const struct sim *s, bool tcp, uint32_t sock)
{
	return upstream_at(s, shell_number(s, tcp, sock));
}

static void
retire(struct sim *s, unsigned u)
{
	assert(s->n_draining < SIM_DRAINING);
	engine_socket_retire(s->w.engine, (unsigned)s->slot[u]);
	s->draining[s->n_draining++] = (uint16_t)s->slot[u];
	s->slot[u] = -1;
}

static void
open_socket(struct sim *s, unsigned u)
{
	int old = s->slot[u];
	int slot = engine_socket_add(s->w.engine, u, 0);

	assert(slot >= 0);
	engine_socket_use(s->w.engine, (unsigned)slot);
	s->slot[u] = slot;
	if (old < 0)
		return;
	s->slot[u] = old;
	retire(s, u);
	s->slot[u] = slot;
}

static void
close_unused(struct sim *s)
{
	for (unsigned i = 0; i < s->n_draining;) {
		if (engine_socket_busy(s->w.engine, s->draining[i])) {
			i++;
			continue;
		}
		engine_socket_del(s->w.engine, s->draining[i]);
		s->slot_gen[s->draining[i]]++;
		s->draining[i] = s->draining[--s->n_draining];
	}
}

void
shell_sync(struct sim *s)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		bool active = engine_upstream_active(s->w.engine, u);
		bool none = active && sim_fault(s, FAULT_NO_SOCKET, upstream_at(s, u)) != NULL;

		if ((!active || none) && s->slot[u] >= 0)
			retire(s, u);
		if (none)
			engine_socket_none(s->w.engine, u);
		if (active && !none && s->slot[u] < 0)
			open_socket(s, u);
	}
	close_unused(s);
}

void
shell_rotate(struct sim *s, unsigned up)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		if (s->slot[u] >= 0 && upstream_at(s, u) == up)
			open_socket(s, u);
}

void
shell_replace(struct sim *s, uint32_t sock)
{
	unsigned u = shell_number(s, false, sock);

	sim_say(s, "  socket %u given up", sock);
	history_given_up(s, u, sock);
	if (s->slot[u] == (int)sock) {
		s->n_given_up++;
		open_socket(s, u);
	}
}

static void
lose(struct sim *s, uint32_t conn, bool established)
{
	unsigned n = engine_tcp_open(s->w.engine, conn);

	s->conn_gen[conn]++;
	s->conn_up[conn] = false;
	if (!established)
		s->conn_good[conn] = false;
	sim_say(
	    s, "  connection %u lost, %s, %u open", conn, established ? "was up" : "not made", n);
	if (established)
		history_lost(s, conn);
	engine_tcp_lost(s->w.engine, conn, established, s->w.now_ns);
}

void
shell_event(struct sim *s, const struct parcel *p)
{
	unsigned u;

	switch ((enum parcel_kind)p->kind) {
	case PARCEL_REFUSED:
		u = shell_number(s, false, p->sock);
		sim_say(s, "  socket %u refused", p->sock);
		history_refused(s, p->sock);
		if (s->slot[u] == (int)p->sock)
			open_socket(s, u);
		engine_refused(s->w.engine, u, (int)p->sock, s->w.now_ns);
		break;
	case PARCEL_LOST:
		if (!p->established && s->conn_up[p->sock])
			break; /* it was made after all */
		lose(s, p->sock, p->established);
		break;
	case PARCEL_FULL:
		sim_say(s, "  no room for %u over connection %u", p->id, p->sock);
		history_unsent(s, p->id, p->sock / TCP_POOL_SIZE);
		engine_tcp_full(s->w.engine, p->sock, p->id, s->w.now_ns);
		break;
	case PARCEL_LOOK:
		if (engine_tcp_stuck(s->w.engine, p->sock))
			lose(s, p->sock, true);
		break;
	case PARCEL_MESSAGE:
		break;
	}
	world_drain(&s->w);
}
