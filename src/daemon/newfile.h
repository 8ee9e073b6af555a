/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_NEWFILE_H
#define DNS64D_DAEMON_NEWFILE_H

/*
 * newfile: write a file that is always complete: as PATH.new, which is then renamed.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"

#define NEWFILE_SUFFIX ".new"

/*
 * newfile_create: create PATH.new, for the file at PATH (shorter than SETTINGS_PATH), in place of
 * what was there. Returns its descriptor, which the caller hands to one of those below, or -errno.
 */
MUST_USE int newfile_create(const char *path, mode_t mode);

/* newfile_write: write the N bytes at DATA to FD. Returns 0 or -errno. */
MUST_USE int newfile_write(int fd, const void *data, size_t n);

/* newfile_drop: remove PATH.new, open as FD, unless it is another process's by now. Closes FD. */
void newfile_drop(const char *path, int fd);

/*
 * newfile_swap: let PATH.new, open as FD, replace the file at PATH if RC is 0; else remove it.
 * Closes FD. Returns 0 or -errno, -EBUSY if another process has made PATH.new anew, or RC; what was
 * at PATH is still there then. Nothing is synced.
 */
MUST_USE int newfile_swap(const char *path, int fd, int rc);

/* newfile_end: the same, synced, so that PATH is complete even after a loss of power. */
MUST_USE int newfile_end(const char *path, int fd, int rc);

#endif
