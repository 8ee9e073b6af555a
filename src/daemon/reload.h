/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_RELOAD_H
#define DNS64D_DAEMON_RELOAD_H

/*
 * reload: go on under a new configuration without losing a question.
 *
 * All that can fail is done before anything changes: the file is read and checked, new sockets are
 * opened, memory is had. Then every loop is handed the same snapshot.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/options.h"
#include "config/settings.h"
#include "daemon/threads.h"

/*
 * reload_settings: read PATH again and hand the result to the loops of T; *s becomes it, but for
 * what only a restart changes. False, with the reasons logged and nothing changed, if anything is
 * wrong. Not while threads_pending.
 */
MUST_USE bool reload_settings(
    const struct options *o, const char *path, struct threads *t, struct settings *s);

/*
 * reload_keep: give NEXT the values of NOW for all that only a restart changes, and log what was
 * different. Returns how many keywords that were.
 */
unsigned reload_keep(const struct settings *now, struct settings *next);

#endif
