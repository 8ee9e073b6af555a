/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ENGINE_PARTS_H
#define DNS64D_CORE_ENGINE_PARTS_H

/*
 * engine_parts: the parts of an engine. Only engine.c and engine_socket.c include this file; the
 * latter has the calls about upstreams and their sockets.
 */

#include "base/rng.h"
#include "core/cookie.h"
#include "core/lookup.h"
#include "core/packet.h"
#include "core/packetcache.h"
#include "core/query.h"
#include "core/stats.h"
#include "core/upstream.h"
#include "core/wheel.h"

struct engine {
	struct stats stats;
	struct queries queries;
	struct lookups lookups;
	struct lookup_result result; /* result of the lookup that ended last */
	struct msg msg;              /* its reply; the shell owns the bytes */
	uint64_t now_ns;             /* time of the call that made queries or lookups ready */
	struct rng rng;
	struct wheel wheel;
	struct upstreams upstreams;
	struct cookies cookies;
	struct packetcache *packetcache; /* owned; NULL without a cache */
	/* the query whose answer goes to packetcache if its first run gives one; NULL: none */
	const struct query *to_packetcache;
	struct packet_in repeated; /* a question whose answer packetcache has; len 0: none */
};

#endif
