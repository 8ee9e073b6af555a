/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PIDFILE_H
#define DNS64D_DAEMON_PIDFILE_H

/*
 * pidfile: the file with the process ID, which is locked while the daemon runs, so that there is
 * one daemon with it. The lock, not the file, says that one runs: a file that a crash left behind
 * does no harm.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "config/settings.h"

struct pidfile {
	int fd;           /* owned; -1: none */
	size_t digits;    /* length of the number in the file */
	size_t line_ends; /* line ends that follow the number */
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
 * regular file, -ELOOP for a symbolic link, or another -errno.
 */
MUST_USE int pidfile_open(struct pidfile *p, const char *path);

/*
 * pidfile_tell: show in the file that a reload was tried, for an init script, which has nothing
 * else to look at. The number of line ends behind the process ID changes, which readers of the
 * number ignore: one or two mean that the reload was DONE, three or four that it was refused. Does
 * nothing with fd -1.
 */
void pidfile_tell(struct pidfile *p, bool done);

/*
 * pidfile_close: empty the file, remove it if that is permitted (after a chroot and a change of
 * user often not), and release the lock. Does nothing with fd -1.
 */
void pidfile_close(struct pidfile *p);

#endif
