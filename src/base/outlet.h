/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_OUTLET_H
#define DNS64D_BASE_OUTLET_H

/*
 * outlet: where lines of the log go: standard error or syslog. It never waits: a line for which
 * there is no room, as nobody reads, is lost and counted, and the next one that can be written is
 * preceded by a line that tells how many there were.
 *
 * Thread-safe, once it is set up.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/lock.h"

#define OUTLET_LINE 1024 /* bytes of a line with its newline */
#define OUTLET_SYSLOG "/dev/log"

struct outlet {
	struct lock lock;  /* guards all below */
	int fd;            /* the connection to syslog; -1: there is none */
	bool stream;       /* the connection is a stream socket, else one of datagrams */
	bool syslog;       /* lines go there, else to standard error */
	bool journal;      /* standard error leads to journald */
	const char *path;  /* of syslog's socket, borrowed */
	const char *ident; /* the program's name there, borrowed */
	uint64_t n_lost;   /* lines since the last that was written */
};

/* Bytes that an outlet is initialized with: standard error. */
#define OUTLET_INIT \
	{ \
		.fd = -1 \
	}

/* outlet_stderr: lines go to standard error from now on. */
void outlet_stderr(struct outlet *o);

/*
 * outlet_connect: connect to syslog at PATH, usually OUTLET_SYSLOG, so that a chroot may follow.
 * IDENT is the program's name there. Both are borrowed. If that fails each line tries it again.
 */
void outlet_connect(struct outlet *o, const char *path, const char *ident);

/* outlet_syslog: lines go to syslog from now on, connected by outlet_connect. */
void outlet_syslog(struct outlet *o);

/*
 * outlet_put: write the line TEXT, without a newline, of syslog's priority PRIORITY (LOG_ERR, ...),
 * whose word for people is WORD. It is cut at OUTLET_LINE.
 */
void outlet_put(struct outlet *o, int priority, const char *word, const char *text);

/* outlet_lost: how many lines were lost that no line has told of yet. */
MUST_USE uint64_t outlet_lost(struct outlet *o);

#endif
