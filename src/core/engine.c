/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/rng.h"
#include "core/attempt.h"
#include "core/cookie.h"
#include "core/lookup.h"
#include "core/query.h"
#include "core/request.h"
#include "core/state.h"
#include "core/svcb.h"
#include "core/upstream.h"
#include "core/verdict.h"
#include "core/wheel.h"

#define EXPIRE_BATCH 256 /* deadlines handled in one tick; the rest in the next */

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
};

/* --- life --- */

static int
init(struct engine *e, const struct conf_core *conf, const uint64_t *seed, uint64_t now_ns)
{
	const struct lookups lookups = { .conf = conf,
		.stats = &e->stats,
		.rng = &e->rng,
		.wheel = &e->wheel,
		.upstreams = &e->upstreams };
	const struct queries queries = { .conf = conf,
		.stats = &e->stats,
		.wheel = &e->wheel,
		.lookups = &e->lookups,
		.cookies = &e->cookies };
	int rc;

	if (seed != NULL)
		rng_init_seeded(&e->rng, *seed);
	else
		rng_init(&e->rng);
	wheel_init(&e->wheel, now_ns);
	upstreams_init(&e->upstreams);
	upstreams_configure(&e->upstreams, conf, &e->wheel, now_ns);
	e->now_ns = now_ns;
	/* As many lookups as queries, and a few that probe. */
	rc = lookups_init(&e->lookups, &lookups, conf->max_queries + ENGINE_MAX_UPSTREAMS);
	if (rc != 0)
		return rc;
	rc = queries_init(&e->queries, &queries, conf->max_queries);
	if (rc != 0)
		lookups_fini(&e->lookups);
	else if (!cookies_init(&e->cookies))
		log_warn("start", "libcrypto has no SipHash: clients get no cookies");
	return rc;
}

struct engine *
engine_new(const struct conf_core *conf, const uint64_t *seed, uint64_t now_ns)
{
	/* The counters want cache lines of their own. */
	size_t size = (sizeof(struct engine) + 63) / 64 * 64;
	struct engine *e = aligned_alloc(64, size);
	int rc;

	if (e == NULL)
		return NULL;
	memset(e, 0, size);
	rc = init(e, conf, seed, now_ns);
	if (rc != 0) {
		free(e);
		errno = -rc;
		return NULL;
	}
	return e;
}

void
engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	cookies_fini(&e->cookies);
	queries_fini(&e->queries);
	lookups_fini(&e->lookups);
	free(e);
}

void
engine_set_conf(struct engine *e, const struct conf_core *conf, uint64_t now_ns)
{
	e->now_ns = now_ns;
	e->lookups.conf = conf;
	e->queries.conf = conf;
	e->queries.conf_turn++;
	upstreams_configure(&e->upstreams, conf, &e->wheel, now_ns);
}

struct stats *
engine_stats(struct engine *e)
{
	return &e->stats;
}

/* --- what comes in --- */

void
engine_prepare(const struct engine *e, const struct engine_in *in, size_t n)
{
	verdict_prefetch(&e->lookups, in, n);
}

/* A lookup has ended with e->result: its queries are ready. */
static void
on_lookup_end(struct engine *e, struct lookup *l)
{
	query_wake(&e->queries, l, &e->result);
	lookup_free(&e->lookups, l);
}

bool
engine_input(struct engine *e, const struct engine_in *in, uint64_t now_ns)
{
	e->now_ns = now_ns;
	if (in->way == ENGINE_CLIENT_UDP || in->way == ENGINE_CLIENT_TCP) {
		struct query *q = request_accept(&e->queries, in);

		if (q == NULL)
			return false;
		query_start(&e->queries, q, now_ns);
	} else {
		struct lookup *l = verdict_on_message(&e->lookups, in, &e->msg, &e->result, now_ns);

		if (l != NULL)
			on_lookup_end(e, l);
	}
	return true;
}

static void
on_upstream_timer(struct engine *e, struct wheel_timer *t)
{
	struct upstream *up = LIST_OBJECT(t, struct upstream, probe);

	lookup_start_probe(&e->lookups, (unsigned)(up - e->upstreams.table));
	wheel_set(&e->wheel, t, e->now_ns + UPSTREAM_PROBE_MS * NS_PER_MS);
}

static void
on_timer(struct engine *e, struct wheel_timer *t)
{
	struct lookup *l;

	switch (t->kind) {
	case WHEEL_QUERY:
		query_on_deadline(&e->queries, LIST_OBJECT(t, struct query, timer));
		break;
	case WHEEL_LOOKUP:
		l = LIST_OBJECT(t, struct lookup, timer);
		if (attempt_on_timeout(&e->lookups, l, &e->result, e->now_ns))
			on_lookup_end(e, l);
		break;
	case WHEEL_UPSTREAM:
		on_upstream_timer(e, t);
		break;
	}
}

