/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_REPORT_H
#define DNS64D_DAEMON_REPORT_H

/*
 * report: what the daemon tells its log about itself.
 */

#include <stdint.h>

#include "cache/cache.h"
#include "config/settings.h"
#include "daemon/cpus.h"
#include "daemon/threads.h"

/*
 * report_start: version, loops, addresses, prefixes, upstreams, the cache, the most memory there
 * can be.
 */
void report_start(const struct settings *s, const struct cpus_plan *plan);

/* report_service: addresses, prefixes and upstreams alone, under the log's word SUBSYSTEM. */
void report_service(const struct settings *s, const char *subsystem);

/*
 * report_stats: one line for each counter that is not zero, the same for the cache as a whole, and
 * at last what is in flight. CACHE may be NULL.
 */
void report_stats(const struct threads *t, struct cache *cache);

/*
 * report_memory: bytes that one loop may come to use under S, when all that has a ceiling is at it.
 * The cache, which is there once for all loops, is not in it.
 */
uint64_t report_memory(const struct settings *s);

/* Longest text of report_status, with the final zero. */
#define REPORT_STATUS 96

/* report_status: one line for the service manager, to TEXT; returns TEXT. */
char *report_status(const struct settings *s, unsigned n_loops, char text[static REPORT_STATUS]);

#endif
