/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_HEARD_H
#define DNS64D_TESTS_SUPPORT_HEARD_H

/*
 * heard: what was written to the log, by any thread. Standard error goes to a file in memory
 * meanwhile.
 */

#include "base/log.h"

/* heard_start: from now on keep log lines of LEVEL and above. */
void heard_start(enum log_level level);

/* heard_end: restore standard error. */
void heard_end(void);

/* heard: how many lines since the last heard_start or heard_all have TEXT in them. */
unsigned heard(const char *text);

/* heard_all: how many lines there are in all; forgets them. */
unsigned heard_all(void);

#endif
