/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/routes.h"

#include <assert.h>

struct route {
	struct list link;
	struct netaddr proxy;
	uint32_t sock; /* the listener's */
	uint32_t gen;
	uint32_t place; /* in the pool */
	uint32_t uses;  /* before this one */
};

_Static_assert(sizeof(struct route) <= ROUTES_EACH, "a route has its bytes");

int
routes_init(struct routes *rs, uint32_t cap)
{
	assert(cap <= ROUTES_SOCK);
	list_init(&rs->taken);
	list_init(&rs->unused);
	return pool_init(&rs->pool, sizeof(struct route), cap);
}

void
routes_fini(struct routes *rs)
{
	pool_fini(&rs->pool);
}

/* A route that nobody uses, on its list or on none. */
static struct route *
route_free(struct routes *rs)
{
	struct list *link = rs->unused.prev;
	uint32_t place = rs->pool.n_touched;
	struct route *route;

	if (link != &rs->unused)
		return LIST_OBJECT(link, struct route, link);
	route = pool_take(&rs->pool);
	if (route == NULL) {
		route = LIST_OBJECT(rs->taken.next, struct route, link);
		route->uses++;
		return route;
	}
	list_init(&route->link);
	route->place = place;
	route->uses = 0;
	return route;
}

void
routes_take(struct routes *rs, struct packet_route *r, const struct netaddr *client)
{
	struct route *route = route_free(rs);

	list_unlink(&route->link);
	list_push(&rs->taken, &route->link);
	route->proxy = r->peer;
	route->sock = r->sock;
	route->gen = r->gen;
	r->peer = *client;
	r->sock = ROUTES_SOCK + route->place;
	r->gen = route->uses;
}

bool
routes_give(struct routes *rs, struct packet_route *r)
{
	struct route *route = (void *)(rs->pool.mem + (r->sock - ROUTES_SOCK) * rs->pool.stride);

	if (route->uses != r->gen)
		return false;
	r->peer = route->proxy;
	r->sock = route->sock;
	r->gen = route->gen;
	route->uses++;
	list_unlink(&route->link);
	list_push(&rs->unused, &route->link);
	return true;
}
