/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_COOKIES_H
#define DNS64D_DAEMON_COOKIES_H

/*
 * cookies: change the secrets of cookies for clients while the loops run, as a reload would whose
 * configuration differs only there. Main thread only.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/settings.h"
#include "control/host_ops.h"
#include "daemon/threads.h"

/*
 * cookies_change: make the secrets of *s those of C, and post them to the loops of T. False without
 * memory, which the log tells; nothing is changed then. Must not be called while threads_pending.
 */
MUST_USE bool cookies_change(struct settings *s, struct threads *t, const struct host_cookies *c);

/* cookies_tell_undone: NEXT is to replace NOW: log it if changes of the secrets end by that. */
void cookies_tell_undone(const struct settings *now, const struct settings *next);

#endif
