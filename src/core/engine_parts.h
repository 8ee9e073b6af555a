/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ENGINE_PARTS_H
#define DNS64D_CORE_ENGINE_PARTS_H

/*
 * engine_parts: what an engine is made of; for engine's own files, of which engine_socket has what
 * the shell asks and tells of upstreams and sockets.
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
	struct lookup_result result; /* of the lookup that ended last */
	struct msg msg;              /* its reply; the bytes are the shell's */
	uint64_t now_ns;             /* of the call that made things ready */
	struct rng rng;
	struct wheel wheel;
	struct upstreams upstreams;
	struct cookies cookies;
	struct packetcache *packetcache; /* owned; NULL without a cache */
	/* the one whose answer is for packetcache, if it is ready when it first runs; NULL */
	const struct query *often;
	struct packet_in repeated; /* a question that packetcache has the answer to; len 0: none */
};

#endif
