/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_LOAD_H
#define DNS64D_DAEMON_LOAD_H

/*
 * load: one whole configuration: file, command line, this machine. The start, a check and a
 * reload all come this way, so what -t accepts is what they accept. All that is wrong is told at
 * once, whichever of the three finds it.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "daemon/diag.h"
#include "daemon/options.h"
#include "daemon/privileges.h"
#include "daemon/settings.h"

/*
 * load_settings: read the file at PATH and O to *s, the caller's to settings_fini; findings go to
 * SINK, with a null context. False if there are errors; *s holds nothing then.
 */
MUST_USE bool load_settings(
    const struct options *o, const char *path, diag_sink *sink, struct settings *s);

/* load_start: the same before a start, which also knows in *P whom it shall become. */
MUST_USE bool load_start(const struct options *o, const char *path, diag_sink *sink,
    struct settings *s, struct privileges *p);

/* load_check: the same, with all that a start would fail for and that can be seen without one. */
MUST_USE bool load_check(
    const struct options *o, const char *path, diag_sink *sink, struct settings *s);

#endif
