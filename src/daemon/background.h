/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_BACKGROUND_H
#define DNS64D_DAEMON_BACKGROUND_H

/*
 * background: leave the terminal, and tell whoever started us how it went: the first process
 * ends only when the daemon serves, or with the daemon's exit code when it does not.
 */

#include <stdbool.h>

#include "base/attr.h"

struct background {
	int fd;   /* owned: where the waiting process listens; -1 in the foreground or once it was
		     told */
	int null; /* owned: /dev/null, opened before a chroot hides it */
};

/*
 * background_fork: go on in a new process and session; the old one waits there and never returns.
 * Errors still go to its standard error. Returns 0 or -errno.
 */
MUST_USE int background_fork(struct background *b);

/*
 * background_ready: the daemon serves: let the waiting process end with 0, and the terminal go.
 * Standard error stays open if messages go there. Harmless in the foreground.
 */
void background_ready(struct background *b, bool keep_stderr);

#endif
