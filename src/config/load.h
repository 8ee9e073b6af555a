/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_LOAD_H
#define DNS64D_CONFIG_LOAD_H

/*
 * load: read a whole configuration: file, command line, prefix-file, this machine. The start,
 * `dns64d -t` and a reload all use it, so they accept the same. All errors are reported, not only
 * the first.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/options.h"
#include "config/settings.h"

/*
 * A function that checks settings that were read, before they are accepted, and sends errors to D.
 * S may have errors already, which D counts. ARG is what load_settings got.
 */
typedef void load_check(
    const struct settings *s, const struct options *o, void *arg, struct diag *d);

/* A function that tells which user the daemon with the settings S becomes. */
typedef uid_t load_user(const struct settings *s);

/* What a start knows of this machine. */
struct load_start {
	load_user *user;
	load_check *check;
	void *arg; /* borrowed, for check */
};

/*
 * load_settings: read the file at PATH and the options O into *s, then have START check them; NULL:
 * this process is the daemon's user already, and nothing is checked. NOW: at a reload the settings
 * in force, whose prefix-file it is; NULL: this is a start, or a check. Texts go to SINK, whose
 * context is NULL. True: the caller calls settings_fini for *s. False: there were errors, *s holds
 * nothing.
 */
MUST_USE bool load_settings(const struct options *o, const char *path, const struct settings *now,
    diag_sink *sink, const struct load_start *start, struct settings *s);

#endif
