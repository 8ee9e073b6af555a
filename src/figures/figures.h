/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_FIGURES_H
#define DNS64D_FIGURES_FIGURES_H

/*
 * figures: the one table of what is counted and measured: name, unit, help, and where it comes
 * from. The log's report, JSON, the metrics and the page are made from it, so a figure has the same
 * name and the same value wherever it is shown.
 *
 * What the loops count has its name and help there (STATS_COUNTERS); its rows are made from that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "core/stats.h"
#include "core/transport.h"
#include "figures/metric_text.h"
#include "outbound/upstream_status.h"

#define FIGURE_PARTS 8
#define FIGURE_WORDS 64

/* Where the value of a figure comes from. */
enum figure_source {
	FIGURE_OF_FACTS,    /* the facts (figures/facts); figures/metrics writes its samples */
	FIGURE_OF_UPSTREAM, /* each upstream: struct upstream_status */
	FIGURE_OF_CACHE,    /* the cache: struct figures_cache */
	FIGURE_OF_GROUP,    /* counters that belong together: stats_row[STATS_N] */
	FIGURE_OF_COUNTER,  /* one counter: stats_row[STATS_N] */
	/* In JSON only; written by control/state_json and control/api_stats: */
	FIGURE_OF_STATE,   /* the facts */
	FIGURE_OF_ANSWERS, /* struct facts_answers */
	FIGURE_OF_LATENCY, /* struct latency */
	FIGURE_OF_LOOP,    /* each loop: struct facts_loop */
	FIGURE_AT_PRESENT, /* an upstream, as it is now */
	FIGURE_OF_RTT,     /* its round trip: struct upstream_status_rtt */
	FIGURE_OF_GUARD    /* a guard of it */
};

/* The place of the round trip over a transport. */
#define FIGURES_PLACE_OVER(id, ...) FIGURES_RTT_##id,

/*
 * Places in the table: those of FIGURE_OF_FACTS, in the order of the metrics; those in JSON only;
 * and the counters, in the order of STATS_COUNTERS.
 */
enum figures_place {
	FIGURES_BUILD,
	FIGURES_STARTED,
	FIGURES_READY,
	FIGURES_DEGRADED,
	FIGURES_LOOPS_STUCK,
	FIGURES_LISTENS,
	FIGURES_DENIED,
	FIGURES_LAMEDUCK,
	FIGURES_STOPPING,
	FIGURES_RELOADED,
	FIGURES_RELOAD_TIME,
	FIGURES_CPU,
	FIGURES_MEMORY,
	FIGURES_MEMORY_MAX,
	FIGURES_OPEN_FDS,
	FIGURES_MAX_FDS,
	FIGURES_LOOPS,
	FIGURES_LOOPS_SILENT,
	FIGURES_IN_FLIGHT,
	FIGURES_CONNECTIONS,
	FIGURES_QUERIES,
	FIGURES_QUERIES_BY_TYPE,
	FIGURES_RESPONSES,
	FIGURES_DURATIONS,
	FIGURES_DROPPED,
	FIGURES_PREFIX_STATE,
	FIGURES_PREFIX_WEIGHT,
	FIGURES_PREFIX_CAUSE,
	FIGURES_PREFIX_CHECK_UP,
	FIGURES_PREFIX_CHECK_SINCE,
	FIGURES_PREFIX_LACKING,
	FIGURES_SYNTHESIZED,
	FIGURES_UPSTREAM_ORDER,
	FIGURES_UPSTREAM_UP,
	FIGURES_UPSTREAM_IN_DOUBT,
	FIGURES_UPSTREAM_LIMITED,
	FIGURES_UPSTREAM_RTT,
	FIGURES_FACTS,
	FIGURES_UPTIME = FIGURES_FACTS,
	FIGURES_TIME,
	FIGURES_CLIENT_BLOCKS,
	FIGURES_ANSWERS_ALL,
	FIGURES_ANSWERS_FAILED,
	FIGURES_ANSWERS_CACHED,
	FIGURES_LATENCY_BOUNDS,
	FIGURES_LATENCY_COUNTS,
	FIGURES_LATENCY_SUM,
	FIGURES_LOOP_QUESTIONS,
	FIGURES_LOOP_CLIENTS,
	FIGURES_LOOP_UPSTREAMS,
	FIGURES_SINCE,
	FIGURES_LAST_REPLY,
	FIGURES_SHARE,
	FIGURES_RTT,
	FIGURES_RTT_DEVIATION,
	FIGURES_GUARD_OFF,
	FIGURES_GUARD_LEFT,
	TRANSPORT_ROWS(FIGURES_PLACE_OVER) FIGURES_COUNTERS,
	FIGURES_ANSWERS = FIGURES_COUNTERS + STATS_answers,
	FIGURES_CACHE_HITS = FIGURES_COUNTERS + STATS_cache_hits
};

/* One; or several parts, told apart by a label, whose sum it is. */
struct figure {
	enum figure_source source;
	const char *key;      /* its name among those of the same source: in the log and in JSON */
	struct metric metric; /* mostly named after the key; without a name: in JSON only */
	const char *label;    /* NULL: it has one part, without a label */
	const char *parts[FIGURE_PARTS]; /* the label's values */
	size_t n_parts;
	/*
	 * Of counters: that of each part. Else: those whose sum it is in other parts; that of all
	 * upstreams, as long as none was removed.
	 */
	enum stats_place places[FIGURE_PARTS];
	size_t n_places;
	uint64_t (*value)(const void *of, size_t part); /* NULL: that of the counter */
};

/* What the cache has and did. */
struct figures_cache {
	struct shard_counts counts;
	uint64_t size; /* bytes */
	bool loading;  /* entries of cache-file are still to come */
};

/* The table: those with places first, then source by source. */
extern const struct figure figures[];
extern const size_t figures_n;

/*
 * figures_next: the figure of SOURCE behind PREVIOUS, which is one of these; NULL: the first one.
 * NULL if there is none any more.
 */
MUST_USE const struct figure *figures_next(
    const struct figure *previous, enum figure_source source);

/* figures_of_cache: what FIGURE_OF_CACHE comes from, now. */
struct figures_cache figures_of_cache(struct cache *c);

/* figure_part: the value of part PART of F, of OF, which its source says; none of the facts. */
MUST_USE uint64_t figure_part(const struct figure *f, const void *of, size_t part);

/* figure_sum: the sum of the parts of F, likewise. */
MUST_USE uint64_t figure_sum(const struct figure *f, const void *of);

/* figures_find: the figure of an upstream with KEY, which is one. */
MUST_USE const struct figure *figures_find(const char *key);

/*
 * figure_words: write the key of F to TEXT as words, as headings have it: with blanks, and without
 * a percent that ends it. Returns TEXT.
 */
char *figure_words(const struct figure *f, char text[static FIGURE_WORDS]);

#endif
