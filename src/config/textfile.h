/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_TEXTFILE_H
#define DNS64D_CONFIG_TEXTFILE_H

/*
 * textfile: a whole file in memory.
 */

#include <stddef.h>

#include "base/attr.h"

#define TEXTFILE_MAX 67108864 /* bytes; a million zones are not as long */

/*
 * textfile_read: the bytes of the file at PATH to *TEXT (from malloc, with a zero behind them, the
 * caller's) and their number to *LEN. Returns 0 or -errno, -EFBIG above TEXTFILE_MAX,
 * -EINVAL for a pipe, a device and the like. Never waits for anybody.
 */
MUST_USE int textfile_read(const char *path, char **text, size_t *len);

/* textfile_strerror: what such an error means, for people; a text as strerror's. */
const char *textfile_strerror(int rc);

#endif
