/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DNSTAP_H
#define DNS64D_DAEMON_DNSTAP_H

/*
 * dnstap: what the loops' taps copy is passed on to the reader at dnstap-socket by a thread of
 * its own (daemon/spooler).
 *
 * While there is no reader it tries again each second, and what is captured is lost and counted. A
 * reader that is too slow blocks this thread, and the taps, whose size is fixed, drop what they
 * have no room for. At the end it has a second at most.
 *
 * All functions are for the main thread. A build without --with-dnstap has no such thread.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"
#include "core/stats.h"
#include "daemon/dnstap_frame.h"
#include "daemon/dnstap_stream.h"
#include "daemon/spooler.h"

/* What the thread is to do. */
struct dnstap_task {
	char path[SETTINGS_PATH]; /* of the reader's socket; empty: none */
	struct dnstap_about about;
};

#define DNSTAP_BATCH 128 /* frames written at a time */

struct dnstap {
	struct spooler spooler;
	struct stats *stats;     /* borrowed: the thread counts there */
	struct dnstap_task next; /* changed with spooler_change */
	/* The thread's. */
	struct dnstap_task now;
	bool moved; /* it has another reader than before */
	bool last;  /* this round is the last one */
	struct dnstap_stream stream;
	uint64_t retry_ns;   /* when the reader is looked for next */
	uint64_t reached_ns; /* when it was connected to */
	uint64_t pause_ms;   /* before a reader that does not stay is looked for */
	uint64_t lost;       /* messages since there is no reader */
	int told;            /* why there is none, as it was told: -errno; 0: nothing was */
	int n;               /* frames in the buffer */
	size_t len;          /* their bytes */
	struct iovec frames[DNSTAP_BATCH];
	uint8_t *buffer; /* owned */
};

/* dnstap_known: was this built with dnstap? */
MUST_USE bool dnstap_known(void);

/*
 * dnstap_init: make D ready. What becomes of messages will be counted in STATS, borrowed. The
 * caller adds the spools with dnstap_tap_records to D->spooler, and ends that in the end.
 */
void dnstap_init(struct dnstap *d, struct stats *stats);

/*
 * dnstap_use: from now on do what the settings S say, whatever it was before. If no thread can be
 * made the log says so.
 */
void dnstap_use(struct dnstap *d, const struct settings *s);

#endif
