/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PIDFILE_H
#define DNS64D_DAEMON_PIDFILE_H

/*
 * pidfile: one daemon at a time. The lock, not the file, says that one runs: a file that a
 * crash left behind is in nobody's way.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"

struct pidfile {
	int fd;           /* owned; -1: none */
	size_t digits;    /* of the number in it */
	size_t line_ends; /* behind it */
	char path[SETTINGS_PATH];
};

/* pidfile_usual: where it is if nobody says, in the system's directory for run-time files. */
const char *pidfile_usual(void);

/*
 * pidfile_open: create and lock the file at PATH and write our process ID to it. Returns 0, -errno,
 * or the process ID of the one that holds it (-EWOULDBLOCK if the file does not tell).
 * What is no regular file is -EINVAL, or -EISDIR.
 */
MUST_USE int pidfile_open(struct pidfile *p, const char *path);

/*
 * pidfile_tell: let who has only the file, as an init script, see that a reload was tried: line
 * ends behind the number, which all readers of numbers pass over, become others than they were; one
 * or two: it was DONE, three or four: it was refused. Harmless with fd -1.
 */
void pidfile_tell(struct pidfile *p, bool done);

/*
 * pidfile_close: empty the file, remove it if we may (after chroot and change of user often not),
 * and let the lock go. Harmless with fd -1.
 */
void pidfile_close(struct pidfile *p);

#endif
