/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_TEXTFILE_H
#define DNS64D_CONFIG_TEXTFILE_H

/*
 * textfile: read a whole file into memory.
 */

#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"

#define TEXTFILE_MAX 67108864 /* bytes of the longest file; a million zones take less */

/*
 * textfile_read: read the file at PATH into *text, which the caller frees, and its length without
 * the final zero into *len. Returns 0 or -errno: -EFBIG above TEXTFILE_MAX, -EINVAL if it is a
 * pipe, a device or the like, -EISDIR if it is a directory. Never blocks.
 */
MUST_USE int textfile_read(const char *path, char **text, size_t *len);

/*
 * textfile_read_trusted: the same for a file that tells us what to do. Besides -EPERM if anybody
 * can write it.
 */
MUST_USE int textfile_read_trusted(const char *path, char **text, size_t *len);

/*
 * textfile_read_own: the same for one that the daemon writes, whose user is USER, by the rule of
 * base/ownfile, which has the text for an error.
 */
MUST_USE int textfile_read_own(const char *path, uid_t user, char **text, size_t *len);

/* textfile_strerror: a text for an error RC of textfile_read, as from strerror(3). */
const char *textfile_strerror(int rc);

#endif
