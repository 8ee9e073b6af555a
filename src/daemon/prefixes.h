/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_PREFIXES_H
#define DNS64D_DAEMON_PREFIXES_H

/*
 * prefixes: change NAT64 prefixes while the loops run, as a reload would whose configuration
 * differs only there. Main thread only.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/prefix_change.h"
#include "config/settings.h"
#include "control/host_ops.h"
#include "daemon/threads.h"

/*
 * prefixes_change: change *s, which was read from PATH, as C says, save that if C says so, and post
 * it to the loops of T. On an error nothing is changed, and ERROR has the reason. Must not be
 * called while threads_pending.
 */
MUST_USE enum host_verdict prefixes_change(struct settings *s, struct threads *t, const char *path,
    const struct prefix_change *c, char error[static HOST_ERROR]);

/*
 * prefixes_tell_undone: NEXT is to replace NOW. Log each change that dns64ctl made to prefixes,
 * without saving it, and that does not hold any more then.
 */
void prefixes_tell_undone(const struct settings *now, const struct settings *next);

#endif
