/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_QUERYLOG_H
#define DNS64D_DAEMON_QUERYLOG_H

/*
 * querylog: the thread that writes a line for each answer that the loops' taps tell of.
 *
 * The main thread opens files, and says what is wrong with them; the query log's own thread reads
 * the taps, makes the lines and writes them. A loop never waits for it, nor does the main thread
 * but at the end. While the file cannot be written, lines are lost and counted.
 *
 * All functions are for the main thread.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "config/settings.h"
#include "daemon/threads.h"
#include "engine/querylog_tap.h"

/* Where lines go. */
enum querylog_to { QUERYLOG_NOWHERE, QUERYLOG_SYSLOG, QUERYLOG_STDERR, QUERYLOG_FILE };

struct querylog {
	struct querylog_tap *taps[SETTINGS_LOOPS]; /* borrowed */
	unsigned n_taps;
	pthread_t id;
	bool running;
	char path[SETTINGS_PATH]; /* QUERYLOG_FILE: of the file */
	mode_t mode;              /* likewise, when it is made */
	bool opened;              /* QUERYLOG_FILE: the last try to open it did */
	/* What the thread is to do; it takes it in its next round. */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool changed; /* to, json and fd are new */
	bool ending;
	bool ended; /* by the thread: it has nothing more to do */
	enum querylog_to to;
	bool json;
	int fd;              /* owned, if changed: QUERYLOG_FILE; -1: it could not be opened */
	struct stats *stats; /* borrowed: the thread counts there */
};

/*
 * querylog_init: make Q ready to write what the N taps at TAPS tell of, and to count in STATS what
 * becomes of it. All are borrowed.
 */
void querylog_init(
    struct querylog *q, struct querylog_tap *const *taps, unsigned n, struct stats *stats);

/* querylog_start: querylog_init with the taps of the loops of T, borrowed, then querylog_use. */
void querylog_start(struct querylog *q, const struct threads *t, const struct settings *s);

/*
 * querylog_use: from now on write as the settings S say, whatever it was before. If the file cannot
 * be opened, or no thread can be made, the log says so.
 */
void querylog_use(struct querylog *q, const struct settings *s);

/* querylog_reopen: open the file again, as it was moved. False: that failed, and is in the log. */
bool querylog_reopen(struct querylog *q);

/*
 * querylog_writes: can lines be written where they are configured to go? A file that could not be
 * opened is tried again; false, with a message in the log: it still cannot, or there is no thread.
 * True if query-log is none.
 */
MUST_USE bool querylog_writes(struct querylog *q);

/*
 * querylog_end: write what the taps still have, as long as that can be written, and end. False: the
 * thread is stuck, as whoever reads its lines has stopped, or a disk is gone; it may use Q and the
 * taps as long as the process lives, so nothing of them may be freed. The log says so.
 */
MUST_USE bool querylog_end(struct querylog *q);

#endif
