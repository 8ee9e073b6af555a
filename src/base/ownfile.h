/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_OWNFILE_H
#define DNS64D_BASE_OWNFILE_H

/*
 * ownfile: open a file that the daemon has written and now reads back.
 *
 * What such a file says is believed, so there is one rule for all of them: a regular file, not a
 * symbolic link, that belongs to the daemon's user or to root, and that nobody else can write.
 */

#include <sys/types.h>

#include "base/attr.h"

/*
 * ownfile_open: open the file at PATH for reading. USER: the daemon's user, which need not be that
 * of this process. Returns its descriptor, the caller's, or -errno: -ELOOP for a symbolic link,
 * -EISDIR or -EINVAL for what is not a regular file, -EPERM if others own it or can write it. Never
 * blocks.
 */
MUST_USE int ownfile_open(const char *path, uid_t user);

/* ownfile_strerror: a text for an error RC of ownfile_open, as from strerror(3). */
const char *ownfile_strerror(int rc);

#endif
