/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"
#include "base/secret.h"
#include "cache/cache.h"
#include "dns/header.h"
#include "engine/audit.h"
#include "engine/engine_parts.h"
#include "engine/request.h"
#include "engine/state.h"
#include "engine/store.h"
#include "outbound/attempt.h"
#include "outbound/health.h"
#include "outbound/id_attack.h"
#include "outbound/loss.h"
#include "outbound/reply.h"

#define EXPIRE_BATCH 256 /* deadlines handled in one tick, at most */
#define MOVES_PER_UNIT 8 /* waiters that go on to a list in one unit of work */
#define REPLY_COST 600   /* units: one goes on with the worst reply there can be */

/* Calls between two audits, of which ThreadSanitizer makes one 30 times as long. */
#ifdef WITH_TSAN
#define AUDIT_EVERY 64
#else
#define AUDIT_EVERY 1
#endif
#define AUDIT_QUERIES 128 /* in flight are audited after every call */
#define AUDIT_CALLS 8192  /* as often; later ones less and less */

/*
 * Only with ENGINE_AUDIT (tests): abort if a query or lookup is forgotten. That is looked for after
 * every call, unless much is in flight or the engine has run for long: what is forgotten stays so,
 * and what passes is for short runs to find, which are many.
 */
static inline void
audited(struct engine *e)
{
#ifdef ENGINE_AUDIT
	uint64_t each =
	    AUDIT_EVERY * (1 + e->queries.pool.n_used / AUDIT_QUERIES + e->n_calls / AUDIT_CALLS);
	const char *wrong = e->n_calls++ % each == 0 ? audit(&e->queries) : NULL;

	if (wrong == NULL && e->before - e->left > ENGINE_MOST)
		wrong = "a message was too much work";
	if (wrong == NULL)
		return;
	log_error(LOG_SERVER, "%s", wrong);
	abort();
#else
	(void)e;
#endif
}

/* A message, or another call of the shell's, comes in at NOW_NS. */
static inline void
begin(struct engine *e, uint64_t now_ns)
{
	e->now_ns = now_ns;
#ifdef ENGINE_AUDIT
	e->before = e->left;
#endif
}

/* --- life ------------------------------------------------------------------------------------- */

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
	(void)upstreams_configure(&e->upstreams, conf, &e->wheel);
	e->now_ns = now_ns;
	e->left = ENGINE_TURN;
	/* As many lookups as queries, and one probe per upstream. */
	rc = lookups_init(&e->lookups, &lookups, conf->max_queries + UPSTREAM_MAX);
	if (rc != 0)
		return rc;
	rc = queries_init(&e->queries, &queries, conf->max_queries);
	if (rc == 0 && conf->cache != NULL) {
		e->packetcache = packetcache_new(rng_u64(&e->rng));
		rc = e->packetcache != NULL ? 0 : -ENOMEM;
		if (rc != 0)
			queries_fini(&e->queries);
	}
	if (rc != 0)
		lookups_fini(&e->lookups);
	else if (!cookies_init(&e->cookies) &&
	    logonce_begin(conf->logonce, LOGONCE_NO_SIPHASH, NULL))
		log_warn(LOG_SERVER, "libcrypto has no SipHash: clients get no cookies");
	limits_init(&e->limits, &e->stats, &e->cookies);
	limits_configure(&e->limits, conf, &e->rng);
	if (rc == 0 && conf->cache != NULL)
		store_limit(conf);
	return rc;
}

struct engine *
engine_new(const struct conf_core *conf, const uint64_t *seed, uint64_t now_ns)
{
	/* The counters need cache lines of their own. */
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
	/* IDs to come, even if the limit is low; keys and cookies. A reproducible run has none. */
	if (seed == NULL) {
		secret_lock(&e->rng, sizeof(e->rng));
		secret_lock(e, size);
	}
	return e;
}

void
engine_free(struct engine *e)
{
	if (e == NULL)
		return;
	packetcache_free(e->packetcache);
	cookies_fini(&e->cookies);
	top_fini(&e->top);
	queries_fini(&e->queries);
	lookups_fini(&e->lookups);
	free(e);
}

/* Does B let entries last as long as A? */
static bool
lasts_alike(const struct conf_cache *a, const struct conf_cache *b)
{
	return a->max_ttl_s == b->max_ttl_s && a->max_negative_s == b->max_negative_s;
}

