/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_FACTS_H
#define DNS64D_FIGURES_FACTS_H

/*
 * facts: what there is to tell of the daemon at one moment, collected once for metrics, the state
 * in JSON and the page.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "config/settings.h"
#include "core/stats.h"
#include "figures/figures.h"
#include "figures/host.h"
#include "figures/verdict.h"
#include "io/loop.h"

/* A loop. */
struct facts_loop {
	uint64_t questions; /* that it was asked */
	bool told;          /* in time what it has open */
	struct loop_open open;
};

struct facts {
	const struct settings *settings; /* borrowed: those in force */
	time_t started;                  /* seconds since 1970 */
	uint64_t now_ns;
	struct stats_row
	    rows[STATS_N]; /* of all loops, and of the threads of query log and dnstap */
	struct stats_reason reasons[REASON_N];
	uint64_t rcodes[STATS_RCODES];
	uint64_t asked[STATS_ASKED];
	uint64_t prefixes[STATS_PREFIXES];      /* answers, by the prefix's number */
	struct latency waited;                  /* of the loops that answered in time */
	const struct host_upstreams *upstreams; /* borrowed: of the loops that answered in time */
	const struct listens_waits *waits; /* borrowed: which listen addresses are waited for */
	struct netaddr served[CONF_MAX_LISTENS]; /* those that are served */
	size_t n_served;
	time_t lameduck; /* since when it is one, seconds since 1970; 0: it is not */
	time_t stops;    /* when the lame duck stops, likewise; 0: it was not told to */
	bool stopping;
	enum verdict_reload reload;
	time_t taken; /* when the configuration in force was, seconds since 1970 */
	unsigned n_loops;
	struct facts_loop loops[SETTINGS_LOOPS];
	bool has_cache;
	struct figures_cache cache;
	double cpu_s;        /* seconds that the process has computed */
	uint64_t memory;     /* bytes of the process in memory; 0: not known */
	uint64_t memory_max; /* the most that they were */
	uint64_t open_fds;   /* descriptors that are open; 0: not known */
	uint64_t max_fds;    /* that may be (RLIMIT_NOFILE); 0: not known */
};

/*
 * facts_new: collect them from HOST, with V, what the loops told. HOST and V are borrowed for as
 * long as the facts live. NULL without memory; else the caller frees it (free).
 */
MUST_USE struct facts *facts_new(const struct host *host, const struct host_upstreams *v);

/* facts_rows: write the counters of all threads of HOST, added up, to ROWS. */
void facts_rows(const struct host *host, struct stats_row rows[static STATS_N]);

/* facts_outcomes: how many answers came from each source, those for reasons of KIND. */
void facts_outcomes(
    const struct facts *f, enum reason_kind kind, uint64_t sources[static REASON_SOURCES]);

/* Answers to clients; a failure is one, wherever it comes from, and never a hit. */
struct facts_answers {
	uint64_t all;
	uint64_t failed;
	uint64_t cached; /* from the cache, but failures that it remembers */
};

/* facts_answers: how many there were. */
MUST_USE struct facts_answers facts_answers(const struct facts *f);

/* facts_are_whole: has every loop answered? */
MUST_USE bool facts_are_whole(const struct facts *f);

/* facts_uptime: how long the daemon has been up, in seconds. */
MUST_USE uint64_t facts_uptime(const struct facts *f);

/* facts_verdict: the verdict on the daemon (RULES D31). */
MUST_USE struct verdict facts_verdict(const struct facts *f);

/* facts_verdict_now: the same of HOST, with V, what the loops told last. */
MUST_USE struct verdict facts_verdict_now(const struct host *host, const struct host_upstreams *v);

#endif
