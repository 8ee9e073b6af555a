/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_NEWFILE_H
#define DNS64D_DAEMON_NEWFILE_H

/*
 * newfile: write a file that is always complete: as PATH.new, which is synced and then renamed.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"

#define NEWFILE_SUFFIX ".new"

/*
 * newfile_create: create PATH.new, for the file at PATH (shorter than SETTINGS_PATH), in place of
 * what was there. Returns its descriptor, which the caller hands to newfile_end, or -errno.
 */
MUST_USE int newfile_create(const char *path, mode_t mode);

/* newfile_write: write the N bytes at DATA to FD. Returns 0 or -errno. */
MUST_USE int newfile_write(int fd, const void *data, size_t n);

/*
 * newfile_end: let PATH.new, open as FD, replace the file at PATH if RC is 0; else remove it.
 * Closes FD. Returns 0 or -errno, or RC; what was at PATH is still there then.
 */
MUST_USE int newfile_end(const char *path, int fd, int rc);

#endif