void
engine_set_conf(struct engine *e, const struct conf_core *conf, uint64_t now_ns)
{
	bool limited = !lasts_alike(&e->lookups.conf->keep, &conf->keep);
	unsigned changed;

	begin(e, now_ns);
	e->lookups.conf = conf;
	e->queries.conf = conf;
	e->queries.conf_gen++;
	if (conf->policies->denies) {
		e->shedding = true;
		e->shed_at = 0;
		e->lookups.more = true;
	}
	limits_configure(&e->limits, conf, &e->rng);
	cookies_forget(&e->cookies);
	changed = upstreams_configure(&e->upstreams, conf, &e->wheel);
	for (uint64_t bits = e->upstreams.taken; bits != 0; bits &= bits - 1)
		loss_on_taken(&e->lookups, (unsigned)__builtin_ctzll(bits), now_ns);
	lookup_tcp_room_all(&e->lookups);
	if (conf->cache != NULL)
		store_changes(conf->cache, changed, now_ns);
	/* Each loop does so: until it gets here it stores by the settings before. */
	if (conf->cache != NULL && limited)
		store_limit(conf);
	audited(e);
}

void
engine_set_unready(struct engine *e, const char *why)
{
	e->queries.unready = why;
}

struct stats *
engine_stats(struct engine *e)
{
	return &e->stats;
}

/* --- a lookup ends ---------------------------------------------------------------------------- */

/*
 * Only with ENGINE_AUDIT, before a lookup ends: abort if a query still has to read the message of
 * the last lookup, which is gone now.
 */
static inline void
audited_end(const struct engine *e)
{
#ifdef ENGINE_AUDIT
	if (audit_message(&e->queries)) {
		log_error(LOG_SERVER, "a query is ready with a message that is gone");
		abort();
	}
#else
	(void)e;
#endif
}

/*
 * What one waiter costs, in units, if a lookup ends with RESULT: as much as if the reply were made
 * to cost most (tests/engine/check_costly), which has its bounds.
 */
static inline unsigned
cost_of(const struct lookup_result *result)
{
	size_t cost = result->msg != NULL ? 1 + result->msg->len / ENGINE_OCTETS : ENGINE_QUERY;

	return cost < REPLY_COST ? (unsigned)cost : REPLY_COST;
}

/*
 * L has ended with e->result: store it in the cache and make the waiters ready, or have slice do
 * that if they are many.
 */
static void
end_lookup(struct engine *e, struct lookup *l)
{
	unsigned cost = cost_of(&e->result) * l->waiters.n;

	audited_end(e);
	if (e->lookups.conf->cache != NULL)
		store_result(&e->lookups, l, &e->result, e->now_ns);
	/* One waiter needs no copy of the reply: nothing would be gained. */
	if (UNLIKELY(cost > ENGINE_AT_ONCE && l->waiters.n > 1 && (int64_t)cost > e->left)) {
		lookup_put_off(&e->lookups, l, &e->result);
		return;
	}
	e->left -= cost;
	(void)query_wake(&e->queries, l, &e->result, UINT32_MAX);
	if (UNLIKELY(e->result.outcome == LOOKUP_SILENT) &&
	    lookup_linger(&e->lookups, l, e->now_ns))
		return;
	lookup_free(&e->lookups, l);
}

/* --- what comes in ---------------------------------------------------------------------------- */

void
engine_prepare(const struct engine *e, const struct packet_in *in, size_t n)
{
	if (packet_is(&in->from, PACKET_UPSTREAM, TRANSPORT_UDP))
		reply_warm(&e->lookups, in, n);
}

/* Does policy P give every client the same answer every time? */
static bool
is_constant(const struct policy *p)
{
	return p->choice.way == PREFIX_CHOICE_FIRST && p->synth.max == 0;
}

enum repeated { ASKED_ONCE, ASKED_OFTEN, ANSWERED };

/* Did the same question come in this second already, and does packetcache have the answer? */
static enum repeated
look_in_packetcache(struct engine *e, const struct packet_in *in)
{
	const struct conf_core *conf = e->queries.conf;
	uint32_t now_s = clock_s(e->now_ns);
	bool may_ask;

	if (conf->keep.rotate || !packetcache_glance(e->packetcache, in->msg, in->len, now_s))
		return ASKED_ONCE;
	const struct packetcache_ask ask = { .msg = in->msg,
		.len = in->len,
		.now_s = now_s,
		.flushes = cache_flushes(conf->cache),
		.conf_gen = e->queries.conf_gen,
		.policy = (uint16_t)policies_find(conf->policies, packet_client(in), &may_ask),
		.family = packet_client(in)->family };
	if (!may_ask || !is_constant(&conf->policies->table[ask.policy]))
		return ASKED_ONCE;
	if (!packetcache_find(e->packetcache, &ask, &e->stats))
		return ASKED_OFTEN;
	if (UNLIKELY(ask.policy != 0))
		stats_inc(&e->stats.clients[conf->policies->table[ask.policy].counter]);
	return ANSWERED;
}

