/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_ROUTES_H
#define DNS64D_IO_ROUTES_H

/*
 * routes: where the answers to questions over UDP go that a proxy (io/proxy) asks for others. The
 * engine knows the client only, and a route in place of the listener's socket, so that a question
 * needs no more room for two addresses than for one.
 *
 * There are as many routes as questions can be in flight. A question that the engine drops later
 * (dns64ctl deny) leaves its route behind: when none is free the oldest is taken over, and its
 * answer, if there still is one, goes nowhere. One thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/pool.h"
#include "core/packet.h"

#define ROUTES_SOCK (UINT32_C(1) << 31) /* packet_route.sock of the first route */
#define ROUTES_EACH 64                  /* bytes of a route at most */

struct routes {
	struct pool pool;   /* struct route: taken as they are needed first, never given back */
	struct list taken;  /* the oldest first */
	struct list unused; /* the one given back last at the end */
};

/* routes_init: room for CAP routes (ROUTES_SOCK at most). Returns 0 or -errno. */
MUST_USE int routes_init(struct routes *rs, uint32_t cap);

/* routes_fini: free the memory. RS may be zeroed still. */
void routes_fini(struct routes *rs);

/*
 * routes_take: the question of CLIENT came by *R from a proxy: keep where its answer goes, and make
 * the client the peer of *R, and the route its sock and gen.
 */
void routes_take(struct routes *rs, struct packet_route *r, const struct netaddr *client);

/* routes_is: has R a route in place of a listener's socket? */
MUST_USE static inline bool
routes_is(const struct packet_route *r)
{
	return r->sock >= ROUTES_SOCK;
}

/*
 * routes_give: make *R, which has a route, lead to the proxy, by the listener's socket, and give
 * the route back. False: it was taken over, and *R is unchanged.
 */
bool routes_give(struct routes *rs, struct packet_route *r);

#endif
