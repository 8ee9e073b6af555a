/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_ENGINE_PARTS_H
#define DNS64D_ENGINE_ENGINE_PARTS_H

/*
 * engine_parts: the parts of an engine. Only engine.c, engine_socket.c and engine_tell.c include
 * this file: the second has the calls about upstreams and their sockets, the third tells of
 * answers.
 *
 * Work is counted in units of a microsecond at most, without a clock.
 */

#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"
#include "core/latency.h"
#include "core/packet.h"
#include "core/stats.h"
#include "core/wheel.h"
#include "engine/cookie.h"
#include "engine/dnstap_tap.h"
#include "engine/limit.h"
#include "engine/packetcache.h"
#include "engine/query.h"
#include "engine/querylog_tap.h"
#include "engine/top.h"
#include "outbound/lookup.h"
#include "outbound/upstream.h"

#define ENGINE_TURN 2000 /* units that all slices of one turn may take */
#define ENGINE_SLICE 250 /* units of one slice, about: then it is another one's turn */
#define ENGINE_QUERY 4   /* units: a query goes on without a reply, or a question is asked again */
#define ENGINE_AT_ONCE 128 /* units that the end of a lookup may always take */
#define ENGINE_OCTETS 32   /* of a message that is read or written, in one unit */
#define ENGINE_MOST 4000   /* units that a message may keep others waiting for */

struct engine {
	struct stats stats;
	struct latency waited; /* of the answers for which upstream was waited for */
	struct queries queries;
	struct lookups lookups;
	struct lookup_result result; /* result of the lookup that ended last */
	struct msg msg;              /* its reply; the shell owns the bytes */
	uint64_t now_ns;             /* time of the call that made queries or lookups ready */
	struct rng rng;
	struct wheel wheel;
	struct upstreams upstreams;
	struct cookies cookies;
	struct limits limits;
	struct packetcache *packetcache; /* owned; NULL without a cache */
	/* the query whose answer goes to packetcache if its first run gives one; NULL: none */
	const struct query *to_packetcache;
	struct packet_in repeated; /* a question whose answer packetcache has; len 0: none */
	struct querylog_tap *querylog_tap; /* borrowed; NULL: none */
	struct dnstap_tap *dnstap_tap;     /* borrowed; NULL: none */
	struct top top;
	bool watched;          /* somebody wants to know of each answer; looked at once in a turn */
	bool watched_upstream; /* likewise of each message to and from upstreams */
	bool shedding;         /* clients were denied whose questions may wait yet (query_shed) */
	uint32_t shed_at;      /* how far that came */
	int64_t left;          /* units of work that this turn may still take; may be negative */
	int64_t before;        /* with ENGINE_AUDIT: what left was when the message came */
	uint64_t n_calls;      /* with ENGINE_AUDIT: calls of the shell so far */
};

/* engine_watch: find out what somebody wants to know of, for e->watched and watched_upstream. */
void engine_watch(struct engine *e);

/* engine_tell_asked: the message IN of a client is looked at: tell those who want to know. */
void engine_tell_asked(struct engine *e, const struct packet_in *in);

/* engine_tell: the answer of LEN bytes at MSG to Q leaves: tell those who want to know. */
void engine_tell(struct engine *e, struct query *q, const uint8_t *msg, size_t len);

/* engine_tell_repeated: the same of packetcache's answer to e->repeated. */
void engine_tell_repeated(struct engine *e, const uint8_t *msg, size_t len);

/*
 * engine_take_aside: the answer of LEN bytes at MSG to Q, which comes from engine/svcb or from
 * engine_explain, goes there. Frees Q.
 */
void engine_take_aside(struct engine *e, struct query *q, const uint8_t *msg, size_t len);

/* engine_tell_sent: a message leaves as SEND says, in one of the buffers: tell the trace and
 * dnstap.
 */
void engine_tell_sent(
    struct engine *e, const struct packet_out *send, const uint8_t *udp, const uint8_t *tcp);

/* engine_tell_came: the same of a message from upstream. */
void engine_tell_came(struct engine *e, const struct packet_in *in);

#endif
