/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_SOCKPATH_H
#define DNS64D_CONTROL_SOCKPATH_H

/*
 * sockpath: a listening UNIX socket at a path: made, and taken away at the end.
 *
 * What is at the path already is never touched, with one exception: a socket of root or of ours
 * that nobody answers at, as a daemon leaves one behind that was killed, or that may not remove it.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"

#define SOCKPATH_MAX 107 /* characters of the longest path (unix(7)) */

/* A socket that listens. */
struct sockpath {
	int fd; /* owned; -1: none */
	dev_t dev;
	ino_t ino; /* of the file, which may have been replaced meanwhile */
	char path[SOCKPATH_MAX + 1];
};

/* Whose it is to be. */
struct sockpath_owner {
	uid_t uid;
	gid_t gid;
};

/*
 * sockpath_usual: the default path: control in the directory dns64d below RUNSTATEDIR, or below
 * /run if RUNSTATEDIR does not exist. The string is constant.
 */
const char *sockpath_usual(void);

/*
 * sockpath_open: listen at PATH, with mode 0660 and owner O. Returns 0, and *S is to be closed by
 * sockpath_close; or, with *S untouched, -ENAMETOOLONG; -EEXIST: there is something else than a
 * socket, or a dead socket of somebody else; -EADDRINUSE: somebody answers there; or another
 * -errno.
 */
MUST_USE int sockpath_open(struct sockpath *s, const char *path, const struct sockpath_owner *o);

/*
 * sockpath_try: would sockpath_open do, as far as can be seen without changing anything? Returns 0
 * or -errno, as that.
 */
MUST_USE int sockpath_try(const char *path, const struct sockpath_owner *o);

/* sockpath_strerror: the text for RC, an -errno of sockpath_open. Valid until the next call. */
const char *sockpath_strerror(int rc);

/*
 * sockpath_close: remove the socket from its directory, if it is still there and that is permitted
 * (after a chroot and a change of user often not), and close it. Does nothing with fd -1.
 */
void sockpath_close(struct sockpath *s);

#endif
