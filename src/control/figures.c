/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/figures.h"

#include <stdlib.h>
#include <string.h>

#define LIST(type, ...) { __VA_ARGS__ }, sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type)
#define PARTS(...) LIST(char *, __VA_ARGS__)
#define PLACES(...) LIST(enum stats_place, __VA_ARGS__)
#define ONE NULL, { NULL }, 1

#define N(table) (sizeof(table) / sizeof((table)[0]))

/* --- The cache -------------------------------------------------------------------------------- */

#define VALUE(name, type, expression) \
	static uint64_t name(const void *of, size_t part) \
	{ \
		const type *v = of; \
\
		(void)part; \
		return expression; \
	}

VALUE(cache_entries, struct figures_cache, v->counts.n)
VALUE(cache_bytes, struct figures_cache, v->counts.bytes)
VALUE(cache_size_bytes, struct figures_cache, v->size)
VALUE(cache_put_n, struct figures_cache, v->counts.put)
VALUE(cache_evicted, struct figures_cache, v->counts.evicted)
VALUE(cache_refused, struct figures_cache, v->counts.refused)
VALUE(cache_comebacks, struct figures_cache, v->counts.comebacks)

#define OF_CACHE(key, name, kind, unit, help, value) \
	{ \
		key, { name, METRIC_##kind, unit, help }, ONE, { 0 }, 0, value \
	}

const struct figure figures_cache[] = {
	OF_CACHE(
	    "entries", "dns64d_cache_entries", GAUGE, NULL, "entries in the cache", cache_entries),
	OF_CACHE("bytes", "dns64d_cache_bytes", GAUGE, "bytes",
	    "messages of the entries in the cache", cache_bytes),
	OF_CACHE("size_bytes", "dns64d_cache_size_bytes", GAUGE, "bytes",
	    "what the cache has room for", cache_size_bytes),
	OF_CACHE("put", "dns64d_cache_put", COUNTER, NULL, "entries made", cache_put_n),
	OF_CACHE("evicted", "dns64d_cache_evicted", COUNTER, NULL,
	    "entries thrown out before their end, for others", cache_evicted),
	OF_CACHE("refused", "dns64d_cache_refused", COUNTER, NULL,
	    "messages for which no room was made", cache_refused),
	OF_CACHE("comebacks", "dns64d_cache_comebacks", COUNTER, NULL,
	    "entries made again soon after they were thrown out", cache_comebacks),
};
const size_t figures_n_cache = N(figures_cache);

struct figures_cache
figures_of_cache(struct cache *c)
{
	struct figures_cache f = { .size = cache_size(c) };

	cache_counts(c, &f.counts);
	return f;
}

/* --- Upstreams -------------------------------------------------------------------------------- */

static uint64_t
sends(const void *of, size_t part)
{
	const struct upstream_status *v = of;

	return part == 0 ? v->tally.sends - v->tally.sends_tcp : v->tally.sends_tcp;
}

static uint64_t
replies(const void *of, size_t part)
{
	return upstream_status_rcode(of, (unsigned)part);
}

static uint64_t
lost(const void *of, size_t part)
{
	const struct upstream_status *v = of;

	return v->tally.lost[part];
}

VALUE(overdue, struct upstream_status, v->tally.late)
VALUE(hedges, struct upstream_status, v->tally.hedges)

_Static_assert(UPSTREAM_RCODES == 7 && UPSTREAM_LOST_N == 3, "each has its part below");

const struct figure figures_upstream[] = {
	{ "sends",
	    { "dns64d_upstream_sends", METRIC_COUNTER, NULL,
		"questions sent, repeated ones and probes too" },
	    "transport", PARTS("udp", "tcp"), PLACES(STATS_upstream_udp, STATS_upstream_tcp),
	    sends },
	{ "replies", { "dns64d_upstream_replies", METRIC_COUNTER, NULL, "right replies" }, "rcode",
	    PARTS("NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "other"),
	    PLACES(STATS_upstream_replies), replies },
	{ "overdue",
	    { "dns64d_upstream_overdue", METRIC_COUNTER, NULL,
		"right replies that came after the wait for them was over" },
	    ONE, PLACES(STATS_upstream_overdue), overdue },
	{ "lost",
	    { "dns64d_upstream_lost", METRIC_COUNTER, NULL,
		"questions sent that had no reply in time, or whose upstream could not be reached, "
		"or whose connection ended" },
	    "cause", PARTS("timeout", "unreachable", "disconnected"),
	    PLACES(
		STATS_upstream_timeouts, STATS_upstream_unreachable, STATS_upstream_disconnected),
	    lost },
	{ "hedges",
	    { "dns64d_upstream_hedges", METRIC_COUNTER, NULL,
		"questions sent to it as another one was slow" },
	    ONE, PLACES(STATS_upstream_hedges), hedges },
};
const size_t figures_n_upstream = N(figures_upstream);

/* --- Counters --------------------------------------------------------------------------------- */

const struct figure figures_counters[] = {
	{ "cache_requests",
	    { "dns64d_cache_requests", METRIC_COUNTER, NULL,
		"questions to the cache, some answers need several" },
	    "result", PARTS("hit", "miss"), PLACES(STATS_cache_hits, STATS_cache_misses), NULL },
	{ "cache_hits",
	    { "dns64d_cache_hits", METRIC_COUNTER, NULL,
		"questions to the cache that it could answer" },
	    "type", PARTS("A", "AAAA", "HTTPS", "PTR", "other"),
	    PLACES(STATS_cache_hits_a, STATS_cache_hits_aaaa, STATS_cache_hits_https,
		STATS_cache_hits_ptr, STATS_cache_hits_other),
	    NULL },
	{ "rate_limit_actions",
	    { "dns64d_rate_limit_actions", METRIC_COUNTER, NULL,
		"what was done with questions beyond rate-limit" },
	    "action", PARTS("answered", "slipped", "dropped"),
	    PLACES(STATS_rate_cookies, STATS_rate_slipped, STATS_rate_dropped), NULL },
	{ "connections_closed",
	    { "dns64d_connections_closed", METRIC_COUNTER, NULL,
		"connections of clients that we closed" },
	    "cause", PARTS("refused", "gave-way", "idle", "slow", "stalled"),
	    PLACES(STATS_tcp_refused, STATS_tcp_gave_way, STATS_tcp_idle, STATS_tcp_slow,
		STATS_tcp_stalled),
	    NULL },
	{ "near_misses",
	    { "dns64d_near_misses", METRIC_COUNTER, NULL,
		"replies with the ID but not all that was expected" },
	    "kind", PARTS("case", "cookie", "edns", "question"),
	    PLACES(STATS_upstream_case, STATS_upstream_cookie, STATS_upstream_edns,
		STATS_upstream_question),
	    NULL },
};
const size_t figures_n_counters = N(figures_counters);

/* --- Any -------------------------------------------------------------------------------------- */

uint64_t
figure_part(const struct figure *f, const void *of, size_t part)
{
	const struct stats_row *rows = of;

	return f->value != NULL ? f->value(of, part) : rows[f->places[part]].value;
}

uint64_t
figure_sum(const struct figure *f, const void *of)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n_parts; i++)
		sum += figure_part(f, of, i);
	return sum;
}

const struct figure *
figures_find(const char *key)
{
	for (size_t i = 0; i < figures_n_upstream; i++) {
		if (strcmp(figures_upstream[i].key, key) == 0)
			return &figures_upstream[i];
	}
	abort();
}
