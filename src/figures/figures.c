/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST(type, ...) { __VA_ARGS__ }, sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type)
#define PARTS(...) LIST(char *, __VA_ARGS__)
#define PLACES(...) LIST(enum stats_place, __VA_ARGS__)
#define NO_PLACES { 0 }, 0
#define ONE NULL, { NULL }, 1

/* Units. OpenMetrics has those that end the metric's name. */
#define COUNT "count"
#define TRUTH "truth" /* 1: so it is */
#define BYTES "bytes"
#define SECONDS "seconds"
#define MILLISECONDS "milliseconds"

/* --- Values ----------------------------------------------------------------------------------- */

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
VALUE(cache_loading, struct figures_cache, v->loading)
VALUE(cache_put_n, struct figures_cache, v->counts.put)
VALUE(cache_evicted, struct figures_cache, v->counts.evicted)
VALUE(cache_refused, struct figures_cache, v->counts.refused)
VALUE(cache_ghost_hits, struct figures_cache, v->counts.ghost_hits)

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

VALUE(loops, struct upstream_status, v->n_loops)
VALUE(loops_so, struct upstream_status, v->n_so)
VALUE(sockets, struct upstream_status, v->sockets)
VALUE(connections, struct upstream_status, v->connections)
VALUE(in_flight, struct upstream_status, v->in_flight)
VALUE(waiting, struct upstream_status, v->waiting)

_Static_assert(UPSTREAM_RCODES == 7 && UPSTREAM_LOST_N == 3, "each has its part below");

/* --- The table -------------------------------------------------------------------------------- */

/* A row; what follows its metric is its label, parts, places and value. */
#define ROW(source, key, name, kind, unit, help, ...) \
	{ \
		FIGURE_##source, key, { name, METRIC_##kind, unit, help }, __VA_ARGS__ \
	}

#define OF_FACTS(key, kind, unit, help, places) \
	ROW(OF_FACTS, key, "dns64d_" key, kind, unit, help, ONE, places, NULL)
/* Its metric has a name of its own, such as Prometheus' for a process. */
#define OF_FACTS_NAMED(key, name, kind, unit, help) \
	ROW(OF_FACTS, key, name, kind, unit, help, ONE, NO_PLACES, NULL)
#define OF_UPSTREAM(key, help, ...) \
	ROW(OF_UPSTREAM, key, "dns64d_upstream_" key, COUNTER, COUNT, help, __VA_ARGS__)
#define OF_CACHE(key, kind, unit, help, value) \
	ROW(OF_CACHE, key, "dns64d_cache_" key, kind, unit, help, ONE, NO_PLACES, value)
#define OF_GROUP(key, help, ...) \
	ROW(OF_GROUP, key, "dns64d_" key, COUNTER, COUNT, help, __VA_ARGS__, NULL)
#define OF_COUNTER(name, help) \
	ROW(OF_COUNTER, #name, "dns64d_" #name, COUNTER, COUNT, help, ONE, PLACES(STATS_##name), \
	    NULL),
#define IN_JSON(source, key, unit, help, value) \
	ROW(source, key, NULL, GAUGE, unit, help, ONE, NO_PLACES, value)
