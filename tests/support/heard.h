/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_HEARD_H
#define DNS64D_TESTS_SUPPORT_HEARD_H

/*
 * heard: what was written to the log, by any thread. Standard error goes to a file in memory
 * meanwhile.
 */

#include "base/log.h"

/* heard_start: from now on, lines of LEVEL and above. heard_end: standard error is itself again. */
void heard_start(enum log_level level);
void heard_end(void);

/* heard: how many lines since the last heard_start or heard_all have TEXT in them. */
unsigned heard(const char *text);

/* heard_all: how many lines there are at all; they are forgotten. */
unsigned heard_all(void);

#endif
