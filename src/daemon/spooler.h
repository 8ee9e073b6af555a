/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SPOOLER_H
#define DNS64D_DAEMON_SPOOLER_H

/*
 * spooler: a thread that empties the loops' spools to an output: a query log, dnstap.
 *
 * Only this thread may wait for whoever reads the output. No loop waits for it, nor does the main
 * thread but at the end, and not for a thread that is stuck.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/spool.h"
#include "config/settings.h"

/* Where records go. ARG is that of spooler_start. */
struct spooler_output {
	const char *name;   /* for the log */
	const char *what;   /* likewise: what it writes, in the plural */
	const char *thread; /* name of the thread, of less than 16 characters */
	/* In the main thread, before there is one. False without memory. */
	bool (*open)(void *arg);
	/* In the thread, which holds the lock: take the new settings (spooler_change). */
	void (*use)(void *arg);
	/* In the thread: a round begins, the LAST one? NULL: it need not know. */
	void (*begin)(void *arg, bool last);
	/* In the thread: write the LEN bytes at RECORD. False: no more in this round. */
	bool (*put)(void *arg, const void *record, size_t len);
	/* In the thread, at the end of a round: write what put has kept back. */
	void (*flush)(void *arg);
	/*
	 * In the thread, at its end, as closing a file may wait; in the main thread only after an
	 * open without a thread.
	 */
	void (*close)(void *arg);
};

struct spooler {
	const struct spooler_output *output; /* borrowed, as the next; both NULL: it never ran */
	void *arg;
	struct spool *spools[SETTINGS_LOOPS]; /* borrowed */
	unsigned n_spools;
	pthread_t id;
	bool running;
	int wake_fd;  /* owned: eventfd, readable when there are new settings, or it is to end */
	int ended_fd; /* owned: eventfd, readable when the thread has nothing more to do */
	/* What the thread takes in its next round. */
	pthread_mutex_t lock;
	bool changed;
	bool ending;
	/* The thread's. */
	uint64_t shift_ns;          /* in this round, from the loops' clock to the time of day */
	_Atomic uint64_t n_emptied; /* records */
};

/* spooler_init: make S ready; there are no spools yet. */
void spooler_init(struct spooler *s);

/* spooler_add: have S empty SPOOL, borrowed, too. Before spooler_start; SETTINGS_LOOPS times at
 * most. */
void spooler_add(struct spooler *s, struct spool *spool);

/*
 * spooler_start: start the thread for OUTPUT and its ARG, which are borrowed, unless it runs.
 * False: that failed, and is in the log.
 */
MUST_USE bool spooler_start(struct spooler *s, const struct spooler_output *output, void *arg);

/*
 * spooler_change: from here on, until spooler_changed, the main thread may change the settings that
 * use() takes; the thread is kept from taking them.
 */
void spooler_change(struct spooler *s);

/*
 * spooler_changed: the settings are changed, and the thread takes them in its next round.
 * S->wake_fd can be read until it has taken them, and for good once it is to end: an output that
 * waits for a reader waits for that too, and hurries.
 */
void spooler_changed(struct spooler *s);

#define SPOOLER_STUCK_MS 2000 /* without a record for so long the thread is stuck */
#define SPOOLER_END_STEPS 5   /* and it has so many times that in all */

/*
 * spooler_end: have the output write what the spools still have, as long as it does, and end; for
 * SPOOLER_END_STEPS times SPOOLER_STUCK_MS at most. Then S may be used again after spooler_init.
 * False: the thread is stuck, as whoever reads its output has stopped, or a disk is gone; it may
 * use S, ARG and the spools as long as the process lives, so nothing of them may be freed. The log
 * says so. It may be called again then.
 */
MUST_USE bool spooler_end(struct spooler *s);

#endif
