/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/netaddr.h"
#include "dns/name.h"
#include "dns64/pref64.h"
#include "engine/partial.h"
#include "engine/query.h"
#include "figures/figures.h"
#include "io/routes.h"
#include "io/session.h"
#include "io/stream.h"
#include "outbound/lookup.h"

#define MIB (1024 * 1024)
#define LIST_TEXT 512 /* of addresses or prefixes on one line; the rest is "..." */

#define COUNT_TEXT 112    /* how many upstreams there are */
#define UPSTREAM_TEXT 384 /* what is told of an upstream */
#define STATUS_MS 1000U   /* how long loops are waited for */

/* A client's question at most: query, lookup, attempts given up, what is kept of a
 * reply, two long names, its network; and where its answer goes, behind proxies. */
#define QUERY_BYTES \
	(sizeof(struct query) + sizeof(struct lookup) + sizeof(struct partial) + \
	    LOOKUP_EARLIER_EACH * sizeof(struct attempt) + 2 * DNS_NAME_MAX + 64 + \
	    sizeof(struct fair_client))

/* A client's connection at most: in the middle of a frame. */
#define CONNECTION_BYTES (sizeof(struct session) + STREAM_CAP)

/* A loop, whatever the settings: unsent bytes, tables of IDs, batches. */
#define LOOP_BYTES (STREAM_CHUNKS * sizeof(struct stream_chunk) + 8 * 1024 * 1024)

/* Append WORD to a list of *LEN characters. */
static void
append(char list[static LIST_TEXT], size_t *len, const char *word)
{
	int n = snprintf(list + *len, LIST_TEXT - *len, "%s%s", *len > 0 ? ", " : "", word);

	if (n > 0 && (size_t)n < LIST_TEXT - *len)
		*len += (size_t)n;
	else
		(void)snprintf(list + LIST_TEXT - 4, 4, "...");
}

static void
report_addresses(enum log_category about, const char *what, const struct netaddr *addrs, size_t n)
{
	char list[LIST_TEXT] = "", text[NETADDR_TEXT];
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		append(list, &len, netaddr_format(&addrs[i], text));
	log_notice(about, "%s %s", what, list);
}

/* Log the prefixes outside of client blocks, with the state of those not active (RULES D15). */
static void
report_prefixes(enum log_category about, const struct policies *ps)
{
	static const char *const states[] = {
		[POLICY_ACTIVE] = "", [POLICY_DRAIN] = " drain", [POLICY_DOWN] = " down"
	};
	const struct policy *p = &ps->table[0];
	char list[LIST_TEXT] = "", prefix[PREF64_TEXT], text[PREF64_TEXT + 16];
	size_t len = 0;

	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		snprintf(text, sizeof(text), "%s%s%s", pref64_format(&p->synth.prefixes[i], prefix),
		    states[p->states[i]], p->mapped_only[i] ? " (map)" : "");
		append(list, &len, text);
	}
	log_notice(about, "prefixes %s", list);
	if (ps->n > 1)
		log_notice(about, "client blocks %zu", ps->n - 1);
}

void
report_service(const struct settings *s, const struct listens_waits *waits, enum log_category about)
{
	struct netaddr served[CONF_MAX_LISTENS], asked[CONF_MAX_UPSTREAMS];
	size_t n = listens_served(&s->conf.io, waits, served);

	if (n > 0)
		report_addresses(about, "listening on", served, n);
	else
		log_notice(about, "listening on no address yet");
	report_prefixes(about, s->conf.core.policies);
	report_addresses(about, "asking", asked, conf_upstream_addrs(&s->conf.core, asked));
}

void
report_lines(const struct settings *s)
{
	size_t n;
	const struct origin_line *l = origin_lines(&s->origin, &n);

	for (size_t i = 0; log_debugs(LOG_CONFIG) && i < n; i++) {
		const char *value = l[i].keyword->secret ? "(a secret)" : l[i].value;

		const struct place at = places_at(&s->places, l[i].line);
		const char *other = l[i].line > 0 ? places_other(&s->places, l[i].line) : NULL;

		if (l[i].line > 0)
			log_debug(LOG_CONFIG, "read line %u%s%s: %s %s%s", at.line,
			    other != NULL ? " of " : "", other != NULL ? other : "",
			    l[i].keyword->name, value,
			    l[i].block > 0 ? ", for a client block" : "");
		else
			log_debug(LOG_CONFIG, "command line: %s %s", l[i].keyword->name, value);
	}
}

