/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SERVE_H
#define DNS64D_DAEMON_SERVE_H

/*
 * serve: what the main thread does while the loops work: wait for signals.
 *
 *	SIGHUP			reload
 *	SIGTERM, SIGINT, SIGQUIT finish what is in flight and end; a second one: end at once
 *	SIGUSR1			log the statistics
 *	SIGUSR2			carry out the lines of cache-commands; without them: empty the cache
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/pidfile.h"
#include "daemon/threads.h"

struct serve {
	const struct options *options; /* borrowed */
	const char *path;              /* borrowed: the configuration, as a reload finds it */
	struct settings *settings;     /* borrowed: the ones in force */
	struct threads *threads;       /* borrowed: running */
	struct pidfile *pidfile;       /* borrowed: where reloads are told too */
	int signal_fd;                 /* of serve_signals */
	bool reload_wanted;
	bool reloading;       /* posted, and not yet taken by all loops */
	unsigned stops;       /* signals to end that came */
	uint64_t end_ns;      /* when stopping: no later than this */
	uint64_t beat_ns;     /* when the watchdog is next looked after */
	uint32_t watchdog_ms; /* 0: none */
};

/*
 * serve_signals: block the signals above, for all threads to come, and return a descriptor that
 * tells of them, or -errno. Also ignores SIGPIPE.
 */
MUST_USE int serve_signals(void);

/*
 * serve_run: until a signal ends it. True when all loops have ended in time after one. False if one
 * ended by itself, or some did not end: their threads may still run.
 */
MUST_USE bool serve_run(struct serve *s);

#endif
