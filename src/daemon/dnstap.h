/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DNSTAP_H
#define DNS64D_DAEMON_DNSTAP_H

/*
 * dnstap: the thread that passes on, to the reader at dnstap-socket, what the loops' captures copy.
 *
 * No loop waits for it, nor does the main thread but at the end, for a second at most. While there
 * is no reader it tries again each second, and what is captured is lost and counted. A reader that
 * is too slow has it wait, and the captures, whose size is fixed, drop what they have no room for.
 *
 * All functions are for the main thread. A build without --with-dnstap has no such thread.
 */

#include <pthread.h>
#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"
#include "daemon/dnstap_frame.h"
#include "daemon/threads.h"
#include "engine/dnstap_tap.h"

/* What the thread is to do. */
struct dnstap_task {
	char path[SETTINGS_PATH]; /* of the reader's socket; empty: none */
	struct dnstap_about about;
};

struct dnstap {
	struct dnstap_tap *captures[SETTINGS_LOOPS]; /* borrowed */
	unsigned n;
	struct stats *stats; /* borrowed: the thread counts there */
	pthread_t id;
	bool running;
	int wake_fd; /* owned: eventfd */
	/* What the thread takes in its next round. */
	pthread_mutex_t lock;
	bool ending;
	struct dnstap_task task;
};

/* dnstap_known: was this built with dnstap? */
MUST_USE bool dnstap_known(void);

/*
 * dnstap_init: make D ready to pass on what the N captures at CAPTURES copy, and to count in STATS
 * what becomes of it. All are borrowed.
 */
void dnstap_init(
    struct dnstap *d, struct dnstap_tap *const *captures, unsigned n, struct stats *stats);

/* dnstap_start: dnstap_init with the captures of the loops of T, borrowed, then dnstap_use. */
void dnstap_start(struct dnstap *d, const struct threads *t, const struct settings *s);

/*
 * dnstap_use: from now on do what the settings S say, whatever it was before. If no thread can be
 * made the log says so.
 */
void dnstap_use(struct dnstap *d, const struct settings *s);

/* dnstap_end: pass on what the captures still have, as far as a second suffices, and end. */
void dnstap_end(struct dnstap *d);

#endif