uint64_t
report_memory(const struct settings *s)
{
	size_t query = QUERY_BYTES + (s->conf.io.n_proxies > 0 ? ROUTES_EACH : 0);

	return (uint64_t)s->conf.core.max_queries * query +
	    (uint64_t)s->conf.io.max_tcp_clients * CONNECTION_BYTES + LOOP_BYTES;
}

static void
report_cache(const struct cache *c)
{
	if (c == NULL)
		log_notice(LOG_SERVER, "no cache, as cache-size is 0");
	else
		log_notice(LOG_SERVER, "cache %g MiB in %u part%s for all loops",
		    (double)cache_size(c) / MIB, cache_shards(c), cache_shards(c) == 1 ? "" : "s");
}

void
report_start(
    const struct settings *s, const struct listens_waits *waits, const struct cpus_plan *plan)
{
	log_notice(LOG_SERVER, "dns64d " PACKAGE_VERSION ", %u loop%s%s", plan->n_loops,
	    plan->n_loops == 1 ? "" : "s", plan->pinned ? ", each bound to a CPU" : "");
	report_lines(s);
	report_service(s, waits, LOG_SERVER);
	if (s->web.n > 0)
		report_addresses(
		    LOG_SERVER, "showing a page and metrics on", s->web.addr, s->web.n);
	report_cache(s->conf.core.cache);
	log_notice(LOG_SERVER,
	    "at most %" PRIu64 " MiB of memory, for max-queries %" PRIu32
	    " and max-tcp-clients %" PRIu32 " per loop%s",
	    (report_memory(s) * plan->n_loops + s->cache_size) / MIB, s->conf.core.max_queries,
	    s->conf.io.max_tcp_clients, s->cache_size > 0 ? ", and cache-size" : "");
}

static void
report_counters(const struct stats_row rows[static STATS_N])
{
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_COUNTER)) != NULL;) {
		uint64_t value = figure_sum(g, rows);

		if (value > 0)
			log_notice(LOG_STATS, "%s %" PRIu64 " (%s)", g->key, value, g->metric.help);
	}
}

void
report_reasons(const struct stats_reason rows[static REASON_N])
{
	for (unsigned i = 0; i < REASON_N; i++) {
		const struct reason_row *row = reason_row((enum reason)i);
		uint64_t all = rows[i].at_once + rows[i].waited;

		if (all > 0)
			log_notice(LOG_STATS, "reason %s %" PRIu64 ", at once %" PRIu64 " (%s)",
			    row->name, all, rows[i].at_once, row->text);
	}
}

/* Log what the cache has now, zeros too; and what happened, as for other counters. */
static void
report_cache_stats(struct cache *c)
{
	struct figures_cache of = figures_of_cache(c);

	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_CACHE)) != NULL;) {
		uint64_t value = figure_sum(g, &of);

		if (value > 0 || g->metric.kind == METRIC_GAUGE)
			log_notice(
			    LOG_STATS, "cache_%s %" PRIu64 " (%s)", g->key, value, g->metric.help);
	}
}

/* --- Upstreams -------------------------------------------------------------------------------- */

/* The seconds from THEN_NS to NOW_NS; 0 if a loop's clock was read after that. */
static double
seconds(uint64_t then_ns, uint64_t now_ns)
{
	return then_ns < now_ns ? (double)(now_ns - then_ns) / (double)NS_PER_SEC : 0;
}

/* Append to the line TEXT, of *LEN characters. */
static __attribute__((format(printf, 3, 4))) void
add(char text[static UPSTREAM_TEXT], size_t *len, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(text + *len, UPSTREAM_TEXT - *len, format, args);
	va_end(args);
	if (n > 0)
		*len += (size_t)n < UPSTREAM_TEXT - *len ? (size_t)n : UPSTREAM_TEXT - *len - 1;
}

static void
add_state(
    char text[static UPSTREAM_TEXT], size_t *len, const struct upstream_status *v, uint64_t now_ns)
{
	add(text, len, "%s", upstream_status_state_text(v->state));
	if (v->since_ns != 0)
		add(text, len, " for %.1f s", seconds(v->since_ns, now_ns));
	if (v->n_so < v->n_loops)
		add(text, len, " on %u of %u loops", v->n_so, v->n_loops);
}

