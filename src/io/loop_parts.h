/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LOOP_PARTS_H
#define DNS64D_IO_LOOP_PARTS_H

/*
 * loop_parts: what a loop is made of. Only loop.c and loop_mail.c include this file: the second is
 * the mailbox, with what the main thread calls and what the loop does about it.
 */

#include <event2/event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/conf.h"
#include "engine/querylog_tap.h"
#include "io/explain_job.h"
#include "io/fd_event.h"
#include "io/loop_data.h"
#include "io/shell.h"
#include "io/survey.h"
#include "outbound/upstream_status.h"

/* The end of a loop. */
struct loop_stopping {
	bool begun; /* no new work is taken */
	bool done;
	uint64_t seen;   /* value of stop that was last acted on */
	uint64_t end_ns; /* when stopping: end of the grace */
};

/* Deadlines of the engine. */
struct loop_ticks {
	struct event event; /* runs only while the engine waits for a deadline, or an answer to be
			      sent again */
	bool on;
	bool more;       /* the last tick was not enough: another one in the next iteration */
	uint64_t due_ns; /* when the next tick is due */
};

struct loop {
	/* The main thread writes to these; they have a cache line of their own. */
	_Alignas(64) _Atomic(struct loop_update *) mail;
	atomic_uint n_posted;
	atomic_uint n_taken;
	atomic_bool alive;
	atomic_bool lameduck;
	/* While this is set views, n_views and open are the loop's, else the main thread's. */
	atomic_bool views_wanted;
	uint64_t asked_ns; /* when views_wanted was set; the main thread's */
	struct explain_slot explaining;
	struct survey_box survey;
	_Atomic uint64_t stop; /* grace in ms in the low 32 bits, calls above */

	/* Only the loop's thread uses these. */
	_Alignas(64) int wake_fd; /* eventfd */
	struct event_base *base;
	struct snapshot *snapshot; /* one reference */
	struct engine *engine;
	struct fd_event wake;
	struct list woken;
	struct loop_ticks ticks;
	struct event beat; /* runs only while something needs it */
	struct event age;  /* runs only while sockets towards upstreams can become too old */
	bool beating;
	bool aging;
	struct loop_stopping stopping;
	uint64_t beat_ns;                 /* when the next beat is due */
	uint64_t age_ns;                  /* when the next search for old sockets is due */
	struct querylog_tap querylog_tap; /* read by the query log's thread */
	struct dnstap_tap dnstap_tap;     /* read by dnstap's thread */
	struct upstream_status views[CONF_MAX_UPSTREAMS];
	size_t n_views;
	struct loop_open open;
	struct shell sh;
};

/* loop_update_free: free U, which no loop has taken, with all it brings. U may be NULL. */
void loop_update_free(struct loop_update *u);

/*
 * loop_mail: read the mailbox: an update, a ping, a question for views or to be explained, whether
 * it is a lame duck, an order to stop.
 */
void loop_mail(struct loop *l);

#endif
