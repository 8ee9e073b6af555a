/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_LOAD_H
#define DNS64D_CONFIG_LOAD_H

/*
 * load: one whole configuration: file, command line, this machine. The start, a check and a
 * reload all come this way, so what -t accepts is what they accept. All that is wrong is told at
 * once, whoever finds it.
 */

#include <stdbool.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/options.h"
#include "config/settings.h"

/*
 * A look at settings that were read, before they are accepted: what else is wrong goes to D. S may
 * have errors, which D was told. ARG is the caller's own.
 */
typedef void load_check(
    const struct settings *s, const struct options *o, void *arg, struct diag *d);

/*
 * load_settings: read the file at PATH and O to *s, the caller's to settings_fini; CHECK (NULL: no
 * more than that) has a look at them, with ARG. Findings go to SINK, with a null context. False if
 * there are errors; *s holds nothing then.
 */
MUST_USE bool load_settings(const struct options *o, const char *path, diag_sink *sink,
    load_check *check, void *arg, struct settings *s);

#endif