/* Log V, to which SHARE percent of the sends went. */
static void
report_upstream(const struct upstream_status *v, double share, uint64_t now_ns)
{
	char text[UPSTREAM_TEXT], addr[NETADDR_TEXT], words[FIGURE_WORDS];
	size_t len = 0;

	add_state(text, &len, v, now_ns);
	for (unsigned over = 0; over < UPSTREAM_OVERS; over++) {
		const struct upstream_status_rtt *rtt = &v->rtt[over];
		const char *title = transport_traits[rtt->transport].title;

		if (rtt->weight > 0)
			add(text, &len, ", %s %.3f ms (deviation %.3f)", title,
			    (double)rtt->srtt_ns / (double)NS_PER_MS,
			    (double)rtt->var_ns / (double)NS_PER_MS);
		else if (over == UPSTREAM_PRIMARY)
			add(text, &len, ", %s not measured yet", title);
	}
	for (const struct figure *g = NULL; (g = figures_next(g, FIGURE_OF_UPSTREAM)) != NULL;)
		add(text, &len, ", %s %" PRIu64, g->key, figure_sum(g, v));
	add(text, &len, ", %s %.1f %%", figure_words(&figures[FIGURES_SHARE], words), share);
	if (v->heard_ns == 0)
		add(text, &len, ", no reply yet");
	else
		add(text, &len, ", last reply %.1f s ago", seconds(v->heard_ns, now_ns));
	log_notice(LOG_STATS, "upstream %s: %s", netaddr_format(&v->addr, addr), text);
}

void
report_upstreams(const struct upstream_status *all, size_t n, uint64_t now_ns)
{
	for (size_t i = 0; i < n; i++)
		report_upstream(&all[i], upstream_status_share(&all[i], all, n), now_ns);
}

/* Ask the loops of T for what they know, and log it. */
static void
report_loops(struct threads *t)
{
	struct upstream_status *all = malloc(UPSTREAM_MAX * sizeof(*all));
	unsigned n_missing;
	size_t n;

	if (all == NULL) {
		log_warn(LOG_STATS, "no memory to tell of upstreams");
		return;
	}
	n = threads_upstreams(t, all, STATUS_MS, &n_missing);
	report_upstreams(all, n, clock_now_ns());
	if (n_missing > 0)
		log_warn(LOG_STATS,
		    "%u of %u loops did not say in %u ms what they know of upstreams", n_missing,
		    t->n, STATUS_MS);
	free(all);
}

void
report_stats(struct threads *t, struct cache *cache)
{
	struct stats_reason reasons[REASON_N];
	struct stats_row rows[STATS_N];
	char words[FIGURE_WORDS];

	threads_stats(t, rows);
	report_counters(rows);
	threads_reasons(t, reasons);
	report_reasons(reasons);
	if (cache != NULL)
		report_cache_stats(cache);
	report_loops(t);
	log_notice(LOG_STATS, "%s %" PRIu64 " (%s)",
	    figure_words(&figures[FIGURES_IN_FLIGHT], words), stats_in_flight(rows),
	    figures[FIGURES_IN_FLIGHT].metric.help);
}

/* How many upstreams may be asked and, if not all, answer: by the verdict's own count. */
static void
count_upstreams(const struct settings *s, const struct verdict *v, char text[static COUNT_TEXT])
{
	char answering[32] = "", ordered[64] = "";
	size_t n = v->n_upstreams;

	if (n + v->n_by_operator == 0)
		n = s->conf.core.n_upstreams; /* no loop has reported */
	if (v->n_answering < v->n_upstreams)
		snprintf(answering, sizeof(answering), "%zu of ", v->n_answering);
	if (v->n_by_operator > 0)
		snprintf(ordered, sizeof(ordered), ", %zu drained or down by operator",
		    v->n_by_operator);
	snprintf(text, COUNT_TEXT, "%s%zu%s", answering, n, ordered);
}

char *
report_status(const struct settings *s, const struct listens_waits *waits, unsigned n_loops,
    const struct verdict *v, char text[static REPORT_STATUS])
{
	struct netaddr served[CONF_MAX_LISTENS];
	char more[48] = "", upstreams[COUNT_TEXT], verdict[VERDICT_TEXT];

	if (waits->n > 0)
		snprintf(more, sizeof(more), " (%zu waited for)", waits->n);
	count_upstreams(s, v, upstreams);
	snprintf(text, REPORT_STATUS, "%s (addresses %zu%s, loops %u, upstreams %s)",
	    verdict_text(v, verdict), listens_served(&s->conf.io, waits, served), more, n_loops,
	    upstreams);
	return text;
}
