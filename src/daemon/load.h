/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_LOAD_H
#define DNS64D_DAEMON_LOAD_H

/*
 * load: one whole configuration: file, command line, this machine. The start, a check and a
 * reload all come this way, so what -t accepts is what they accept.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "daemon/diag.h"
#include "daemon/options.h"
#include "daemon/settings.h"

/*
 * load_settings: read the file at PATH and O to *s, the caller's to settings_fini; findings go to
 * SINK, with a null context. False if there are errors; *s holds nothing then.
 */
MUST_USE bool load_settings(
    const struct options *o, const char *path, diag_sink *sink, struct settings *s);

#endif
