/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_REPORT_H
#define DNS64D_DAEMON_REPORT_H

/*
 * report: log what the daemon serves, what memory it may use, and its statistics. Main thread only.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "cache/cache.h"
#include "config/listens.h"
#include "config/settings.h"
#include "daemon/cpus.h"
#include "daemon/threads.h"
#include "figures/verdict.h"
#include "outbound/upstream_status.h"

/*
 * report_start: log version, loops, addresses but those that WAITS tells of, prefixes, upstreams,
 * the cache, and the most memory that the daemon can use.
 */
void report_start(
    const struct settings *s, const struct listens_waits *waits, const struct cpus_plan *plan);

/* report_service: log addresses, prefixes and upstreams, likewise, as ABOUT says. */
void report_service(
    const struct settings *s, const struct listens_waits *waits, enum log_category about);

/*
 * report_stats: log the counters of all loops of T, added up, the answers by reason, and the
 * counters of CACHE, which may be NULL, each in a line unless it is zero; what the loops know of
 * their upstreams, for which it waits up to a second; and, last, the number of questions in flight.
 */
void report_stats(struct threads *t, struct cache *cache);

/* report_reasons: log the answers by reason in ROWS, a line for each reason that was given. */
void report_reasons(const struct stats_reason rows[static REASON_N]);

/* report_upstreams: log the status of the N upstreams at ALL, of all loops together, a line for
 * each, at NOW_NS. */
void report_upstreams(const struct upstream_status *all, size_t n, uint64_t now_ns);

/*
 * report_lines: log, at level debug, each line that S was read from; of secrets not their values.
 */
void report_lines(const struct settings *s);

/*
 * report_memory: the bytes that one loop can use under S when everything is at its limit. Without
 * the cache, which all loops share.
 */
uint64_t report_memory(const struct settings *s);

/* Longest text of report_status, with the final zero. */
#define REPORT_STATUS (VERDICT_TEXT + 192)

/*
 * report_status: write one line for the service manager to TEXT: the verdict V, with how many
 * addresses WAITS tells of. Returns TEXT.
 */
char *report_status(const struct settings *s, const struct listens_waits *waits, unsigned n_loops,
    const struct verdict *v, char text[static REPORT_STATUS]);

#endif
