/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_RELOAD_H
#define DNS64D_DAEMON_RELOAD_H

/*
 * reload: put a new configuration in force without losing a question.
 *
 * Everything that can fail is done before anything changes: the file is read and checked, new
 * sockets are opened, memory is allocated. Then every loop gets the same snapshot. Main thread
 * only.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/listen_watch.h"
#include "daemon/threads.h"

/*
 * reload_settings: read the file at PATH with the options O, and post the result to the loops of T;
 * what A waits for becomes what the new ones have. *S becomes the new settings, except for keywords
 * that need a restart. False if anything is wrong: the log has the reasons, and nothing has
 * changed. Must not be called while threads_pending.
 */
MUST_USE bool reload_settings(const struct options *o, const char *path, struct threads *t,
    struct listen_watch *a, struct settings *s);

/*
 * reload_keep: copy from NOW to NEXT the values of all keywords that need a restart, and log those
 * that differ. Returns the number of keywords that differ.
 */
unsigned reload_keep(const struct settings *now, struct settings *next);

/*
 * reload_log: log, at the level info, each address that NEXT listens on or asks and NOW does not,
 * or the other way round, and each keyword whose lines in the file differ, except keywords that
 * take effect only with a restart (reload_keep logs those).
 */
void reload_log(const struct settings *now, const struct settings *next);

#endif
