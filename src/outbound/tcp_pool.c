/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/tcp_pool.h"

void
tcp_pool_init(struct tcp_conn c[static TCP_POOL_SIZE])
{
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++) {
		c[i] = (struct tcp_conn){ .n_open = 0 };
		list_init(&c[i].open);
		list_init(&c[i].lost);
		list_init(&c[i].link);
	}
}

/* How many more questions C takes, by the YIELD of its upstream. Those given up take no room. */
static uint32_t
room(const struct tcp_conn *c, uint32_t yield)
{
	uint32_t most = c->n_served < yield ? yield - c->n_served : c->n_served - yield + 1;

	return c->n_awaited < most ? most - c->n_awaited : 0;
}

static bool
all_stuck(const struct tcp_conn c[static TCP_POOL_SIZE])
{
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		if (!c[i].stuck)
			return false;
	return true;
}

unsigned
tcp_pool_pick(const struct tcp_conn c[static TCP_POOL_SIZE], uint32_t yield)
{
	unsigned best = TCP_POOL_SIZE;
	bool stuck;

	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		if (!c[i].stuck && c[i].n_open < TCP_CONN_BUSY && room(&c[i], yield) > 0)
			return i;
	stuck = all_stuck(c);
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++) {
		if (c[i].stuck != stuck || room(&c[i], yield) == 0)
			continue;
		if (best == TCP_POOL_SIZE || c[i].n_open < c[best].n_open)
			best = i;
	}
	return best;
}

bool
tcp_pool_unused(const struct tcp_conn c[static TCP_POOL_SIZE])
{
	for (unsigned i = 0; i < TCP_POOL_SIZE; i++)
		if (c[i].n_open > 0 || !list_empty(&c[i].link))
			return false;
	return true;
}

bool
tcp_conn_silent(struct tcp_conn *c, uint64_t sent_ns)
{
	if (c->stuck || c->heard_ns > sent_ns)
		return false;
	c->stuck = true;
	return true;
}

uint32_t
tcp_conn_yield(const struct tcp_conn *c, uint32_t yield)
{
	bool cut = c->n_awaited > 0 && !c->stuck;

	return c->n_served > 0 && (cut || c->n_served > yield) ? c->n_served : yield;
}

void
tcp_conn_closed(struct tcp_conn *c, bool established)
{
	list_move(&c->lost, &c->open);
	c->lost_established = established;
	c->lost_fruitful = c->n_served > 0;
	c->stuck = false;
	c->n_served = 0;
	c->heard_ns = 0;
}