/* Not inline: a reply from upstream has no use for all the registers that this takes. */
static __attribute__((noinline)) enum engine_taken
on_client_message(struct engine *e, const struct packet_in *in)
{
	bool udp = !transport_is_stream(in->from.transport);
	enum limit_verdict verdict = LIMIT_PASS;
	enum repeated repeated = ASKED_ONCE;
	struct query *q;

	if (UNLIKELY(e->limits.on) && udp)
		verdict = limit_question(&e->limits, in, e->now_ns);
	if (verdict == LIMIT_DROP)
		return ENGINE_DROPPED;
	if (UNLIKELY(e->watched))
		engine_tell_asked(e, in);
	if (e->packetcache != NULL && udp && verdict == LIMIT_PASS)
		repeated = look_in_packetcache(e, in);
	if (repeated == ANSWERED) {
		e->repeated = *in;
		return ENGINE_TAKEN;
	}
	q = request_accept(&e->queries, in, verdict == LIMIT_SLIP);
	e->to_packetcache = repeated == ASKED_OFTEN ? q : NULL;
	if (q == NULL)
		return ENGINE_DROPPED;
	if (e->queries.conf->cache != NULL)
		query_start_soon(&e->queries, q);
	else /* without a cache there can be no hit */
		(void)query_start(&e->queries, q, e->now_ns);
	return ENGINE_TAKEN;
}

static enum engine_taken
on_upstream_message(struct engine *e, const struct packet_in *in)
{
	if (UNLIKELY(e->watched_upstream))
		engine_tell_came(e, in);

	struct lookup *l = reply_on_message(&e->lookups, in, &e->msg, &e->result, e->now_ns);

	if (l == NULL)
		return reply_spoilt(&e->lookups, in) ? ENGINE_SPOILT : ENGINE_TAKEN;
	end_lookup(e, l);
	return ENGINE_TAKEN;
}

enum engine_taken
engine_input(struct engine *e, const struct packet_in *in, uint64_t now_ns)
{
	bool client = in->from.side == PACKET_CLIENT;
	enum engine_taken taken;

	begin(e, now_ns);
	taken = client ? on_client_message(e, in) : on_upstream_message(e, in);
	audited(e);
	return taken;
}

static void
on_upstream_timer(struct engine *e, struct wheel_timer *t)
{
	struct upstream *up = LIST_OBJECT(t, struct upstream, probe);
	unsigned u = (unsigned)(up - e->upstreams.table);

	switch (health_on_timer(&e->upstreams, u, &e->rng, e->now_ns)) {
	case HEALTH_NOTHING:
		break;
	case HEALTH_PROBE:
		lookup_start_probe(&e->lookups, u, e->upstreams.table[u].probe_way, DNS_TYPE_NS);
		break;
	case HEALTH_WENT_DOWN:
		stats_inc(&e->stats.upstream_down);
		break;
	}
}

static void
on_timer(struct engine *e, struct wheel_timer *t)
{
	struct lookup *l;

	switch (t->kind) {
	case WHEEL_QUERY:
		query_on_deadline(&e->queries, LIST_OBJECT(t, struct query, timer), e->now_ns);
		break;
	case WHEEL_LOOKUP:
		l = LIST_OBJECT(t, struct lookup, timer);
		if (l->wait == LOOKUP_LINGERS)
			lookup_free(&e->lookups, l);
		else if (loss_on_timer(&e->lookups, l, &e->result, e->now_ns))
			end_lookup(e, l);
		else
			e->left -= query_on_silence(&e->queries, l, e->now_ns) / MOVES_PER_UNIT;
		break;
	case WHEEL_UPSTREAM:
		on_upstream_timer(e, t);
		break;
	}
}

bool
engine_tick(struct engine *e, uint64_t now_ns)
{
	unsigned n = 0;

	begin(e, now_ns);
	do {
		struct wheel_timer *t = wheel_take(&e->wheel, now_ns);

		if (t == NULL)
			break;
		on_timer(e, t);
		n++;
	} while (n < EXPIRE_BATCH && e->left > 0);
	audited(e);
	return n == EXPIRE_BATCH || (n > 0 && e->left <= 0);
}

void
engine_refused(struct engine *e, unsigned upstream, int slot, uint64_t now_ns)
{
	begin(e, now_ns);
	stats_inc(&e->stats.upstream_refused);
	health_on_refused(&e->upstreams, upstream, now_ns);
	if (slot >= 0)
		loss_on_refused(&e->lookups, (unsigned)slot);
	audited(e);
}