bool
engine_tick(struct engine *e, uint64_t now_ns)
{
	struct wheel_timer *t;

	e->now_ns = now_ns;
	for (unsigned i = 0; i < EXPIRE_BATCH; i++) {
		t = wheel_take(&e->wheel, now_ns);
		if (t == NULL)
			return false;
		on_timer(e, t);
	}
	return true;
}

static void
count_failure(struct engine *e, unsigned upstream)
{
	if (upstreams_on_failure(&e->upstreams, upstream, &e->wheel, e->now_ns))
		stats_inc(&e->stats.upstream_down);
}

void
engine_refused(struct engine *e, unsigned upstream, uint64_t now_ns)
{
	e->now_ns = now_ns;
	stats_inc(&e->stats.upstream_refused);
	count_failure(e, upstream);
}

void
engine_tcp_lost(struct engine *e, unsigned upstream, bool established, uint64_t now_ns)
{
	struct lookup *l;

	e->now_ns = now_ns;
	if (e->upstreams.table[upstream].n_tcp > 0)
		stats_inc(&e->stats.tcp_upstream_lost);
	if (!established)
		count_failure(e, upstream);
	while ((l = attempt_on_tcp_lost(&e->lookups, upstream, established, &e->result)) != NULL)
		on_lookup_end(e, l);
	upstreams_release(&e->upstreams, upstream);
}

/* --- what goes out --- */

static void
count_answer(struct engine *e, const uint8_t *msg)
{
	stats_inc(&e->stats.answers);
	if (wire_u16(msg + 2) & DNS_TC)
		stats_inc(&e->stats.answers_truncated);
}

/* Let ready queries go on until one has an answer. */
static bool
next_answer(struct engine *e, uint8_t *udp, uint8_t *tcp, struct engine_send *send)
{
	struct list *link;

	while ((link = list_pop(&e->queries.ready)) != NULL) {
		struct query *q = LIST_OBJECT(link, struct query, link);
		const struct query_out out = { .buf = q->tcp ? tcp : udp,
			.cap = q->tcp ? ENGINE_TCP_CAP : ENGINE_UDP_CAP };
		size_t len = state_turn(&e->queries, q, &e->result, &out, e->now_ns);

		if (len == 0)
			continue;
		if (UNLIKELY(q->child)) {
			svcb_take(&e->queries, q, out.buf, len);
			query_free(&e->queries, q);
			continue;
		}
		send->way = q->tcp ? ENGINE_CLIENT_TCP : ENGINE_CLIENT_UDP;
		send->sock = q->sock;
		send->gen = q->gen;
		send->peer = q->peer;
		send->local = q->local;
		send->len = len;
		count_answer(e, out.buf);
		query_free(&e->queries, q);
		return true;
	}
	return false;
}

bool
engine_next(struct engine *e, uint8_t udp_slot[static ENGINE_UDP_CAP],
    uint8_t tcp_buf[static ENGINE_TCP_CAP], struct engine_send *send)
{
	return next_answer(e, udp_slot, tcp_buf, send) ||
	       attempt_next_question(&e->lookups, udp_slot, tcp_buf, send, e->now_ns);
}

bool
engine_busy(const struct engine *e)
{
	return e->wheel.n > 0;
}

uint32_t
engine_room(const struct engine *e)
{
	return pool_room(&e->queries.pool);
}

uint32_t
engine_in_flight(const struct engine *e)
{
	return e->queries.pool.n_used;
}

/* --- upstreams and their sockets --- */

const struct netaddr *
engine_upstream(const struct engine *e, unsigned upstream)
{
	const struct netaddr *addr = &e->upstreams.table[upstream].addr;

	return addr->family == NETADDR_NONE ? NULL : addr;
}

bool
engine_upstream_active(const struct engine *e, unsigned upstream)
{
	return e->upstreams.table[upstream].active;
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
}

void
engine_socket_retire(struct engine *e, unsigned slot)
{
	upstreams_socket_retire(&e->upstreams, slot);
}

unsigned
engine_socket_open(const struct engine *e, unsigned slot)
{
	return e->upstreams.sockets[slot].n_open;
}

void
engine_socket_del(struct engine *e, unsigned slot)
{
	upstreams_socket_del(&e->upstreams, slot);
}

unsigned
engine_tcp_open(const struct engine *e, unsigned upstream)
{
	return e->upstreams.table[upstream].n_tcp;
}
