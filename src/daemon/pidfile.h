/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PIDFILE_H
#define DNS64D_DAEMON_PIDFILE_H

/*
 * pidfile: the file with the process ID, which is locked while the daemon runs, so that there is
 * one daemon with it. The lock, not the file, says that one runs: a file that a crash left behind
 * does no harm.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"

struct pidfile {
	int fd;       /* owned: to read, with the lock; -1: none */
	int write_fd; /* owned, while fd is not -1: to write, until pidfile_settle; -1 then */
	char path[SETTINGS_PATH];
};

/*
 * pidfile_usual: the default path: RUNSTATEDIR/dns64d.pid, or /run/dns64d.pid if that directory
 * does not exist. The string is constant.
 */
const char *pidfile_usual(void);

/*
 * pidfile_path: the path that S configures for a daemon in the foreground or not: pidfile_usual()
 * or nothing for "auto". Returns NULL when there is to be no pidfile; else the string is S's or
 * constant.
 */
const char *pidfile_path(const struct settings *s, bool foreground);

/*
 * pidfile_open: create and lock the file at PATH and write our process ID to it. Returns 0, and *P
 * is to be closed by pidfile_close; or, with *P untouched: the process ID of the daemon that holds
 * the lock, -EWOULDBLOCK if the file does not tell that, -EINVAL or -EISDIR for what is not a
 * regular file, -ELOOP for a symbolic link, -EAGAIN if another file came to its place meanwhile, or
 * another -errno.
 */
MUST_USE int pidfile_open(struct pidfile *p, const char *path);

/*
 * pidfile_settle: the start is done: from now on the file is open to read only, so that who takes
 * over the process cannot write another's ID there. Does nothing with fd -1.
 */
void pidfile_settle(struct pidfile *p);

/*
 * pidfile_close: remove the file if that is permitted (after a chroot and a change of user often
 * not), and release the lock. Before pidfile_settle the file is emptied, too. Does nothing with fd
 * -1.
 */
void pidfile_close(struct pidfile *p);

#endif
