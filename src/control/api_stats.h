/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_API_STATS_H
#define DNS64D_CONTROL_API_STATS_H

/*
 * api_stats: what the daemon counts and knows, as JSON. The handlers want a struct control_ctx.
 */

#include <jansson.h>
#include <time.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "control/ask.h"
#include "control/http.h"
#include "figures/facts.h"
#include "policy/policy.h"

/* api_stats: every counter of core/stats, the sum of all loops; the cache's; what is in flight. */
http_handler api_stats;

/* api_stats_cache: what C has and counts; null if C is NULL. The caller's reference. */
MUST_USE json_t *api_stats_cache(struct cache *c);

/*
 * api_stats_counters: put into COUNTERS the values of ROWS, and what each counts into HELP, unless
 * it is NULL.
 */
void api_stats_counters(
    json_t *counters, json_t *help, const struct stats_row rows[static STATS_N]);

/* api_upstreams: what all loops together know of each upstream. */
http_handler api_upstreams;

/* api_status: what runs, since when, and how it is. */
http_handler api_status;

/* api_stats_upstreams: what the loops told of their upstreams, under S, as in "upstreams". */
MUST_USE json_t *api_stats_upstreams(const struct host_upstreams *v, const struct settings *s);

/* api_stats_verdict: put into J the verdict on the daemon, and its reason. */
void api_stats_verdict(const struct facts *f, json_t *j);

/* api_stats_moment: T, seconds since 1970; null if it is 0. */
MUST_USE json_t *api_stats_moment(time_t t);

/*
 * api_stats_prefixes: the prefixes of P, policy NUMBER of S, with their states, in configured order
 * (RULES D15). S: NULL if P is not in force any more.
 */
MUST_USE json_t *api_stats_prefixes(
    const struct settings *s, size_t number, const struct policy *p);

/* api_stats_listens: put into J which listen addresses are served, and which are waited for. */
void api_stats_listens(const struct facts *f, json_t *j);

#endif
