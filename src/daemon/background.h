/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_BACKGROUND_H
#define DNS64D_DAEMON_BACKGROUND_H

/*
 * background: become a process in the background. The process that was started waits: it ends with
 * 0 when the daemon serves, or with the daemon's exit code when the start fails.
 */

#include <stdbool.h>

#include "base/attr.h"

struct background {
	int fd; /* owned: pipe to the waiting process; -1 in the foreground, or once it was told */
	int null; /* owned: /dev/null, opened before a chroot hides it; -1: not open */
};

/*
 * background_fill: open those of standard input, output and error that are closed, so that nothing
 * else becomes number 2 and is written to by the log, or closed by background_ready.
 */
void background_fill(void);

/*
 * background_fork: continue in a new process and session. In the old process the function does not
 * return; it waits for background_ready or for the end of the new one, and exits. Standard error
 * stays open until background_ready. Returns 0 in the new process, or -errno without one.
 */
MUST_USE int background_fork(struct background *b);

/*
 * background_ready: the daemon serves: let the waiting process exit with 0, and redirect standard
 * input, output and (unless KEEP_STDERR) error to /dev/null. Does nothing in the foreground.
 */
void background_ready(struct background *b, bool keep_stderr);

#endif
