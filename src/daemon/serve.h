/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SERVE_H
#define DNS64D_DAEMON_SERVE_H

/*
 * serve: the main thread while the loops work: it waits for signals and acts on them.
 *
 *	SIGHUP			reload
 *	SIGTERM, SIGINT, SIGQUIT be a lame duck for the time of lameduck, save the cache, finish
 *				what is in flight and end; a second one: end at once
 *	SIGUSR1			log the statistics
 *	SIGUSR2			open the log again
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/conf_push.h"
#include "daemon/sandbox.h"
#include "daemon/threads.h"
#include "figures/verdict.h"
#include "nat64/prefixes.h"

struct cachefile;
struct listen_watch;
struct event;
struct event_base;
struct querylog;
struct dnstap;
struct control;
struct websock;
struct prefixcheck;

/* Where the last reload is. */
enum serve_reload {
	SERVE_SETTLED, /* its result is known */
	SERVE_POSTED,  /* not all loops have taken it yet */
	SERVE_OVERDUE  /* not in time: its result is VERDICT_OVERDUE until all have */
};

/* How far the end is. */
enum serve_phase {
	SERVE_ANSWERS,
	SERVE_LAME,  /* it is to end: it is a lame duck first, and does all else as before */
	SERVE_SAVES, /* the cache is saved, and loops answer on */
	SERVE_ENDS   /* loops finish what is in flight, and end */
};

/* What serve_run works on; the fields after signal_fd, except the last three, begin as zero. */
struct serve {
	const struct options *options; /* borrowed */
	const char *path;              /* borrowed: path of the configuration, for a reload */
	struct settings *settings;     /* borrowed: those in force */
	struct threads *threads;
	struct querylog *querylog;     /* borrowed: running, as the next */
	struct dnstap *dnstap;         /* borrowed */
	const struct sandbox *sandbox; /* borrowed */
	struct listen_watch *watch;    /* borrowed: of the start */
	struct cachefile *cachefile;   /* borrowed: opened, if there is one */
	int control_fd;                /* borrowed: the control socket; -1: none */
	const struct websock *web;     /* borrowed: sockets of web-listen */
	const char *ident;             /* borrowed: the program's name in the log */
	int signal_fd;                 /* borrowed: of serve_signals */
	struct event_base *base;       /* owned by serve_run, as the next */
	struct control *control;
	struct prefixes prefixes; /* how they are changed, with the next */
	struct conf_push_prefixes push;
	struct prefixcheck *check; /* owned by serve_run; NULL: there was no memory */
	struct event *addresses;   /* of watch->fd; NULL: there is none */
	uint64_t wanted_ns;     /* since when a reload is wanted that has not begun; 0: none is */
	struct verdict verdict; /* of control */
	enum serve_reload reload;
	uint64_t taken_ns; /* a reload is posted: when the loops should have taken it */
	uint64_t lame_ns;  /* since when it is a lame duck; 0: it is not */
	enum serve_phase phase;
	uint64_t end_ns;          /* SERVE_LAME: when that is over; SERVE_ENDS: the latest end */
	uint64_t beat_ns;         /* when the watchdog is served next */
	uint32_t watchdog_ms;     /* of notify_watchdog_ms; 0: no watchdog */
	void (*ready)(void *arg); /* called once, when signals and commands are acted on */
	void *arg;                /* borrowed, for ready */
};

/*
 * serve_signals: block the signals above in this thread and all that it starts, and ignore SIGPIPE.
 * Returns a signalfd for them, which is the caller's, or -errno.
 */
MUST_USE int serve_signals(void);

/*
 * serve_run: call s->ready, and serve until a signal ends the daemon. True when all loops have
 * ended in time after it. False if a loop ended by itself, some did not end in time, or there is no
 * memory to begin (s->ready is not called then): threads may then still run.
 */
MUST_USE bool serve_run(struct serve *s);

#endif