#define RTT_OVER(id, name, title, ...) \
	[FIGURES_RTT_##id] = \
	    IN_JSON(AT_PRESENT, name, MILLISECONDS, "round trip over " title, NULL),

const struct figure figures[] = {
	[FIGURES_BUILD] = OF_FACTS("build", INFO, TRUTH, "The program that runs", NO_PLACES),
	[FIGURES_STARTED] = OF_FACTS_NAMED("started", "dns64d_start_time_seconds", GAUGE, SECONDS,
	    "When it began, in seconds since 1970"),
	[FIGURES_READY] = OF_FACTS("ready", GAUGE, TRUTH,
	    "1 if it can do its work (/ready): each loop goes round, it listens, an upstream "
	    "answers, a prefix is active, and it is no lame duck",
	    NO_PLACES),
	[FIGURES_DEGRADED] = OF_FACTS("degraded", GAUGE, TRUTH,
	    "1 if it is ready, but a part of that is missing (/ready)", NO_PLACES),
	[FIGURES_LOOPS_STUCK] =
	    OF_FACTS("loops_stuck", GAUGE, COUNT, "Loops that do not go round", NO_PLACES),
	[FIGURES_LISTENS] = OF_FACTS("listen_addresses", GAUGE, COUNT,
	    "Listen addresses, and interfaces without one, by what is done about them", NO_PLACES),
	[FIGURES_DENIED] = OF_FACTS("denied_networks", GAUGE, COUNT,
	    "networks that the operator denies for now (dns64ctl deny)", NO_PLACES),
	[FIGURES_LAMEDUCK] = OF_FACTS("lameduck", GAUGE, TRUTH,
	    "1 while it serves on but is not to be asked any more", NO_PLACES),
	[FIGURES_STOPPING] = OF_FACTS("stopping", GAUGE, TRUTH,
	    "1 while it finishes what is in flight, and then ends", NO_PLACES),
	[FIGURES_RELOADED] = OF_FACTS("config_last_reload_successful", GAUGE, TRUTH,
	    "1 if all loops have taken the last reload, or there was none; 0 if it was refused, or "
	    "a loop has not taken it",
	    NO_PLACES),
	[FIGURES_RELOAD_TIME] = OF_FACTS("config_last_reload_success_timestamp_seconds", GAUGE,
	    SECONDS, "When the configuration in force was taken, in seconds since 1970", NO_PLACES),
	[FIGURES_CPU] = OF_FACTS_NAMED(
	    "cpu_s", "process_cpu_seconds", COUNTER, SECONDS, "Time that the process has computed"),
	[FIGURES_MEMORY] = OF_FACTS_NAMED(
	    "memory", "process_resident_memory_bytes", GAUGE, BYTES, "Memory that the process has"),
	[FIGURES_MEMORY_MAX] = OF_FACTS_NAMED("memory_max", "process_resident_memory_max_bytes",
	    GAUGE, BYTES, "The most memory that the process has had"),
	[FIGURES_OPEN_FDS] = OF_FACTS_NAMED(
	    "process_open_fds", "process_open_fds", GAUGE, COUNT, "Descriptors that are open"),
	[FIGURES_MAX_FDS] = OF_FACTS_NAMED(
	    "process_max_fds", "process_max_fds", GAUGE, COUNT, "Descriptors that may be open"),
	[FIGURES_LOOPS] = OF_FACTS("loops", GAUGE, COUNT, "Loops, each a thread", NO_PLACES),
	[FIGURES_LOOPS_SILENT] = OF_FACTS("loops_silent", GAUGE, COUNT,
	    "Loops that did not tell in time what they know; nothing is told of upstreams then",
	    NO_PLACES),
	[FIGURES_IN_FLIGHT] = OF_FACTS_NAMED(
	    "in_flight", "dns64d_queries_in_flight", GAUGE, COUNT, "questions being worked on"),
	[FIGURES_CONNECTIONS] =
	    OF_FACTS("connections", GAUGE, COUNT, "Connections that are open", NO_PLACES),
	[FIGURES_QUERIES] = OF_FACTS("client_queries", COUNTER, COUNT, "Questions received",
	    PLACES(STATS_client_udp, STATS_client_tcp)),
	[FIGURES_QUERIES_BY_TYPE] = OF_FACTS("client_queries_by_type", COUNTER, COUNT,
	    "Questions by type; HTTPS: SVCB, too; other: nothing that can be read, too", NO_PLACES),
	[FIGURES_RESPONSES] = OF_FACTS(
	    "responses", COUNTER, COUNT, "Answers by rcode, the four bits of a header", NO_PLACES),
	[FIGURES_DURATIONS] = OF_FACTS("response_duration_seconds", HISTOGRAM, SECONDS,
	    "From a question to its answer; what left in the same turn took less than the first "
	    "bound",
	    NO_PLACES),
	[FIGURES_DROPPED] = OF_FACTS(
	    "dropped", COUNTER, COUNT, "messages of clients that got no answer", NO_PLACES),
	[FIGURES_PREFIX_STATE] = OF_FACTS("prefix_state", GAUGE, TRUTH,
	    "1 for the state that a prefix is in, for clients of no block (0), or of a block that "
	    "differs in this; of 256 at most",
	    NO_PLACES),
	[FIGURES_PREFIX_WEIGHT] = OF_FACTS_NAMED("weight", "dns64d_prefix_weight", GAUGE, COUNT,
	    "The weight of the prefix among those of its block, which are the ones of "
	    "prefix_state"),
	[FIGURES_PREFIX_CAUSE] = OF_FACTS("prefix_cause", GAUGE, TRUTH,
	    "1 for what the state of the prefix comes of: configured, operator (dns64ctl), probe "
	    "(prefix-check), discovery",
	    NO_PLACES),
	[FIGURES_PREFIX_CHECK_UP] = OF_FACTS("prefix_check_up", GAUGE, TRUTH,
	    "1 if the prefix passes prefix-check, 0 if it is down by that, though it may be "
	    "active as the last one; only where it is checked",
	    NO_PLACES),
	[FIGURES_PREFIX_CHECK_SINCE] = OF_FACTS("prefix_check_since_seconds", GAUGE, SECONDS,
	    "Since when prefix_check_up is as it is, in seconds since 1970", NO_PLACES),
	[FIGURES_PREFIX_LACKING] = OF_FACTS("prefix_lacking", GAUGE, TRUTH,
	    "1 if no prefix is active for clients of the block, of those that prefix_state has, "
	    "unless none is wanted (synthesize never)",
	    NO_PLACES),
	[FIGURES_SYNTHESIZED] = OF_FACTS("synthesized_answers", COUNTER, COUNT,
	    "Answers with AAAA under the prefix; other: under one that came when there were "
	    "too many",
	    NO_PLACES),
	[FIGURES_UPSTREAM_ORDER] = OF_FACTS("upstream_by_operator", GAUGE, TRUTH,
	    "1 if the operator has drained the upstream, or taken it down (dns64ctl upstream)",
	    NO_PLACES),
	[FIGURES_UPSTREAM_UP] = OF_FACTS("upstream_up", GAUGE, TRUTH,
	    "1 if the upstream answers, not with errors only", NO_PLACES),
	[FIGURES_UPSTREAM_IN_DOUBT] = OF_FACTS(
	    "upstream_in_doubt", GAUGE, TRUTH, "1 if the upstream was silent lately", NO_PLACES),
	[FIGURES_UPSTREAM_LIMITED] = OF_FACTS("upstream_limited", GAUGE, TRUTH,
	    "1 if some questions to the upstream get no reply, for what they are: it is asked "
	    "without EDNS, over TCP or the like",
	    NO_PLACES),
	[FIGURES_UPSTREAM_RTT] = OF_FACTS(
	    "upstream_rtt_seconds", HISTOGRAM, SECONDS, "From a question to its reply", NO_PLACES),
	[FIGURES_UPTIME] =
	    IN_JSON(OF_STATE, "uptime_s", SECONDS, "how long the daemon has been up", NULL),
	[FIGURES_TIME] = IN_JSON(OF_STATE, "time", SECONDS, "the loops' clock, for rates", NULL),
	[FIGURES_CLIENT_BLOCKS] = IN_JSON(OF_STATE, "client_blocks", COUNT, "client blocks", NULL),
	[FIGURES_ANSWERS_ALL] = IN_JSON(OF_ANSWERS, "all", COUNT, "answers of any outcome", NULL),
	[FIGURES_ANSWERS_FAILED] = IN_JSON(OF_ANSWERS, "failed", COUNT, "failed", NULL),
	[FIGURES_ANSWERS_CACHED] =
	    IN_JSON(OF_ANSWERS, "cached", COUNT, "answered from the cache", NULL),
	[FIGURES_LATENCY_BOUNDS] = IN_JSON(
	    OF_LATENCY, "bounds_s", SECONDS, "what the answers of each count took at most", NULL),
	[FIGURES_LATENCY_COUNTS] =
	    IN_JSON(OF_LATENCY, "counts", COUNT, "answers that waited for upstream", NULL),
	[FIGURES_LATENCY_SUM] = IN_JSON(OF_LATENCY, "sum_s", SECONDS, "their waits together", NULL),
	[FIGURES_LOOP_QUESTIONS] =
	    IN_JSON(OF_LOOP, "questions", COUNT, "questions that the loop received", NULL),
	[FIGURES_LOOP_CLIENTS] =
	    IN_JSON(OF_LOOP, "clients", COUNT, "TCP connections of clients with the loop", NULL),
	[FIGURES_LOOP_UPSTREAMS] =
	    IN_JSON(OF_LOOP, "upstreams", COUNT, "TCP connections of the loop to upstreams", NULL),
	[FIGURES_SINCE] =
	    IN_JSON(AT_PRESENT, "since_s", SECONDS, "how long it has been in this state", NULL),
	[FIGURES_LAST_REPLY] = IN_JSON(
	    AT_PRESENT, "last_reply_s", SECONDS, "how long ago its last right reply came", NULL),
	[FIGURES_SHARE] = IN_JSON(
	    AT_PRESENT, "share_percent", "percent", "how much of what is sent goes to it", NULL),
	[FIGURES_RTT] = IN_JSON(OF_RTT, "ms", MILLISECONDS, "round trip", NULL), /* smoothed */
	[FIGURES_RTT_DEVIATION] = IN_JSON(
	    OF_RTT, "deviation_ms", MILLISECONDS, "how far from it times are on average", NULL),
	[FIGURES_GUARD_OFF] =
	    IN_JSON(OF_GUARD, "off_s", SECONDS, "how long the guard has been off", NULL),
	[FIGURES_GUARD_LEFT] =
	    IN_JSON(OF_GUARD, "left_s", SECONDS, "how long it will be off yet", NULL),
	TRANSPORT_ROWS(RTT_OVER) STATS_COUNTERS(OF_COUNTER)
	    OF_UPSTREAM("sends", "questions sent, repeated ones and probes too", "transport",
		PARTS("udp", "tcp"), PLACES(STATS_upstream_udp, STATS_upstream_tcp), sends),
	OF_UPSTREAM("replies", "right replies", "rcode",
	    PARTS("NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED", "other"),
	    PLACES(STATS_upstream_replies), replies),
	OF_UPSTREAM("overdue", "right replies that came after the wait for them was over", ONE,
	    PLACES(STATS_upstream_overdue), overdue),
	OF_UPSTREAM("lost",
	    "questions sent that had no reply in time, or whose upstream could not be reached, "
	    "or whose connection ended",
	    "cause", PARTS("timeout", "unreachable", "disconnected"),
	    PLACES(
		STATS_upstream_timeouts, STATS_upstream_unreachable, STATS_upstream_disconnected),
	    lost),
	OF_UPSTREAM("hedges", "questions sent to it as another one was slow", ONE,
	    PLACES(STATS_upstream_hedges), hedges),
	OF_CACHE("entries", GAUGE, COUNT, "entries in the cache", cache_entries),
	OF_CACHE("bytes", GAUGE, BYTES, "messages of the entries in the cache", cache_bytes),
	OF_CACHE("size_bytes", GAUGE, BYTES, "what the cache has room for", cache_size_bytes),
	OF_CACHE("loading", GAUGE, TRUTH, "1 while cache-file is loaded, beside answering",
	    cache_loading),
	OF_CACHE("put", COUNTER, COUNT, "entries made", cache_put_n),
	OF_CACHE("evicted", COUNTER, COUNT, "entries thrown out before their end, for others",
	    cache_evicted),
	OF_CACHE("refused", COUNTER, COUNT, "messages for which no room was made", cache_refused),
	OF_CACHE("ghost_hits", COUNTER, COUNT, "entries made again soon after they were thrown out",
	    cache_ghost_hits),
	OF_GROUP("cache_requests", "questions to the cache, some answers need several", "result",
	    PARTS("hit", "miss"), PLACES(STATS_cache_hits, STATS_cache_misses)),

	OF_GROUP("rate_limit_actions", "what was done with questions beyond rate-limit", "action",
	    PARTS("answered", "slipped", "dropped"),
	    PLACES(STATS_rate_cookies, STATS_rate_slipped, STATS_rate_dropped)),
	OF_GROUP("connections_closed", "connections of clients that we closed", "cause",
	    PARTS("refused", "gave-way", "idle", "slow", "stalled"),
	    PLACES(STATS_tcp_refused, STATS_tcp_evicted, STATS_tcp_idle, STATS_tcp_slow,
		STATS_tcp_stalled)),
	OF_GROUP("near_misses", "replies with the ID but not all that was expected", "kind",
	    PARTS("case", "cookie", "edns", "question"),
	    PLACES(STATS_upstream_case, STATS_upstream_cookie, STATS_upstream_edns,
		STATS_upstream_question)),
	IN_JSON(AT_PRESENT, "loops", COUNT, "loops that may ask it", loops),
	IN_JSON(AT_PRESENT, "loops_in_this_state", COUNT, "those of them that are in this state",
	    loops_so),
	IN_JSON(AT_PRESENT, "sockets", COUNT, "sockets over UDP that lead to it", sockets),
	IN_JSON(AT_PRESENT, "connections", COUNT, "TCP connections to it", connections),
	IN_JSON(
	    AT_PRESENT, "in_flight", COUNT, "questions that it has and no reply to yet", in_flight),
	IN_JSON(
	    AT_PRESENT, "waiting", COUNT, "questions that wait for room on a connection", waiting),
};
const size_t figures_n = sizeof(figures) / sizeof(figures[0]);

const struct figure *
figures_next(const struct figure *previous, enum figure_source source)
{
	const struct figure *f = previous == NULL ? figures : previous + 1;

	while (f < figures + figures_n && f->source != source)
		f++;
	return f < figures + figures_n ? f : NULL;
}

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
	const struct figure *f = figures_next(NULL, FIGURE_OF_UPSTREAM);

	while (f != NULL && strcmp(f->key, key) != 0)
		f = figures_next(f, FIGURE_OF_UPSTREAM);
	if (f == NULL)
		abort();
	return f;
}

char *
figure_words(const struct figure *f, char text[static FIGURE_WORDS])
{
	static const char unit[] = "_percent";
	size_t len = strlen(f->key), end = sizeof(unit) - 1;

	if (len > end && strcmp(f->key + len - end, unit) == 0)
		len -= end;
	(void)snprintf(text, FIGURE_WORDS, "%.*s", (int)len, f->key);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '_' ? ' ' : *c;
	return text;
}

struct figures_cache
figures_of_cache(struct cache *c)
{
	struct figures_cache f = { .size = cache_size(c), .loading = cache_restoring(c) };

	cache_counts(c, &f.counts);
	return f;
}
