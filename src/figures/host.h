/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_HOST_H
#define DNS64D_FIGURES_HOST_H

/*
 * host: the daemon, as those know it who tell of it and control it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "config/listens.h"
#include "config/settings.h"
#include "figures/verdict.h"
#include "io/loop.h"
#include "outbound/upstream_status.h"

struct event_base;
struct host_ops;

/* All pointers are borrowed. */
struct host {
	struct event_base *base;
	const char *path;                /* of the configuration */
	const struct settings *settings; /* those in force, at all times */
	struct loop *loops[SETTINGS_LOOPS];
	unsigned n_loops;
	time_t started;  /* seconds since 1970 */
	int memory_fd;   /* /proc/self/statm; -1: none */
	int fds_fd;      /* /proc/self/fd; -1: none */
	time_t lameduck; /* since when it is one; 0: it is not */
	time_t stops;    /* when the lame duck stops; 0: it was not told to */
	enum verdict_reload reload;
	time_t taken;  /* when the configuration in force was, seconds since 1970 */
	bool stopping; /* it finishes what is in flight, and ends */
	/* what the threads of query-log and dnstap count; NULL: nothing */
	const struct stats *log_stats;
	const struct listens_waits *waits; /* which listen addresses are waited for */
	const struct host_ops *ops;        /* control/host_ops: what only it can do */
	void *arg;                         /* for these */
};

/* What all loops know together; while one is late, what they knew before that (control/ask). */
struct host_upstreams {
	struct upstream_status at[UPSTREAM_MAX];
	size_t n;
	unsigned n_missing; /* loops that did not tell in time */
	unsigned n_stuck;   /* of these: loops that do not go round */
};

#endif
