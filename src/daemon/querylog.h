/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_QUERYLOG_H
#define DNS64D_DAEMON_QUERYLOG_H

/*
 * querylog: a line for each answer that the loops' taps tell of.
 *
 * The main thread opens files, and says what is wrong with them; a thread of the query log's own
 * makes the lines and writes them (daemon/spooler). While the file cannot be written, lines are
 * lost and counted.
 *
 * All functions are for the main thread.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "config/settings.h"
#include "core/stats.h"
#include "daemon/spooler.h"

/* Where lines go. */
enum querylog_to { QUERYLOG_NOWHERE, QUERYLOG_SYSLOG, QUERYLOG_STDERR, QUERYLOG_FILE };

/* What the thread is to do. */
struct querylog_task {
	enum querylog_to to;
	bool json;
	int fd; /* owned: QUERYLOG_FILE; -1: it could not be opened, or was taken */
};

struct querylog {
	struct spooler spooler;
	struct stats *stats;       /* borrowed: the thread counts there */
	char path[SETTINGS_PATH];  /* QUERYLOG_FILE: of the file */
	mode_t mode;               /* likewise, when it is made */
	bool opened;               /* QUERYLOG_FILE: the last try to open it did */
	struct querylog_task next; /* changed with spooler_change */
	/* The thread's. */
	struct querylog_task now;
	int old_fd;       /* owned: the file before, to be closed; -1: none */
	bool failing;     /* the last write failed, which was told */
	bool torn;        /* and left a part of a line */
	uint64_t lost;    /* lines since it fails */
	unsigned n_lines; /* in buffer */
	size_t len;       /* bytes in buffer */
	char *buffer;     /* owned */
};

/*
 * querylog_init: make Q ready. What becomes of lines will be counted in STATS, borrowed. The caller
 * adds the spools with querylog_tap_records to Q->spooler, and ends that in the end.
 */
void querylog_init(struct querylog *q, struct stats *stats);

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

#endif