void
engine_unsent(struct engine *e, unsigned slot, uint16_t id, bool away, uint64_t now_ns)
{
	begin(e, now_ns);
	loss_on_unsent(&e->lookups, slot, id, away, now_ns);
	audited(e);
}

void
engine_tcp_lost(struct engine *e, unsigned conn, bool established, uint64_t now_ns)
{
	unsigned u = conn / TCP_POOL_SIZE;

	begin(e, now_ns);
	if (!established)
		id_attack_on_no_tcp(&e->lookups, u, now_ns);
	if (engine_tcp_open(e, conn) > 0) {
		stats_inc(&e->stats.tcp_upstream_lost);
		if (!established)
			health_on_no_tcp(&e->upstreams, u, now_ns);
	}
	loss_on_tcp_lost(&e->lookups, conn, established);
	upstreams_release(&e->upstreams, u);
	audited(e);
}

void
engine_tcp_full(struct engine *e, unsigned conn, uint16_t id, uint64_t now_ns)
{
	begin(e, now_ns);
	loss_on_tcp_full(&e->lookups, conn, id, now_ns);
	audited(e);
}

/* --- what is too much for one turn is done in slices ------------------------------------------ */

/* Some of the waiters of a lookup that was put off. False: there is none. */
static bool
wake_some(struct engine *e)
{
	struct lookup *l = lookup_next_put_off(&e->lookups, &e->result);
	unsigned cost, most;
	uint16_t n;

	if (l == NULL)
		return false;
	audited_end(e);
	n = l->waiters.n;
	if (n == 0) { /* nobody reads its reply any more */
		lookup_free(&e->lookups, l);
		return true;
	}
	cost = cost_of(&e->result);
	most = cost < ENGINE_SLICE ? ENGINE_SLICE / cost : 1;
	(void)query_wake(&e->queries, l, &e->result, most);
	e->left -= (int64_t)cost * (n - l->waiters.n);
	return true;
}

/* The questions of a socket that was refused, or of a TCP connection that ended: how they go on. */
typedef struct lookup *next_one(
    struct lookups *ls, unsigned *most, struct lookup_result *result, uint64_t now_ns);

/* Some of those that are on the list OF. False: there are none. */
static bool
ask_some_again(struct engine *e, const struct list *of, next_one *take)
{
	unsigned most = ENGINE_SLICE / ENGINE_QUERY, left = most;
	struct lookup *l;

	if (list_empty(of))
		return false;
	while ((l = take(&e->lookups, &left, &e->result, e->now_ns)) != NULL)
		end_lookup(e, l);
	e->left -= (int64_t)ENGINE_QUERY * (most - left);
	return true;
}

/* Some of those whose clients the operator has denied, which are ready then. True. */
static bool
shed_some(struct engine *e)
{
	e->shedding = query_shed(&e->queries, &e->shed_at, ENGINE_SLICE / ENGINE_QUERY);
	e->left -= ENGINE_SLICE;
	return true;
}

/*
 * No query is ready: do some of the work that is left. False: there is none, or it has to wait for
 * the next turn.
 */
static __attribute__((noinline)) bool
slice(struct engine *e)
{
	struct lookup *l = attempt_next_truncated(&e->lookups, &e->result);
	bool any;

	if (l != NULL) {
		end_lookup(e, l);
		return true;
	}
	if (e->left <= 0)
		return false;
	any = ask_some_again(e, &e->lookups.refused, loss_next_refused);
	any |= ask_some_again(e, &e->lookups.lost, loss_next_lost);
	any |= UNLIKELY(e->shedding) && shed_some(e);
	/* As the last one: those before may end lookups, too. */
	any = wake_some(e) || any;
	e->lookups.more = any;
	return any;
}

bool
engine_work(struct engine *e, uint64_t now_ns)
{
	e->left = ENGINE_TURN;
	begin(e, now_ns);
	if (UNLIKELY(e->top.on))
		top_age(&e->top, now_ns);
	engine_watch(e);
	return e->lookups.more;
}

bool
engine_has_work(const struct engine *e)
{
	return e->lookups.more;
}

bool
engine_spent(const struct engine *e)
{
	return e->left <= 0;
}

/* --- what goes out ---------------------------------------------------------------------------- */

