/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PIDFILE_H
#define DNS64D_DAEMON_PIDFILE_H

/*
 * pidfile: one daemon at a time. The lock, not the file, says that one runs: a file that a
 * crash left behind is in nobody's way.
 */

#include "base/attr.h"
#include "daemon/settings.h"

struct pidfile {
	int fd; /* owned; -1: none */
	char path[SETTINGS_PATH];
};

/*
 * pidfile_open: create and lock the file at PATH and write our process ID to it. Returns 0, -errno,
 * or the process ID of the one that holds it (-EWOULDBLOCK if the file does not tell).
 */
MUST_USE int pidfile_open(struct pidfile *p, const char *path);

/*
 * pidfile_close: empty the file, remove it if we may (after chroot and change of user often not),
 * and let the lock go. Harmless with fd -1.
 */
void pidfile_close(struct pidfile *p);

#endif
