/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SYSCALLS_H
#define DNS64D_DAEMON_SYSCALLS_H

/*
 * syscalls: forbid system calls to the calling thread and the threads that it starts later
 * (seccomp(2), by libseccomp).
 *
 * A list of what is forbidden is the default, as libc chooses which calls it makes, and newer ones
 * choose others. What such a list names gets EPERM. Strict is a list of what is permitted: the rest
 * gets ENOSYS, which makes libc try an older call. The kernel logs each call that was denied
 * (audit). Calls that are permitted whatever their arguments cost next to nothing, as the kernel
 * remembers them (Linux 5.11).
 */

#include <stdbool.h>

#include "base/attr.h"

/* syscalls_known: was this program built with libseccomp? */
MUST_USE bool syscalls_known(void);

/*
 * syscalls_limit: forbid the calls that are listed as forbidden, or with STRICT all that are not
 * listed as permitted. The thread
 * must have no_new_privs. Returns 0 or -errno, -EOPNOTSUPP without libseccomp.
 */
MUST_USE int syscalls_limit(bool strict);

#endif