static void
count_answer(struct engine *e, struct query *q, const uint8_t *msg)
{
	bool waited = query_waited(q);
	uint16_t flags = header_flags(msg);

	stats_answer(&e->stats, (enum reason)q->reason, waited, flags & DNS_RCODE);
	if (UNLIKELY(q->policy != 0)) /* the rest is of policy 0 */
		stats_inc(&e->stats.clients[query_policy(&e->queries, q)->counter]);
	if (waited)
		latency_add(&e->waited, e->now_ns - query_came_ns(q));
	if (flags & DNS_TC)
		stats_inc(&e->stats.answers_truncated);
}

/* Write the answer of packetcache to e->repeated. False: there is none. */
static bool
next_repeated(struct engine *e, uint8_t *udp, struct packet_out *send)
{
	if (e->repeated.len == 0)
		return false;
	send->to = e->repeated.from;
	send->len = packetcache_write(e->packetcache, udp, &e->stats);
	if (UNLIKELY(e->watched))
		engine_tell_repeated(e, udp, send->len);
	e->repeated.len = 0;
	return true;
}

/*
 * Q had an answer after one run: packetcache may keep it until the second is over, if it came
 * wholly from the cache and nothing else was done for it.
 */
static void
keep_packet(struct engine *e, const struct query *q, const uint8_t *msg, size_t len)
{
	const struct packetcache_why why = { .reason = (enum reason)q->reason,
		.age_s = e->queries.fetch->entry.age_s,
		.asked = stats_asked(
		    TRANSPORT_UDP, query_client(q)->family == NETADDR_IPV6, q->req.qtype) };
	bool plain =
	    q->cookie.len == 0 && !q->req.signed_msg && !q->stale && q->state != QUERY_LOCAL;

	if (plain && e->queries.fetch->result.outcome == LOOKUP_REPLY && !e->queries.refreshed)
		packetcache_keep(e->packetcache, msg, len, &why, &e->stats);
}

/* Run ready queries until one has an answer. */
static bool
next_answer(struct engine *e, uint8_t *udp, uint8_t *tcp, struct packet_out *send)
{
	struct list *link;

	while ((link = list_pop(&e->queries.ready)) != NULL) {
		struct query *q = LIST_OBJECT(link, struct query, link);
		bool by_stream = transport_is_stream(q->from.transport);
		const struct query_out out = { .buf = by_stream ? tcp : udp,
			.cap = by_stream ? PACKET_TCP_CAP : PACKET_UDP_CAP };
		bool to_packetcache = q == e->to_packetcache;
		size_t len = state_run(&e->queries, q, &e->result, &out, e->now_ns);

		e->to_packetcache = NULL;
		if (len == 0)
			continue;
		if (UNLIKELY(q->child || q->explained)) {
			engine_take_aside(e, q, out.buf, len);
			continue;
		}
		if (UNLIKELY(limit_amplified(&e->limits, q->req.len, len))) {
			len = limit_answer(&e->limits, &e->queries, q, len, &out, e->now_ns);
			to_packetcache = false;
		}
		send->to = q->from;
		send->len = len;
		if (by_stream)
			e->left -= (int64_t)(len / ENGINE_OCTETS);
		count_answer(e, q, out.buf);
		if (UNLIKELY(to_packetcache))
			keep_packet(e, q, out.buf, len);
		if (UNLIKELY(e->watched)) /* counts what packetcache is not to count again */
			engine_tell(e, q, out.buf, len);
		query_free(&e->queries, q);
		return true;
	}
	return false;
}

/* What engine_next does if it has something to do. */
static __attribute__((noinline)) bool
next(struct engine *e, uint8_t *udp, uint8_t *tcp, struct packet_out *send)
{
	bool more;

	do
		more = next_repeated(e, udp, send) || next_answer(e, udp, tcp, send);
	while (!more && UNLIKELY(e->lookups.more) && slice(e));
	if (!more && lookup_to_ask(&e->lookups)) {
		more = attempt_next_question(&e->lookups, udp, tcp, send, e->now_ns);
		if (UNLIKELY(e->watched_upstream) && more)
			engine_tell_sent(e, send, udp, tcp);
	}
	audited(e);
	return more;
}

bool
engine_next(struct engine *e, uint8_t udp_slot[static PACKET_UDP_CAP],
    uint8_t tcp_buf[static PACKET_TCP_CAP], struct packet_out *send)
{
	/* Nothing to be sent, nor work left: so it is at the end of every message. */
	if (list_empty(&e->queries.ready) && !lookup_to_ask(&e->lookups) && e->repeated.len == 0 &&
	    !e->lookups.more)
		return false;
	return next(e, udp_slot, tcp_buf, send);
}

bool
engine_busy(const struct engine *e)
{
	return e->wheel.n > 0;
}
